"""The kinds of check, judged by a fake engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.report import REFUSED, Report
from bendml_cli.engines.bend_output import UNNAMED
from bendml_cli.project import Project
from bendml_cli.suites.case import Outcome, Session, Status
from bendml_cli.suites.kinds.hygiene import blemishes
from bendml_cli.suites.schema import select_suites
from tests.fakes import FakeEngine, accepted, demo_judge, make_project, refused

HEAD = "title: t\npackage: bend/demo\nchecks:\n"


def run(root: Path, check: str, *engines: FakeEngine, require_bend: bool = False) -> list[Outcome]:
    """The outcomes of a suite of one check."""
    (suite,) = select_suites(Project(make_project(root, HEAD + check)), [])
    session = Session(engines, require_bend, "bend is not installed")
    return [case.run(session) for case in suite.cases()]


def engine(judge: Callable[[Path], Report]) -> FakeEngine:
    return FakeEngine(judge)


PROOFS = "  - {kind: proofs, laws: [id_law]}\n"
REJECTS = "  - {kind: rejects, id: r, file: tests/bad.bend, category: mismatch, expected: 'Mat<3n, 5n>'}\n"
ACCEPTS = "  - {kind: accepts, id: a, file: main.bend, main: 3n}\n"
HYGIENE = "  - kind: hygiene\n"
LAW_DOCS = "  - kind: law-docs\n"
KERNEL = "  - kind: kernel\n"
MUTANT = """\
  - kind: mutants
    mutants:
      - {id: m, within: def id, replace: n, with: 0n, occurrence: 2, breaks: id_law}
