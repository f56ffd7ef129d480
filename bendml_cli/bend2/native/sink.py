"""Work where it is needed: constructors, texts, calls of pure functions and the like move down into the arms of a match
that use them, so that the other arms do not make (and drop) them, nor own their parts twice for that, and so that a
call may come to stand in the last place."""

from __future__ import annotations

from dataclasses import dataclass, field

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.prims import PRIMS
from bendml_cli.bend2.native.types import Array, Record, is_counted

Renames = dict[ir.Var, ir.Var]


def sink(expr: ir.Expr, names: ir.Names, pure: frozenset[str]) -> ir.Expr:
    """The expression with its work moved down. Changes `expr` in place; `names` gives new variables, for an operation
    that comes to stand in several arms; `pure` has the functions that only give a value."""
    return _Path(names, pure, {}, {}).go(expr)


def _is_sinkable(var: ir.Var, value: ir.Expr, pure: frozenset[str]) -> bool:
    """Does the operation only make something, of what cannot change meanwhile, at a cost?"""
    match value:
        case ir.Construct() | ir.Text():
            return True
        case ir.Coerce(atom):
            return is_counted(atom.rep) or is_counted(var.rep) or isinstance(var.rep, Record)
        case ir.Prim(name, args):
            is_pure = PRIMS[name].effect == "pure" and not any(isinstance(arg.rep, Array) for arg in args)
            return is_pure and is_counted(var.rep)
        case ir.Call(function, offload=offload):
            return function in pure and not offload
    return False


@dataclass(slots=True)
class _Path:
    """One way through a function. `shared` is made above and floats into other paths as well: here it gets a name of
    its own. `renames` has these names."""

    names: ir.Names
    pure: frozenset[str]
    shared: dict[ir.Var, ir.Expr]
    renames: Renames
    spine: list[ir.Let | ir.Parallel | ir.Match] = field(default_factory=list)

    def go(self, expr: ir.Expr) -> ir.Expr:
        """The expression at the end of this path."""
        while True:
            match expr:
                case ir.Let() | ir.Parallel():
                    self.spine.append(expr)
                    expr = expr.body
                case ir.Match(arms=(arm,), default=None):
                    self.spine.append(expr)
                    expr = arm.body
                case _:
                    break
        floating = self.floating(expr)
        landing = {var: value for var, value in self.shared.items() if var not in floating}
        self.renames |= {var: self.names.fresh(var.name, var.rep) for var in landing}
        landed = [ir.Let(self.renames[var], _renamed(value, self.renames), value) for var, value in landing.items()]
        written = [self.step(at) for at in self.spine if not (isinstance(at, ir.Let) and at.var in floating)]
        return _closed(landed + written, self.end(expr, floating))

    def floating(self, last: ir.Expr) -> dict[ir.Var, ir.Expr]:
        """What can go on into the arms at the end: nothing on the way there uses it."""
        floating = dict(self.shared)
        used: list[ir.Var] = []
        for at in self.spine:
            match at:
                case ir.Let(var, value) if _is_sinkable(var, value, self.pure):
                    floating[var] = value
                case ir.Let(_, value) if floating:
                    used += ir.free_variables(value)
                case ir.Parallel(values=values) if floating:
                    used += [var for value in values for var in ir.free_variables(value)]
                case ir.Match(scrutinee=scrutinee):
                    used.append(scrutinee)
        used += [atom for atom in ir.atoms_of(last) if isinstance(atom, ir.Var)]
        if isinstance(last, ir.Lambda):
            used += ir.free_variables(last)
        while used:
            var = used.pop()
            if var in floating:
                used += [atom for atom in ir.atoms_of(floating.pop(var)) if isinstance(atom, ir.Var)]
        return floating

    def step(self, at: ir.Let | ir.Parallel | ir.Match) -> ir.Let | ir.Parallel | ir.Match:
        """A part of the spine, over the variables as they are called now."""
        match at:
            case ir.Let(_, value):
                at.value = self.part(value)
            case ir.Parallel(values=values):
                at.values = tuple([self.part(value) for value in values])
            case ir.Match(scrutinee=scrutinee):
                at.scrutinee = self.renames.get(scrutinee, scrutinee)
        return at

    def part(self, value: ir.Expr) -> ir.Expr:
        """The value of a let, or an operation at the end."""
        match value:
            case ir.Let() | ir.Parallel() | ir.Match():
                return _Path(self.names, self.pure, {}, dict(self.renames)).go(value)
            case ir.Lambda():
                value.body = _Path(self.names, self.pure, {}, dict(self.renames)).go(value.body)
                return value
        return _renamed(value, self.renames)

    def end(self, expr: ir.Expr, floating: dict[ir.Var, ir.Expr]) -> ir.Expr:
        """The end of the path: what still floats goes on into each arm of a match."""
        if not isinstance(expr, ir.Match):
            return self.part(expr)
        expr.scrutinee = self.renames.get(expr.scrutinee, expr.scrutinee)
        for arm in expr.arms:
            arm.body = _Path(self.names, self.pure, floating, dict(self.renames)).go(arm.body)
        if expr.default is not None:
            expr.default = _Path(self.names, self.pure, floating, dict(self.renames)).go(expr.default)
        return expr


def _closed(spine: list[ir.Let | ir.Parallel | ir.Match], last: ir.Expr) -> ir.Expr:
    """The end under all that comes before it; a let that only names it goes."""
    if spine and isinstance(last, ir.Value):
        before = spine[-1]
        if isinstance(before, ir.Let) and before.var is last.atom:
            last = before.value
            spine.pop()
    for at in reversed(spine):
        if isinstance(at, ir.Match):
            at.arms[0].body = last
        else:
            at.body = last
        last = at
    return last


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
