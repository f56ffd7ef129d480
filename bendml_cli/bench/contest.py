"""Timing programs against a peer: all of them in turn, in one session, so that what disturbs one disturbs all."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import BaseModel, ConfigDict

from bendml_cli.errors import BendmlError
from bendml_cli.evidence.models import HostFacts

_MOST_PASSES = 1 << 30
_FIRST_SECONDS = 0.05
"""A first run this long tells well enough how long a pass takes."""

Measure = Callable[[int], float]
"""Makes so many passes after some that warm up, and answers the seconds that they took."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Contestant:
    """One side of a contest. `required` is the least share of the peer's speed that it must reach, `aim` the least
    number of operations a second that it should."""

    name: str
    measure: Measure
    required: float | None = None
    aim: float | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """A contest before it is held: `operations` is the work of one pass, counted in `unit`."""

    name: str
    title: str
    operations: int
    unit: str
    peer: Contestant
    contestants: list[Contestant]


class Side(_Model):
    """What a contestant took: for each run, the seconds of one pass, as the mean of `passes` passes."""

    name: str
    passes: int
    seconds: list[float]
    required: float | None = None
    aim: float | None = None

    @property
    def median(self) -> float:
        return median(self.seconds)


class Contest(_Model):
    """Some sides against a peer. Run number i of each came right after another, so only those are compared.

    `operations` is the work of one pass, counted in `unit`. `noise` says what disturbed the measurement.
    """

    name: str
    title: str
    bendml: str
    host: HostFacts
    noise: list[str]
    operations: int
    unit: str
    peer: Side
    sides: list[Side]

    def ratios(self, side: Side) -> list[float]:
        """The speed of a side as a share of the peer's, run by run."""
        return [theirs / ours for theirs, ours in zip(self.peer.seconds, side.seconds, strict=True)]

    def ratio(self, side: Side) -> float:
        """The median share."""
        return median(self.ratios(side))

    def rate(self, side: Side) -> float:
        """Operations a second, by the median time."""
        return self.operations / side.median

    def reached(self, side: Side) -> bool | None:
        """Is the share that is required reached, or else the rate that is aimed at? None where there is neither."""
        if side.required is not None:
            return self.ratio(side) >= side.required
        if side.aim is not None:
            return self.rate(side) >= side.aim
        return None


def alternate(
    contestants: Sequence[Contestant],
    *,
    runs: int,
    seconds: float,
    told: Callable[[int], None] = lambda done: None,
) -> list[Side]:
    """Run each contestant `runs` times, in turn, each run about `seconds` long, and answer their times.

    `told` hears of each round done.
    """
    passes = [passes_for(contestant.measure, seconds) for contestant in contestants]
    times: list[list[float]] = [[] for _ in contestants]
    for number, order in enumerate(rounds(len(contestants), runs), start=1):
        for at in order:
            times[at].append(contestants[at].measure(passes[at]) / passes[at])
        told(number)
    return [
        Side(name=each.name, passes=count, seconds=time, required=each.required, aim=each.aim)
        for each, count, time in zip(contestants, passes, times, strict=True)
    ]


def measure_calls(call: Callable[[], object]) -> Measure:
    """Times calls of a function in this process."""

    def measure(passes: int) -> float:
        began = time.perf_counter()
        for _ in range(passes):
            call()
        return time.perf_counter() - began

    return measure


def rounds(contestants: int, runs: int) -> Iterator[list[int]]:
    """The orders of so many rounds. Every second one goes backwards: no contestant always comes after the same one."""
    order = list(range(contestants))
    for _ in range(runs):
        yield order.copy()
        order.reverse()


def passes_for(measure: Measure, seconds: float) -> int:
    """How many passes take about so many seconds, and at least one. These runs warm up and are not counted.

    Raises BendmlError when the clock never moves.
    """
    passes = 1
    while passes < _MOST_PASSES:
        took = measure(passes)
        if took >= min(_FIRST_SECONDS, seconds):
            return max(1, math.ceil(passes * seconds / took))
        passes *= 8
    raise BendmlError(f"{_MOST_PASSES} passes take no time", "this benchmark cannot be trusted on this machine")
