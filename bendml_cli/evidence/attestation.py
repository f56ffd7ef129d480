"""attestation.json: an in-toto Statement that says what the run found about which sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bendml_cli.digests import sha256_of
from bendml_cli.evidence.models import Digests, EngineFacts, ResultRecord, Statement, Subject, TestResult
from bendml_cli.suites.case import Status


def subjects(root: Path, files: Iterable[Path]) -> list[Subject]:
    """The digests of files under a root, in order of their names."""
    return [
        Subject(name=file.relative_to(root).as_posix(), digest=Digests(sha256=sha256_of(file)))
        for file in sorted(files)
    ]


def statement(about: list[Subject], engines: Sequence[EngineFacts], records: Sequence[ResultRecord]) -> Statement:
    """The statement about these sources. Its configuration names the engines whose code has a digest."""

    def named(*statuses: Status) -> list[str]:
        return sorted(f"{record.suite}/{record.id}" for record in records if record.status in statuses)

    failed, skipped = named(Status.FAILED, Status.ERROR), named(Status.SKIPPED)
    passed = named(Status.PASSED)
    return Statement(
        subject=about,
        predicate=TestResult(
            result="FAILED" if failed or not passed else "WARNED" if skipped else "PASSED",
            configuration=[
                Subject(name=f"{engine.name} {engine.version}", digest=Digests(sha256=engine.digest))
                for engine in engines
                if engine.digest
            ],
            passed_tests=passed,
            warned_tests=skipped,
            failed_tests=failed,
        ),
    )
