"""What `bendml doctor` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bendml_cli.console import standard_output
from bendml_cli.toolchain.doctor import NOT_INSTALLED

if TYPE_CHECKING:
    from bendml_cli.commands.doctor import Diagnosis
    from bendml_cli.toolchain.doctor import Finding

_STYLES = {"good": "good", "note": "hint", "broken": "bad"}
_SIGNS = {"good": "ok", "note": "note", "broken": "BROKEN"}


@contextmanager
def working(*, quiet: bool) -> Iterator[None]:
    """Show that something goes on, on a terminal."""
    console = standard_output()
    if quiet or not console.is_terminal:
        yield
        return
    with console.status("looking at the machine, and hashing what is installed"):
        yield


def print_diagnosis(diagnosis: Diagnosis) -> None:
    """Tables of what there is, the machine, whether it is idle, then what is broken and what helps."""
    console = standard_output()
    console.print(Text.assemble("bendml ", diagnosis.bendml, "; tools are installed in ", (diagnosis.root, "place")))
    groups = {
        "engines": diagnosis.engines,
        "pinned tools": diagnosis.tools,
        "Python packages": diagnosis.packages,
        "C compilers": diagnosis.compilers,
        "CUDA": [diagnosis.cuda],
    }
    for title, findings in groups.items():
        console.print()
        console.print(findings_table(title, findings, diagnosis.root))
    console.print()
    _print_machine(console, diagnosis)
    findings = [finding for group in groups.values() for finding in group]
    _print_problems(console, findings)
    good = diagnosis.verdict == "good"
    notes = sum(finding.health.value == "note" for finding in findings)
    broken = sum(finding.health.value == "broken" for finding in findings)
    console.print(
        Text.assemble(
            ("GOOD" if good else "BROKEN", "good" if good else "bad"),
            f"  nothing that is needed is broken; {notes} note{'s' * (notes != 1)}"
            if good
            else f"  {broken} of the things above {'are' if broken != 1 else 'is'} broken",
        ),
        soft_wrap=True,
    )


def findings_table(title: str, findings: Sequence[Finding], root: str) -> Table:
    """A table of what was looked at. What lies under `root` is written from there; where there is little room, origin
    and path are folded."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, no_wrap=True)
    for heading in ("", "wanted", "found", "digest"):
        table.add_column(heading, no_wrap=True)
    table.add_column("origin", overflow="fold")
    table.add_column("path", overflow="fold")
    for finding in findings:
        table.add_row(
            Text(finding.name),
            Text(_SIGNS[finding.health.value], style=_STYLES[finding.health.value]),
            Text(finding.wanted),
            Text(finding.version or ("there" if finding.path else "none")),
            Text(finding.digest or ""),
            # Without the file in the package.
            Text((finding.origin or "").partition(" package/")[0]),
            Text((finding.path or "").removeprefix(f"{root}/"), style="place"),
        )
    return table


def _print_machine(console: Console, diagnosis: Diagnosis) -> None:
    machine, gpus = diagnosis.machine, diagnosis.gpus
    rows = [
        ("cores", f"{machine.cores or 'unknown'}, {machine.threads} threads"),
        ("memory", f"{_gigabytes(machine.memory_available_bytes)} free of {_gigabytes(machine.memory_bytes)}"),
        ("disk", f"{_gigabytes(machine.disk_free_bytes)} free"),
    ]
    for gpu in gpus.found:
        memory = "" if gpu.memory_bytes is None else f", {_gigabytes(gpu.memory_bytes)}"
        rows.append(("GPU", f"{gpu.name}, driver {gpu.driver}{memory}"))
    if gpus.problem is not None:
        rows.append(("GPU", gpus.problem))
    load = " ".join(f"{value:.2f}" for value in diagnosis.idleness.load_average)
    rows.append(("load", load))
    for label, text in rows:
        console.print(Text.assemble((f"{label:<8}", "label"), text), soft_wrap=True)
    if not diagnosis.idleness.noise:
        console.print(Text.assemble((f"{'idle':<8}", "label"), "yes: idle enough to measure"))
    for at, noise in enumerate(diagnosis.idleness.noise):
        label = "idle" if at == 0 else ""
        start = "no, benchmarks will be noisy: " if at == 0 else ""
        console.print(Text.assemble((f"{label:<8}", "label"), (start, "hint"), noise), soft_wrap=True)


def _print_problems(console: Console, findings: Sequence[Finding]) -> None:
    console.print()
    # What setup would install stands in the tables: one line will do.
    absent = [finding.name for finding in findings if finding.problem == NOT_INSTALLED]
    if absent:
        console.print(
            Text.assemble((f"{_SIGNS['note']:<8}", "hint"), f"not installed: {', '.join(absent)} (bendml setup)"),
            soft_wrap=True,
        )
    # What is broken comes last, nearest to the verdict.
    for finding in sorted(findings, key=lambda finding: finding.health.value == "broken"):
        if finding.problem in ("", NOT_INSTALLED):
            continue
        style = _STYLES[finding.health.value]
        sign = _SIGNS[finding.health.value]
        help_ = f" ({finding.way_out})" if finding.way_out else ""
        console.print(
            Text.assemble((f"{sign:<8}", style), (finding.name, "label"), f": {finding.problem}{help_}"), soft_wrap=True
        )


def _gigabytes(number: int) -> str:
    return f"{number / 1e9:.1f} GB"
