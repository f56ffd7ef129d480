"""Reading Bend's words: the verdict strictly, the rest where it can be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.bend2.report import ACCEPTED, REFUSED, ErrorReport
from bendml_cli.engines.bend_output import UNNAMED, read_report
from tests.standin import REFUSAL

FILE = Path("/project/main.bend")


def error_of(output: str, path: Path = FILE) -> ErrorReport:
    report = read_report(path, output, 1)
    assert report.verdict == REFUSED
    assert report.error is not None
    return report.error


@pytest.mark.parametrize(
    "output",
    [
        f"{ACCEPTED}\n",
        f"\n  {ACCEPTED}  \n\n",
        f"\x1b[32m✓ {ACCEPTED}\x1b[0m\r\n",
        f"checking main.bend\n{ACCEPTED}.\n",
        f"{ACCEPTED}\n{ACCEPTED}\n",
    ],
)
def test_an_accepting_line_and_status_0_accept(output: str) -> None:
    report = read_report(FILE, output, 0)
    assert (report.accepted, report.error, report.from_words) == (True, None, True)


@pytest.mark.parametrize(
    ("output", "code", "reason"),
    [
        ("", 0, "no verdict stands in Bend's output (status 0): nothing"),
        ("", 1, "no verdict stands in Bend's output (status 1): nothing"),
        ("\x00\xff garbage \x1b[2J\n" * 3, 0, "no verdict"),
        ("all proofs check\n", 0, "no verdict"),
        (f"not {ACCEPTED}\n", 0, "no verdict"),
        (f'"{ACCEPTED}"\n', 0, "no verdict"),
        (f"# {ACCEPTED}\n", 0, "no verdict"),
        (f"{ACCEPTED} but one\n", 0, "no verdict"),
        ("Error: cannot open main.bend\n", 1, "no verdict stands in Bend's output (status 1): Error: cannot open"),
        (f"{ACCEPTED}\n", 1, "Bend says ALL PROOFS CHECK, and ended with status 1"),
        (f"{REFUSED}\n", 0, "Bend says SOME PROOFS FAIL, and ended with status 0"),
        (f"{REFUSED}\n", 2, "Bend says SOME PROOFS FAIL, and ended with status 2"),
        (f"{ACCEPTED}\n{REFUSED}\n", 0, "both verdicts"),
        (f"{ACCEPTED}\n{REFUSED}\n", 1, "both verdicts"),
        (f"{ACCEPTED}\n2 TODO(s) found\n", 0, "something is left to do"),
    ],
)
def test_anything_else_is_no_verdict(output: str, code: int, reason: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        read_report(FILE, output, code)
    assert reason in str(caught.value)


def test_the_documented_refusal() -> None:
    error = error_of(REFUSAL)
    assert (error.category, error.expected, error.observed) == ("mismatch", "Mat<3n, 5n>", "Mat<4n, 5n>")
    assert (error.definition, error.line, error.column) == ("main", 2, 20)
    assert error.source_line == "def main() -> Nat: True{}"
    assert error.context == [("a", "Mat<2n, 3n>"), ("b", "Mat<4n, 5n>")]
    assert error.message == "a term of type Mat<4n, 5n> stands where Mat<3n, 5n> is wanted"


def test_a_refusal_of_four_lines_tells_no_more_than_it_says() -> None:
    error = error_of("SOME PROOFS FAIL\nError:\n- expected : Mat<3n, 5n>\n- observed : Mat<4n, 5n>\n")
    assert (error.expected, error.observed) == ("Mat<3n, 5n>", "Mat<4n, 5n>")
    assert (error.definition, error.line, error.column, error.source_line, error.context) == (None,) * 4 + ([],)


@pytest.mark.parametrize(
    ("rest", "definition", "line"),
    [
        ("In main:\n", "main", None),
        ("in `Mat.matmul`\n", "Mat.matmul", None),
        ("- def : f~0\n", "f~0", None),
        ("Error in law reshape_swap (main.bend:12:3)\n", "reshape_swap", 12),
        ("Location: main.bend:7\n", None, 7),
        ("at lib/vec.bend:31:4\n", None, 31),
        ("  on line 9\n", None, 9),
        ("> 14 | f(x)\n     | ^\n", None, 14),
        ("14: f(x)\n    ^^^^\n", None, 14),
        ("14 │ f(x)\n   │   ^\n", None, 14),
        # What is no definition, though it looks like one: a variable of the context.
        ("Context:\n- in : Nat\n- line : Nat\n- definition : Nat\n", None, None),
    ],
)
def test_places_in_several_layouts(rest: str, definition: str | None, line: int | None) -> None:
    error = error_of(f"SOME PROOFS FAIL\nError:\n- expected : Nat\n- observed : Bool\n{rest}")
    assert (error.definition, error.line) == (definition, line)
    assert (error.expected, error.observed) == ("Nat", "Bool")


def test_a_source_line_without_a_number_is_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "main.bend"
    path.write_text("import Base\n\ndef f() -> Nat:\n  True{}\n")
    error = error_of("SOME PROOFS FAIL\nError:\n- expected : Nat\n- observed : Bool\n  True{}\n  ^\n", path)
    assert (error.line, error.column) == (4, 3)
    path.write_text("True{}\nTrue{}\n")
    assert error_of("SOME PROOFS FAIL\n  True{}\n  ^\n", path).line is None


def test_an_error_in_an_import_names_that_file() -> None:
    error = error_of("SOME PROOFS FAIL\nError: no\nlib/vec.bend:3:1\n")
    assert (error.file, error.line) == ("/project/lib/vec.bend", 3)


def test_terms_over_several_lines() -> None:
    error = error_of(
        "SOME PROOFS FAIL\nError:\n- expected : {Nat.add(a,\n    b) == c : Nat}\n- observed :\n    Nat\n\nrest\n"
    )
    assert (error.expected, error.observed) == ("{Nat.add(a, b) == c : Nat}", "Nat")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("SOME PROOFS FAIL\nError: x is used twice\n", "x is used twice"),
        ("SOME PROOFS FAIL\nError:\n- x is used twice\n", "x is used twice"),
        ("SOME PROOFS FAIL\nf relies on unsafe code\n", "f relies on unsafe code"),
        ("SOME PROOFS FAIL\n", "Bend gives no reason"),
    ],
)
def test_a_message_is_a_refusal_of_no_category(output: str, message: str) -> None:
    error = error_of(output)
    assert (error.category, error.message, error.expected) == (UNNAMED, message, None)


@pytest.mark.parametrize("output", ["2 TODO(s) found\n", "SOME PROOFS FAIL\n2 TODOs found\n"])
def test_what_is_left_to_do(output: str) -> None:
    report = read_report(FILE, output, 1)
    assert (report.verdict, report.todos) == (REFUSED, 2)
    assert report.error is not None
    assert (report.error.category, report.error.count) == ("todo", 2)
