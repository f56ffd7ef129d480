"""The benchmark of MNIST: who runs when, what agrees, what is reached, and the chart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bendml_cli.bench import mnist
from bendml_cli.bench.chart import chart, top_of_scale
from bendml_cli.bench.contest import Side
from bendml_cli.bench.mnist import ARRAYS, PYTORCH, Run, bench_mnist
from bendml_cli.bench.mnist_evidence import results
from bendml_cli.engines.engine import Usage
from bendml_cli.machine import Idleness
from bendml_cli.reference.mnist_process import Plan
from bendml_cli.reference.training_log import parse_log
from bendml_cli.suites.case import Status
from tests.bench.mnist_made import FEW, NEAR, bench


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What was trained, in order: the side, the epochs and the batches."""
    trained: list[str] = []

    def training(name: str, milliseconds: float) -> mnist._Train:
        def train(plan: Plan) -> Run:
            trained.append(f"{name} {plan.epochs}x{plan.batches}")
            output = "".join(f"epoch {n + 1} loss 0.5 hits 9000 ms {milliseconds}\n" for n in range(plan.epochs))
            return Run(output, parse_log(output), Usage(1.0, 1.0, 1_000_000))

        return train

    monkeypatch.setattr(mnist, "mnist_folder", lambda: tmp_path)
    monkeypatch.setattr(mnist, "write_weights", lambda folder: {"w1.f32": "ab"})
    monkeypatch.setattr(mnist, "idleness", lambda: Idleness(load_average=[0, 0, 0], busy=[], noise=["busy"]))
    monkeypatch.setattr(mnist, "_torch", lambda data, folder, threads: training("torch", 600))
    monkeypatch.setattr(
        mnist, "_bend", lambda source, folder, data, threads: training(source, 400 if "arrays" in source else 2000)
    )
    return trained


def test_all_sides_train_in_turn_after_a_start(log: list[str]) -> None:
    made = bench_mnist(epochs=2, runs=2, threads=1)
    start, first = log[:3], log[3:6]
    assert start == ["torch 1x50", "arrays.bend 1x50", "lists.bend 1x50"]
    assert first == ["torch 2x0", "arrays.bend 2x0", "lists.bend 1x50"]
    assert log[6:] == first[::-1]
    contest = made.contest
    assert contest.noise == ["busy"]
    assert made.few.numbers == [(0.5, 9000)]
    assert contest.peer.seconds == [0.6, 0.6]
    arrays, lists = contest.sides
    assert arrays.seconds == [0.4, 0.4]
    assert contest.ratio(arrays) == pytest.approx(1.5)
    assert contest.reached(arrays)
    # Fifty batches in two seconds: an epoch of 600 would take 24, and 2500 images a second are more than a thousand.
    assert lists.seconds == [24.0, 24.0]
    assert contest.rate(lists) == 2500
    assert contest.reached(lists)


def test_nothing_is_required_of_several_threads(log: list[str]) -> None:
    assert bench_mnist(epochs=1, runs=1, threads=2).contest.sides[0].required is None


def test_what_is_reached_passes() -> None:
    found = {result.case.id: result.outcome for result in results(bench())}
    assert {name: outcome.status for name, outcome in found.items()} == dict.fromkeys(found, Status.PASSED)
    assert found["epoch"].detail == "0.400 s an epoch, PyTorch 0.500 s: 0.80 times its time, at most 1.50 required"
    assert found["lists"].detail == "2.50 s for 50 batches, at most 5 s required"
    assert found["memory"].detail == "90 MB resident at most, 150 MB allowed; PyTorch 650 MB"
    assert found["agreement"].keep["weights.sha256"] == "ab  w1.f32\ncd  w2.f32\n"
    assert found["agreement"].keep["embedded/run-1"].startswith(NEAR)
    assert found["agreement"].keep["embedded-lists/run-5"].startswith(FEW)


@pytest.mark.parametrize(
    ("changes", "name", "detail"),
    [
        ({"seconds": 0.8}, "epoch", "1.60 times its time"),
        ({"lists": 61.0}, "lists", "5.08 s for 50 batches"),
        ({"peak": 151_000_000}, "memory", "151 MB resident"),
        ({"arrays": NEAR.replace("0.5204770", "0.5204790")}, "agreement", "epoch 1: loss 0.520479 and 9129 hits"),
        ({"arrays": NEAR.replace("9129", "9131")}, "agreement", "9131 hits, where PyTorch has"),
        ({"again": NEAR.replace("770", "771")}, "agreement", "Bend, arrays: run 2 gives other numbers than run 1"),
        ({"few": FEW.replace("7829", "7830")}, "agreement", "other numbers than Bend, arrays gives for 50 batches"),
    ],
)
def test_what_is_missed_fails(changes: dict[str, float | int | str], name: str, detail: str) -> None:
    found = {result.case.id: result.outcome for result in results(bench(**changes))}  # type: ignore[arg-type]
    assert [each for each, outcome in found.items() if outcome.status is Status.FAILED] == [name]
    assert detail in found[name].detail


def test_the_time_of_several_threads_is_told_and_not_judged() -> None:
    outcome = {result.case.id: result.outcome for result in results(bench(threads=4, seconds=2.0))}["epoch"]
    assert outcome.status is Status.SKIPPED
    assert "4.00 times its time; what is required is for one thread" in outcome.detail


def test_bars_that_leave_the_scale_do_not_set_it() -> None:
    sides = [Side(name=str(time), passes=1, seconds=[time, time, 1.5 * time]) for time in (1.0, 2.0, 100.0)]
    assert top_of_scale(sides) == pytest.approx(1.15 * 3.0)
    wild = [Side(name="a", passes=1, seconds=[1.0, 1.0, 50.0])]
    assert top_of_scale(wild) == pytest.approx(1.15 * 2.0)


def test_a_chart_shows_each_side_and_is_the_same_for_the_same_numbers() -> None:
    pytest.importorskip("matplotlib")
    contest = bench().contest
    files = chart(contest, "seconds for an epoch")
    assert files["chart.png"].startswith(b"\x89PNG")
    svg = files["chart.svg"].decode()
    assert all(
        name in svg
        for name in (PYTORCH, ARRAYS, "Bend, lists", "(by 50 batches)", "0.4 s", "30 s ↑", "#f2eee7", "#6d4bd0")
    )
    assert len(re.findall("<pattern ", svg)) == 1
    assert chart(contest, "seconds for an epoch") == files
