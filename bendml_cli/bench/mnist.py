"""`bendml bench mnist`: an epoch of training in Bend next to one in PyTorch, whole processes in turn.

The time of an epoch is what each side prints: its training, without reading the data and without the test.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bendml_cli import __version__
from bendml_cli.bench.contest import Contest, Side, rounds
from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.engines.engine import Usage
from bendml_cli.errors import BendmlError
from bendml_cli.evidence.facts import host_facts
from bendml_cli.machine import idleness
from bendml_cli.project import find_project
from bendml_cli.reference.mnist_data import BATCH, write_weights
from bendml_cli.reference.mnist_process import Plan, run_torch
from bendml_cli.reference.training_log import TrainingLog, parse_log
from bendml_cli.toolchain.data import mnist_folder

PYTORCH, ARRAYS, LISTS = "PyTorch", "Bend, arrays", "Bend, lists (by 50 batches)"
REQUIRED = 1 / 1.5
"""The share of PyTorch's speed that the program on arrays must reach, one thread each."""
LIST_BATCHES = 50
LIST_SECONDS = 5.0
"""In so many seconds, the program on lists must train so many batches."""
ARRAYS_BYTES = 150_000_000
"""So much memory may be resident for the program on arrays."""
EPOCH_BATCHES = 600
IMAGES = EPOCH_BATCHES * BATCH
_PROGRAMS = {ARRAYS: "arrays.bend", LISTS: "lists.bend"}
_NEAR = ((2e-6, 2), (1e-4, 10), (1e-4, 10), (1e-3, 50))
"""How far loss and hits may be apart after the first epoch, the second, the third, and later ones: differences of
rounding grow as training goes on."""


@dataclass(frozen=True, slots=True)
class Run:
    """A training that was timed: what it printed, as text and as numbers, and what its whole process cost."""

    output: str
    log: TrainingLog
    usage: Usage

    @property
    def numbers(self) -> list[tuple[float, int]]:
        """Loss and hits of each epoch."""
        return [(epoch.loss, epoch.hits) for epoch in self.log.epochs]


@dataclass(frozen=True, slots=True)
class MnistBench:
    """The contest, and the runs behind each side of it. `few` is what the program on arrays gives for the batches that
    the one on lists trains, and `weights` are the digests of the initial weights."""

    contest: Contest
    runs: Mapping[str, Sequence[Run]]
    few: Run
    weights: Mapping[str, str]
    threads: int

    def peak(self, name: str) -> int | None:
        """The most memory that was resident in any run of a side."""
        return max((run.usage.peak_resident_bytes or 0 for run in self.runs[name]), default=0) or None

    def disagreements(self) -> list[str]:
        """Where Bend's losses and hits are too far from PyTorch's, and where two runs of Bend differ."""
        found = []
        reference = self.runs[PYTORCH][0].log
        for name in (ARRAYS, LISTS):
            first = self.runs[name][0]
            for number, run in enumerate(self.runs[name], start=1):
                if run.numbers != first.numbers:
                    found.append(f"{name}: run {number} gives other numbers than run 1")
        if self.runs[LISTS][0].numbers != self.few.numbers:
            found.append(f"{LISTS}: other numbers than {ARRAYS} gives for {LIST_BATCHES} batches")
        pairs = zip(self.runs[ARRAYS][0].log.epochs, reference.epochs, strict=True)
        for number, (ours, theirs) in enumerate(pairs):
            loss, hits = _NEAR[min(number, len(_NEAR) - 1)]
            if not (abs(ours.loss - theirs.loss) <= loss and abs(ours.hits - theirs.hits) <= hits):
                found.append(
                    f"epoch {number + 1}: loss {ours.loss} and {ours.hits} hits, "
                    f"where {PYTORCH} has {theirs.loss} and {theirs.hits}"
                )
        return found


def bench_mnist(*, epochs: int, runs: int, threads: int, told: Callable[[str], None] = lambda text: None) -> MnistBench:
    """Look at how idle the machine is, compile the programs, train once for a start, and hold the contest.

    `told` hears what goes on. Raises ReferenceUnavailable without PyTorch, ToolchainError without the data, and
    BendmlError when a program fails.
    """
    told("looking for MNIST")
    data = mnist_folder()
    with tempfile.TemporaryDirectory(prefix="bendml-bench-") as place:
        folder = Path(place)
        weights = write_weights(folder)
        # Before this program itself makes a load that the average of the last minute would tell of.
        noise = idleness().noise
        told("compiling")
        trainings = {PYTORCH: _torch(data, folder, threads)}
        trainings |= {name: _bend(source, folder, data, threads) for name, source in _PROGRAMS.items()}
        plan, few = Plan(epochs), Plan(1, LIST_BATCHES)
        told("training for a start")
        starts = {name: train(few) for name, train in trainings.items()}
        names = list(trainings)
        done: dict[str, list[Run]] = {name: [] for name in names}
        for number, order in enumerate(rounds(len(names), runs)):
            told(f"measuring: {number} of {runs} rounds done")
            for at in order:
                done[names[at]].append(trainings[names[at]](few if names[at] == LISTS else plan))
    contest = Contest(
        name="mnist",
        title=f"an epoch of training 784-128-10 on MNIST, {threads} thread{'s' if threads > 1 else ''}",
        bendml=__version__,
        host=host_facts(),
        noise=noise,
        operations=IMAGES,
        unit="images",
        peer=_side(PYTORCH, done[PYTORCH], epochs),
        sides=[
            _side(ARRAYS, done[ARRAYS], epochs, required=REQUIRED if threads == 1 else None),
            # Its epoch is as long as its few batches say.
            _side(LISTS, done[LISTS], 1, aim=LIST_BATCHES * BATCH / LIST_SECONDS, share=LIST_BATCHES / EPOCH_BATCHES),
        ],
    )
    return MnistBench(contest, done, starts[ARRAYS], weights, threads)


_Train = Callable[[Plan], Run]


def _side(
    name: str,
    runs: Sequence[Run],
    epochs: int,
    *,
    required: float | None = None,
    aim: float | None = None,
    share: float = 1.0,
) -> Side:
    seconds = [run.log.milliseconds / 1000 / share for run in runs]
    return Side(name=name, passes=epochs, seconds=seconds, required=required, aim=aim)


def _torch(data: Path, weights: Path, threads: int) -> _Train:
    def train(plan: Plan) -> Run:
        done = run_torch(plan, data, weights, threads)
        usage = Usage(done.seconds, done.cpu_seconds, done.peak_resident_bytes)
        return Run(done.stdout, _parsed(PYTORCH, done.stdout), usage)

    return train


def _bend(source: str, folder: Path, data: Path, threads: int) -> _Train:
    path = find_project().root / "bend" / "mnist" / source
    if not path.exists():
        raise BendmlError(f"there is no {path}", "run bendml in a checkout of the project that has its programs")
    engine = EmbeddedEngine()
    binary = folder / path.stem
    built = engine.build(path, binary)
    if built.failure is not None:
        raise BendmlError(built.failure)

    def train(plan: Plan) -> Run:
        ran = engine.run_binary(binary, *plan.arguments(data, folder), threads=threads)
        if ran.failure is not None:
            raise BendmlError(f"{source}: {ran.failure}")
        return Run(ran.stdout, _parsed(source, ran.stdout), ran.usage)

    return train


def _parsed(name: str, output: str) -> TrainingLog:
    try:
        return parse_log(output)
    except ValueError as error:
        raise BendmlError(f"{name} printed what cannot be read: {error}") from None
