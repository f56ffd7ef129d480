# SPDX-License-Identifier: MIT
"""Base: its interface, its acceptance by the checker, native arithmetic against its definitions, and its behaviour."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendml_cli.bend2.api import check_file, with_deep_stack
from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.core.book import Book, Definition, spell_by_path
from bendml_cli.bend2.core.native import NATIVES
from bendml_cli.bend2.core.quote import normal_form
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import (
    App,
    Ctr,
    Data,
    NatLit,
    Pi,
    QuantLit,
    Ref,
    StrLit,
    Term,
    U32Lit,
)
from bendml_cli.bend2.core.values import Thunk
from bendml_cli.bend2.syntax.modules import read_book

MASK = (1 << 32) - 1
API = (Path(__file__).parent / "base_api.txt").read_text(encoding="utf-8").splitlines()
EQUATIONS = (Path(__file__).parent / "base_equations.txt").read_text(encoding="utf-8").splitlines()[1:]
TYPES = [line for line in API if line.startswith("type ")]
ROWS = [tuple(part.strip() for part in line.split("|", 2)) for line in API if " | " in line]
T = TypeVar("T")


def read(text: str) -> Book:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "entry.bend"
        path.write_text("import Base\n" + text, encoding="utf-8")
        return read_book(path)


@cache
def base() -> Book:
    return read("")


@cache
def checker(native: bool = True) -> Checker:
    """A checker with all of Base's definitions unfolding."""
    book = base()
    made = Checker(book, native=native)
    made.check(frozenset(book.modules))
    return made


# -- the interface ------------------------------------------------------------------------------------------------


