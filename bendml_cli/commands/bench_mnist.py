"""`bendml bench mnist`: train in Bend and in PyTorch, compare, and leave sealed evidence."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bendml_cli import __version__
from bendml_cli.bench.chart import chart, matplotlib
from bendml_cli.bench.mnist import MnistBench
from bendml_cli.bench.mnist import bench_mnist as measure
from bendml_cli.bench.mnist_evidence import SUITE, results
from bendml_cli.bench.pyperf_file import pyperf, pyperf_json
from bendml_cli.commands.termination import termination_as_interrupt
from bendml_cli.console import print_sealed, standard_output
from bendml_cli.console_bench import print_contest, print_trainings, progress
from bendml_cli.engines.embedded import NAME as EMBEDDED
from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.errors import OutputError
from bendml_cli.evidence.attestation import subjects
from bendml_cli.evidence.facts import engine_facts, git_facts, host_facts
from bendml_cli.evidence.models import Manifest, Subject
from bendml_cli.evidence.record import Recorder
from bendml_cli.project import Project, find_project
from bendml_cli.suites.case import Status

_PACKAGES = ("mnist", "tensor", "tensor-array")


@dataclass(frozen=True, slots=True)
class BenchMnistOptions:
    """The arguments of this command. `output` is the evidence folder to make, or None."""

    epochs: int
    runs: int
    threads: int
    output: Path | None
    json: bool


def bench_mnist(options: BenchMnistOptions) -> int:
    """Hold the contest, print it, and seal the evidence with its chart and pyperf's JSON.

    Answers 1 when losses or hits disagree, or what is required is missed, else 0. Raises BendmlError when PyTorch, the
    data or a program is not there or fails.
    """
    pyperf(), matplotlib()  # Missed before the measuring, and not after it.
    project = find_project()
    output = options.output or Path("evidence") / f"mnist-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    recorder = Recorder(output, _manifest(project), _subjects(project))
    try:
        with termination_as_interrupt(), progress(quiet=options.json) as told:
            bench = measure(epochs=options.epochs, runs=options.runs, threads=options.threads, told=told)
        manifest = _sealed(recorder, bench)
    except OutputError:
        raise
    except BaseException:
        with suppress(OSError):
            recorder.abandon()
        print(f"stopped: what was done is in {recorder.partial}", file=sys.stderr)
        raise
    if options.json:
        print(pyperf_json(bench.contest), end="")
    else:
        console = standard_output()
        print_contest(console, bench.contest, agree=not bench.disagreements())
        print_trainings(console, bench)
    for record in recorder.records:
        if record.status is not Status.PASSED:
            line = f"{record.status.value}: {record.id}: {record.detail}"
            print(line, file=sys.stderr if options.json else sys.stdout)
    if not options.json:
        print_sealed(console, output)
    return 0 if manifest.verdict == "passed" else 1


def _sealed(recorder: Recorder, bench: MnistBench) -> Manifest:
    for result in results(bench):
        recorder.add(result)
    recorder.attach("pyperf.json", pyperf_json(bench.contest).encode())
    for name, data in chart(bench.contest, "seconds for an epoch").items():
        recorder.attach(name, data)
    return recorder.seal()


def _subjects(project: Project) -> list[Subject]:
    files = {path for name in _PACKAGES for path in (project.root / "bend" / name).glob("*.bend")}
    return subjects(project.root, files)


def _manifest(project: Project) -> Manifest:
    return Manifest(
        # Without the path of this installation; bytes that are no text are escaped.
        command=["bendml", *(os.fsencode(each).decode(errors="backslashreplace") for each in sys.argv[1:])],
        bendml=__version__,
        git=git_facts(project.root),
        suites=[SUITE],
        engine_choice=EMBEDDED,
        engines=[engine_facts(EmbeddedEngine())],
        without_bend=None,
        host=host_facts(),
        started=datetime.now(UTC),
        verdict="running",
    )
