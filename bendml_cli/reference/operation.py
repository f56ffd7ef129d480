"""References for operations on numbers, vectors and matrices whose sizes are a few dimensions."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from bendml_cli.reference.model import Case, Operand, Output, from_bits, single
from bendml_cli.reference.pytorch import pytorch

Sizes = tuple[int, ...]
Compute = Callable[..., Sequence[Output]]
"""Takes the dimensions and each operand (nested lists, or tensors where PyTorch computes), and gives the results."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand: its name, the dimensions that are its shape, and what its numbers are.

    `any` numbers come from the range that a check gives; a `small` one is from 1e-6 to 0.1; a `label` is an integer
    below the dimension `below`.
    """

    name: str
    shape: tuple[str, ...]
    draw: Literal["any", "small", "label"] = "any"
    below: str = ""


def argument(text: str) -> Argument:
    """An argument from its short form: `a: n k`, `eps: ~` (a small number), `ids: n < c` (labels below c)."""
    name, _, shape = text.partition(":")
    dims, _, below = shape.partition("<")
    small = "~" in dims
    draw: Literal["any", "small", "label"] = "label" if below else "small" if small else "any"
    return Argument(name.strip(), tuple(dims.replace("~", "").split()), draw, below.strip())


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a package, and `compute`, which says what it gives.

    `dims` names its dimensions; `fit` makes any sizes into ones that the operation is for. `torch` says that `compute`
    takes tensors, on which PyTorch computes.
    """

    name: str
    word: str
    dims: tuple[str, ...]
    arguments: tuple[Argument, ...]
    compute: Compute
    fit: Callable[[Sizes], Sizes] = tuple
    torch: bool = True

    def given(self, dims: Sequence[int], operands: Sequence[Sequence[float]]) -> Case:
        sizes = tuple(dims)
        if len(sizes) != len(self.dims) or min(sizes, default=0) < 0:
            raise ValueError(f"{self.name} has the dimensions {' '.join(self.dims) or '(none)'}, not {list(dims)}")
        if self.fit(sizes) != sizes:
            raise ValueError(f"{self.name} is not defined for the dimensions {list(dims)}")
        if len(operands) != len(self.arguments):
            raise ValueError(f"{self.name} takes {len(self.arguments)} operands, not {len(operands)}")
        taken = []
        for each, numbers in zip(self.arguments, operands, strict=True):
            shape = self._shape(each, sizes)
            if len(numbers) != prod(shape):
                raise ValueError(f"{self.name}: {each.name} has {prod(shape)} numbers, not {len(numbers)}")
            taken.append(Operand(shape, tuple(map(single, numbers)), each.draw == "label"))
        return Case(self.word, sizes, tuple(taken))

    def sample(self, rng: random.Random, index: int, largest: int, low: float, high: float) -> Case:
        smallest = tuple(itertools.product((0, 1), repeat=len(self.dims)))
        drawn = smallest[index] if index < len(smallest) else tuple(rng.randint(0, largest) for _ in self.dims)
        sizes = self.fit(drawn)
        return Case(self.word, sizes, tuple(self._drawn(each, sizes, rng, low, high) for each in self.arguments))

    def simpler(self, case: Case) -> Iterator[Case]:
        for at, size in enumerate(case.dims):
            for smaller in sorted({0, 1, size // 2, size - 1} & set(range(size))):
                sizes = self.fit((*case.dims[:at], smaller, *case.dims[at + 1 :]))
                if all(new <= old for new, old in zip(sizes, case.dims, strict=True)) and sizes != case.dims:
                    shapes = (self._shape(each, sizes) for each in self.arguments)
                    operands = (old.sliced(shape) for old, shape in zip(case.operands, shapes, strict=True))
                    yield self._within(Case(case.word, sizes, tuple(operands)))
        for at, operand in enumerate(case.operands):
            for numbers in simpler_numbers(operand.numbers):
                changed = Operand(operand.shape, numbers, operand.whole)
                yield Case(case.word, case.dims, (*case.operands[:at], changed, *case.operands[at + 1 :]))

    def expected(self, case: Case) -> tuple[Output, ...]:
        if self.torch:
            torch = pytorch()
            tensors = (_tensor(torch, operand) for operand in case.operands)
            return tuple(self.compute(torch, case.dims, *tensors))
        return tuple(self.compute(case.dims, *(_nested(operand) for operand in case.operands)))

    def _shape(self, each: Argument, sizes: Sizes) -> tuple[int, ...]:
        return tuple(sizes[self.dims.index(name)] for name in each.shape)

    def _drawn(self, each: Argument, sizes: Sizes, rng: random.Random, low: float, high: float) -> Operand:
        shape = self._shape(each, sizes)
        match each.draw:
            case "any":
                numbers = tuple(_any(rng, low, high) for _ in range(prod(shape)))
            case "small":
                numbers = tuple(single(10 ** rng.uniform(-6, -1)) for _ in range(prod(shape)))
            case "label":
                classes = sizes[self.dims.index(each.below)]
                numbers = tuple(float(rng.randrange(classes)) for _ in range(prod(shape)))
        return Operand(shape, numbers, each.draw == "label")

    def _within(self, case: Case) -> Case:
        """The case with each label brought below its dimension."""
        operands = []
        for each, operand in zip(self.arguments, case.operands, strict=True):
            if each.draw == "label":
                last = case.dims[self.dims.index(each.below)] - 1
                operand = Operand(operand.shape, tuple(min(x, float(last)) for x in operand.numbers), whole=True)
            operands.append(operand)
        return Case(case.word, case.dims, tuple(operands))


def simpler_numbers(numbers: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
    """Simpler lists of as many numbers: all zero, all rounded; then one number at a time to 0, to 1, rounded."""
    zeros = (0.0,) * len(numbers)
    rounded = tuple(map(_rounded, numbers))
    yield from (each for each in dict.fromkeys((zeros, rounded)) if _size(each) < _size(numbers))
    for at, x in enumerate(numbers):
        for y in (0.0, 1.0, rounded[at]):
            if _size((y,)) < _size((x,)):
                yield (*numbers[:at], y, *numbers[at + 1 :])


def _size(numbers: Sequence[float]) -> int:
    """How far from simple numbers are: each 0 counts 0, each 1 counts 1, other integers 2, anything else 3."""
    return sum(0 if x == 0 else 1 if x == 1 else 2 if float(x).is_integer() else 3 for x in numbers)


def _rounded(x: float) -> float:
    return float(round(x)) if abs(x) < 1e9 else x


def _any(rng: random.Random, low: float, high: float) -> float:
    """A number of the range; now and then one of those that go wrong first. Of an infinite range, any F32: by its bits,
    so that every size is as likely, or near 1, so that sums are of more than one number."""
    special = (0.0, -0.0, 1.0, -1.0, low, high)
    if math.isinf(low):
        ways = (from_bits(rng.getrandbits(32)), rng.uniform(-2.0, 2.0), rng.choice((*special, math.nan)))
        return single(rng.choices(ways, (1, 4, 1))[0])
    return single(rng.choice(special) if rng.random() < 0.1 else rng.uniform(low, high))


def _tensor(torch: Any, operand: Operand) -> Any:
    kind = torch.int64 if operand.whole else torch.float32
    return torch.tensor(operand.numbers, dtype=torch.float64).to(kind).reshape(operand.shape)


def _nested(operand: Operand) -> Any:
    """A number, a list of numbers, or a list of rows."""
    numbers = list(operand.numbers)
    match operand.shape:
        case ():
            return numbers[0]
        case (_,):
            return numbers
        case (rows, columns):
            return [numbers[row * columns : (row + 1) * columns] for row in range(rows)]
        case _:
            raise ValueError(f"a matrix has two dimensions, not {operand.shape}")
