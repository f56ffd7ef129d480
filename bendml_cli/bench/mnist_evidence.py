"""What a benchmark of MNIST leaves: each thing that was wanted as a case with its result, and the runs behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bendml_cli.bench.contest import Side
from bendml_cli.bench.mnist import (
    ARRAYS,
    ARRAYS_BYTES,
    EPOCH_BATCHES,
    LIST_BATCHES,
    LIST_SECONDS,
    LISTS,
    PYTORCH,
    MnistBench,
    Run,
)
from bendml_cli.engines.embedded import NAME as EMBEDDED
from bendml_cli.engines.engine import Judgement, Usage
from bendml_cli.suites.case import Case, CaseResult, Outcome, Status

SUITE = "bench-mnist"
_FILES = {ARRAYS: Path("bend/mnist/arrays.bend"), LISTS: Path("bend/mnist/lists.bend")}
_FOLDERS = {PYTORCH: "pytorch", ARRAYS: EMBEDDED, LISTS: f"{EMBEDDED}-lists"}


def results(bench: MnistBench) -> list[CaseResult]:
    """The cases, all judged: do losses and hits agree, and are the time and the memory those that are wanted?"""
    arrays, lists = bench.contest.sides
    cases = {
        "agreement": _agreement(bench),
        "epoch": _speed(bench, arrays),
        "lists": _lists(bench, lists),
        "memory": _memory(bench),
    }
    return [_result(name, outcome) for name, outcome in cases.items()]


def _result(name: str, outcome: Outcome) -> CaseResult:
    seconds = sum(judgement.usage.seconds for judgement in outcome.judgements)
    return CaseResult(Case(SUITE, name, "bench", lambda session: outcome), outcome, seconds)


def _agreement(bench: MnistBench) -> Outcome:
    problems = bench.disagreements()
    keep = dict(_outputs(bench.runs))
    keep["weights.sha256"] = "".join(f"{sha}  {name}\n" for name, sha in sorted(bench.weights.items()))
    if problems:
        return Outcome(Status.FAILED, "; ".join(problems), _judgements(bench, ARRAYS, LISTS), keep)
    ours, theirs = (bench.runs[name][0].log.epochs[-1] for name in (ARRAYS, PYTORCH))
    detail = f"loss {ours.loss}, {PYTORCH}'s {theirs.loss}; {ours.hits} hits, {PYTORCH}'s {theirs.hits}"
    return Outcome(Status.PASSED, detail, _judgements(bench, ARRAYS, LISTS), keep)


def _speed(bench: MnistBench, side: Side) -> Outcome:
    ratio = bench.contest.ratio(side)
    times = f"{side.median:.3f} s an epoch, {PYTORCH} {bench.contest.peer.median:.3f} s: {1 / ratio:.2f} times its time"
    judgements = _judgements(bench, ARRAYS)
    if side.required is None:
        return Outcome(Status.SKIPPED, f"{times}; what is required is for one thread", judgements)
    status = Status.PASSED if ratio >= side.required else Status.FAILED
    return Outcome(status, f"{times}, at most {1 / side.required:.2f} required", judgements)


def _lists(bench: MnistBench, side: Side) -> Outcome:
    seconds = side.median * LIST_BATCHES / EPOCH_BATCHES
    status = Status.PASSED if seconds <= LIST_SECONDS else Status.FAILED
    detail = f"{seconds:.2f} s for {LIST_BATCHES} batches, at most {LIST_SECONDS:g} s required"
    return Outcome(status, detail, _judgements(bench, LISTS))


def _memory(bench: MnistBench) -> Outcome:
    peak = bench.peak(ARRAYS)
    if peak is None:
        return Outcome(Status.SKIPPED, "this platform does not say how much memory a process had")
    status = Status.PASSED if peak < ARRAYS_BYTES else Status.FAILED
    theirs = bench.peak(PYTORCH)
    beside = f"; {PYTORCH} {theirs / 1e6:.0f} MB" if theirs is not None else ""
    return Outcome(status, f"{peak / 1e6:.0f} MB resident at most, {ARRAYS_BYTES / 1e6:.0f} MB allowed{beside}")


def _outputs(runs: Mapping[str, Sequence[Run]]) -> Iterator[tuple[str, str]]:
    """What each run printed, with what its process cost, by file name."""
    for name, done in runs.items():
        for number, run in enumerate(done, start=1):
            usage = run.usage
            yield (
                f"{_FOLDERS[name]}/run-{number}",
                f"{run.output}seconds {usage.seconds:.3f} cpu {usage.cpu_seconds} peak {usage.peak_resident_bytes}\n",
            )


def _judgements(bench: MnistBench, *names: str) -> tuple[Judgement, ...]:
    """What the runs of some sides cost: no verdicts on their files."""
    return tuple(Judgement(EMBEDDED, _FILES[name], None, None, _cost(bench.runs[name])) for name in names)


def _cost(runs: Sequence[Run]) -> Usage:
    usages = [run.usage for run in runs]
    return Usage(
        seconds=sum(usage.seconds for usage in usages),
        cpu_seconds=sum(usage.cpu_seconds or 0.0 for usage in usages),
        peak_resident_bytes=max((usage.peak_resident_bytes or 0 for usage in usages), default=0) or None,
    )
