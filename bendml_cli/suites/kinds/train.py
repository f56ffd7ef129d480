"""`train`: a program trains a network on MNIST, and so does PyTorch, or another program, from the same weights."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bendml_cli.engines.engine import Ran
from bendml_cli.errors import BendmlError, ReferenceUnavailable, ToolchainError
from bendml_cli.reference.mnist_data import write_weights
from bendml_cli.reference.mnist_process import Plan, require_torch, run_torch
from bendml_cli.reference.training_log import TrainingLog, parse_log
from bendml_cli.suites.case import Outcome, Place, Session, Status
from bendml_cli.suites.kinds.base import Check, InnerPath
from bendml_cli.suites.programs import Found, Program, with_program
from bendml_cli.suites.training import Near, StepsNear, differences, step_table, summary
from bendml_cli.toolchain.data import mnist_folder

_PYTORCH = "PyTorch"
_MEGABYTE = 1_000_000


class Known(BaseModel):
    """What the last epoch must come to, on both sides: a loss, no farther off than `within`, and these hits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    loss: float
    within: float = Field(ge=0)
    hits: int


class StepsField(BaseModel):
    """From step number `first` on, a loss may be off by `relative` times the reference's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: int = Field(ge=1)
    relative: float = Field(ge=0)


class TrainCheck(Check):
    """The mean losses of the epochs may be `loss` from the reference's, the hits `hits`; the losses of the steps are
    compared as `steps` says.

    The reference is PyTorch, or, with `same_as`, another program of the package. The program runs on one thread, with
    at most `megabytes` of memory resident.
    """

    kind: Literal["train"]
    file: InnerPath
    same_as: InnerPath | None = None
    epochs: int = Field(default=1, ge=1)
    batches: int = Field(default=0, ge=0)
    rate: float = Field(default=0.1, gt=0)
    loss: float = Field(default=0.0, ge=0)
    hits: int = Field(default=0, ge=0)
    steps: tuple[StepsField, ...] = (StepsField(first=1, relative=0.0),)
    known: Known | None = None
    megabytes: float | None = Field(default=None, gt=0)

    def files(self) -> Iterator[tuple[str, str]]:
        yield from super().files()
        if self.same_as is not None:
            yield "same_as", self.same_as

    def problems(self, place: Place) -> Iterator[tuple[tuple[str | int, ...], str]]:
        yield from super().problems(place)
        firsts = [each.first for each in self.steps]
        if firsts[:1] != [1] or firsts != sorted(set(firsts)):
            yield ("steps",), "must begin with step 1 and go upwards"

    def run(self, place: Place, session: Session) -> Outcome:
        plan = Plan(self.epochs, self.batches, self.rate, steps=True)
        try:
            if self.same_as is None:
                require_torch()
            data = mnist_folder()
            with tempfile.TemporaryDirectory(prefix="bendml-weights-") as folder:
                weights = Path(folder)
                digests = write_weights(weights)
                keep = {"weights.sha256": "".join(f"{sha}  {name}\n" for name, sha in sorted(digests.items()))}
                arguments = plan.arguments(data, weights)
                if self.same_as is not None:
                    return self._next_to(self.same_as, place, session, arguments, keep)
                done = run_torch(plan, data, weights)
                return self._next_to_torch(place, session, arguments, keep | {"reference": done.stdout})
        except (ReferenceUnavailable, ToolchainError) as error:
            return Outcome(Status.SKIPPED, f"{error.message}: {error.way_out}" if error.way_out else error.message)
        except BendmlError as error:
            return Outcome(Status.ERROR, error.message)

    def _next_to_torch(self, place: Place, session: Session, arguments: list[str], keep: dict[str, str]) -> Outcome:
        try:
            reference = parse_log(keep["reference"])
        except ValueError as error:
            return Outcome(Status.ERROR, f"{_PYTORCH}: {error}", keep=keep)

        def look(program: Program) -> Found:
            return self._compared(program.run(*arguments, threads=1), reference, _PYTORCH, keep)

        return with_program(session, place.root, place.path(self.file), look)

    def _next_to(
        self, name: str, place: Place, session: Session, arguments: list[str], keep: dict[str, str]
    ) -> Outcome:
        def look(program: Program) -> Found:
            built = session.builds.build(program.engine, place.root / place.path(name))
            if built.ran.failure is not None:
                return Found(Status.ERROR, f"{name} cannot be built: {built.ran.failure}")
            ran = program.engine.run_binary(built.binary, *arguments, threads=1)
            try:
                reference = _log(ran)
            except ValueError as error:
                return Found(Status.ERROR, f"{name}: {error}", {"reference": ran.stdout, "errors": ran.stderr})
            return self._compared(program.run(*arguments, threads=1), reference, name, keep | {"reference": ran.stdout})

        return with_program(session, place.root, place.path(self.file), look)

    def _compared(self, ran: Ran, reference: TrainingLog, name: str, keep: dict[str, str]) -> Found:
        keep = keep | {"output": ran.stdout, "errors": ran.stderr}
        try:
            log = _log(ran)
        except ValueError as error:
            return Found(Status.FAILED, str(error), keep)
        keep["steps.csv"] = step_table(log, reference)
        steps = [StepsNear(each.first, each.relative) for each in self.steps]
        problems = list(differences(log, reference, name, Near(self.loss, self.hits), steps))
        problems += [*self._not_as_known(log, self.file), *self._not_as_known(reference, name)]
        peak = ran.usage.peak_resident_bytes
        if self.megabytes is not None and peak is not None and peak > self.megabytes * _MEGABYTE:
            problems.append(f"{peak / _MEGABYTE:.0f} MB of memory, where {self.megabytes:g} are allowed")
        if problems:
            return Found(Status.FAILED, "; ".join(problems), keep)
        return Found(Status.PASSED, summary(log, reference, name), keep)

    def _not_as_known(self, log: TrainingLog, name: str) -> Iterator[str]:
        known, last = self.known, log.epochs[-1]
        if known is None:
            return
        if not abs(last.loss - known.loss) <= known.within:
            yield f"{name}: the loss is {last.loss}, more than {known.within:g} from the known {known.loss}"
        if last.hits != known.hits:
            yield f"{name}: {last.hits} hits, where {known.hits} are known"


def _log(ran: Ran) -> TrainingLog:
    """What a program printed. Raises ValueError when it failed, or printed something else."""
    if ran.code != 0:
        said = (ran.stderr.strip() or ran.failure or "nothing").splitlines()[-1]
        raise ValueError(f"ended with status {ran.code}, and said: {said}")
    return parse_log(ran.stdout)
