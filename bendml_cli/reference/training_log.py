"""What a training program prints, whoever made it: the loss of each step if asked for, and a line for each epoch.

step 1 loss 2.2943366
epoch 1 loss 0.52047694 hits 9129 ms 371
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_STEP = re.compile(rf"step (\d+) loss {_NUMBER}")
_EPOCH = re.compile(rf"epoch (\d+) loss {_NUMBER} hits (\d+) ms (\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Epoch:
    """The mean of the losses of an epoch's batches, each before its own update; the hits on the test set afterwards;
    and how long the training took, in milliseconds, without the test."""

    loss: float
    hits: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class TrainingLog:
    """The losses of all steps, where they were asked for, and the epochs."""

    steps: list[float]
    epochs: list[Epoch]

    @property
    def milliseconds(self) -> float:
        """How long an epoch took, on the average."""
        return sum(epoch.milliseconds for epoch in self.epochs) / len(self.epochs)


def parse_log(text: str) -> TrainingLog:
    """Read what a program printed.

    Raises ValueError for a line of another form, numbers out of order, a loss that is not finite, or no epoch.
    """
    steps: list[float] = []
    epochs: list[Epoch] = []
    for line in text.splitlines():
        if match := _STEP.fullmatch(line):
            steps.append(_finite(match[2], line))
            number, expected = int(match[1]), len(steps)
        elif match := _EPOCH.fullmatch(line):
            epochs.append(Epoch(_finite(match[2], line), int(match[3]), float(match[4])))
            number, expected = int(match[1]), len(epochs)
        else:
            raise ValueError(f"a line is of no step and of no epoch: {line!r}")
        if number != expected:
            raise ValueError(f"number {expected} was to come, and not: {line!r}")
    if not epochs:
        raise ValueError("there is no epoch")
    return TrainingLog(steps, epochs)


def _finite(text: str, line: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the loss is not finite: {line!r}")
    return value
