"""The IR of the native compiler, from lowering to C.

A program is a set of functions over expressions in A-normal form: operations take *atoms* (variables and constants),
and `Let` names intermediate results. Variables are unique in a whole function. Evaluation is strict, in the order of
the lets. An expression in the last place of a body (a *tail*) gives the value of the function, of the let that holds
it, or of the match arm.

What each stage may contain:

- lowered, simplified: all but `Closure`, `Dup`, `Drop`, `FreeCell`; `Arm.cell` and `Construct.reuse` unset;
- first-order (after closures.py): no `Lambda`; instead `Closure`;
- owned (after ownership.py): `Dup`, `Drop`, `FreeCell`, `Arm.cell`, `Construct.reuse`; every variable whose
  representation is counted is used up exactly once on each path (see ownership.py).

*Slots* are the places that hold words: fields of Boxed constructors, parameters and results of lambdas, elements of
arrays, arguments of Apply. A slot takes a value of any representation but Record, and C code tags and untags it where
it is stored and loaded; a Record must be made a word before, by a `Coerce` to Any.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bendml_cli.bend2.native.show_table import ShowEntry
from bendml_cli.bend2.native.types import Rep, Unit


@dataclass(slots=True, eq=False)
class Var:
    """A variable. Two are the same if they are the same object; `number` tells those of one name apart in print."""

    name: str
    number: int
    rep: Rep

    def __str__(self) -> str:
        return f"{self.name}_{self.number}"


@dataclass(frozen=True, slots=True)
class Const:
    """A constant: a Nat, a U32, a Char, the bits of an F32, the index of a bare constructor (Enum or Boxed), Unit 0."""

    value: int
    rep: Rep

    def __str__(self) -> str:
        return "()" if isinstance(self.rep, Unit) else f"{self.value}:{self.rep}"


Atom = Var | Const


class Expr:
    """Any expression."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Value(Expr):
    """An atom as it is."""

    atom: Atom


@dataclass(slots=True, eq=False)
class Text(Expr):
    """A String literal, as a fresh chain of SCon cells."""

    codes: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Prim(Expr):
    """A primitive operation by its name in prims.py."""

    name: str
    args: tuple[Atom, ...]
    rep: Rep


@dataclass(slots=True, eq=False)
class Call(Expr):
    """A function of the program with all of its arguments (of the representations of its parameters)."""

    function: str
    args: tuple[Atom, ...]
    rep: Rep
    offload: bool = False


@dataclass(slots=True, eq=False)
class Apply(Expr):
    """A closure at one or more arguments, perhaps fewer or more than it takes at once. Slots, the result too."""

    function: Atom
    args: tuple[Atom, ...]
    rep: Rep


@dataclass(slots=True, eq=False)
class Construct(Expr):
    """A constructor over its live fields: a cell (rep is Boxed, at least one field) or a Record.

    `reuse` is the variable of a cell that may be written again (owned IR).
    """

    constructor: str
    tag: int
    args: tuple[Atom, ...]
    rep: Rep
    reuse: Var | None = None


@dataclass(slots=True, eq=False)
class Coerce(Expr):
    """The same value in another representation: to or from Any, or between two that are both words."""

    atom: Atom
    rep: Rep


@dataclass(slots=True, eq=False)
class Lambda(Expr):
    """A closure of its free variables, of one or more parameters. Parameters and result are slots."""

    params: tuple[Var, ...]
    body: Expr


@dataclass(slots=True, eq=False)
class Closure(Expr):
    """A closure of a lifted function: `captured` are its first parameters. (First-order IR.)"""

    function: str
    captured: tuple[Atom, ...]


@dataclass(slots=True, eq=False)
class Let(Expr):
    """`var = value; body`."""

    var: Var
    value: Expr
    body: Expr


@dataclass(slots=True, eq=False)
class Parallel(Expr):
    """`x1 .. xn = v1 .. vn; body`, where the values may be computed at the same time, on several threads."""

    vars: tuple[Var, ...]
    values: tuple[Expr, ...]
    body: Expr


@dataclass(slots=True, eq=False)
class Arm:
    """What a match does at a constructor: its live fields are bound, then the body. `cell` names the matched cell where
    the body (or FreeCell) may use its memory again: null when it is still shared. (Owned IR.)"""

    constructor: str
    tag: int
    fields: tuple[Var, ...]
    body: Expr
    cell: Var | None = None


