"""What `bendml tokenizer` says beside its results: all of it on the error output, bars only on a terminal."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)


@contextmanager
def encode_progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar of so many bytes; what is yielded takes how many more are done, from any thread."""
    with _bars(DownloadColumn(), TransferSpeedColumn()) as progress:
        task = progress.add_task("encoding", total=total)
        yield lambda more: progress.advance(task, more)


@contextmanager
def train_progress(total: int, merges: int) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """A bar of so many bytes and one of so many merges; what is yielded takes how many bytes more are done, and how many
    merges."""
    with _bars(TextColumn("{task.completed:.0f} of {task.total:.0f}")) as progress:
        counting, merging = progress.add_task("counting", total=total), progress.add_task("merging", total=merges)
        yield (
            lambda more: progress.advance(counting, more),
            lambda done: progress.update(merging, completed=done),
        )


@contextmanager
def notices() -> Iterator[None]:
    """Print warnings as notices, a line each."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: say(f"note: {message}")
        yield


def say(text: str) -> None:
    """A line on the error output."""
    print(text, file=sys.stderr)


def _bars(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
