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


def test_a_long_line_is_shown_around_the_place_and_control_characters_are_not_sent_to_the_terminal() -> None:
    line = "a" * 1000 + "\x1b[2J" + "b" * 1000
    error = ErrorReport("syntax", "found '\x1b'", "m.bend", line=1, column=1001, source_line=line)
    lines = report_text(Report(Path("m.bend"), REFUSED, error=error)).splitlines()
    assert lines[3] == "found '\\x1b'"
    source, caret = lines[5:7]
    assert source == "  1 | ..." + "a" * 100 + "\ufffd[2J" + "b" * 96 + "..."
    assert source[caret.index("^")] == "\ufffd"


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
