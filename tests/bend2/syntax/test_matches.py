"""reading.md, Match compilation; language.md section 4."""

from __future__ import annotations

import re

import pytest

from bendml_cli.bend2.core.terms import Absurd, Lam, Match
from tests.bend2.syntax.reading import body, read, refusal

TWO = "def f(a: Bool, b: Bool) -> Nat:\n  match a b:\n"


def rows(text: str, head: str = TWO) -> str:
    return body(head + text)


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("    case x y: x\n", "(a => (b => a))"),
        ("    case x True{}: x\n", "(a => \\{True: a; \\{}})"),
        ("    case x x: x\n", "(a => (b => b))"),
        (
            "    case True{} y: y\n    case x True{}: x\n",
            "\\{True: \\{True: True{}; (b => b)}; (a => \\{True: a; \\{}})}",
        ),
        (
            "    case True{} True{}: 1n\n    case _ _: 2n\n",
            "\\{True: \\{True: 1n; (b => 2n)}; (a => (b => 2n))}",
        ),
    ],
)
def test_columns(text: str, core: str) -> None:
    assert rows(text) == core


def test_a_row_that_is_never_reached_still_makes_its_column_strict() -> None:
    core = body("def f(b: Bool) -> Nat:\n  match b:\n    case _: 7n\n    case True{}: 8n\n")
    assert core == "\\{True: 7n; (b => 7n)}"


def test_fields_come_before_later_parameters() -> None:
    text = "def f(m: Maybe<Nat>, b: Bool) -> Nat:\n  match m:\n    case Some{n}:\n      match n b:\n"
    core = body(text + "        case Succ{p} True{}: p\n    case None{}: 1n\n")
    expected = "\\{Some: \\{Succ: (p => \\{True: p; \\{}}); \\{}}; \\{None: (b => 1n); \\{}}}"
    assert core == expected


def test_the_scrutinee_and_row_variables_are_the_rebuilt_constructor() -> None:
    text = (
        "def f(m: Maybe<Nat>, b: Bool) -> Nat:\n  match m b:\n    case k True{}: g(k, m)\n    case Some{n} _: g(m, n)\n"
    )
    core = body(text + "    case j _: j\n")
    hit = "\\{Some: (n => \\{True: g(Some{n}, Some{n}); (b => g(Some{n}, n))}); "
    assert core == hit + "(m => \\{True: g(m, m); (b => m)})}"


def test_matching_what_is_matched_is_refused_at_the_match() -> None:
    text = "import Base\ndef f(m: Maybe<Nat>) -> Nat:\n  match m:\n    case Some{n}:\n"
    text += "      match\n        m:\n        case x: 1n\n"
    assert refusal(text).place == ("scrutinee", 5)
    again = "import Base\ndef f(m: Maybe<Nat>) -> Nat:\n  Some{x} = m\n  Some{y} =\n    m\n  x\n"
    assert refusal(again).place == ("scrutinee", 5)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  match\n    b a:\n    case True{} True{}: 1n\n", 4),  # closed by the split of a later one
        ("  match\n    Nat.double(a):\n    case x: 1n\n", 4),
        ("  match\n    c:\n    case x: 1n\n", 4),
        ("  k = a\n  match\n    a:\n    case x: 1n\n", 5),
        ("  k\n   = a\n  match k:\n    case True{}: 1n\n", 3),  # a let's name that was split
        ("  k = a\n  j = b\n  match\n    k:\n    case x: 1n\n", 6),
        ("  match b:\n    case True{}:\n      match\n        a:\n        case x: x\n", 6),
    ],
)
def test_scrutinees_that_are_refused(text: str, line: int) -> None:
    assert refusal("import Base\ndef f(a: Bool, b: Bool) -> Nat:\n" + text).place == ("scrutinee", line)


def test_a_column_of_variables_works_out_of_order_and_twice_and_on_lets() -> None:
    head = "def f(a: Bool, b: Bool) -> Nat:\n"
    assert body(head + "  match b a:\n    case x True{}: x\n") == "\\{True: (b => b); \\{}}"
    assert body(head + "  match b b:\n    case x y: g(x, y)\n") == "(a => (b => g(b, b)))"
    core = body(head + "  x y = a b\n  match y x:\n    case p q: g(p, q)\n")
    assert core == "(a => (b => x y = a b; g(y, x)))"


def test_no_rows_take_the_first_scrutinee_alone() -> None:
    assert body("def f(n: Nat, e: Empty, m: Nat) -> Nat:\n  match e m:\n") == "(n => \\{})"


def test_repeated_constructors_are_dropped_unread() -> None:
    text = (
        "    case True{}: 1n\n    case True{}: nowhere(1n + 1n)\n    case True{}:\n      match 1n:\n        case x: x\n"
    )
    assert body("def f(b: Bool) -> Nat:\n  match b:\n" + text) == "\\{True: 1n; \\{}}"


