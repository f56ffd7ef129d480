"""reading.md, Newlines and Operators."""

from __future__ import annotations

import pytest

from bendml_cli.bend2.core.terms import App, BareOperator, Pi
from tests.bend2.syntax.reading import body, claim, read, refusal, term, term_refusal


def sums(text: str) -> str:
    """The core of an operation on U32, with short names."""
    core = body(f"def f(a: U32, b: U32, c: U32) -> U32:\n  {text}\n")
    return core.removeprefix("(a => (b => (c => ").removesuffix(")))").replace("U32.", "")


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("(a + b * c : U32)", "add(a, mul(b, c))"),
        ("(a - b - c : U32)", "sub(sub(a, b), c)"),
        ("(a / b % c : U32)", "mod(div(a, b), c)"),
        ("(a << b + c : U32)", "shln(a, add(b, c))"),
        ("(a >> b << c : U32)", "shln(shrn(a, b), c)"),
        ("(a .&. b << c : U32)", "and(a, shln(b, c))"),
        ("(a .^. b .&. c : U32)", "xor(a, and(b, c))"),
        ("(a .|. b .^. c : U32)", "or(a, xor(b, c))"),
        ("(a ++ b ++ c)", "String.append(a, String.append(b, c))"),
        ("(a <> b ++ c)", "Con{a, String.append(b, c)}"),
        ("(a <&> b <&> c)", "(a <&> (b <&> c))"),
        ("((a .|. b : U32) <> c)", "Con{or(a, b), c}"),
        ("(a <= b <> c : U32)", "is_le(a, Con{b, c})"),
        ("(a >= b < c : U32)", "is_lt(is_ge(a, b), c)"),
        ("(a && b > c : U32)", "Bool.and(a, is_gt(b, c))"),
        ("(a && b && c)", "Bool.and(Bool.and(a, b), c)"),
        ("(a || b && c)", "Bool.or(a, Bool.and(b, c))"),
        ("(a & b || c)", "Pair(a, Bool.or(b, c))"),
        ("(a & b | c)", "Pair(a, Or(b, c))"),
        ("(a | b & c)", "Or(a, Pair(b, c))"),
        ("(a -> b & c -> c)", "(@_:a -> (@_:Pair(b, c) -> c))"),
    ],
)
def test_levels_and_associativity(text: str, core: str) -> None:
    assert sums(text) == core


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("(a -1 : U32)", "sub(a, 1)"),
        ("(a- b : U32)", "sub(a, b)"),
        ("(a-(b) : U32)", "sub(a, b)"),
        ("(a+1 : U32)", "add(a, 1)"),
        ("(a% b : U32)", "mod(a, b)"),
        ("(a %\n b : U32)", "mod(a, b)"),
        ("(a >b : U32)", "is_gt(a, b)"),
        ("(a >=b : U32)", "is_ge(a, b)"),
        ("(a >>b : U32)", "shrn(a, b)"),
        ("(a<b : U32)", "is_lt(a, b)"),
        ("(a<=b : U32)", "is_le(a, b)"),
        ("(a + b<c : U32)", "add(a, is_lt(b, c))"),
        ("(a + b <c : U32)", "is_lt(add(a, b), c)"),
        ("(a * b<c + a : U32)", "mul(a, is_lt(b, add(c, a)))"),
        ("a&&b||c", "Bool.or(Bool.and(a, b), c)"),
        ("(a\n- b : U32)", "sub(a, b)"),
        ("(a # note\n  < b : U32)", "is_lt(a, b)"),
    ],
)
def test_gluing(text: str, core: str) -> None:
    assert sums(text) == core


