"""`kernel`: the file is judged again by the second kernel that comes with the pinned Bend toolchain."""

from __future__ import annotations

from typing import Literal

from bendml_cli.suites.case import Outcome, Place, Session, Status
from bendml_cli.suites.judging import refusal
from bendml_cli.suites.kinds.base import Check, Id


class KernelCheck(Check):
    """Skipped, with the reason, where no engine of the run has a second kernel; failed there under --require-bend."""

    kind: Literal["kernel"]
    id: Id = "kernel"

    def run(self, place: Place, session: Session) -> Outcome:
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
