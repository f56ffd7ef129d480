"""What the packages compute, against plain Python in double precision."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from bendml_cli.bend2.api import check_file
from tests.packages.f32_terms import numbers

BEND = Path(__file__).parents[2] / "bend"
A = [[0.3, 1.7, 0.2], [2.5, 0.1, 0.9]]
B = [[0.5, 1.25], [2.0, 0.75], [1.5, 3.5]]
LABELS = [2, 0]

Rows = list[list[float]]


def main_of(path: Path) -> str:
    """The normal form of main of an accepted file."""
    report = check_file(path, main=True)
    assert report.error is None
    assert report.main is not None
    return report.main


def turned(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def product(a: Rows, b: Rows) -> Rows:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in turned(b)] for row in a]


def softmax(row: list[float]) -> list[float]:
    total = sum(math.exp(x) for x in row)
    return [math.exp(x) / total for x in row]


def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def layernorm(row: list[float]) -> list[float]:
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    return [(x - mean) / math.sqrt(variance + 1e-5) * 1.5 + 0.25 for x in row]


def flat(*matrices: Rows) -> list[float]:
    return [x for matrix in matrices for row in matrix for x in row]


def test_tensor() -> None:
    expected = flat(
        product(A, B),
        product(A, turned(A)),
        [[sum(row) / 2 for row in A]],
        [[sum(column) for column in turned(B)]],
        [softmax(row) for row in A],
        [[gelu(x) for x in row] for row in A],
        [layernorm(row) for row in A],
        [[max(x - 1, 0) for x in row] for row in A],
    )
    assert numbers(main_of(BEND / "tensor/tests/accept/numbers.bend")) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_autograd() -> None:
    losses = [-math.log(softmax(row)[label]) for row, label in zip(A, LABELS, strict=True)]
    y = [[x + 0.125 for x in row] for row in product(A, B)]
    expected = flat(
        [[sum(losses) / 2]],
        [[(p - (i == label)) / 2 for i, p in enumerate(softmax(row))] for row, label in zip(A, LABELS, strict=True)],
        y,
        product(y, turned(B)),
        product(turned(A), y),
        [[sum(column) for column in turned(y)]],
        [[x if x > 1 else 0 for x in row] for row in A],
        [[0.75 * x for x in row] for row in A],
    )
    assert numbers(main_of(BEND / "autograd/tests/accept/numbers.bend")) == pytest.approx(expected, rel=1e-5, abs=1e-6)


@dataclass(frozen=True)
class Dual:
    """A value and its derivatives by all variables: forward mode, to judge reverse mode by."""

    value: float
    by: tuple[float, ...]

    def chain(self, value: float, slope: float) -> Dual:
        return Dual(value, tuple(slope * d for d in self.by))


def random_expression(rng: random.Random, depth: int, point: tuple[float, ...]) -> tuple[str, Dual]:
    """An expression as Bend writes it, and what it should give at the point."""
    if depth == 0 or rng.random() < 0.1:
        index = rng.randrange(len(point) + 1)
        if index == len(point):
            value = rng.choice([0.25, 0.5, 1.5])
            return f"A.EConst{{{value}}}", Dual(value, (0.0,) * len(point))
        return f"A.EVar{{{index}n}}", Dual(point[index], tuple(float(index == i) for i in range(len(point))))
    kind = rng.choice(["ESum", "EProd", "EProd", "ERelu", "ETanh", "EExp"])
    text, a = random_expression(rng, depth - 1, point)
    if kind in {"ESum", "EProd"}:
        other, b = random_expression(rng, depth - 1, point)
        pairs = zip(a.by, b.by, strict=True)
        by = [x + y if kind == "ESum" else x * b.value + y * a.value for x, y in pairs]
        value = a.value + b.value if kind == "ESum" else a.value * b.value
        return f"A.{kind}{{{text}, {other}}}", Dual(value, tuple(by))
    if kind == "ETanh":
        y = math.tanh(a.value)
        return f"A.ETanh{{{text}}}", a.chain(y, 1 - y * y)
    if kind == "ERelu":
        # Shifted, so that both sides of 0 are met.
        text, value = f"A.ERelu{{A.ESum{{{text}, A.EProd{{A.EConst{{2.0}}, A.EVar{{0n}}}}}}}}", a.value + 2 * point[0]
        moved = Dual(value, (a.by[0] + 2, *a.by[1:]))
        return text, moved.chain(max(value, 0), float(value > 0))
    return f"A.EExp{{A.ETanh{{{text}}}}}", _exp_tanh(a)


def _exp_tanh(a: Dual) -> Dual:
    y = math.tanh(a.value)
    return a.chain(math.exp(y), math.exp(y) * (1 - y * y))


PROGRAM = """\
import Base
import {package} as A

def read(-n: Nat, g: A.ValueGrad<n>) -> List<&2, F32>:
  match g:
    case A.ValueGrad{{v, d}}:
      v <> A.Vec.to_list(n, d)

def at(e: A.Expr, v: Maybe<&2, A.Vec<3n>>) -> List<&2, F32>:
  match v:
    case None{{}}:
      []
    case Some{{xs}}:
      read(3n, A.Expr.grad(3n, e, xs))

def main() -> List<&2, F32>:
  at({expression}, A.Vec.of_list(3n, [{point}]))
"""


@pytest.mark.parametrize("seed", range(12))
def test_reverse_mode_on_random_expressions(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    point = tuple(round(rng.uniform(-1.5, 1.5), 2) for _ in range(3))
    expression, expected = random_expression(rng, 3, point)
    # There is no literal below 0.
    literals = ", ".join(f"F32.sub(0.0, {-x})" if x < 0 else str(x) for x in point)
    file = tmp_path / "program.bend"
    package = BEND / "autograd/main.bend"
    file.write_text(PROGRAM.format(package=package, expression=expression, point=literals))
    assert numbers(main_of(file)) == pytest.approx([expected.value, *expected.by], rel=1e-4, abs=1e-5)
