"""Properties of the checker: random programs against a Python model, and random mutations of proofs refused."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.report import Report

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check_text(folder: Path, text: str, *, main: bool = False) -> Report:
    """Check a program given as text; Base is checked once for each folder."""
    file = folder / "program.bend"
    file.write_text("import Base\n\n" + text, encoding="utf-8")
    return check_file(file, main=main, timeout=20, cache=folder / "cache")


# -- random closed terms against a Python model ---------------------------------------------------------------------


@dataclass
class Typed:
    """A Bend term with the Python value it must compute to."""

    text: str
    value: Any


def show(value: object) -> str:
    """The normal form that Bend prints for a model value; None and 1-tuples are Maybe."""
    match value:
        case bool():
            return "True{}" if value else "False{}"
        case int():
            return f"{value}n"
        case list():
            return f"[{', '.join(show(each) for each in value)}]"
        case None:
            return "None{}"
        case (inner,):
            return f"Some{{{show(inner)}}}"
    raise AssertionError(value)


@st.composite
def nats(draw: st.DrawFn, depth: int) -> Typed:
    """A Nat term."""
    forms = (
        ["literal"] if depth == 0 else ["literal", "succ", "add", "sub", "mul", "div", "min", "length", "pick", "of"]
    )
    match draw(st.sampled_from(forms)):
        case "succ":
            inner = draw(nats(depth - 1))
            return Typed(f"1n+{inner.text}", inner.value + 1)
        case "add" | "sub" | "mul" | "min" as name:
            a, b = draw(nats(depth - 1)), draw(nats(depth - 1))
            model = {"add": a.value + b.value, "sub": max(a.value - b.value, 0), "mul": a.value * b.value}
            return Typed(f"Nat.{name}({a.text}, {b.text})", model.get(name, min(a.value, b.value)))
        case "div":
            a, b = draw(nats(depth - 1)), draw(nats(depth - 1))
            return Typed(f"Nat.div({a.text}, {b.text})", a.value // b.value if b.value else 0)
        case "length":
            xs = draw(lists(depth - 1))
            return Typed(f"List.length(&2, Nat, {xs.text})", len(xs.value))
        case "pick":
            c, a, b = draw(bools(depth - 1)), draw(nats(depth - 1)), draw(nats(depth - 1))
            return Typed(f"Bool.pick(Nat, {c.text}, {a.text}, {b.text})", a.value if c.value else b.value)
        case "of":
            m, d = draw(maybes(depth - 1)), draw(nats(depth - 1))
            return Typed(f"Maybe.default(&2, Nat, {m.text}, {d.text})", m.value[0] if m.value else d.value)
    number = draw(st.integers(0, 9))
    return Typed(f"{number}n", number)


@st.composite
def bools(draw: st.DrawFn, depth: int) -> Typed:
    """A Bool term."""
    forms = ["literal"] if depth == 0 else ["literal", "not", "and", "or", "lt", "eq", "empty", "some"]
    match draw(st.sampled_from(forms)):
        case "not":
            inner = draw(bools(depth - 1))
            return Typed(f"Bool.not({inner.text})", not inner.value)
        case "and" | "or" as name:
            a, b = draw(bools(depth - 1)), draw(bools(depth - 1))
            sign = {"and": "&&", "or": "||"}[name]
            value = (a.value and b.value) if name == "and" else (a.value or b.value)
            return Typed(f"({a.text} {sign} {b.text})", value)
        case "lt" | "eq" as name:
            a, b = draw(nats(depth - 1)), draw(nats(depth - 1))
            return Typed(
                f"Nat.is_{name}({a.text}, {b.text})", a.value < b.value if name == "lt" else a.value == b.value
            )
        case "empty":
            xs = draw(lists(depth - 1))
            return Typed(f"List.is_empty(&2, Nat, {xs.text})", not xs.value)
        case "some":
            m = draw(maybes(depth - 1))
            return Typed(f"Maybe.is_some(&2, Nat, {m.text})", m.value is not None)
    value = draw(st.booleans())
    return Typed(show(value), value)


@st.composite
def lists(draw: st.DrawFn, depth: int) -> Typed:
    """A List<&2, Nat> term."""
    forms = ["literal"] if depth == 0 else ["literal", "cons", "append", "reverse", "take", "drop", "range"]
    match draw(st.sampled_from(forms)):
        case "cons":
            a, xs = draw(nats(depth - 1)), draw(lists(depth - 1))
            return Typed(f"Con{{{a.text}, {xs.text}}}", [a.value, *xs.value])
        case "append":
            xs, ys = draw(lists(depth - 1)), draw(lists(depth - 1))
            return Typed(f"List.append(&2, Nat, {xs.text}, {ys.text})", xs.value + ys.value)
        case "reverse":
            xs = draw(lists(depth - 1))
            return Typed(f"List.reverse(&2, Nat, {xs.text})", xs.value[::-1])
        case "take" | "drop" as name:
            xs, n = draw(lists(depth - 1)), draw(nats(depth - 1))
            value = xs.value[: n.value] if name == "take" else xs.value[n.value :]
            return Typed(f"List.{name}(&2, Nat, {xs.text}, {n.text})", value)
        case "range":
            number = draw(st.integers(0, 5))
            return Typed(f"List.range({number}n)", list(range(number)))
    numbers = draw(st.lists(st.integers(0, 5), max_size=3))
    return Typed(show(numbers), numbers)


@st.composite
def maybes(draw: st.DrawFn, depth: int) -> Typed:
    """A Maybe<&2, Nat> term."""
    forms = ["none"] if depth == 0 else ["none", "some", "head", "get", "or"]
    match draw(st.sampled_from(forms)):
        case "some":
            inner = draw(nats(depth - 1))
            return Typed(f"Some{{{inner.text}}}", (inner.value,))
        case "head":
            xs = draw(lists(depth - 1))
            return Typed(f"List.head(&2, Nat, {xs.text})", (xs.value[0],) if xs.value else None)
        case "get":
            xs, n = draw(lists(depth - 1)), draw(nats(depth - 1))
            found = (xs.value[n.value],) if n.value < len(xs.value) else None
            return Typed(f"List.get(&2, Nat, {xs.text}, {n.text})", found)
        case "or":
            a, b = draw(maybes(depth - 1)), draw(maybes(depth - 1))
            return Typed(f"Maybe.or(&2, Nat, {a.text}, {b.text})", b.value if a.value is None else a.value)
    return Typed("None{}", None)


PROGRAMS = {"Nat": nats, "Bool": bools, "List<&2, Nat>": lists, "Maybe<&2, Nat>": maybes}


@pytest.mark.slow
@pytest.mark.parametrize("type_", PROGRAMS)
@SLOW
@given(data=st.data())
def test_normal_forms_agree_with_a_python_model(tmp_path: Path, type_: str, data: st.DataObject) -> None:
    typed = data.draw(PROGRAMS[type_](3))
    claim = f"law claim:\n  {{{typed.text} == {show(typed.value)} : {type_}}}\n\ndef claim():\n  {{==}}\n\n"
    report = check_text(tmp_path, claim + f"def main() -> {type_}:\n  {typed.text}\n", main=True)
    assert report.accepted, report.error
    assert report.main == show(typed.value)


# -- mutations of proofs --------------------------------------------------------------------------------------------

LIBRARY = """
def half(n: Nat) -> Nat:
  match n:
    case 0n:
      0n
    case 1n:
      0n
    case 2n+p:
      1n+half(p)