def top_level_parts(text: str) -> list[str]:
    """Split parameters at the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "(<{" or (char == ">" and text[at - 1] == "-" and (depth := depth + 1)):
            depth += 1
        if char in ")}>":
            depth -= 1 if char != ">" or text[at - 1] != "-" else 2
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def as_law(name: str, parameters: str, result: str) -> str:
    clauses = [part if ":" in part else f"-{part}: Quant" for part in top_level_parts(parameters)]
    return f"law Api.{name}:\n" + "".join(f"  for {clause}\n" for clause in clauses) + f"  {result}\n"


def as_own_type(line: str) -> str:
    """A type of Base declared again, under names of its own."""
    matched = re.match(r"type ([\w.]+)", line)
    assert matched is not None
    text = re.sub(r"\b([A-Z]\w*)\{", r"Api_\1{", line)
    return re.sub(rf"(?<![\w.]){re.escape(matched[1])}(?=[<\s,}}>)])", "Api." + matched[1], text)


def plain(thing: Any) -> Any:
    """A declaration without places and other things that two readings of it may differ in."""
    if is_dataclass(thing) and not isinstance(thing, type):
        skipped = {"pos", "typing", "module"}
        return (
            type(thing).__name__,
            *[plain(getattr(thing, f.name)) for f in fields(thing) if f.name not in skipped],
        )
    if isinstance(thing, tuple | list):
        return tuple(plain(each) for each in thing)
    return re.sub(r"^Api[._]", "", thing) if isinstance(thing, str) else thing


@cache
def api() -> Book:
    """The interface read as declarations of its own beside Base."""
    laws = "".join(as_law(*row) for row in ROWS)
    return read("\n".join(map(as_own_type, TYPES)) + "\n" + laws)


def test_top_level_parts() -> None:
    assert top_level_parts("a, -A: Kind(a), f: A -> List<a, A>, e: {x == y : T}") == [
        "a",
        "-A: Kind(a)",
        "f: A -> List<a, A>",
        "e: {x == y : T}",
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_name_has_its_type(row: tuple[str, str, str]) -> None:
    book = api()
    wanted = book.definitions["Api." + row[0]]
    have = book.definitions[row[0]]
    assert have.module.is_base
    assert plain(have.type) == plain(wanted.type), show(have.type, (), spell_by_path)


@pytest.mark.parametrize("line", TYPES, ids=lambda line: line.split()[1])
def test_type_is_declared_so(line: str) -> None:
    book = api()
    name = re.split(r"[\s<]", line)[1]
    have, wanted = book.datatypes[name], book.datatypes["Api." + name]
    assert plain(have) == plain(wanted)
    for key in have.constructors:
        assert plain(book.constructors[key]) == plain(book.constructors["Api_" + key])


def test_every_other_name_is_a_helper_of_a_listed_one() -> None:
    listed = {row[0] for row in ROWS}
    for key in base().definitions:
        parents = [key[:at] for at, char in enumerate(key) if char == "."]
        assert key in listed or any(parent in listed and "." in parent for parent in parents), key


def test_two_defs_of_base_are_unsafe_and_no_law_of_reasoning_is_open() -> None:
    definitions = base().definitions
    assert [key for key, d in definitions.items() if d.unsafe] == ["Array.fork", "Array.join"]
    opened = {key for key, d in definitions.items() if d.is_law and d.body is None}
    heads = ("F32.", "IO.", "File", "Chan", "Process.run", "Array.atomic.", "U32.to_f32")
    assert all(key.startswith(heads) for key in opened)
    assert not any(equation(definitions[key]) for key in opened)


def equation(definition: Definition) -> bool:
    type_ = definition.type
    while isinstance(type_, Pi):
        type_ = type_.codomain
    return type(type_).__name__ == "Eq"


# -- acceptance ---------------------------------------------------------------------------------------------------


def test_base_is_accepted(tmp_path: Path) -> None:
    entry = tmp_path / "empty.bend"
    entry.write_text("import Base\n", encoding="utf-8")
    report = check_file(entry)
    assert report.accepted, report.error


def references(term: Any) -> set[str]:
    """The definitions that a term names."""
    if isinstance(term, Ref):
        return {term.key}
    if isinstance(term, tuple):
        return set().union(*map(references, term))
    if is_dataclass(term) and not isinstance(term, type):
        return set().union(*[references(getattr(term, f.name)) for f in fields(term) if f.name != "typing"])
    return set()


def test_definitions_use_only_what_stands_above() -> None:
    """Live code may name any definition of Base, so a circle in Base itself would pass the checker."""
    book = base()
    seen: set[str] = set()
    for item in book.items:
        definition = book.definitions.get(item.key)
        if definition is not None:
            seen.add(item.key)
            named = references(definition.body)
            assert {key for key in named if key in book.definitions} <= seen, item.key


def test_equations_hold_by_computation(tmp_path: Path) -> None:
    text = ["import Base\n"]
    for at, line in enumerate(EQUATIONS):
        parameters, equation = line.split(" | ")
        clauses = top_level_parts(parameters)
        names = [clause.split(":")[0] for clause in clauses]
        text.append(
            f"law equation{at}:\n" + "".join(f"  for -{clause}\n" for clause in clauses) + f"  {{{equation}}}\n"
        )
        text.append(f"def equation{at}({', '.join(names)}):\n  {{==}}\n")
    entry = tmp_path / "equations.bend"
    entry.write_text("\n".join(text), encoding="utf-8")
    report = check_file(entry)
    assert report.accepted, report.error


# -- running Base -------------------------------------------------------------------------------------------------


def call(name: str, *arguments: Term) -> Term:
    return App(Ref(name), arguments) if arguments else Ref(name)


def chars(text: str) -> Term:
    return StrLit(tuple(map(ord, text)))


def char(text: str) -> Term:
    return Ctr("Chr", (U32Lit(ord(text)),))


def bool_(value: bool) -> Term:
    return Ctr("True" if value else "False", ())


def list_(items: Sequence[Term]) -> Term:
    made: Term = Ctr("Nil", ())
    for item in reversed(items):
        made = Ctr("Con", (item, made))
    return made


def nats(items: list[int]) -> Term:
    return list_([NatLit(item) for item in items])


def strings(items: list[str]) -> Term:
    return list_([chars(item) for item in items])


def decode(term: Term) -> Any:
    """A normal form as a Python value; a constructor without one as its name and fields."""
    match term:
        case NatLit(value=value) | U32Lit(value=value):
            return value
        case StrLit(codes=codes):
            return "".join(map(chr, codes))
        case Ctr(key="True" | "False" as key):
            return key == "True"
        case Ctr(key="LT" | "EQ" | "GT" as key):
            return {"LT": -1, "EQ": 0, "GT": 1}[key]
        case Ctr(key="SNil" | "Nil" as key):
            return "" if key == "SNil" else []
        case Ctr(key="Chr", arguments=(code,)):
            return chr(decode(code))
        case Ctr(key="SCon", arguments=(head, tail)):
            return decode(head) + decode(tail)
        case Ctr(key="Con"):
            items = []
            while isinstance(term, Ctr) and term.key == "Con":
                items.append(decode(term.arguments[0]))
                term = term.arguments[1]
            assert decode(term) == []
            return items
        case Ctr(key="Tuple", arguments=(first, second)):
            return (decode(first), decode(second))
        case Ctr(key="None"):
            return None
        case Ctr(key="Some", arguments=(value,)):
            return ("some", decode(value))
        case Ctr(key="Zero"):
            return 0
        case Ctr(key="Succ", arguments=(pred,)):
            return 1 + decode(pred)
        case Ctr(key="U32", arguments=(word,)):
            return decode_word(word)
        case Ctr(key=key, arguments=arguments):
            return (key, *map(decode, arguments))
    raise AssertionError(show(term, (), spell_by_path))


def decode_word(term: Term) -> int:
    value, at = 0, 0
    while isinstance(term, Ctr) and term.key == "WCon":
        value += decode(term.arguments[0]) << at
        term, at = term.arguments[1], at + 1
    assert at == 32
    return value


def run(name: str, *arguments: Term, native: bool = True) -> Any:
    """The Python value of a call of a definition of Base."""
    machine = checker(native).machine
    term = call(name, *arguments)
    return with_deep_stack(lambda: decode(normal_form(machine, Thunk(term, ()), 0)))


def some(value: T | None) -> tuple[str, T] | None:
    return None if value is None else ("some", value)


# -- native arithmetic ----------------------------------------------------------------------------------------------

small = st.integers(0, 40)
word = st.one_of(
    st.integers(0, 3), st.integers(0, MASK), st.integers(MASK - 3, MASK), st.integers(0, 31).map(lambda i: 1 << i)
)
amount = st.integers(0, 35)


def divide(a: int, b: int) -> tuple[int, int]:
    return divmod(a, b) if b else (0, a)


def compare(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "is_eq": lambda a, b: a == b,
    "is_ne": lambda a, b: a != b,
    "is_lt": lambda a, b: a < b,
    "is_le": lambda a, b: a <= b,
    "is_gt": lambda a, b: a > b,
    "is_ge": lambda a, b: a >= b,
}

NAT_MODEL: dict[str, Callable[..., Any]] = {
    "Nat.double": lambda a: 2 * a,
    "Nat.add": lambda a, b: a + b,
    "Nat.sub": lambda a, b: max(a - b, 0),
    "Nat.mul": lambda a, b: a * b,
    "Nat.divmod": divide,
    "Nat.div": lambda a, b: divide(a, b)[0],
    "Nat.mod": lambda a, b: divide(a, b)[1],
    "Nat.min": min,
    "Nat.max": max,
    "Nat.cmp": compare,
    **{f"Nat.{name}": order for name, order in ORDERS.items()},
}

U32_MODEL: dict[str, Callable[..., Any]] = {
    "U32.inc": lambda a: (a + 1) & MASK,
    "U32.not": lambda a: a ^ MASK,
    "U32.shl": lambda a: (a << 1) & MASK,
    "U32.shr": lambda a: a >> 1,
    "U32.is_zero": lambda a: a == 0,
    "U32.is_even": lambda a: a % 2 == 0,
    "U32.log2": lambda a: max(a.bit_length() - 1, 0),
    "U32.add": lambda a, b: (a + b) & MASK,
    "U32.sub": lambda a, b: (a - b) & MASK,
    "U32.mul": lambda a, b: (a * b) & MASK,
    "U32.and": lambda a, b: a & b,
    "U32.or": lambda a, b: a | b,
    "U32.xor": lambda a, b: a ^ b,
    "U32.div": lambda a, b: divide(a, b)[0],
    "U32.mod": lambda a, b: divide(a, b)[1],
    "U32.min": min,
    "U32.max": max,
    "U32.cmp": compare,
    **{f"U32.{name}": order for name, order in ORDERS.items()},
}

MIXED_MODEL: dict[str, Callable[[int, int], int]] = {
    "U32.shln": lambda a, n: (a << n) & MASK,
    "U32.shrn": lambda a, n: a >> n,
    "U32.pow": lambda a, n: pow(a, n, 1 << 32),
}


def agrees(model: Callable[..., Any], name: str, *arguments: Term) -> None:
    expected = model(*map(decode, arguments))
    assert run(name, *arguments, native=True) == expected
    assert run(name, *arguments, native=False) == expected


def parameter_count(name: str) -> int:
    return base().definitions[name].arity


@pytest.mark.parametrize("name", NAT_MODEL)
@settings(max_examples=15, deadline=None)
@given(a=small, b=small)
def test_nat_definition_and_native(name: str, a: int, b: int) -> None:
    agrees(NAT_MODEL[name], name, *[NatLit(a), NatLit(b)][: parameter_count(name)])


@settings(max_examples=10, deadline=None)
@given(a=st.integers(0, 5), b=st.integers(0, 4))
def test_nat_pow_definition_and_native(a: int, b: int) -> None:
    agrees(pow, "Nat.pow", NatLit(a), NatLit(b))


@pytest.mark.parametrize("name", U32_MODEL)
@settings(max_examples=12, deadline=None)
@given(a=word, b=word)
def test_u32_definition_and_native(name: str, a: int, b: int) -> None:
    agrees(U32_MODEL[name], name, *[U32Lit(a), U32Lit(b)][: parameter_count(name)])


@pytest.mark.parametrize("name", MIXED_MODEL)
@settings(max_examples=8, deadline=None)
@given(a=word, n=amount)
def test_u32_by_nat_definition_and_native(name: str, a: int, n: int) -> None:
    agrees(MIXED_MODEL[name], name, U32Lit(a), NatLit(n))


@settings(max_examples=15, deadline=None)
@given(n=st.integers(0, 700))
def test_u32_nat_conversions(n: int) -> None:
    agrees(lambda a: a, "U32.from_nat", NatLit(n))
    agrees(lambda a: a, "U32.to_nat", U32Lit(n))


def test_u32_from_nat_wraps_natively() -> None:
    assert run("U32.from_nat", call("Nat.mul", NatLit(1 << 16), NatLit((1 << 16) + 1))) == 1 << 16


def test_every_native_name_is_compared() -> None:
    compared = {*NAT_MODEL, *U32_MODEL, *MIXED_MODEL, "Nat.pow", "U32.from_nat", "U32.to_nat"}
    assert set(NATIVES) <= compared


# -- words of any width ---------------------------------------------------------------------------------------------


def bits(value: int, width: int) -> Term:
    made: Term = Ctr("WNil", ())
    for at in reversed(range(width)):
        made = Ctr("WCon", (bool_(bool(value >> at & 1)), made))
    return made


WORD_MODEL: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


@pytest.mark.parametrize("width", [0, 1, 2, 3])
def test_word_arithmetic(width: int) -> None:
    n, top = NatLit(width), 1 << width
    for a in range(top):
        one = {"not": ~a, "shl": a << 1, "shr": a >> 1, "inc": a + 1}
        for name, value in one.items():
            assert run("Word.to_nat", n, call(f"Word.{name}", n, bits(a, width))) == value % top
        for b in range(top):
            words = bits(a, width), bits(b, width)
            for name, model in WORD_MODEL.items():
                assert run("Word.to_nat", n, call(f"Word.{name}", n, *words)) == model(a, b) % top, (name, a, b)
            assert run("Word.cmp", n, *words) == compare(a, b)


# -- Bool and Cmp ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", [False, True])
@pytest.mark.parametrize("b", [False, True])
def test_bool(a: bool, b: bool) -> None:
    assert run("Bool.and", bool_(a), bool_(b)) is (a and b)
    assert run("Bool.or", bool_(a), bool_(b)) is (a or b)
    assert run("Bool.xor", bool_(a), bool_(b)) is (a != b)
    assert run("Bool.cmp", bool_(a), bool_(b)) == compare(a, b)
    for c in (False, True):
        total = a + b + c
        assert run("Bool.full_add", bool_(a), bool_(b), bool_(c)) == (total % 2 == 1, total > 1)


@pytest.mark.parametrize(
    ("name", "holds"), [("is_lt", "LT"), ("is_eq", "EQ"), ("is_gt", "GT"), ("is_le", "LT EQ"), ("is_ge", "EQ GT")]
)
def test_cmp(name: str, holds: str) -> None:
    for key in ("LT", "EQ", "GT"):
        assert run(f"Cmp.{name}", Ctr(key, ())) is (key in holds.split())


# -- List -----------------------------------------------------------------------------------------------------------

NAT, AT_2 = Data("Nat", ()), QuantLit(2)
numbers = st.lists(st.integers(0, 9), max_size=8)
lists = settings(max_examples=30, deadline=None)


@lists
@given(xs=numbers, ys=numbers, n=st.integers(0, 10))
def test_lists_plain(xs: list[int], ys: list[int], n: int) -> None:
    def on(name: str, *rest: Term) -> Any:
        return run(f"List.{name}", AT_2, NAT, nats(xs), *rest)

    assert on("length") == len(xs)
    assert on("append", nats(ys)) == xs + ys
    assert on("reverse") == xs[::-1]
    assert on("is_empty") is (not xs)
    assert on("head") == some(xs[0] if xs else None)
    assert on("tail") == xs[1:]
    assert on("last") == some(xs[-1] if xs else None)
    assert on("get", NatLit(n)) == some(xs[n] if n < len(xs) else None)
    assert on("set", NatLit(n), NatLit(77)) == [77 if at == n else x for at, x in enumerate(xs)]
    assert on("take", NatLit(n)) == xs[:n]
    assert on("drop", NatLit(n)) == xs[n:]
    assert run("List.concat", AT_2, NAT, list_([nats(xs), nats(ys), nats(xs)])) == xs + ys + xs
    assert run("List.zip", AT_2, NAT, AT_2, NAT, nats(xs), nats(ys)) == list(zip(xs, ys, strict=False))
    assert run("List.range", NatLit(n)) == list(range(n))
    assert run("List.replicate", NAT, NatLit(n), NatLit(3)) == [3] * n


@lists
@given(xs=numbers, n=st.integers(0, 9))
def test_lists_templates(xs: list[int], n: int) -> None:
    under = call("Nat.is_gt", NatLit(n))
    assert run("List.map", NAT, NAT, call("Nat.add", NatLit(n)), nats(xs)) == [n + x for x in xs]
    assert run("List.filter", NAT, under, nats(xs)) == [x for x in xs if x < n]
    assert run("List.any", AT_2, NAT, under, nats(xs)) is any(x < n for x in xs)
    assert run("List.all", AT_2, NAT, under, nats(xs)) is all(x < n for x in xs)
    assert run("List.find", NAT, under, nats(xs)) == some(next((x for x in xs if x < n), None))
    assert run("List.contains", NAT, Ref("Nat.is_eq"), nats(xs), NatLit(n)) is (n in xs)
    assert run("List.show", AT_2, NAT, Ref("Nat.show"), nats(xs)) == str(xs)
    left, right = 1000, n
    for x in xs:
        left = max(left - x, 0)
    for x in reversed(xs):
        right = max(x - right, 0)
    assert run("List.foldl", AT_2, NAT, NAT, Ref("Nat.sub"), nats(xs), NatLit(1000)) == left
    assert run("List.foldr", AT_2, NAT, NAT, Ref("Nat.sub"), nats(xs), NatLit(n)) == right


@lists
@given(xs=st.lists(st.integers(0, 99), max_size=14))
def test_list_sort(xs: list[int]) -> None:
    assert run("List.sort", NAT, Ref("Nat.is_le"), nats(xs)) == sorted(xs)
    assert run("List.sort", NAT, Ref("Nat.is_ge"), nats(xs)) == sorted(xs, reverse=True)


@cache
def emptiness() -> Checker:
    """Base with an order of texts that tells only the empty one from the others."""
    book = read(
        "def before(a: String, b: String) -> Bool:\n  Bool.or(String.is_empty(a), Bool.not(String.is_empty(b)))\n"
    )
    made = Checker(book)
    made.check(frozenset(book.modules))
    return made


@lists
@given(xs=st.lists(st.sampled_from(["b", "a", "bx", "ay", "", "az"]), max_size=9))
def test_list_sort_is_stable(xs: list[str]) -> None:
    term = call("List.sort", Data("String", ()), Ref("before"), strings(xs))
    got = with_deep_stack(lambda: decode(normal_form(emptiness().machine, Thunk(term, ()), 0)))
    assert got == sorted(xs, key=lambda x: x != "")


# -- Char and String ------------------------------------------------------------------------------------------------

texts = st.text(st.sampled_from("ab, \tZ\n\x0b"), max_size=8)
textual = settings(max_examples=40, deadline=None)
SPACES = " \t\n\x0b\x0c\r"


def lower(text: str) -> str:
    return "".join(c.lower() if "A" <= c <= "Z" else c for c in text)


def upper(text: str) -> str:
    return "".join(c.upper() if "a" <= c <= "z" else c for c in text)


def test_char_classes() -> None:
    for code in [*range(130), 170, 233, 0x3A9]:
        c = chr(code)
        ascii_ = code < 128
        assert run("Char.is_digit", char(c)) is (c in "0123456789")
        assert run("Char.is_upper", char(c)) is (ascii_ and c.isupper())
        assert run("Char.is_lower", char(c)) is (ascii_ and c.islower())
        assert run("Char.is_alpha", char(c)) is (ascii_ and c.isalpha())
        assert run("Char.is_space", char(c)) is (c in SPACES)
        assert run("Char.to_upper", char(c)) == upper(c)
        assert run("Char.to_lower", char(c)) == lower(c)
        assert run("Char.show", char(c)) == c


@textual
@given(s=texts, p=texts, n=st.integers(0, 9))
def test_strings(s: str, p: str, n: int) -> None:
    def on(name: str, *rest: Term) -> Any:
        return run(f"String.{name}", chars(s), *rest)

    assert on("append", chars(p)) == s + p
    assert on("cmp", chars(p)) == ((s, p), compare(s, p))
    assert on("order", chars(p)) == compare(s, p)
    assert on("eq", chars(p)) is (s == p)
    for name in ("is_lt", "is_le", "is_gt", "is_ge"):
        assert on(name, chars(p)) is ORDERS[name](s, p)
    assert on("trim") == s.strip(SPACES)
    assert on("trim_start") == s.lstrip(SPACES)
    assert on("trim_end") == s.rstrip(SPACES)
    assert on("length") == len(s)
    assert on("is_empty") is (s == "")
    assert on("reverse") == s[::-1]
    assert on("take", NatLit(n)) == s[:n]
    assert on("drop", NatLit(n)) == s[n:]
    assert on("get", NatLit(n)) == some(s[n] if n < len(s) else None)
    assert on("to_list") == list(s)
    assert on("repeat", NatLit(n)) == s * n
    assert on("to_upper") == upper(s)
    assert on("to_lower") == lower(s)
    assert on("split", char(",")) == s.split(",")
    assert on("lines") == s.split("\n")
    assert run("String.from_list", list_([char(c) for c in s])) == s


@textual
@given(s=st.text(st.sampled_from("ab"), max_size=7), p=st.text(st.sampled_from("ab"), max_size=3))
def test_string_parts(s: str, p: str) -> None:
    assert run("String.starts_with", chars(s), chars(p)) is s.startswith(p)
    assert run("String.ends_with", chars(s), chars(p)) is s.endswith(p)
    assert run("String.contains", chars(s), chars(p)) is (p in s)


@textual
@given(xs=st.lists(texts, max_size=5), sep=texts)
def test_string_joins(xs: list[str], sep: str) -> None:
    assert run("String.concat", strings(xs)) == "".join(xs)
    assert run("String.join", strings(xs), chars(sep)) == sep.join(xs)


# -- numbers as text ------------------------------------------------------------------------------------------------

LARGEST_NAT = (1 << 48) - 1
digits = st.text(st.sampled_from("0123456789"), max_size=17)
read_texts = st.one_of(
    digits,
    st.text(st.sampled_from("0129 -+x:/"), max_size=5),
    st.integers(LARGEST_NAT - 20, LARGEST_NAT + 20).map(str),
    st.integers(MASK - 20, MASK + 20).map(str),
)


def read_model(text: str, largest: int) -> int | None:
    if not text or any(c not in "0123456789" for c in text):
        return None
    return int(text) if int(text) <= largest else None


@textual
@given(text=read_texts)
def test_reads(text: str) -> None:
    assert run("Nat.read", chars(text)) == some(read_model(text, LARGEST_NAT))
    assert run("U32.read", chars(text)) == some(read_model(text, MASK))


@pytest.mark.slow
@textual
@given(n=st.one_of(st.integers(0, 1000), word))
def test_shows(n: int) -> None:
    assert run("Nat.show", NatLit(n)) == str(n)
    assert run("U32.show", U32Lit(n)) == str(n)


@settings(max_examples=5, deadline=None)
@given(n=word, small_=st.integers(0, 120))
def test_shows_and_reads_without_native_arithmetic(n: int, small_: int) -> None:
    assert run("U32.show", U32Lit(small_), native=False) == str(small_)
    assert run("U32.read", chars(str(n)), native=False) == some(n)
    assert run("Nat.show", NatLit(small_), native=False) == str(small_)
    assert run("Nat.read", chars(str(small_)), native=False) == some(small_)


# -- Array ----------------------------------------------------------------------------------------------------------

U32 = Data("U32", ())


@lists
@given(d=st.integers(0, 3), writes=st.lists(st.tuples(st.integers(0, MASK), st.integers(0, 9)), max_size=5), i=word)
def test_arrays(d: int, writes: list[tuple[int, int]], i: int) -> None:
    model = [7] * (1 << d)
    array = call("Array.new", U32, NatLit(d), U32Lit(7))
    for at, value in writes:
        model[at % len(model)] = value
        array = call("Array.set", U32, array, U32Lit(at), U32Lit(value))
    assert run("Array.to_list", U32, array) == model
    assert run("Pair.snd", U32, U32, call("Array.get", U32, array, U32Lit(i))) == model[i % len(model)]
    assert run("Pair.snd", U32, U32, call("Array.size", U32, array)) == len(model)
    old, new = run("Array.swap", U32, array, U32Lit(i), U32Lit(5))[1], list(model)
    new[i % len(model)] = 5
    assert old == model[i % len(model)]
    swapped = call("Pair.fst", U32, U32, call("Array.swap", U32, array, U32Lit(i), U32Lit(5)))
    assert run("Array.to_list", U32, swapped) == new
    first, second = run("Array.clone", U32, array)
    assert first == second
    assert run("Array.to_list", U32, call("Array.map", U32, U32, call("U32.add", U32Lit(1)), array)) == [
        x + 1 for x in model
    ]


# -- Map and Set ----------------------------------------------------------------------------------------------------

keys = st.text(st.sampled_from("ab\0\U0010ffff"), max_size=3)


def map_(items: list[tuple[str, int]]) -> Term:
    pairs = [Ctr("Tuple", (chars(key), NatLit(value))) for key, value in items]
    return call("Map.from_list", AT_2, NAT, list_(pairs))


@lists
@given(
    items=st.lists(st.tuples(keys, st.integers(0, 9)), max_size=8),
    more=st.lists(st.tuples(keys, st.integers(10, 19)), max_size=4),
    key=keys,
)
def test_maps(items: list[tuple[str, int]], more: list[tuple[str, int]], key: str) -> None:
    model = dict(items)

    def on(name: str, *rest: Term) -> Any:
        return run(f"Map.{name}", AT_2, NAT, map_(items), *rest)

    assert on("to_list") == sorted(model.items())
    assert on("keys") == sorted(model)
    assert on("values") == [value for _, value in sorted(model.items())]
    assert on("size") == len(model)
    assert on("has", chars(key))[1] is (key in model)
    assert run("Map.get", NAT, NatLit(99), map_(items), chars(key))[1] == model.get(key, 99)
    assert on("pop", chars(key))[1] == some(model.get(key))
    whole = on("set", chars(key), NatLit(5))
    rebuilt = run(
        "Map.from_list",
        AT_2,
        NAT,
        list_([Ctr("Tuple", (chars(k), NatLit(v))) for k, v in sorted((model | {key: 5}).items())]),
    )
    assert whole == rebuilt, "a map is the same tree however it was built"
    left = {k: v for k, v in model.items() if k != key}
    assert on("del", chars(key)) == run(
        "Map.from_list", AT_2, NAT, list_([Ctr("Tuple", (chars(k), NatLit(v))) for k, v in left.items()])
    )
    assert run("Map.to_list", AT_2, NAT, call("Map.union", AT_2, NAT, map_(items), map_(more))) == sorted(
        (model | dict(more)).items()
    )


@lists
@given(items=st.lists(keys, max_size=6), key=keys)
def test_sets(items: list[str], key: str) -> None:
    made = call("Set.from_list", strings(items))
    assert run("Set.to_list", made) == sorted(set(items))
    assert run("Set.size", made) == len(set(items))
    assert run("Set.has", made, chars(key))[1] is (key in items)
    assert run("Set.to_list", call("Set.add", made, chars(key))) == sorted({*items, key})
    assert run("Set.to_list", call("Set.del", made, chars(key))) == sorted({*items} - {key})


# -- Maybe and Result -----------------------------------------------------------------------------------------------


def test_maybe_and_result() -> None:
    none, three = Ctr("None", ()), Ctr("Some", (NatLit(3),))
    half = call("List.get", AT_2, NAT, nats([5, 6, 7, 8]))
    assert run("Maybe.pure", AT_2, NAT, NatLit(3)) == some(3)
    assert run("Maybe.bind", AT_2, NAT, NAT, three, half) == some(8)
    assert run("Maybe.bind", AT_2, NAT, NAT, none, half) is None
    assert run("Maybe.map", AT_2, NAT, NAT, Ref("Nat.double"), three) == some(6)
    assert run("Maybe.or", AT_2, NAT, none, three) == some(3)
    assert run("Maybe.default", AT_2, NAT, none, NatLit(1)) == 1
    assert run("Maybe.is_some", AT_2, NAT, three) is True
    assert run("Maybe.is_none", AT_2, NAT, three) is False
    assert run("Maybe.show", AT_2, NAT, Ref("Nat.show"), none) == "None"
    fail, done = Ctr("Fail", (chars("no"),)), Ctr("Done", (NatLit(3),))
    types = (AT_2, AT_2, Data("String", ()), NAT)
    assert run("Result.pure", *types, NatLit(3)) == ("Done", 3)
    assert run("Result.bind", *types, NAT, fail, Ref("Nat.double")) == ("Fail", "no")
    assert run("Result.map", *types, NAT, Ref("Nat.double"), done) == ("Done", 6)
    assert run("Result.default", *types, fail, NatLit(9)) == 9
    assert run("Result.is_done", *types, done) is True
    assert run("Result.is_fail", *types, done) is False