@pytest.mark.parametrize(
    "text", ["(a -b : U32)", "(a+b : U32)", "(a> b : U32)", "(a>= b : U32)", "(a>> b : U32)", "(a %b : U32)"]
)
def test_what_gluing_makes_no_operator(text: str) -> None:
    assert refusal(f"import Base\ndef f(a: U32, b: U32) -> U32:\n  {text}\n").place == ("syntax", 3)


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("Maybe<Nat>", "Maybe<&1, Nat>"),
        ("Maybe <Nat>", "Maybe<&1, Nat>"),
        ("Maybe\n  <Nat>", "Maybe<&1, Nat>"),
        ("Maybe<Nat >", "Maybe<&1, Nat>"),
        ("Maybe<Nat,>", "Maybe<&1, Nat>"),
        ("Maybe<&2, Nat, >", "Maybe<&2, Nat>"),
        ("Maybe<&2 <&> &1, Nat>", "Maybe<(&2 <&> &1), Nat>"),
        ("Result<Nat, Nat & Nat -> Nat>", "Result<&1, &1, Nat, (@_:Pair(Nat, Nat) -> Nat)>"),
        ("Result<Nat, x => x>", "Result<&1, &1, Nat, (x => x)>"),
        ("Result<&1, &1 Nat Nat>", "Result<&1, &1, Nat, Nat>"),
        ("Maybe<Maybe<Maybe<Nat>>>", "Maybe<&1, Maybe<&1, Maybe<&1, Nat>>>"),
        ("Maybe<@x:Nat -> Nat>", "Maybe<&1, (@x:Nat -> Nat)>"),
        ("Maybe<(Nat & Nat)>", "Maybe<&1, Pair(Nat, Nat)>"),
        ("[Maybe<Nat>, Nat]", "Con{Maybe<&1, Nat>, Con{Nat, Nil{}}}"),
        ("+Maybe<Nat>", "Maybe<&2, Nat>"),
        ("+Maybe<&1, Nat>", "Maybe<&2, Nat>"),
        ("+Marker", "Marker<&2, &2>"),
        ("Later<&1, Nat>", "Later<&1, Nat>"),
    ],
)
def test_type_arguments(text: str, core: str) -> None:
    assert term(text) == core


@pytest.mark.parametrize(
    "text", ["Result<Nat, Nat >", "Maybe<Nat & Nat>", "Maybe<Nat -> Nat>", "Maybe<x => x>", "Maybe<>", "+Maybe <Nat>"]
)
def test_what_is_no_list_of_type_arguments(text: str) -> None:
    assert term_refusal(f"[{text}]").place == ("syntax", 3)


def test_a_comma_after_a_comparison_commits_to_type_arguments() -> None:
    assert term_refusal("[(1n) < 2n, 3n]").place == ("syntax", 3)


def test_a_type_declared_below_is_not_filled() -> None:
    text = "import Base\ndef f() -> Type:\n  Box<Nat>\ntype Box<a, -A: Kind(a)> is Kind(a):\n  Box{}\n"
    core = read(text).definitions["f"].body
    assert len(core.arguments) == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["+Nope", "+Nat"])
def test_a_mark_on_what_has_no_quantity_is_an_unbound_name(text: str) -> None:
    assert term(text) == text


@pytest.mark.parametrize("text", ["+Nope<Nat>", "+Nat<Nat>", "+IO<Nat>"])
def test_a_marked_instance_needs_a_type_with_a_quantity(text: str) -> None:
    assert term_refusal(text).line == 3


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("(1n + (2n + 3n) : Nat)", "Nat.add(1n, Nat.add(2n, 3n))"),
        ("((1n + 2n : U32) + 3n : Nat)", "Nat.add(U32.add(1n, 2n), 3n)"),
        ("(k = 1n; k + 2n : Nat)", "k = 1n; Nat.add(k, 2n)"),
        ("(Bool.and((1n < 2n), True{}) : Nat)", "Bool.and(Nat.is_lt(1n, 2n), True{})"),
        ("(Bool.or(1n < 2n)(3n > 4n) : Nat)", "Bool.or(Nat.is_lt(1n, 2n), Nat.is_gt(3n, 4n))"),
        ("(1n < 2n && (3n < 4n) : Nat)", "Bool.and(Nat.is_lt(1n, 2n), Nat.is_lt(3n, 4n))"),
        ("(1n + 2n : Maybe<Nat>)", "Maybe.add(1n, 2n)"),
        ("(1n + 2n : +Maybe<Nat>)", "Maybe.add(1n, 2n)"),
        ("(1n + 2n : IO(Nat)(Nat))", "IO.add(1n, 2n)"),
        ("(1n + 2n : Odd.Name)", "Odd.Name.add(1n, 2n)"),
        ('(3n : NoSuch<1, "x">)', "3n"),
        ("(1n, 2n + 3n : Nat)", "Tuple{1n, Nat.add(2n, 3n)}"),
        ("[1n + 2n : Nat^0n]", "Array.new(Nat, 0n, Nat.add(1n, 2n))"),
        ("[1n : Maybe<Nat>*4n]", "Array.new(Maybe<&1, Nat>, 2n, 1n)"),
        ("[1n : Nat*1n]", "Array.new(Nat, 0n, 1n)"),
        ("x[1 + 2]", "Array.get(U32, x, U32.add(1, 2))"),
        ("(x => (x + 1n : Nat))", "(x => Nat.add(x, 1n))"),
    ],
)
def test_namespaces(text: str, core: str) -> None:
    assert term(text) == core


