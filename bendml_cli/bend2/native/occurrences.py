"""How often each variable occurs, with what nobody uses dropped on the way: the work between two rounds."""

from __future__ import annotations

from dataclasses import dataclass, field

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.prims import PRIMS


@dataclass(slots=True)
class Uses:
    """`counts`: the occurrences of each variable; `opened`: the variables that are matched or applied somewhere.

    `pure`: the functions that only give a value (recursion ends, in what the checker accepts).
    """

    counts: dict[ir.Var, int] = field(default_factory=dict)
    opened: set[ir.Var] = field(default_factory=set)
    pure: frozenset[str] = frozenset()

    def note(self, expr: ir.Expr) -> None:
        """Count what the expression itself names."""
        for atom in ir.atoms_of(expr):
            if isinstance(atom, ir.Var):
                self.counts[atom] = self.counts.get(atom, 0) + 1
        match expr:
            case ir.Match(scrutinee=ir.Var() as var) | ir.Apply(function=ir.Var() as var):
                self.opened.add(var)


def is_droppable(expr: ir.Expr, pure: frozenset[str]) -> bool:
    """May the expression be left out when nobody uses its value: does it neither fail nor act?"""
    pending = [expr]
    while pending:
        match pending.pop():
            case ir.Prim(name):
                if PRIMS[name].effect not in ("pure", "reads"):
                    return False
            case ir.Call(function):
                if function not in pure:
                    return False
            case ir.Apply() | ir.Unreachable():
                return False
            case ir.Lambda():
                pass
            case at:
                pending += _inner(at)
    return True


def settle(expr: ir.Expr, uses: Uses) -> ir.Expr:
    """The expression without bindings that nobody uses; counts what is left into `uses`. Changes `expr` in place."""
    spine: list[ir.Let | ir.Parallel | ir.Match] = []
    while True:
        match expr:
            case ir.Let() | ir.Parallel():
                spine.append(expr)
                expr = expr.body
            case ir.Match(arms=(arm,), default=None):
                spine.append(expr)
                expr = arm.body
            case _:
                break
    rest = _settle_last(expr, uses)
    counts = uses.counts
    for at in reversed(spine):
        match at:
            case ir.Let(var, value):
                if var in counts or not is_droppable(value, uses.pure):
                    at.value = settle(value, uses)
                    at.body = rest
                    rest = at
            case ir.Parallel(values=values):
                at.values = tuple(settle(value, uses) for value in values)
                at.body = rest
                rest = at
            case ir.Match(arms=(arm,)):
                if any(field in counts for field in arm.fields):
                    uses.note(at)
                    arm.body = rest
                    rest = at
    return rest


def _settle_last(expr: ir.Expr, uses: Uses) -> ir.Expr:
    uses.note(expr)
    match expr:
        case ir.Match(arms=arms, default=default):
            for arm in arms:
                arm.body = settle(arm.body, uses)
            if default is not None:
                expr.default = settle(default, uses)
        case ir.Lambda(body=body):
            expr.body = settle(body, uses)
    return expr


@dataclass(frozen=True, slots=True)
class Survey:
    """The number of operations of an expression; the functions that it calls, in order, and how often; and whether
    it may do more than give its value, calls aside."""

    size: int
    calls: dict[str, int]
    has_effects: bool


def survey(expr: ir.Expr, uses: Uses | None = None) -> Survey:
    """What is in the expression as it is; counts the variables into `uses`."""
    size = 0
    calls: dict[str, int] = {}
    has_effects = False
    pending = [expr]
    while pending:
        at = pending.pop()
        size += _weight(at)
        if isinstance(at, ir.Call):
            calls[at.function] = calls.get(at.function, 0) + 1
        elif isinstance(at, ir.Apply) or (isinstance(at, ir.Prim) and PRIMS[at.name].effect != "pure"):
            has_effects = True
        if uses is not None:
            uses.note(at)
        pending += _inner(at)
    return Survey(size, calls, has_effects)


def size_of(expr: ir.Expr, limit: int) -> int:
    """The number of operations in the expression; a count past `limit` stops there."""
    size = 0
    pending = [expr]
    while pending and size <= limit:
        at = pending.pop()
        size += _weight(at)
        pending += _inner(at)
    return size


def is_free_of_calls(expr: ir.Expr) -> bool:
    """Does the expression take a bounded number of steps, with no call in it?"""
    pending = [expr]
    while pending:
        at = pending.pop()
        if isinstance(at, ir.Call | ir.Apply):
            return False
        if not isinstance(at, ir.Lambda):
            pending += _inner(at)
    return True


def _weight(expr: ir.Expr) -> int:
    return 0 if isinstance(expr, ir.Let | ir.Value | ir.Unreachable) else 1


def _inner(expr: ir.Expr) -> list[ir.Expr]:
    """The expressions in an expression, as ir.parts_of has them, for less."""
    if isinstance(expr, ir.Let):
        return [expr.value, expr.body]
    if isinstance(expr, ir.Match):
        inner = [arm.body for arm in expr.arms]
        if expr.default is not None:
            inner.append(expr.default)
        return inner
    if isinstance(expr, ir.Lambda):
        return [expr.body]
    if isinstance(expr, ir.Parallel):
        return [*expr.values, expr.body]
    return []
