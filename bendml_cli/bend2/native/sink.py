"""Allocation where it is needed: constructors, texts and the like move down to their first use, into the arms of a
match that use them, so that the other arms do not make (and drop) them, nor own their parts twice for that."""

from __future__ import annotations

from dataclasses import dataclass, field

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.prims import PRIMS
from bendml_cli.bend2.native.types import Array, Record, is_counted

Renames = dict[ir.Var, ir.Var]


def sink(expr: ir.Expr, names: ir.Names) -> ir.Expr:
    """The expression with its allocations moved down. Changes `expr` in place; `names` gives new variables, for an
    operation that comes to stand in several arms."""
    return _Path(names, {}, {}).go(expr)


def _is_sinkable(var: ir.Var, value: ir.Expr) -> bool:
    """Does the operation only make something, of what cannot change meanwhile?"""
    match value:
        case ir.Construct() | ir.Text():
            return True
        case ir.Coerce(atom):
            return is_counted(atom.rep) or is_counted(var.rep) or isinstance(var.rep, Record)
        case ir.Prim(name, args):
            is_pure = PRIMS[name].effect == "pure" and not any(isinstance(arg.rep, Array) for arg in args)
            return is_pure and is_counted(var.rep)
    return False


@dataclass(slots=True)
class _Path:
    """One way through a function: what floats above the place that was reached, and new names of what landed.

    `shared` floats above other paths as well, so that it lands under a new name.
    """

    names: ir.Names
    floating: dict[ir.Var, ir.Expr]
    renames: Renames
    shared: frozenset[ir.Var] = frozenset()
    written: list[ir.Let | ir.Parallel | ir.Match] = field(default_factory=list)

    def go(self, expr: ir.Expr) -> ir.Expr:
        """The expression at the end of this path."""
        while True:
            match expr:
                case ir.Let(var, value, body) if _is_sinkable(var, value):
                    self.floating[var] = value
                    expr = body
                    continue
                case ir.Let(_, value, body):
                    expr.value = self.part(value)
                case ir.Parallel(values=values, body=body):
                    expr.values = tuple([self.part(value) for value in values])
                case ir.Match(scrutinee=scrutinee, arms=(arm,), default=None):
                    self.land(scrutinee)
                    expr.scrutinee = self.renames.get(scrutinee, scrutinee)
                    body = arm.body
                case _:
                    break
            self.written.append(expr)
            expr = body
        last = self.branches(expr) if isinstance(expr, ir.Match) else self.part(expr)
        if self.written and isinstance(last, ir.Value):
            before = self.written[-1]
            if isinstance(before, ir.Let) and before.var is last.atom:
                last = before.value
                self.written.pop()
        for at in reversed(self.written):
            if isinstance(at, ir.Match):
                at.arms[0].body = last
            else:
                at.body = last
            last = at
        return last

    def land(self, atom: ir.Atom) -> None:
        """What floats and is named here is written before."""
        if isinstance(atom, ir.Const) or atom not in self.floating:
            return
        value = self.floating.pop(atom)
        for each in ir.atoms_of(value):
            self.land(each)
        value = _renamed(value, self.renames)
        if atom in self.shared:
            self.renames[atom] = self.names.fresh(atom.name, atom.rep)
        self.written.append(ir.Let(self.renames.get(atom, atom), value, value))

    def part(self, value: ir.Expr) -> ir.Expr:
        """The value of a let, or an operation at the end."""
        match value:
            case ir.Let() | ir.Parallel() | ir.Match() | ir.Lambda():
                if self.floating:
                    for var in ir.free_variables(value):
                        self.land(var)
                inner = _Path(self.names, {}, dict(self.renames))
                if isinstance(value, ir.Lambda):
                    value.body = inner.go(value.body)
                    return value
                return inner.go(value)
        for atom in ir.atoms_of(value):
            self.land(atom)
        return _renamed(value, self.renames)

    def branches(self, expr: ir.Match) -> ir.Match:
        """A match at the end: what still floats goes on into each arm."""
        self.land(expr.scrutinee)
        expr.scrutinee = self.renames.get(expr.scrutinee, expr.scrutinee)
        for arm in expr.arms:
            arm.body = self.branch(arm.body)
        if expr.default is not None:
            expr.default = self.branch(expr.default)
        return expr

    def branch(self, expr: ir.Expr) -> ir.Expr:
        """An arm of a match at the end."""
        return _Path(self.names, dict(self.floating), dict(self.renames), frozenset(self.floating)).go(expr)


def _renamed(expr: ir.Expr, renames: Renames) -> ir.Expr:
    """An operation over the variables as they are called now."""

    def new(atom: ir.Atom) -> ir.Atom:
        return atom if isinstance(atom, ir.Const) else renames.get(atom, atom)

    match expr:
        case ir.Value(atom):
            return ir.Value(new(atom))
        case ir.Prim(name, args, rep):
            return ir.Prim(name, tuple(map(new, args)), rep)
        case ir.Call(function, args, rep, offload):
            return ir.Call(function, tuple(map(new, args)), rep, offload)
        case ir.Apply(function, args, rep):
            return ir.Apply(new(function), tuple(map(new, args)), rep)
        case ir.Construct(constructor, tag, args, rep):
            return ir.Construct(constructor, tag, tuple(map(new, args)), rep)
        case ir.Coerce(atom, rep):
            return ir.Coerce(new(atom), rep)
        case ir.Text() | ir.Unreachable():
            return expr
    raise AssertionError(expr)
