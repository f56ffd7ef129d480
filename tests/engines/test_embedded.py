"""The embedded engine, each call in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.engines.process import Finished, ProcessGroup

# A loop that only dead code may hold: its type is evaluated, and evaluation does not end.
LOOP = """\
import Base

@unsafe def forever(n: Nat) -> Nat: forever(1n+n)

def stuck() -> {forever(0n) == 1n : Nat}: {==}
"""

# Long enough for the watch to see what it holds.
SLEEPER = """\
import Base

def main() -> IO(Unit):
  do IO<Unit>:
    IO.sleep(300)
    IO.print("awake")
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "main.bend"
    path.write_text("import Base\ndef main() -> Nat: Nat.add(1n, 2n)\n")
    return path


def test_a_judgement_carries_the_report_and_the_cost(program: Path) -> None:
    judgement = EmbeddedEngine().check(program, main=True)
    assert judgement.engine == "embedded"
    assert judgement.failure is None
    assert judgement.report is not None
    assert judgement.report.accepted
    assert judgement.report.main == "3n"
    assert judgement.report.file == program
    usage = judgement.usage
    assert usage.cpu_seconds is not None
    assert usage.peak_resident_bytes is not None
    assert 0 < usage.cpu_seconds < usage.seconds + 1
    assert usage.peak_resident_bytes > 5_000_000


def test_a_refusal_carries_its_error(program: Path) -> None:
    program.write_text("import Base\ndef f(x: Nat, y: Bool) -> Nat: y\n")
    report = EmbeddedEngine().check(program).report
    assert report is not None
    assert report.error is not None
    assert (report.error.category, report.error.expected, report.error.observed) == ("mismatch", "Nat", "Bool")
    assert report.error.context == [("x", "Nat"), ("y", "Bool")]


def test_a_missing_file_is_a_refusal(tmp_path: Path) -> None:
    report = EmbeddedEngine().check(tmp_path / "gone.bend").report
    assert report is not None
    assert not report.accepted


def test_an_evaluation_that_does_not_end_is_given_up_on(program: Path) -> None:
    program.write_text(LOOP)
    began = time.perf_counter()
    report = EmbeddedEngine(timeout=1.0).check(program).report
    assert time.perf_counter() - began < 20
    assert report is not None
    assert not report.accepted
    assert report.error is not None
    assert report.error.definition == "stuck"


def test_a_program_that_wants_too_much_memory_is_refused_alone(program: Path) -> None:
    program.write_text(
        "import Base\n"
        "def grow(n: Nat, xs: List<&2, Nat>) -> List<&2, Nat>:\n"
        "  match n:\n"
        "    case 0n:\n"
        "      xs\n"
        "    case 1n+p:\n"
        "      grow(p, 0n <> xs)\n"
        "def main() -> List<&2, Nat>: grow(100000000n, [])\n"
    )
    report = EmbeddedEngine(timeout=120.0, memory_bytes=1 << 30).check(program, main=True).report
    assert report is not None
    assert not report.accepted
    assert report.error is not None
    assert "memory" in report.error.message


def test_the_limit_of_a_call_is_a_failure_and_no_verdict(program: Path) -> None:
    program.write_text(LOOP)
    judgement = EmbeddedEngine(timeout=60.0, limit=1.5).check(program)
    assert judgement.report is None
    assert judgement.failure == "no answer within 1.5 s"


@pytest.mark.parametrize(
    ("finished", "failure"),
    [
        (Finished(-11, "", "", 1.0, 1.0, False, False), "the engine was ended by SIGSEGV"),
        (Finished(1, "", "Traceback\nKeyError: 'x'\n", 1.0, 1.0, False, False), "status 1: KeyError: 'x'"),
        (Finished(0, "nonsense", "", 1.0, 1.0, False, False), "the engine's answer cannot be read"),
        (Finished(0, '{"report": {"file": "x"}}', "", 1.0, 1.0, False, False), "the engine's answer cannot be read"),
    ],
)
def test_a_process_without_an_answer_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, program: Path, finished: Finished, failure: str
) -> None:
    monkeypatch.setattr(ProcessGroup, "run", lambda *_: finished)
    judgement = EmbeddedEngine().check(program)
    assert judgement.report is None
    assert judgement.failure is not None
    assert failure in judgement.failure


def test_it_lacks_a_kernel(program: Path) -> None:
    engine = EmbeddedEngine()
    assert engine.lacks("kernel") is not None
    with pytest.raises(ValueError, match="no second kernel"):
        engine.recheck(program)


def test_a_worker_does_not_outlive_the_run_that_started_it(program: Path) -> None:
    program.write_text(LOOP)
    request = json.dumps(
        {"path": str(program), "timeout": 300.0, "main": False, "cache": None, "memory_bytes": 1 << 33}
    )
    code = (
        "import subprocess, sys, time\n"
        "worker = subprocess.Popen([sys.executable, '-m', 'bendml_cli.engines.worker', sys.argv[1]],"
        " stdin=subprocess.PIPE, start_new_session=True)\n"
        "print(worker.pid, flush=True)\n"
        "time.sleep(300)\n"
    )
    run = subprocess.Popen([sys.executable, "-c", code, request], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert run.stdout is not None
    worker = psutil.Process(int(run.stdout.readline()))
    time.sleep(1.0)
    assert worker.is_running()
    run.kill()
    run.wait(10)
    _, alive = psutil.wait_procs([worker], timeout=10)
    assert not alive


def test_a_program_is_built_and_run(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bendml_cache: Path
) -> None:
    monkeypatch.setenv("BENDML_CACHE", str(bendml_cache))
    program.write_text(SLEEPER)
    engine = EmbeddedEngine(cache=tmp_path / "cache")
    built = engine.build(program, tmp_path / "out")
    assert (built.failure, built.code, built.stderr) == (None, 0, "")
    ran = engine.run_binary(tmp_path / "out", "x", threads=2)
    assert (ran.failure, ran.stdout) == (None, "awake\n")
    assert ran.usage.peak_resident_bytes is not None
    assert 100_000 < ran.usage.peak_resident_bytes < 60_000_000
    assert engine.run(program).stdout == "awake\n"


def test_what_cannot_be_built_or_does_not_end_well(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bendml_cache: Path
) -> None:
    monkeypatch.setenv("BENDML_CACHE", str(bendml_cache))
    engine = EmbeddedEngine()
    program.write_text("import Base\ndef main() -> Nat: True{}\n")
    for ran in (engine.build(program, tmp_path / "out"), engine.run(program)):
        assert ran.code == 1
        assert ran.failure is not None
        assert ran.failure.startswith("main.bend is not compiled: mismatch in main")
    program.write_text('import Base\ndef main() -> IO(Unit): IO.die(Unit, 3, "the end")\n')
    ran = engine.run(program)
    assert (ran.code, ran.stderr) == (3, "main: the end\n")
    assert ran.failure == "the engine failed with status 3: main: the end"
    assert engine.run_binary(tmp_path / "gone").code == 127
