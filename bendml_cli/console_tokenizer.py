"""What `bendml tokenizer` says beside its results, all of it on the error output, bars only on a terminal; and what
`bendml bench tokenizer` prints."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING

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

from bendml_cli.console_bench import print_contest, show_seconds

if TYPE_CHECKING:
    from bendml_cli.bench.tokenizer import TokenizerBench


@contextmanager
def encode_progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar of so many bytes; what is yielded takes how many more are done, from any thread."""
    with _bars(DownloadColumn(), TransferSpeedColumn()) as progress:
        task = progress.add_task("encoding", total=total)
        yield lambda more: progress.advance(task, more)


@contextmanager
def train_progress(total: int, merges: int) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """A bar of so many bytes and one of so many merges; what is yielded takes how many bytes more are done, and how
    many merges."""
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


def print_tokenizer_bench(console: Console, bench: TokenizerBench) -> None:
    """The tables of the contests, the training, and what was encoded."""
    for contest in (bench.against_naive, bench.against_tiktoken, bench.of_bend):
        print_contest(console, contest)
        console.print()
    seconds = median(bench.training)
    reached = "within" if seconds <= bench.training_limit else "not within"
    lines = (
        f"training {bench.trained_size} tokens natively: {show_seconds(seconds)}, {reached} {bench.training_limit:g} s",
        f"corpus: {bench.corpus.characters} characters of {bench.corpus.files} documents of what is installed",
        f"tokens: {bench.tokens}, the same of all, SHA-256 of them as 32-bit numbers {bench.tokens_sha256}",
    )
    for line in lines:
        console.print(line, soft_wrap=True)


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
