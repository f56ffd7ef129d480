"""`proofs`: a file is accepted, nothing in it is left open, and its laws are the ones named."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bendml_cli.bend2.report import Report
from bendml_cli.suites.case import Outcome, Place, Session
from bendml_cli.suites.judging import judge, refusal
from bendml_cli.suites.kinds.base import Check, Id


class ProofsCheck(Check):
    """`laws` lists every law of the file: one more or one fewer fails the check."""

    kind: Literal["proofs"]
    id: Id = "proofs"
    laws: list[str] = Field(min_length=1)

    def run(self, place: Place, session: Session) -> Outcome:
        return judge(session, place.root, place.path(self.file), self._assess, _proved)

    def _assess(self, report: Report) -> list[str]:
        if not report.accepted:
            return [refusal(report)]
        problems = []
        if report.open_claims:
            problems.append(f"laws without a proof: {', '.join(report.open_claims)}")
        if missing := sorted(set(self.laws) - set(report.laws)):
            problems.append(f"laws that are gone: {', '.join(missing)}")
        if unlisted := sorted(set(report.laws) - set(self.laws)):
            problems.append(f"laws that the suite does not name: {', '.join(unlisted)}")
        return problems


def _proved(report: Report) -> str:
    laws, definitions = len(report.laws), len(report.definitions)
    return f"{laws} law{'s' * (laws != 1)} proved, {definitions} definition{'s' * (definitions != 1)}"
