"""Running a benchmark of native code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bendml_cli import __version__
from bendml_cli.bench.contest import Contest, Setup, alternate
from bendml_cli.evidence.facts import host_facts
from bendml_cli.machine import idleness


def run_contest(
    prepare: Callable[[Path], Setup], *, runs: int, seconds: float, told: Callable[[str], None] = lambda text: None
) -> Contest:
    """Prepare a contest in a passing folder, look at how idle the machine is, and hold it. `told` hears what goes on.

    Raises BendmlError when a program or the peer is not there, fails, or answers what is wrong.
    """
    told("compiling, and checking the results")
    with TemporaryDirectory(prefix="bendml-bench-") as folder:
        setup = prepare(Path(folder))
        noise = idleness().noise
        told("measuring")
        peer, *sides = alternate(
            [setup.peer, *setup.contestants],
            runs=runs,
            seconds=seconds,
            told=lambda done: told(f"measuring: {done} of {runs} rounds done"),
        )
    return Contest(
        name=setup.name,
        title=setup.title,
        bendml=__version__,
        host=host_facts(),
        noise=noise,
        operations=setup.operations,
        unit=setup.unit,
        peer=peer,
        sides=sides,
    )
