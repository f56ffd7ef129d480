"""Loops over arrays, found in functions that count a Nat down.

    f(n, i, acc, a):  match n:  Zero: ..   Succ(p): .. a[i + 2] .. f(p, i + 1, acc + .., a)

Such a function's parameters are its *counter*; *invariants*, passed on unchanged; *inductions*, passed on with an
invariant added; *arrays*, passed on as they are, though perhaps written; and *accumulators*, all else. In round k an
index that is made of them by ring operations alone is `base + k * stride` modulo 2^32 (`Affine`). So whether all of a
loop's indices stay within their arrays, without wrapping, can be found out before its first round; emit_loops.py writes
a second version of the loop for when they do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bendml_cli.bend2.native.crep import block_kind, constant, var_name
from bendml_cli.bend2.native.ir import (
    Arm,
    Atom,
    Call,
    Coerce,
    Const,
    Construct,
    Expr,
    Fun,
    Let,
    Match,
    Prim,
    Unreachable,
    Value,
    Var,
)
from bendml_cli.bend2.native.prims import PRIMS
from bendml_cli.bend2.native.types import F32, U32, Array, Char, Enum, Nat, Record, Rep, Unit, is_counted

ACCESSES = {"arr_get": False, "arr_set": True, "arr_exchange": True, "arr_init": True}
"""The operations on one slot of an array: whether they write."""
_MODULUS = 1 << 32
_LONGEST_CODE = 500
_SUMS = {"u32_add", "nat_add"}
_PRODUCTS = {"u32_mul", "nat_mul"}
_MULTIPLES = {"u32_shl": 2, "nat_double": 2}
_SHIFTS = {"u32_inc": 1, "nat_succ": 1, "nat_pred": -1}
_SAME = {"nat_to_u32", "u32_to_nat"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number modulo 2^32 that is the same in all rounds: known, or C code over the parameters' first values."""

    known: int | None
    code: str

    @staticmethod
    def of(value: int) -> Number:
        """A known number."""
        return Number(value % _MODULUS, f"{value % _MODULUS}u")

    def __add__(self, other: Number) -> Number:
        if self.known is not None and other.known is not None:
            return Number.of(self.known + other.known)
        if 0 in (self.known, other.known):
            return other if self.known == 0 else self
        return Number(None, f"({self.code} + {other.code})")

    def __mul__(self, other: Number) -> Number:
        if self.known is not None and other.known is not None:
            return Number.of(self.known * other.known)
        if 0 in (self.known, other.known):
            return Number.of(0)
        if 1 in (self.known, other.known):
            return other if self.known == 1 else self
        return Number(None, f"({self.code} * {other.code})")

    def __neg__(self) -> Number:
        return Number.of(-1) * self


ZERO, ONE = Number.of(0), Number.of(1)


@dataclass(frozen=True, slots=True)
class Affine:
    """`base + k * stride` modulo 2^32 in round k."""

    base: Number
    stride: Number

    def __add__(self, other: Affine) -> Affine:
        return Affine(self.base + other.base, self.stride + other.stride)

    def scaled(self, factor: Number) -> Affine:
        """So many times as much."""
        return Affine(self.base * factor, self.stride * factor)

    def is_short(self) -> bool:
        """Is its code of a reasonable size?"""
        return len(self.base.code) + len(self.stride.code) <= _LONGEST_CODE


@dataclass(frozen=True, slots=True)
class Access:
    """A slot of an array that is read or written; `at` is None where it may be any."""

    array: Var
    at: Affine | None
    writes: bool


@dataclass(slots=True)
class ArrayLoop:
    """A function's loop. All variables of arrays stand for parameters (`roots`)."""

    counter: Var
    pred: Var | None
    body: Expr
    roots: dict[Var, Var] = field(default_factory=dict)
    inductions: dict[Var, str] = field(default_factory=dict)
    """What is added in each round, as C code, of their own type."""
    accumulators: list[Var] = field(default_factory=list)
    accesses: dict[Prim, Access] = field(default_factory=dict)
    measured: list[Var] = field(default_factory=list)
    """Arrays whose sizes are asked for."""
    skipped: set[Var] = field(default_factory=set)
    """Variables that only serve to count inductions."""

    def arrays(self) -> list[Var]:
        """The arrays that are accessed or measured."""
        return list(dict.fromkeys([*[each.array for each in self.accesses.values()], *self.measured]))

    def written(self) -> list[Var]:
        """Those that are written."""
        return list(dict.fromkeys(each.array for each in self.accesses.values() if each.writes))


