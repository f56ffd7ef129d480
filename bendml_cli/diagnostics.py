"""A report in words: the text of `check-file`, and what evidence keeps of a judgement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from bendml_cli.bend2.report import ErrorReport, Report

Style = Literal["good", "bad", "place", "source", "caret", "label", "plain", "hint"]
Span = tuple[Style, str]
"""A piece of a line, and what it is; the console gives it its colour."""


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
    yield [("plain", error.message)]
    if error.source_line is not None and error.line is not None:
        gutter = " " * len(str(error.line))
        yield [("place", f"  {gutter} |")]
        yield [("place", f"  {error.line} | "), ("source", error.source_line.replace("\t", " "))]
        if error.column is not None:
            yield [("place", f"  {gutter} | "), ("caret", " " * (error.column - 1) + "^")]
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


def report_text(report: Report) -> str:
    """The lines of a report as plain text."""
    return "".join("".join(text for _, text in line).rstrip() + "\n" for line in report_lines(report))
