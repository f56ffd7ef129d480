"""`kernel`: the file is judged again by the second kernel that comes with the pinned Bend toolchain."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

from bendml_cli.suites.case import Case, Outcome, Place, Session, Status
from bendml_cli.suites.judging import refusal
from bendml_cli.suites.kinds.base import Check, Id, InnerPath


class KernelCheck(Check):
    """Skipped, with the reason, where no engine of the run has a second kernel; failed there under --require-bend."""

    kind: Literal["kernel"]
    id: Id = "kernel"
    file: InnerPath = "main.bend"

    def files(self) -> Iterator[tuple[str, str]]:
        yield "file", self.file

    def cases(self, suite: str, place: Place) -> Iterator[Case]:
        yield Case(suite, self.id, self.kind, partial(self._run, place))

    def _run(self, place: Place, session: Session) -> Outcome:
        for engine in session.engines:
            if engine.lacks("kernel") is None:
                judgement = engine.recheck(place.root / place.path(self.file))
                report = judgement.report
                if report is None:
                    return Outcome(Status.ERROR, f"{engine.name}: {judgement.failure}", (judgement,))
                if not report.accepted:
                    return Outcome(Status.FAILED, f"{engine.name}: {refusal(report)}", (judgement,))
                return Outcome(Status.PASSED, f"the second kernel of {engine.name} agrees", (judgement,))
        reason = f"needs Bend's second kernel (BendTT): {session.without_bend or 'no engine of this run has it'}"
        if session.require_bend:
            return Outcome(Status.FAILED, f"{reason} (--require-bend)")
        return Outcome(Status.SKIPPED, reason)
