"""`rejects`: a program that must be refused, and for the reason given."""

from __future__ import annotations

from typing import Literal

from bendml_cli.bend2.report import Report
from bendml_cli.suites.case import Outcome, Place, Session
from bendml_cli.suites.judging import judge, refusal
from bendml_cli.suites.kinds.base import Check, InnerPath


class RejectsCheck(Check):
    """`category` is one of those of tests/conformance; the other fields are compared where they are given."""

    kind: Literal["rejects"]
    file: InnerPath
    category: str
    expected: str | None = None
    observed: str | None = None
    definition: str | None = None
    variable: str | None = None
    line: int | None = None

    def run(self, place: Place, session: Session) -> Outcome:
        return judge(session, place.root, place.path(self.file), self._assess, self._refused)

    def _assess(self, report: Report) -> list[str]:
        if report.accepted:
            return ["accepted, and should be refused"]
        error = report.error
        if error is None:
            return [f"refused for another reason: {refusal(report)}"]
        problems = []
        for name in ("category", "expected", "observed", "definition", "variable", "line"):
            wanted, seen = getattr(self, name), getattr(error, name)
            if wanted is not None and seen != wanted:
                problems.append(f"{name} is {seen}, not {wanted}")
        return problems and [*problems, refusal(report)]

    def _refused(self, report: Report) -> str:
        if self.expected and self.observed:
            return f"refused: expected {self.expected}, observed {self.observed}"
        return f"refused: {self.category}"
