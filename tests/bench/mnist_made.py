"""A benchmark of MNIST that was not measured."""

from __future__ import annotations

from bendml_cli.bench.contest import Contest, Side
from bendml_cli.bench.mnist import ARRAYS, LISTS, PYTORCH, MnistBench, Run
from bendml_cli.engines.engine import Usage
from bendml_cli.evidence.facts import host_facts
from bendml_cli.reference.training_log import parse_log

TORCH = "epoch 1 loss 0.5204766 hits 9128 ms 500.0\n"
NEAR = "epoch 1 loss 0.5204770 hits 9129 ms 400\n"
FEW = "epoch 1 loss 1.6616004 hits 7829 ms 2500\n"


def bench(
    *,
    arrays: str = NEAR,
    again: str | None = None,
    few: str = FEW,
    seconds: float = 0.4,
    lists: float = 30.0,
    peak: int = 90_000_000,
    threads: int = 1,
) -> MnistBench:
    """Five runs of each side; the second one on arrays may print something else."""
    contest = Contest(
        name="mnist",
        title="an epoch",
        bendml="1.2.3",
        host=host_facts(),
        noise=["a compiler takes 80% of a core"],
        operations=60_000,
        unit="images",
        peer=Side(name=PYTORCH, passes=1, seconds=[0.5, 0.6, 0.5, 0.5, 0.5]),
        sides=[
            Side(name=ARRAYS, passes=1, seconds=[seconds] * 5, required=2 / 3 if threads == 1 else None),
            Side(name=LISTS, passes=1, seconds=[lists] * 5, aim=1000.0),
        ],
    )
    runs = {
        PYTORCH: [_run(TORCH, 650_000_000)] * 5,
        ARRAYS: [_run(arrays, peak), _run(again or arrays, peak), *[_run(arrays, peak)] * 3],
        LISTS: [_run(FEW, 26_000_000)] * 5,
    }
    return MnistBench(contest, runs, _run(few, peak), {"w1.f32": "ab", "w2.f32": "cd"}, threads)


def _run(output: str, peak: int) -> Run:
    return Run(output, parse_log(output), Usage(2.0, 1.5, peak))
