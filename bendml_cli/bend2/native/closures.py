"""Lambdas to functions over their captured variables.

Each lambda becomes a function whose first parameters are the variables that it captures, and a `Closure` of it. A
captured variable keeps its name inside. Two are not stored as they are: one of rep Unit needs no storing, and a Record
is not a slot, so that it travels as Any.
"""

from __future__ import annotations

from bendml_cli.bend2.native.ir import (
    Arm,
    Atom,
    Call,
    Closure,
    Coerce,
    Const,
    Expr,
    Fun,
    Lambda,
    Let,
    Match,
    Names,
    Parallel,
    Program,
    Value,
    Var,
    free_variables,
    rep_of,
)
from bendml_cli.bend2.native.types import ANY, Record, Unit


def convert_closures(program: Program, names: Names) -> Program:
    """The program without lambdas: each is lifted to a function, of its owner's name and a number."""
    converter = _Converter(names, set(program.functions))
    for function in program.functions.values():
        converter.convert_function(function)
    return Program(converter.functions, program.main, program.main_is_io, program.shows)


class _Converter:
    def __init__(self, names: Names, taken: set[str]) -> None:
        self.names = names
        self.taken = taken
        self.functions: dict[str, Fun] = {}
        self.owner = ""
        self.wrappers: dict[str, str] = {}
        self.lambdas: dict[str, int] = {}

    def convert_function(self, function: Fun) -> None:
        """Put the function, and those lifted out of it, into the new program."""
        self.owner = function.key
        self.functions[function.key] = Fun(
            function.key, function.params, function.result, self._convert(function.body), function.inline
        )

    def _convert(self, expr: Expr) -> Expr:
        lets: list[Let | Parallel] = []
        while isinstance(expr, Let | Parallel):
            lets.append(expr)
            expr = expr.body
        result = self._convert_tail(expr)
        for each in reversed(lets):
            match each:
                case Let(var, Lambda() as value):
                    result = self._lift(value, var, result)
                case Let(var, value):
                    result = Let(var, self._convert(value), result)
                case Parallel(vars_, values):
                    result = Parallel(vars_, tuple(map(self._convert, values)), result)
        return result

    def _convert_tail(self, expr: Expr) -> Expr:
        match expr:
            case Match(scrutinee, arms, default, rep):
                return Match(
                    scrutinee,
                    tuple(Arm(arm.constructor, arm.tag, arm.fields, self._convert(arm.body)) for arm in arms),
                    None if default is None else self._convert(default),
                    rep,
                )
            case Lambda():
                return self._lift(expr, None, None)
        return expr

    def _lift(self, value: Lambda, var: Var | None, rest: Expr | None) -> Expr:
        """The closure of a lambda; with a variable, let that be it in the rest."""
        body = self._convert(value.body)
        captured: list[Atom] = []
        params: list[Var] = []
        records: list[tuple[Var, Var]] = []
        for each in free_variables(Lambda(value.params, body)):
            if isinstance(each.rep, Unit):
                body = Let(each, Value(Const(0, each.rep)), body)
            elif isinstance(each.rep, Record):
                outside, inside = self.names.fresh(each.name, ANY), self.names.fresh(each.name, ANY)
                body = Let(each, Coerce(inside, each.rep), body)
                records.append((outside, each))
                captured.append(outside)
                params.append(inside)
            else:
                captured.append(each)
                params.append(each)
        closure: Expr = Closure(self._function_of(value.params, tuple(params), body), tuple(captured))
        if var is not None and rest is not None:
            closure = Let(var, closure, rest)
        for outside, record in reversed(records):
            closure = Let(outside, Coerce(record, ANY), closure)
        return closure

    def _function_of(self, params: tuple[Var, ...], captured: tuple[Var, ...], body: Expr) -> str:
        """The key of a new function; all lambdas that only call one function share one."""
        match body:
            case Call(function, args, _, False) if args == params:
                key = self.wrappers.get(function)
                if key is not None:
                    return key
                key = self.wrappers[function] = self._fresh_key(f"{function}.closure")
            case _:
                key = self._fresh_key(f"{self.owner}.lambda")
        result = rep_of(body)
        assert not isinstance(result, Record), f"a lambda of {self.owner} gives a Record"
        assert not any(isinstance(each.rep, Record) for each in params), f"a lambda of {self.owner} takes a Record"
        self.functions[key] = Fun(key, (*captured, *params), result, body, is_closure=True, captured=len(captured))
        return key

    def _fresh_key(self, key: str) -> str:
        fresh = key
        while fresh in self.taken:
            self.lambdas[key] = self.lambdas.get(key, 1) + 1
            fresh = f"{key}{self.lambdas[key]}"
        self.taken.add(fresh)
        return fresh
