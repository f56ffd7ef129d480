"""The references of tensor-array, against NumPy, number by number."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from bendml_cli.reference.catalogue import REFERENCES
from bendml_cli.reference.model import Case, Output

pytest.importorskip("torch")

F32 = np.float32


def samples(name: str, count: int = 30) -> list[Case]:
    rng = random.Random(11)
    return [REFERENCES[f"tensor-array.{name}"].sample(rng, index, 6, -3.0, 3.0) for index in range(count)]


def operands(case: Case) -> list[Any]:
    return [np.array(each.numbers, dtype=int if each.whole else F32).reshape(each.shape)[()] for each in case.operands]


def expected(name: str, case: Case) -> tuple[Output, ...]:
    return REFERENCES[f"tensor-array.{name}"].expected(case)


def same(out: Output, wanted: Any) -> bool:
    wanted = np.asarray(wanted, dtype=F32)
    found = np.array(out.numbers, dtype=F32).reshape(out.shape)
    return out.shape == wanted.shape and bool(np.array_equal(found, wanted, equal_nan=True))


def product_in_order(a: Any, b: Any) -> Any:
    total = np.zeros((a.shape[0], b.shape[1]), dtype=F32)
    for term in range(a.shape[1]):
        total = total + a[:, term : term + 1] * b[term : term + 1, :]
    return total


@pytest.mark.parametrize(("name", "turn_a", "turn_b"), [("", 0, 0), ("_nt", 0, 1), ("_tn", 1, 0)])
def test_products_and_the_operands_after_them(name: str, turn_a: int, turn_b: int) -> None:
    for case in samples(f"matmul{name}"):
        a, b = operands(case)
        wanted = product_in_order(a.T if turn_a else a, b.T if turn_b else b)
        y, *handed_back = expected(f"matmul{name}.in_order", case)
        assert same(y, wanted)
        assert all(map(same, handed_back, (a, b)))
        exact = expected(f"matmul{name}", case)[0]
        assert exact.scales is not None
        assert np.all(np.abs(np.array(exact.numbers) - wanted.flatten()) <= 1e-6 * np.array(exact.scales))


def test_there_are_few_parts() -> None:
    assert {case.dims[3] for case in samples("matmul", 200)} == {0, 1, 2, 3}


def test_losses() -> None:
    for case in samples("cross_entropy"):
        ids, z = operands(case)
        loss, gradient = expected("cross_entropy.in_order", case)
        if not z.size:
            assert np.isnan(loss.numbers[0])
            assert not gradient.numbers
            continue
        powers = np.exp(z.astype(float) - z.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        right = shares[np.arange(len(ids)), ids]
        assert loss.numbers[0] == pytest.approx(-np.log(right).mean(), rel=1e-5, abs=1e-6)
        wanted = (shares - np.eye(z.shape[1])[ids]) / len(ids)
        assert np.array(gradient.numbers) == pytest.approx(wanted.flatten(), rel=1e-5, abs=1e-6)


def test_the_first_largest_counts() -> None:
    case = REFERENCES["tensor-array.count_correct"].given([3, 2], [[0, 1, 1], [5, 5, 5, 5, 1, 2]])
    hits, z = expected("count_correct", case)
    assert hits.numbers == (2.0,)
    assert same(z, operands(case)[1])


def test_what_a_relu_passes_on() -> None:
    case = REFERENCES["tensor-array.relu_bwd"].given([1, 3], [[-1, 0, 2], [4, 5, 6]])
    passed_on, h = expected("relu_bwd", case)
    assert same(passed_on, [[0, 0, 6]])
    assert same(h, [[-1, 0, 2]])


def test_a_step() -> None:
    for case in samples("sgd"):
        rate, w, g = operands(case)
        stepped, gradient = expected("sgd", case)
        assert same(stepped, w - rate * g)
        assert same(gradient, g)
