"""The kind `train`, with stand-ins for the engine, the data and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bendml_cli.engines.engine import Ran, Usage
from bendml_cli.engines.process import Finished
from bendml_cli.errors import BendmlError, ReferenceUnavailable, SuiteError, ToolchainError
from bendml_cli.project import Project
from bendml_cli.suites.case import Outcome, Session, Status
from bendml_cli.suites.kinds import train
from bendml_cli.suites.schema import select_suites
from tests.fakes import FakeEngine, make_project

HEAD = "title: t\npackage: bend/demo\nchecks:\n"
CHECK = (
    "  - {kind: train, id: t, file: main.bend, batches: 2, loss: 0.001, hits: 2, megabytes: 1, "
    "steps: [{first: 1, relative: 0.0001}, {first: 2, relative: 0.01}]}\n"
)
TORCH = "step 1 loss 2.0\nstep 2 loss 1.0\nepoch 1 loss 1.5 hits 90 ms 3.5\n"
NEAR = "step 1 loss 2.0001\nstep 2 loss 1.009\nepoch 1 loss 1.5005 hits 92 ms 3\n"


@dataclass
class Trainer(FakeEngine):
    """Builds anything; `says` gives what the program of a file's name prints."""

    says: Callable[[str], str] = lambda name: NEAR
    peak: int = 900_000
    arguments: list[tuple[str, ...]] = field(default_factory=list)

    def build(self, path: Path, output: Path) -> Ran:
        return Ran(self.name, 0, "", "", None, Usage(0.5))

    def run_binary(self, binary: Path, *arguments: str, threads: int | None = None, stdin: str = "") -> Ran:
        assert threads == 1
        self.arguments.append(arguments)
        said = self.says(binary.name)
        failure = "the engine failed with status 1" if said.startswith("main:") else None
        out, err = ("", said) if failure else (said, "")
        return Ran(self.name, 1 if failure else 0, out, err, failure, Usage(0.5, 0.25, self.peak))


def finished(stdout: str) -> Finished:
    return Finished(0, stdout, "", 1.0, 1.0, timed_out=False, stopped=False)


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(train, "mnist_folder", lambda: tmp_path / "digits")
    monkeypatch.setattr(train, "require_torch", lambda: None)
    monkeypatch.setattr(train, "write_weights", lambda folder: {"w1.f32": "ab", "w2.f32": "cd"})
    monkeypatch.setattr(train, "run_torch", lambda plan, data, weights: finished(TORCH))


def run(root: Path, check: str, engine: FakeEngine) -> Outcome:
    (suite,) = select_suites(Project(make_project(root, HEAD + check)), [])
    (case,) = suite.cases()
    return case.run(Session((engine,)))


def test_a_training_that_is_near_passes_and_is_kept(tmp_path: Path) -> None:
    engine = Trainer()
    outcome = run(tmp_path, CHECK, engine)
    assert outcome.status is Status.PASSED
    assert outcome.detail.startswith("loss 1.5005, PyTorch's 1.5; 92 hits, PyTorch's 90")
    epochs, batches, rate, data, *_, steps = engine.arguments[0]
    assert (epochs, batches, rate, data, steps) == ("1", "2", "0.1", str(tmp_path / "digits"), "steps")
    assert outcome.keep["embedded/output"] == NEAR
    assert outcome.keep["embedded/reference"] == TORCH
    assert outcome.keep["embedded/weights.sha256"] == "ab  w1.f32\ncd  w2.f32\n"
    assert outcome.keep["embedded/steps.csv"].splitlines()[1] == "1,2.0001,2.0,5e-05"


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        ("1.5005", "1.502", "epoch 1: the loss is 1.502, more than 0.001 from PyTorch's 1.5"),
        ("hits 92", "hits 87", "epoch 1: 87 hits, more than 2 from PyTorch's 90"),
        ("2.0001", "2.001", "step 1: the loss is 2.001, 0.0005 from PyTorch's 2.0, where 0.0001 is allowed"),
        ("1.009", "0.98", "step 2: the loss is 0.98, 0.02 from PyTorch's 1.0, where 0.01 is allowed"),
        ("step 2 loss 1.009\n", "", "1 epochs and 1 steps, where PyTorch has 1 and 2"),
        (NEAR, "main: no file", "ended with status 1, and said: main: no file"),
        (NEAR, "something", "a line is of no step and of no epoch: 'something'"),
    ],
)
def test_a_training_that_is_not_near_fails(tmp_path: Path, old: str, new: str, detail: str) -> None:
    outcome = run(tmp_path, CHECK, Trainer(says=lambda name: NEAR.replace(old, new)))
    assert (outcome.status, outcome.detail) == (Status.FAILED, detail)
    assert "embedded/output" in outcome.keep


