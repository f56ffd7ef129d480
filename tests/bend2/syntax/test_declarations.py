"""reading.md, Declarations; language.md sections 1 and 2."""

from __future__ import annotations

import pytest

from bendml_cli.bend2.core.terms import Quant
from tests.bend2.syntax.core_text import core_text
from tests.bend2.syntax.reading import body, claim, read, refusal


def refused(text: str) -> tuple[str, int | None]:
    """The category and line of a refusal; the text starts on line 2."""
    return refusal("import Base\n" + text).place


def test_a_datatype() -> None:
    text = "type D<a b: Quant, -A: Kind(a),> is Kind(a <&> b): K{x: A, q -y: D<&1, &1, A>} L {} M{}\n"
    book = read("import Base\n" + text)
    datatype = book.datatypes["D"]
    assert [(p.quantity, p.name) for p in datatype.parameters] == [("-", "a"), ("", "b"), ("-", "A")]
    assert datatype.quantity_block == 2
    assert core_text(datatype.kind, ("a", "b", "A")) == "Kind((a <&> b))"
    assert datatype.constructors == ["K", "L", "M"]
    fields = book.constructors["K"].fields
    assert [(f.quantity, f.name) for f in fields] == [("", "x"), ("-", "q"), ("-", "y")]
    assert isinstance(fields[1].type, Quant)
    assert core_text(fields[2].type, ("a", "b", "A", "x", "q")) == "D<&1, &1, A>"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("type D is Data:\n  K{x: Nat, x: Nat}\n", ("name-clash", 3)),
        ("type D is Data:\n  K{}\n  K{}\n", ("name-clash", 4)),
        ("type D is Data:\n  None{}\n", ("name-clash", 3)),
        ("type Nat is Data:\n  K{}\n", ("name-clash", 2)),
        ("type D is Data:\n  K{~x: Nat}\n", ("template", 3)),
        ("type D is Data:\n  K{-x}\n", ("syntax", 3)),
        ("type D is Data:\n  K\n  L{}\n", ("syntax", 4)),
        ("type D is Data:\n  K{}, L{}\n", ("syntax", 3)),
        ("type D is Data:\n  K{} match\n", ("syntax", 3)),
        ("type D is Data:\n  import\n", ("syntax", 3)),
        ("type D Data:\n  K{}\n", ("syntax", 2)),
        ("type D is Data\n  K{}\n", ("syntax", 3)),
        ("def f(n: Nat, ~g: Nat) -> Nat:\n  n\n", ("template", 2)),
        ("def f(+n) -> Nat:\n  n\n", ("syntax", 2)),
        ("def f(n: Nat,, m: Nat) -> Nat:\n  n\n", ("syntax", 2)),
        ("def f -> Nat:\n  n\n", ("syntax", 2)),
        ("def f():\n  1n\n", ("syntax", 2)),
        ("def f() -> Nat\n  1n\n", ("syntax", 3)),
        ("def f() -> Nat:\n  1n\n  2n\n", ("syntax", 4)),
        ("def f() -> Nat:\n  1n\ndef f() -> Nat:\n  1n\n", ("name-clash", 4)),
        ("def f() -> Nat:\n  1n\nlaw f:\n  Nat\n", ("name-clash", 4)),
        ("def f() -> Nat:\n  1n\ntype f is Data:\n", ("name-clash", 4)),
        ("law Nat.double:\n  Nat\n", ("name-clash", 2)),
        ("unsafe def f() -> Nat:\n  1n\n", ("syntax", 2)),
        ("@safe def f() -> Nat:\n  1n\n", ("syntax", 2)),
        ("law f:\n  for n: Nat for ~m: Nat\n  Nat\n", ("template", 3)),
        ("law f:\n  exs ~m: Nat\n  Nat\n", ("syntax", 3)),
        ("law f:\n  for n\n  Nat\n", ("syntax", 4)),
        ("law f:\n  for n: Nat,\n  Nat\n", ("syntax", 3)),
        ("law f:\n", ("syntax", 3)),
        ('def f(~n: Nat) -> Nat:\n  import "./x.c"\n', ("template", 2)),
        ('def f() -> Nat:\n  import "./x.py"\n', ("syntax", 3)),
        ('def f() -> Nat:\n  import "./x.c"\n  1n\n', ("syntax", 4)),
        ("def f() -> Nat:\n  import ./x.c\n", ("syntax", 3)),
    ],
)
def test_declarations_that_are_refused(text: str, place: tuple[str, int]) -> None:
    assert refused(text) == place


def test_repeated_parameters_are_allowed_and_the_last_wins() -> None:
    assert body("def f(x: Nat, x: Nat) -> Nat:\n  x\n") == "(x => (x => x^1))"
    assert claim("def f(x: Nat, x: Nat) -> {x == x : Nat}:\n  x\n").endswith("{x^1 == x^1 : Nat}))")


