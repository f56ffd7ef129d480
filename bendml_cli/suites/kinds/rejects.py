"""`rejects`: a program that must be refused, and for the reason given."""

from __future__ import annotations

from typing import Literal

from bendml_cli.bend2.report import Report
from bendml_cli.engines.bend_output import UNNAMED
from bendml_cli.suites.case import Outcome, Place, Session
from bendml_cli.suites.judging import judge, refusal
from bendml_cli.suites.kinds.base import Check, InnerPath

_FIELDS = ("category", "expected", "observed", "definition", "variable", "line")


class RejectsCheck(Check):
    """`category` is one of those of tests/conformance; the other fields are compared where they are given.

    A field that Bend's words do not tell is not compared; if none can be, the check is skipped.
    """

    kind: Literal["rejects"]
    file: InnerPath
    category: str
    expected: str | None = None
    observed: str | None = None
    definition: str | None = None
    variable: str | None = None
    line: int | None = None

    def run(self, place: Place, session: Session) -> Outcome:
        path = place.path(self.file)
        return judge(session, place.root, path, self._assess, self._refused, untold=self._untold)

    def _assess(self, report: Report) -> list[str]:
        if report.accepted:
            return ["accepted, and should be refused"]
        error = report.error
        if error is None:
            return [f"refused for another reason: {refusal(report)}"]
        problems = []
        for name in self._wanted():
            wanted, seen = getattr(self, name), getattr(error, name)
            if seen != wanted and _tells(report, name):
                problems.append(f"{name} is {seen}, not {wanted}")
        return problems and [*problems, refusal(report)]

    def _wanted(self) -> list[str]:
        return [name for name in _FIELDS if getattr(self, name) is not None]

    def _untold(self, report: Report) -> str:
        if any(_tells(report, name) for name in self._wanted()):
            return ""
        return f"refused, as it should be, but its words do not tell: {', '.join(self._wanted())}"

    def _refused(self, report: Report) -> str:
        silent = [name for name in self._wanted() if not _tells(report, name)]
        note = f" (its words do not tell: {', '.join(silent)})" if silent else ""
        if self.expected and self.observed:
            return f"refused: expected {self.expected}, observed {self.observed}{note}"
        return f"refused: {self.category}{note}"


def _tells(report: Report, name: str) -> bool:
    """Does the report say anything about this field? Of the types, Bend is known to say them where there are any."""
    if not report.from_words or report.error is None or name in ("expected", "observed"):
        return True
    return getattr(report.error, name) not in (None, UNNAMED)
