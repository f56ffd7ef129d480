"""Random expressions, their values and gradients: by PyTorch's autograd on doubles, and by finite differences."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bendml_cli.reference.layers import slopes
from bendml_cli.reference.model import Case, Operand, Output, bits_of, from_bits, single
from bendml_cli.reference.operation import simpler_numbers
from bendml_cli.reference.pytorch import pytorch

_DEPTH = 5
_LARGEST = 1e4
_FAR_FROM_A_KINK = 1e-2
_CODES = {"const": 0, "var": 1, "sum": 2, "prod": 3, "relu": 4, "tanh": 5, "exp": 6}
_NAMES = {code: name for name, code in _CODES.items()}


@dataclass(frozen=True, slots=True)
class Node:
    """An expression: `const` (its `value`), `var` (its `index`), or an operation on `parts`."""

    kind: str
    parts: tuple[Node, ...] = ()
    value: float = 0.0
    index: int = 0


def encode(node: Node) -> list[float]:
    """An expression as the program reads it, operands first: two integers for each node."""
    if node.kind == "const":
        return [0.0, float(bits_of(node.value))]
    if node.kind == "var":
        return [1.0, float(node.index)]
    return [*(word for part in node.parts for word in encode(part)), float(_CODES[node.kind]), 0.0]


def decode(words: Sequence[float]) -> Node:
    """The expression of these words. Raises ValueError when they are of none."""
    stack: list[Node] = []
    for code, word in zip(words[::2], words[1::2], strict=True):
        kind = _NAMES[int(code)]
        count = 2 if kind in ("sum", "prod") else 0 if kind in ("const", "var") else 1
        if len(stack) < count:
            raise ValueError("an operation lacks an operand")
        parts = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        value = from_bits(int(word)) if kind == "const" else 0.0
        stack.append(Node(kind, parts, value, int(word) if kind == "var" else 0))
    if len(stack) != 1:
        raise ValueError(f"{len(stack)} expressions, not one")
    return stack[0]


def evaluate(node: Node, point: Sequence[float], seen: Callable[[Node, float], None] = lambda *_: None) -> float:
    """The value at a point, in double precision. `seen` is told each relu's argument."""
    parts = [evaluate(part, point, seen) for part in node.parts]
    match node.kind:
        case "const":
            return node.value
        case "var":
            return point[node.index] if node.index < len(point) else 0.0
        case "sum":
            return parts[0] + parts[1]
        case "prod":
            return parts[0] * parts[1]
        case "relu":
            seen(node, parts[0])
            return max(parts[0], 0.0)
        case "tanh":
            return math.tanh(parts[0])
        case _:
            return math.exp(parts[0])


def _with_pytorch(torch: Any, node: Node, point: Any) -> Any:
    parts = [_with_pytorch(torch, part, point) for part in node.parts]
    match node.kind:
        case "const":
            return torch.tensor(node.value, dtype=torch.float64)
        case "var":
            return point[node.index]
        case "sum":
            return parts[0] + parts[1]
        case "prod":
            return parts[0] * parts[1]
        case _:
            return getattr(torch, node.kind)(parts[0])


