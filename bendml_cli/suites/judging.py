"""Asking the engines about a file, and turning their answers into an outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import bendml_cli
from bendml_cli.bend2.report import Report
from bendml_cli.diagnostics import report_text
from bendml_cli.engines.engine import Judgement
from bendml_cli.suites.case import Outcome, Session, Status

_INSTALLED = Path(bendml_cli.__file__).resolve().parent.parent

Assess = Callable[[Report], list[str]]
"""What is wrong with a report, one line each; empty when the check passes."""


def refusal(report: Report) -> str:
    """A refused file in one line: the first error, or the code that it cannot trust, or what is left open."""
    error = report.error
    if error is None:
        if report.unsafe:
            return f"relies on unsafe or foreign code: {', '.join(report.unsafe)}"
        if report.todos or report.open_claims:
            return f"{report.todos} TODO(s), open claims: {', '.join(report.open_claims) or 'none'}"
        return report.verdict
    where = f"{error.file}:{error.line}" if error.line is not None else error.file
    what = f"{error.category} in {error.definition}" if error.definition else error.category
    seen = f", expected {error.expected}, observed {error.observed}" if error.expected and error.observed else ""
    return f"{where}: {what}{seen}: {error.message}" if not seen else f"{where}: {what}{seen}"


def judge(
    session: Session,
    base: Path,
    file: Path,
    assess: Assess,
    passed: Callable[[Report], str],
    *,
    untold: Callable[[Report], str] = lambda _: "",
    main: bool = False,
    keep: Mapping[str, str] | None = None,
) -> Outcome:
    """Ask every engine about the file at `base / file`.

    Passes when every engine answers, each answer is assessed as right, and all give one verdict. When they give two,
    both reports are in what is kept. `untold` says why a right answer does not tell what the check is about, or
    nothing; a check that no answer tells about is skipped with that reason. Paths in the answers that lie under
    `base` are written from there.
    """
    judgements = tuple(from_base(engine.check(base / file, main=main), base) for engine in session.engines)
    failures = [f"{j.engine}: {j.failure}" for j in judgements if j.report is None]
    reports = [(j.engine, j.report) for j in judgements if j.report is not None]
    problems = [f"{name}: {problem}" for name, report in reports for problem in assess(report)]
    kept = dict(keep or {})
    if len({report.verdict for _, report in reports}) > 1:
        problems.append("the engines disagree: " + ", ".join(f"{name}: {_told(report)}" for name, report in reports))
        kept["disagreement.txt"] = "\n".join(f"[{name}]\n{report_text(report)}" for name, report in reports)
    if problems:
        status, detail = Status.FAILED, "; ".join(problems + failures)
    elif failures:
        status, detail = Status.ERROR, "; ".join(failures)
    else:
        telling = [report for _, report in reports if not untold(report)]
        if telling:
            status, detail = Status.PASSED, passed(telling[0])
        else:
            status, detail = Status.SKIPPED, "; ".join(f"{name}: {untold(report)}" for name, report in reports)
    return Outcome(status, detail, judgements, kept)


def _told(report: Report) -> str:
    return report.verdict if report.accepted else f"{report.verdict} ({refusal(report)})"


def from_base(judgement: Judgement, base: Path) -> Judgement:
    """The judgement with the paths of this machine taken out: files are named from `base`, those of bendml itself
    from the folder around its package."""

    def shorten(path: Path) -> Path:
        for root in (base, _INSTALLED):
            if path.is_relative_to(root):
                return path.relative_to(root)
        return path

    report = judgement.report
    if report is not None:
        error = report.error
        if error is not None:
            error = replace(error, file=str(shorten(Path(error.file))))
        files = [shorten(path) for path in report.files]
        report = replace(report, file=shorten(report.file), files=files, error=error)
    return replace(judgement, file=shorten(judgement.file), report=report)
