"""A report in words: the text of `check-file`, and what evidence keeps of a judgement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from bendml_cli.bend2.report import ErrorReport, Report

Style = Literal["good", "bad", "place", "source", "caret", "label", "plain", "hint"]
Span = tuple[Style, str]
"""A piece of a line, and what it is; the console gives it its colour."""

_LONGEST = 200
"""How much of a source line is shown."""


def report_lines(report: Report) -> Iterator[list[Span]]:
    """The verdict, then what a person needs to understand it, line by line."""
    yield [("good" if report.accepted else "bad", report.verdict), ("plain", f"  {report.file}")]
    if report.main is not None:
        yield [("label", "main  "), ("plain", report.main)]
    if report.error is not None:
        yield []
        yield from error_lines(report.error)
        return
    if report.unsafe:
        yield [("plain", "relies on unsafe or foreign code: "), ("plain", ", ".join(report.unsafe))]
    if report.open_claims:
        yield [("plain", "laws without a proof: "), ("plain", ", ".join(report.open_claims))]
    if report.todos:
        yield [("plain", f"{report.todos} TODO{'s' * (report.todos != 1)}")]


def error_lines(error: ErrorReport) -> Iterator[list[Span]]:
    """A refusal: its kind and place, the source with a caret, what was expected and observed, what is in scope."""
    place = ":".join(str(part) for part in (error.file, error.line, error.column) if part is not None)
    yield [
        ("bad", error.category),
        ("plain", f" in {error.definition}" if error.definition else ""),
        ("place", f"  {place}"),
    ]
    yield [("plain", printable(error.message))]
    if error.source_line is not None and error.line is not None:
        gutter = " " * len(str(error.line))
        yield [("place", f"  {gutter} |")]
        source, at = _window(error.source_line, error.column or 1)
        yield [("place", f"  {error.line} | "), ("source", source)]
        if error.column is not None:
            yield [("place", f"  {gutter} | "), ("caret", " " * (at - 1) + "^")]
    facts: list[tuple[str, str]] = []
    if error.expected is not None:
        facts.append(("expected", error.expected))
    if error.observed is not None:
        facts.append(("observed", error.observed))
    if error.variable is not None:
        facts.append(("variable", error.variable))
    if error.missing:
        facts.append(("missing", ", ".join(error.missing)))
    facts += [("in scope" if at == 0 else "", f"{name} : {type_}") for at, (name, type_) in enumerate(error.context)]
    for label, value in facts:
        yield [("label", f"  {label:<9} "), ("plain", value)]
    if error.hint:
        yield [("hint", f"  hint: {error.hint}")]


def printable(text: str) -> str:
    """A text with its control characters written out: a file must not steer the terminal that names it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _window(line: str, column: int) -> tuple[str, int]:
    """A source line as it can be shown, and where the column is in it: of a long line, the part around the column."""
    start = max(column - 1 - _LONGEST // 2, 0) if len(line) > _LONGEST else 0
    text = line[start : start + _LONGEST]
    left, right = "..." * (start > 0), "..." * (start + _LONGEST < len(line))
    shown = "".join(c if c.isprintable() else " " if c == "\t" else "\ufffd" for c in text)
    return left + shown + right, column - start + len(left)


def report_text(report: Report) -> str:
    """The lines of a report as plain text."""
    return "".join("".join(text for _, text in line).rstrip() + "\n" for line in report_lines(report))
