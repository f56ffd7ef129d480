"""Who owns what: moves, duplications, drops, and cells written again (after Perceus: Reinking, Xie, de Moura, Leijen).

A variable whose representation is counted is used up exactly once on each path: by the last operation that takes it,
by a match that takes it apart, or by a `Drop` as soon as no path needs it. What is used up while still needed has a
`Dup` before. Arguments that are only looked at (letters `b` of a primitive, parameters that a function borrows) stay
their owner's. Borrowed variables (parameters that the function borrows, and fields seen in a cell that lives on) are
never dropped, and used up only after a `Dup`.

Where an argument is shared anyway, because it is needed later or is itself borrowed, and the function would take it
apart, a variant of the function is called that borrows it: `key&0.2` borrows its first and third parameters.

A cell that a match takes apart is written again by the next constructor of its size, if there is one on the path.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bendml_cli.bend2.native.borrow import borrowed_parameters, matched_parameters
from bendml_cli.bend2.native.ir import (
    Arm,
    Atom,
    Call,
    Closure,
    Construct,
    Drop,
    Dup,
    Expr,
    FreeCell,
    Fun,
    Let,
    Match,
    Names,
    Parallel,
    Prim,
    Program,
    Unreachable,
    Value,
    Var,
    atoms_of,
    free_variables,
    parts_of,
    rep_of,
)
from bendml_cli.bend2.native.prims import PRIMS
from bendml_cli.bend2.native.types import ANY, Boxed, Record, is_counted


def own(program: Program) -> Program:
    """What main reaches of the program, with its counting explicit. The program must be first-order."""
    variants = _Variants(program)
    variants.ask(program.main)
    functions: dict[str, Fun] = {}
    while variants.pending:
        function = variants.pending.pop()
        functions[function.key] = _Owner(function, variants).own()
    return Program(functions, program.main, program.main_is_io, program.shows)


class _Variants:
    """The functions that are asked for: those of the program, and variants of them that borrow more parameters.

    They are given out in `pending`, once each, with `borrowed` of a flag for each parameter.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.borrowed = borrowed_parameters(program)
        self.matched: dict[str, frozenset[int]] = {}
        self.asked: set[str] = set()
        self.pending: list[Fun] = []

    def ask(self, key: str, shared: frozenset[int] = frozenset()) -> tuple[str, tuple[bool, ...]]:
        """The variant of a function for some shared arguments: its key, and which parameters it borrows."""
        function, borrowed = self.program.functions[key], self.borrowed[key]
        if shared:
            if key not in self.matched:
                self.matched[key] = matched_parameters(function)
            more = [index for index in sorted(shared & self.matched[key]) if not borrowed[index]]
            if more:
                key = f"{key}&{'.'.join(map(str, more))}"
                borrowed = tuple(is_borrowed or index in more for index, is_borrowed in enumerate(borrowed))
        if key not in self.asked:
            self.asked.add(key)
            self.pending.append(replace(function, key=key, borrowed=borrowed))
        return key, borrowed