def test_a_row_past_all_constructors_is_compiled() -> None:
    text = "    case True{}: 1n\n    case False{}: 2n\n    case r:\n      match r:\n        case True{}: 3n\n"
    core = body("def f(b: Bool) -> Nat:\n  match b:\n" + text)
    assert core == "\\{True: 1n; \\{False: 2n; \\{True: 3n; \\{}}}}"


def test_a_row_of_several_branches_is_made_anew_in_each() -> None:
    definition = read("import Base\n" + TWO + "    case True{} _: 1n\n    case _ _: g(2n)\n    case x True{}: 3n\n")
    core = definition.definitions["f"].body
    assert isinstance(core, Match)
    assert core.hit is not core.miss


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("    case 0n: 1n\n    case 2n: 2n\n", "\\{Zero: 1n; \\{Succ: \\{Succ: \\{Zero: 2n; \\{}}; \\{}}; \\{}}}"),
        ("    case 2n+p: p\n", "\\{Succ: \\{Succ: (p => p); \\{}}; \\{}}"),
        ("    case 1n+2n+p: p\n", "\\{Succ: \\{Succ: \\{Succ: (p => p); \\{}}; \\{}}; \\{}}"),
        ("    case 1n++p: p\n", "\\{Succ: (+p => p); \\{}}"),
        ("    case (p : Odd): p\n", "(n => n)"),
        ("    case +p: p\n", "(+n => n)"),
        ("    case _: n\n", "(n => n)"),
        ("    case [p]: p\n", "\\{Con: (p => \\{Nil: p; \\{}}); \\{}}"),
        ("    case p <> q <> _: q\n", "\\{Con: (p => \\{Con: (q => (_ => q)); \\{}}); \\{}}"),
        ("    case (p, q, r): q\n", "\\{Tuple: (p => \\{Tuple: (q => (r => q)); \\{}}); \\{}}"),
        ('    case "": 1n\n', "\\{SNil: 1n; \\{}}"),
        ("    case Nat: Nat\n", "(n => n)"),
    ],
)
def test_patterns(text: str, core: str) -> None:
    assert body("def f(n: Nat) -> Nat:\n  match n:\n" + text) == core


def test_a_word_literal_has_its_lowest_bit_first() -> None:
    core = read("import Base\ndef f(n: U32) -> Nat:\n  match n:\n    case 2: 1n\n").definitions["f"].body
    bits = []
    assert isinstance(core, Match)
    assert core.constructor == "U32"
    core = core.hit
    while isinstance(core, Match) and core.constructor == "WCon":
        assert isinstance(core.hit, Match)
        bits.append(core.hit.constructor)
        core = core.hit.hit
    assert bits == ["False", "True", *["False"] * 30]
    assert isinstance(core, Match)
    assert core.constructor == "WNil"


@pytest.mark.parametrize(
    ("pattern", "category"),
    [
        ("257n+p", "pattern"),
        ("1n + p", "pattern"),
        ("w + y", "pattern"),
        ("x.y", "pattern"),
        ("x => x", "pattern"),
        ("f(x)", "pattern"),
        ("Maybe<Nat>", "pattern"),
        ("Type", "pattern"),
        ("{x : Nat}", "pattern"),
        ("?x", "pattern"),
        ("Some{}", "pattern"),
        ("Some{x, y}", "pattern"),
        ("Some{f(x)}", "pattern"),
        ("None", "unknown-name"),
        ("+None", "unknown-name"),
        ("Some{None}", "unknown-name"),
        ("Later{}", "unknown-name"),
        ("-x", "syntax"),
        ("(x = 1n; x)", "pattern"),
    ],
)
def test_what_is_no_pattern(pattern: str, category: str) -> None:
    text = f"import Base\ndef f(n: Nat) -> Nat:\n  match n:\n    case {pattern}: 1n\ntype T is Data:\n  Later{{}}\n"
    assert refusal(text).place == (category, 4)


def test_a_sugar_pattern_needs_its_constructor() -> None:
    assert refusal("def f(n: Nat) -> Nat:\n  match n:\n    case [x]: 1n\n").place == ("unknown-name", 3)


@pytest.mark.parametrize(
    ("text", "core"),
    [
        # A mark joins over all rows of its column, even unreachable ones.
        ("    case x y: x\n    case +x y: x\n", "(+a => (b => a))"),
        # After a split it joins per branch.
        ("    case True{} x: x\n    case False{} +y: y\n", "\\{True: (b => b); \\{False: (+b => b); \\{}}}"),
    ],
)
def test_marks_join(text: str, core: str) -> None:
    assert rows(text) == core


def test_marks_on_variables_that_a_split_refines_and_on_parameters_mark_the_fields() -> None:
    head = "def f(m: Maybe<Nat>, b: Bool) -> Nat:\n  match m b:\n"
    core = rows("    case +k True{}: k\n    case Some{n} False{}: n\n", head)
    assert core == "\\{Some: (+n => \\{True: Some{n}; \\{False: n; \\{}}}); (+m => \\{True: m; \\{}})}"
    assert body("def f(+m: Maybe<Nat>) -> Nat:\n  match m:\n    case Some{n}: n\n") == "\\{Some: (+n => n); \\{}}"


