"""Random rows of patterns that cover all values of some types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bend2.native.generated.bend_types import Con, Constructor, T, Value, constructors_of, destruct, show_value
from tests.bend2.native.generated.scope import Bound, Env
from tests.bend2.native.generated.terms import Terms

LITERALS = {"Char": (97, 65, 48, 10), "U32": (0, 1, 7, 255), "String": ((), (97,), (97, 98)), "Nat": (1, 2, 3)}


@dataclass
class Pattern:
    """A variable (`bound`; None is `_`), a literal, or a constructor over patterns. `type` is that of the values."""

    type: T
    bound: Bound | None = None
    literal: Value = None
    made: Constructor | None = None
    parts: tuple[Pattern, ...] = ()
    names_erased: str = ""
    unmarked: bool = False

    @property
    def splits(self) -> bool:
        """Does it look at the value?"""
        return self.made is not None or self.literal is not None

    def text(self) -> str:
        """The pattern in Bend."""
        if self.literal is not None:
            return show_value(self.type, self.literal)
        if self.made is None:
            if self.bound is None:
                return self.names_erased or "_"
            return ("+" if self.bound.reusable and not self.unmarked else "") + self.bound.name
        parts = [each.text() for each in self.parts]
        match self.made.name:
            case "Zero":
                return "0n"
            case "Succ" if not self.parts[0].splits:
                return f"1n+{parts[0]}"
            case "Tuple":
                return f"({', '.join(parts)})"
            case "Con" if not self.parts[0].splits:
                return f"{parts[0]} <> {parts[1]}"
        return f"{self.made.name}{{{', '.join(parts)}}}"

    def bounds(self) -> list[Bound]:
        """The variables that it binds."""
        if self.bound is not None:
            return [self.bound]
        return [bound for part in self.parts for bound in part.bounds()]

    def inner(self) -> list[Bound]:
        """The variables that it binds to something smaller than the value."""
        return [] if self.made is None else self.bounds()

    def fits(self, value: Value, env: Env) -> bool:
        """Does it match a value? Its variables are put into `env`."""
        if self.bound is not None:
            env[self.bound.name] = value
        if self.literal is not None:
            return bool(value == self.literal)
        if self.made is None:
            return True
        con: Con = destruct(self.type, value)
        if con.name != self.made.name:
            return False
        live = [part for part, each in zip(self.parts, self.made.fields, strict=True) if each.mark != "-"]
        return all(part.fits(each, env) for part, each in zip(live, con.fields, strict=True))


@dataclass(frozen=True)
class Column:
    """What a column of patterns is of."""

    type: T
    reusable: bool
    erased: bool = False
    is_inside: bool = False
    is_second: bool = False
    """The second part of a pair inside another value: no mark may stand there (its type is not inferred)."""


def rows(terms: Terms, columns: Sequence[Column], depth: int) -> list[list[Pattern]]:
    """Rows that cover all values of the columns; `depth` bounds how far they look into them."""
    found = _rows(terms, list(columns), depth)
    if len(found) > 1 and terms.chance(20):
        kept = terms.source.randrange(1, len(found))
        found = [*found[:kept], [_variable(terms, each) for each in columns]]
    return found


def _rows(terms: Terms, columns: list[Column], depth: int) -> list[list[Pattern]]:
    if not columns:
        return [[]]
    first, *others = columns
    constructors = constructors_of(first.type)
    if depth <= 0 or first.erased or not terms.chance(75):
        rest = _rows(terms, others, depth)
        return [[_variable(terms, first), *row] for row in rest]
    # A U32 or Char literal looks at 32 bits, each with the rows below it: a large program.
    likely = {"U32": 15, "Char": 6, "String": 4, "Nat": 25}.get(first.type.head, 0)
    if terms.chance(likely):
        return _literal_rows(terms, first, others, depth)
    if not constructors:  # a U32 too: its 32 bits are matched by literals only
        rest = _rows(terms, others, depth)
        return [[_variable(terms, first), *row] for row in rest]
    found = []
    for made in constructors:
        fields = [
            Column(
                each.type,
                each.mark == "+" or (first.reusable and each.type.is_data),
                each.mark == "-",
                is_inside=True,
                is_second=first.is_inside and first.type.head == "Pair" and at == 1,
            )
            for at, each in enumerate(made.fields)
        ]
        for row in _rows(terms, [*fields, *others], depth - 1):
            parts = tuple(row[: len(fields)])
            found.append([Pattern(first.type, made=made, parts=parts), *row[len(fields) :]])
    return found


def _literal_rows(terms: Terms, first: Column, others: list[Column], depth: int) -> list[list[Pattern]]:
    known = LITERALS[first.type.head]
    chosen = terms.source.sample(known, 1 + (first.type.head == "Nat"))
    found = [[Pattern(first.type, literal=each), *row] for each in chosen for row in _rows(terms, others, depth - 1)]
    return found + [[_variable(terms, first), *row] for row in _rows(terms, others, depth - 1)]


def _variable(terms: Terms, column: Column) -> Pattern:
    if column.erased:
        return Pattern(column.type, names_erased=terms.fresh("e"))
    if terms.chance(10):
        return Pattern(column.type)
    reusable = column.reusable or (column.type.is_data and not column.is_second and terms.chance(50))
    bound = Bound(terms.fresh("p"), column.type, reusable)
    return Pattern(column.type, bound=bound, unmarked=column.is_second)
