"""`bendml bench matmul`, `matvec`, `lists` and `alloc`: time native code against a peer."""

from __future__ import annotations

import importlib

from bendml_cli.bench.native import run_contest
from bendml_cli.commands.bench_options import BenchOptions, bench
from bendml_cli.console_bench import print_contest


def bench_native(name: str, options: BenchOptions) -> int:
    """Hold the contest of this name, print and write it. Answers 0.

    Raises BendmlError when a program or its peer is not there, fails, or answers what is wrong.
    """
    prepare = importlib.import_module(f"bendml_cli.bench.{name}").prepare
    return bench(
        options,
        lambda told: run_contest(prepare, runs=options.runs, seconds=options.seconds, told=told),
        print_contest,
        lambda contest: [contest],
    )