@dataclass(slots=True, eq=False)
class Match(Expr):
    """A choice by the constructor of a variable of rep Nat (arms Zero, and Succ with the predecessor), Enum, Record
    (its one arm), Boxed or Any (cells and immediates by tag). Char is not matched: its code is a Coerce away.

    `default` is None when the arms cover all that can be. The scrutinee can still be used in arms and default.
    `consumes` (owned IR): each arm takes the fields out of the scrutinee, which is gone then, and owns them; a default
    still owns the scrutinee. Else the scrutinee is only looked at, and an arm owns only the fields that a Dup names.
    """

    scrutinee: Var
    arms: tuple[Arm, ...]
    default: Expr | None
    rep: Rep
    consumes: bool = False


@dataclass(slots=True, eq=False)
class Unreachable(Expr):
    """No evaluation comes here."""

    rep: Rep


@dataclass(slots=True, eq=False)
class Dup(Expr):
    """One more owner of each variable, then the body. (Owned IR.)"""

    vars: tuple[Var, ...]
    body: Expr


@dataclass(slots=True, eq=False)
class Drop(Expr):
    """One owner less of each variable, then the body. (Owned IR.)"""

    vars: tuple[Var, ...]
    body: Expr


@dataclass(slots=True, eq=False)
class FreeCell(Expr):
    """Give the memory of a matched cell back (if it is ours), then the body. (Owned IR.)"""

    cell: Var
    body: Expr


@dataclass(slots=True, eq=False)
class Fun:
    """A function. `inline`: always to be inlined. `captured` of the first parameters come from its closure, and then
    parameters and result are slots (`is_closure`). `borrowed` (owned IR): the parameters that it only looks at and that
    its caller still owns; empty when it owns all."""

    key: str
    params: tuple[Var, ...]
    result: Rep
    body: Expr
    inline: bool = False
    is_closure: bool = False
    captured: int = 0
    borrowed: tuple[bool, ...] = ()


@dataclass(slots=True, eq=False)
class Program:
    """All functions by key, in an order of no meaning. `main` is a function without parameters.

    `main_is_io`: main gives an `IO.OP` as a word (Emit or Halt). Else its result (a slot) is shown by `shows`, a table
    of descriptions (show_table.py), of which the first is main's type.
    """

    functions: dict[str, Fun]
    main: str
    main_is_io: bool
    shows: list[ShowEntry] = field(default_factory=list)


class Names:
    """A source of fresh variables, with numbers past a first one."""

    def __init__(self, after: int = 0) -> None:
        self._next = after

    def fresh(self, name: str, rep: Rep) -> Var:
        """A new variable."""
        self._next += 1
        return Var(name, self._next, rep)


def rep_of(expr: Expr, program: Program | None = None) -> Rep:
    """The representation of an expression's value."""
    from bendml_cli.bend2.native.types import FUNCTION, STRING

    while True:
        match expr:
            case Let() | Parallel() | Dup() | Drop() | FreeCell():
                expr = expr.body
            case Value(atom):
                return atom.rep
            case Text():
                return STRING
            case Lambda() | Closure():
                return FUNCTION
            case Prim() | Call() | Apply() | Construct() | Coerce() | Match() | Unreachable():
                return expr.rep
            case _:
                raise AssertionError(expr)


def atoms_of(expr: Expr) -> tuple[Atom, ...]:
    """The atoms that the expression itself names: not those of its parts."""
    match expr:
        case Value(atom) | Coerce(atom):
            return (atom,)
        case Prim(args=args) | Call(args=args):
            return args
        case Construct(args=args, reuse=reuse):
            return args if reuse is None else (*args, reuse)
        case Apply(function, args):
            return (function, *args)
        case Closure(captured=captured):
            return captured
        case Match(scrutinee=scrutinee):
            return (scrutinee,)
        case Dup(vars=vars_) | Drop(vars=vars_):
            return vars_
        case FreeCell(cell):
            return (cell,)
    return ()


def parts_of(expr: Expr) -> Iterator[tuple[tuple[Var, ...], Expr]]:
    """The expressions in an expression, each with the variables that it binds over them."""
    match expr:
        case Let(var, value, body):
            yield (), value
            yield (var,), body
        case Parallel(vars_, values, body):
            for value in values:
                yield (), value
            yield vars_, body
        case Lambda(params, body):
            yield params, body
        case Match(arms=arms, default=default):
            for arm in arms:
                yield (arm.fields if arm.cell is None else (*arm.fields, arm.cell)), arm.body
            if default is not None:
                yield (), default
        case Dup(body=body) | Drop(body=body) | FreeCell(body=body):
            yield (), body


