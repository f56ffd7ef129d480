"""What the benchmarks that write pyperf's format have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from bendml_cli.bench.contest import Contest
from bendml_cli.bench.pyperf_file import pyperf, pyperf_json
from bendml_cli.console import standard_output
from bendml_cli.console_bench import progress
from bendml_cli.errors import OutputError

Measured = TypeVar("Measured")


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """The arguments of these commands. `output` is a JSON file to write, or None; a run lasts about `seconds`."""

    runs: int
    seconds: float
    output: Path | None
    json: bool


def bench(
    options: BenchOptions,
    measure: Callable[[Callable[[str], None]], Measured],
    show: Callable[[Console, Measured], None],
    contests: Callable[[Measured], Sequence[Contest]],
) -> int:
    """Measure, which is told what goes on by what it is given; print tables or pyperf's JSON of the contests, and write
    the latter where asked. Answers 0. Raises OutputError, and what `measure` raises."""
    if options.output is not None and options.output.exists():
        raise OutputError(f"{options.output} exists", "name another file")
    if options.output is not None or options.json:
        pyperf()  # Missed before the measuring, and not after it.
    with progress(quiet=options.json) as told:
        measured = measure(told)
    if not options.json:
        show(standard_output(), measured)
    if options.json or options.output is not None:
        text = pyperf_json(*contests(measured))
        if options.json:
            print(text, end="")
        if options.output is not None:
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(text, encoding="utf-8")
    return 0
