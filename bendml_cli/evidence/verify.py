"""Verifying sealed evidence: every byte, every permission, and that its files tell one story."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from xml.etree import ElementTree as Xml

from pydantic import BaseModel, ValidationError

from bendml_cli.digests import sha256_of
from bendml_cli.errors import NotEvidence
from bendml_cli.evidence.attestation import statement
from bendml_cli.evidence.junit import cases_of, junit_xml
from bendml_cli.evidence.models import Manifest, ResultRecord, Statement
from bendml_cli.evidence.record import SEALED_MODE, SUMS
from bendml_cli.evidence.results import count

_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^\n\\]+)")
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """Something about a file that is not as it was sealed, or does not agree with the other files."""

    file: str
    what: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found. `seal` is the digest of SHA256SUMS: whoever published it has vouched for everything."""

    differences: list[Difference]
    manifest: Manifest | None
    files: int
    seal: str | None

    @property
    def intact(self) -> bool:
        return not self.differences


def verify(folder: Path) -> Verification:
    """Compare a sealed evidence folder with its own record.

    Raises NotEvidence when the folder is none, or was never sealed.
    """
    if not folder.is_dir():
        raise NotEvidence(f"{folder} is no folder", "name a folder that `bendml check --output` has written")
    sums = folder / SUMS
    if not sums.is_file():
        interrupted = ".partial" in folder.name
        raise NotEvidence(
            f"{folder} is not sealed: it has no {SUMS}",
            "its run was interrupted: run the check again" if interrupted else "name the folder of a finished run",
        )
    differences: list[Difference] = []
    try:
        recorded = _read_sums(sums, differences)
    except OSError as error:
        raise NotEvidence(f"{sums} cannot be read: {error.strerror}") from error
    present = _walk(folder, differences)
    for name in recorded.keys() - present:
        if not any(difference.file == name for difference in differences):
            differences.append(Difference(name, "is gone"))
    added = present - recorded.keys() - {SUMS}
    differences += [Difference(name, f"was added: {SUMS} does not know it") for name in added]
    for name in present & recorded.keys():
        try:
            if sha256_of(folder / name) != recorded[name]:
                differences.append(Difference(name, f"was changed: its SHA-256 is not the one in {SUMS}"))
        except OSError as error:
            differences.append(Difference(name, f"cannot be read: {error.strerror}"))
    manifest = _contents(folder, present, differences)
    seal = sha256_of(sums) if SUMS in present else None
    return Verification(sorted(set(differences)), manifest, len(present), seal)


def _read_sums(path: Path, differences: list[Difference]) -> dict[str, str]:
    recorded: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            differences.append(Difference(SUMS, f"line {number} is no digest and name"))
        elif match["name"] in recorded:
            differences.append(Difference(SUMS, f"line {number} names {match['name']} again"))
        else:
            recorded[match["name"]] = match["digest"]
    return recorded


def _walk(folder: Path, differences: list[Difference]) -> set[str]:
    """The regular files below a folder, by relative name; links and other things, and wrong modes, are differences."""
    files: set[str] = set()
    pending = [folder]
    while pending:
        parent = pending.pop()
        try:
            inside = list(parent.iterdir())
        except OSError as error:
            differences.append(Difference(_name(parent, folder), f"cannot be read: {error.strerror}"))
            continue
        if not inside:
            differences.append(Difference(_name(parent, folder), "is an empty folder"))
        for path in inside:
            name = _name(path, folder)
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                differences.append(Difference(name, "is a symbolic link"))
            elif stat.S_ISREG(mode):
                files.add(name)
                if stat.S_IMODE(mode) != SEALED_MODE:
                    modes = f"has mode {stat.S_IMODE(mode):04o}, was sealed {SEALED_MODE:04o}"
                    differences.append(Difference(name, modes))
            elif stat.S_ISDIR(mode):
                pending.append(path)
            else:
                differences.append(Difference(name, "is no plain file"))
    return files


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _contents(folder: Path, present: set[str], differences: list[Difference]) -> Manifest | None:
    """Read manifest, results, attestation and junit.xml by their schemas, and compare what they say."""
    for name in ("manifest.json", "results.jsonl", "attestation.json", "junit.xml"):
        if name not in present and not any(difference.file == name for difference in differences):
            differences.append(Difference(name, "is missing"))
    manifest = _parse(Manifest, folder, "manifest.json", present, differences)
    attestation = _parse(Statement, folder, "attestation.json", present, differences)
    records = _parse_results(folder, present, differences)
    if records is None:
        return manifest
    counts = count(records)
    differences += _compare_reports(folder, present, records)
    if manifest is not None:
        if manifest.counts != counts:
            differences.append(Difference("manifest.json", "its counts are not those of results.jsonl"))
        if manifest.verdict != counts.verdict:
            differences.append(
                Difference("manifest.json", f"its verdict is '{manifest.verdict}', the results say '{counts.verdict}'")
            )
        differences += _compare_manifest(manifest, records)
    if attestation is not None and manifest is not None:
        expected = statement(attestation.subject, manifest.engines, records)
        if expected != attestation:
            differences.append(Difference("attestation.json", "does not say what manifest.json and results.jsonl say"))
    if "junit.xml" in present:
        differences += _compare_junit(folder / "junit.xml", records)
    return manifest


