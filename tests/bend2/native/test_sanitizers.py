"""Native programs use memory as they should and do nothing undefined, as far as sanitizers see."""

from __future__ import annotations

import errno
import os
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.closures import convert_closures
from bendml_cli.bend2.native.compile import compile_c
from bendml_cli.bend2.native.emit import emit_c
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.ownership import own
from tests.bend2.native import call_programs, loop_programs
from tests.bend2.native.conformance_cases import BATCHES, as_one, batch_c, cases_of
from tests.bend2.native.conftest import PROGRAMS
from tests.bend2.native.generated.edges import OVERFLOWS, overflow_program
from tests.bend2.native.ir_programs import CONSTRUCTORS
from tests.bend2.native.native_run import Constructors, merged
from tests.bend2.native.program_gen import io_program, program
from tests.bend2.native.sanitizers import Sanitizers, complains, find_sanitizers, run
from tests.bend2.native.test_emit import LAST_NUMBER, expected_of, random_programs
from tests.bend2.native.test_properties_native import plain
from tests.bend2.native.test_runtime_effects import ThreadSanitized

BEND = Path(__file__).parents[3] / "bend"
Made = Callable[[str], Path]


@pytest.fixture(scope="session")
def sanitizers(shared: Path) -> Sanitizers:
    found = find_sanitizers(shared)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="session")
