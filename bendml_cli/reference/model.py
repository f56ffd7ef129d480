"""Cases, results and references: what a program is asked, what it should answer, and who says so."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

DIMENSIONS = 4
"""How many dimensions a case's line has; those that an operation lacks are 0."""


def single(x: float) -> float:
    """x rounded to the nearest F32; past the largest, an infinity."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", x))[0])
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def bits_of(x: float) -> int:
    """The bits of an F32."""
    return int(struct.unpack("<I", struct.pack("<f", single(x)))[0])


def from_bits(bits: int) -> float:
    """The F32 of these bits."""
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument: F32 numbers of a shape, row by row, or (`whole`) plain integers such as labels."""

    shape: tuple[int, ...]
    numbers: tuple[float, ...]
    whole: bool = False

    def words(self) -> Iterator[int]:
        """The numbers as a program reads them."""
        return (int(x) if self.whole else bits_of(x) for x in self.numbers)

    def sliced(self, shape: tuple[int, ...]) -> Operand:
        """The corner of a smaller shape of as many dimensions."""
        if len(shape) < 2:
            return Operand(shape, self.numbers[: prod(shape)], self.whole)
        columns = self.shape[1]
        rows = (self.numbers[row * columns : row * columns + shape[1]] for row in range(shape[0]))
        return Operand(shape, tuple(x for row in rows for x in row), self.whole)


@dataclass(frozen=True, slots=True)
class Case:
    """One question to a program: an operation by the word that the program knows it by, dimensions, operands."""

    word: str
    dims: tuple[int, ...]
    operands: tuple[Operand, ...]

    def line(self) -> str:
        """The case as a line of a file of cases."""
        dims = (*self.dims, *(0,) * (DIMENSIONS - len(self.dims)))
        words = (word for operand in self.operands for word in operand.words())
        return " ".join([self.word, *map(str, dims), *map(str, words)])


@dataclass(frozen=True, slots=True)
class Output:
    """A result: a number (no dimensions), a vector or a matrix, row by row.

    `scales` says for each number what an error is relative to, where that is not the number itself: of a sum, the
    sum of its terms' sizes, which rounding errors grow with even where the terms cancel.
    """

    shape: tuple[int, ...]
    numbers: tuple[float, ...]
    scales: tuple[float, ...] | None = None


class Reference(Protocol):
    """Says what an operation gives. `torch` says whether PyTorch is asked."""

    @property
    def name(self) -> str:
        """The name that suites know it by, such as `tensor.matmul`."""

    @property
    def torch(self) -> bool:
        """Does it need PyTorch? If not, it is plain Python."""

    def given(self, dims: Sequence[int], operands: Sequence[Sequence[float]]) -> Case:
        """The case of these dimensions and operands. Raises ValueError when they do not fit the operation."""

    def sample(self, rng: random.Random, index: int, largest: int, low: float, high: float) -> Case:
        """The case number `index` of a random run: dimensions up to `largest`, numbers from `low` to `high` (an
        `Operation` takes infinities too: any F32). The first ones are the smallest: dimensions of 0 and 1."""

    def simpler(self, case: Case) -> Iterator[Case]:
        """Simpler cases, the simplest first, to look for what is left of a difference."""

    def expected(self, case: Case) -> tuple[Output, ...]:
        """What the operation gives. Raises ReferenceUnavailable when PyTorch is needed and cannot be had."""