def _compare_manifest(manifest: Manifest, records: list[ResultRecord]) -> Iterator[Difference]:
    """What a manifest says of the suites, the engines and the time, and the results do not."""
    name = "manifest.json"
    if set(manifest.suites) != {record.suite for record in records}:
        yield Difference(name, "its suites are not those of results.jsonl")
    if not {verdict.engine for record in records for verdict in record.verdicts} <= {e.name for e in manifest.engines}:
        yield Difference(name, "its engines are not those of results.jsonl")
    if manifest.ended is None or manifest.ended < manifest.started:
        yield Difference(name, "the run does not end after it began")


def _compare_reports(folder: Path, present: set[str], records: list[ResultRecord]) -> Iterator[Difference]:
    """The engines' reports that do not give the verdicts of results.jsonl, and files that are of none of its checks."""
    checks = tuple(f"suites/{record.suite}/{record.id}/" for record in records)
    for name in present:
        if name.startswith("suites/") and not name.startswith(checks):
            yield Difference(name, "is of no check in results.jsonl")
    for record in records:
        for verdict in record.verdicts:
            if verdict.verdict is None:
                continue
            name = f"suites/{record.suite}/{record.id}/{verdict.engine}/report.json"
            if name not in present:
                yield Difference(name, "is gone")
                continue
            try:
                report = json.loads((folder / name).read_bytes())
            except (OSError, ValueError, RecursionError):
                report = None
            if not isinstance(report, dict) or report.get("verdict") != verdict.verdict:
                yield Difference(name, f"does not say '{verdict.verdict}', as results.jsonl does")


def _parse(
    model: type[_Model], folder: Path, name: str, present: set[str], differences: list[Difference]
) -> _Model | None:
    if name not in present:
        return None
    try:
        return model.model_validate_json((folder / name).read_bytes())
    except (OSError, ValidationError) as error:
        differences.append(Difference(name, f"is not valid: {_first_problem(error)}"))
        return None


def _parse_results(folder: Path, present: set[str], differences: list[Difference]) -> list[ResultRecord] | None:
    name = "results.jsonl"
    if name not in present:
        return None
    records = []
    for number, line in enumerate((folder / name).read_bytes().splitlines(), start=1):
        try:
            records.append(ResultRecord.model_validate_json(line))
        except ValidationError as error:
            differences.append(Difference(name, f"line {number} is not valid: {_first_problem(error)}"))
            return None
    return records


def _compare_junit(path: Path, records: list[ResultRecord]) -> list[Difference]:
    try:
        seen = cases_of(Xml.fromstring(path.read_bytes()))
    except (OSError, Xml.ParseError) as error:
        return [Difference("junit.xml", f"is not valid: {error}")]
    if seen == cases_of(Xml.fromstring(junit_xml(records))):
        return []
    return [Difference("junit.xml", "its results are not those of results.jsonl")]


def _first_problem(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
