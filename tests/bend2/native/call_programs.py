"""Random programs of lowered IR about how functions are called: many parameters of all kinds, jumps between functions
of different ones, closures applied to their arguments a few at a time."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.types import ANY, BOOL, F32_, FUNCTION, NAT, U32_, UNIT, Boxed, Record, Rep
from tests.bend2.native.scalar_model import bits_of

LIST = Boxed("List", (U32_,))
INNER = Record("Inner", (F32_, UNIT, LIST))
OUTER = Record("Outer", (U32_, INNER, NAT, BOOL))
WIDE = Record("Wide", (U32_, U32_, F32_, NAT, LIST, LIST, U32_))
EMPTY = Record("Empty", (UNIT,))
CONSTRUCTORS: dict[Rep, tuple[tuple[str, tuple[Rep, ...]], ...]] = {
    LIST: (("Nil", ()), ("Con", (U32_, LIST))),
    WIDE: (("Wide", WIDE.fields),),
    U32_: (),
}
_PARAMS: tuple[Rep, ...] = (U32_, U32_, F32_, F32_, NAT, BOOL, LIST, UNIT, OUTER, INNER, EMPTY, ANY)


class CallGenerator:
    """Makes one program."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.names = ir.Names()
        self.lets: list[tuple[ir.Var, ir.Expr]] = []

    # -- jumps ----------------------------------------------------------------------------------------------------

    def jumps(self) -> ir.Program:
        """Functions that call each other in tails, with less and less fuel; main gives what the last one gives."""
        result = self.random.choice([U32_, WIDE, LIST])
        heads = [
            ir.Fun(
                f"f{at}",
                (
                    self.names.fresh("n", NAT),
                    *[self.names.fresh("x", rep) for rep in self.random.choices(_PARAMS, k=self.random.randint(0, 12))],
                ),
                result,
                ir.Unreachable(result),
            )
            for at in range(3)
        ]
        for fun in heads:
            counter, *rest = fun.params
            pred = self.names.fresh("p", NAT)
            succ = self._block(partial(self._call_any, heads, pred, rest))
            zero = self._block(partial(self._any, result, rest))
            arms = (ir.Arm("Zero", 0, (), zero), ir.Arm("Succ", 1, (pred,), succ))
            fun.body = ir.Match(counter, arms, None, result)
        main = ir.Fun("main", (), result, self._block(lambda: self._call(heads[0], ir.Const(9, NAT), [])))
        return ir.Program({each.key: each for each in (*heads, main)}, "main", main_is_io=False)

    def _call_any(self, funs: Sequence[ir.Fun], first: ir.Atom, known: Sequence[ir.Var]) -> ir.Expr:
        return self._call(self.random.choice(funs), first, known)

    def _call(self, fun: ir.Fun, first: ir.Atom, known: Sequence[ir.Var]) -> ir.Expr:
        args = (first, *[self._atom(param.rep, known) for param in fun.params[1:]])
        return ir.Call(fun.key, args, fun.result)

    # -- closures -------------------------------------------------------------------------------------------------

    def closures(self) -> ir.Program:
        """A closure of some parameters, which gives one of others, at all of their arguments a few at a time."""
        inner = [self.names.fresh("y", U32_) for _ in range(self.random.randint(1, 24))]
        outer = [self.names.fresh("x", U32_) for _ in range(self.random.randint(1, 24))]
        captured = [self._let(U32_, ir.Value(ir.Const(at + 100, U32_))) for at in range(self.random.randint(0, 4))]
        lets, self.lets = self.lets, []
        body = self._block(lambda: self._digest([*captured, *outer, *inner]))
        function: ir.Expr = ir.Lambda(tuple(outer), ir.Lambda(tuple(inner), body))
        if self.random.random() < 0.5 and len(outer) + len(inner) <= 40:
            function = ir.Lambda((*outer, *inner), body)
        self.lets = lets
        at: ir.Atom = self._let(FUNCTION, function)
        args: list[ir.Atom] = [ir.Const(each, U32_) for each in range(len(outer) + len(inner))]
        while args:
            some = self.random.randint(1, min(30, len(args)))
            rep: Rep = FUNCTION if some < len(args) else U32_
            at = self._let(rep, ir.Apply(at, tuple(args[:some]), rep))
            args = args[some:]
        main = ir.Fun("main", (), U32_, self._close(ir.Value(at)))
        return ir.Program({"main": main}, "main", main_is_io=False)

    def _digest(self, atoms: Sequence[ir.Atom]) -> ir.Expr:
        h: ir.Atom = ir.Const(1, U32_)
        for atom in atoms:
            product = self._let(U32_, ir.Prim("u32_mul", (h, ir.Const(16777619, U32_)), U32_))
            h = self._let(U32_, ir.Prim("u32_xor", (product, atom), U32_))
        return ir.Value(h)

    # -- values ---------------------------------------------------------------------------------------------------

    def _atom(self, rep: Rep, known: Sequence[ir.Var]) -> ir.Atom:
        same = [var for var in known if var.rep == rep]
        if same and self.random.random() < 0.8:
            return self.random.choice(same)
        if rep == F32_:
            return ir.Const(bits_of(self.random.choice([0.5, 1.0, 2.0])), rep)
        if rep in (U32_, NAT, BOOL, UNIT):
            return ir.Const(self.random.randint(0, 1) if rep != UNIT else 0, rep)
        return self._let(rep, self._any(rep, known))

    def _any(self, rep: Rep, known: Sequence[ir.Var]) -> ir.Expr:
        """Some value, made of known ones."""
        if isinstance(rep, Record):
            return ir.Construct(rep.key, 0, tuple(self._atom(each, known) for each in rep.fields), rep)
        if rep == LIST:
            if self.random.random() < 0.5:
                return ir.Value(ir.Const(0, LIST))
            return ir.Construct("Con", 1, (self._atom(U32_, known), self._atom(LIST, known)), LIST)
        if rep == ANY:
            return ir.Coerce(self._atom(self.random.choice([OUTER, INNER, WIDE, LIST, F32_]), known), ANY)
        return ir.Value(self._atom(rep, known))

    def _let(self, rep: Rep, value: ir.Expr) -> ir.Var:
        var = self.names.fresh("v", rep)
        self.lets.append((var, value))
        return var

    def _block(self, make: Callable[[], ir.Expr]) -> ir.Expr:
        """An expression with the lets that it needs before it."""
        before, self.lets = self.lets, []
        body = self._close(make())
        self.lets = before
        return body

    def _close(self, body: ir.Expr) -> ir.Expr:
        for var, value in reversed(self.lets):
            body = ir.Let(var, value, body)
        return body