@dataclass(frozen=True, slots=True)
class Expression:
    """A reference for expressions of a few variables. Its case's dimension is the number of variables; its operands
    are the point and the expression. `differences` takes finite differences for PyTorch."""

    name: str
    differences: bool
    with_gradient: bool = True

    @property
    def torch(self) -> bool:
        return not self.differences

    def given(self, dims: Sequence[int], operands: Sequence[Sequence[float]]) -> Case:
        if len(dims) != 1 or len(operands) != 2 or len(operands[0]) != dims[0]:
            raise ValueError(f"{self.name} takes one dimension n, n numbers, and the words of an expression")
        return self._case(tuple(map(single, operands[0])), decode(operands[1]))

    def sample(self, rng: random.Random, index: int, largest: int, low: float, high: float) -> Case:
        while True:
            count = rng.randint(1, max(1, largest))
            point = tuple(single(rng.uniform(low, high)) for _ in range(count))
            depth = 1 + index % _DEPTH
            node = _drawn(rng, depth, count, low, high)
            if _is_tame(node, point):
                return self._case(point, node)

    def simpler(self, case: Case) -> Iterator[Case]:
        point, node = case.operands[0].numbers, decode(case.operands[1].numbers)
        candidates = [(point, each) for each in _simpler(node)]
        candidates += [(numbers, node) for numbers in simpler_numbers(point)]
        if point and all(each < len(point) - 1 for each in _variables(node)):
            candidates.append((point[:-1], node))
        # What lies at a kink differs for another reason.
        yield from (self._case(at, each) for at, each in candidates if _is_tame(each, at))

    def expected(self, case: Case) -> tuple[Output, ...]:
        point, node = list(case.operands[0].numbers), decode(case.operands[1].numbers)
        if self.differences:
            value, gradient = evaluate(node, point), slopes(lambda: evaluate(node, point), point)
        else:
            torch = pytorch()
            leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in point]
            result = _with_pytorch(torch, node, leaves)
            value = float(result.detach())
            found: Sequence[Any] = [None] * len(leaves)
            if leaves and result.requires_grad:
                found = torch.autograd.grad(result, leaves, allow_unused=True)
            gradient = [0.0 if each is None else float(each) for each in found]
        if not self.with_gradient:
            return (Output((), (value,), (max(1.0, abs(value)),)),)
        # Rounding in any part may move every derivative: errors are measured by the largest.
        scale = max([1.0, abs(value), *map(abs, gradient)])
        return (Output((1,), (value,), (scale,)), Output((len(point),), tuple(gradient), (scale,) * len(point)))

    def _case(self, point: Sequence[float], node: Node) -> Case:
        words = encode(node)
        operands = (Operand((len(point),), tuple(point)), Operand((len(words),), tuple(words), whole=True))
        return Case("expr" if self.with_gradient else "expr.value", (len(point),), operands)


def _drawn(rng: random.Random, depth: int, count: int, low: float, high: float) -> Node:
    if depth == 0 or rng.random() < 0.08:
        if rng.random() < 0.25:
            return Node("const", value=single(rng.uniform(low, high)))
        return Node("var", index=rng.randrange(count))
    kind = rng.choice(["sum", "sum", "prod", "prod", "relu", "tanh", "exp"])
    parts = 2 if kind in ("sum", "prod") else 1
    return Node(kind, tuple(_drawn(rng, depth - 1, count, low, high) for _ in range(parts)))


def _is_tame(node: Node, point: Sequence[float]) -> bool:
    """Are all values of moderate size, and no relu near its kink, where F32 and double may take different sides?"""
    tame = True

    def look(_: Node, x: float) -> None:
        nonlocal tame
        tame = tame and abs(x) > _FAR_FROM_A_KINK

    def visit(each: Node) -> None:
        nonlocal tame
        tame = tame and abs(evaluate(each, point)) < _LARGEST
        for part in each.parts:
            visit(part)

    try:
        evaluate(node, point, look)
        visit(node)
    except OverflowError:
        return False
    return tame


def _simpler(node: Node) -> Iterator[Node]:
    """Its parts, in its place; then itself with a simpler part."""
    yield from node.parts
    if node.kind == "const":
        yield from (Node("const", value=numbers[0]) for numbers in simpler_numbers((node.value,)))
    for at, part in enumerate(node.parts):
        for each in _simpler(part):
            yield Node(node.kind, (*node.parts[:at], each, *node.parts[at + 1 :]))


def _variables(node: Node) -> Iterator[int]:
    if node.kind == "var":
        yield node.index
    for part in node.parts:
        yield from _variables(part)


EXPRESSIONS = [
    Expression("autograd.expr", differences=False),
    Expression("autograd.expr.value", differences=False, with_gradient=False),
    Expression("autograd.expr.differences", differences=True),
]
