"""The surface syntax: what a file says, close enough to its text to be printed back.

Positions are absolute (see bend2/source.py) and point at the first character of the node unless a field says otherwise.
A body is a term, or one of the statements `Let`, `Destructure`, `Write`, `MatchBody`, each holding the body after it.
Equality of nodes is identity: deep terms must not be compared through C recursion (tests compare printed text).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bendml_cli.bend2.syntax.patterns import Pattern


@dataclass(slots=True, eq=False)
class Surface:
    """Any term or body."""

    pos: int


@dataclass(slots=True, eq=False)
class Name(Surface):
    """A plain name: a variable, a definition or a type without arguments."""

    text: str


@dataclass(slots=True, eq=False)
class Sort(Surface):
    """`Type`, `Data` or `Quant`."""

    word: str


@dataclass(slots=True, eq=False)
class KindOf(Surface):
    """`Kind(quantity)`."""

    quantity: Surface


@dataclass(slots=True, eq=False)
class Quantity(Surface):
    """`&0`, `&1` or `&2`."""

    value: int


@dataclass(slots=True, eq=False)
class Build(Surface):
    """`name{items}`."""

    name: str
    items: list[Surface]


@dataclass(slots=True, eq=False)
class NatNumber(Surface):
    """`3n`, or a sum of glued literals, added up while reading."""

    value: int


@dataclass(slots=True, eq=False)
class NatPlus(Surface):
    """`3n+tail`."""

    value: int
    tail: Surface


@dataclass(slots=True, eq=False)
class U32Number(Surface):
    """`5`."""

    value: int


@dataclass(slots=True, eq=False)
class F32Number(Surface):
    """`1.5e3`, with its text and its bits in single precision."""

    text: str
    bits: int


@dataclass(slots=True, eq=False)
class Character(Surface):
    """`'c'`."""

    code: int


@dataclass(slots=True, eq=False)
class Text(Surface):
    """`"text"`, as code points."""

    codes: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Dependent(Surface):
    """`@q name: domain -> codomain` (sign `@`) or `&name: domain -> codomain` (sign `&`)."""

    sign: str
    quantity: str
    name: str
    name_pos: int
    domain: Surface
    codomain: Surface


@dataclass(slots=True, eq=False)
class Marked(Surface):
    """`+D`, `+D<..>`, or a binder `+x`."""

    term: Surface


@dataclass(slots=True, eq=False)
class Instance(Surface):
    """`name<arguments>`."""

    name: str
    arguments: list[Surface]


@dataclass(slots=True, eq=False)
class Arm:
    """`name: term` of a handler."""

    name: str
    pos: int
    term: Surface


@dataclass(slots=True, eq=False)
class Handler(Surface):
    """`\\{arms; rest}`."""

    arms: list[Arm]
    rest: Surface | None


@dataclass(slots=True, eq=False)
class Reflexivity(Surface):
    """`{==}`."""


@dataclass(slots=True, eq=False)
class Equation(Surface):
    """`{left == right : type}`, or `!=` when `negated`."""

    left: Surface
    right: Surface
    type: Surface
    negated: bool
    type_reads: int = 1


@dataclass(slots=True, eq=False)
class Annotation(Surface):
    """`{term : type}`. `type_reads` says how often the type was read (see bodies.py, `type_after_colon`)."""

    term: Surface
    type: Surface
    type_reads: int = 1


@dataclass(slots=True, eq=False)
class RewriteTerm(Surface):
    """`%name@evidence : motive; body`; without a name, `%evidence : ..`."""

    name: str | None
    evidence: Surface
    motive: Surface
    body: Surface


@dataclass(slots=True, eq=False)
class Group(Surface):
    """`(body)` or `(body : type)`."""

    body: Surface
    type: Surface | None
    type_reads: int = 0


@dataclass(slots=True, eq=False)
class TupleTerm(Surface):
    """`(a, b, c)`, or `(a, b, c : type)`, where the type is the last item's."""

    items: list[Surface]
    type: Surface | None
    type_reads: int = 0


@dataclass(slots=True, eq=False)
class ListTerm(Surface):
    """`[a, b]`."""

    items: list[Surface]


@dataclass(slots=True, eq=False)
class ArrayTerm(Surface):
    """`[value : type^size]` or `[value : type*size]`; `sign_pos` is the place of the sign."""

    value: Surface
    type: Surface
    sign: str
    sign_pos: int
    size: Surface
    type_reads: int = 1


@dataclass(slots=True, eq=False)
class HoleTerm(Surface):
    """`?name`."""

    name: str


