"""Small inhabitants of closed types, by evaluation: what laws are tried on."""

from __future__ import annotations

from collections.abc import Iterator

from bendml_cli.bend2.core.book import Book
from bendml_cli.bend2.core.convert import equal
from bendml_cli.bend2.core.evaluate import Machine
from bendml_cli.bend2.core.terms import Absurd, Data, Lam, Term, Var
from bendml_cli.bend2.core.values import (
    REFL,
    VF32,
    VU32,
    Env,
    Thunk,
    Value,
    VApp,
    VCtr,
    VData,
    VEq,
    VHole,
    VKind,
    VNat,
    VPi,
    VQuant,
    VQuantLit,
    VRef,
    VRewrite,
    VStr,
    ready,
    variable,
)

_FLOATS = (0x00000000, 0x3F800000, 0xBF800000)  # 0, 1 and -1
_CONSTANT = Lam("", "_", Var(1))  # in an environment that holds the result
_TEXTS = ((), (ord("a"),), (ord("a"), ord("b")))


class Undecided(Exception):
    """A type or an equation that evaluation on closed values does not decide. The text says which."""


class Instances:
    """Enumerates inhabitants of closed types over a checked book.

    `numbers` are tried beside the small ones: a condition that names a number may hold at no other. `partial` says of
    which type only some inhabitants of a size were listed, None if of none.
    """

    def __init__(self, book: Book, machine: Machine, numbers: frozenset[int] = frozenset()) -> None:
        self.book = book
        self.machine = machine
        self.numbers = sorted(numbers)
        self.partial: str | None = None

    def of(self, type_: Thunk, size: int) -> Iterator[Thunk]:
        """The inhabitants up to a size, small ones first; of an equation its proof, if it holds.

        Raises Undecided for a type whose inhabitants cannot be listed, and EvaluationTimeout.
        """
        value = self.machine.force(type_)
        match value:
            case VEq():
                if self._holds(value):
                    yield ready(REFL)
            case VKind():
                yield Thunk(Data("Nat", ()), ())
            case VQuant():
                yield ready(VQuantLit(2))
                yield ready(VQuantLit(1))
            case VPi():
                yield from self._functions(value, size)
            case VData(key="Nat", removed=()):
                yield from (ready(VNat(number)) for number in self._numbers(size))
            case VData(key="U32", removed=()):
                yield from (ready(VU32(number)) for number in self._numbers(size))
            case VData(key="F32", removed=()):
                self.partial = "F32"
                yield from (ready(VF32(bits)) for bits in _FLOATS[: size + 1])
            case VData(key="String", removed=()):
                yield from (ready(VStr(codes, 0)) for codes in _TEXTS[: size + 1])
            case VData():
                yield from self._constructed(value, size)
            case _:
                raise Undecided("a type that does not compute")

    def is_proposition(self, type_: Thunk, depth: int) -> bool:
        """Is this a condition rather than data: an equation, an empty type, or a function or pair that gives one?

        The type may name the context's variables below `depth`. A call that is stuck on them counts as a condition.
        """
        match self.machine.force(type_):
            case VEq():
                return True
            case VPi() as arrow:
                return self.is_proposition(arrow.codomain(variable(depth)), depth + 1)
            case VData(key="Sigma", args=args) if len(args) == 4:
                second = Thunk(None, ())
                second.full = second.rigid = self.machine.apply(self.machine.force(args[3]), (variable(depth),))
                return self.is_proposition(second, depth + 1)
            case VData(key=key, removed=()):
                return not self.book.datatypes[key].constructors
            case VApp(head=head):
                return isinstance(head, VRef)
            case _:
                return False

    def _numbers(self, size: int) -> list[int]:
        return [*range(size + 1), *(number for number in self.numbers if number > size)]

    def _constructed(self, type_: VData, size: int) -> Iterator[Thunk]:
        for key in self.book.datatypes[type_.key].constructors:
            if key in type_.removed:
                continue
            constructor = self.book.constructors[key]
            if constructor.fields and size == 0:
                continue
            types = [field.type for field in constructor.fields]
            for fields in self._fields(types, type_.args, size - 1):
                yield ready(VCtr(key, fields))

    def _fields(self, types: list[Term], env: Env, size: int) -> Iterator[Env]:
        if not types:
            yield ()
            return
        for first in self.of(Thunk(types[0], env), size):
            for rest in self._fields(types[1:], (*env, first), size):
                yield (first, *rest)

    def _functions(self, type_: VPi, size: int) -> Iterator[Thunk]:
        """The functions that do not look at their argument; from a domain that is an equation, all there are."""
        if isinstance(self.machine.force(type_.domain), VEq):
            proofs = list(self.of(type_.domain, size))
            if not proofs:
                yield Thunk(Absurd(), ())
                return
            results: Iterator[Thunk] = self.of(type_.codomain(proofs[0]), size)
        else:
            self.partial = "a function"
            results = self.of(type_.codomain(variable(0)), size)
        for result in results:
            yield Thunk(_CONSTANT, (result,))

    def _holds(self, equation: VEq) -> bool:
        """Do the sides of a closed equation compute to the same value? Raises Undecided when one is stuck."""
        if equal(self.machine, equation.left, equation.right, 0):
            return True
        if self._is_stuck(equation.left) or self._is_stuck(equation.right):
            raise Undecided("an equation whose sides do not compute")
        return False

    def _is_stuck(self, thunk: Thunk) -> bool:
        """Does something in a closed value not compute (opaque arithmetic, say)?"""
        value: Value = self.machine.force(thunk)
        match value:
            case VCtr(args=args) | VData(args=args):
                return any(self._is_stuck(each) for each in args)
            case VApp() | VRef() | VRewrite() | VHole():
                return True
            case _:
                return False
