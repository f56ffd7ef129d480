"""Effects, from Bend: files, the environment, other programs, threads and channels, output and exit statuses."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.native.options import Options

Compiled = Callable[..., Path]
DEBUG = Options(debug=True, level=1)
"""Every run also checks that no object is left at the end."""


def run(
    binary: Path, *arguments: str, env: dict[str, str] | None = None, limit: float = 60.0
) -> subprocess.CompletedProcess[str]:
    command = [str(binary), *(["--", *arguments] if arguments else [])]
    return subprocess.run(
        command,
        executable=binary,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **(env or {})},
        timeout=limit,
        check=False,
    )


@pytest.fixture
def inspect(compiled: Compiled) -> Callable[..., list[str]]:
    """Lines that `inspect` prints about a file."""
    binary = compiled("inspect", DEBUG)

    def look(path: str | Path, offset: int, most: int) -> list[str]:
        done = run(binary, str(path), str(offset), str(most))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return look


@pytest.fixture
def write(compiled: Compiled) -> Callable[..., subprocess.CompletedProcess[str]]:
    binary = compiled("write", DEBUG)
    return lambda *arguments: run(binary, *map(str, arguments))


# -- files ------------------------------------------------------------------------------------------------------


def test_reading_goes_on_where_it_was_and_ends_past_the_end(inspect: Callable[..., list[str]], tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"abcdefg")
    assert inspect(file, 1, 3) == ["size 7", "text [abc]", "bytes 100 101 102", "more 103", "at 98 99 100"]
    assert inspect(file, 6, 4) == ["size 7", "text [abcd]", "bytes 101 102 103", "more", "at 103"]
    assert inspect(file, 7, 4)[-1] == "at"
    assert inspect(file, 4294967295, 4)[-1] == "at"
    assert inspect(file, 2, 0) == ["size 7", "text []", "bytes", "more", "at"]


def test_an_empty_file(inspect: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    assert inspect(tmp_path / "f", 0, 10) == ["size 0", "text []", "bytes", "more", "at"]


@pytest.mark.parametrize(
    ("path", "code"), [("missing", errno.ENOENT), (".", errno.EISDIR), ("", errno.ENOENT), ("f/x", errno.ENOTDIR)]
)
def test_what_cannot_be_opened(inspect: Callable[..., list[str]], tmp_path: Path, path: str, code: int) -> None:
    (tmp_path / "f").touch()
    [line] = inspect(tmp_path / path if path else "", 0, 10)
    assert line == f"open failed {code}: {os.strerror(code)}"


@pytest.mark.parametrize("name", ["two words", "größe-日本", " ", "-x", "a\nb"])
def test_names_of_files(inspect: Callable[..., list[str]], tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    assert inspect(tmp_path / name, 0, 5)[:2] == ["size 1", "text [x]"]


def test_binary_content_is_read_byte_by_byte(inspect: Callable[..., list[str]], tmp_path: Path) -> None:
    data = bytes(range(256))
    (tmp_path / "f").write_bytes(data)
    lines = inspect(tmp_path / "f", 0, 300)
    assert lines[-1] == "at " + " ".join(map(str, data))


def test_text_is_utf_8_and_a_bad_byte_is_a_replacement(inspect: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("aé日😀".encode() + b"\xff.")
    assert inspect(tmp_path / "f", 0, 300)[1] == "text [aé日😀\ufffd.]"


def test_writing_appending_and_reading_again(
    write: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    file = tmp_path / "größe"
    assert write(file, "w", "aé\n", 0, 255, 10).stdout == "text done\nbytes done\n"
    assert file.read_bytes() == "aé\n".encode() + b"\x00\xff\n"
    assert write(file, "a", "more").returncode == 0
    assert file.read_bytes() == "aé\n".encode() + b"\x00\xff\nmore"
    assert write(file, "w", "").returncode == 0
    assert file.read_bytes() == b""


def test_what_cannot_be_written(write: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    not_bytes = write(tmp_path / "f", "w", "x", 65, 256)
    assert not_bytes.stdout == f"text done\nbytes failed {errno.EINVAL}: {os.strerror(errno.EINVAL)}\n"
    assert (tmp_path / "f").read_bytes() == b"x"
    read_only = write(tmp_path / "f", "r", "x")
    assert read_only.stdout.startswith(f"text failed {errno.EBADF}: ")
    done = write(tmp_path / "no" / "f", "w", "x")
    assert (done.returncode, done.stdout) == (errno.ENOENT, "")
    assert done.stderr.strip().endswith(os.strerror(errno.ENOENT))
    assert write(tmp_path / "f", "rw", "x").returncode == errno.EINVAL


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_device(write: Callable[..., subprocess.CompletedProcess[str]], compiled: Compiled) -> None:
    full = f"failed {errno.ENOSPC}: {os.strerror(errno.ENOSPC)}"
    assert write("/dev/full", "w", "x", 65).stdout == f"text {full}\nbytes {full}\n"
    binary = compiled("arguments", DEBUG)
    with Path("/dev/full").open("wb") as output:
        done = subprocess.run([binary], stdout=output, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "cannot write to standard output" in done.stderr


# -- the program and its surroundings ---------------------------------------------------------------------------


def test_arguments_the_environment_and_the_end(compiled: Compiled) -> None:
    binary = compiled("arguments", DEBUG)
    done = run(binary, "a b", "", "é", "--threads", "--", env={"BENDML_TEST_HERE": "größe="})
    lines = done.stdout.splitlines()
    assert lines[0].startswith("[")
    assert Path(lines[0][1:-1]).name == binary.name
    assert lines[1:6] == ["[a b]", "[]", "[é]", "[--threads]", "[--]"]
    assert lines[6] == "value [größe=]"
    assert lines[7].startswith(f"failed {errno.ENOENT}: ")
    assert lines[8] == "no end of line"
    assert not done.stdout.endswith("\n")
    assert done.stderr == f"to standard error\n{binary.name}: the end\n"
    assert done.returncode == 3


def test_a_closed_pipe_ends_the_program_with_a_message(compiled: Compiled) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        done = subprocess.run(
            [compiled("arguments", DEBUG)], stdout=output, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    assert done.returncode == 1
    assert "cannot write to standard output: Broken pipe" in done.stderr


# -- other programs ---------------------------------------------------------------------------------------------


def process(compiled: Compiled, *arguments: str) -> str:
    done = run(compiled("process", DEBUG), *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("before\n")
    return done.stdout.removeprefix("before\n").removesuffix("\n")


def test_a_process_gets_its_input_and_gives_output_and_status(compiled: Compiled) -> None:
    code = "import sys; d = sys.stdin.read(); print(d.upper(), sys.argv[1:]); print('é', file=sys.stderr); sys.exit(7)"
    told = process(compiled, "größe", "1000", "0", sys.executable, "-c", code, "a b", "")
    assert told == "status 7 out [GRÖSSE ['a b', '']\n] err [é\n]"


def test_a_process_ended_by_a_signal(compiled: Compiled) -> None:
    assert process(compiled, "", "0", "0", "sh", "-c", "kill -9 $$") == "status 137 out [] err []"


def test_a_program_that_is_not_there(compiled: Compiled) -> None:
    assert process(compiled, "", "0", "0", "no-such-program") == f"failed {errno.ENOENT}: {os.strerror(errno.ENOENT)}"


def test_a_process_that_does_not_end_is_ended(compiled: Compiled) -> None:
    began = time.monotonic()
    assert process(compiled, "", "10", "300", "sleep", "60").startswith(f"failed {errno.ETIMEDOUT}: ")
    assert time.monotonic() - began < 20


def test_a_process_with_much_input_and_output(compiled: Compiled) -> None:
    text = "x" * 100_000
    assert process(compiled, text, "200000", "0", "cat") == f"status 0 out [{text}] err []"


def test_a_process_that_writes_too_much(compiled: Compiled) -> None:
    assert process(compiled, "x" * 100, "50", "0", "cat").startswith("failed ")


# -- threads ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_forks_joins_and_channels(compiled: Compiled, threads: int) -> None:
    done = subprocess.run(
        [compiled("threads", DEBUG), "--threads", str(threads), "--", "20"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    total = sum(1000 * each for each in range(1, 21))
    assert done.stderr == ""
    assert done.stdout == f"{total}\n{sum(range(21))} True False\n"
    assert done.returncode == 0
