"""From a case's result to its line in results.jsonl, and counting such lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bendml_cli.engines.engine import Judgement
from bendml_cli.evidence.models import Counts, EngineVerdict, ResultRecord
from bendml_cli.suites.case import CaseResult


def result_record(result: CaseResult) -> ResultRecord:
    """The line of a result. Processor time adds up over the engines asked; of memory the largest peak counts."""
    case, outcome = result.case, result.outcome
    verdicts = [_verdict(judgement) for judgement in outcome.judgements]
    cpu = [v.cpu_seconds for v in verdicts if v.cpu_seconds is not None]
    peaks = [v.peak_resident_bytes for v in verdicts if v.peak_resident_bytes is not None]
    return ResultRecord(
        suite=case.suite,
        id=case.id,
        kind=case.kind,
        status=outcome.status,
        engine="+".join(dict.fromkeys(v.engine for v in verdicts)) or None,
        seconds=round(result.seconds, 4),
        cpu_seconds=round(sum(cpu), 4) if cpu else None,
        peak_resident_bytes=max(peaks, default=None),
        detail=outcome.detail,
        verdicts=verdicts,
    )


def count(records: Iterable[ResultRecord]) -> Counts:
    """How many of the records have which status."""
    return Counts(**Counter(record.status.value for record in records))


def _verdict(judgement: Judgement) -> EngineVerdict:
    report, usage = judgement.report, judgement.usage
    return EngineVerdict(
        engine=judgement.engine,
        file=judgement.file.as_posix(),
        verdict=None if report is None else report.verdict,
        failure=judgement.failure,
        cached=report is not None and report.cached,
        seconds=round(usage.seconds, 4),
        cpu_seconds=_rounded(usage.cpu_seconds),
        user_seconds=_rounded(usage.user_seconds),
        system_seconds=_rounded(usage.system_seconds),
        peak_resident_bytes=usage.peak_resident_bytes,
    )


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
