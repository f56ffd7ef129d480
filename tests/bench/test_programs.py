"""Contestants that are programs, and the numbers that they work on."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from bendml_cli.bench import alloc, lists
from bendml_cli.bench.native import run_contest
from bendml_cli.bench.products import digest, numbers, operands
from bendml_cli.bench.programs import Program, bend_program, c_program
from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.errors import BendmlError, ReferenceUnavailable
from bendml_cli.project import find_project

BENCHMARKS = sorted((find_project().root / "bend/bench").glob("*.bend"))


def _script(folder: Path, text: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_program_gets_the_passes_and_tells_milliseconds(tmp_path: Path) -> None:
    path = _script(tmp_path, 'echo "$3$2" "$1"')
    assert Program(path, ["first"], "it").answer(2, 15).seconds == pytest.approx(0.152)
    assert Program(path, ["first"], "it").answer(2, 15).result == "first"
    assert Program(path, ["first"], "it", "first").measure(15) == pytest.approx(0.153)


def test_a_wrong_result_has_no_speed(tmp_path: Path) -> None:
    path = _script(tmp_path, "echo 12 34")
    with pytest.raises(BendmlError, match="it: the result is 34, and not 35"):
        Program(path, [], "it", "35").measure(1)


@pytest.mark.parametrize(
    ("text", "said"), [("echo no memory >&2; exit 3", "status 3 and said: no memory"), ("true", "status 0")]
)
def test_a_failure_is_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BendmlError, match=said):
        Program(_script(tmp_path, text), [], "it").measure(1)


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(BendmlError, match="it cannot be started"):
        Program(tmp_path / "none", [], "it").measure(1)


def test_a_benchmark_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BendmlError, match=r"there is no .*none\.bend"):
        bend_program("none.bend", tmp_path, "it")


def test_the_reference_adds_in_index_order() -> None:
    product = operands(2, 3, 4)
    for row in range(2):
        for column in range(4):
            total = np.float32(0)
            for at in range(3):
                total = total + product.a[row, at] * product.b[at, column]
            assert product.reference()[row, column] == total
    assert product.operations == 24


def test_numbers_are_spread_and_exact() -> None:
    drawn = numbers(10_000, 5)
    assert drawn.dtype == np.float32
    assert drawn.min() < -0.99
    assert drawn.max() > 0.99
    assert (drawn * (1 << 23) == np.round(drawn * (1 << 23))).all()
    assert (numbers(3, 7) == drawn[2:5]).all()


def test_a_digest_is_of_bits() -> None:
    zeros = np.zeros((1, 2), np.float32)
    assert digest(zeros) != digest(-zeros)


def test_without_numpy_there_is_no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ReferenceUnavailable, match="NumPy cannot be imported"):
        operands(1, 1, 1)


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_benchmarks_are_checked_and_safe(path: Path) -> None:
    judgement = EmbeddedEngine().check(path)
    assert judgement.report is not None
    assert judgement.report.verdict == "ALL PROOFS CHECK"


@pytest.mark.parametrize(
    ("source", "n", "k", "m"),
    [
        ("matmul_arrays.bend", 100, 784, 128),
        ("matmul_lists.bend", 100, 784, 128),
        ("matmul_tensor.bend", 100, 784, 128),
        ("matvec.bend", 1, 768, 2304),
    ],
)
def test_products_have_the_bits_of_the_reference(tmp_path: Path, source: str, n: int, k: int, m: int) -> None:
    program = bend_program(source, tmp_path, source)
    assert program.answer(0, 1).result == str(digest(operands(n, k, m).reference()))


@pytest.mark.parametrize("module", [alloc, lists], ids=["alloc", "lists"])
def test_lists_agree_with_c(tmp_path: Path, module: object) -> None:
    heard: list[str] = []
    prepare = getattr(module, "prepare")  # noqa: B009
    contest = run_contest(prepare, runs=1, seconds=0.1, told=heard.append)
    assert contest.peer.name == "C"
    assert contest.ratio(contest.sides[0]) > 0
    assert heard[-1] == "measuring: 1 of 1 rounds done"


def test_a_peer_that_answers_differently_is_refused(tmp_path: Path) -> None:
    program = c_program("alloc.c", tmp_path, "C")
    assert program.answer(0, 1).result != program.answer(0, 2).result
