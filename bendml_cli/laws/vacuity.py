"""Is a law vacuous: does a hypothesis rule everything out?

A law with a hypothesis says nothing if the hypothesis never holds. Where evaluation decides it, small instances are
tried until one satisfies every hypothesis of the law.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from bendml_cli.bend2.core.book import Book, Definition, spell_by_path
from bendml_cli.bend2.core.evaluate import EvaluationTimeout, Machine
from bendml_cli.bend2.core.quote import normal_form
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import NatLit, Pi, Term, U32Lit
from bendml_cli.bend2.core.values import Env, Thunk, VCtr, VData, variable
from bendml_cli.laws.instances import Instances, Undecided

_SIZES = (1, 2, 3)
_MOST_TRIED = 20_000
_LARGEST_NUMBER = 10_000

Outcome = Literal["no hypothesis", "satisfied", "never satisfied", "undecided"]


@dataclass(frozen=True, slots=True)
class Vacuity:
    """What trying a law on small instances gave.

    `hypotheses` are the places of the binders that are conditions. `detail` is the instance that satisfies them, or
    why none is known. `tried` counts the instances that were looked at.
    """

    outcome: Outcome
    hypotheses: tuple[int, ...]
    detail: str
    tried: int


def try_law(book: Book, machine: Machine, law: Definition, *, seconds: float = 10.0) -> Vacuity:
    """Look for a small instance that satisfies a law's hypotheses, for at most so long. The book has been checked."""
    search = _Search(book, machine, _numbers_in(law.type))
    machine.limit(seconds)
    try:
        hypotheses = search.hypotheses(law.type)
        if not hypotheses:
            return Vacuity("no hypothesis", (), "", 0)
        for size in _SIZES:
            found = search.first(law.type, (), size)
            if found is not None:
                return Vacuity("satisfied", hypotheses, search.shown(law.type, found, hypotheses), search.tried)
    except EvaluationTimeout:
        search.undecided = f"evaluation took more than {seconds:g} s"
    except _EnoughTried:
        search.undecided = f"none of the first {_MOST_TRIED} small instances"
    finally:
        machine.limit(None)
    undecided = search.undecided or search.sampled()
    if undecided is not None:
        return Vacuity("undecided", hypotheses, undecided, search.tried)
    return Vacuity("never satisfied", hypotheses, "no small instance satisfies the hypotheses", search.tried)


def untried(book: Book, machine: Machine, law: Definition) -> Vacuity:
    """What can be said of a law of a refused file: which of its binders are conditions, as far as that is written."""
    hypotheses = _Search(book, machine, frozenset()).hypotheses(law.type)
    if not hypotheses:
        return Vacuity("no hypothesis", (), "", 0)
    return Vacuity("undecided", hypotheses, "the file is refused", 0)


class _EnoughTried(Exception):
    pass


class _Search:
    def __init__(self, book: Book, machine: Machine, numbers: frozenset[int]) -> None:
        self._machine = machine
        self._book = book
        self._instances = Instances(book, machine, numbers)
        self.tried = 0
        self.undecided: str | None = None

    def sampled(self) -> str | None:
        """Why a search that found nothing decides nothing, or None."""
        partial = self._instances.partial
        return None if partial is None else f"not every value of {partial} was tried"

    def hypotheses(self, type_: Term) -> tuple[int, ...]:
        """The binders of a law that are conditions, by their places."""
        places = []
        env: Env = ()
        while isinstance(type_, Pi) and not self._is_negation(type_, env):
            if self._instances.is_proposition(Thunk(type_.domain, env), len(env)):
                places.append(len(env))
            env = (*env, variable(len(env)))
            type_ = type_.codomain
        return tuple(places)

    def first(self, type_: Term, env: Env, size: int) -> Env | None:
        """The first values for all of a law's binders, each of its binder's type."""
        if not isinstance(type_, Pi) or self._is_negation(type_, env):
            return env
        try:
            for value in self._instances.of(Thunk(type_.domain, env), size):
                self.tried += 1
                if self.tried > _MOST_TRIED:
                    raise _EnoughTried
                found = self.first(type_.codomain, (*env, value), size)
                if found is not None:
                    return found
        except Undecided as reason:
            self.undecided = f"{type_.name}: {reason}"
        return None

    def shown(self, type_: Term, values: Env, hypotheses: tuple[int, ...]) -> str:
        """An instance as `n = 0n, m = 1n`, without its hypotheses but those that carry a value (`where`)."""
        shown = []
        for place, value in enumerate(values):
            assert isinstance(type_, Pi)
            if place not in hypotheses or isinstance(self._machine.force(value), VCtr):
                term = normal_form(self._machine, value, 0)
                shown.append(f"{type_.name} = {show(term, (), spell_by_path)}")
            type_ = type_.codomain
        return ", ".join(shown)

    def _is_negation(self, type_: Pi, env: Env) -> bool:
        """Is this a claim that something is false? What it denies is then no hypothesis."""
        codomain = self._machine.force(Thunk(type_.codomain, (*env, variable(len(env)))))
        return isinstance(codomain, VData) and not self._book.datatypes[codomain.key].constructors


def _numbers_in(term: object) -> frozenset[int]:
    """The literals of a law and their neighbours, as far as evaluation in unary can be expected to end."""
    found: set[int] = set()
    pending = [term]
    while pending:
        match pending.pop():
            case NatLit(value=value) | U32Lit(value=value) if value < _LARGEST_NUMBER:
                found |= {max(value - 1, 0), value, value + 1}
            case tuple() as items:
                pending += items
            case Term() as node:
                pending += [getattr(node, field.name) for field in fields(node)]  # type: ignore[arg-type]
    return frozenset(found)
