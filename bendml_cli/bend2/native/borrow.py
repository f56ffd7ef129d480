"""Which parameters a function only borrows.

After "Counting Immutable Beans" (Ullrich, de Moura): a parameter that a function only looks at (matches, passes on to
be looked at) stays its caller's, and so costs no counting: walking down a list touches no count. All parameters of
known functions begin as borrowed, and become owned

- where they, or fields reached from them, are used up: stored, given back, applied, passed on to be used up;
- where a cell of theirs can be written again: an arm of a match constructs a cell of the same size;
- where a tail call would stop being one, because the caller has to drop the argument after it, and the call is part of
  a loop: the stack must not grow with the number of rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from bendml_cli.bend2.native.callgraph import components
from bendml_cli.bend2.native.ir import (
    Apply,
    Atom,
    Call,
    Construct,
    Expr,
    Fun,
    Let,
    Match,
    Parallel,
    Prim,
    Program,
    Var,
    atoms_of,
    free_variables,
    parts_of,
)
from bendml_cli.bend2.native.prims import PRIMS
from bendml_cli.bend2.native.types import Boxed, Record, is_counted

Place = tuple[str, int]
"""A parameter: its function's key and its position."""

_UNKNOWN = "?"
"""Whatever an unknown closure may be, among the functions: no key is like this."""


def matched_parameters(function: Fun) -> frozenset[int]:
    """The positions of the parameters that a function matches. Where the argument is shared, taking such a parameter
    apart only costs: it is better borrowed."""
    matched: set[Var] = set()
    pending = [function.body]
    while pending:
        at = pending.pop()
        if isinstance(at, Match):
            matched.add(at.scrutinee)
        pending += [part for _, part in parts_of(at)]
    return frozenset(index for index, param in enumerate(function.params) if param in matched and is_counted(param.rep))


def borrowed_parameters(program: Program) -> dict[str, tuple[bool, ...]]:
    """For each function, which of its parameters it borrows. Those of closures are all owned."""
    loops = _loops_of_tail_calls(program)
    inference = _Inference(program, loops)
    for function in program.functions.values():
        inference.collect(function)
    owned = inference.close()
    return {
        function.key: tuple(
            not function.is_closure and is_counted(param.rep) and (function.key, index) not in owned
            for index, param in enumerate(function.params)
        )
        for function in program.functions.values()
    }


class _Inference:
    """The places that are owned for a reason of their own, and those that are owned because others are."""

    def __init__(self, program: Program, loops: dict[str, int]) -> None:
        self.program = program
        self.loops = loops
        self.owned: set[Place] = set()
        self.follows: dict[Place, list[Place]] = {}
        self.key = ""
        self.roots: dict[Var, Place] = {}

    def collect(self, function: Fun) -> None:
        """Take in what a function does to its parameters."""
        self.key = function.key
        places = [(function.key, index) for index in range(len(function.params))]
        self.roots = dict(zip(function.params, places, strict=True))
        if function.is_closure:
            self.owned.update(places)
        pending = [(function.body, True)]
        while pending:
            expr, in_tail = pending.pop()
            self._collect_use(expr, in_tail)
            match expr:
                case Let(_, value, body):
                    pending += [(value, False), (body, in_tail)]
                case Parallel(_, values, body):
                    pending += [*((value, False) for value in values), (body, in_tail)]
                case Match(scrutinee, arms):
                    if scrutinee in self.roots:
                        for arm in arms:
                            self.roots.update(dict.fromkeys(arm.fields, self.roots[scrutinee]))
                    pending += [(part, in_tail) for _, part in parts_of(expr)]

    def close(self) -> set[Place]:
        """All owned places."""
        pending = list(self.owned)
        while pending:
            for place in self.follows.get(pending.pop(), ()):
                if place not in self.owned:
                    self.owned.add(place)
                    pending.append(place)
        return self.owned

    def _collect_use(self, expr: Expr, in_tail: bool) -> None:
        match expr:
            case Match():
                self._collect_reuse(expr)
            case Call(function, args):
                is_loop = in_tail and self.loops[function] == self.loops[self.key]
                for index, arg in enumerate(args):
                    self._collect_argument(arg, (function, index), is_loop)
            case Prim(name, args):
                for how, arg in zip(PRIMS[name].owned, args, strict=True):
                    if how == "o":
                        self._use_up(arg)
            case Let() | Parallel():
                pass
            case _:
                for atom in atoms_of(expr):
                    self._use_up(atom)

    def _use_up(self, atom: Atom) -> None:
        if isinstance(atom, Var) and is_counted(atom.rep) and atom in self.roots:
            self.owned.add(self.roots[atom])

    def _collect_argument(self, arg: Atom, place: Place, is_loop: bool) -> None:
        if not isinstance(arg, Var) or not is_counted(arg.rep):
            return
        root = self.roots.get(arg)
        if root is not None:
            self.follows.setdefault(place, []).append(root)
            if is_loop:
                self.follows.setdefault(root, []).append(place)
        elif is_loop:
            self.owned.add(place)

    def _collect_reuse(self, expr: Match) -> None:
        root = self.roots.get(expr.scrutinee)
        rep = expr.scrutinee.rep
        if root is None or root in self.owned or isinstance(rep, Record) or not is_counted(rep):
            return
        for arm in expr.arms:
            if not arm.fields or expr.scrutinee in free_variables(arm.body):
                continue
            if any(len(arm.fields) == size for size in _cells_made(arm.body)):
                self.owned.add(root)
                return


def _cells_made(expr: Expr) -> Iterator[int]:
    """The sizes of the cells that an expression constructs, where the memory of one matched before is at hand."""
    pending = [expr]
    while pending:
        at = pending.pop()
        match at:
            case Construct(_, _, args, Boxed()):
                yield len(args)
            case Parallel(body=body):
                pending.append(body)
            case _:
                pending += [part for _, part in parts_of(at)]


def _loops_of_tail_calls(program: Program) -> dict[str, int]:
    """A number for each function, the same for two that reach each other by tail calls, unknown closures included."""
    edges: dict[str, list[str]] = {_UNKNOWN: [each.key for each in program.functions.values() if each.is_closure]}
    for function in program.functions.values():
        edges[function.key] = list(_tail_calls(function.body))
    return {key: number for number, component in enumerate(components(edges)) for key in component}


def _tail_calls(expr: Expr) -> Iterator[str]:
    pending = [expr]
    while pending:
        at = pending.pop()
        match at:
            case Let(body=body) | Parallel(body=body):
                pending.append(body)
            case Match():
                pending += [part for _, part in parts_of(at)]
            case Call(function):
                yield function
            case Apply():
                yield _UNKNOWN
