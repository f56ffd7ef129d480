"""What the tests of simplifying share: simplified programs, and short ways to write matches and effects."""

from __future__ import annotations

from collections.abc import Sequence

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.simplify import simplify
from bendml_cli.bend2.native.types import BOOL, NAT, STRING, UNIT
from tests.bend2.native.ir_build import NAMES, function, lets, nat, program, var
from tests.bend2.native.ir_model import Model, Plain, Stopped

FALSE, TRUE = ir.Const(0, BOOL), ir.Const(1, BOOL)


def simple(*functions: ir.Fun) -> ir.Program:
    """The simplified program; the last function is main."""
    return simplify(program(*functions), NAMES)


def main_of(params: Sequence[ir.Var], *parts: tuple[ir.Var, ir.Expr] | ir.Expr) -> ir.Expr:
    """The simplified body of a program of main alone."""
    return simple(function("main", params, lets(*parts))).functions["main"].body


def outcome(whole: ir.Program, *args: Plain) -> tuple[Plain | str, list[str]]:
    """What main gives, or why it stops, and what it prints."""
    model = Model(whole)
    try:
        return model.run("main", *args), model.output
    except Stopped as stop:
        return str(stop), model.output


def on_bool(condition: ir.Var, true: ir.Expr, false: ir.Expr) -> ir.Match:
    """A choice."""
    return ir.Match(condition, (ir.Arm("False", 0, (), false), ir.Arm("True", 1, (), true)), None, ir.rep_of(true))


def on_nat(number: ir.Var, zero: ir.Expr, pred: ir.Var, succ: ir.Expr) -> ir.Match:
    """Is a number zero?"""
    return ir.Match(number, (ir.Arm("Zero", 0, (), zero), ir.Arm("Succ", 1, (pred,), succ)), None, ir.rep_of(zero))


def on_pair(pair: ir.Var, fields: tuple[ir.Var, ir.Var], body: ir.Expr) -> ir.Match:
    """A pair taken apart."""
    return ir.Match(pair, (ir.Arm("Tuple", 0, fields, body),), None, ir.rep_of(body))


def add(left: ir.Atom, right: ir.Atom) -> ir.Prim:
    """A sum, which may stop the program."""
    return ir.Prim("nat_add", (left, right), NAT)


def say(text: str) -> tuple[tuple[ir.Var, ir.Expr], tuple[ir.Var, ir.Expr]]:
    """Two lets that print a text."""
    made = var("s", STRING)
    return (made, ir.Text(tuple(map(ord, text)))), (var("u", UNIT), ir.Prim("io_print", (made,), UNIT))


def large_body(x: ir.Var) -> ir.Expr:
    """More operations than a small function has."""
    steps = [(var("y"), x)]
    for _ in range(40):
        steps.append((var("y"), steps[-1][0]))
    return lets(*[(to, add(of, nat(1))) for to, of in steps], ir.Value(steps[-1][0]))