class _Owner:
    """Of one function. All methods on expressions go from last to first: `live` is the set of the owned variables that
    are needed after the expression, and becomes the set of those needed before it."""

    def __init__(self, function: Fun, variants: _Variants) -> None:
        self.function = function
        self.variants = variants
        self.names = Names(after=_highest_number(function))
        pairs = zip(function.params, function.borrowed, strict=True)
        self.borrowed = {param for param, is_borrowed in pairs if is_borrowed}

    def own(self) -> Fun:
        """The function with its counting explicit."""
        live: set[Var] = set()
        borrowed = self.function.borrowed
        body = self._own(self.function.body, live)
        body = _drop(self._owned_of(self.function.params) - live, body)
        return replace(self.function, body=body, borrowed=borrowed if any(borrowed) else ())

    def _owned_of(self, atoms: Iterable[Atom]) -> set[Var]:
        return {each for each in atoms if isinstance(each, Var) and is_counted(each.rep) and each not in self.borrowed}

    # -- expressions ------------------------------------------------------------------------------------------------

    def _own(self, expr: Expr, live: set[Var]) -> Expr:
        lets: list[Let | Parallel] = []
        while isinstance(expr, Let | Parallel):
            lets.append(expr)
            expr = expr.body
        result = self._own_last(expr, live)
        for each in reversed(lets):
            result = self._own_let(each, result, live) if isinstance(each, Let) else self._fork(each, result, live)
        return result

    def _own_let(self, expr: Let, body: Expr, live: set[Var]) -> Expr:
        body = self._bind((expr.var,), body, live)
        if isinstance(expr.value, Match | Let | Parallel):
            return Let(expr.var, self._own(expr.value, live), body)
        operation, dups, drops = self._own_operation(expr.value, live)
        return _dup(dups, Let(expr.var, operation, _drop(drops, body)))

    def _own_last(self, expr: Expr, live: set[Var]) -> Expr:
        if isinstance(expr, Match):
            return self._own_match(expr, live)
        operation, dups, drops = self._own_operation(expr, live)
        if drops:
            result = self.names.fresh("result", rep_of(expr))
            operation = Let(result, operation, _drop(drops, Value(result)))
        return _dup(dups, operation)

    def _bind(self, variables: tuple[Var, ...], body: Expr, live: set[Var]) -> Expr:
        """The body in which variables begin to be owned: those that it does not need are dropped first."""
        owned = self._owned_of(variables)
        unused = owned - live
        live -= owned
        return _drop(unused, body)

    def _own_operation(self, expr: Expr, live: set[Var]) -> tuple[Expr, list[Var], set[Var]]:
        """The operation, what to duplicate before it, and what to drop after it."""
        taken: list[Atom] = []
        seen: list[Atom] = []
        match expr:
            case Prim(name, args):
                for how, arg in zip(PRIMS[name].owned, args, strict=True):
                    (seen if how == "b" else taken).append(arg)
            case Call(args=args):
                expr, borrowed = self._choose_variant(expr, live)
                for is_borrowed, arg in zip(borrowed, args, strict=True):
                    (seen if is_borrowed else taken).append(arg)
            case Closure(function, captured):
                self.variants.ask(function)
                taken += captured
            case Construct(args=args):
                expr = replace(expr)  # as it may be changed, to write a cell again
                taken += args
            case _:
                taken += atoms_of(expr)
        drops = self._owned_of(seen) - live
        live |= drops
        dups: list[Var] = []
        for atom in taken:
            if isinstance(atom, Var) and is_counted(atom.rep):
                if atom in self.borrowed or atom in live:
                    dups.append(atom)
                else:
                    live.add(atom)
        return expr, dups, drops

    def _choose_variant(self, expr: Call, live: set[Var]) -> tuple[Call, tuple[bool, ...]]:
        """The call of the variant that borrows the shared arguments, and which parameters that borrows."""
        shared = frozenset(
            index
            for index, arg in enumerate(expr.args)
            if isinstance(arg, Var) and (arg in self.borrowed or arg in live)
        )
        key, borrowed = self.variants.ask(expr.function, frozenset() if expr.offload else shared)
        return replace(expr, function=key), borrowed

    def _fork(self, expr: Parallel, body: Expr, live: set[Var]) -> Expr:
        """Each value owns what it alone needs. What several need, or what is needed after all of them, stays meanwhile,
        so that the threads do not all count the same cells."""
        body = self._bind(expr.vars, body, live)
        uses: dict[Var, int] = {}
        for value in expr.values:
            for var in free_variables(value):
                uses[var] = uses.get(var, 0) + 1
        shared = self._owned_of(var for var, count in uses.items() if count > 1) - live
        body = _drop(shared, body)
        live |= shared
        values: list[Expr] = []
        needed: set[Var] = set()
        for value in expr.values:
            inside = set(live)
            values.append(self._own(value, inside))
            needed |= inside
        live |= needed
        return Parallel(expr.vars, tuple(values), body)

    # -- matches ----------------------------------------------------------------------------------------------------

    def _own_match(self, expr: Match, live: set[Var]) -> Expr:
        scrutinee = expr.scrutinee
        stays = not is_counted(scrutinee.rep) or scrutinee in self.borrowed or scrutinee in live
        if stays:
            for arm in expr.arms:
                self.borrowed.update(arm.fields)
        branches = [arm.body for arm in expr.arms] + ([] if expr.default is None else [expr.default])
        needs: list[set[Var]] = []
        bodies: list[Expr] = []
        for branch in branches:
            need = set(live)
            bodies.append(self._own(branch, need))
            needs.append(need)
        consumes = not stays and not any(scrutinee in need for need in needs[: len(expr.arms)])
        arms: list[Arm] = []
        for arm, body, need in zip(expr.arms, bodies, needs, strict=False):
            if stays:
                arms.append(replace(arm, body=body))
            elif scrutinee in need:
                arms.append(self._keep(arm, body, need))
            else:
                arms.append(self._take(expr, arm, body, need, consumes))
        live.update(*needs)
        default = None if expr.default is None else bodies[-1]
        if not stays:
            live.add(scrutinee)
            if default is not None and scrutinee not in needs[-1]:
                needs[-1].add(scrutinee)
                default = _drop({scrutinee}, default)
        for arm, need in zip(arms, needs, strict=False):
            arm.body = _drop(live - need - {scrutinee}, arm.body)
        if default is not None:
            default = _drop(live - needs[-1], default)
        return Match(scrutinee, tuple(arms), default, expr.rep, consumes)

    def _keep(self, arm: Arm, body: Expr, need: set[Var]) -> Arm:
        """An arm that still uses the scrutinee: it has owners of its own for the fields that it needs."""
        fields = self._owned_of(arm.fields) & need
        need -= fields
        return replace(arm, body=_dup(fields, body))

    def _take(self, expr: Match, arm: Arm, body: Expr, need: set[Var], consumes: bool) -> Arm:
        """An arm that takes the scrutinee apart: the match does (`consumes`), or else one more match in the arm."""
        fields = self._owned_of(arm.fields)
        body = _drop(fields - need, body)
        need -= fields
        cell = None
        if arm.fields and not isinstance(expr.scrutinee.rep, Record):
            cell = self.names.fresh("cell", ANY)
            if not _reuse(body, cell, len(arm.fields)):
                cell = None
        taking = replace(arm, body=body, cell=cell)
        if consumes:
            return taking
        seen = tuple(self.names.fresh(field.name, field.rep) for field in arm.fields)
        return Arm(arm.constructor, arm.tag, seen, Match(expr.scrutinee, (taking,), None, expr.rep, consumes=True))


