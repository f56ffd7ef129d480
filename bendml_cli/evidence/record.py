"""Recording a run in `NAME.partial`, and sealing it as `NAME`."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel

from bendml_cli.diagnostics import report_text
from bendml_cli.digests import sha256_of
from bendml_cli.errors import OutputError
from bendml_cli.evidence.attestation import statement
from bendml_cli.evidence.junit import junit_xml
from bendml_cli.evidence.models import Manifest, ResultRecord, Subject
from bendml_cli.evidence.results import count, result_record
from bendml_cli.suites.case import CaseResult, Outcome

SUMS = "SHA256SUMS"
SEALED_MODE = 0o444
_LOCK = ".lock"


class Recorder:
    """Writes a run's evidence as it happens. Every method may raise OSError when the disk does not take it."""

    def __init__(self, output: Path, manifest: Manifest, about: list[Subject]) -> None:
        """Begin in a new `OUTPUT.partial`. A partial folder that a run left behind is moved out of the way.

        Raises OutputError when OUTPUT exists, or another run is writing it, or it cannot be made.
        """
        self.output = output
        self.partial = partial_folder(output)
        self.records: list[ResultRecord] = []
        self._manifest = manifest
        self._about = about
        self._lock = FileLock(self.partial / _LOCK)
        try:
            if output.exists() or output.is_symlink():
                raise OutputError(f"{output} exists", "evidence is never overwritten: name another folder")
            output.parent.mkdir(parents=True, exist_ok=True)
            _move_aside(self.partial)
            self.partial.mkdir()
            self._lock.acquire(timeout=0)
            self._write_manifest()
            self._results = (self.partial / "results.jsonl").open("w", encoding="utf-8")
        except Timeout:
            raise _taken(self.partial) from None
        except OSError as error:
            raise OutputError(f"{self.partial} cannot be written: {error.strerror}", "name another folder") from error

    def add(self, result: CaseResult) -> ResultRecord:
        """Record a case's result, and what it left to keep."""
        record = result_record(result)
        self._results.write(record.model_dump_json() + "\n")
        self._results.flush()
        self._keep(self.partial / "suites" / record.suite / record.id, result.outcome)
        self.records.append(record)
        return record

    def attach(self, name: str, data: bytes) -> None:
        """Add a file that is of no case."""
        (self.partial / name).write_bytes(data)

    def seal(self) -> Manifest:
        """Finish: write the remaining files, make all of them read-only, and give the folder its name.

        Raises OutputError when OUTPUT has come to exist meanwhile.
        """
        self._end(count(self.records).verdict)
        (self.partial / "junit.xml").write_bytes(junit_xml(self.records))
        _write_json(self.partial / "attestation.json", statement(self._about, self._manifest.engines, self.records))
        self._release()
        files = sorted(path for path in self.partial.rglob("*") if path.is_file())
        lines = [f"{sha256_of(path)}  {path.relative_to(self.partial).as_posix()}\n" for path in files]
        sums = self.partial / SUMS
        sums.write_text("".join(lines), encoding="utf-8")
        for path in (*files, sums):
            path.chmod(SEALED_MODE)
        if self.output.exists():
            raise OutputError(f"{self.output} was made by another run", f"this run's evidence is in {self.partial}")
        self.partial.rename(self.output)
        return self._manifest

    def abandon(self) -> None:
        """Leave the partial folder as it is, not sealed, and marked as interrupted."""
        try:
            (self.partial / SUMS).unlink(missing_ok=True)
            self._end("interrupted")
        finally:
            self._release()

    def _end(self, verdict: str) -> None:
        self._results.close()
        ended = datetime.now(UTC)
        self._manifest = self._manifest.model_copy(
            update={
                "ended": ended,
                "seconds": round((ended - self._manifest.started).total_seconds(), 3),
                "counts": count(self.records),
                "verdict": verdict,
            }
        )
        self._write_manifest()

    def _release(self) -> None:
        self._lock.release()
        (self.partial / _LOCK).unlink(missing_ok=True)

    def _write_manifest(self) -> None:
        _write_json(self.partial / "manifest.json", self._manifest)

    def _keep(self, folder: Path, outcome: Outcome) -> None:
        texts = dict(outcome.keep)
        for judgement in outcome.judgements:
            if judgement.report is not None:
                texts[f"{judgement.engine}/stdout"] = report_text(judgement.report)
                texts[f"{judgement.engine}/report.json"] = json.dumps(asdict(judgement.report), default=str, indent=2)
            if judgement.output:
                texts[f"{judgement.engine}/stderr"] = judgement.output
            if judgement.transcript:
                texts[f"{judgement.engine}/transcript"] = judgement.transcript
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", errors="replace")


def partial_folder(output: Path) -> Path:
    """Where a run with this output writes until it is sealed. Raises OutputError for `/` and the current folder."""
    if not output.name:
        raise OutputError(f"{output} exists", "evidence is never overwritten: name another folder")
    return output.with_name(output.name + ".partial")


def _move_aside(partial: Path) -> None:
    if not partial.exists():
        return
    lock = FileLock(partial / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise _taken(partial) from None
    number = 1
    while (aside := partial.with_name(f"{partial.name}.{number}")).exists():
        number += 1
    partial.rename(aside)
    lock.release()
    (aside / _LOCK).unlink(missing_ok=True)


def _taken(partial: Path) -> OutputError:
    return OutputError(f"another run is writing {partial}", "wait for it, or name another folder")


def _write_json(path: Path, value: BaseModel) -> None:
    # In one step, so that an interruption leaves the old text or the new one.
    fresh = path.with_suffix(".new")
    fresh.write_text(value.model_dump_json(indent=2, by_alias=True) + "\n", encoding="utf-8")
    fresh.replace(path)
