"""Random loops over arrays, in lowered IR: a Nat counted down, indices of all kinds, arrays read and written."""

from __future__ import annotations

import random

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.types import BOOL, F32_, NAT, U32_, Array, Boxed, Rep
from tests.bend2.native.scalar_model import bits_of

WORDS, FLOATS, NATS = Array(U32_), Array(F32_), Array(NAT)
RESULT = Boxed("Result")
CONSTRUCTORS: dict[Rep, tuple[tuple[str, tuple[Rep, ...]], ...]] = {
    RESULT: (("Looped", (WORDS, WORDS, U32_, U32_, NAT, U32_, U32_)),)
}


class LoopGenerator:
    """Makes one program: its arrays filled, its loop, and a value with all that the loop leaves behind."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.names = ir.Names()

    def program(self) -> ir.Program:
        """The program; main gives a RESULT."""
        loop = self._loop()
        functions = [loop, self._fill(), self._fold(FLOATS, "floats"), self._fold(NATS, "nats"), self._main(loop)]
        return ir.Program({each.key: each for each in functions}, "main", main_is_io=False)

    # -- the loop -------------------------------------------------------------------------------------------------

    def _loop(self) -> ir.Fun:
        fresh = self.names.fresh
        n, i, j, w, m = fresh("n", NAT), fresh("i", U32_), fresh("j", U32_), fresh("w", U32_), fresh("m", NAT)
        total, scale = fresh("total", U32_), fresh("scale", F32_)
        x, y, z, q = fresh("x", WORDS), fresh("y", WORDS), fresh("z", FLOATS), fresh("q", NATS)
        params = (n, i, j, w, m, total, scale, x, y, z, q)
        pred = fresh("p", NAT)
        succ = self._round(params, pred)
        floats, nats = fresh("fz", U32_), fresh("fq", U32_)
        done = self._lets(
            [
                (floats, ir.Call("floats", (nat(16), word(0), word(7), z), U32_)),
                (nats, ir.Call("nats", (nat(16), word(0), word(7), q), U32_)),
            ],
            ir.Construct("Looped", 0, (x, y, i, total, m, floats, nats), RESULT),
        )
        arms = (ir.Arm("Zero", 0, (), done), ir.Arm("Succ", 1, (pred,), succ))
        return ir.Fun("loop", params, RESULT, ir.Match(n, arms, None, RESULT))

    def _round(self, params: tuple[ir.Var, ...], pred: ir.Var) -> ir.Expr:
        n, i, j, w, m, _, scale, x, y, z, q = params
        self.lets: list[tuple[ir.Var, ir.Expr]] = []
        self.numbers: list[ir.Atom] = [i, j, w, word(self.random.choice([0, 1, 2, 3, 2**32 - 1]))]
        self.nats: list[ir.Atom] = [n, pred, m]
        self.floats: list[ir.Atom] = [scale]
        self.arrays: dict[Rep, list[ir.Var]] = {WORDS: [x, y], FLOATS: [z], NATS: [q]}
        for _ in range(self.random.randint(2, 10)):
            self._statement()
        lets, call = self.lets, self._again(params, pred)
        if self.random.random() < 0.3:
            test = self.names.fresh("t", BOOL)
            lets.append((test, ir.Prim("u32_is_lt", (self._number(), self._number()), BOOL)))
            self.lets = []
            for _ in range(self.random.randint(1, 3)):
                self._statement()
            other = self._lets(self.lets, self._again(params, pred))
            arms = (ir.Arm("False", 0, (), call), ir.Arm("True", 1, (), other))
            return self._lets(lets, ir.Match(test, arms, None, RESULT))
        return self._lets(lets, call)

    def _again(self, params: tuple[ir.Var, ...], pred: ir.Var) -> ir.Expr:
        _, i, j, w, m, total, scale, x, y, z, q = params
        before = self.lets
        self.lets = []
        next_i, next_j = self._next(i, w), self._next(j, w)
        next_m: ir.Atom = m
        kind = self.random.choice(["same", "count", "add"])
        if kind != "same":
            operation = ir.Prim("nat_succ", (m,), NAT) if kind == "count" else ir.Prim("nat_add", (m, nat(3)), NAT)
            next_m = self._let(NAT, operation)
        next_total = self._let(U32_, ir.Prim("u32_xor", (total, self._number()), U32_))
        next_scale = self.floats[-1] if self.random.random() < 0.5 else scale
        arrays = [self._latest(each) for each in (x, y, z, q)]
        args = (pred, next_i, next_j, w, next_m, next_total, next_scale, *arrays)
        call = self._lets(self.lets, ir.Call("loop", args, RESULT))
        self.lets = before
        return call

    def _next(self, var: ir.Var, invariant: ir.Var) -> ir.Atom:
        step = self.random.choice(["same", "inc", "add", "sub", "invariant", "random"])
        if step == "same":
            return var
        if step == "inc":
            return self._let(U32_, ir.Prim("u32_inc", (var,), U32_))
        if step == "random":
            return self._number()
        by = invariant if step == "invariant" else word(self.random.choice([1, 2, 3, 2**32 - 1]))
        return self._let(U32_, ir.Prim("u32_sub" if step == "sub" else "u32_add", (var, by), U32_))

    def _statement(self) -> None:
        kind = self.random.choice(["index", "index", "index", "nat", "get", "get", "set", "exchange", "float", "size"])
        rep = self.random.choice([WORDS, WORDS, FLOATS, NATS])
        which = self.random.randrange(len(self.arrays[rep]))
        array = self.arrays[rep][which]
        assert isinstance(array.rep, Array)
        element = array.rep.element
        if kind == "index":
            name = self.random.choice(["u32_add", "u32_add", "u32_sub", "u32_mul", "u32_inc", "u32_shl", "u32_shln"])
            args: tuple[ir.Atom, ...] = (self._number(), self._number())
            if name in ("u32_inc", "u32_shl"):
                args = args[:1]
            elif name == "u32_shln":
                args = (args[0], nat(self.random.choice([0, 1, 3, 40])))
            self.numbers.append(self._let(U32_, ir.Prim(name, args, U32_)))
        elif kind == "nat":
            index = self._let(U32_, ir.Prim("nat_to_u32", (self.random.choice(self.nats),), U32_))
            self.numbers += [index, index]
        elif kind == "size":
            self.numbers.append(self._let(U32_, ir.Prim("arr_size", (array,), U32_)))
        elif kind == "float":
            name = self.random.choice(["f32_add", "f32_mul", "f32_sub"])
            args = (self.random.choice(self.floats), self.random.choice(self.floats))
            self.floats.append(self._let(F32_, ir.Prim(name, args, F32_)))
        elif kind == "get":
            self._keep(self._let(element, ir.Prim("arr_get", (array, self._number()), element)))
        elif kind == "exchange":
            exchange = ir.Prim("arr_exchange", (array, self._number(), self._element(element)), element)
            self._keep(self._let(element, exchange))
        else:
            written = ir.Prim("arr_set", (array, self._number(), self._element(element)), rep)
            self.arrays[rep][which] = self._let(rep, written)

    def _keep(self, var: ir.Var) -> None:
        """A value that was read may be used from now on."""
        if var.rep == U32_:
            self.numbers.append(var)
        elif var.rep == F32_:
            self.floats.append(var)

    def _element(self, rep: Rep) -> ir.Atom:
        if rep == F32_:
            return self.random.choice(self.floats)
        return self._number() if rep == U32_ else self.random.choice(self.nats)

    def _number(self) -> ir.Atom:
        return self.random.choice(self.numbers)

    def _latest(self, array: ir.Var) -> ir.Var:
        """The array as it is after the round's writes."""
        return next(each for each in self.arrays[array.rep] if each.name == array.name)

    def _let(self, rep: Rep, value: ir.Expr) -> ir.Var:
        name = "v"
        if isinstance(value, ir.Prim) and value.name == "arr_set":
            assert isinstance(value.args[0], ir.Var)
            name = value.args[0].name
        var = self.names.fresh(name, rep)
        self.lets.append((var, value))
        return var

    def _lets(self, lets: list[tuple[ir.Var, ir.Expr]], body: ir.Expr) -> ir.Expr:
        for var, value in reversed(lets):
            body = ir.Let(var, value, body)
        return body

    # -- what is around it ----------------------------------------------------------------------------------------

    def _fill(self) -> ir.Fun:
        """Writes 3 k + 1 to slot k."""
        n, p = self.names.fresh("n", NAT), self.names.fresh("p", NAT)
        i, value = self.names.fresh("i", U32_), self.names.fresh("value", U32_)
        array, written = self.names.fresh("a", WORDS), self.names.fresh("a", WORDS)
        next_i, more = self.names.fresh("i", U32_), self.names.fresh("value", U32_)
        succ = self._lets(
            [
                (written, ir.Prim("arr_set", (array, i, value), WORDS)),
                (next_i, ir.Prim("u32_inc", (i,), U32_)),
                (more, ir.Prim("u32_add", (value, word(3)), U32_)),
            ],
            ir.Call("fill", (p, next_i, more, written), WORDS),
        )
        arms = (ir.Arm("Zero", 0, (), ir.Value(array)), ir.Arm("Succ", 1, (p,), succ))
        return ir.Fun("fill", (n, i, value, array), WORDS, ir.Match(n, arms, None, WORDS))

    def _fold(self, rep: Array, key: str) -> ir.Fun:
        """A digest of an array's slots."""
        n, p = self.names.fresh("n", NAT), self.names.fresh("p", NAT)
        i, h, array = self.names.fresh("i", U32_), self.names.fresh("h", U32_), self.names.fresh("a", rep)
        got, bits = self.names.fresh("x", rep.element), self.names.fresh("b", U32_)
        next_i, product, mixed = (self.names.fresh("v", U32_) for _ in range(3))
        to_bits = ir.Prim("f32_bits" if rep is FLOATS else "nat_to_u32", (got,), U32_)
        succ = self._lets(
            [
                (got, ir.Prim("arr_get", (array, i), rep.element)),
                (bits, to_bits),
                (next_i, ir.Prim("u32_inc", (i,), U32_)),
                (product, ir.Prim("u32_mul", (h, word(16777619)), U32_)),
                (mixed, ir.Prim("u32_xor", (product, bits), U32_)),
            ],
            ir.Call(key, (p, next_i, mixed, array), U32_),
        )
        arms = (ir.Arm("Zero", 0, (), ir.Value(h)), ir.Arm("Succ", 1, (p,), succ))
        return ir.Fun(key, (n, i, h, array), U32_, ir.Match(n, arms, None, U32_))

    def _main(self, loop: ir.Fun) -> ir.Fun:
        arrays = [self.names.fresh(name, rep) for name, rep in zip("xyzq", (WORDS, WORDS, FLOATS, NATS), strict=True)]
        filled = self.names.fresh("x", WORDS)
        depth = self.random.choice([4, 6])
        elements = (word(5), word(9), ir.Const(bits_of(1.5), F32_), nat(11))
        lets: list[tuple[ir.Var, ir.Expr]] = [
            (array, ir.Prim("arr_new", (nat(depth), element), array.rep))
            for array, element in zip(arrays, elements, strict=True)
        ]
        lets.append((filled, ir.Call("fill", (nat(2**depth), word(0), word(1), arrays[0]), WORDS)))
        args: tuple[ir.Atom, ...] = (
            nat(self.random.choice([0, 1, 7, 8, 9, 16, 30])),
            word(self.random.choice([0, 0, 1, 5, 2**32 - 1])),
            word(self.random.choice([0, 0, 2, 15, 40])),
            word(self.random.choice([0, 1, 2, 2**32 - 1, 2**31])),
            nat(self.random.choice([0, 1, 6, 2**31])),
            word(3),
            ir.Const(bits_of(0.5), F32_),
            filled,
            *arrays[1:],
        )
        return ir.Fun("main", (), RESULT, self._lets(lets, ir.Call(loop.key, args, RESULT)))


def word(value: int) -> ir.Const:
    """A constant U32."""
    return ir.Const(value, U32_)


def nat(value: int) -> ir.Const:
    """A constant Nat."""
    return ir.Const(value, NAT)
