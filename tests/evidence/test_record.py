"""Recording: what a sealed folder holds, and what an interrupted run leaves."""

from __future__ import annotations

import json
import stat
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from filelock import FileLock

from bendml_cli.engines.engine import Judgement, Usage
from bendml_cli.errors import OutputError
from bendml_cli.evidence.facts import host_facts
from bendml_cli.evidence.models import Digests, EngineFacts, Manifest, Subject
from bendml_cli.evidence.record import Recorder
from bendml_cli.suites.case import Case, CaseResult, Outcome, Status
from tests.fakes import accepted, refused


def manifest() -> Manifest:
    return Manifest(
        command=["bendml", "check"],
        bendml="0",
        git=None,
        suites=["s"],
        engine_choice="auto",
        engines=[EngineFacts(name="embedded", version="0", digest="0" * 64)],
        without_bend="bend is not installed",
        host=host_facts(),
        started=datetime.now(UTC),
        verdict="running",
    )


def recorder(output: Path) -> Recorder:
    return Recorder(output, manifest(), [Subject(name="bend/demo/main.bend", digest=Digests(sha256="1" * 64))])


def result(name: str, status: Status, *, keep: dict[str, str] | None = None) -> CaseResult:
    path = Path("bend/demo/main.bend")
    report = accepted(path) if status is Status.PASSED else refused(path, message="no\x00 <way>")
    judgement = Judgement("embedded", path, report, None, Usage(0.5, 0.25, 1000), "a warning")
    judgements = () if status is Status.SKIPPED else (judgement,)
    outcome = Outcome(status, f"detail of {name}\x00 <&>", judgements, keep or {})
    return CaseResult(Case("s", name, "proofs", lambda _: outcome), outcome, 0.75)


def sealed(output: Path, *statuses: Status) -> Path:
    """A sealed folder with one case per status."""
    record = recorder(output)
    for number, status in enumerate(statuses or (Status.PASSED, Status.FAILED, Status.ERROR, Status.SKIPPED)):
        record.add(result(f"case{number}", status, keep={"input.txt": "kept"}))
    record.seal()
    return output


def test_a_sealed_folder_holds_what_the_design_says(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "run")
    assert not (tmp_path / "run.partial").exists()
    written = json.loads((folder / "manifest.json").read_text())
    assert written["verdict"] == "failed"
    assert written["counts"] == {"passed": 1, "failed": 1, "error": 1, "skipped": 1}
    assert written["ended"] >= written["started"]
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert [line["status"] for line in lines] == ["passed", "failed", "error", "skipped"]
    assert lines[0]["engine"] == "embedded"
    assert lines[0]["verdicts"][0]["verdict"] == "ALL PROOFS CHECK"
    assert lines[3]["engine"] is None
    kept = folder / "suites/s/case0"
    assert (kept / "input.txt").read_text() == "kept\n"
    assert (kept / "embedded/stdout").read_text() == "ALL PROOFS CHECK  bend/demo/main.bend\n"
    assert (kept / "embedded/stderr").read_text() == "a warning\n"
    assert json.loads((kept / "embedded/report.json").read_text())["file"] == "bend/demo/main.bend"
    attested = json.loads((folder / "attestation.json").read_text())
    assert attested["_type"] == "https://in-toto.io/Statement/v1"
    assert attested["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert attested["subject"] == [{"name": "bend/demo/main.bend", "digest": {"sha256": "1" * 64}}]
    assert attested["predicate"]["result"] == "FAILED"
    assert attested["predicate"]["passedTests"] == ["s/case0"]
    assert attested["predicate"]["failedTests"] == ["s/case1", "s/case2"]
    assert attested["predicate"]["warnedTests"] == ["s/case3"]
    junit = Xml.parse(folder / "junit.xml").getroot()
    assert {key: junit.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }


def test_every_file_is_read_only_and_sha256sum_agrees(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "run")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o444}
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": OK") == len(files) - 1


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ([Status.PASSED, Status.SKIPPED], "passed"),
        ([Status.SKIPPED], "failed"),
        ([Status.PASSED, Status.ERROR], "failed"),
    ],
)
def test_the_verdict(tmp_path: Path, statuses: list[Status], verdict: str) -> None:
    folder = sealed(tmp_path / "run", *statuses)
    assert json.loads((folder / "manifest.json").read_text())["verdict"] == verdict


def test_an_output_that_exists_is_refused(tmp_path: Path) -> None:
    for output in (tmp_path / "folder", tmp_path / "file", tmp_path / "link"):
        if output.name == "folder":
            output.mkdir()
        elif output.name == "file":
            output.write_text("mine")
        else:
            output.symlink_to("nowhere")
        with pytest.raises(OutputError, match="exists"):
            recorder(output)


def test_an_output_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="cannot be written"):
        recorder(tmp_path / "file" / "run")


def test_an_abandoned_run_keeps_what_was_done_and_does_not_disturb_the_next(tmp_path: Path) -> None:
    first = recorder(tmp_path / "run")
    first.add(result("case0", Status.PASSED))
    first.abandon()
    partial = tmp_path / "run.partial"
    assert json.loads((partial / "manifest.json").read_text())["verdict"] == "interrupted"
    assert json.loads((partial / "manifest.json").read_text())["counts"]["passed"] == 1
    assert not (tmp_path / "run").exists()
    sealed(tmp_path / "run")
    assert (tmp_path / "run").is_dir()
    assert not partial.exists()
    assert (tmp_path / "run.partial.1/results.jsonl").read_text().count("\n") == 1


def test_a_folder_left_by_a_crash_is_moved_aside(tmp_path: Path) -> None:
    (tmp_path / "run.partial").mkdir()
    (tmp_path / "run.partial/results.jsonl").write_text("{}\n")
    (tmp_path / "run.partial.1").mkdir()
    sealed(tmp_path / "run")
    assert (tmp_path / "run.partial.2/results.jsonl").read_text() == "{}\n"


def test_a_folder_that_another_run_is_writing_is_left_alone(tmp_path: Path) -> None:
    partial = tmp_path / "run.partial"
    partial.mkdir()
    with FileLock(partial / ".lock"), pytest.raises(OutputError, match="another run is writing"):
        recorder(tmp_path / "run")
    assert partial.is_dir()