def flip(b: Bool) -> Bool:
  match b:
    case True{}:
      False{}
    case False{}:
      True{}

def Holds(b: Bool) -> Type:
  match b:
    case False{}:
      Empty
    case True{}:
      Unit

law zero:
  for n: Nat
  {Nat.add(n, 0n) == n : Nat}

def zero(n):
  match n:
    case 0n:
      {==}
    case 1n+p:
      %zero(p) : {1n+Nat.add(p, 0n) == 1n+_ : Nat}
      {==}

law slide:
  for a: Nat
  for -b: Nat
  {1n+Nat.add(a, b) == Nat.add(a, 1n+b) : Nat}

def slide(a, b):
  match a:
    case 0n:
      {==}
    case 1n+p:
      %slide(p, b) : {2n+Nat.add(p, b) == 1n+_ : Nat}
      {==}

law swap:
  for a: Nat
  for +b: Nat
  {Nat.add(b, a) == Nat.add(a, b) : Nat}

def swap(a, b):
  match a:
    case 0n:
      zero(b)
    case 1n+p:
      %slide(b, p) : {_ == 1n+Nat.add(p, b) : Nat}
      %swap(p, b) : {1n+Nat.add(b, p) == 1n+_ : Nat}
      {==}

law twice:
  for b: Bool
  {flip(flip(b)) == b : Bool}

