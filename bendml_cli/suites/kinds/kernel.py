"""`kernel`: the file is judged again by the second kernel that comes with the pinned Bend toolchain."""

from __future__ import annotations

from typing import Literal

from bendml_cli.suites.case import Outcome, Place, Session, Status
from bendml_cli.suites.judging import from_base, refusal
from bendml_cli.suites.kinds.base import Check, Id


class KernelCheck(Check):
    """Skipped, with the reason, where no engine of the run has a second kernel; failed there under --require-bend."""

    kind: Literal["kernel"]
    id: Id = "kernel"

    def run(self, place: Place, session: Session) -> Outcome:
        lacking = []
        for engine in session.engines:
            if (lack := engine.lacks("kernel")) is None:
                judgement = from_base(engine.recheck(place.root / place.path(self.file)), place.root)
                report = judgement.report
                if report is None:
                    return Outcome(Status.ERROR, f"{engine.name}: {judgement.failure}", (judgement,))
                if not report.accepted:
                    return Outcome(Status.FAILED, f"{engine.name}: {refusal(report)}", (judgement,))
                return Outcome(Status.PASSED, f"the second kernel of {engine.name} agrees", (judgement,))
            lacking.append(f"{engine.name}: {lack}")
        why = session.without_bend or "; ".join(lacking) or "no engine of this run has it"
        reason = f"needs Bend's second kernel (BendTT): {why}"
        if session.require_bend:
            return Outcome(Status.FAILED, f"{reason} (--require-bend)")
        return Outcome(Status.SKIPPED, reason)
