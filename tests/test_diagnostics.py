"""Reports in words."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.bend2.report import REFUSED, ErrorReport, Report
from bendml_cli.diagnostics import report_text
from tests.fakes import accepted


def test_everything_a_refusal_knows_is_shown() -> None:
    error = ErrorReport(
        category="mismatch",
        message="this does not fit here",
        file="main.bend",
        line=12,
        column=7,
        definition="product",
        expected="Mat<3n, 5n>",
        observed="Mat<4n, 5n>",
        context=[("a", "Nat"), ("b", "Bool")],
        source_line="  T.f(\ta)",
        hint="look again",
    )
    assert report_text(Report(Path("main.bend"), REFUSED, error=error)) == (
        "SOME PROOFS FAIL  main.bend\n"
        "\n"
        "mismatch in product  main.bend:12:7\n"
        "this does not fit here\n"
        "     |\n"
        "  12 |   T.f( a)\n"
        "     |       ^\n"
        "  expected  Mat<3n, 5n>\n"
        "  observed  Mat<4n, 5n>\n"
        "  in scope  a : Nat\n"
        "            b : Bool\n"
        "  hint: look again\n"
    )


def test_what_is_unknown_is_left_out() -> None:
    error = ErrorReport("coverage", "cases are missing", "main.bend", missing=["A", "B"])
    assert report_text(Report(Path("main.bend"), REFUSED, error=error)) == (
        "SOME PROOFS FAIL  main.bend\n\ncoverage  main.bend\ncases are missing\n  missing   A, B\n"
    )


def test_trust_and_open_claims() -> None:
    report = Report(Path("m.bend"), REFUSED, unsafe=["f", "g"], open_claims=["law"], todos=1)
    assert report_text(report) == (
        "SOME PROOFS FAIL  m.bend\nrelies on unsafe or foreign code: f, g\nlaws without a proof: law\n1 TODO\n"
    )


def test_an_accepted_file_with_its_main() -> None:
    assert report_text(accepted(Path("m.bend"), main="3n")) == "ALL PROOFS CHECK  m.bend\nmain  3n\n"
