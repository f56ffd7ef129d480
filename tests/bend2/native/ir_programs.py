"""Random programs of lowered IR, for the tests of the native compiler's stages: well-typed, and they end.

A function's first parameter is its fuel: only where it is not zero are functions called, with less.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.ir import Const, Names, Var
from bendml_cli.bend2.native.types import (
    ANY,
    BOOL,
    FUNCTION,
    NAT,
    STRING,
    U32_,
    UNIT,
    Array,
    Boxed,
    Record,
    Rep,
)

LIST = Boxed("List", (NAT,))
LISTS = Boxed("List", (LIST,))
TREE = Boxed("Tree")
OPTION = Boxed("Maybe", (LIST,))
PAIR = Record("Sigma", (NAT, LIST))
CELLS = Array(LIST)

CONSTRUCTORS: dict[Rep, tuple[tuple[str, tuple[Rep, ...]], ...]] = {
    BOOL: (("False", ()), ("True", ())),
    NAT: (("Zero", ()), ("Succ", (NAT,))),
    LIST: (("Nil", ()), ("Con", (NAT, LIST))),
    LISTS: (("Nil", ()), ("Con", (LIST, LISTS))),
    TREE: (("Leaf", ()), ("Node", (TREE, NAT, TREE))),
    OPTION: (("None", ()), ("Some", (LIST,))),
    PAIR: (("Tuple", PAIR.fields),),
    ANY: (("Tuple", PAIR.fields),),  # every Any here is a Pair
}
REPS: tuple[Rep, ...] = (NAT, LIST, TREE, OPTION, LISTS, PAIR, ANY, CELLS, FUNCTION, BOOL)
ACTION: tuple[Rep, ...] = (NAT, LIST)
"""The parameters of every closure here; its result is a LIST."""

T = TypeVar("T")


@st.composite
def programs(draw: st.DrawFn) -> ir.Program:
    """A program; main gives a value that is no function. Smaller sizes make smaller programs."""
    size = draw(st.integers(1, 4))
    return random_program(random.Random(draw(st.integers(0, 2**32 - 1))), size)


def random_program(source: random.Random, size: int) -> ir.Program:
    """A program made by a source of random numbers; see `programs`."""
    return _Generator(source, size).program()


class _Scope:
    """The variables at hand, and the lets before the expression that is being made."""

    def __init__(self, variables: Sequence[Var], fuel: Var | None) -> None:
        self.variables = list(variables)
        self.fuel = fuel
        self.lets: list[Callable[[ir.Expr], ir.Expr]] = []

    def inner(self, variables: Sequence[Var] = (), fuel: Var | None = None) -> _Scope:
        """A scope in this one."""
        return _Scope([*self.variables, *variables], fuel or self.fuel)

    def close(self, body: ir.Expr) -> ir.Expr:
        """The body under the lets."""
        for let in reversed(self.lets):
            body = let(body)
        return body


class _Generator:
    def __init__(self, source: random.Random, size: int) -> None:
        self.random = source
        self.size = size
        self.names = Names()
        self.functions: dict[str, ir.Fun] = {}

    def program(self) -> ir.Program:
        """A program of a few functions and main."""
        for number in range(self.random.randint(1, 3)):
            reps = self.random.choices(REPS, k=self.random.randint(1, 3))
            result = self.random.choice([rep for rep in REPS if rep != FUNCTION])
            params = tuple(self.names.fresh("p", rep) for rep in (NAT, *reps))
            self.functions[f"f{number}"] = ir.Fun(f"f{number}", params, result, ir.Unreachable(result))
        for function in self.functions.values():
            fuel, params = function.params[0], function.params[1:]
            less = self.names.fresh("less", NAT)
            arms = (
                ir.Arm("Zero", 0, (), self.expr(_Scope(params, None), function.result, 1)),
                ir.Arm("Succ", 1, (less,), self.expr(_Scope(params, less), function.result, self.size)),
            )
            function.body = ir.Match(fuel, arms, None, function.result)
        self.functions |= {each.key: each for each in (self.sum(), self.append())}
        function = self.functions["f0"]
        scope = _Scope((), None)
        args = tuple(self.atom(scope, param.rep) for param in function.params[1:])
        call = ir.Call("f0", (Const(3, NAT), *args), function.result)
        self.functions["main"] = ir.Fun("main", (), function.result, scope.close(call))
        return ir.Program(self.functions, "main", main_is_io=False)

    def sum(self) -> ir.Fun:
        """A function that only looks at a list."""
        items, total, head, tail, more = map(self.names.fresh, ("xs", "n", "x", "t", "m"), (LIST, NAT, NAT, LIST, NAT))
        more_and_on = ir.Let(more, ir.Prim("nat_max", (head, total), NAT), ir.Call("sum", (tail, more), NAT))
        arms = (ir.Arm("Nil", 0, (), ir.Value(total)), ir.Arm("Con", 1, (head, tail), more_and_on))
        return ir.Fun("sum", (items, total), NAT, ir.Match(items, arms, None, NAT))

    def append(self) -> ir.Fun:
        """A function that takes a list apart and uses another up."""
        items, end, head, tail, rest = map(self.names.fresh, ("xs", "ys", "x", "t", "r"), (LIST, LIST, NAT, LIST, LIST))
        build = ir.Let(rest, ir.Call("append", (tail, end), LIST), ir.Construct("Con", 1, (head, rest), LIST))
        arms = (ir.Arm("Nil", 0, (), ir.Value(end)), ir.Arm("Con", 1, (head, tail), build))
        return ir.Fun("append", (items, end), LIST, ir.Match(items, arms, None, LIST))

    def expr(self, scope: _Scope, rep: Rep, size: int) -> ir.Expr:
        """An expression of a representation, of some lets and an operation or a match."""
        for _ in range(self.random.randint(0, size + 1)):
            self.statement(scope, size)
        if size and self.random.random() < 0.6:
            return scope.close(self.match(scope, rep, size))
        return scope.close(self.operation(scope, rep, size))

    def statement(self, scope: _Scope, size: int) -> None:
        """One more let."""
        kind = self.random.choice(["let", "let", "match", "parallel", "print"])
        rep = self.random.choice(REPS)
        if kind == "let":
            self.let(scope, self.operation(scope, rep, size), rep)
        elif kind == "match":
            self.let(scope, self.match(scope, rep, size - 1), rep)
        elif kind == "parallel":
            values = (self.expr(scope.inner(), rep, size - 1), self.expr(scope.inner(), LIST, size - 1))
            vars_ = (self.names.fresh("l", rep), self.names.fresh("r", LIST))
            scope.lets.append(lambda body: ir.Parallel(vars_, values, body))
            scope.variables += vars_
        else:
            text = self.let(scope, ir.Text((97, 98)), STRING)
            scope.variables.remove(text)
            self.let(scope, ir.Prim("io_print", (text,), UNIT), UNIT)

    def let(self, scope: _Scope, value: ir.Expr, rep: Rep) -> Var:
        """A variable that is the value."""
        var = self.names.fresh("v", rep)
        scope.lets.append(lambda body: ir.Let(var, value, body))
        scope.variables.append(var)
        return var

    def atom(self, scope: _Scope, rep: Rep) -> ir.Atom:
        """An atom of a representation: a variable at hand, a constant, or a new variable."""
        known: list[ir.Atom] = [var for var in scope.variables if var.rep == rep]
        if rep in (NAT, BOOL, LIST, LISTS, TREE, OPTION):
            known.append(Const(0, rep))
        return self.random.choice(known) if known else self.let(scope, self.simple(scope, rep), rep)

    def simple(self, scope: _Scope, rep: Rep) -> ir.Expr:
        """A value of a representation that has no constants."""
        if rep == PAIR:
            return ir.Construct("Tuple", 0, (self.atom(scope, NAT), self.atom(scope, LIST)), PAIR)
        if rep == ANY:
            return ir.Coerce(self.atom(scope, PAIR), ANY)
        if rep == CELLS:
            return ir.Prim("arr_new", (Const(1, NAT), self.atom(scope, LIST)), CELLS)
        assert rep == FUNCTION
        params = tuple(self.names.fresh("a", each) for each in ACTION)
        return ir.Lambda(params, self.expr(_Scope([*scope.variables, *params], None), LIST, 1))

    def match(self, scope: _Scope, rep: Rep, size: int) -> ir.Expr:
        """A match of a variable at hand, if there is one that has constructors."""
        candidates = [var for var in scope.variables if var.rep in CONSTRUCTORS]
        if not candidates:
            return self.operation(scope, rep, size)
        scrutinee = self.random.choice(candidates)
        constructors = list(enumerate(CONSTRUCTORS[scrutinee.rep]))
        default = None
        if len(constructors) > 1 and self.random.choice([False, False, True]):
            del constructors[self.random.choice(range(len(constructors)))]
            default = self.expr(scope.inner(), rep, max(size - 1, 0))
        arms = []
        for tag, (name, reps) in constructors:
            fields = tuple(self.names.fresh("x", each) for each in reps)
            arms.append(ir.Arm(name, tag, fields, self.expr(scope.inner(fields), rep, max(size - 1, 0))))
        return ir.Match(scrutinee, tuple(arms), default, rep)

    def operation(self, scope: _Scope, rep: Rep, size: int) -> ir.Expr:
        """A single operation that gives a representation."""
        return self.random.choice(self.makers(scope, rep, size))()

    def makers(self, scope: _Scope, rep: Rep, size: int) -> list[Callable[[], ir.Expr]]:
        """The ways to make a value of a representation."""

        def make_prim(name: str, *args: Rep | int) -> Callable[[], ir.Expr]:
            return lambda: ir.Prim(
                name,
                tuple(Const(arg, U32_) if isinstance(arg, int) else self.atom(scope, arg) for arg in args),
                rep,
            )

        def make_call(function: ir.Fun, *first: ir.Atom) -> Callable[[], ir.Expr]:
            rest = function.params[len(first) :]
            return lambda: ir.Call(function.key, (*first, *(self.atom(scope, param.rep) for param in rest)), rep)

        def make_cell(tag: int, name: str, fields: tuple[Rep, ...]) -> Callable[[], ir.Expr]:
            return lambda: ir.Construct(name, tag, tuple(self.atom(scope, each) for each in fields), rep)

        makers: list[Callable[[], ir.Expr]] = [lambda: ir.Value(self.atom(scope, rep))]
        if size and scope.fuel is not None:
            makers += 3 * [make_call(f, scope.fuel) for f in self.functions.values() if f.result == rep]
        if rep in CONSTRUCTORS and isinstance(rep, Boxed | Record):
            makers += [make_cell(tag, name, fields) for tag, (name, fields) in enumerate(CONSTRUCTORS[rep]) if fields]
        if rep in (NAT, LIST):
            makers.append(make_call(self.sum() if rep == NAT else self.append()))
        if rep == NAT:
            makers += [make_prim("nat_max", NAT, NAT), lambda: ir.Value(Const(self.random.randint(0, 3), NAT))]
        elif rep == BOOL:
            makers += [make_prim("nat_is_lt", NAT, NAT), make_prim("bool_not", BOOL)]
        elif rep == LIST:
            makers += [
                make_prim("arr_get", CELLS, 1),
                make_prim("arr_exchange", CELLS, 1, LIST),
                lambda: self.apply(scope),
            ]
        elif rep == CELLS:
            makers += [
                make_prim("arr_set", CELLS, 0, LIST),
                make_prim("arr_clone", CELLS),
                make_prim("arr_right", CELLS),
            ]
        elif rep in (FUNCTION, ANY):
            makers.append(lambda: self.simple(scope, rep))
        if rep == PAIR:
            makers.append(lambda: ir.Coerce(self.atom(scope, ANY), PAIR))
        if rep == LISTS:
            makers.append(make_prim("arr_to_list", CELLS))
        return makers

    def apply(self, scope: _Scope) -> ir.Expr:
        """A closure at all of its arguments, or first at one and then at the other."""
        function, number, items = (self.atom(scope, rep) for rep in (FUNCTION, *ACTION))
        if self.random.random() < 0.5:
            return ir.Apply(function, (number, items), LIST)
        partial = self.let(scope, ir.Apply(function, (number,), FUNCTION), FUNCTION)
        scope.variables.remove(partial)
        return ir.Apply(partial, (items,), LIST)
