"""Deep and wide programs are read, and in time that grows with their size."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pytest

from bendml_cli.bend2.api import with_deep_stack
from bendml_cli.bend2.core.book import Book
from bendml_cli.bend2.syntax.modules import BASE, read_book
from tests.bend2.syntax.reading import read

DEPTH = 20_000
COLUMNS = 200

PROGRAMS = {
    "list": "[" + ", ".join([f"{n}n" for n in range(10_000)]) + "]",
    "calls": "Nat.double(" * DEPTH + "1n" + ")" * DEPTH,
    "groups": "(" * DEPTH + "1n" + ")" * DEPTH,
    "constructors": "Succ{" * DEPTH + "Zero{}" + "}" * DEPTH,
    "lambdas": "".join([f"x{n} => " for n in range(DEPTH)]) + "x0",
    "sum": "(" + "1n + " * DEPTH + "1n : Nat)",
    "cons": "1n <> " * DEPTH + "[]",
    "successors": "1n+" * DEPTH + "x",
    "lets": "".join([f"x{n} = Nat.double(1n)\n  " for n in range(10_000)]) + "x0",
    "rewrites": "".join([f"%q{n}@x : {{_ == 1n : Nat}}\n  " for n in range(3_000)]) + "1n",
    "steps": "do Maybe<Nat>:\n" + "".join([f"    x{n} : Nat <- m\n" for n in range(3_000)]) + "    m",
    "comment": "1n " + "#" * 50_000,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_deep_terms(program: str) -> None:
    text = f"import Base\ndef f() -> Nat:\n  {PROGRAMS[program]}\n"
    began = perf_counter()
    book = with_deep_stack(lambda: read(text))
    assert book.definitions["f"].body is not None
    assert perf_counter() - began < 10


def test_a_wide_match() -> None:
    parameters = ", ".join([f"p{n}: Bool" for n in range(COLUMNS)])
    scrutinees = " ".join([f"p{n}" for n in range(COLUMNS)])
    row = " ".join(["True{}"] * COLUMNS)
    rest = " ".join(["_"] * COLUMNS)
    text = f"import Base\ndef f({parameters}) -> Nat:\n  match {scrutinees}:\n    case {row}: 1n\n    case {rest}: 2n\n"
    assert with_deep_stack(lambda: read(text)).definitions["f"].arity == COLUMNS


def test_base_is_read_in_well_under_half_a_second() -> None:
    def timed() -> tuple[Book, float]:
        began = perf_counter()
        return read_book(BASE), perf_counter() - began

    book, seconds = min((timed() for _ in range(3)), key=lambda result: result[1])
    assert isinstance(BASE, Path)
    assert book.entry.is_base
    assert seconds < 0.45
