"""Core terms of Bend 2 (shared grammar of reading, checking, evaluation and printing).

Variables are de Bruijn indices: 0 is the innermost binder. What binds, and in which order (the last one is innermost):

- `Pi` binds one variable in its codomain, `Lam` one in its body;
- `Let` binds as many as it has values, left to right, in its body only (the values stand outside);
- `Rewrite` binds two in its motive: first the marker `_`, then the equation's name.

A quantity is one of the strings below. `pos` is the position (see bend2/source.py) of the first character of the thing
the term was read from; each class says where that differs. Terms are never changed after reading, but for `typing`,
which the checker fills with what it found (see check/elaborate.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bendml_cli.bend2.source import BendError

PLAIN = ""  # affine: at most one use
ERASED = "-"
REUSABLE = "+"
TEMPLATE = "~"


class Term:
    """Any core term."""

    __slots__ = ()
    pos: int


@dataclass(slots=True, eq=False)
class Var(Term):
    """A bound variable, by de Bruijn index."""

    index: int
    pos: int = -1


@dataclass(slots=True, eq=False)
class Ref(Term):
    """A top-level definition or law by key (`name`, or `namespace:name` in a module). `offload` is the mark `f!`.

    Instances of templates, made by the checker, are references too (`f~0`). `pos` is the name, or an operator's sign.
    `typing` is the instance that a template's call is, and how many `~` arguments it has.
    """

    key: str
    offload: bool = False
    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class Kind(Term):
    """`Kind(q)`; `Type` is Kind(&1) and `Data` is Kind(&2)."""

    quantity: Term
    pos: int = -1


@dataclass(slots=True, eq=False)
class Quant(Term):
    """The type of quantities."""

    pos: int = -1


@dataclass(slots=True, eq=False)
class QuantLit(Term):
    """`&0`, `&1` or `&2`."""

    value: int
    pos: int = -1


@dataclass(slots=True, eq=False)
class Meet(Term):
    """`left <&> right`."""

    left: Term
    right: Term
    pos: int = -1


@dataclass(slots=True, eq=False)
class Pi(Term):
    """`@q name: domain -> codomain`. `pos` is the binder's name, or the domain's start for a plain arrow.

    `dependent` says whether the codomain uses the variable, once evaluation has looked.
    """

    quantity: str
    name: str
    domain: Term
    codomain: Term
    pos: int = -1
    dependent: bool | None = None


@dataclass(slots=True, eq=False)
class Lam(Term):
    """`name => body`; `quantity` is PLAIN or REUSABLE (the written or joined `+` mark).

    `pos` is the binder's name. A lambda that closes a parameter carries the parameter's place; one that closes a field
    carries the place of the field's name in the first row with that constructor.
    """

    quantity: str
    name: str
    body: Term
    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class App(Term):
    """A spine: `function(arguments)`, never with an App as its function and never empty. `pos` is the head's start
    (an operator's left operand)."""

    function: Term
    arguments: tuple[Term, ...]
    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class Data(Term):
    """A datatype instance `D<arguments>`; `removed` lists constructor keys taken away by matching, in order."""

    key: str
    arguments: tuple[Term, ...]
    removed: tuple[str, ...] = ()
    pos: int = -1


@dataclass(slots=True, eq=False)
class Ctr(Term):
    """A constructor application `K{arguments}` by constructor key."""

    key: str
    arguments: tuple[Term, ...]
    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class NatLit(Term):
    """A literal `3n` (the chain of Succ over Zero)."""

    value: int
    pos: int = -1


@dataclass(slots=True, eq=False)
class U32Lit(Term):
    """A literal `5`, in 0 .. 2^32-1."""

    value: int
    pos: int = -1


@dataclass(slots=True, eq=False)
class F32Lit(Term):
    """A literal `1.5`, by its IEEE-754 single precision bits."""

    bits: int
    pos: int = -1


@dataclass(slots=True, eq=False)
class StrLit(Term):
    """A string literal as code points (any 32-bit value: surrogates and codes past 10ffff are kept)."""

    codes: tuple[int, ...]
    pos: int = -1


@dataclass(slots=True, eq=False)
class Match(Term):
    """`\\{constructor: hit; miss}`, a function of the scrutinee: `hit` takes the fields, `miss` the whole value.

    `pos` is the topmost constructor pattern of that column among the rows left, or the `\\` of a written one.
    """

    constructor: str
    hit: Term
    miss: Term
    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class Absurd(Term):
    """`\\{}`, the function that has no case. `pos` is the `match`, the value of a destructuring let, or the `\\`."""

    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class Eq(Term):
    """`{left == right : type}`."""

    left: Term
    right: Term
    type: Term
    pos: int = -1


@dataclass(slots=True, eq=False)
class Refl(Term):
    """`{==}`."""

    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class Rewrite(Term):
    """`%name@evidence : motive; body`. `name` is None when not written. `pos` is the `%`."""

    evidence: Term
    name: str | None
    motive: Term
    body: Term
    pos: int = -1
    typing: Any = None


@dataclass(slots=True, eq=False)
class Hole(Term):
    """`?name`; `?TODO` is taken at any goal."""

    name: str
    pos: int = -1


@dataclass(slots=True, eq=False)
class Ann(Term):
    """`{term : type}`."""

    term: Term
    type: Term
    pos: int = -1


@dataclass(slots=True, eq=False)
class LetBinder:
    """One name of a parallel let; `quantity` is PLAIN, ERASED or REUSABLE."""

    quantity: str
    name: str
    pos: int = -1


@dataclass(slots=True, eq=False)
class Let(Term):
    """`x1 .. xn = v1 .. vn; body`. `pos` is the first name (for an erased let, its `-`)."""

    binders: tuple[LetBinder, ...]
    values: tuple[Term, ...]
    body: Term
    pos: int = -1
    typing: Any = None


def apply(function: Term, arguments: tuple[Term, ...], pos: int = -1) -> Term:
    """Apply, keeping spines flat: `apply(App(f, a), b)` is `App(f, a + b)`; no arguments give the function itself."""
    if not arguments:
        return function
    if isinstance(function, App):
        return App(function.function, function.arguments + arguments, function.pos)
    return App(function, arguments, function.pos if pos < 0 else pos)


@dataclass(slots=True, eq=False)
class BareOperator(Term):
    """The head of an operation that no group gives a type, in a type under a binder: refused when that type is checked
    (reading.md, Which error comes first). Elsewhere reading refuses it. `pos` is the sign."""

    sign: str
    pos: int = -1

    def refusal(self) -> BendError:
        """The error to raise; it names no definition."""
        return BendError(
            "operator",
            self.pos,
            f"the operator '{self.sign}' needs a type",
            hint=f"write it in parentheses with its type, as in (a {self.sign} b : Nat)",
        )


def subterms(term: Term) -> list[tuple[Term, int]]:
    """The direct parts of a term in the order written, each with the number of variables bound over it."""
    match term:
        case App():
            return [(term.function, 0), *[(each, 0) for each in term.arguments]]
        case Lam():
            return [(term.body, 1)]
        case Pi():
            return [(term.domain, 0), (term.codomain, 1)]
        case Data() | Ctr():
            return [(each, 0) for each in term.arguments]
        case Kind():
            return [(term.quantity, 0)]
        case Meet():
            return [(term.left, 0), (term.right, 0)]
        case Eq():
            return [(term.left, 0), (term.right, 0), (term.type, 0)]
        case Match():
            return [(term.hit, 0), (term.miss, 0)]
        case Rewrite():
            return [(term.evidence, 0), (term.motive, 2), (term.body, 0)]
        case Ann():
            return [(term.term, 0), (term.type, 0)]
        case Let():
            return [*[(value, 0) for value in term.values], (term.body, len(term.values))]
    return []


def uses_variable(term: Term, index: int) -> bool:
    """Does the variable of that index occur in the term?"""
    pending = [(term, index)]
    while pending:
        at, wanted = pending.pop()
        if isinstance(at, Var):
            if at.index == wanted:
                return True
        else:
            pending += [(part, wanted + bound) for part, bound in subterms(at)]
    return False