def _reuse(expr: Expr, cell: Var, size: int) -> bool:
    """Let the first constructor of this size on each path write the cell again, and free it on the other paths, if
    there is any such constructor: is there? Changes the expression."""
    while True:
        match expr:
            case Construct(_, _, args, Boxed(), None) if len(args) == size:
                expr.reuse = cell
                return True
            case Let(_, value, body):
                if _reuse(value, cell, size):
                    return True
                expr = body
            case Parallel(body=body) | Dup(body=body) | Drop(body=body) | FreeCell(body=body):
                expr = body
            case Match(_, arms, default):
                found = [_reuse(arm.body, cell, size) for arm in arms]
                if default is not None:
                    found.append(_reuse(default, cell, size))
                if not any(found):
                    return False
                for arm, has_found in zip(arms, found, strict=False):
                    if not has_found:
                        arm.body = FreeCell(cell, arm.body)
                if default is not None and not found[-1]:
                    expr.default = FreeCell(cell, default)
                return True
            case _:
                return False


def _highest_number(function: Fun) -> int:
    highest = max((param.number for param in function.params), default=0)
    pending = [function.body]
    while pending:
        for variables, part in parts_of(pending.pop()):
            highest = max(highest, *(var.number for var in variables), 0)
            pending.append(part)
    return highest


def _in_order(variables: Iterable[Var]) -> tuple[Var, ...]:
    return tuple(sorted(variables, key=lambda var: var.number))


def _dup(variables: Iterable[Var], body: Expr) -> Expr:
    ordered = _in_order(variables)
    return Dup(ordered, body) if ordered else body


def _drop(variables: Iterable[Var], body: Expr) -> Expr:
    ordered = _in_order(variables)
    return Drop(ordered, body) if ordered and not isinstance(body, Unreachable) else body