"""


def test_proofs_pass_when_the_laws_are_the_named_ones(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, PROOFS, engine(demo_judge))
    assert (outcome.status, outcome.detail) == (Status.PASSED, "1 law proved, 1 definition")


@pytest.mark.parametrize(
    ("report", "detail"),
    [
        (refused(Path("main.bend"), definition="id_law", line=9), "main.bend:9: mismatch in id_law"),
        (accepted(Path("main.bend"), laws=["id_law"], open_claims=["id_law"]), "laws without a proof: id_law"),
        (accepted(Path("main.bend"), laws=[]), "laws that are gone: id_law"),
        (accepted(Path("main.bend"), laws=["id_law", "more"]), "laws that the suite does not name: more"),
    ],
)
def test_proofs_fail(tmp_path: Path, report: Report, detail: str) -> None:
    (outcome,) = run(tmp_path, PROOFS, engine(lambda _: report))
    assert outcome.status is Status.FAILED
    assert detail in outcome.detail


def test_no_answer_is_an_error_and_not_a_failure(tmp_path: Path) -> None:
    def crash(path: Path) -> Report:
        raise RuntimeError("no answer within 600 s")

    for check in (PROOFS, REJECTS, ACCEPTS, HYGIENE, LAW_DOCS, MUTANT):
        (outcome,) = run(tmp_path, check, engine(crash))
        assert (outcome.status, outcome.detail) == (Status.ERROR, "embedded: no answer within 600 s")


def test_engines_that_disagree_fail_the_check(tmp_path: Path) -> None:
    def late_answer(path: Path) -> Report:
        raise RuntimeError("crashed")

    other = FakeEngine(lambda path: refused(path), name="bend")
    (outcome,) = run(tmp_path, REJECTS.replace(", expected: 'Mat<3n, 5n>'", ""), engine(accepted), other)
    assert outcome.status is Status.FAILED
    assert "the engines disagree: embedded: ALL PROOFS CHECK, bend: SOME PROOFS FAIL" in outcome.detail
    # One engine that answers does not make up for one that does not.
    (outcome,) = run(tmp_path, PROOFS, engine(demo_judge), FakeEngine(late_answer, name="bend"))
    assert outcome.status is Status.ERROR


def test_rejects_wants_the_reason_too(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, REJECTS, engine(demo_judge))
    assert outcome.status is Status.PASSED
    for judge, detail in (
        (accepted, "accepted, and should be refused"),
        (refused, "expected is None, not Mat<3n, 5n>"),
        (lambda path: refused(path, "syntax"), "category is syntax, not mismatch"),
        (lambda path: Report(path, REFUSED, unsafe=["f"]), "refused for another reason: relies on unsafe"),
    ):
        (outcome,) = run(tmp_path, REJECTS, engine(judge))
        assert outcome.status is Status.FAILED
        assert detail in outcome.detail


def test_accepts_compares_main(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, ACCEPTS, engine(lambda path: accepted(path, main="3n")))
    assert (outcome.status, outcome.detail) == (Status.PASSED, "accepted, main is 3n")
    (outcome,) = run(tmp_path, ACCEPTS, engine(lambda path: accepted(path, main="4n")))
    assert (outcome.status, outcome.detail) == (Status.FAILED, "embedded: main is 4n, not 3n")


def test_hygiene_reads_the_text_and_the_report(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, HYGIENE, engine(demo_judge))
    assert outcome.status is Status.PASSED
    for report, detail in (
        (Report(Path("m"), REFUSED, unsafe=["f"]), "relies on unsafe or foreign code: f"),
        (Report(Path("m"), REFUSED, todos=2), "2 TODO(s)"),
        (Report(Path("m"), REFUSED, open_claims=["id_law"]), "open claims: id_law"),
        (refused(Path("m")), "cannot be told, the file is refused"),
    ):
        (outcome,) = run(tmp_path, HYGIENE, engine(lambda _, report=report: report))  # type: ignore[misc]
        assert outcome.status is Status.FAILED
        assert detail in outcome.detail


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x: Nat) -> Nat: x\n", []),
        ('def f() -> String: "@unsafe ?TODO # TODO"\n', []),
        ("# an unsafe thing is described here\n", []),
        ("def f() -> Char: '\"'\n# TODO \"\n", [(2, "a TODO in a comment")]),
        ("def f() -> Char: '''\ndef g() -> Nat: ?TODO\n", [(2, "a TODO: ?TODO")]),
        ("\n@unsafe def f(x: Nat) -> Nat: f(x)\n", [(2, "unsafe code: @unsafe")]),
        ("def f?(x: Nat) -> Nat: f?(x)\n", [(1, "unsafe code: def f?")]),
        ("def f(x: Nat) -> Nat: ?TODO\n", [(1, "a TODO: ?TODO")]),
        ("def f(x: Nat) -> Nat: ?goal\n", [(1, "a hole: ?goal")]),
        ("# TODO: prove\n", [(1, "a TODO in a comment")]),
        ('def f() -> IO(Unit):\n  import "./e.c"\n', [(2, 'foreign code: import "./e.c"')]),
    ],
)
def test_blemishes(text: str, found: list[tuple[int, str]]) -> None:
    assert list(blemishes(text)) == found


def test_law_docs_compares_names_both_ways(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, LAW_DOCS, engine(demo_judge))
    assert (outcome.status, outcome.detail) == (Status.PASSED, "1 law documented")
    (outcome,) = run(tmp_path, LAW_DOCS, engine(lambda path: accepted(path, laws=["other"])))
    assert outcome.status is Status.FAILED
    assert "bend/demo/README.md: other is not in the table" in outcome.detail
    assert "line 5: there is no law id_law" in outcome.detail


def test_kernel_is_skipped_with_the_reason_and_never_passed(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, KERNEL, engine(demo_judge))
    assert outcome.status is Status.SKIPPED
    assert "bend is not installed" in outcome.detail
    (outcome,) = run(tmp_path, KERNEL, engine(demo_judge), require_bend=True)
    assert outcome.status is Status.FAILED
    with_kernel = FakeEngine(demo_judge, name="bend", kernel=True)
    (outcome,) = run(tmp_path, KERNEL, engine(demo_judge), with_kernel)
    assert (outcome.status, outcome.judgements[0].engine) == (Status.PASSED, "bend")


def test_a_mutant_must_break_the_named_law(tmp_path: Path) -> None:
    seen: list[str] = []

    def judge(path: Path) -> Report:
        seen.append(path.read_text())
        return refused(path, definition="id_law")

    (outcome,) = run(tmp_path, MUTANT, engine(judge))
    assert (outcome.status, outcome.detail) == (Status.PASSED, "breaks id_law")
    assert "def id(n: Nat) -> Nat: 0n\n" in seen[0]
    assert "+def id(n: Nat) -> Nat: 0n\n" in outcome.keep["mutant.diff"]
    assert outcome.judgements[0].report is not None
    assert outcome.judgements[0].report.file == Path("bend/demo/main.bend")
    (outcome,) = run(tmp_path, MUTANT, engine(demo_judge))
    assert "every law survives 'n' becoming '0n' in def id" in outcome.detail
    (outcome,) = run(tmp_path, MUTANT, engine(lambda path: refused(path, definition="id")))
    assert "should break id_law, and breaks elsewhere" in outcome.detail
    assert outcome.status is Status.FAILED
    (outcome,) = run(tmp_path, MUTANT, engine(lambda path: refused(path, "unknown-name", definition="id_law")))
    assert "the edit makes no sense" in outcome.detail
    assert outcome.status is Status.FAILED


def test_a_mutant_leaves_the_package_as_it_was(tmp_path: Path) -> None:
    before = (make_project(tmp_path) / "bend/demo/main.bend").read_text()
    run(tmp_path, MUTANT, engine(demo_judge))
    assert (tmp_path / "bend/demo/main.bend").read_text() == before


def words(path: Path, **fields: object) -> Report:
    """A refusal as it is read from another checker's words: what it does not tell is None."""
    report = refused(path, UNNAMED, "x is used twice", **fields)
    report.from_words = True
    return report