@pytest.mark.parametrize(
    "text",
    [
        "1n + 2n",
        "(Nat.add(1n + 2n, 3n) : Nat)",
        "(x => x + 1n : Nat)",
        "(k = 1n + 2n; k : Nat)",
        "(Some{1n + 2n} : Nat)",
        "(1n + 2n <> [] : Nat)",
        "({1n + 2n : Nat} : Nat)",
        "(1n+2n + 3n : Nat)",
        "(1n + 2n, 3n : Nat)",
        "((1n + 2n, 3n) : Nat)",
        "([1n + 2n] : Nat)",
        "(1n + 2n : @x:Nat -> Nat)",
        "(1n + 2n : Nat -> Nat)",
        "x[0] <- 1 + 2",
        "[1n : Nat^1n + 1n]",
        "(x => 1n)(2n + 3n)",
        "[0 : Nat*3n]",
        "[0 : Nat*0n]",
        "[0 : Nat*n]",
        "{x => y => x + y : Nat}",
    ],
)
def test_operators_without_a_type(text: str) -> None:
    assert term_refusal(text).place == ("operator", 3)


def test_a_call_is_no_group() -> None:
    assert term_refusal("Nat.double(1n + 1n : Nat)").place == ("syntax", 3)


def test_the_first_bare_operator_of_a_body_is_reported_at_its_sign() -> None:
    found = refusal("import Base\ndef f(b: Bool) -> Nat:\n  match b:\n    case _:\n      [1n,\n       2n\n * 3n]\n")
    assert (found.place, found.column) == (("operator", 7), 2)


def test_a_bare_operator_in_a_dropped_row_does_not_count() -> None:
    body("def f(b: Bool) -> Nat:\n  match b:\n    case x:\n      1n\n    case y:\n      1n + 1n\n")


def test_a_bare_operator_comes_before_later_syntax_errors_and_after_earlier_ones() -> None:
    assert refusal("import Base\ndef f() -> Nat:\n  1n + 1n\ndef g(\n").place == ("operator", 3)
    assert refusal("import Base\ndef f() -> Nat:\n  [1n + 1n,,]\n").place == ("syntax", 3)


def test_a_signature_is_looked_at_up_to_its_first_binder() -> None:
    assert refusal("import Base\ndef f(x: 1n + 1n) -> Nat:\n  1n\n").place == ("operator", 2)
    assert refusal("import Base\ndef f() -> 1n + 1n:\n  1n\n").place == ("operator", 2)
    later = read("import Base\ndef f(x: Nat, y: 1n + 1n) -> Nat:\n  1n\n").definitions["f"].type
    assert isinstance(later, Pi)
    assert isinstance(later.codomain, Pi)
    assert isinstance(later.codomain.domain, App)
    assert isinstance(later.codomain.domain.function, BareOperator)


def test_a_newline_stops_a_call_and_an_index_and_a_write() -> None:
    assert term_refusal("Nat.double\n    (1n)").place == ("syntax", 4)
    assert term_refusal("x\n    [1n]").place == ("syntax", 4)
    assert term_refusal("x[1]\n    <- 2").place == ("syntax", 4)
    assert term("[4n\n    (5n)]") == "Con{4n, Con{5n, Nil{}}}"
    assert term("Nat.double\n   !(1n)") == "Nat.double!(1n)"
    assert term("x\n   =>\n   1n") == "(x => 1n)"


def test_a_claim_that_starts_with_an_and_joins_the_term_before_it() -> None:
    assert refusal("import Base\nlaw f:\n  for n: Nat\n  &x:Nat -> Nat\n").category == "syntax"


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("@x:Nat -> Nat", "(@x:Nat -> Nat)"),
        ("@-x: Nat & Nat -> Nat -> Nat", "(@-x:Pair(Nat, Nat) -> (@_:Nat -> Nat))"),
        ("@+ x : (Nat -> Nat) -> Nat", "(@+x:(@_:Nat -> Nat) -> Nat)"),
        ("&x:Nat -> {x == x : Nat}", "Exists(Nat, (x => {x == x : Nat}))"),
        ("Nat & &c:Nat -> Nat", "Pair(Nat, Exists(Nat, (c => Nat)))"),
        ("{1n != 2n : Nat}", "(@_:{1n == 2n : Nat} -> Empty)"),
        ("{x => x == y => y : Nat}", "{(x => x) == (y => y) : Nat}"),
    ],
)
def test_function_types_and_equations(text: str, core: str) -> None:
    assert term(text) == core


def test_an_arrow_in_a_domain_needs_parentheses() -> None:
    assert claim("def f() -> @x:Nat -> Nat -> Nat:\n  1n\n") == "(@x:Nat -> (@_:Nat -> Nat))"
