"""`bendml bench matmul`, `matvec`, `lists` and `alloc`: time native code against a peer."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bench.native import run_contest
from bendml_cli.bench.pyperf_file import pyperf, pyperf_json
from bendml_cli.console import standard_output
from bendml_cli.console_bench import print_contest, progress
from bendml_cli.errors import OutputError


@dataclass(frozen=True, slots=True)
class BenchNativeOptions:
    """The arguments of these commands. `output` is a JSON file to write, or None; a run lasts about `seconds`."""

    runs: int
    seconds: float
    output: Path | None
    json: bool


def bench_native(name: str, options: BenchNativeOptions) -> int:
    """Hold the contest of this name, print a table or pyperf's JSON, and write the latter where asked. Answers 0.

    Raises BendmlError when a program or its peer is not there, fails, or answers what is wrong.
    """
    if options.output is not None and options.output.exists():
        raise OutputError(f"{options.output} exists", "name another file")
    if options.output is not None or options.json:
        pyperf()  # Missed before the measuring, and not after it.
    module = importlib.import_module(f"bendml_cli.bench.{name}")
    with progress(quiet=options.json) as told:
        contest = run_contest(module.prepare, runs=options.runs, seconds=options.seconds, told=told)
    if not options.json:
        print_contest(standard_output(), contest)
    if options.json or options.output is not None:
        text = pyperf_json(contest)
        if options.json:
            print(text, end="")
        if options.output is not None:
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(text, encoding="utf-8")
    return 0
