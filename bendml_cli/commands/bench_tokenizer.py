"""`bendml bench tokenizer`: time the tokenizer's back ends against BPE as defined and against tiktoken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bench.pyperf_file import pyperf, pyperf_json
from bendml_cli.bench.tokenizer import bench_tokenizer as measure
from bendml_cli.console import standard_output
from bendml_cli.console_bench import progress
from bendml_cli.console_tokenizer import print_tokenizer_bench
from bendml_cli.errors import OutputError


@dataclass(frozen=True, slots=True)
class BenchTokenizerOptions:
    """The arguments of this command. `output` is a JSON file to write, or None; a run lasts about `seconds`."""

    runs: int
    seconds: float
    output: Path | None
    json: bool


def bench_tokenizer(options: BenchTokenizerOptions) -> int:
    """Measure, print tables or pyperf's JSON, and write the latter where asked. Answers 0.

    Raises BendmlError when tiktoken, GPT-2's files or the native core is not there, tokens differ, or the
    tokenizer in Bend cannot be made.
    """
    if options.output is not None and options.output.exists():
        raise OutputError(f"{options.output} exists", "name another file")
    if options.output is not None or options.json:
        pyperf()  # Missed before the measuring, and not after it.
    with progress(quiet=options.json) as told:
        bench = measure(runs=options.runs, seconds=options.seconds, told=told)
    if not options.json:
        print_tokenizer_bench(standard_output(), bench)
    if options.json or options.output is not None:
        text = pyperf_json(bench.against_naive, bench.against_tiktoken, bench.of_bend)
        if options.json:
            print(text, end="")
        if options.output is not None:
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(text, encoding="utf-8")
    return 0
