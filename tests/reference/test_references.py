"""The references: what they draw, how they simplify, and what they say, against NumPy and against each other."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from bendml_cli.errors import ReferenceUnavailable
from bendml_cli.reference.catalogue import REFERENCES
from bendml_cli.reference.model import Case, Operand, Reference, bits_of, from_bits, single

pytest.importorskip("torch")

EVERY = pytest.mark.parametrize("reference", list(REFERENCES.values()), ids=lambda each: each.name)
F32 = np.float32


def samples(
    reference: Reference, count: int = 40, largest: int = 6, low: float = -2.0, high: float = 2.0
) -> list[Case]:
    rng = random.Random(7)
    return [reference.sample(rng, index, largest, low, high) for index in range(count)]


def arrays(case: Case) -> list[Any]:
    return [np.array(each.numbers, dtype=int if each.whole else F32).reshape(each.shape)[()] for each in case.operands]


# ---- What they draw ----


@EVERY
def test_cases_are_whole_and_repeat(reference: Reference) -> None:
    cases = samples(reference)
    assert cases == samples(reference)
    for case in cases:
        assert len(case.dims) <= 4
        for operand in case.operands:
            assert len(operand.numbers) == prod(operand.shape)
            assert operand.whole or all(single(x) == x for x in operand.numbers)
        words = case.line().split()
        assert words[0] == case.word
        assert len(words) == 5 + sum(len(operand.numbers) for operand in case.operands)
        assert reference.given(case.dims, [operand.numbers for operand in case.operands]) == case


@EVERY
def test_results_have_a_number_for_each_place(reference: Reference) -> None:
    for case in samples(reference):
        for out in reference.expected(case):
            assert len(out.numbers) == prod(out.shape)
            assert out.scales is None or len(out.scales) == len(out.numbers)
            assert out.scales is None or all(not scale < 0 for scale in out.scales)


@EVERY
def test_simplifying_ends(reference: Reference) -> None:
    rng = random.Random(1)
    for case in samples(reference, count=12, largest=3):
        steps = 0
        while candidates := list(reference.simpler(case)):
            assert case not in candidates
            case = rng.choice(candidates)
            reference.expected(case)
            steps += 1
            assert steps < 2000


def test_the_smallest_shapes_come_first() -> None:
    dims = [case.dims for case in samples(REFERENCES["tensor.matmul"], count=8)]
    assert set(dims) == {(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)}


def test_shapes_and_labels_fit() -> None:
    for case in samples(REFERENCES["tensor.reshape"], count=100, largest=9):
        r, c, r2, c2 = case.dims
        assert r * c == r2 * c2
    for case in samples(REFERENCES["autograd.cross_entropy"], count=100):
        ids, _ = case.operands
        assert all(0 <= label < case.dims[1] for label in ids.numbers)
    with pytest.raises(ValueError, match="not defined for"):
        REFERENCES["tensor.reshape"].given([2, 3, 4, 1], [[0.0] * 6])


def test_the_corner_of_a_matrix() -> None:
    operand = Operand((2, 3), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert operand.sliced((2, 2)).numbers == (1.0, 2.0, 4.0, 5.0)
    assert operand.sliced((0, 3)).numbers == ()


def test_bits() -> None:
    for x in (0.0, -0.0, 1.5, float("inf"), 2**-149):
        assert np.float32(x).view(np.uint32) == bits_of(x)
        assert from_bits(bits_of(x)) == x
    assert single(1e300) == float("inf")
    assert single(0.1) == np.float32(0.1)


def test_without_pytorch_it_says_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr("importlib.import_module", missing)
    case = samples(REFERENCES["tensor.add"], count=1)[0]
    with pytest.raises(ReferenceUnavailable, match=r"PyTorch cannot be imported: No module named 'torch'") as caught:
        REFERENCES["tensor.add"].expected(case)
    assert "bendml[reference]" in caught.value.way_out


# ---- What they say ----


def dot_in_order(xs: Any, ys: Any) -> Any:
    total = F32(0)
    for x, y in zip(xs, ys, strict=True):
        total = F32(total + F32(x * y))
    return total


def sum_in_order(xs: Any) -> Any:
    total = F32(0)
    for x in xs:
        total = F32(total + x)
    return total


def once(function: Callable[[Any], Any], x: Any) -> Any:
    return function(np.asarray(x, dtype=float)).astype(F32)


def softmax_row(row: Any) -> Any:
    if row.size == 0:
        return row
    powers = once(np.exp, row - row.max())
    return powers / sum_in_order(powers)


def layernorm_row(eps: Any, gain: Any, bias: Any, row: Any) -> Any:
    if row.size == 0:
        return row
    count = F32(row.size)
    centred = row - sum_in_order(row) / count
    variance = dot_in_order(centred, centred) / count
    return centred * (F32(1) / np.sqrt(variance + eps)) * gain + bias


def gelu(x: Any) -> Any:
    inner = F32(0.7978846) * (x + F32(0.044715) * (x * x * x))
    return F32(0.5) * x * (F32(1) + once(np.tanh, inner))


def rows_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands: np.array([function(*operands[:-1], row) for row in operands[-1]], dtype=F32)


NUMPY: dict[str, Callable[..., Any]] = {
    "vec.dot": dot_in_order,
    "matmul": lambda a, b: np.array([[dot_in_order(x, y) for y in b.T] for x in a], dtype=F32),
    "matmul_nt": lambda a, b: np.array([[dot_in_order(x, y) for y in b] for x in a], dtype=F32),
    "matvec": lambda a, v: np.array([dot_in_order(x, v) for x in a], dtype=F32),
    "col_sums": lambda a: np.array([sum_in_order(column) for column in a.T], dtype=F32),
    "softmax": rows_of(softmax_row),
    "layernorm": rows_of(layernorm_row),
    "gelu": gelu,
    "mat.gelu": gelu,
}


@pytest.mark.parametrize("name", NUMPY)
def test_sums_in_order_have_numpys_bits(name: str) -> None:
    reference = REFERENCES[f"tensor.{name}.in_order"]
    for case in samples(reference, count=60, largest=9):
        (out,) = reference.expected(case)
        with np.errstate(all="ignore"):
            wanted = np.asarray(NUMPY[name](*arrays(case)), dtype=F32).flatten()
        assert np.array_equal(np.array(out.numbers, dtype=F32), wanted)


@pytest.mark.parametrize("name", NUMPY)
def test_pytorchs_own_functions_agree_with_the_sums_in_order(name: str) -> None:
    own, in_order = REFERENCES[f"tensor.{name}"], REFERENCES[f"tensor.{name}.in_order"]
    for case in samples(own):
        for a, b in zip(own.expected(case), in_order.expected(case), strict=True):
            assert a.shape == b.shape
            scales = a.scales or [abs(x) for x in a.numbers]
            for x, y, scale in zip(a.numbers, b.numbers, scales, strict=True):
                assert abs(x - y) <= 2e-6 * scale


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("add", lambda a, b: a + b),
        ("vec.sub", lambda a, b: a - b),
        ("mul", lambda a, b: a * b),
        ("scale", lambda s, a: s * a),
        ("mat.relu", lambda a: np.maximum(a, 0)),
        ("transpose", lambda a: a.T),
        ("add_row", lambda a, v: a + v),
        ("flatten", lambda a: a.reshape(1, -1) if a.size else np.zeros((1, 0))),
    ],
)
def test_entry_by_entry(name: str, function: Callable[..., Any]) -> None:
    reference = REFERENCES[f"tensor.{name}"]
    for case in samples(reference):
        (out,) = reference.expected(case)
        wanted = function(*arrays(case))
        assert out.shape == wanted.shape
        assert np.array_equal(np.array(out.numbers, dtype=F32), wanted.flatten())


@pytest.mark.parametrize("name", ["autograd.expr", "autograd.network"])
def test_pytorchs_gradients_agree_with_finite_differences(name: str) -> None:
    own, differences = REFERENCES[name], REFERENCES[f"{name}.differences"]
    for case in samples(differences, count=30, largest=3, low=-1.0, high=1.0):
        for a, b in zip(own.expected(case), differences.expected(case), strict=True):
            assert a.shape == b.shape
            assert b.numbers == pytest.approx(a.numbers, rel=1e-5, abs=1e-6)


def test_a_layer_by_hand() -> None:
    reference = REFERENCES["autograd.linear.backward"]
    case = reference.given([1, 2, 1], [[3.0, 4.0], [0.5], [1.0, 2.0], [10.0]])
    dx, dw, db = reference.expected(case)
    assert (dx.shape, dx.numbers) == ((1, 2), (30.0, 40.0))
    assert (dw.shape, dw.numbers) == ((2, 1), (10.0, 20.0))
    assert (db.shape, db.numbers) == ((1,), (10.0,))
    (loss,) = REFERENCES["autograd.cross_entropy"].expected(
        REFERENCES["autograd.cross_entropy"].given([1, 2], [[1], [0.0, 0.0]])
    )
    assert loss.numbers == pytest.approx((np.log(2),))
