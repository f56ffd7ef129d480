"""reading.md, Calls, constructors, commas and Lambdas applied on the spot."""

from __future__ import annotations

import pytest

from tests.bend2.syntax.reading import body, read, refusal, term, term_refusal


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("Nat.add()", "Nat.add"),
        ("Nat.add(1n)(2n)", "Nat.add(1n, 2n)"),
        ("Nat.add (1n) (2n)", "Nat.add(1n, 2n)"),
        ("Nat.add(1n 2n,)", "Nat.add(1n, 2n)"),
        ("3n(1n)", "3n(1n)"),
        ('"s"(1n)', "str[115](1n)"),
        ("Nat.add!(1n)", "Nat.add!(1n)"),
        ("Some{1n,}", "Some{1n}"),
        ("Con{1n Nil{},}", "Con{1n, Nil{}}"),
        ("Con{1n [2n],}", "Con{Array.get(U32, 1n, 2n)}"),
        ("[1n 2n, 3n,]", "Con{1n, Con{2n, Con{3n, Nil{}}}}"),
        ("[]", "Nil{}"),
        ("(1n, 2n, 3n)", "Tuple{1n, Tuple{2n, 3n}}"),
        ("\\{Zero: 1n; Succ: p => p}", "\\{Zero: 1n; \\{Succ: (p => p); \\{}}}"),
        ("\\{Zero: 1n\n  Succ: p => p\n  q => q}", "\\{Zero: 1n; \\{Succ: (p => p); (q => q)}}"),
        ("\\{}", "\\{}"),
        ("\\{x => x}", "(x => x)"),
        ("\\{x => x}(1n)", "1n"),
        ("x[0]", "Array.get(U32, x, 0)"),
        ("x[0][1] <- 2", "Array.set(U32, Array.get(U32, x, 0), 1, 2)"),
        ("(x)[0] <- 1n & Nat", "Pair(Array.set(U32, x, 0, 1n), Nat)"),
        ("257n+x", "Nat.add(257n, x)"),
        ("2n+x", "Succ{Succ{x}}"),
        ("0n+x", "x"),
        ("1n+x <> []", "Succ{Con{x, Nil{}}}"),
        ("?hole", "?hole"),
        ("Kind(&0 <&> &1)", "Kind((&0 <&> &1))"),
        ("%e@x : {_ == e : Nat}; 1n", "%e@x : {_ == e : Nat}; 1n"),
        ("%f(x) : {_ == _ : Nat}\n  1n", "%_@f(x) : {_^0 == _^0 : Nat}; 1n"),
        ("%e : (_ => _); 1n", "%_@e : (_ => _^0); 1n"),
    ],
)
def test_terms(text: str, core: str) -> None:
    assert term(text) == core


@pytest.mark.parametrize(
    "text",
    [
        "Nat.add(1n,, 2n)",
        "Nat.add(,)",
        "(1n, 2n,)",
        "(1n 2n)",
        "()",
        "Some {1n}",
        "Nat.add!",
        "3n!(1n)",
        "\\{Zero: 1n, Succ: p => p}",
        "\\{Zero: 1n; x => x; Succ: p => p}",
        "Nat.double(~1n)",
        "List.map(Nat, ~Nat)",
        "List.map(~Nat)(~Nat)",
        "List.map(~Nat, Nat, ~Nat.double, [])",
        "List.map(~Nat, ~Nat, ~Nat.double, ~[])",
        "Later(~Nat)",
        "~Nat",
        "[-x]",
        "(x =>)",
    ],
)
def test_what_is_no_term(text: str) -> None:
    assert term_refusal(text).place == ("syntax", 3)


def test_an_offloaded_call_needs_a_top_level_name() -> None:
    assert refusal("import Base\ndef f(g: Nat -> Nat) -> Nat:\n  g!(1n)\n").place == ("syntax", 3)


@pytest.mark.parametrize("marks", [("", "", ""), ("~", "", ""), ("~", "~", ""), ("~", "~", "~")])
def test_marks_may_stop_early(marks: tuple[str, str, str]) -> None:
    first, second, third = marks
    assert term(f"List.map({first}Nat, {second}Nat, {third}Nat.double, [])") == "List.map(Nat, Nat, Nat.double, Nil{})"


def test_a_template_may_mark_its_own_calls() -> None:
    assert "f(A, x)" in body("def f(~A: Type, x: Nat) -> Nat:\n  f(~A, x)\n")


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("(x => x)(1n)", "1n"),
        ("(+x => Nat.add(x, x))(1n)", "Nat.add(1n, 1n)"),
        ("(x => y => Nat.add(y, x))(1n, 2n)", "Nat.add(2n, 1n)"),
        ("(x => y => Nat.add(y, x))(1n)", "(y => Nat.add(y, 1n))"),
        ("(g => g(g(1n)))(y => Nat.double(y))", "Nat.double(Nat.double(1n))"),
        ("(f => f)(y => y)(1n)", "1n"),
        ("((x => x) : Odd)(1n)", "1n"),
        ("(x => (y => x))(y)(2n)", "y"),
        ("(y => (x => y => x)(y))(1n)", "(y => 1n)"),
        ("(x => 1n)(nowhere(2n))", "1n"),
        ("{x => x : Nat}(1n)", "{(x => x) : Nat}(1n)"),
        ("(k = 1n; x => x)(2n)", "k = 1n; (x => x)(2n)"),
        ("(_ => 1n)(2n)", "1n"),
        ("z => (x => y => x)(z)", "(z => (y => z))"),
        ("(x => x)(Nat.add)(1n, 2n)", "Nat.add(1n, 2n)"),
    ],
)
def test_lambdas_applied_on_the_spot(text: str, core: str) -> None:
    assert term(text).replace("(k = ", "k = ") == core


def test_a_dropped_argument_must_be_readable_and_its_todo_counts() -> None:
    assert term_refusal("(x => 1n)(2n + 3n)").category == "operator"
    assert read("import Base\ndef f() -> Nat:\n  (x => 1n)(?TODO)\n").entry.todos == 1


def test_copies_are_objects_of_their_own() -> None:
    core = read("import Base\ndef f() -> Nat:\n  (x => Nat.add(x, x))(Nat.double(1n))\n").definitions["f"].body
    first, second = core.arguments  # type: ignore[union-attr]
    assert first is not second


@pytest.mark.parametrize(
    ("text", "todos"),
    [
        ("?TODO", 1),
        ("(1n : ?TODO)", 2),
        ("{1n : ?TODO}", 1),
        ("(x => 1n : ?TODO)", 3),
        ("x : ?TODO = 1n; x", 1),
        ("?TODOS", 0),
    ],
)
def test_todos_are_counted_as_read(text: str, todos: int) -> None:
    assert read(f"import Base\ndef f() -> Nat:\n  {text}\n").entry.todos == todos


def test_a_todo_in_a_dropped_row_and_in_a_signature_counts() -> None:
    text = "import Base\ndef f(x: ?TODO) -> Nat:\n  match x:\n    case a:\n      1n\n    case b:\n      ?TODO\n"
    assert read(text).entry.todos == 2
