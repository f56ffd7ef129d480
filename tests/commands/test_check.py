"""`bendml check` with a fake engine: exit status, evidence, what is printed, and interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bendml_cli.commands.check import CheckOptions, run_suites
from bendml_cli.engines.choice import EngineChoice
from bendml_cli.engines.choose import Engines
from bendml_cli.errors import OutputError
from bendml_cli.evidence.verify import verify
from bendml_cli.project import Project
from bendml_cli.suites.schema import select_suites
from tests.fakes import FakeEngine, accepted, demo_judge, make_project


def options(output: Path, *, json: bool = False, require_bend: bool = False) -> CheckOptions:
    return CheckOptions([], output, EngineChoice.AUTO, require_bend, 2, False, json)


def run(root: Path, engine: FakeEngine, wanted: CheckOptions) -> int:
    project = Project(make_project(root))
    return run_suites(project, select_suites(project, []), Engines((engine,), "bend is not installed"), wanted)


def test_a_run_that_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "deep" / "evidence"
    assert run(tmp_path, FakeEngine(demo_judge), options(output)) == 0
    found = verify(output)
    assert found.intact, found.differences
    assert found.manifest is not None
    assert found.manifest.verdict == "passed"
    assert found.manifest.counts.model_dump() == {"passed": 2, "failed": 0, "error": 0, "skipped": 1}
    attested = json.loads((output / "attestation.json").read_text())
    assert [s["name"] for s in attested["subject"]] == ["bend/demo/main.bend", "bend/demo/tests/bad.bend"]
    printed = capsys.readouterr().out
    assert "passed  demo/proofs  1 law proved, 1 definition  [embedded, " in printed
    assert "skipped demo/kernel  needs Bend's second kernel (BendTT): bend is not installed" in printed
    assert "PASSED  2 of 3 checks passed" in printed
    assert "None of them is Bend's own verdict: bend is not installed." in printed
    for file in output.rglob("*"):
        assert file.is_dir() or str(tmp_path) not in file.read_text(), f"{file} names a path of this machine"


def test_a_check_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "evidence"
    assert run(tmp_path, FakeEngine(accepted), options(output)) == 1
    found = verify(output)
    assert found.intact
    assert found.manifest is not None
    assert found.manifest.verdict == "failed"
    assert "FAILED  0 of 3 checks passed" in capsys.readouterr().out


def test_require_bend_turns_skips_into_failures(tmp_path: Path) -> None:
    assert run(tmp_path, FakeEngine(demo_judge), options(tmp_path / "evidence", require_bend=True)) == 1


def test_json_is_one_object_per_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "evidence"
    assert run(tmp_path, FakeEngine(demo_judge), options(output, json=True)) == 0
    *results, summary = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {r["id"]: r["status"] for r in results} == {"proofs": "passed", "bad": "passed", "kernel": "skipped"}
    wanted = {"output": str(output), "verdict": "passed", "passed": 2, "failed": 0, "error": 0, "skipped": 1}
    assert summary == wanted


def test_an_output_that_exists_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    engine = FakeEngine(demo_judge)
    with pytest.raises(OutputError, match="exists"):
        run(tmp_path, engine, options(tmp_path / "evidence"))
    assert engine.calls == []


def test_a_crash_leaves_the_partial_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    output = tmp_path / "evidence"
    with monkeypatch.context() as patch:
        patch.setattr("bendml_cli.evidence.record.Recorder._keep", full)
        with pytest.raises(OSError, match="No space"):
            run(tmp_path, FakeEngine(demo_judge), options(output))
    assert not output.exists()
    assert (tmp_path / "evidence.partial/results.jsonl").read_text().count("\n") == 1
    assert run(tmp_path, FakeEngine(demo_judge), options(output)) == 0
    assert verify(output).intact


def test_a_disk_that_is_full_at_the_end_leaves_no_seal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    output = tmp_path / "evidence"
    with monkeypatch.context() as patch:
        patch.setattr("bendml_cli.evidence.record.Path.rename", full)
        with pytest.raises(OSError, match="No space"):
            run(tmp_path, FakeEngine(demo_judge), options(output))
    assert "stopped: what was done is in" in capsys.readouterr().err
    partial = tmp_path / "evidence.partial"
    assert json.loads((partial / "manifest.json").read_text())["verdict"] == "interrupted"
    assert not (partial / "SHA256SUMS").exists()
    assert not (partial / ".lock").exists()
    with monkeypatch.context() as patch:
        patch.setattr("bendml_cli.evidence.record.Recorder._write_manifest", full)
        with pytest.raises(OutputError, match="No space"):
            run(tmp_path, FakeEngine(demo_judge), options(output))
    assert run(tmp_path, FakeEngine(demo_judge), options(output)) == 0
    assert verify(output).intact


def test_what_is_no_plain_file_in_a_package_is_passed_over(tmp_path: Path) -> None:
    package = make_project(tmp_path) / "bend/demo"
    (package / "folder.bend").mkdir()
    (package / "loop.bend").symlink_to("loop.bend")
    os.mkfifo(package / "pipe.bend")
    output = tmp_path / "evidence"
    assert run(tmp_path, FakeEngine(demo_judge), options(output)) == 0
    attested = json.loads((output / "attestation.json").read_text())
    assert [s["name"] for s in attested["subject"]] == ["bend/demo/main.bend", "bend/demo/tests/bad.bend"]


# A run whose second case hangs in a child process, told by the file `hanging`.
HANGING_RUN = """
import sys
from pathlib import Path
from bendml_cli.app import _finish
from bendml_cli.bend2.report import Report
from bendml_cli.engines.process import ProcessGroup
from tests.commands.test_check import options, run
from tests.fakes import FakeEngine, demo_judge

root = Path(sys.argv[1])
group = ProcessGroup()

class Hanging(FakeEngine):
    def stop(self) -> None:
        group.stop()

def judge(path: Path) -> Report:
    if path.name == "bad.bend":
        code = f"import os, time; open({str(root / 'hanging')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
        group.run([sys.executable, "-c", code], 600)
        raise RuntimeError("stopped")
    return demo_judge(path)

_finish(lambda: run(root, Hanging(judge), options(root / "evidence")))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_run_at_once_and_leaves_what_was_done(tmp_path: Path, number: signal.Signals) -> None:
    checkout = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", HANGING_RUN, str(tmp_path)],
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )
    hanging = tmp_path / "hanging"
    results = tmp_path / "evidence.partial/results.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (
        hanging.exists() and hanging.read_text() and results.exists() and "proofs" in results.read_text()
    ):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    child = psutil.Process(int(hanging.read_text()))
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert "stopped: what was done is in" in err
    assert not psutil.wait_procs([child], timeout=5)[1]
    assert not (tmp_path / "evidence").exists()
    assert json.loads((tmp_path / "evidence.partial/manifest.json").read_text())["verdict"] == "interrupted"
    # The next run, to the same folder, is not disturbed.
    assert run(tmp_path, FakeEngine(demo_judge), options(tmp_path / "evidence")) == 0
    assert verify(tmp_path / "evidence").intact
