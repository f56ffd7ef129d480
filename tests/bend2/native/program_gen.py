"""Random programs in Bend with what they compute, by a model in Python.

`generated/` holds the parts: types and their values, Base's functions, terms, patterns, definitions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.bend2.native.generated.bend_types import UNIT, T, Value, action, show_value
from tests.bend2.native.generated.definitions import datatype, function
from tests.bend2.native.generated.operations import BITS_TEXT, TOLD
from tests.bend2.native.generated.scope import DeadEnd, Scope, Term, TooLong
from tests.bend2.native.generated.shapes import array_loop, of_any_quantity, vector
from tests.bend2.native.generated.terms import Terms
from tests.bend2.native.scalar_model import Stopped

CALLS = 3000
"""How many calls an answer may take."""


@dataclass
class Program:
    """A program, what it prints, and the status that it ends with."""

    text: str
    printed: str
    status: int = 0


def program(source: Random, size: int, *, opaque: bool = False) -> Program:
    """A program of about `size` definitions, whose main is a value. `opaque`: with operations on F32, which the checker
    does not compute."""
    terms = Terms(source, opaque=opaque)
    parts = _header(opaque)
    answers: list[tuple[T, Value]] = []
    for _ in range(size):
        _define(terms, parts)
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


def io_program(source: Random, size: int) -> Program:
    """A program of about `size` definitions, whose main acts."""
    terms = Terms(source, opaque=True, acts=True)
    parts = [*_header(opaque=True), TOLD]
    steps: list[str] = []
    printed: list[int] = []
    for number in range(size):
        _define(terms, parts)
        term = terms.term(action(UNIT), Scope(), 4)
        written = _outcome(terms, lambda: _written(term))  # noqa: B023  (called at once)
        if written is not None:
            parts.append(f"def act{number}() -> IO(Unit):\n  {term.text}")
            steps.append(f"    act{number}\n")
            printed += written
    status = source.choice((0, 0, 1, 7, 255))
    last = f'IO.die(Unit, {status}, "it ends")' if status else "return Unit{}"
    parts.append(f"def main() -> IO(Unit):\n  do IO<Unit>:\n{''.join(steps)}    {last}")
    # What is no character is written as the replacement character.
    text = "".join(chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd" for code in printed)
    return Program("\n\n".join(parts) + "\n", text, status)


def _written(term: Term) -> list[int]:
    out: list[int] = []
    term.run({})(out)
    return out


def _header(opaque: bool) -> list[str]:
    return ["import Base", BITS_TEXT] if opaque else ["import Base"]


def _define(terms: Terms, parts: list[str]) -> None:
    """Perhaps a definition more."""
    match terms.source.randrange(12):
        case 6 | 8:
            parts.append(datatype(terms))
        case 9:
            parts.append(vector(terms))
        case 10:
            parts.append(of_any_quantity(terms))
        case 11:
            parts.append(array_loop(terms))
        case 2 | 3:
            parts.append(_defined(terms, recursive=False))
        case 4 | 5 | 7:
            parts.append(_defined(terms, recursive=True))


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
    value = _outcome(terms, lambda: term.run({}))
    return None if value is None else (f"def answer{number}() -> {type_}:\n  {term.text}", type_, value)


def _outcome(terms: Terms, run: Callable[[], Value]) -> Value | None:
    """What a model gives, if it comes to an end."""
    terms.clock.left = CALLS
    try:
        return run()
    except (Stopped, TooLong, ValueError, RecursionError):
        return None


def _printable(terms: Terms) -> T:
    for function_ in reversed(terms.functions[-3:]):
        answer = function_.signature.result
        if terms.chance(60) and answer.is_printable:
            return answer
    type_ = terms.type_(2)
    while not type_.is_printable:
        type_ = terms.type_(2)
    return type_
