"""Effects and threads of the C runtime, by a driver in C (test_effects.py has them from Bend)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.options import Options

Done = subprocess.CompletedProcess[str]
Driver = Callable[..., Done]


def driver_of(program: Path) -> Driver:
    """Run a driver on arguments and input, with so many threads."""

    def run(*arguments: object, threads: int = 2, given: str = "", limit: float = 60.0) -> Done:
        command = [str(program), "--threads", str(threads), "--", *map(str, arguments)]
        return subprocess.run(command, input=given, capture_output=True, encoding="utf-8", timeout=limit, check=False)

    return run


@pytest.fixture
def driver(runtime_driver: Path) -> Driver:
    return driver_of(runtime_driver)


def good(done: Done) -> list[str]:
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def failure(code: int) -> str:
    return f"Fail {code} {os.strerror(code)}"


# -- output -----------------------------------------------------------------------------------------------------------


def test_a_million_lines_are_quick_and_whole(driver: Driver) -> None:
    done = driver("print", 300_000)
    assert done.stdout == "".join(f"{i}\n" for i in range(300_000))


def test_output_and_errors_keep_their_order(runtime_driver: Path) -> None:
    done = subprocess.run(
        [runtime_driver, "error"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60
    )
    assert done.stdout == "out\nerr\nmore\n"


@pytest.mark.parametrize(("stream", "name"), [("1", "standard output"), ("2", "standard error")])
def test_a_closed_stream_fails_the_program(runtime_driver: Path, stream: str, name: str) -> None:
    command = f'"$0" error {stream}>&-'
    done = subprocess.run(
        ["sh", "-c", command, runtime_driver], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    if stream == "1":
        assert f"cannot write to {name}: {os.strerror(errno.EBADF)}" in done.stderr
    else:
        assert done.stdout == "out\n"


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_character_is_never_split_between_reads(driver: Driver, tmp_path: Path) -> None:
    file = tmp_path / "f"
    text = "aé€😀"
    file.write_text(text, encoding="utf-8")
    one_by_one = [part for _ in range(6) for part in ("read", 1)]
    assert good(driver("file", file, "r", *one_by_one)) == ["Done a", "Done é", "Done €", "Done 😀", "Done ", "Done "]
    assert good(driver("file", file, "r", "read", 2, "read", 3, "read", 9)) == ["Done aé", "Done €", "Done 😀"]
    file.write_bytes("é".encode() + b"\xf0\x9f")
    assert good(driver("file", file, "r", "read", 1, "read", 1, "read", 1)) == ["Done é", "Done \ufffd", "Done "]
    file.write_bytes(b"\xf0ab")
    assert good(driver("file", file, "r", "read", 1, "read", 1, "read", 1)) == ["Done \ufffda", "Done b", "Done "]


def test_modes_and_positions(driver: Driver, tmp_path: Path) -> None:
    file = tmp_path / "f"
    assert good(driver("file", file, "r+", "size")) == [failure(errno.ENOENT)]
    assert good(driver("file", file, "w+", "write", "hello", "at", 1, 3, "read", 5, "size")) == [
        *("Done Unit", "Done 101,108,108", "Done ", "Done 5"),
    ]
    assert good(driver("file", file, "r+", "bytes", 2, "write", "XY", "read", 9)) == [
        *("Done 104,101", "Done Unit", "Done o"),
    ]
    assert file.read_text() == "heXYo"
    assert good(driver("file", file, "a+", "read", 2, "put", "33,0", "at", 4, 9)) == [
        *("Done he", "Done Unit", "Done 111,33,0"),
    ]
    assert good(driver("file", file, "a", "read", 2, "write", "é")) == [failure(errno.EBADF), "Done Unit"]
    assert file.read_bytes() == b"heXYo!\0\xc3\xa9"
    assert good(driver("file", file, "w", "size", "put", "1,300,2", "size")) == [
        *("Done 0", failure(errno.EINVAL), "Done 0"),
    ]
    for mode in ("", "rb", "R", "wr", "x"):
        assert good(driver("file", file, mode)) == [failure(errno.EINVAL)]


def test_what_has_no_positions(driver: Driver, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"printf abc > '{pipe}'"]):
        lines = good(driver("file", pipe, "r", "at", 0, 1, "read", 100, "read", 100))
    assert lines == [failure(errno.ESPIPE), "Done abc", "Done "]


# -- other programs ---------------------------------------------------------------------------------------------------


def python(driver: Driver, code: str, most: int = 1 << 30, timeout: int = 0, given: str = "") -> list[str]:
    return good(driver("run", most, timeout, sys.executable, "-c", code, given=given))


def test_both_outputs_and_the_input_may_be_large(driver: Driver) -> None:
    code = "import sys; d = sys.stdin.read(); sys.stderr.write('e' * len(d)); sys.stdout.write(d)"
    lines = python(driver, code, given="x" * 1_000_000)
    assert [lines[0], len(lines[1]), set(lines[2]), len(lines[2])] == ["Done 0", 1_000_000, {"e"}, 1_000_000]


def test_a_program_need_not_read_its_input(driver: Driver) -> None:
    assert python(driver, "import os; os.close(0); print('ok')", given="x" * 1_000_000)[:2] == ["Done 0", "ok"]


def test_the_limit_of_output_is_of_each_stream(driver: Driver) -> None:
    code = "import sys; sys.stdout.write('o' * 10); sys.stderr.write('e' * {})"
    assert python(driver, code.format(10), 10) == ["Done 0", "o" * 10, "e" * 10]
    assert python(driver, code.format(11), 10) == [failure(errno.ENOBUFS)]


def test_a_timeout_ends_what_the_program_started_too(driver: Driver, tmp_path: Path) -> None:
    late = tmp_path / "late"
    began = time.monotonic()
    done = driver("run", 100, 300, "sh", "-c", f"(sleep 2; touch '{late}') & sleep 50")
    assert good(done) == [failure(errno.ETIMEDOUT)]
    assert time.monotonic() - began < 15
    time.sleep(2.5)
    assert not late.exists()


def test_a_program_that_goes_on_without_output_meets_the_timeout(driver: Driver) -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(50)"
    assert python(driver, code, 100, 500) == [failure(errno.ETIMEDOUT)]
    assert python(driver, "import os, time; os.close(1); os.close(2); time.sleep(0.2); os._exit(3)", 100, 20000)[0] == (
        "Done 3"
    )


def test_programs_that_cannot_start(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("not executable")
    assert good(driver("run", 100, 0, tmp_path / "f")) == [failure(errno.EACCES)]
    assert good(driver("run", 100, 0, "")) == [failure(errno.ENOENT)]


def test_a_closed_pipe_ends_a_started_program_as_usual(driver: Driver) -> None:
    assert good(driver("run", 100, 0, "sh", "-c", "yes | head -n 1"))[:2] == ["Done 0", "y"]


def test_the_environment_time_and_chance(driver: Driver) -> None:
    lines = good(driver("environment", "NO=NAME", threads=3))
    assert lines[0] == failure(errno.ENOENT)
    assert lines[2:4] == ["environment", "NO=NAME"]
    assert lines[4].startswith("Done ")
    assert lines[5:] == ["slept", "3"]


# -- threads ----------------------------------------------------------------------------------------------------------


def tree(depth: int) -> int:
    return 2 if depth == 0 else 9 * tree(depth - 1)


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize(("depth", "times"), [(9, 2), (2, 300)])
def test_values_do_not_depend_on_the_number_of_threads(driver: Driver, threads: int, depth: int, times: int) -> None:
    sum_of_trees = times * tree(depth) % 1000000007
    assert good(driver("tree", depth, times, threads=threads)) == [str(sum_of_trees), "alone", "one owner"]


@pytest.mark.parametrize("room", [0, 1, 5, 4294967295])
@pytest.mark.parametrize("threads", [1, 4])
def test_all_that_is_sent_is_received(driver: Driver, room: int, threads: int) -> None:
    senders, count = 4, 300
    lines = good(driver("channel", room, senders, count, threads=threads))
    assert lines == ["closed", "None", str(senders * count), str(senders * sum(range(count)))]


def test_a_closed_channel_gives_what_it_holds(driver: Driver) -> None:
    assert good(driver("closing")) == ["1"]


def test_when_all_threads_wait_the_program_fails(driver: Driver) -> None:
    done = driver("deadlock")
    assert (done.returncode, done.stdout) == (1, "before\n")
    assert done.stderr.endswith(": all threads wait for a channel\n")


def test_a_thread_that_halts_ends_the_program(driver: Driver) -> None:
    done = driver("halting", limit=15)
    assert done.returncode == 9
    assert done.stderr.endswith(": a thread halts\n")


class ThreadSanitized(Options):
    """Options with which the program reports data races."""

    def flags(self) -> list[str]:
        """The compiler's flags."""
        return [*super().flags(), "-fsanitize=thread"]


@pytest.mark.skipif("BENDML_THREAD_SANITIZER" not in os.environ, reason="takes minutes: BENDML_THREAD_SANITIZER=1")
def test_threads_do_not_race(tools: Path, tmp_path: Path) -> None:
    source = Path(__file__).with_name("runtime_driver.c").read_text(encoding="utf-8")
    build(source, tmp_path / "driver", ThreadSanitized(debug=True, level=1), tools)
    run = driver_of(tmp_path / "driver")
    for _ in range(3):
        good(run("tree", 8, 3, threads=8))
        good(run("tree", 3, 30, threads=3))
        good(run("channel", 0, 4, 200))
        good(run("channel", 3, 4, 200))
    assert run("halting").returncode == 9