def array_loop(fun: Fun) -> ArrayLoop | None:
    """The loop over arrays that a function is, or None."""
    match fun.body:
        case Match(scrutinee=counter, arms=arms) if isinstance(counter.rep, Nat) and counter in fun.params:
            for arm in arms:
                if arm.tag == 1:
                    pred = arm.fields[0] if arm.fields else None
                    return _Analysis(fun, ArrayLoop(counter, pred, arm.body)).run()
    return None


class _NoLoop(Exception):
    """The function does something that a loop over arrays does not."""


class _Analysis:
    def __init__(self, fun: Fun, loop: ArrayLoop) -> None:
        self.fun = fun
        self.loop = loop
        self.definitions: dict[Var, Expr] = {}
        self.rounds: list[Call] = []
        self.uses: dict[Var, int] = {}
        self.prims: list[Prim] = []
        self.invariants: set[Var] = set()
        self.strides: dict[Var, Number] = {}
        self.affine: dict[Var, Affine | None] = {}

    def run(self) -> ArrayLoop | None:
        loop = self.loop
        loop.roots = {param: param for param in self.fun.params if isinstance(param.rep, Array)}
        try:
            self._tail(loop.body)
            if not self.rounds:
                return None
            self._parameters()
        except _NoLoop:
            return None
        self.affine.clear()
        for prim in self.prims:
            array, index = prim.args[0], prim.args[1]
            assert isinstance(array, Var)
            root = loop.roots[array]
            loop.accesses[prim] = Access(root, self._affine(index), ACCESSES[prim.name])
        return loop if loop.accesses and all(_is_flat(each.rep) for each in loop.arrays()) else None

    # -- the body: nothing but scalars and slots of arrays ------------------------------------------------------

    def _tail(self, expr: Expr) -> None:
        while isinstance(expr, Let):
            self._let(expr)
            expr = expr.body
        match expr:
            case Match():
                self._look(expr.scrutinee)
                for arm in self._arms(expr):
                    self._tail(arm)
            case Call(function, args) if function == self.fun.key:
                self._count(args)
                self.rounds.append(expr)
            case Unreachable():
                pass
            case _:
                raise _NoLoop

    def _arms(self, match: Match) -> list[Expr]:
        for arm in match.arms:
            self._arm(match, arm)
        return [*[arm.body for arm in match.arms], *([match.default] if match.default is not None else [])]

    def _arm(self, match: Match, arm: Arm) -> None:
        if not isinstance(match.scrutinee.rep, Nat | Enum | Record) or not all(_is_plain(f.rep) for f in arm.fields):
            raise _NoLoop

    def _let(self, let: Let) -> None:
        root = self._value(let.value)
        if isinstance(let.var.rep, Array):
            if root is None:
                raise _NoLoop
            self.loop.roots[let.var] = root
        elif not _is_plain(let.var.rep):
            raise _NoLoop
        self.definitions[let.var] = let.value

    def _value(self, expr: Expr) -> Var | None:
        """Looks at an expression that is no tail. Gives the parameter that its value is, if that is an array."""
        while isinstance(expr, Let):
            self._let(expr)
            expr = expr.body
        match expr:
            case Match():
                self._look(expr.scrutinee)
                roots = {self._value(arm) for arm in self._arms(expr)}
                if len(roots) != 1:
                    raise _NoLoop
                return roots.pop()
            case Value(atom):
                self._count((atom,))
                return self._root(atom)
            case Prim(name, args):
                self._count(args)
                if name == "arr_size":
                    self.loop.measured.append(self._array(args[0]))
                    return None
                if name not in ACCESSES:
                    if not _is_plain(expr.rep) or PRIMS[name].effect not in ("pure", "fails"):
                        raise _NoLoop
                    self._plain_arguments(args)
                    return None
                self._plain_arguments(args[1:])
                self.prims.append(expr)
                root = self._array(args[0])
                return root if name == "arr_set" else None
            case Call(function, args, rep) if function != self.fun.key and _is_plain(rep):
                self._count(args)
                self._plain_arguments(args)
                return None
            case Construct(_, _, args, rep) if isinstance(rep, Record) and _is_plain(rep):
                self._count(args)
                return None
            case Coerce(atom, rep) if _is_plain(rep) and _is_plain(atom.rep):
                self._count((atom,))
                return None
            case Unreachable():
                return None
        raise _NoLoop

    def _root(self, atom: Atom) -> Var | None:
        return self.loop.roots.get(atom) if isinstance(atom, Var) else None

    def _array(self, atom: Atom) -> Var:
        root = self._root(atom)
        if root is None:
            raise _NoLoop
        return root

    def _plain_arguments(self, args: tuple[Atom, ...]) -> None:
        if not all(_is_plain(each.rep) for each in args):
            raise _NoLoop

    def _look(self, var: Var) -> None:
        self._count((var,))

    def _count(self, atoms: tuple[Atom, ...]) -> None:
        for atom in atoms:
            if isinstance(atom, Var):
                self.uses[atom] = self.uses.get(atom, 0) + 1

    # -- parameters ---------------------------------------------------------------------------------------------

    def _parameters(self) -> None:
        """Finds out what each parameter is. Raises _NoLoop."""
        passed = list(zip(self.fun.params, zip(*[each.args for each in self.rounds], strict=True), strict=True))
        changed: list[tuple[Var, tuple[Atom, ...]]] = []
        for param, args in passed:
            if param is self.loop.counter:
                if not all(self._behind(arg) is self.loop.pred for arg in args):
                    raise _NoLoop
            elif isinstance(param.rep, Array):
                if not all(self._root(arg) is param for arg in args):
                    raise _NoLoop
            elif all(self._behind(arg) is param for arg in args):
                self.invariants.add(param)
            elif _is_plain(param.rep):
                changed.append((param, args))
            else:
                raise _NoLoop
        for param, args in changed:
            if isinstance(param.rep, U32) and self._is_induction(param, args):
                continue
            if isinstance(param.rep, Nat) and self._is_counting(param, args):
                continue
            self.loop.accumulators.append(param)

    def _is_induction(self, param: Var, args: tuple[Atom, ...]) -> bool:
        steps = {self._step(arg, param) for arg in args}
        step = steps.pop()
        if steps or step is None:
            return False
        self.strides[param] = step
        self.loop.inductions[param] = step.code
        return True

    def _step(self, atom: Atom, param: Var) -> Number | None:
        """What an atom is more than a parameter, modulo 2^32."""
        if atom is param:
            return ZERO
        match self.definitions.get(atom) if isinstance(atom, Var) else None:
            case Value(inner):
                return self._step(inner, param)
            case Prim("u32_inc", (inner,)):
                return self._more(self._step(inner, param), ONE)
            case Prim("u32_add", (left, right)):
                for one, other in ((left, right), (right, left)):
                    step = self._step(one, param)
                    if step is not None:
                        return self._more(step, self._same_in_all_rounds(other))
            case Prim("u32_sub", (left, right)):
                less = self._same_in_all_rounds(right)
                return self._more(self._step(left, param), None if less is None else -less)
        return None

    def _more(self, step: Number | None, more: Number | None) -> Number | None:
        return None if step is None or more is None else step + more

    def _same_in_all_rounds(self, atom: Atom) -> Number | None:
        affine = self._affine(atom)
        return affine.base if affine is not None and affine.stride == ZERO else None

    def _is_counting(self, param: Var, args: tuple[Atom, ...]) -> bool:
        """Is a Nat parameter passed on with an exact invariant added?"""
        steps = {self._nat_step(arg, param) for arg in args}
        step = steps.pop()
        if steps or step is None:
            return False
        self.strides[param] = Number(None, f"(uint32_t)({step})")
        self.loop.inductions[param] = step
        for arg in args:
            at = arg
            while isinstance(at, Var) and at is not param and self.uses[at] == 1:
                self.loop.skipped.add(at)
                value = self.definitions[at]
                assert isinstance(value, Prim | Value)
                at = value.atom if isinstance(value, Value) else self._counted_part(value, param)
        return True

    def _nat_step(self, atom: Atom, param: Var) -> str | None:
        """What an atom is more than a Nat parameter."""
        if atom is param:
            return "UINT64_C(0)"
        match self.definitions.get(atom) if isinstance(atom, Var) else None:
            case Value(inner):
                return self._nat_step(inner, param)
            case Prim("nat_succ", (inner,)):
                step, more = self._nat_step(inner, param), "1"
            case Prim("nat_add") as prim:
                inner = self._counted_part(prim, param)
                other = prim.args[1] if inner is prim.args[0] else prim.args[0]
                step, more = self._nat_step(inner, param), self._exact(other) or ""
            case _:
                return None
        return f"({step} + {more})" if step and more else None

    def _counted_part(self, prim: Prim, param: Var) -> Atom:
        """The argument of a sum that counts a parameter up."""
        return next((each for each in prim.args if self._nat_step(each, param) is not None), prim.args[0])

    # -- values in a round --------------------------------------------------------------------------------------

    def _behind(self, atom: Atom) -> Atom:
        """What an atom is a copy of."""
        while isinstance(atom, Var):
            value = self.definitions.get(atom)
            if not isinstance(value, Value):
                break
            atom = value.atom
        return atom

    def _exact(self, atom: Atom) -> str | None:
        """The C code of a value that is the same in all rounds, over the parameters' first values."""
        if isinstance(atom, Const):
            return constant(atom)
        if atom in self.invariants and _is_plain(atom.rep):
            return var_name(atom)
        match self.definitions.get(atom):
            case Value(inner):
                return self._exact(inner)
            case Prim(name, args) if name in PRIMS and PRIMS[name].effect == "pure":
                codes = [self._exact(each) for each in args]
                code = f"b_{name}({', '.join(map(str, codes))})"
                return code if None not in codes and len(code) <= _LONGEST_CODE else None
        return None

    def _affine(self, atom: Atom) -> Affine | None:
        if not isinstance(atom.rep, Nat | U32 | Char):
            return None
        if isinstance(atom, Const):
            return Affine(Number.of(atom.value), ZERO)
        if atom not in self.affine:
            affine = self._affine_variable(atom)
            self.affine[atom] = affine if affine is not None and affine.is_short() else None
        return self.affine[atom]

    def _affine_variable(self, var: Var) -> Affine | None:
        first = Number(None, f"(uint32_t){var_name(var)}")
        if var in (self.loop.counter, self.loop.pred):
            counter = Number(None, f"(uint32_t){var_name(self.loop.counter)}")
            return Affine(counter if var is self.loop.counter else counter + Number.of(-1), Number.of(-1))
        if var in self.strides:
            return Affine(first, self.strides[var])
        exact = self._exact(var)
        if exact is not None:
            return Affine(Number(None, f"(uint32_t){exact}"), ZERO)
        match self.definitions.get(var):
            case Value(inner) | Coerce(inner):
                return self._affine(inner)
            case Prim(name, args):
                return self._affine_prim(name, args)
        return None

    def _affine_prim(self, name: str, args: tuple[Atom, ...]) -> Affine | None:
        values = [self._affine(each) for each in args]
        match values:
            case [Affine() as one] if name in _SHIFTS:
                return one + Affine(Number.of(_SHIFTS[name]), ZERO)
            case [Affine() as one] if name in _MULTIPLES:
                return one.scaled(Number.of(_MULTIPLES[name]))
            case [Affine() as one] if name in _SAME:
                return one
            case [Affine() as left, Affine() as right] if name in _SUMS:
                return left + right
            case [Affine() as left, Affine() as right] if name == "u32_sub":
                return left + right.scaled(Number.of(-1))
            case [Affine() as left, Affine() as right] if name in _PRODUCTS:
                if right.stride == ZERO:
                    return left.scaled(right.base)
                return right.scaled(left.base) if left.stride == ZERO else None
            case [Affine() as left, _] if name == "u32_shln":
                by = args[1]
                return left.scaled(Number.of(1 << by.value)) if isinstance(by, Const) and by.value < 32 else None
        return None


def _is_plain(rep: Rep) -> bool:
    return isinstance(rep, Nat | U32 | Char | F32 | Enum | Unit | Record) and not is_counted(rep)


def _is_flat(rep: Rep) -> bool:
    """Is it an array whose slots need no counting?"""
    return isinstance(rep, Array) and (block_kind(rep) in ("f32", "u32", "u8") or isinstance(rep.element, Nat))
