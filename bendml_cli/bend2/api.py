"""The embedded engine's front door."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from bendml_cli.bend2.cache import Cache
from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.check.elaborate import Elaborated, elaborate_book
from bendml_cli.bend2.check.verdict import Verdict, judge
from bendml_cli.bend2.core.book import Book
from bendml_cli.bend2.report import ACCEPTED, REFUSED, ErrorReport, Report
from bendml_cli.bend2.source import BendError, SourceMap
from bendml_cli.bend2.syntax.modules import read_book

# Terms may be nested deep, and the engine is recursive: a thread with a large stack, and a limit that ends in a clear
# refusal. Python calls take heap, not C stack, so the limit is what bounds memory.
STACK_BYTES = 512 << 20
RECURSION_LIMIT = 400_000
OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Large terms are few cycles and many objects: Python's own 700 spend most of the time on looking at them again."""

T = TypeVar("T")


def check_file(path: Path, *, timeout: float = 60.0, main: bool = False, cache: Path | None = None) -> Report:
    """Check one Bend file and everything it imports.

    `timeout` bounds the evaluation of each definition, in seconds. `main` asks for the normal form of main. `cache` is
    a folder to look results up in and to keep them in; None uses no cache. Never raises for a bad Bend file, a missing
    file or a directory: those are refusals in the report.
    """
    began = perf_counter()
    store = None if cache is None else Cache(cache)
    report = None if store is None else store.find(path, main)
    if report is None:
        report = with_deep_stack(lambda: _check(path, timeout, main, store))
        if store is not None:
            store.keep(path, main, report)
    report.seconds = perf_counter() - began
    return report


def elaborate_file(path: Path, *, timeout: float = 60.0) -> dict[str, Elaborated]:
    """Check a file, Base included, and return every definition and template instance with its types written in.

    Raises BendError where the file is refused.
    """

    def work() -> dict[str, Elaborated]:
        checker = Checker(read_book(path), timeout=timeout)
        checker.check()
        return elaborate_book(checker)

    return with_deep_stack(work)


def with_deep_stack(work: Callable[[], T]) -> T:
    """Run `work` where deep recursion is possible; Ctrl-C in the caller ends the wait at once.

    Raises what `work` raises.
    """
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as failure:  # noqa: BLE001  (handed to the caller's thread)
            failures.append(failure)

    limit = sys.getrecursionlimit()
    stack = threading.stack_size()
    collections = gc.get_threshold()
    sys.setrecursionlimit(RECURSION_LIMIT)
    if 0 < collections[0] < OBJECTS_BETWEEN_COLLECTIONS:
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *collections[1:])
    try:
        thread = _start(run)
        while thread.is_alive():
            thread.join(0.2)
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(limit)
        gc.set_threshold(*collections)
    if failures:
        raise failures[0]
    return results[0]


def _start(run: Callable[[], None]) -> threading.Thread:
    """A running thread, with the largest stack of those tried that this process may have."""
    for size in (STACK_BYTES, STACK_BYTES // 4, STACK_BYTES // 16):
        threading.stack_size(size)
        thread = threading.Thread(target=run, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            continue
        return thread
    raise MemoryError("no thread can be started")


def _check(path: Path, timeout: float, main: bool, store: Cache | None) -> Report:
    report = Report(path, REFUSED)
    sources = SourceMap()
    try:
        book = read_book(path, sources=sources)
        base = [module for module in book.modules if module.is_base]
        trusted = frozenset(base) if store is not None and store.base_is_known() else frozenset()
        verdict = judge(book, timeout=timeout, main=main, trusted=trusted)
        if store is not None and base and not trusted and _passed_base(verdict, book):
            store.keep_base()
        _describe(report, verdict, book, sources)
    except BendError as error:
        report.error = error_report(error, path, sources)
    except RecursionError:
        report.error = ErrorReport("too-deep", "the program is nested too deep to be checked", str(path))
    except MemoryError:
        report.error = ErrorReport("too-deep", "the program needs more memory than there is", str(path))
    report.files = [source.path for source in sources.sources]
    if path.name == "PROOF.bend":
        report.files.append(path.with_name("LAWS.bend"))
    return report


def _passed_base(verdict: Verdict, book: Book) -> bool:
    """Was all of Base accepted, whatever came after it?"""
    error = verdict.error
    if error is None or error.category == "todo":
        return True
    source = book.sources.at(error.position)
    return source is not None and all(m.path != source.path for m in book.modules if m.is_base)


def _describe(report: Report, verdict: Verdict, book: Book, sources: SourceMap) -> None:
    entry = book.entry
    report.todos = verdict.todos
    report.open_claims = verdict.open_claims
    report.unsafe = verdict.unsafe
    report.main = verdict.main
    own = [d for d in book.definitions.values() if d.module is entry]
    report.laws = [entry.spell(d.key) for d in own if d.is_law]
    report.definitions = [entry.spell(d.key) for d in own if not d.is_law]
    if verdict.error is not None:
        report.error = error_report(verdict.error, report.file, sources)
    elif not verdict.unsafe:
        report.verdict = ACCEPTED


def error_report(error: BendError, entry: Path, sources: SourceMap) -> ErrorReport:
    """An error with its place looked up."""
    source = sources.at(error.position)
    report = ErrorReport(
        error.category,
        error.message,
        str(entry if source is None else source.path),
        definition=error.definition,
        expected=error.expected,
        observed=error.observed,
        variable=error.variable,
        missing=error.missing,
        count=error.count,
        context=error.context,
        hint=error.hint,
    )
    if source is not None:
        report.line = source.line_of(error.position)
        report.column = source.column_of(error.position)
        report.source_line = source.line_text(report.line)
    return report