@dataclass(slots=True, eq=False)
class Step:
    """A statement of a do block: `what` is "bind" (`name : type <- value`), "let" (`name : type = value`), "drop"
    (`type <- value`), "step" (a bare value), "return" or "final"."""

    what: str
    pos: int
    value: Surface
    type: Surface | None = None
    name: str = "_"
    name_pos: int = -1
    plus: bool = False


@dataclass(slots=True, eq=False)
class Do(Surface):
    """`do name<arguments>: steps`."""

    name: str
    name_pos: int
    arguments: list[Surface]
    steps: list[Step]


@dataclass(slots=True, eq=False)
class Call(Surface):
    """`function(arguments)`; `tildes` is the number of leading arguments marked `~`, `bang` the place of a `!`."""

    function: Surface
    arguments: list[Surface]
    tildes: int = 0
    bang: int = -1


@dataclass(slots=True, eq=False)
class Index(Surface):
    """`array[index]`, or `array[index] <- value`. `bracket` is the place of the `[`."""

    array: Surface
    index: Surface
    value: Surface | None
    bracket: int


@dataclass(slots=True, eq=False)
class Lambda(Surface):
    """`name => body` or `+name => body`."""

    plus: bool
    name: str
    name_pos: int
    body: Surface


@dataclass(slots=True, eq=False)
class Operation(Surface):
    """`left sign right`, every infix operator; `sign_pos` is the place of the sign."""

    sign: str
    sign_pos: int
    left: Surface
    right: Surface


@dataclass(slots=True, eq=False)
class Binding:
    """One name of a let, with its mark."""

    quantity: str
    name: str
    pos: int


@dataclass(slots=True, eq=False)
class Let(Surface):
    """`x y = v w; body`, `x : type = v; body` or, with a leading `-`, either of them erased."""

    bindings: list[Binding]
    type: Surface | None
    values: list[Surface]
    body: Surface


@dataclass(slots=True, eq=False)
class Destructure(Surface):
    """`target = value; body` where the target is a constructor pattern."""

    target: Surface
    pattern: Pattern
    value: Surface
    body: Surface


@dataclass(slots=True, eq=False)
class Write(Surface):
    """`name[index] <- value; body`: the array `name` is bound again. `write` is the term."""

    name: str
    write: Index
    body: Surface


@dataclass(slots=True, eq=False)
class Row:
    """`case patterns: body`; `terms` are the patterns as written."""

    pos: int
    terms: list[Surface]
    patterns: list[Pattern]
    body: Surface


@dataclass(slots=True, eq=False)
class MatchBody(Surface):
    """`match scrutinees: rows`."""

    scrutinees: list[Surface]
    rows: list[Row]


STATEMENTS = (Let, Destructure, Write, MatchBody)


@dataclass(slots=True, eq=False)
class Binder:
    """A parameter or field: `quantity name: type`; a bare name has no type (it means `-name: Quant`)."""

    quantity: str
    name: str
    pos: int
    type: Surface | None


@dataclass(slots=True, eq=False)
class ConstructorDecl:
    """`name{fields}`."""

    pos: int
    name: str
    fields: list[Binder]


@dataclass(slots=True, eq=False)
class TypeDecl:
    """`type name<parameters> is kind: constructors`. `pos` is the name."""

    pos: int
    name: str
    parameters: list[Binder]
    kind: Surface
    constructors: list[ConstructorDecl] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Clause:
    """`for q name: type where condition` (`exists` False) or `exs name: type where condition`."""

    pos: int
    exists: bool
    quantity: str
    name: str
    name_pos: int
    type: Surface
    where: Surface | None


@dataclass(slots=True, eq=False)
class LawDecl:
    """`law name: clauses claim`. `pos` is the name."""

    pos: int
    name: str
    clauses: list[Clause]
    claim: Surface


@dataclass(slots=True, eq=False)
class DefDecl:
    """`def name(parameters) -> result: body`; a fill of a law has no result, a foreign def has paths and no body.

    `pos` is the name. `mark` is how unsafe was written: "", "@unsafe" or "?".
    """

    pos: int
    name: str
    mark: str
    parameters: list[Binder]
    result: Surface | None
    foreign: list[str]
    body: Surface | None


Declaration = TypeDecl | LawDecl | DefDecl


@dataclass(slots=True, eq=False)
class Import:
    """`import Base` (path and alias empty) or `import path as alias`. `pos` is the word `import`."""

    pos: int
    path: str
    alias: str
