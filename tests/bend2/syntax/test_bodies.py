"""reading.md, Bodies and do."""

from __future__ import annotations

import pytest

from tests.bend2.syntax.reading import body, read, refusal, term, term_refusal


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("x = 1n\n  x", "x = 1n; x"),
        ("x = 1n; x", "x = 1n; x"),
        ("x = 1n x", "x = 1n; x"),
        ("+x = 1n\n  x", "+x = 1n; x"),
        ("+\n  x = 1n\n  x", "+x = 1n; x"),
        ("(x) = 1n\n  x", "x = 1n; x"),
        ("x : Nat = 1n\n  x", "x = {1n : Nat}; x"),
        ("x\n  :\n  Nat\n  = 1n\n  x", "x = {1n : Nat}; x"),
        ("+x : Nat = 1n; x", "+x = {1n : Nat}; x"),
        ("-x = 1n\n  2n", "-x = 1n; 2n"),
        ("-x : Nat = 1n\n  2n", "-x = {1n : Nat}; 2n"),
        ("-x y z = 1n 2n 3n\n  2n", "-x -y -z = 1n 2n 3n; 2n"),
        ("x +y z = 1n 2n\n   3n\n  y", "x +y z = 1n 2n 3n; y"),
        ("x y = 1n 2n; x y = y x\n  x", "x y = 1n 2n; x y = y x; x^2"),
        ("_ = 1n\n  _", "_ = 1n; _"),
        ("x = x\n  x", "x = x; x"),
        ("x = y => y\n  x", "x = (y => y); x"),
        ("a[0] <- 1\n  a", "a = Array.set(U32, a, 0, 1); a"),
        ("a[0] <- 1; a", "a = Array.set(U32, a, 0, 1); a"),
        ("a[0] <- 1; a[1] <- 2\n", "a = Array.set(U32, a, 0, 1); Array.set(U32, a, 1, 2)"),
        ("a[0] <- 1\n  a[1] <- 2\n", "a = Array.set(U32, a, 0, 1); Array.set(U32, a, 1, 2)"),
        ("b = a[0] <- 1\n  b", "b = Array.set(U32, a, 0, 1); b"),
        ("x : Nat = (y : Nat); x", "x = {y : Nat}; x"),
        ("(x = 1n\n  x)", "x = 1n; x"),
        ("x => y = x\n  y", "(x => y = x; y)"),
        ("(x : Nat)", "x"),
    ],
)
def test_lets_and_writes(text: str, core: str) -> None:
    assert term(text) == core


@pytest.mark.parametrize(
    ("text", "category", "line"),
    [
        ("x y = 1n", "syntax", 4),
        ("x y = 1n, 2n\n  x", "syntax", 3),
        ("x y\n  x", "syntax", 4),
        ("x y == 1n 2n\n  x", "syntax", 3),
        ("f(1n) y = 1n 2n\n  y", "pattern", 3),
        ("(a, b) : Nat = 1n\n  a", "pattern", 3),
        ("-(a, b) = 1n\n  a", "syntax", 3),
        ("-x +y = 1n 2n\n  x", "syntax", 3),
        ("x : Nat\n  x", "syntax", 3),
        ("x == 1n", "syntax", 3),
        ("1n;", "syntax", 3),
        ("(a)[0] <- 1\n  a", "syntax", 4),
        ("a[0][1] <- 1\n  a", "syntax", 4),
        ("a[0] <- 1\n   a", "syntax", 4),
        ("a[0] <- 1; a[1] <- 2\n  a", "syntax", 4),
        ("x.y = 1n\n  1n", "pattern", 3),
        ("Nat.double(x) = 1n\n  1n", "pattern", 3),
        ("Nope{x} = 1n\n  1n", "unknown-name", 3),
        ("Some{x, y} = 1n\n  1n", "pattern", 3),
        ("None = 1n\n  1n", "unknown-name", 3),
    ],
)
def test_what_is_no_statement(text: str, category: str, line: int) -> None:
    assert term_refusal(text).place == (category, line)


def test_a_write_rebinds_whenever_any_token_stands_at_its_column() -> None:
    text = "import Base\ndef f(a: Nat) -> Nat:\na[0] <- 1\ndef g() -> Nat:\n  1n\n"
    assert refusal(text).place == ("syntax", 4)


MATCH = "def f(a: Bool, b: Bool) -> Nat:\n"


def test_rows_stand_right_of_the_enclosing_column_and_at_or_right_of_the_first() -> None:
    core = body(MATCH + "match a:\ncase True{}: 1n\n      case False{}: 2n\n")
    assert core == "\\{True: (b => 1n); \\{False: (b => 2n); \\{}}}"
    nested = "match a:\n  case True{}:\n    match b:\n    case x: 1n\n  case y:\n    2n\n"
    assert body(MATCH + nested) == "\\{True: (b => 1n); (a => (b => 2n))}"
    stolen = "match a:\n  case True{}:\n    match b:\n  case y:\n    2n\n"
    assert body(MATCH + stolen) == "\\{True: \\{}; (a => (b => 2n))}"
    one_line = "match a: case True{}: match b: case x: 1n case y: 2n\n"
    assert body(MATCH + one_line) == "\\{True: (b => 1n); \\{}}"


def test_a_case_that_belongs_to_no_match_is_an_error() -> None:
    text = "import Base\ndef f(a: Bool) -> Nat:\n  match a:\n    case True{}: 1n\n   case x: 2n\n"
    assert refusal(text).place == ("syntax", 5)


