"""Running PyTorch's training of MNIST in a process of its own, as the Bend programs run in theirs."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.engines.process import Finished, ProcessGroup
from bendml_cli.errors import BendmlError, ReferenceUnavailable

_LIMIT = 3600.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is trained: so many epochs of so many batches, 0 for all, at a rate. `steps`: is the loss of each wanted?"""

    epochs: int
    batches: int = 0
    rate: float = 0.1
    steps: bool = False

    def arguments(self, data: Path, weights: Path) -> list[str]:
        """The arguments of a program in bend/mnist, for folders of data and of initial weights."""
        steps = ["steps"] if self.steps else []
        return [str(self.epochs), str(self.batches), repr(self.rate), str(data), str(weights), *steps]


def require_torch() -> None:
    """Raises ReferenceUnavailable where PyTorch or NumPy is not installed. Neither is loaded."""
    for module, name in (("torch", "PyTorch"), ("numpy", "NumPy")):
        if importlib.util.find_spec(module) is None:
            raise ReferenceUnavailable(f"{name} is not installed", "pip install 'bendml[reference]' installs it")


def run_torch(plan: Plan, data: Path, weights: Path, threads: int = 1) -> Finished:
    """Train with PyTorch on so many threads, and answer what it printed and what it cost.

    Raises ReferenceUnavailable where PyTorch is not installed, and BendmlError when it fails.
    """
    require_torch()
    module = "bendml_cli.reference.mnist"
    # -P: a file in the current folder must not stand in for a library.
    command = [sys.executable, "-P", "-m", module, *plan.arguments(data, weights)]
    done = ProcessGroup().run([*command, "--threads", str(threads)], _LIMIT, watched=True)
    failure = done.failure(_LIMIT)
    if failure is not None:
        raise BendmlError(f"training with PyTorch failed: {failure}")
    return done