def test_marks_are_lost_on_a_let() -> None:
    assert body("def f(n: Nat) -> Nat:\n  m = n\n  match m:\n    case +k: k\n") == "(n => m = n; m)"


def test_places() -> None:
    text = (
        "import Base\ndef f(a: Nat, b: Nat) -> Nat:\n  match a:\n    case 0n: b\n    case 1n+p: p\n    case 1n+q: q\n"
    )
    book = read(text)
    source = book.sources.sources[0]
    core = book.definitions["f"].body
    assert isinstance(core, Match)
    assert source.line_of(core.pos) == 4
    assert isinstance(core.miss, Match)
    assert (source.line_of(core.miss.pos), source.column_of(core.miss.pos)) == (5, 10)
    assert isinstance(core.miss.hit, Lam)
    assert (source.line_of(core.miss.hit.pos), source.column_of(core.miss.hit.pos)) == (5, 13)
    assert isinstance(core.miss.miss, Absurd)
    assert source.line_of(core.miss.miss.pos) == 3


def test_a_destructuring_let_misses_cases_at_its_value() -> None:
    book = read("import Base\ndef f(m: Maybe<Nat>) -> Nat:\n  Some{x} =\n    m\n  x\n")
    core = book.definitions["f"].body
    assert isinstance(core, Match)
    assert book.sources.sources[0].line_of(core.miss.pos) == 4


COUNTED = [
    # The binders n and b, and the undotted names N, B and N; the body's are 5 more: x, y and the names in it.
    ("n: N, b: B) -> N", 5),
    ("n: n.n, b: B) -> N.x", 3),  # dotted names take none
    ("n: N, b: n) -> n", 3),  # bound ones neither
    ("n: N -> N, b: B) -> N", 7),  # an arrow takes one
    ("n: N, b: B) -> {n != n : B}", 6),  # and an inequation
    ("n: N, b: B) -> {n == n : B}", 5),
    ("n: N, b: B) -> (n : N)", 6),  # the type of a group is read twice
    ("n: N, b: B) -> (n, n : N -> N)", 7),
    ("n: N, b: B, _: B) -> N", 7),
    ("n: N, b: B) -> @x: n -> x", 5),
    ("n: N, b: D<N>) -> N", 6),
    ("n: N, b: B) -> K{n}", 4),  # a constructor takes none
    ("n: N, b: B) -> Type", 4),
]


@pytest.mark.parametrize(("signature", "number"), COUNTED)
def test_unnamed_fields_are_numbered_by_what_the_signature_reads(signature: str, number: int) -> None:
    text = "  match n b:\n    case Some{0n} True{}: 1n\n    case x y: 1n\n"
    core = body(f"def f({signature}:\n{text}")
    assert re.findall(r"_\d+", core) == [f"_{number + 2}"]


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("1n", 0),
        ("(%e : _; n)", 3),  # two for the rewrite, one for e
        ("(%q@e : (_, q); n)", 3),
        ("do M<n>:\n        m\n        n", 3),  # two for the step
        ("do M<n>:\n        x : n <- x\n        x", 2),
        ("(x => x)", 1),
        ("(k = n; k)", 1),
        ("(-k j = n n; k)", 2),
        ("\\{K: x => x}", 1),
    ],
)
def test_unnamed_fields_are_numbered_by_what_the_body_reads(statement: str, number: int) -> None:
    rows = "  match n:\n    case Some{0n}: 1n\n    case _: "
    core = body(f"def f(n: n.n) -> n:\n{rows}{statement}\n")
    # One for the parameter and one for the pattern _ come before.
    assert re.findall(r"_\d+", core)[0] == f"_{number + 2}"


def test_unnamed_fields_are_numbered_hit_before_miss() -> None:
    text = "    case (0n, 0n): 1n\n    case Some{0n}: 1n\n    case _: n\n"
    core = body(f"def f(n: n.n) -> n:\n  match n:\n{text}")
    # The fields of Tuple are _2 and _3, that of Some _4.
    assert re.findall(r"_\d+", core) == ["_3", "_3", "_2", "_3", "_2", "_3", "_4", "_4"]


def test_a_number_whose_bits_were_all_matched_is_rebuilt_as_its_literal() -> None:
    core = body('def f(s: String) -> Nat:\n  match s:\n    case "ab": 1n\n    case k: g(k)\n')
    assert re.search(r"g\(SCon\{Chr\{97\}, SCon\{Chr\{98\}, \w+\}\}\)", core)
    # Another second character: what is known of it are bits.
    assert "g(SCon{Chr{97}, SCon{Chr{U32{WCon{False{}, WCon{True{}, " in core
    assert "WNil{}" not in core


def test_a_number_that_is_matched_itself_is_rebuilt_bit_by_bit() -> None:
    core = body("def f(n: U32) -> U32:\n  match n:\n    case 1: g(n)\n    case k: k\n")
    assert re.search(r"g\(U32\{WCon\{True\{\}, WCon\{False\{\}, .*WNil\{\}\}", core)
