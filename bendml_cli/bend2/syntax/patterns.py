"""Patterns: terms read as patterns (reading.md, Match compilation)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax import surface as s

_WORD = 32
_LAST_SUCC = 256  # a larger literal before a glued + is an addition


@dataclass(slots=True, eq=False)
class Pattern:
    """Any pattern."""

    pos: int


@dataclass(slots=True, eq=False)
class VariablePattern(Pattern):
    """`name`, `+name` or `_`."""

    name: str
    plus: bool


@dataclass(slots=True, eq=False)
class ConstructorPattern(Pattern):
    """A constructor by key over patterns. Literals open one constructor at a time, so that `4000000000n` is small."""

    key: str
    fields: Callable[[], list[Pattern]]


class Constructors(Protocol):
    """The constructors declared so far."""

    def field_count(self, name: str, position: int) -> int | None:
        """How many fields the constructor that this name means has, None if it means none; raises a name clash."""

    def constructor_key(self, name: str, position: int) -> str:
        """The key that a constructor's name means."""

    def sugar_declared(self, key: str) -> bool:
        """Whether a namespace-less constructor exists."""


def pattern_of(term: s.Surface, constructors: Constructors | None) -> Pattern:
    """The pattern that a term stands for.

    Raises a pattern error for a term that is none or has a wrong number of fields, and unknown-name for a constructor
    that is not declared above or a constructor's name without braces. None as constructors checks only the shape.
    """
    return _Converter(constructors).convert(term)


class _Converter:
    def __init__(self, constructors: Constructors | None) -> None:
        self.constructors = constructors

    def convert(self, term: s.Surface, plus: bool = False) -> Pattern:
        match term:
            case s.Name():
                return self._variable(term, term.pos, False)
            case s.Marked(term=s.Name() as name):
                return self._variable(name, term.pos, True)
            case s.Group(body=body):
                return self.convert(body)
            case s.Build():
                return self._build(term)
            case s.NatNumber(value=value):
                self._sugar("Succ" if value else "Zero", term.pos)
                return nat_pattern(term.pos, value)
            case s.NatPlus(value=value) if value <= _LAST_SUCC:
                self._sugar("Succ", term.pos)
                return _successors(term.pos, value, self.convert(term.tail))
            case s.U32Number(value=value):
                self._sugar("U32", term.pos)
                return _word_pattern(term.pos, "U32", value)
            case s.F32Number(bits=bits):
                self._sugar("F32", term.pos)
                return _word_pattern(term.pos, "F32", bits)
            case s.Character(code=code):
                self._sugar("Chr", term.pos)
                return _character_pattern(term.pos, code)
            case s.Text(codes=codes):
                self._sugar("SCon" if codes else "SNil", term.pos)
                return _text_pattern(term.pos, codes, 0)
            case s.TupleTerm(items=items):
                return self._chain(term.pos, "Tuple", items[:-1], self.convert(items[-1]))
            case s.ListTerm(items=items):
                self._sugar("Nil", term.pos)
                return self._chain(term.pos, "Con", items, _constructor(term.pos, "Nil", []))
            case s.Operation(sign="<>", left=left, right=right):
                self._sugar("Con", term.pos)
                return _constructor(term.pos, "Con", [self.convert(left), self.convert(right)])
        raise BendError(
            "pattern",
            term.pos,
            _why_not(term),
            hint="a pattern is a name, +name, _, a literal, 1n+p, h <> t, a list, a tuple or a constructor K{..}",
        )

    def _variable(self, name: s.Name, pos: int, plus: bool) -> Pattern:
        if "." in name.text:
            raise BendError("pattern", pos, f"the dotted name '{name.text}' cannot be bound by a pattern")
        if self.constructors is not None and self.constructors.field_count(name.text, name.pos) is not None:
            raise BendError(
                "unknown-name",
                pos,
                f"'{name.text}' is a constructor, so it is no variable here",
                hint=f"write {name.text}{{..}} with its fields, or choose another name",
            )
        return VariablePattern(name.pos, name.text, plus)

    def _build(self, term: s.Build) -> Pattern:
        key = term.name
        if self.constructors is not None:
            count = self.constructors.field_count(term.name, term.pos)
            if count is None:
                raise BendError(
                    "unknown-name",
                    term.pos,
                    f"no constructor '{term.name}' is declared above",
                    hint="a pattern's constructor must stand above, and one of an imported file needs its alias",
                )
            if count != len(term.items):
                fields = "field" if count == 1 else "fields"
                raise BendError(
                    "pattern",
                    term.pos,
                    f"'{term.name}' has {count} {fields}, and this pattern has {len(term.items)}",
                    hint="write a pattern for each field, erased ones too; _ skips one",
                )
            key = self.constructors.constructor_key(term.name, term.pos)
        return _constructor(term.pos, key, [self.convert(item) for item in term.items])

    def _chain(self, pos: int, key: str, items: list[s.Surface], last: Pattern) -> Pattern:
        """Items before a last pattern, nested to the right. Each link stands at its own item."""
        if items:
            self._sugar(key, pos)
        converted = [self.convert(item) for item in items]
        for place in range(len(items) - 1, -1, -1):
            last = _constructor(items[place].pos if place else pos, key, [converted[place], last])
        return last

    def _sugar(self, key: str, pos: int) -> None:
        if self.constructors is not None and not self.constructors.sugar_declared(key):
            raise BendError(
                "unknown-name",
                pos,
                f"this pattern means the constructor '{key}', and none is declared above",
                hint="import Base at the top of the file",
            )


def _why_not(term: s.Surface) -> str:
    match term:
        case s.NatPlus():
            return f"'{term.value}n+..' is an addition, and no pattern: a successor pattern goes up to {_LAST_SUCC}n+"
        case s.Call():
            return "a call is no pattern"
        case s.Operation(sign=sign):
            return f"the operator '{sign}' makes no pattern"
        case s.Lambda():
            return "a function is no pattern"
    return "this term is no pattern"


def _constructor(pos: int, key: str, fields: list[Pattern]) -> ConstructorPattern:
    return ConstructorPattern(pos, key, lambda: fields)


def nat_pattern(pos: int, value: int) -> Pattern:
    """A Nat literal as its chain."""
    if value == 0:
        return _constructor(pos, "Zero", [])
    return ConstructorPattern(pos, "Succ", lambda: [nat_pattern(pos, value - 1)])


def _successors(pos: int, count: int, tail: Pattern) -> Pattern:
    for _ in range(count):
        tail = _constructor(pos, "Succ", [tail])
    return tail


def _word_pattern(pos: int, key: str, value: int) -> Pattern:
    """A U32 or F32 literal over the bits of its word, the lowest first."""
    return ConstructorPattern(pos, key, lambda: [_bits_pattern(pos, value, _WORD)])


def _bits_pattern(pos: int, value: int, width: int) -> Pattern:
    if width == 0:
        return _constructor(pos, "WNil", [])
    bit = _constructor(pos, "True" if value & 1 else "False", [])
    return ConstructorPattern(pos, "WCon", lambda: [bit, _bits_pattern(pos, value >> 1, width - 1)])


def _character_pattern(pos: int, code: int) -> Pattern:
    return ConstructorPattern(pos, "Chr", lambda: [_word_pattern(pos, "U32", code)])


def _text_pattern(pos: int, codes: tuple[int, ...], start: int) -> Pattern:
    if start == len(codes):
        return _constructor(pos, "SNil", [])
    return ConstructorPattern(
        pos, "SCon", lambda: [_character_pattern(pos, codes[start]), _text_pattern(pos, codes, start + 1)]
    )
