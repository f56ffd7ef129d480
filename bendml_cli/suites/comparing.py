"""Asking a program about many cases at once, comparing its answers, and shrinking a case that differs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic_core import to_json

from bendml_cli.errors import ReferenceUnavailable
from bendml_cli.reference.model import Case, Output, Reference
from bendml_cli.reference.pytorch import pytorch
from bendml_cli.suites.case import Status
from bendml_cli.suites.differences import Comparison, Difference, Tolerance, compare_answer
from bendml_cli.suites.programs import Found, Program, skipped

_SHRINKING_SECONDS = 60.0
_NUMBERS_AT_ONCE = 50_000
"""So many numbers are about what a program is given at once while a case is shrunk: it holds them all in memory."""


@dataclass(frozen=True, slots=True)
class Differing:
    """A case that the program does not answer as the reference does."""

    index: int
    case: Case
    expected: tuple[Output, ...]
    answer: str
    problem: str

    def text(self) -> str:
        """The case for people, and as the line that the program reads."""
        operands = [{"shape": each.shape, "numbers": each.numbers} for each in self.case.operands]
        return _json(
            {
                "operation": self.case.word,
                "dims": self.case.dims,
                "operands": operands,
                "expected": [asdict(each) for each in self.expected],
                "answer": self.answer,
                "problem": self.problem,
                "line": self.case.line(),
            }
        )


@dataclass(frozen=True, slots=True)
class _Answers:
    """How the cases of one run compared: each that was answered, and the first that differs."""

    comparisons: tuple[Comparison, ...]
    differing: Differing | None


def compare_cases(
    program: Program,
    reference: Reference,
    cases: Sequence[Case],
    tolerance: Tolerance,
    *,
    arguments: Sequence[str] = (),
    drawn: Mapping[str, object] | None = None,
) -> Found:
    """Compare a program's answers to cases with a reference's. `arguments` stand before the file of cases.

    Of a difference, the case is kept; if the cases were drawn (`drawn` says how), also the simplest case that still
    differs. Skipped, with the reason, when the reference cannot be had.
    """
    try:
        answers = _ask(program, arguments, reference, cases, tolerance)
        shrunk = answers.differing
        if drawn is not None and shrunk is not None:
            shrunk = _shrink(program, arguments, reference, shrunk, tolerance)
    except ReferenceUnavailable as error:
        return skipped(error)
    keep = {"differences.json": _summary(reference, cases, answers, tolerance, drawn)}
    differing = answers.differing
    if differing is None:
        return Found(Status.PASSED, _passed(answers.comparisons), keep)
    keep["differing-case.json"] = differing.text()
    detail = f"case {differing.index}, {_dims(differing.case)}: {differing.problem}"
    if shrunk is not None and shrunk.case != differing.case:
        keep["shrunk-case.json"] = shrunk.text()
        detail = f"{_dims(shrunk.case)}: {shrunk.problem} (shrunk from case {differing.index})"
    return Found(Status.FAILED, detail, keep)


def _ask(
    program: Program, arguments: Sequence[str], reference: Reference, cases: Sequence[Case], tolerance: Tolerance
) -> _Answers:
    """Run the program on all cases, and where it does not get through them, on one at a time."""
    expected = [reference.expected(case) for case in cases]
    ran = program.run_on("".join(case.line() + "\n" for case in cases), *arguments)
    lines = ran.stdout.splitlines()
    if ran.failure is not None or len(lines) != len(cases):
        problem = ran.failure or f"{len(lines)} answers to {len(cases)} cases"
        if len(cases) > 1:
            for index, case in enumerate(cases):
                alone = _ask(program, arguments, reference, [case], tolerance).differing
                if alone is not None:
                    return _Answers((), Differing(index, case, alone.expected, alone.answer, alone.problem))
        said = f"{problem} (on standard error: {ran.stderr.strip()[:200]})" if ran.stderr.strip() else problem
        return _Answers((), Differing(0, cases[0], expected[0], ran.stdout, said))
    compared = [compare_answer(line, wanted, tolerance) for line, wanted in zip(lines, expected, strict=True)]
    for index, comparison in enumerate(compared):
        if comparison.problem is not None:
            first = Differing(index, cases[index], expected[index], lines[index], comparison.problem)
            return _Answers(tuple(compared), first)
    return _Answers(tuple(compared), None)


def _shrink(
    program: Program, arguments: Sequence[str], reference: Reference, differing: Differing, tolerance: Tolerance
) -> Differing:
    """The simplest case that still differs, as far as a minute of looking goes."""
    ends = time.monotonic() + _SHRINKING_SECONDS
    batches = _batches(reference.simpler(differing.case))
    while time.monotonic() < ends and (candidates := next(batches, None)) is not None:
        simpler = _ask(program, arguments, reference, candidates, tolerance).differing
        if simpler is not None:
            differing = simpler
            batches = _batches(reference.simpler(differing.case))
    return differing


def _batches(cases: Iterable[Case]) -> Iterator[list[Case]]:
    batch: list[Case] = []
    numbers = 0
    for case in cases:
        batch.append(case)
        numbers += sum(len(operand.numbers) for operand in case.operands)
        if numbers >= _NUMBERS_AT_ONCE:
            yield batch
            batch, numbers = [], 0
    if batch:
        yield batch


def _worst(comparisons: Sequence[Comparison]) -> tuple[int, Difference] | None:
    found = [(index, each.worst) for index, each in enumerate(comparisons) if each.worst is not None]
    return max(found, key=lambda pair: (not pair[1].allowed, pair[1].relative), default=None)


def _passed(comparisons: Sequence[Comparison]) -> str:
    numbers, identical = sum(each.numbers for each in comparisons), sum(each.identical for each in comparisons)
    counted = f"{len(comparisons)} case{'s' * (len(comparisons) != 1)}, {numbers} number{'s' * (numbers != 1)}"
    worst = _worst(comparisons)
    if worst is None or numbers == identical:
        return f"{counted}, all to the bit"
    return f"{counted}, {identical} to the bit; worst at case {worst[0]}, {worst[1]}"


def _summary(
    reference: Reference,
    cases: Sequence[Case],
    answers: _Answers,
    tolerance: Tolerance,
    drawn: Mapping[str, object] | None,
) -> str:
    worst = _worst(answers.comparisons)
    return _json(
        {
            "reference": reference.name,
            "by": f"PyTorch {pytorch().__version__}" if reference.torch else "plain Python",
            "drawn": drawn,
            "tolerance": asdict(tolerance),
            "cases": len(cases),
            "numbers": sum(each.numbers for each in answers.comparisons),
            "identical": sum(each.identical for each in answers.comparisons),
            "worst": worst and {"case": worst[0], "dims": cases[worst[0]].dims, **asdict(worst[1])},
        }
    )


def _json(facts: Mapping[str, object]) -> str:
    """As JSON, where infinities and NaN, which it cannot say, are strings."""
    return to_json(facts, indent=1, inf_nan_mode="strings").decode()


def _dims(case: Case) -> str:
    return f"dimensions {' '.join(map(str, case.dims))}" if case.dims else "no dimensions"
