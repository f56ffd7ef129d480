"""Everything that is printed for people: results, tables, progress, diagnostics, errors."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from bendml_cli.diagnostics import printable, report_lines
from bendml_cli.evidence.results import count
from bendml_cli.suites.case import Case, Status

# What is only named in types is not loaded: a command pays for what it prints.
if TYPE_CHECKING:
    from bendml_cli.bench.check import CheckBench
    from bendml_cli.bend2.report import Report
    from bendml_cli.evidence.models import Manifest, ResultRecord
    from bendml_cli.evidence.verify import Verification
    from bendml_cli.laws.audit import LawAudit, PackageAudit
    from bendml_cli.suites.schema import Suite

_THEME = Theme(
    {
        "good": "bold green",
        "bad": "bold red",
        "place": "cyan",
        "source": "default",
        "caret": "bold yellow",
        "label": "bold",
        "plain": "default",
        "hint": "italic yellow",
        "passed": "green",
        "failed": "bold red",
        "error": "bold magenta",
        "skipped": "yellow",
        "faint": "dim",
    },
    inherit=True,
)


def standard_output() -> Console:
    """The console for results. Lines are never cut or wrapped when they go to a file or a pipe."""
    # Texts are printed as they are: a folder may be called `[red]`.
    plain = partial(Console, theme=_THEME, highlight=False, markup=False, emoji=False)
    console = plain()
    return console if console.is_terminal else plain(width=200, soft_wrap=True)


def print_report(console: Console, report: Report) -> None:
    """The verdict on a file and, when it is refused, why."""
    for line in report_lines(report):
        console.print(Text.assemble(*((text, style) for style, text in line)), soft_wrap=True)


class Progressing(Protocol):
    """How a run shows itself while it goes."""

    def started(self, case: Case) -> None:
        """A case has begun."""

    def finished(self, record: ResultRecord) -> None:
        """A case has its result."""


class _Live:
    def __init__(self, console: Console, progress: Progress, total: int) -> None:
        self._console = console
        self._progress = progress
        self._task = progress.add_task("", total=total)
        self._running: list[str] = []

    def started(self, case: Case) -> None:
        self._running.append(f"{case.suite}/{case.id}")
        self._show()

    def finished(self, record: ResultRecord) -> None:
        name = f"{record.suite}/{record.id}"
        if name in self._running:
            self._running.remove(name)
        self._console.print(_result_line(record), soft_wrap=not self._console.is_terminal)
        self._progress.advance(self._task)
        self._show()

    def _show(self) -> None:
        self._progress.update(self._task, description=", ".join(self._running))


@contextmanager
def live_progress(console: Console, total: int) -> Iterator[Progressing]:
    """One line for each finished case and, on a terminal, a bar with what is running."""
    progress = Progress(
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.description}", style="faint"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress:
        yield _Live(console, progress, total)


def _result_line(record: ResultRecord) -> Text:
    line = Text()
    line.append(f"{record.status.value:<8}", style=record.status.value)
    line.append(f"{record.suite}/{record.id}", style="label")
    line.append(f"  {printable(record.detail)}")
    if record.status is not Status.SKIPPED:
        cost = [f"{record.seconds:.2f} s"]
        if record.peak_resident_bytes is not None:
            cost.append(f"{record.peak_resident_bytes / 1e6:.0f} MB")
        line.append(f"  [{record.engine or 'no engine'}, {', '.join(cost)}]", style="faint")
    return line


def print_summary(
    console: Console, suites: Sequence[Suite], records: Sequence[ResultRecord], manifest: Manifest
) -> None:
    """The table of suites, what did not pass, and the verdict with the engine that gave it."""
    titles = {suite.name: suite.title for suite in suites}
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("suite", "about"):
        table.add_column(heading)
    for status in Status:
        table.add_column(status.value, justify="right")
    table.add_column("seconds", justify="right")
    for name, group in groupby(sorted(records, key=lambda r: r.suite), key=lambda r: r.suite):
        members = list(group)
        counts = count(members)
        cells = [_number(getattr(counts, status.value), status) for status in Status]
        table.add_row(name, titles[name], *cells, f"{sum(r.seconds for r in members):.1f}")
    console.print()
    console.print(table)
    bad = [r for r in records if r.status in (Status.FAILED, Status.ERROR)]
    if bad:
        console.print()
        for record in bad:
            console.print(_result_line(record), soft_wrap=True)
    engines = ", ".join(f"{engine.name} {engine.version}" for engine in manifest.engines)
    console.print()
    console.print(
        Text.assemble(
            (manifest.verdict.upper(), "good" if manifest.verdict == "passed" else "bad"),
            f"  {count(records).passed} of {len(records)} checks passed in {manifest.seconds or 0:.1f} s",
            f"; verdicts by the engine: {engines}",
        ),
        soft_wrap=True,
    )
    if manifest.without_bend is not None:
        console.print(
            Text(f"None of them is Bend's own verdict: {manifest.without_bend}.", style="faint"), soft_wrap=True
        )
    if manifest.with_bend is not None:
        console.print(Text(f"The Bend that judged is {manifest.with_bend}.", style="faint"), soft_wrap=True)


def _number(value: int, status: Status) -> Text:
    return Text(str(value), style=status.value if value else "faint")


def print_sealed(console: Console, folder: Path) -> None:
    """Where the evidence is, and how to verify it."""
    console.print(f"evidence sealed in {folder} (bendml verify {shlex.quote(str(folder))})", soft_wrap=True)


def print_suites(console: Console, suites: Iterable[Suite]) -> None:
    """Every suite with its cases."""
    for at, suite in enumerate(suites):
        if at:
            console.print()
        console.print(Text.assemble((suite.name, "label"), f"  {suite.title} ({suite.place.package.as_posix()})"))
        cases = suite.cases()
        width = max(len(case.id) for case in cases)
        for case in cases:
            console.print(Text.assemble(f"  {suite.name}/{case.id:<{width}}  ", (case.kind, "faint")))


def print_verification(console: Console, folder: Path, verification: Verification) -> None:
    """What `bendml verify` found."""
    for difference in verification.differences:
        console.print(
            Text.assemble((printable(difference.file), "place"), f": {printable(difference.what)}"), soft_wrap=True
        )
    manifest = verification.manifest
    if not verification.intact or manifest is None:
        number = len(verification.differences)
        changed = Text.assemble(("CHANGED", "bad"), f"  {folder}: {number} difference{'s' * (number != 1)}")
        console.print(changed, soft_wrap=True)
        return
    intact = Text.assemble(("INTACT", "good"), f"  {folder}: {verification.files} files as they were sealed")
    console.print(intact, soft_wrap=True)
    counts = manifest.counts
    engines = ", ".join(f"{engine.name} {engine.version}" for engine in manifest.engines)
    console.print(
        f"run of {manifest.started:%Y-%m-%d %H:%M:%S %Z}: {manifest.verdict}"
        f" ({counts.passed} passed, {counts.failed} failed, {counts.error} errors, {counts.skipped} skipped)"
        f"; verdicts by the engine: {engines}",
        soft_wrap=True,
    )
    console.print(f"seal: SHA-256 of SHA256SUMS is {verification.seal}", soft_wrap=True)


def print_check_bench(console: Console, bench: CheckBench) -> None:
    """The table of `bendml bench check`: the best of the runs."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("package")
    for heading in ("definitions", "cold s", "defs/s", "edited s", "defs/s", "unchanged s"):
        table.add_column(heading, justify="right")
    for timing in bench.packages:
        table.add_row(
            timing.package,
            f"{timing.definitions} + {timing.base_definitions} of Base",
            f"{timing.cold.best:.2f}",
            f"{timing.cold_rate:.0f}",
            f"{timing.edited.best:.2f}",
            f"{timing.edited_rate:.0f}",
            f"{timing.unchanged.best:.2f}",
        )
    console.print(table)
    console.print(
        f"whole processes, best of {bench.runs}; cold: no cache, Base included; edited: Base known, the package new;"
        " unchanged: all known",
        style="faint",
    )
    console.print(f"{bench.host.cpu}, {bench.host.threads} threads, Python {bench.host.python}", style="faint")


