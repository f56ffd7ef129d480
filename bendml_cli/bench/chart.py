"""A contest as a chart: the time of each side as a vertical bar, on a scale from zero."""

from __future__ import annotations

import importlib
import io
from typing import Any

from bendml_cli.bench.contest import Contest, Side
from bendml_cli.errors import BendmlError

PAPER = "#f2eee7"
VIOLET = "#6d4bd0"
GREY = "#9b968d"
INK = "#2b2733"
_LEAVES = 4.0
"""A bar that is so many times as long as the shortest leaves the scale."""


def matplotlib() -> Any:
    """The module matplotlib. Raises BendmlError where it is not installed."""
    try:
        return importlib.import_module("matplotlib")
    except ImportError as error:
        raise BendmlError(
            f"matplotlib cannot be imported: {error}", "pip install 'bendml[bench]' installs it"
        ) from error


def chart(contest: Contest, label: str) -> dict[str, bytes]:
    """The chart as `chart.svg` and `chart.png`; `label` says what a bar is.

    Bars are medians, the thin lines over them go from the shortest run to the longest. A bar that leaves the scale is
    hatched, and its number says how long it is. Raises BendmlError without matplotlib.
    """
    module = matplotlib()
    # No fonts in the file, and the same file for the same numbers.
    with module.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bendml", "hatch.linewidth": 0.8}):
        figure = _figure(contest, label)
        files = {}
        for ending, metadata in (("svg", {"Date": None}), ("png", {})):
            data = io.BytesIO()
            figure.savefig(data, format=ending, facecolor=PAPER, metadata=metadata, dpi=160)
            files[f"chart.{ending}"] = data.getvalue()
    return files


def top_of_scale(sides: list[Side]) -> float:
    """Where the scale ends: above the longest bar that does not leave it, and its runs, unless they are far off."""
    shortest = min(side.median for side in sides)
    return 1.15 * max(min(max(side.seconds), 2 * side.median) for side in sides if side.median <= _LEAVES * shortest)


def _figure(contest: Contest, label: str) -> Any:
    figures = importlib.import_module("matplotlib.figure")
    sides = [contest.peer, *contest.sides]
    top = top_of_scale(sides)
    figure = figures.Figure(figsize=(1.2 + 1.9 * len(sides), 4.6), layout="constrained")
    axes = figure.subplots()
    axes.set_facecolor(PAPER)
    for at, side in enumerate(sides):
        leaves = side.median > top
        colour = GREY if side is contest.peer else VIOLET
        height = min(side.median, top)
        axes.bar(
            at,
            height,
            width=0.62,
            color=PAPER if leaves else colour,
            edgecolor=colour,
            hatch="////" if leaves else None,
            linewidth=1.2,
        )
        if not leaves:
            axes.plot([at, at], [min(side.seconds), min(max(side.seconds), top)], color=INK, linewidth=1.0)
        text = f"{side.median:.3g} s" + (" ↑" if leaves else "")
        place = {"ha": "center", "color": INK, "fontsize": 11}
        if leaves:
            axes.text(at, top * 0.94, text, va="top", bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 2}, **place)
        else:
            axes.text(at, min(max(side.seconds), top) + top * 0.015, text, va="bottom", **place)
    axes.set_ylim(0, top)
    axes.set_xticks(range(len(sides)), [side.name.replace(" (", "\n(") for side in sides], color=INK)
    axes.set_ylabel(label, color=INK)
    axes.set_title(
        f"{contest.title}\n{contest.host.cpu}, medians of {len(contest.peer.seconds)} runs", color=INK, fontsize=10
    )
    axes.tick_params(colors=INK, length=0)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(INK)
    axes.yaxis.grid(visible=True, color=INK, alpha=0.12)
    axes.set_axisbelow(True)
    return figure
