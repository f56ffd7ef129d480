"""`bendml check`: run suites, and leave sealed evidence."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bendml_cli import __version__
from bendml_cli.commands.termination import termination_as_interrupt
from bendml_cli.console import live_progress, print_sealed, print_summary, standard_output
from bendml_cli.engines.choice import EngineChoice
from bendml_cli.engines.choose import Engines, choose_engines
from bendml_cli.errors import OutputError
from bendml_cli.evidence.attestation import subjects
from bendml_cli.evidence.facts import engine_facts, git_facts, host_facts
from bendml_cli.evidence.models import Manifest, ResultRecord
from bendml_cli.evidence.record import Recorder
from bendml_cli.project import Project, find_project
from bendml_cli.suites.case import Case, Session
from bendml_cli.suites.runner import run_cases
from bendml_cli.suites.schema import Suite, select_suites


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The arguments of `bendml check`."""

    suites: list[str]
    output: Path
    engine: EngineChoice
    require_bend: bool
    jobs: int
    fail_fast: bool
    json: bool


class _Quiet:
    """Shows nothing but, as JSON, each result."""

    def started(self, case: Case) -> None:
        pass

    def finished(self, record: ResultRecord) -> None:
        print(record.model_dump_json(), flush=True)


def check(options: CheckOptions) -> int:
    """Run the suites. Answers 0 when every check passed or was skipped with a reason, else 1.

    Raises BendmlError for what the user can put right, and KeyboardInterrupt when stopped; the partial evidence is
    then left as it is.
    """
    project = find_project()
    suites = select_suites(project, options.suites)
    # A cache that only this run sees: Base is read once, and no verdict comes from an earlier run.
    with tempfile.TemporaryDirectory(prefix="bendml-run-", ignore_cleanup_errors=True) as cache:
        engines = choose_engines(options.engine, cache=Path(cache))
        return run_suites(project, suites, engines, options)


def run_suites(project: Project, suites: Sequence[Suite], engines: Engines, options: CheckOptions) -> int:
    """Run chosen suites on chosen engines, record and seal; answers and raises as `check` does."""
    cases = [case for suite in suites for case in suite.cases()]
    folders = {project.root / suite.place.package for suite in suites}
    sources = {path for folder in folders for path in folder.rglob("*.bend") if path.is_file()}
    session = Session(engines.chosen, options.require_bend, engines.without_bend)
    recorder = Recorder(options.output, _manifest(project, suites, engines, options), subjects(project.root, sources))
    console = standard_output()
    show = nullcontext(_Quiet()) if options.json else live_progress(console, len(cases))
    try:
        with termination_as_interrupt(), show as progress:
            results = run_cases(
                cases, session, jobs=options.jobs, fail_fast=options.fail_fast, started=progress.started
            )
            with closing(results):
                for result in results:
                    progress.finished(recorder.add(result))
        manifest = recorder.seal()
    except OutputError:
        raise
    except BaseException:
        # On a full disk the folder cannot even be marked; it is not sealed, and that is mark enough.
        with suppress(OSError):
            recorder.abandon()
        print(f"stopped: what was done is in {recorder.partial}", file=sys.stderr)
        raise
    if options.json:
        summary = {"output": str(options.output), "verdict": manifest.verdict, **manifest.counts.model_dump()}
        print(json.dumps(summary), flush=True)
    else:
        print_summary(console, suites, recorder.records, manifest)
        print_sealed(console, options.output)
    return 0 if manifest.verdict == "passed" else 1


def _manifest(project: Project, suites: Sequence[Suite], engines: Engines, options: CheckOptions) -> Manifest:
    return Manifest(
        # Without the path of this installation, which is no one else's business; bytes that are no text are escaped.
        command=["bendml", *(os.fsencode(each).decode(errors="backslashreplace") for each in sys.argv[1:])],
        bendml=__version__,
        git=git_facts(project.root),
        suites=[suite.name for suite in suites],
        engine_choice=options.engine.value,
        engines=[engine_facts(engine) for engine in engines.chosen],
        without_bend=engines.without_bend,
        with_bend=engines.with_bend,
        host=host_facts(),
        started=datetime.now(UTC),
        verdict="running",
    )