def free_variables(expr: Expr) -> dict[Var, int]:
    """The free variables in order of first occurrence, with the number of their occurrences."""
    counts: dict[Var, int] = {}
    bound: set[Var] = set()
    pending: list[Expr] = [expr]
    while pending:
        at = pending.pop()
        for atom in atoms_of(at):
            if isinstance(atom, Var):
                counts[atom] = counts.get(atom, 0) + 1
        inner = list(parts_of(at))
        for variables, _ in inner:
            bound.update(variables)
        pending += [part for _, part in reversed(inner)]
    return {var: count for var, count in counts.items() if var not in bound}


def show_program(program: Program) -> str:
    """The program for people."""
    return "\n\n".join(show_function(each) for each in program.functions.values()) + "\n"


def show_function(function: Fun) -> str:
    """A function for people."""
    params = ", ".join(f"{each} : {each.rep}" for each in function.params)
    lines = [f"{'inline ' if function.inline else ''}{function.key}({params}) -> {function.result}:"]
    _show(function.body, 1, lines)
    return "\n".join(lines)


def _args(atoms: tuple[Atom, ...]) -> str:
    return ", ".join(map(str, atoms))


def _show(expr: Expr, depth: int, lines: list[str], lead: str = "") -> None:
    pad = "  " * depth
    match expr:
        case Let(var, value, body):
            if isinstance(value, Let | Match | Parallel | Dup | Drop | FreeCell):
                lines.append(f"{pad}{lead}{var} : {var.rep} =")
                _show(value, depth + 1, lines)
            else:
                _show(value, depth, lines, f"{lead}{var} : {var.rep} = ")
            _show(body, depth, lines)
        case Parallel(vars_, values, body):
            lines.append(f"{pad}{lead}parallel")
            for var, value in zip(vars_, values, strict=True):
                lines.append(f"{pad}  {var} : {var.rep} =")
                _show(value, depth + 2, lines)
            _show(body, depth, lines)
        case Match(scrutinee, arms, default, _, consumes):
            lines.append(f"{pad}{lead}{'take' if consumes else 'match'} {scrutinee}:")
            for arm in arms:
                cell = f" @{arm.cell}" if arm.cell is not None else ""
                lines.append(f"{pad}  {arm.constructor}({', '.join(f'{f} : {f.rep}' for f in arm.fields)}){cell}:")
                _show(arm.body, depth + 2, lines)
            if default is not None:
                lines.append(f"{pad}  else:")
                _show(default, depth + 2, lines)
        case Lambda(params, body):
            lines.append(f"{pad}{lead}lambda {', '.join(f'{p} : {p.rep}' for p in params)}:")
            _show(body, depth + 1, lines)
        case Dup(vars_, body):
            lines.append(f"{pad}{lead}dup {_args(vars_)}")
            _show(body, depth, lines)
        case Drop(vars_, body):
            lines.append(f"{pad}{lead}drop {_args(vars_)}")
            _show(body, depth, lines)
        case FreeCell(cell, body):
            lines.append(f"{pad}{lead}free {cell}")
            _show(body, depth, lines)
        case _:
            lines.append(f"{pad}{lead}{_show_operation(expr)}")


def _show_operation(expr: Expr) -> str:
    match expr:
        case Value(atom):
            return str(atom)
        case Text(codes):
            return repr("".join(chr(c) if c < 0x110000 else "?" for c in codes))
        case Prim(name, args, rep):
            return f"{name}({_args(args)}) : {rep}"
        case Call(function, args, rep, offload):
            return f"{function}{'!' if offload else ''}({_args(args)}) : {rep}"
        case Apply(function, args, rep):
            return f"apply {function}({_args(args)}) : {rep}"
        case Construct(constructor, _, args, rep, reuse):
            return f"{constructor}{{{_args(args)}}} : {rep}" + (f" in {reuse}" if reuse is not None else "")
        case Coerce(atom, rep):
            return f"{atom} as {rep}"
        case Closure(function, captured):
            return f"closure {function}[{_args(captured)}]"
        case Unreachable():
            return "unreachable"
    raise AssertionError(expr)
