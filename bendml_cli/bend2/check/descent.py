"""Descent: a live self-call must make its arguments smaller (language.md, section 7; judging.md, "Descent").

Arguments are compared with the columns of the left-hand side, the parameters refined by the matches passed so far.
What is compared is the syntax: no definition is unfolded; annotations are dropped and let-bound names replaced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from bendml_cli.bend2.core.terms import ERASED, TEMPLATE, Ann, Ctr, F32Lit, NatLit, StrLit, Term, U32Lit, Var


@dataclass(slots=True, eq=False)
class Column:
    """One position of the left-hand side: a variable (`level`), a constructor over columns, or not yet bound."""

    quantity: str = ""
    level: int = -1
    constructor: str | None = None
    fields: list[Column] = field(default_factory=list)


class Size(Enum):
    """How an argument compares with its column, when it does."""

    EQUAL = "equal"
    SMALLER = "smaller"


# The values of let-bound variables by level: the term and the depth at which it stands.
Lets = dict[int, tuple[Term, int]]


def descends(arguments: tuple[Term, ...], depth: int, columns: list[Column], lets: Lets) -> bool:
    """Do a self-call's arguments get smaller? Read left to right, erased columns aside: each equal until one is
    smaller; what follows is free."""
    comparison = _Comparison(lets)
    for at, column in enumerate(columns):
        if at >= len(arguments):
            return False
        if column.quantity in (ERASED, TEMPLATE):
            continue
        size = comparison.compare(arguments[at], depth, column)
        if size is not Size.EQUAL:
            return size is Size.SMALLER
    return False


class _Comparison:
    """Comparisons of one self-call; answers are kept, since a deep literal pattern would be tried again and again."""

    def __init__(self, lets: Lets) -> None:
        self.lets = lets
        self.known: dict[tuple[object, int, int], Size | None] = {}
        self.alive: list[Term] = []

    def compare(self, term: Term, depth: int, column: Column) -> Size | None:
        term, depth = self._seen_through(term, depth)
        if column.constructor is None:
            same = isinstance(term, Var) and column.level == depth - 1 - term.index
            return Size.EQUAL if same else None
        key = (("n", term.value) if isinstance(term, NatLit) else id(term), depth, id(column))
        if key not in self.known:
            self.alive.append(term)  # its identity is a key
            self.known[key] = self._with_pattern(term, depth, column)
        return self.known[key]

    def _with_pattern(self, term: Term, depth: int, column: Column) -> Size | None:
        rebuilt = _as_constructor(term)
        if rebuilt is not None and rebuilt.key == column.constructor:
            sizes = self._pointwise(rebuilt.arguments, depth, column.fields)
            if sizes is not None:
                return Size.SMALLER if Size.SMALLER in sizes else Size.EQUAL
        for part in column.fields:
            if self.compare(term, depth, part) is not None:
                return Size.SMALLER
        return None

    def _pointwise(self, terms: tuple[Term, ...], depth: int, columns: list[Column]) -> list[Size] | None:
        """Fields of a rebuilt constructor: each must be equal or smaller."""
        if len(terms) != len(columns):
            return None
        sizes = []
        for term, column in zip(terms, columns, strict=True):
            size = self.compare(term, depth, column)
            if size is None:
                return None
            sizes.append(size)
        return sizes

    def _seen_through(self, term: Term, depth: int) -> tuple[Term, int]:
        while True:
            if isinstance(term, Ann):
                term = term.term
            elif isinstance(term, Var) and depth - 1 - term.index in self.lets:
                term, depth = self.lets[depth - 1 - term.index]
            else:
                return term, depth


def _as_constructor(term: Term) -> Ctr | None:
    """A constructor term; a literal by its first step."""
    match term:
        case Ctr():
            return term
        case NatLit(value=0):
            return Ctr("Zero", ())
        case NatLit(value=value):
            return Ctr("Succ", (NatLit(value - 1),))
        case StrLit(codes=()):
            return Ctr("SNil", ())
        case StrLit(codes=codes):
            return Ctr("SCon", (Ctr("Chr", (U32Lit(codes[0]),)), StrLit(codes[1:])))
        case U32Lit(value=value):
            return Ctr("U32", (_word(value),))
        case F32Lit(bits=bits):
            return Ctr("F32", (_word(bits),))
    return None


def _word(bits: int) -> Term:
    """32 bits as constructors, the least significant first."""
    term: Term = Ctr("WNil", ())
    for at in range(31, -1, -1):
        term = Ctr("WCon", (Ctr("True" if bits >> at & 1 else "False", ()), term))
    return term
