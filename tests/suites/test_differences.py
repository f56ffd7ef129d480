"""Answers against references: shapes, tolerances, ulps, and where the worst difference stands."""

from __future__ import annotations

import math

import pytest

from bendml_cli.reference.model import Output, bits_of
from bendml_cli.suites.differences import Tolerance, compare_answer, ulps_between

EXACT = Tolerance(0.0, 0.0)
NAN, INF = math.nan, math.inf
MATRIX = Output((2, 2), (1.0, 2.0, 3.0, 4.0))


def printed(*numbers: float) -> str:
    return " ".join(str(bits_of(x)) for x in numbers)


def matrix(*numbers: float) -> str:
    return f"([{printed(*numbers[:2])}][{printed(*numbers[2:])}])"


@pytest.mark.parametrize(
    ("a", "b", "ulps"),
    [
        (1.0, 1.0, 0),
        (1.0, 1.0 + 2**-23, 1),
        (1.0, 1.0 - 2**-24, 1),
        (0.0, -0.0, 0),
        (2**-149, -(2**-149), 2),
        (NAN, -NAN, 0),
        (INF, INF, 0),
        (INF, 3.4028234663852886e38, 1),
    ],
)
def test_ulps(a: float, b: float, ulps: int) -> None:
    assert ulps_between(a, b) == ulps_between(b, a) == ulps


def test_the_same_bits_pass_and_are_counted() -> None:
    found = compare_answer(matrix(1, 2, 3, 4), [MATRIX], EXACT)
    assert (found.problem, found.numbers, found.identical) == (None, 4, 4)


def test_the_worst_number_is_named_with_its_place_and_ulps() -> None:
    found = compare_answer(matrix(1, 2, 3 + 2**-22, 4 + 2**-20), [MATRIX], Tolerance(0.0, 1e-7))
    assert found.worst is not None
    assert (found.worst.position, found.worst.ulps, found.worst.allowed) == ("[1, 1]", 2, False)
    assert found.problem == "[1, 1]: 4.000000953674316 for 4.0 (2 ulps, absolute 9.54e-07, relative 2.38e-07)"
    assert found.identical == 2


def test_tolerances_are_absolute_and_relative_to_the_scale() -> None:
    cancelled = Output((1,), (1e-7,), (2.0,))
    assert compare_answer(f"[{printed(2e-7)}]", [cancelled], Tolerance(0.0, 1e-6)).problem is None
    assert compare_answer(f"[{printed(2e-7)}]", [Output((1,), (1e-7,))], Tolerance(0.0, 1e-6)).problem is not None
    assert compare_answer(f"[{printed(2e-7)}]", [Output((1,), (1e-7,))], Tolerance(1e-6, 0.0)).problem is None
    assert compare_answer(f"[{printed(1e-9)}]", [Output((1,), (0.0,))], Tolerance(0.0, 1.0)).problem is not None


def test_no_number_is_nearly_nan_or_infinite() -> None:
    loose = Tolerance(0.0, 1.0)
    assert compare_answer(printed(NAN), [Output((), (NAN,))], EXACT).problem is None
    assert compare_answer(printed(INF), [Output((), (1e300,))], EXACT).problem is None
    for observed, expected in ((NAN, 1.0), (1.0, NAN), (INF, 1.0), (-INF, INF), (1.0, INF)):
        assert compare_answer(printed(observed), [Output((), (expected,))], loose).problem is not None


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("?", "an answer that cannot be read: '?'"),
        ("", "an answer of another shape: '' for 2x2"),
        (f"[{printed(1, 2, 3, 4)}]", "an answer of another shape: '[ # # # # ]' for 2x2"),
        (f"([{printed(1, 2, 3, 4)}])", "an answer of another shape: '( [ # # # # ] )' for 2x2"),
        ("([4294967296 0][0 0])", "an answer with a number of more than 32 bits"),
    ],
)
def test_an_answer_of_another_form_fails(answer: str, problem: str) -> None:
    assert compare_answer(answer, [MATRIX], EXACT).problem == problem


def test_empty_shapes_are_told_apart() -> None:
    assert compare_answer("([][][])", [Output((3, 0), ())], EXACT).problem is None
    assert compare_answer("()", [Output((0, 3), ())], EXACT).problem is None
    assert compare_answer("()", [Output((3, 0), ())], EXACT).problem is not None
    assert compare_answer("[]()", [Output((0,), ()), Output((0, 2), ())], EXACT).problem is None


def test_of_several_results_the_place_says_which() -> None:
    found = compare_answer(f"[{printed(1)}][{printed(2, 5)}]", [Output((1,), (1.0,)), Output((2,), (2.0, 3.0))], EXACT)
    assert found.problem is not None
    assert found.problem.startswith("result 1 [1]: 5.0 for 3.0")
