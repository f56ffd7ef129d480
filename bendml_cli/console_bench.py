"""What the benchmarks of native code print."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, zip_longest
from statistics import median
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bendml_cli.console import standard_output

if TYPE_CHECKING:
    from bendml_cli.bench.contest import Contest, Side
    from bendml_cli.bench.mnist import MnistBench

_STEPS = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "us"))
_RATES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (0.0, ""))


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show what goes on, on a terminal: what is yielded takes a line of text."""
    console = standard_output()
    if quiet or not console.is_terminal:
        yield lambda text: None
        return
    with console.status("") as status:
        yield status.update


def print_contest(console: Console, contest: Contest, *, agree: bool = True) -> None:
    """The table of a contest, shares of the peer's speed first; then the machine, and what disturbed it. `agree` says
    whether the sides came to the same results."""
    console.print(Text.assemble((contest.name, "label"), f"  {contest.title}"), soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    for heading in (f"of {contest.peer.name}'s speed", "runs", "wanted", "", "time", f"{contest.unit}/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for side in contest.sides:
        shares = contest.ratios(side)
        spread = f"{_share(min(shares))}-{_share(max(shares))}"
        table.add_row(
            side.name,
            _share(contest.ratio(side)),
            spread,
            _wanted(side),
            _verdict(contest.reached(side)),
            show_seconds(side.median),
            show_rate(contest.rate(side)),
        )
    peer = contest.peer
    table.add_row(peer.name, "1.00", "", "", "", show_seconds(peer.median), show_rate(contest.rate(peer)))
    console.print(table)
    results = "results agree" if agree else "results do not agree"
    console.print(
        f"medians of {len(peer.seconds)} runs in turn, each against the run of {peer.name} in its round; {results}",
        style="faint",
        soft_wrap=True,
    )
    console.print(f"{contest.host.cpu}, {contest.host.threads} threads", style="faint")
    for noise in contest.noise:
        console.print(Text.assemble(("the machine is not idle: ", "hint"), noise), soft_wrap=True)


def _share(share: float) -> str:
    return f"{share:.2f}" if share >= 0.1 else f"{share:.2g}"


def print_trainings(console: Console, bench: MnistBench) -> None:
    """Loss and hits of both sides epoch by epoch, and what the whole processes took."""
    names = list(bench.runs)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("epoch", justify="right")
    for name in names:
        table.add_column(f"{name}: loss", justify="right", no_wrap=True)
        table.add_column("hits", justify="right")
    logs = [bench.runs[name][0].log for name in names]
    for number, epochs in enumerate(zip_longest(*(log.epochs for log in logs)), start=1):
        cells = (("", "") if each is None else (f"{each.loss:.7f}", str(each.hits)) for each in epochs)
        table.add_row(str(number), *chain.from_iterable(cells))
    console.print(table)
    for name in names:
        wall = median(run.usage.seconds for run in bench.runs[name])
        peak = bench.peak(name)
        memory = "" if peak is None else f", {peak / 1e6:.0f} MB resident at most"
        console.print(f"{name}: {show_seconds(wall)} for the whole process{memory}", style="faint", soft_wrap=True)


def _wanted(side: Side) -> str:
    if side.required is not None:
        return _share(side.required)
    return "" if side.aim is None else f"{show_rate(side.aim)}/s"


def _verdict(reached: bool | None) -> Text:
    if reached is None:
        return Text("")
    return Text("reached", style="good") if reached else Text("missed", style="bad")


def show_seconds(seconds: float) -> str:
    """A time in a unit that suits it: `4.31 ms`."""
    factor, unit = next((factor, unit) for least, factor, unit in _STEPS if seconds >= least)
    return f"{seconds * factor:.3g} {unit}"


def show_rate(rate: float) -> str:
    """A number of operations in a unit that suits it: `2.31 G`."""
    least, unit = next((least, unit) for least, unit in _RATES if rate >= least)
    return f"{rate / (least or 1):.3g} {unit}".rstrip()
