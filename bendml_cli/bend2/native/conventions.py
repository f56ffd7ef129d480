"""How functions are called in C.

What may be called in a tail has the convention B_CC, whose tail calls are jumps; it takes few arguments in registers
and more of them in `b_extra` (runtime/apply.h). All else are plain C functions.
"""

from __future__ import annotations

from typing import TypeVar

from bendml_cli.bend2.native.crep import CReps
from bendml_cli.bend2.native.ir import Call, Expr, Fun, Let, Match, Parallel, Program, Var, parts_of
from bendml_cli.bend2.native.types import F32, Record, Rep

MAX_ARITY = 200
"""Closures take at most so many parameters (runtime/apply.h)."""
REGISTER_ARITY = 5
"""So many of them are arguments in C."""
_WORD_REGISTERS = 6
_FLOAT_REGISTERS = 8

T = TypeVar("T")
Leaf = tuple[T, Rep]


class Conventions:
    """Which functions of a program are of convention B_CC."""

    def __init__(self, program: Program, reps: CReps) -> None:
        self._reps = reps
        self._jumped_to = {program.main}
        for fun in program.functions.values():
            if fun.is_closure:
                self._jumped_to.add(fun.key)
            self._jumped_to.update(_tail_called(fun))

    def is_jumped_to(self, fun: Fun) -> bool:
        """Is the function of convention B_CC?"""
        return fun.key in self._jumped_to

    def split(self, fun: Fun, leaves: list[Leaf[T]]) -> tuple[list[Leaf[T]], list[Leaf[T]]]:
        """Splits what belongs to the leaves of a function's parameters into arguments and extra arguments."""
        if not self.is_jumped_to(fun):
            return leaves, []
        # A large result takes a register for where it goes.
        words = _WORD_REGISTERS - (isinstance(fun.result, Record) and not fun.is_closure)
        floats = _FLOAT_REGISTERS
        inside, extra = [], []
        for each in leaves:
            is_float = isinstance(each[1], F32)
            if (floats if is_float else words) == 0:
                extra.append(each)
                continue
            inside.append(each)
            if is_float:
                floats -= 1
            else:
                words -= 1
        return inside, extra

    def has_extra(self, fun: Fun) -> bool:
        """Does the function take extra arguments?"""
        return bool(self.split(fun, self.leaves(fun.params))[1])

    def leaves(self, params: tuple[Var, ...]) -> list[Leaf[tuple[Var, str]]]:
        """The leaves of parameters: the parameter, the path from it, and the leaf's representation."""
        return [((var, path), rep) for var in params for path, rep in self._reps.leaves(var.rep)]


def _tail_called(fun: Fun) -> set[str]:
    """The functions that are called in a tail; a function's own tail calls of itself are no calls in C."""
    called: set[str] = set()
    pending: list[tuple[Expr, bool]] = [(fun.body, True)]
    while pending:
        expr, is_own = pending.pop()
        match expr:
            case Let(value=value, body=body):
                pending += [(value, False) for value in _parallel_values(value)]
                pending.append((body, is_own))
            case Parallel(values=values, body=body):
                pending += [(value, False) for value in values if not isinstance(value, Call)]
                pending.append((body, is_own))
            case Match(arms=arms, default=default):
                pending += [(arm.body, is_own) for arm in arms]
                pending += [(default, is_own)] if default is not None else []
            case Call(function):
                if not is_own or function != fun.key:
                    called.add(function)
            case _:
                pending += [(part, is_own) for _, part in parts_of(expr)]
    return called


def _parallel_values(expr: Expr) -> list[Expr]:
    """The values of parallel lets anywhere in an expression, which become functions of their own."""
    found: list[Expr] = []
    pending = [expr]
    while pending:
        at = pending.pop()
        if isinstance(at, Parallel):
            found += [value for value in at.values if not isinstance(value, Call)]
            pending.append(at.body)
        else:
            pending += [part for _, part in parts_of(at)]
    return found
