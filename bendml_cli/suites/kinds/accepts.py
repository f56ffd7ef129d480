"""`accepts`: a program that must check, with the normal form of its main where the suite gives one."""

from __future__ import annotations

from typing import Literal

from bendml_cli.bend2.report import Report
from bendml_cli.suites.case import Outcome, Place, Session
from bendml_cli.suites.judging import judge, refusal
from bendml_cli.suites.kinds.base import Check, InnerPath


class AcceptsCheck(Check):
    """`main` is the normal form that main must have, as it is printed."""

    kind: Literal["accepts"]
    file: InnerPath
    main: str | None = None

    def run(self, place: Place, session: Session) -> Outcome:
        path = place.path(self.file)
        return judge(session, place.root, path, self._assess, self._accepted, main=self.main is not None)

    def _assess(self, report: Report) -> list[str]:
        if not report.accepted:
            return [refusal(report)]
        if self.main is not None and report.main != self.main:
            return [f"main is {report.main}, not {self.main}"]
        return []

    def _accepted(self, report: Report) -> str:
        return "accepted" if self.main is None else f"accepted, main is {report.main}"