def test_a_def() -> None:
    book = read("import Base\ndef f(~A: Type, ~g: A -> A, q, -x: A, +y: A) -> A:\n  y\n")
    definition = book.definitions["f"]
    assert (definition.arity, definition.templates, definition.unsafe) == (5, 2, False)
    expected = "(@~A:Kind(&1) -> (@~g:(@_:A -> A) -> (@-q:Quant -> (@-x:A -> (@+y:A -> A)))))"
    assert core_text(definition.type) == expected
    assert definition.body is not None
    assert core_text(definition.body) == "(A => (g => (q => (x => (+y => y)))))"
    assert [(item.what, item.key) for item in book.items][-1] == ("def", "f")


@pytest.mark.parametrize("header", ["@unsafe def f()", "@unsafe\n\ndef f()", "def f?()", "@unsafe def f?()"])
def test_unsafe(header: str) -> None:
    assert read(f"import Base\n{header} -> Nat:\n  1n\n").definitions["f"].unsafe


def test_a_foreign_def() -> None:
    definition = read('def f() -> Nat:\n  import "./a.c" import"b c.js"\ndef g() -> Nat:\n  f\n').definitions["f"]
    assert (definition.foreign, definition.body) == (("./a.c", "b c.js"), None)


def test_a_law() -> None:
    text = (
        "law f:\n  for ~A: Type for -n: A\n  for +m: A where {m == n : A}\n  exs k: A\n  for j: Nat\n  {k == j : A}\n"
    )
    expected = (
        "(@~A:Kind(&1) -> (@-n:A -> (@+m:Exists(A, (m => {m == n : A})) -> "
        "Exists(A, (k => (@j:Nat -> {k == j : A}))))))"
    )
    assert claim(text) == expected
    definition = read("import Base\n" + text).definitions["f"]
    assert (definition.templates, definition.arity, definition.body, definition.is_law) == (1, 0, None, True)


def test_an_exs_with_where() -> None:
    assert claim("law f:\n  exs k: Nat where {k == 0n : Nat}\n  Nat\n") == (
        "Exists(Exists(Nat, (k => {k == 0n : Nat})), (k => Nat))"
    )


LAW = "law f:\n  for ~g: Nat\n  for a: Nat\n  for b: Nat\n  Nat\n"


@pytest.mark.parametrize(
    ("names", "arity"),
    [("g", 1), ("g, a, b", 3), ("g a b c", 4), ("g, -a: Quant, b: Quant,", 3), ("g, +a: Quant", 2)],
)
def test_a_fill(names: str, arity: int) -> None:
    book = read(f"import Base\n{LAW}def f({names}):\n  1n\n")
    definition = book.definitions["f"]
    assert definition.arity == arity
    assert definition.body is not None
    assert core_text(definition.body).count("=>") == arity
    assert "+" not in core_text(definition.body)
    assert definition.fill_module is book.entry
    assert book.sources.sources[0].line_of(definition.fill_pos) == 7
    assert [item.what for item in book.items][-2:] == ["law", "fill"]


@pytest.mark.parametrize("names", ["", "~g, a", "g, -a", "g, +a", "g, a: Nat", "g, a: Type", "g,, a", "g, 1n"])
def test_names_that_fill_no_law(names: str) -> None:
    assert refused(f"{LAW}def f({names}):\n  1n\n") == ("syntax", 7)


def test_a_fill_has_no_result_type_and_stands_below_its_law_once() -> None:
    assert refused(LAW + "def f(g) -> Nat:\n  1n\n") == ("syntax", 7)
    assert refused("def f(g):\n  1n\n" + LAW) == ("syntax", 2)
    assert refused(LAW + "def f(g):\n  1n\ndef f(g):\n  1n\n") == ("name-clash", 9)
    assert refused("def F32.neg(x):\n  x\n") == ("name-clash", 2)


def test_a_fill_may_be_unsafe_or_foreign() -> None:
    law = "law f:\n  for a: Nat\n  Nat\n"
    assert read(f"import Base\n{law}def f?(a):\n  a\n").definitions["f"].unsafe
    assert read(f'import Base\n{law}def f(a):\n  import "x.js"\n').definitions["f"].foreign == ("x.js",)


def test_declarations_need_no_lines_of_their_own() -> None:
    book = read("import Base\ntype C is Data: A{} B{} def f(c: C) -> Nat: match c: case A{}: 1n def g() -> Nat: 1n")
    assert set(book.definitions) >= {"f", "g"}


def test_a_dotted_name_is_one_name() -> None:
    assert body("def f(x.y: Nat) -> Nat:\n  x.y\n") == "(x.y => x.y)"
    assert body("def f(x: Nat) -> Nat:\n  x.y\n") == "(x => x.y)"