def print_audit(console: Console, audit: PackageAudit) -> None:
    """A package's laws without their proofs, then what is proved, tested and trusted."""
    good = not audit.problems
    console.print(Text.assemble((audit.package, "label"), "  ", (audit.verdict, "good" if good else "bad")))
    for law in audit.laws:
        for line in _law_lines(law):
            console.print(line, soft_wrap=True)
    console.print()
    tested = ", ".join(f"{number} {kind}" for kind, number in sorted(audit.tested.items())) or "by no suite"
    rows = [
        ("proved", f"{sum(law.proved for law in audit.laws)} of {len(audit.laws)} laws, by the {audit.engine} engine"),
        ("hypotheses", f"{audit.with_hypotheses} of the laws have one"),
        ("tested", tested),
        ("trusted", f"by the laws: {_trusted(law for law in audit.laws)}"),
        ("", f"by all of the package: {_trusted([audit])}"),
    ]
    for label, text in rows:
        console.print(Text.assemble((f"  {label:<12}", "label"), text), soft_wrap=True)
    for problem in audit.problems:
        console.print(Text.assemble(("  problem     ", "bad"), problem), soft_wrap=True)


def _trusted(audits: Iterable[LawAudit | PackageAudit]) -> str:
    """What these rest on and is not proved, in one line."""
    names: dict[str, None] = {}
    for audit in audits:
        names.update(dict.fromkeys(audit.opaque))
        names.update(dict.fromkeys(f"{name} (unsafe)" for name in audit.unsafe))
        names.update(dict.fromkeys(f"{name} (foreign)" for name in audit.foreign))
    return ", ".join(names) or "nothing but the checker"


def _law_lines(law: LawAudit) -> Iterator[Text]:
    yield Text()
    mutants = f"  ({law.mutants} mutant{'s' * (law.mutants != 1)} must break it)" if law.mutants else ""
    unproved = "" if law.proved else "  not proved"
    yield Text.assemble(("  law ", "faint"), (law.name, "label"), (unproved, "bad"), (mutants, "faint"))
    for clause in law.quantifiers:
        yield Text(f"    {clause}")
    for clause in law.hypotheses:
        yield Text.assemble(f"    {clause}", ("  (hypothesis)", "hint"))
    yield Text(f"    {law.claim}")
    if law.caution:
        yield Text.assemble(("    caution: ", "hint"), law.caution)
    if law.hypotheses:
        yield Text(
            f"    hypotheses {law.vacuity}{', as by ' if law.vacuity == 'satisfied' else ': '}{law.instance}", "faint"
        )
    if law.opaque:
        yield Text(f"    rests on {', '.join(law.opaque)}", style="faint")
