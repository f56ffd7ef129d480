"""The kinds that run programs: `runs`, `compare` and `fuzz`, with a stand-in for the engine."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from bendml_cli.engines.engine import Ran, Usage
from bendml_cli.errors import ReferenceUnavailable, SuiteError
from bendml_cli.project import Project
from bendml_cli.reference import operation
from bendml_cli.reference.model import bits_of, from_bits, single
from bendml_cli.suites import comparing
from bendml_cli.suites.case import Outcome, Session, Status
from bendml_cli.suites.schema import select_suites
from tests.fakes import FakeEngine, make_project

HEAD = "title: t\npackage: bend/demo\nchecks:\n"
RUNS = (
    "  - {kind: runs, id: r, file: main.bend, arguments: [a, '{package}/b'], stdin: i, status: 2, stderr: 'no .ile'}\n"
)
COMPARE = """\
  - kind: compare
    id: c
    file: main.bend
    reference: tensor.add
    cases:
      - {dims: [1, 2], operands: [[[1, 2]], [[0.5, 0.25]]]}
      - {dims: [0, 2], operands: [[], []]}
"""
FUZZ = "  - {kind: fuzz, id: f, file: main.bend, cases: 40, references: [tensor.add, tensor.sub]}\n"


@dataclass
class Runner(FakeEngine):
    """Builds whatever it is given; `answer` says what a program writes, given its arguments."""

    answer: Callable[[tuple[str, ...]], Ran] = lambda arguments: ran("")
    inputs: list[str] = field(default_factory=list)
    unbuilt: str | None = None
    built: list[Path] = field(default_factory=list)

    def build(self, path: Path, output: Path) -> Ran:
        self.built.append(path)
        return ran("", code=1, stderr="details", failure=self.unbuilt) if self.unbuilt else ran("")

    def run_binary(self, binary: Path, *arguments: str, threads: int | None = None, stdin: str = "") -> Ran:
        self.inputs.append(stdin)
        return self.answer(arguments)


def ran(stdout: str, *, code: int = 0, stderr: str = "", failure: str | None = None) -> Ran:
    return Ran("embedded", code, stdout, stderr, failure, Usage(0.5, 0.25, 1_000_000))


def run(root: Path, check: str, *engines: FakeEngine) -> list[Outcome]:
    (suite,) = select_suites(Project(make_project(root, HEAD + check)), [])
    session = Session(engines)
    return [case.run(session) for case in suite.cases()]


Matrix = list[list[float]]


def entrywise(change: Callable[[Matrix], Matrix] = lambda rows: rows) -> Callable[[tuple[str, ...]], Ran]:
    """A program that adds and subtracts matrices, with a fault: what it answers is changed."""

    def answer(arguments: tuple[str, ...]) -> Ran:
        lines = []
        for line in Path(arguments[0]).read_text().splitlines():
            word, *numbers = line.split()
            r, c = int(numbers[0]), int(numbers[1])
            xs = [from_bits(int(each)) for each in numbers[4:]]
            sign = 1 if word == "add" else -1
            flat = [single(a + sign * b) for a, b in zip(xs[: r * c], xs[r * c :], strict=True)]
            rows = change([flat[i * c : (i + 1) * c] for i in range(r)])
            lines.append("(" + "".join(f"[{' '.join(str(bits_of(x)) for x in row)}]" for row in rows) + ")\n")
        return ran("".join(lines))

    return answer


# Additions and subtractions are what these checks compare; PyTorch does them for the reference.
pytest.importorskip("torch")


# ---- runs ----


def test_runs_compares_status_and_output(tmp_path: Path) -> None:
    def answer(arguments: tuple[str, ...]) -> Ran:
        assert arguments == ("a", f"{tmp_path}/bend/demo/b")
        return ran("", code=2, stderr="program: no file", failure="the engine failed with status 2")

    engine = Runner(answer=answer)
    (outcome,) = run(tmp_path, RUNS, engine)
    assert (outcome.status, outcome.detail) == (Status.PASSED, "ended with status 2, and wrote what it should")
    assert engine.inputs == ["i"]
    built, used = outcome.judgements
    assert (built.report, built.failure, built.file) == (None, None, Path("bend/demo/main.bend"))
    assert (used.usage.seconds, used.usage.peak_resident_bytes, used.failure) == (0.5, 1_000_000, None)


@pytest.mark.parametrize(
    ("fields", "answer", "detail"),
    [
        ("status: 1", ran("x"), "the exit status is 0, not 1"),
        (
            "status: 1",
            ran("", code=-11, failure="ended by SIGSEGV"),
            "the exit status is -11, not 1 (ended by SIGSEGV)",
        ),
        ("stdout: 'x'", ran("x\n"), r"standard output is 'x\n', not 'x'"),
        ("pattern: '[0-9]+'", ran("1\n"), r"standard output is '1\n', which does not match '[0-9]+'"),
        ("stderr: oh", ran("", stderr="ah"), "standard error is 'ah', and nothing in it matches 'oh'"),
    ],
)
def test_runs_fails(tmp_path: Path, fields: str, answer: Ran, detail: str) -> None:
    check = f"  - {{kind: runs, id: r, file: main.bend, {fields}}}\n"
    (outcome,) = run(tmp_path, check, Runner(answer=lambda arguments: answer))
    assert (outcome.status, outcome.detail) == (Status.FAILED, detail)
    assert outcome.keep == {"embedded/output": answer.stdout, "embedded/errors": answer.stderr}


def test_a_pattern_matches_from_end_to_end(tmp_path: Path) -> None:
    check = "  - {kind: runs, id: r, file: main.bend, pattern: '[0-9]+.'}\n"
    (outcome,) = run(tmp_path, check, Runner(answer=lambda arguments: ran("12\n")))
    assert outcome.status is Status.PASSED


def test_a_program_that_is_not_built_is_an_error(tmp_path: Path) -> None:
    for check in (RUNS, COMPARE, FUZZ):
        for outcome in run(tmp_path, check, Runner(unbuilt="main.bend is not compiled: no main")):
            assert outcome.status is Status.ERROR
            assert outcome.detail == "cannot be built: main.bend is not compiled: no main"
            assert outcome.keep == {"embedded/build": "details"}


def test_every_engine_must_be_right(tmp_path: Path) -> None:
    check = "  - {kind: runs, id: r, file: main.bend, stdout: x}\n"
    right, wrong = (Runner(answer=lambda _, text=text: ran(text)) for text in ("x", "y"))  # type: ignore[misc]
    wrong.name = "bend"
    (outcome,) = run(tmp_path, check, right, wrong)
    assert (outcome.status, outcome.detail) == (Status.FAILED, "bend: standard output is 'y', not 'x'")


# ---- compare ----


def test_compare_passes_and_keeps_the_worst_difference(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, COMPARE, Runner(answer=entrywise()))
    assert (outcome.status, outcome.detail) == (Status.PASSED, "2 cases, 2 numbers, all to the bit")
    kept = json.loads(outcome.keep["embedded/differences.json"])
    assert kept["worst"]["position"] == "[0, 0]"
    assert (kept["reference"], kept["cases"], kept["numbers"], kept["identical"]) == ("tensor.add", 2, 2, 2)


def test_compare_tells_where_and_by_how_much(tmp_path: Path) -> None:
    def off(rows: Matrix) -> Matrix:
        return [[x * (1 + 2**-22) if x == 2.25 else x for x in row] for row in rows]

    (outcome,) = run(tmp_path, COMPARE, Runner(answer=entrywise(off)))
    assert outcome.status is Status.FAILED
    assert outcome.detail.startswith("case 0, dimensions 1 2: [0, 1]: 2.250000476837158 for 2.25 (2 ulps, ")
    kept = json.loads(outcome.keep["embedded/differing-case.json"])
    assert kept["operands"] == [{"shape": [1, 2], "numbers": [1, 2]}, {"shape": [1, 2], "numbers": [0.5, 0.25]}]
    assert json.loads(outcome.keep["embedded/differences.json"])["worst"]["ulps"] == 2
    (outcome,) = run(tmp_path, COMPARE + "    relative: 3.0e-7\n", Runner(answer=entrywise(off)))
    assert outcome.status is Status.PASSED
    assert "1 to the bit; worst at case 0, [0, 1]" in outcome.detail


def test_an_answer_too_few_fails(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, COMPARE, Runner(answer=lambda arguments: ran("")))
    assert (outcome.status, outcome.detail) == (Status.FAILED, "case 0, dimensions 1 2: 0 answers to 1 cases")


# ---- fuzz ----


def test_fuzz_runs_all_cases_of_a_reference_at_once_and_builds_once(tmp_path: Path) -> None:
    files: list[str] = []

    def answer(arguments: tuple[str, ...]) -> Ran:
        files.append(Path(arguments[0]).read_text())
        return entrywise()(arguments)

    engine = Runner(answer=answer)
    outcomes = run(tmp_path, FUZZ, engine)
    assert [outcome.status for outcome in outcomes] == [Status.PASSED, Status.PASSED]
    assert all(outcome.detail.startswith("40 cases, ") for outcome in outcomes)
    assert len(engine.built) == 1
    assert [len(text.splitlines()) for text in files] == [40, 40]
    assert files[0].startswith("add 0 0 0 0\nadd 0 1 0 0\n")
    kept = json.loads(outcomes[0].keep["embedded/differences.json"])
    assert kept["drawn"] == {"seed": 0, "largest": 8, "range": [-2, 2]}
    assert kept["by"].startswith("PyTorch 2.")
    # The same cases in every run; others with another seed.
    again = list(files)
    run(tmp_path, FUZZ, engine)
    assert files[2:] == again
    run(tmp_path, FUZZ.replace("cases: 40", "cases: 40, seed: 1"), engine)
    assert files[4] != again[0]


def test_a_case_that_differs_is_shrunk_and_kept(tmp_path: Path) -> None:
    def fault(rows: Matrix) -> Matrix:
        """Wrong in the third column of the second row."""
        return [[x + 1 if (i, j) == (1, 2) else x for j, x in enumerate(row)] for i, row in enumerate(rows)]

    added, _ = run(tmp_path, FUZZ, Runner(answer=entrywise(fault)))
    assert added.status is Status.FAILED
    assert added.detail.startswith("dimensions 2 3: [1, 2]: 1.0 for 0.0 (")
    shrunk = json.loads(added.keep["embedded/shrunk-case.json"])
    assert shrunk["operands"] == [{"shape": [2, 3], "numbers": [0.0] * 6}] * 2
    assert shrunk["line"] == "add 2 3 0 0" + " 0" * 12
    assert json.loads(added.keep["embedded/differing-case.json"])["dims"] != [2, 3]


def test_an_infinite_range_has_numbers_that_are_none(tmp_path: Path) -> None:
    def fault(rows: Matrix) -> Matrix:
        return [[0.0 if math.isnan(x) else x for x in row] for row in rows]

    check = FUZZ.replace("cases: 40", "cases: 40, range: [-.inf, .inf]")
    assert {outcome.status for outcome in run(tmp_path, check, Runner(answer=entrywise()))} == {Status.PASSED}
    added, _ = run(tmp_path, check, Runner(answer=entrywise(fault)))
    assert ": 0.0 for nan (shrunk from case" in added.detail
    # As JSON that any reader takes.
    shrunk = json.loads(added.keep["embedded/shrunk-case.json"], parse_constant=pytest.fail)
    assert "NaN" in str(shrunk["operands"]) or "Infinity" in str(shrunk["operands"])


def test_shrinking_asks_about_a_few_cases_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_NUMBERS_AT_ONCE", 100)
    counts: list[int] = []

    def answer(arguments: tuple[str, ...]) -> Ran:
        counts.append(len(Path(arguments[0]).read_text().split()))
        return entrywise(lambda rows: [[x + 1 for x in row] for row in rows])(arguments)

    added, _ = run(tmp_path, FUZZ, Runner(answer=answer))
    assert added.detail.startswith("dimensions 1 1: [0, 0]: 1.0 for 0.0")
    whole = [count for count in counts if count > 300]
    assert len(whole) == 2  # The cases of each of the two references; what they are shrunk by are fewer at once.
    assert len(counts) > 4


def test_shrinking_ends_after_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0

    def answer(arguments: tuple[str, ...]) -> Ran:
        nonlocal runs
        runs += 1
        whole = len(Path(arguments[0]).read_text().split()) > 300
        return entrywise(lambda rows: [[x + whole for x in row] for row in rows])(arguments)

    monkeypatch.setattr(comparing, "_NUMBERS_AT_ONCE", 1)
    monkeypatch.setattr(comparing, "time", SimpleNamespace(monotonic=lambda: 31.0 * runs))
    added, _ = run(tmp_path, FUZZ, Runner(answer=answer))
    assert added.status is Status.FAILED
    assert runs == 2 * (1 + 2)  # For each of the two references, all cases and then the first simpler ones.


def test_a_crash_is_traced_to_its_case(tmp_path: Path) -> None:
    def answer(arguments: tuple[str, ...]) -> Ran:
        lines = Path(arguments[0]).read_text().splitlines()
        if any(line.startswith("add") and int(line.split()[1]) > 3 for line in lines):
            return ran("", code=-11, failure="the engine was ended by SIGSEGV", stderr="oh")
        return entrywise()(arguments)

    added, subtracted = run(tmp_path, FUZZ, Runner(answer=answer))
    assert subtracted.status is Status.PASSED
    assert added.status is Status.FAILED
    assert added.detail.startswith("dimensions 4 0: the engine was ended by SIGSEGV (on standard error: oh) (shrunk")


def test_without_pytorch_the_checks_are_skipped_and_say_how_to_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise ReferenceUnavailable("PyTorch cannot be imported", "pip install it")

    monkeypatch.setattr(operation, "pytorch", missing)
    for check in (COMPARE, FUZZ):
        for outcome in run(tmp_path, check, Runner(answer=entrywise())):
            assert (outcome.status, outcome.detail) == (Status.SKIPPED, "PyTorch cannot be imported: pip install it")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            COMPARE.replace("tensor.add", "tensor.ad"),
            "demo.yaml:7: checks[0].reference: there is no reference 'tensor.a",
        ),
        (COMPARE.replace("[1, 2], op", "[1, 3], op"), "checks[0].cases[0]: tensor.add: a has 3 numbers, not 2"),
        (COMPARE.replace("[0, 2]", "[2]"), "checks[0].cases[1]: tensor.add has the dimensions r c, not [2]"),
        (COMPARE.replace("[[], []]", "[[]]"), "checks[0].cases[1]: tensor.add takes 2 operands, not 1"),
        (FUZZ.replace("tensor.sub", "sub"), "checks[0].references[1]: there is no reference 'sub'"),
        (FUZZ.replace("tensor.sub", "tensor.add"), "checks[0].references[1]: 'tensor.add' is named twice"),
        (FUZZ.replace("cases: 40", "cases: 0"), "checks[0].cases: "),
        (FUZZ.replace("cases: 40", "cases: 4, range: [1, 0]"), "checks[0].range: the first number must not be above"),
        (FUZZ.replace("cases: 40", "cases: 4, range: [0, .inf]"), "checks[0].range: both numbers must be finite, or"),
        (
            FUZZ.replace("cases: 40", "cases: 4, range: [.nan, 1]"),
            "checks[0].range: the first number must not be above",
        ),
        (
            FUZZ.replace("cases: 40", "cases: 4, range: [-.inf, .inf]").replace("tensor.sub", "autograd.expr"),
            "checks[0].references[1]: autograd.expr takes numbers from a finite range only",
        ),
        (RUNS.replace("no .ile", "("), "checks[0].stderr: is no regular expression"),
        (RUNS.replace("status: 2", "stdout: x, pattern: y"), "checks[0].pattern: is given beside stdout"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, check: str, message: str) -> None:
    with pytest.raises(SuiteError) as caught:
        select_suites(Project(make_project(tmp_path, HEAD + check)), [])
    assert message in caught.value.message
