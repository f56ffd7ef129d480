"""Source files, positions in them, and the errors that point at them.

A position is one integer, valid across all files of a run: the start that the file was given plus the character offset
in it. So a core term needs one slot for its place, wherever it is copied to.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

NOWHERE = -1


@dataclass(slots=True, eq=False)
class Source:
    """One file's text. `start` is the position of its first character; `line_starts` are offsets of lines."""

    path: Path
    text: str
    start: int
    line_starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        self.line_starts = starts

    def line_of(self, position: int) -> int:
        """The 1-based line of a position in this file."""
        return bisect_right(self.line_starts, position - self.start)

    def column_of(self, position: int) -> int:
        """The 1-based column, counted in characters (a tab counts one)."""
        return position - self.start - self.line_starts[self.line_of(position) - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a 1-based line, without its end; the line after the last is empty."""
        if not 1 <= line <= len(self.line_starts):
            return ""
        begin = self.line_starts[line - 1]
        end = self.text.find("\n", begin)
        return self.text[begin:] if end < 0 else self.text[begin:end].rstrip("\r")


class SourceMap:
    """All files read in a run, by position."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self._starts: list[int] = []
        self._next = 0

    def add(self, path: Path, text: str) -> Source:
        """Register a file and give it its range of positions (its end is a position of its own)."""
        source = Source(path, text, self._next)
        self.sources.append(source)
        self._starts.append(source.start)
        self._next += len(text) + 1
        return source

    def at(self, position: int) -> Source | None:
        """The file a position lies in, or None for NOWHERE."""
        if position < 0 or not self.sources:
            return None
        return self.sources[bisect_right(self._starts, position) - 1]


class BendError(Exception):
    """A refusal of a Bend program.

    `category` is one of the categories of tests/conformance/README.md. `expected` and `observed` are printed terms.
    `definition` is the name being checked, spelled as its file spells it; None while reading. `context` lists the
    variables in scope, outermost first, as (name, printed type). `hint` says the way out where one is known.
    """

    def __init__(
        self,
        category: str,
        position: int,
        message: str,
        *,
        expected: str | None = None,
        observed: str | None = None,
        definition: str | None = None,
        variable: str | None = None,
        missing: list[str] | None = None,
        count: int | None = None,
        context: list[tuple[str, str]] | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.category = category
        self.position = position
        self.message = message
        self.expected = expected
        self.observed = observed
        self.definition = definition
        self.variable = variable
        self.missing = missing
        self.count = count
        self.context = context or []
        self.hint = hint
