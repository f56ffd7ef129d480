"""Comparing two trainings of one model, step by step and epoch by epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bendml_cli.reference.training_log import TrainingLog


@dataclass(frozen=True, slots=True)
class Near:
    """How far an epoch's loss and hits may be from the reference's."""

    loss: float
    hits: int


@dataclass(frozen=True, slots=True)
class StepsNear:
    """How far the losses from step number `first` on may be from the reference's, relative to these."""

    first: int
    relative: float


def relative_difference(value: float, expected: float) -> float:
    """How far a value is from the expected one, as a share of this."""
    return 0.0 if value == expected else abs(value - expected) / abs(expected) if expected else float("inf")


def differences(
    log: TrainingLog, reference: TrainingLog, name: str, near: Near, steps: Sequence[StepsNear]
) -> Iterator[str]:
    """What is too far from the reference of this name, one line each. Of the steps, the first of each range."""
    if len(log.epochs) != len(reference.epochs) or len(log.steps) != len(reference.steps):
        yield (
            f"{len(log.epochs)} epochs and {len(log.steps)} steps, "
            f"where {name} has {len(reference.epochs)} and {len(reference.steps)}"
        )
        return
    for number, (ours, theirs) in enumerate(zip(log.epochs, reference.epochs, strict=True), start=1):
        if not abs(ours.loss - theirs.loss) <= near.loss:
            yield f"epoch {number}: the loss is {ours.loss}, more than {near.loss:g} from {name}'s {theirs.loss}"
        if not abs(ours.hits - theirs.hits) <= near.hits:
            yield f"epoch {number}: {ours.hits} hits, more than {near.hits} from {name}'s {theirs.hits}"
    ends = [each.first - 1 for each in steps[1:]] + [len(log.steps)]
    for each, end in zip(steps, ends, strict=True):
        for number in range(each.first, min(end, len(log.steps)) + 1):
            ours_loss, theirs_loss = log.steps[number - 1], reference.steps[number - 1]
            apart = relative_difference(ours_loss, theirs_loss)
            if not apart <= each.relative:
                yield (
                    f"step {number}: the loss is {ours_loss}, {apart:.2g} from {name}'s {theirs_loss}, "
                    f"where {each.relative:g} is allowed"
                )
                break


def summary(log: TrainingLog, reference: TrainingLog, name: str) -> str:
    """How near the trainings are, in a line."""
    losses = [abs(a.loss - b.loss) for a, b in zip(log.epochs, reference.epochs, strict=True)]
    ours, theirs = log.epochs[-1], reference.epochs[-1]
    worst = max(map(relative_difference, log.steps, reference.steps), default=0.0)
    return (
        f"loss {ours.loss}, {name}'s {theirs.loss}; {ours.hits} hits, {name}'s {theirs.hits}; "
        f"losses of epochs at most {max(losses):.2g} apart, of {len(log.steps)} steps {worst:.2g} (relative)"
    )


def step_table(log: TrainingLog, reference: TrainingLog) -> str:
    """The losses of all steps side by side, as comma-separated values."""
    rows = (
        f"{number},{ours!r},{theirs!r},{relative_difference(ours, theirs):.3g}\n"
        for number, (ours, theirs) in enumerate(zip(log.steps, reference.steps, strict=False), start=1)
    )
    return "".join(["step,loss,reference,relative\n", *rows])
