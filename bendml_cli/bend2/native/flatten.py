"""Record parameters of known functions become their fields, side by side (also called worker/wrapper).

A loop that carries a pair, such as an array and the element just read from it, then carries an array and a number.
Nothing is lost where a record was already there: the simplifier takes a construction and the match on it away.
"""

from __future__ import annotations

from dataclasses import replace

from bendml_cli.bend2.native.ir import (
    Arm,
    Atom,
    Call,
    Construct,
    Expr,
    Fun,
    Lambda,
    Let,
    Match,
    Names,
    Parallel,
    Program,
    Var,
)
from bendml_cli.bend2.native.types import Record


def flatten_records(program: Program, names: Names, constructors: dict[str, str]) -> Program:
    """The program with no parameter of a function that is a Record. `constructors` are those of datatypes that have one
    each, by the datatype's key."""
    flat = _Flattening(program, names, constructors)
    functions = {key: flat.function(each) for key, each in program.functions.items()}
    return replace(program, functions=functions)


class _Flattening:
    def __init__(self, program: Program, names: Names, constructors: dict[str, str]) -> None:
        self.program = program
        self.names = names
        self.constructors = constructors

    def function(self, function: Fun) -> Fun:
        body = self.expr(function.body)
        params: list[Var] = []
        for param in function.params:
            leaves: list[Var] = []
            body = self._rebuild(param, body, leaves)
            params += leaves
        return replace(function, params=tuple(params), body=body)

    def _rebuild(self, var: Var, body: Expr, leaves: list[Var]) -> Expr:
        """The body under a variable that is made again from its leaves, which are added to the list."""
        if not isinstance(var.rep, Record):
            leaves.append(var)
            return body
        fields = tuple([self.names.fresh(var.name, rep) for rep in var.rep.fields])
        body = Let(var, Construct(self.constructors[var.rep.key], 0, fields, var.rep), body)
        for field in fields:
            body = self._rebuild(field, body, leaves)
        return body

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Call(args=args) if any(isinstance(each.rep, Record) for each in args):
                return self._call(expr)
            case Let():
                return replace(expr, value=self.expr(expr.value), body=self.expr(expr.body))
            case Parallel():
                return replace(expr, values=tuple(map(self.expr, expr.values)), body=self.expr(expr.body))
            case Lambda():
                return replace(expr, body=self.expr(expr.body))
            case Match(arms=arms, default=default):
                return replace(
                    expr,
                    arms=tuple([replace(arm, body=self.expr(arm.body)) for arm in arms]),
                    default=None if default is None else self.expr(default),
                )
        return expr

    def _call(self, call: Call) -> Expr:
        """A call whose records are taken apart before it."""
        opened: list[tuple[Var, tuple[Var, ...]]] = []
        leaves: list[Atom] = []
        for each in call.args:
            self._open(each, opened, leaves)
        result: Expr = replace(call, args=tuple(leaves))
        for var, fields in reversed(opened):
            assert isinstance(var.rep, Record)
            result = Match(var, (Arm(self.constructors[var.rep.key], 0, fields, result),), None, call.rep)
        return result

    def _open(self, atom: Atom, opened: list[tuple[Var, tuple[Var, ...]]], leaves: list[Atom]) -> None:
        if not isinstance(atom.rep, Record):
            leaves.append(atom)
            return
        assert isinstance(atom, Var)
        fields = tuple([self.names.fresh(atom.name, rep) for rep in atom.rep.fields])
        opened.append((atom, fields))
        for field in fields:
            self._open(field, opened, leaves)