def test_a_refusal_whose_reason_the_words_do_not_tell_is_skipped_and_never_passed(tmp_path: Path) -> None:
    check = "  - {kind: rejects, id: r, file: tests/bad.bend, category: usage, variable: x}\n"
    bend = FakeEngine(words, name="bend")
    (outcome,) = run(tmp_path, check, bend)
    assert outcome.status is Status.SKIPPED
    assert outcome.detail == "bend: refused, as it should be, but its words do not tell: category, variable"
    # Another engine that does tell is enough, and one that tells otherwise is a failure.
    (outcome,) = run(tmp_path, check, bend, engine(lambda path: refused(path, "usage", variable="x")))
    assert (outcome.status, outcome.detail) == (Status.PASSED, "refused: usage")
    (outcome,) = run(tmp_path, check, bend, engine(lambda path: refused(path, "usage", variable="y")))
    assert outcome.status is Status.FAILED
    (outcome,) = run(tmp_path, check, FakeEngine(accepted, name="bend"))
    assert outcome.status is Status.FAILED


def test_what_the_words_tell_is_compared(tmp_path: Path) -> None:
    check = "  - {kind: rejects, id: r, file: tests/bad.bend, category: usage, line: 2}\n"
    (outcome,) = run(tmp_path, check, FakeEngine(lambda path: words(path, line=2), name="bend"))
    assert (outcome.status, outcome.detail) == (
        Status.PASSED,
        "refused: usage (its words do not tell: category)",
    )
    (outcome,) = run(tmp_path, check, FakeEngine(lambda path: words(path, line=3), name="bend"))
    assert outcome.status is Status.FAILED
    # The types are in every mismatch that Bend reports: without them it is another refusal.
    (outcome,) = run(tmp_path, REJECTS, FakeEngine(words, name="bend"))
    assert (outcome.status, "expected is None" in outcome.detail) == (Status.FAILED, True)


def test_a_mutant_is_skipped_where_the_words_do_not_tell_what_breaks(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, MUTANT, FakeEngine(words, name="bend"))
    assert (outcome.status, "do not tell whether id_law is what breaks" in outcome.detail) == (Status.SKIPPED, True)
    (outcome,) = run(tmp_path, MUTANT, FakeEngine(lambda path: words(path, definition="id_law"), name="bend"))
    assert outcome.status is Status.PASSED


def test_both_reports_of_a_disagreement_are_kept(tmp_path: Path) -> None:
    other = FakeEngine(lambda path: refused(path, expected="Nat", observed="Bool"), name="bend")
    (outcome,) = run(tmp_path, PROOFS, engine(demo_judge), other)
    assert outcome.status is Status.FAILED
    assert "embedded: ALL PROOFS CHECK, bend: SOME PROOFS FAIL (" in outcome.detail
    assert "expected Nat, observed Bool)" in outcome.detail
    kept = outcome.keep["disagreement.txt"]
    assert "[embedded]\nALL PROOFS CHECK" in kept
    assert "[bend]\nSOME PROOFS FAIL" in kept


def test_a_kernel_that_bend_itself_lacks_is_skipped_with_its_reason(tmp_path: Path) -> None:
    (suite,) = select_suites(Project(make_project(tmp_path, HEAD + KERNEL)), [])
    (case,) = suite.cases()
    outcome = case.run(Session((FakeEngine(demo_judge, name="bend"),), require_bend=False, without_bend=None))
    assert outcome.status is Status.SKIPPED
    assert outcome.detail == "needs Bend's second kernel (BendTT): bend: no kernel"
