"""`bendml bench tokenizer`: time the tokenizer's back ends against BPE as defined and against tiktoken."""

from __future__ import annotations

from bendml_cli.bench.tokenizer import bench_tokenizer as measure
from bendml_cli.commands.bench_options import BenchOptions, bench
from bendml_cli.console_tokenizer import print_tokenizer_bench


def bench_tokenizer(options: BenchOptions) -> int:
    """Measure, print tables or pyperf's JSON, and write the latter where asked. Answers 0.

    Raises BendmlError when tiktoken, GPT-2's files or the native core is not there, tokens differ, or the
    tokenizer in Bend cannot be made.
    """
    return bench(
        options,
        lambda told: measure(runs=options.runs, seconds=options.seconds, told=told),
        print_tokenizer_bench,
        lambda measured: [measured.against_naive, measured.against_tiktoken, measured.of_bend],
    )
