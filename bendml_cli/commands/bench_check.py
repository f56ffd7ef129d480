"""`bendml bench check`: time the embedded checker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bench.check import measure_packages
from bendml_cli.console import print_check_bench, standard_output
from bendml_cli.errors import OutputError
from bendml_cli.project import find_project, select_packages


@dataclass(frozen=True, slots=True)
class BenchCheckOptions:
    """The arguments of `bendml bench check`. `output` is a JSON file to write, or None."""

    packages: list[str]
    runs: int
    output: Path | None
    json: bool


def bench_check(options: BenchCheckOptions) -> int:
    """Measure, print a table or JSON, and write JSON where asked. Answers 0. Raises BendmlError."""
    if options.output is not None and options.output.exists():
        raise OutputError(f"{options.output} exists", "name another file")
    packages = select_packages(find_project(), options.packages)
    bench = measure_packages(packages, runs=options.runs)
    if options.json:
        print(bench.model_dump_json())
    else:
        print_check_bench(standard_output(), bench)
    if options.output is not None:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(bench.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return 0
