"""Random programs in Bend with what they compute, by a model in Python.

`programs/` holds the parts: types and their values, Base's functions, terms, patterns, definitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.bend2.native.programs.definitions import datatype, function
from tests.bend2.native.programs.operations import BITS_TEXT
from tests.bend2.native.programs.scope import DeadEnd, Scope, TooLong
from tests.bend2.native.programs.terms import Terms
from tests.bend2.native.programs.types import T, Value, show_value
from tests.bend2.native.scalar_model import Stopped

CALLS = 3000
"""How many calls an answer may take."""


@dataclass
class Program:
    """A program, and what it prints: the value of its main."""

    text: str
    printed: str


def program(source: Random, size: int, *, opaque: bool = False) -> Program:
    """A program of about `size` definitions. `opaque`: with operations on F32, which the checker does not compute."""
    terms = Terms(source, opaque=opaque)
    parts = ["import Base", BITS_TEXT] if opaque else ["import Base"]
    answers: list[tuple[T, Value]] = []
    for _ in range(size):
        match source.randrange(8):
            case 6:
                parts.append(datatype(terms))
            case 2 | 3:
                parts.append(_defined(terms, recursive=False))
            case 4 | 5 | 7:
                parts.append(_defined(terms, recursive=True))
        answer = _answer(terms, len(answers))
        if answer is not None:
            text, type_, value = answer
            parts.append(text)
            answers.append((type_, value))
    fields = ", ".join(f"r{at}: {type_}" for at, (type_, _) in enumerate(answers))
    parts.append(f"type Answers is Type:\n  Answers{{{fields}}}")
    parts.append(f"def main() -> Answers:\n  Answers{{{', '.join(f'answer{at}' for at in range(len(answers)))}}}")
    shown = ", ".join(show_value(type_, value) for type_, value in answers)
    return Program("\n\n".join(parts) + "\n", f"Answers{{{shown}}}")


def _defined(terms: Terms, *, recursive: bool) -> str:
    for _ in range(20):
        try:
            return function(terms, recursive=recursive)
        except DeadEnd:
            continue
    raise AssertionError("a function that is not made")


def _answer(terms: Terms, number: int) -> tuple[str, T, Value] | None:
    """A definition of a value that can be printed; None where computing it stops or takes too long."""
    type_ = _printable(terms)
    term = terms.term(type_, Scope(), 4)
    terms.clock.left = CALLS
    try:
        value = term.run({})
    except (Stopped, TooLong, ValueError, RecursionError):
        return None
    return f"def answer{number}() -> {type_}:\n  {term.text}", type_, value


def _printable(terms: Terms) -> T:
    for function_ in reversed(terms.functions[-3:]):
        answer = function_.signature.result
        if terms.chance(60) and answer.is_printable:
            return answer
    type_ = terms.type_(2)
    while not type_.is_printable:
        type_ = terms.type_(2)
    return type_