def twice(b):
  match b:
    case True{}:
      {==}
    case False{}:
      {==}

def lies(-A: Type, e: {True{} == False{} : Bool}) -> A:
  Empty.absurd(A, {%e : Holds(_); Unit{} : Empty})
"""

# Claims that are false whatever the definitions above are turned into, each with a proof that looks the part.
FALSE_LAWS = {
    "zero_is_one": ("", "{0n == 1n : Nat}", "{==}"),
    "true_is_false": ("", "{True{} == False{} : Bool}", "twice(True{})"),
    "nat_is_next": (
        "  for n: Nat\n",
        "{n == 1n+n : Nat}",
        "match n:\n    case 0n:\n      {==}\n    case 1n+p:\n      %nat_is_next(p) : {1n+p == 1n+_ : Nat}\n      {==}",
    ),
    "empty": ("", "Empty", "lies(Empty, twice(False{}))"),
    "all_nats_equal": (
        "  for a: Nat\n  for +b: Nat\n",
        "{a == b : Nat}",
        "match a:\n    case 0n:\n      zero(b)\n    case 1n+p:\n"
        "      %all_nats_equal(p, b) : {1n+p == _ : Nat}\n      {==}",
    ),
    "all_bools_equal": (
        "  for a: Bool\n  for b: Bool\n",
        "{a == b : Bool}",
        "match a b:\n    case True{} True{}:\n      {==}\n    case False{} False{}:\n      {==}\n"
        "    case _ _:\n      {==}",
    ),
    "sub_undoes_nothing": ("  for n: Nat\n", "{Nat.sub(1n+n, n) == 0n : Nat}", "zero(n)"),
    "lists_are_empty": (
        "  for xs: List<&2, Nat>\n",
        "{xs == Nil{} : List<&2, Nat>}",
        "match xs:\n    case Nil{}:\n      {==}\n    case h <> t:\n      lists_are_empty(t)",
    ),
}

SWAPS = [
    ("True{}", "False{}"),
    ("0n", "1n"),
    ("1n+", "2n+"),
    ("case 0n:", "case 2n:"),
    ("Nat.add", "Nat.mul"),
    ("Nat.add", "Nat.sub"),
    ("zero", "swap"),
    ("slide", "swap"),
    ("Empty", "Unit"),
    ("(p, b)", "(b, p)"),
    ("(a, b)", "(b, a)"),
    ("for n:", "for +n:"),
    ("for +b:", "for -b:"),
    ("for -b:", "for b:"),
    ("-A:", "A:"),
    ("_", "p"),
    ("{==}", "?TODO"),
    ("def ", "@unsafe def "),
    ("n", "p"),
    ("b", "a"),
]


def mutate(text: str, source: random.Random) -> str:
    """One small change: a word for another, a row dropped, or two rows' bodies exchanged."""
    if source.random() < 0.25:
        rows = [m.span() for m in re.finditer(r"    case [^\n]*\n(?:      [^\n]*\n)+", text)]
        if rows:
            begin, end = source.choice(rows)
            return text[:begin] + text[end:]
    pairs = [pair for pair in SWAPS + [(b, a) for a, b in SWAPS] if pair[0] in text]
    old, new = source.choice(pairs)
    places = [m.start() for m in re.finditer(re.escape(old), text)]
    at = source.choice(places)
    return text[:at] + new + text[at + len(old) :]


def test_the_library_is_accepted(tmp_path: Path) -> None:
    report = check_text(tmp_path, LIBRARY)
    assert report.accepted, report.error


@pytest.mark.slow
@pytest.mark.parametrize("name", FALSE_LAWS)
@SLOW
@given(seed=st.integers(0, 2**32), changes=st.integers(0, 4))
def test_no_false_law_is_ever_accepted(tmp_path: Path, name: str, seed: int, changes: int) -> None:
    source = random.Random(seed)
    clauses, claim, proof = FALSE_LAWS[name]
    library = LIBRARY
    for _ in range(changes):
        if source.random() < 0.5:
            proof = mutate(proof, source) if any(old in proof for pair in SWAPS for old in pair) else proof
        else:
            library = mutate(library, source)
    binders = ", ".join(re.findall(r"for [+-]?(\w+)", clauses))
    text = f"{library}\nlaw {name}:\n{clauses}  {claim}\n\ndef {name}({binders}):\n  {proof}\n"
    report = check_text(tmp_path, text)
    assert not report.accepted, text
