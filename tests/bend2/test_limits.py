"""Large and deep programs check, or are refused with a clear message; evaluation that does not end is given up on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.report import Report

DEEP = 20_000
Check = Callable[..., Report]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Check a program given as text."""

    def run(text: str, *, timeout: float = 60) -> Report:
        file = tmp_path / "program.bend"
        file.write_text("import Base\n\n" + text, encoding="utf-8")
        return check_file(file, main=True, timeout=timeout)

    return run


def test_a_list_of_ten_thousand(check: Check) -> None:
    items = ", ".join(f"{at % 7}n" for at in range(10_000))
    report = check(f"def main() -> List<&2, Nat>:\n  [{items}]\n")
    assert report.accepted
    assert report.main == f"[{items}]"


def test_three_thousand_rewrites(check: Check) -> None:
    lemma = (
        "def zero(n: Nat) -> {Nat.add(n, 0n) == n : Nat}:\n  match n:\n    case 0n:\n      {==}\n"
        "    case 1n+p:\n      %zero(p) : {1n+Nat.add(p, 0n) == 1n+_ : Nat}\n      {==}\n\n"
    )
    there = "  %zero(n) : {_ == _ : Nat}\n"
    back = "  %Equal.sym(Nat, Nat.add(n, 0n), n, zero(n)) : {_ == _ : Nat}\n"
    assert check(f"{lemma}def chain(+n: Nat) -> {{n == n : Nat}}:\n{(there + back) * 1500}  {{==}}\n").accepted


def test_a_match_of_two_hundred_columns(check: Check) -> None:
    names = [f"a{at}" for at in range(200)]
    parameters = ", ".join(f"{name}: Bool" for name in names)
    report = check(
        f"def wide({parameters}) -> Nat:\n  match {' '.join(names)}:\n    case {'True{} ' * 200}:\n      1n\n"
        f"    case {'_ ' * 200}:\n      0n\n\n"
        f"def main() -> Nat & Nat:\n  (wide({'True{} ' * 200}), wide({'True{} ' * 199} False{{}}))\n"
    )
    assert report.main == "(1n, 0n)", report.error


@pytest.mark.parametrize(
    ("before", "core", "after", "type_", "main"),
    [
        ("(", "1n", ")", "Nat", "1n"),
        ("Succ{", "0n", "}", "Nat", f"{DEEP}n"),
        ("Nat.double(", "0n", ")", "Nat", "0n"),
        ("Bool.not(", "True{}", ")", "Bool", "True{}"),
        ("List<", "Nat", ">", "Type", "List<&1, " * DEEP + "Nat" + ">" * DEEP),
    ],
)
def test_a_term_nested_deep(check: Check, before: str, core: str, after: str, type_: str, main: str) -> None:
    report = check(f"def main() -> {type_}:\n  {before * DEEP}{core}{after * DEEP}\n")
    assert report.main == main, report.error


def test_binders_nested_too_deep_are_refused(check: Check) -> None:
    report = check(f"def main() -> Type:\n  {'Nat -> ' * DEEP}Nat\n")
    assert report.error is not None
    assert report.error.category == "too-deep"
    assert report.error.line == 4


def test_nesting_past_all_limits_is_refused(check: Check) -> None:
    report = check(f"def main() -> Nat:\n  {'(' * 1_000_000}1n{')' * 1_000_000}\n")
    assert report.error is not None
    assert report.error.category == "too-deep"


@pytest.mark.parametrize(
    "body",
    [
        "(x => x(x))(x => x(x))",
        "(x => Nat.add(x, x))(" * 30 + "1n" + ")" * 30,
    ],
)
def test_lambdas_applied_on_the_spot_without_end_are_refused(check: Check, body: str) -> None:
    """They are substituted while reading, which no time limit covers."""
    report = check(f"def main() -> Nat:\n  {body}\n")
    assert report.error is not None
    assert report.error.category == "too-deep"
    assert report.error.line in (3, 4), "the declaration, or the place in it"


def test_a_declaration_nested_too_deep_is_named(check: Check) -> None:
    report = check("def f(n: Nat) -> Nat:\n  match n:\n    case 1000000n:\n      1n\n    case _:\n      2n\n")
    assert report.error is not None
    assert (report.error.category, report.error.line) == ("too-deep", 3)


SHARED = (
    "type T is Data:\n  L{}\n  M{}\n  N{a: T, b: T}\n\ndef dup(n: Nat, +t: T) -> T:\n  match n:\n    case 0n:\n"
    "      t\n    case 1n+p:\n      dup(p, N{t, t})\n\n"
)


def test_shared_graphs_compare_at_once(check: Check) -> None:
    """2^40 leaves on each side, built apart; without the memo this would not end."""
    other = SHARED.split("\n\n")[1].replace("dup", "again")
    claim = "law same:\n  {dup(40n, L{}) == again(40n, L{}) : T}\n\ndef same():\n  {==}\n"
    assert check(f"{SHARED}{other}\n\n{claim}", timeout=10).accepted


def test_shared_graphs_that_differ_are_told_apart_at_once(check: Check) -> None:
    claim = "law same:\n  {dup(40n, L{}) == dup(40n, M{}) : T}\n\ndef same():\n  {==}\n"
    report = check(SHARED + claim, timeout=10)
    assert report.error is not None
    assert report.error.category == "mismatch"
    assert report.error.expected == "dup(40n, L{})", "printed as it stands: its normal form has 2^40 leaves"


def test_evaluation_that_does_not_end_is_given_up_on(check: Check) -> None:
    spin = "@unsafe\ndef spin(n: Nat) -> Nat:\n  spin(1n+n)\n\n"
    report = check(spin + "law f:\n  {spin(0n) == 1n : Nat}\n\ndef f():\n  {==}\n", timeout=1)
    assert report.error is not None
    assert report.error.category == "timeout"
    assert report.error.definition == "f"
    assert "--timeout" in (report.error.hint or "")


def test_lambdas_that_loop_without_any_call_are_given_up_on(check: Check) -> None:
    """Self-application through a negative datatype, in dead code: no definition is ever unfolded."""
    knot = "type Knot is Type:\n  Tie{pull: Knot -> Nat}\n\ndef quiet(-e: {0n == 1n : Nat}) -> Nat:\n  0n\n\n"
    loop = "  -yank : Knot -> Nat = \\{Tie: f => f(Tie{f})}\n  -boom = yank(Tie{yank})\n"
    report = check(f"{knot}def main() -> Nat:\n{loop}  quiet({{{{==}} : {{boom == 1n : Nat}}}})\n", timeout=1)
    assert report.error is not None
    assert report.error.category == "timeout"


@pytest.mark.parametrize(
    ("content", "category"),
    [(b"import Base\n\xff\xfe\n", "import"), (b"import Base\nimport ./missing.bend as M\n", "import")],
)
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes, category: str) -> None:
    file = tmp_path / "bad.bend"
    file.write_bytes(content)
    report = check_file(file)
    assert report.error is not None
    assert report.error.category == category


def test_a_missing_file_a_folder_and_an_empty_file(tmp_path: Path) -> None:
    for path in (tmp_path / "none.bend", tmp_path):
        report = check_file(path)
        assert report.error is not None
        assert report.error.category == "import"
    empty = tmp_path / "empty.bend"
    empty.write_text("")
    assert check_file(empty).accepted
