"""What `bendml setup` prints: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column
from rich.text import Text

from bendml_cli.console import standard_output
from bendml_cli.toolchain.progress import Stage
from bendml_cli.toolchain.setup import Outcome, Status

_STYLES = {
    Status.INSTALLED: "passed",
    Status.KEPT: "faint",
    Status.UNAVAILABLE: "skipped",
    Status.FAILED: "failed",
}
#: Below this size a file needs no lines about how far it is.
_WORTH_TELLING = 20_000_000


class SetupWatcher:
    """Shows a setup: one bar for all of it and one for the file in hand or, where there is no terminal, lines."""

    def __init__(self, console: Console, progress: Progress, number: int) -> None:
        self.console = console
        self._progress = progress
        self._whole = progress.add_task("all", total=number, bytes=False)
        self._file: TaskID | None = None
        self._name = ""
        self._stage = Stage.FETCHING
        self._size = 0
        self._quarter = 0

    def stage(self, name: str, stage: Stage, detail: str = "") -> None:
        self._end_of_file()
        self._name, self._stage, self._size, self._quarter = name, stage, 0, 0
        if self.console.is_terminal:
            self._file = self._progress.add_task(f"{stage} {name}", total=None, bytes=True)
        elif stage is Stage.FETCHING:
            self.console.print(Text(f"fetching    {name} from {detail}", "faint"), soft_wrap=True)

    def expect(self, total: int) -> None:
        self._size = total
        if self._file is not None:
            self._progress.update(self._file, total=total or None)

    def at(self, done: int) -> None:
        if self._file is not None:
            self._progress.update(self._file, completed=done)
            return
        worth_telling = self._stage is Stage.FETCHING and self._size >= _WORTH_TELLING
        quarter = 4 * done // self._size if worth_telling else 0
        if self._quarter < quarter < 4:
            self.console.print(Text(f"            {self._name}: {25 * quarter}% of {decimal(self._size)}", "faint"))
        self._quarter = max(self._quarter, quarter)

    def note(self, text: str) -> None:
        self.console.print(Text(f"            {text}", "hint"), soft_wrap=True)

    def finished(self, outcome: Outcome) -> None:
        """An artefact is done with: print what became of it."""
        self._end_of_file()
        for line in _outcome_lines(outcome):
            self.console.print(line, soft_wrap=True)
        self._progress.advance(self._whole)

    def _end_of_file(self) -> None:
        if self._file is not None:
            self._progress.remove_task(self._file)
            self._file = None


@contextmanager
def setup_progress(number: int) -> Iterator[SetupWatcher]:
    """Show a setup of so many artefacts."""
    console = standard_output()
    progress = Progress(
        TextColumn("{task.description}", table_column=Column(min_width=28)),
        # So that a line fits into 80 columns.
        BarColumn(bar_width=24 if console.width >= 100 else 8),
        _Amount(table_column=Column(no_wrap=True)),
        TimeElapsedColumn(table_column=Column(no_wrap=True)),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress:
        yield SetupWatcher(console, progress, number)


def print_setup(root: Path, counts: Mapping[Status, int], seconds: float) -> None:
    """The last lines: how many became what, and where everything is."""
    console = standard_output()
    if counts.get(Status.KEPT, 0) and not counts.get(Status.INSTALLED, 0) and not counts.get(Status.FAILED, 0):
        console.print(f"nothing to do: {counts[Status.KEPT]} of {counts[Status.KEPT]} are there already, in {root}")
        return
    words = [
        f"{counts.get(Status.INSTALLED, 0)} installed",
        f"{counts.get(Status.KEPT, 0)} there already",
        f"{counts.get(Status.FAILED, 0)} failed",
    ]
    bad = bool(counts.get(Status.FAILED, 0))
    console.print()
    console.print(
        Text.assemble(("INCOMPLETE" if bad else "READY", "bad" if bad else "good"), f"  {', '.join(words)}"),
        f"in {seconds:.1f} s; everything is in {root}",
        soft_wrap=True,
    )


class _Amount(ProgressColumn):
    """Bytes and bytes per second for a file; how many of how many for the whole."""

    def render(self, task: Task) -> Text:
        if not task.fields["bytes"]:
            return Text(f"{task.completed:.0f} of {task.total or 0:.0f}")
        size = f" of {decimal(int(task.total))}" if task.total else ""
        speed = f"  {decimal(int(task.speed))}/s" if task.speed else ""
        return Text(f"{decimal(int(task.completed))}{size}{speed}")


def _outcome_lines(outcome: Outcome) -> Iterator[Text]:
    line = Text()
    line.append(f"{outcome.status.value:<12}", style=_STYLES[outcome.status])
    line.append(f"{outcome.name} {outcome.version}", style="label")
    if outcome.entry is not None:
        line.append(f"  {outcome.entry.path}")
    if outcome.status is Status.INSTALLED and outcome.entry is not None:
        line.append(f"  [{outcome.seconds:.1f} s]", style="faint")
    if outcome.problem:
        line.append(f"  {outcome.problem}")
    yield line
    for tried in outcome.tried:
        yield Text(f"            tried {tried.source}: {tried.why}", "faint")
    if outcome.way_out:
        yield Text(f"            {outcome.way_out}", "hint")