def made(sanitizers: Sanitizers, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The executable of a program of `programs/`, or of the driver of the runtime, made once."""
    folder = tmp_path_factory.mktemp("sanitized")

    def make(name: str) -> Path:
        executable = folder / name
        if not executable.exists():
            driver = Path(__file__).with_name(f"{name}.c")
            text = driver.read_text("utf-8") if driver.exists() else compile_c(PROGRAMS / f"{name}.bend").c_text
            sanitizers.build(text, executable, level=1)
        return executable

    return make


def prints(
    executable: Path, *args: object, given: str = "", threads: int = 2, status: int = 0, complaint: str = ""
) -> str:
    """What a program prints that has no fault and ends as it should."""
    done = run(executable, ["--threads", str(threads), "--", *map(str, args)], given=given)
    assert not complains(done), done.stderr
    assert done.returncode == status, done.stderr
    assert complaint in done.stderr if complaint else not done.stderr
    return done.stdout


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", range(BATCHES))
def test_recorded_cases(batch: int, sanitizers: Sanitizers, shared: Path, tmp_path: Path) -> None:
    sanitizers.build(batch_c(batch, shared), tmp_path / "programs")
    wrong = []
    for at, case in enumerate(cases_of(batch)):
        done = run(tmp_path / "programs", [str(at)])
        if (done.returncode, done.stdout, done.stderr) != (0, case.main + "\n", ""):
            wrong.append(f"{case.name}: {case.main}\nstatus {done.returncode}: {done.stdout}{done.stderr}")
    assert not wrong, "\n\n".join(wrong)


def test_random_bend(sanitizers: Sanitizers, tmp_path: Path) -> None:
    programs = [program(random.Random(f"sanitized {at}"), 6) for at in range(4)]
    programs += [program(random.Random(f"sanitized floats {at}"), 6, opaque=True) for at in range(2)]
    programs += [io_program(random.Random(f"sanitized actions {at}"), 6) for at in range(2)]
    c_texts = []
    for each in programs:
        (tmp_path / "program.bend").write_text(each.text, encoding="utf-8")
        c_texts.append(compile_c(tmp_path / "program.bend").c_text)
    sanitizers.build(as_one(c_texts), tmp_path / "programs")
    for at, each in enumerate(programs):
        for threads in ("1", "2"):
            done = run(tmp_path / "programs", [str(at), "--threads", threads])
            said = "7: it ends\n" if each.status else ""
            assert (done.returncode, plain(done.stdout)) == (each.status, plain(each.printed)), each.text
            assert done.stderr.endswith(said) if each.status else not done.stderr, each.text


def test_matrices(sanitizers: Sanitizers, tmp_path: Path) -> None:
    def printed_by(program_: str, *args: object) -> str:
        sanitizers.build(compile_c(BEND / program_).c_text, tmp_path / "program", level=1)
        return prints(tmp_path / "program", *args)

    digests = [printed_by(f"bench/matmul_{how}.bend", 0, 1).split()[1] for how in ("arrays", "lists", "tensor")]
    assert len(set(digests)) == 1
    operations = BEND / "tensor-array" / "tests" / "run"
    done = printed_by("tensor-array/tests/run/operations.bend", operations / "example.cases")
    assert done.startswith("([1082130432 1084227584][1092616192 1093664768])")


def owned(programs: list[ir.Program], constructors: Constructors) -> ir.Program:
    """The programs, that show the value of each main, in one."""
    return own(convert_closures(merged(programs, constructors), ir.Names(LAST_NUMBER)))


def test_random_ir(sanitizers: Sanitizers, tmp_path: Path) -> None:
    programs = random_programs(5, 20)
    printed, values = expected_of(programs, CONSTRUCTORS)
    sanitizers.build(emit_c(owned(programs, CONSTRUCTORS)), tmp_path / "program")
    assert prints(tmp_path / "program", threads=1) == printed + values
    assert sorted(prints(tmp_path / "program", threads=4).splitlines()) == sorted((printed + values).splitlines())


def test_calls_and_loops(sanitizers: Sanitizers, tmp_path: Path) -> None:
    calls = [call_programs.CallGenerator(random.Random(f"sanitized {at}")).jumps() for at in range(15)]
    calls += [call_programs.CallGenerator(random.Random(f"sanitized {at}")).closures() for at in range(15)]
    loops = [loop_programs.LoopGenerator(random.Random(f"sanitized {at}")).program() for at in range(40)]
    for programs, constructors in ((calls, call_programs.CONSTRUCTORS), (loops, loop_programs.CONSTRUCTORS)):
        expected = "".join(expected_of(programs, constructors))
        sanitizers.build(emit_c(owned(programs, constructors)), tmp_path / "program")
        assert prints(tmp_path / "program") == expected


# -- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads(threads: int, made: Made) -> None:
    assert prints(made("shared"), 5, threads=threads) == "224014\n8428\n"
    assert prints(made("threads"), 20, threads=threads) == "210000\n210 True False\n"
    driver = made("runtime_driver")
    assert prints(driver, "tree", 7, 2, threads=threads).splitlines()[1:] == ["alone", "one owner"]
    for room in (0, 3):
        assert prints(driver, "channel", room, 4, 200, threads=threads).startswith("closed\nNone\n800\n")


def test_many_values_at_the_same_time(made: Made) -> None:
    alone = prints(made("shared"), 10, threads=1)
    for _ in range(5):
        assert prints(made("shared"), 10, threads=4) == alone


@pytest.mark.skipif("BENDML_THREAD_SANITIZER" not in os.environ, reason="takes minutes: BENDML_THREAD_SANITIZER=1")
@pytest.mark.parametrize("options", [ThreadSanitized(level=2), ThreadSanitized(debug=True, level=1)])
def test_threads_of_bend_do_not_race(options: Options, tools: Path, tmp_path: Path) -> None:
    for name, arg in (("shared", 10), ("threads", 20)):
        build(compile_c(PROGRAMS / f"{name}.bend").c_text, tmp_path / name, options, tools)
        for threads in (2, 4, 8):
            prints(tmp_path / name, arg, threads=threads)


# -- effects ----------------------------------------------------------------------------------------------------------


def test_files(made: Made, tmp_path: Path) -> None:
    file = tmp_path / "größe"
    assert prints(made("write"), file, "w", "aé\n", 0, 255, 10) == "text done\nbytes done\n"
    assert prints(made("inspect"), file, 1, 3).splitlines()[0] == "size 7"
    assert prints(made("inspect"), tmp_path / "none", 0, 3).startswith(f"open failed {errno.ENOENT}: ")
    assert prints(made("write"), file, "r", "x", 300).count("failed") == 2
    actions = ["read", 1, "at", 1, 9, "write", "é", "put", "1,2", "put", "300", "bytes", 2, "size"]
    assert prints(made("runtime_driver"), "file", file, "r+", *actions).count("Done") == 6


def test_other_programs(made: Made) -> None:
    copy = [sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())"]
    text = "x" * 20_000
    assert prints(made("process"), text, 30_000, 0, *copy) == f"before\nstatus 0 out [{text}] err []\n"
    assert f"failed {errno.ENOBUFS}: " in prints(made("process"), text, 300, 0, *copy)
    assert f"failed {errno.ETIMEDOUT}: " in prints(made("process"), "", 10, 200, "sleep", 60)
    assert f"failed {errno.ENOENT}: " in prints(made("process"), "", 10, 200, "no-such-program")


def test_text(made: Made) -> None:
    driver = made("runtime_driver")
    numbers = bytes(random.Random("sanitized").choices(range(128), k=400)).decode()
    for what in ("f32-show", "u32-show", "nat-show", "word", "code", "f32-literal", "decode"):
        assert prints(driver, what, given=numbers)
    assert prints(driver, "f32-read", given="1.5\n-1e99\n.\n1e\n").splitlines()[2:] == ["None", "None"]
    assert prints(driver, "environment", "NO=NAME").count("Done") == 1
    assert prints(driver, "print", 20_000).count("\n") == 20_000


# -- ends -------------------------------------------------------------------------------------------------------------


def test_failures(made: Made, sanitizers: Sanitizers, tmp_path: Path) -> None:
    assert prints(made("arguments"), "a b", "é", status=3, complaint="arguments: the end\n").startswith("[")
    prints(made("inspect"), status=2, complaint="usage: ")
    prints(made("runtime_driver"), "deadlock", status=1, complaint="all threads wait for a channel")
    prints(made("runtime_driver"), "halting", status=9, complaint="a thread halts")
    (tmp_path / "program.bend").write_text(overflow_program(), encoding="utf-8")
    sanitizers.build(compile_c(tmp_path / "program.bend").c_text, tmp_path / "program")
    for at in range(len(OVERFLOWS)):
        prints(tmp_path / "program", at, status=1, complaint="a natural number past 281474976710655")


@pytest.mark.parametrize(("left_out", "complaint"), [("b_dup", "heap-use-after-free"), ("b_drop", "objects leaked")])
def test_wrong_counting_is_found(left_out: str, complaint: str, sanitizers: Sanitizers, tmp_path: Path) -> None:
    text = compile_c(PROGRAMS / "shared.bend").c_text
    without = re.sub(rf"^ *{left_out}\(.*\);$", "", text, flags=re.MULTILINE)
    assert without != text
    sanitizers.build(without, tmp_path / "program")
    assert complaint in run(tmp_path / "program", ["--threads", "1", "--", "5"]).stderr
