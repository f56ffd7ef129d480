"""What lowering knows where it stands: the variables in scope, the expected type, the operations named so far."""

from __future__ import annotations

from dataclasses import dataclass

from bendml_cli.bend2.core.values import Env, Thunk
from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.ir import Atom, Coerce, Const, Expr, Let, Names, Parallel, Prim, Value, Var
from bendml_cli.bend2.native.types import Any, Rep, Unit, is_word


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument on its way to its binder: its atom (None where it is not there at run time), what it stands for in
    types, and its type, where that is known."""

    atom: Atom | None
    thunk: Thunk
    type: Thunk | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The variables in scope, innermost last."""

    env: Env = ()
    atoms: tuple[Atom | None, ...] = ()
    types: tuple[Thunk | None, ...] = ()

    def push(self, arg: Arg) -> Scope:
        """The scope with one more variable."""
        return Scope((*self.env, arg.thunk), (*self.atoms, arg.atom), (*self.types, arg.type))


@dataclass(frozen=True, slots=True)
class Goal:
    """The type that an expression is to have (None where it is not known), and its representation."""

    type: Thunk | None
    rep: Rep


class Block:
    """The operations that come before a tail, in order."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._lets: list[tuple[Var, Expr] | tuple[tuple[Var, ...], tuple[Expr, ...]]] = []

    def bind(self, name: str, value: Expr, rep: Rep) -> Atom:
        """Name an operation, unless it is an atom."""
        if isinstance(value, Value):
            return value.atom
        var = self.names.fresh(name, rep)
        self._lets.append((var, value))
        return var

    def bind_to(self, var: Var, value: Expr) -> None:
        """Give a variable its value."""
        self._lets.append((var, value))

    def bind_variable(self, atom: Atom) -> Var:
        """A variable for an atom that may be a constant."""
        if isinstance(atom, Var):
            return atom
        var = self.names.fresh("c", atom.rep)
        self._lets.append((var, Value(atom)))
        return var

    def bind_parallel(self, variables: tuple[Var, ...], values: tuple[Expr, ...]) -> None:
        """Name several that may be computed at the same time."""
        self._lets.append((variables, values))

    def prim(self, name: str, args: tuple[Atom, ...], rep: Rep) -> Atom:
        """Name a primitive operation's result; `_` is done for its effect alone."""
        return self.bind(name.split("_", 1)[1], Prim(name, args, rep), rep)

    def coerce(self, atom: Atom, rep: Rep) -> Atom:
        """The atom in another representation of the same value."""
        have = atom.rep
        if have == rep:
            return atom
        if isinstance(rep, Unit):
            return UNIT_VALUE
        direct = isinstance(have, Any) or isinstance(rep, Any) or (is_word(have) and is_word(rep))
        if not direct and {type(have), type(rep)} != {types.Char, types.U32}:
            atom = self.bind("word", Coerce(atom, types.ANY), types.ANY)
        name = atom.name if isinstance(atom, Var) else "c"
        return self.bind(name, Coerce(atom, rep), rep)

    def slot(self, atom: Atom) -> Atom:
        """The atom as it may stand in a place that holds words."""
        return self.coerce(atom, types.ANY) if isinstance(atom.rep, types.Record) else atom

    def close(self, tail: Expr) -> Expr:
        """The whole expression."""
        for variables, value in reversed(self._lets):
            if isinstance(variables, Var):
                assert isinstance(value, Expr)
                tail = Let(variables, value, tail)
            else:
                assert isinstance(value, tuple)
                tail = Parallel(variables, value, tail)
        return tail


UNIT_VALUE = Const(0, types.UNIT)
