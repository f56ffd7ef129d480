"""What generated terms are made in: variables in scope, functions of the program, the count of a run's steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.bend2.native.generated.bend_types import Signature, T, Value

Env = dict[str, Value]
Code = Callable[[Env], Value]


class DeadEnd(Exception):
    """No term of this kind can be made here."""


class TooLong(Exception):
    """A program takes more steps than a test should."""


class Term(NamedTuple):
    """A term: its text, which may stand anywhere, and its value from those of its variables."""

    text: str
    run: Code


class Bound(NamedTuple):
    """A variable in scope."""

    name: str
    type: T
    reusable: bool


@dataclass
class Recursion:
    """How a function may call itself here: with one of `smaller` in its first place, each once."""

    function: Function
    smaller: list[str]
    calls: int


@dataclass
class Scope:
    """What a term may name."""

    bound: tuple[Bound, ...] = ()
    spent: set[str] = field(default_factory=set)
    recursion: Recursion | None = None
    is_template: bool = False
    """Is a template's argument made, whose binders are substituted away?"""

    def with_(self, *more: Bound) -> Scope:
        """The scope under more binders."""
        return Scope((*self.bound, *more), self.spent, self.recursion)

    def usable(self) -> list[Bound]:
        """What is not gone."""
        return [each for each in self.bound if each.name not in self.spent]

    def use(self, bound: Bound) -> None:
        """Use a variable up, if it can be."""
        if not bound.reusable:
            self.spent.add(bound.name)


@dataclass(eq=False)
class Function:
    """A function of the program, and its model."""

    signature: Signature
    run: Callable[..., Value]


class Clock:
    """Counts the calls of a run. Raises TooLong past its end."""

    def __init__(self) -> None:
        self.left = 0

    def tick(self) -> None:
        """One call more."""
        self.left -= 1
        if self.left < 0:
            raise TooLong