@pytest.mark.parametrize("columns", ["match a b", "match a, b", "match (a), (b)", "match a (: Nat)"])
def test_commas_between_scrutinees_are_optional(columns: str) -> None:
    text = MATCH + f"  {columns}:\n    case x, True{{}}: 1n\n"
    if ":" in columns:
        assert refusal("import Base\n" + text).category == "syntax"
    else:
        assert body(text) == "(a => \\{True: 1n; \\{}})"


@pytest.mark.parametrize("columns", ["match a b,", "match", "match a,, b"])
def test_commas_that_are_none(columns: str) -> None:
    assert refusal("import Base\n" + MATCH + f"  {columns}:\n    case x y: 1n\n").place == ("syntax", 3)


def test_a_wrong_count_of_patterns_points_at_the_first_pattern() -> None:
    found = refusal("import Base\n" + MATCH + "  match a b:\n    case\n      x:\n      1n\n")
    assert (found.place, found.column) == (("pattern", 5), 7)
    tuple_after_name = refusal("import Base\n" + MATCH + "  match a b:\n    case k (x, y): 1n\n")
    assert tuple_after_name.place == ("pattern", 4)


DO = "def f() -> Maybe<Nat>:\n  do Maybe<Nat>:\n"


@pytest.mark.parametrize(
    ("steps", "core"),
    [
        ("    return 1n", "Maybe.pure(&1, Nat, 1n)"),
        ("    m", "{m : Maybe<&1, Nat>}"),
        ("    x : Bool <- m\n    return x", "Maybe.bind(&1, Bool, Nat, m, (x => Maybe.pure(&1, Nat, x)))"),
        (
            "    +x : Bool <- m  y : Nat <- n return x",
            "Maybe.bind(&1, Bool, Nat, m, (+x => Maybe.bind(&1, Nat, Nat, n, (y => Maybe.pure(&1, Nat, x)))))",
        ),
        ("    x : Bool = m\n    x", "x = {m : Bool}; {x : Maybe<&1, Nat>}"),
        ("    +x : Bool = m; x", "+x = {m : Bool}; {x : Maybe<&1, Nat>}"),
        ("    Bool <- m\n    n", "Maybe.bind(&1, Bool, Nat, m, (_ => {n : Maybe<&1, Nat>}))"),
        ("    m\n    n", "Maybe.bind(&1, Unit, Nat, m, (_ => {n : Maybe<&1, Nat>}))"),
        ("    m; n", "Maybe.bind(&1, Unit, Nat, m, (_ => {n : Maybe<&1, Nat>}))"),
        ("    x :\n Bool\n <-\n m\n   return x", "Maybe.bind(&1, Bool, Nat, m, (x => Maybe.pure(&1, Nat, x)))"),
        ("    x <- m\n    n", "Maybe.bind(&1, x, Nat, m, (_ => {n : Maybe<&1, Nat>}))"),
        ("    y => m", "{(y => m) : Maybe<&1, Nat>}"),
    ],
)
def test_do_statements(steps: str, core: str) -> None:
    assert body(DO + steps + "\n") == core


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        ("    m\n     n", 5),
        ("    -x : Nat = m\n    n", 4),
        ("    match m:\n      case x: n", 4),
        ("    return m\n    n", 5),
        ("    x : Nat -> Nat <- m\n    n", 4),
    ],
)
def test_what_is_no_do_statement(steps: str, line: int) -> None:
    assert refusal("import Base\n" + DO + steps + "\n").place == ("syntax", line)


@pytest.mark.parametrize("target", ["x", "(a, b)"])
def test_an_untyped_let_in_do_ends_the_block_which_is_then_no_pattern(target: str) -> None:
    assert refusal("import Base\n" + DO + f"    {target} = m\n    n\n").place == ("pattern", 3)


def test_do_over_several_arguments_none_and_a_def() -> None:
    two = "def f() -> Nat:\n  do Result<Nat, Bool>:\n    x : Nat <- m\n    return x\n"
    assert body(two) == "Result.bind(&1, &1, Nat, Nat, Bool, m, (x => Result.pure(&1, &1, Nat, Bool, x)))"
    none = "def f() -> Nat:\n  do Walk<>:\n    x : Nat <- m\n    Nat <- n\n    return x\n"
    assert body(none) == "Walk.bind(Nat, m, (x => Walk.bind(Nat, n, (_ => Walk.pure(x)))))"
    assert body("def f() -> Nat:\n  do IO<Nat>:\n    m\n") == "{m : IO(Nat)}"
    assert body("def f() -> Nat:\n  do Maybe<&2, Nat>:\n    m\n") == "{m : Maybe<&2, Nat>}"


def test_do_in_a_group_ends_before_its_type() -> None:
    assert body("def f() -> Nat:\n  {do Walk<>:\n    x : Walk()}(1n)\n") == "{{x : Walk} : Walk}(1n)"


def test_a_block_has_no_pending_binders() -> None:
    for block in (
        "y => match n:\n    case x: 1n",
        "(match n:\n    case x: 1n)",
        "%e : Nat\n  match n:\n    case x: 1n",
        "y => Some{x} = n; x",
    ):
        text = f"import Base\ndef f(n: Nat, e: Nat) -> Nat:\n  {block}\n"
        assert refusal(text).category == "scrutinee"
    assert read("import Base\ndef f(n: Nat) -> Nat:\n  y => m = y\n    match m:\n        case k: k\n").items


def test_a_law_claim_is_a_block() -> None:
    assert refusal("import Base\nlaw f:\n  for n: Nat\n  match n:\n    case x: Nat\n").place == ("scrutinee", 4)
    read("import Base\nlaw f:\n  for n: Nat\n  k = n\n  {k == n : Nat}\n")