def test_a_training_that_takes_too_much_memory_fails(tmp_path: Path) -> None:
    outcome = run(tmp_path, CHECK, Trainer(peak=2_000_000))
    assert (outcome.status, outcome.detail) == (Status.FAILED, "2 MB of memory, where 1 are allowed")


def test_what_is_known_holds_for_both_sides(tmp_path: Path) -> None:
    check = CHECK.replace("batches: 2", "known: {loss: 1.6, within: 0.09, hits: 92}")
    outcome = run(tmp_path, check, Trainer())
    assert outcome.status is Status.FAILED
    assert outcome.detail == (
        "main.bend: the loss is 1.5005, more than 0.09 from the known 1.6; "
        "PyTorch: the loss is 1.5, more than 0.09 from the known 1.6; PyTorch: 90 hits, where 92 are known"
    )


def test_two_programs_are_compared_to_the_bit(tmp_path: Path) -> None:
    (make_project(tmp_path) / "bend/demo/other.bend").write_text("")
    check = "  - {kind: train, id: t, file: main.bend, same_as: other.bend}\n"
    assert run(tmp_path, check, Trainer()).status is Status.PASSED
    outcome = run(tmp_path, check, Trainer(says=lambda name: NEAR if name == "main" else TORCH))
    assert outcome.status is Status.FAILED
    assert "more than 0 from other.bend's 1.5" in outcome.detail
    outcome = run(tmp_path, check, Trainer(says=lambda name: NEAR if name == "main" else "main: no"))
    assert (outcome.status, outcome.detail) == (
        Status.ERROR,
        "other.bend: ended with status 1, and said: main: no",
    )


def test_without_pytorch_or_data_it_is_skipped_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise ToolchainError("mnist-train-images cannot be had: no network", "put it there")

    with monkeypatch.context() as patch:
        patch.setattr(train, "mnist_folder", missing)
        outcome = run(tmp_path, CHECK, Trainer())
    assert (outcome.status, outcome.detail) == (
        Status.SKIPPED,
        "mnist-train-images cannot be had: no network: put it there",
    )

    def absent() -> None:
        raise ReferenceUnavailable("PyTorch is not installed", "install it")

    monkeypatch.setattr(train, "require_torch", absent)
    outcome = run(tmp_path, CHECK, Trainer())
    assert (outcome.status, outcome.detail) == (Status.SKIPPED, "PyTorch is not installed: install it")


def test_pytorch_failing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> Finished:
        raise BendmlError("training with PyTorch failed: no answer")

    monkeypatch.setattr(train, "run_torch", fails)
    outcome = run(tmp_path, CHECK, Trainer())
    assert (outcome.status, outcome.detail) == (Status.ERROR, "training with PyTorch failed: no answer")


def test_a_crash_of_pytorch_is_not_read_as_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(finished("oh"), code=0)
    monkeypatch.setattr(train, "run_torch", lambda plan, data, weights: broken)
    outcome = run(tmp_path, CHECK, Trainer())
    assert (outcome.status, outcome.detail) == (
        Status.ERROR,
        "PyTorch: a line is of no step and of no epoch: 'oh'",
    )


@pytest.mark.parametrize("steps", ["[{first: 2, relative: 1}]", "[{first: 1, relative: 1}, {first: 1, relative: 1}]"])
def test_ranges_of_steps_must_be_in_order(tmp_path: Path, steps: str) -> None:
    check = f"  - {{kind: train, id: t, file: main.bend, steps: {steps}}}\n"
    with pytest.raises(SuiteError, match="must begin with step 1"):
        run(tmp_path, check, Trainer())
