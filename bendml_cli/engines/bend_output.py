"""Reading what Bend writes.

Known for certain are the verdict lines, `N TODO(s) found`, `Error:`, `- expected : T`, `- observed : T`, and that the
context, the definition and the source line with a caret are in a report, but not how those are laid out. So the
verdict is read strictly, and the rest is taken where it can be told: a field that was not found is None, and
what Bend wrote is kept beside the report.
"""

from __future__ import annotations

import re
from pathlib import Path

from bendml_cli.bend2.report import ACCEPTED, REFUSED, ErrorReport, Report

UNNAMED = "unnamed"
"""The category of a refusal whose kind Bend's words do not tell."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_VERDICT = re.compile(rf"^[^\w\n\"'#]*({ACCEPTED}|{REFUSED})[^\w\n\"'#]*$", re.MULTILINE)
_TODOS = re.compile(r"^[^\w\n\"'#]*(\d+) TODO(?:s|\(s\))? found\b", re.MULTILINE)
_FIELD = re.compile(r"^\s*(?:[-*]\s*)?(expected|observed)\s*:\s*(.*?)\s*$")
_HEADING = re.compile(r"^\s*Error\s*:\s*(.*?)\s*$")
# `def`, `law` and `type` name no variable, so such a line is none of the context's.
_DEFINITION = (
    re.compile(r"^\W*(?:def|law|type)\s*:?\s+`?([A-Za-z_][\w.~]*)`?\W*$"),
    re.compile(
        r"^\W*(?:Error\s+)?[Ii]n\s+(?:(?:def|law|type|definition)\s+)?`?([A-Za-z_][\w.~]*)`?\s*[:.]?(?:\s*\(.*\))?\s*$"
    ),
    re.compile(r"^\W*(?:definition|Definition|Location|At)\s*:?\s+`?([A-Za-z_][\w.~]*)`?\s*(?:[:(].*)?$"),
)
_PLACE = re.compile(r"(?P<file>[^\s:()'\"`]+\.bend):(?P<line>\d+)(?::(?P<column>\d+))?")
_LINE = re.compile(r"\bline\s*:?\s*(\d+)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\s*>?\s*(\d+)\s*[|│:] ?)(.*)$")
_GUTTER = re.compile(r"^\s*[|│] ?")
_CARET = re.compile(r"^[\s|│]*\^[\^~]*\s*$")
_CONTEXT = re.compile(r"^\s*(?:[-*]\s*)?[Cc]ontext\s*:?\s*$")
_BINDING = re.compile(r"^\s*(?:[-*]\s*)?([-+~]?[A-Za-z_]\w*(?:\^\d+)?)\s*:\s*(\S.*?)\s*$")


def plain(text: str) -> str:
    """A text without terminal colours and carriage returns."""
    return _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def read_report(path: Path, output: str, code: int) -> Report:
    """The report on a file, from what Bend wrote about it and its exit status.

    Raises ValueError, in words, when that is no verdict, or contradicts itself: an accepting line, and nothing but
    accepting lines, with status 0; a refusing one with status 1.
    """
    text = plain(output)
    verdicts = set(_VERDICT.findall(text))
    todos = _TODOS.search(text)
    if len(verdicts) > 1:
        raise ValueError("both verdicts stand in Bend's output")
    refused = REFUSED in verdicts or todos is not None
    if not refused and not verdicts:
        raise ValueError(f"no verdict stands in Bend's output (status {code}): {_first_line(text)}")
    if refused and ACCEPTED in verdicts:
        raise ValueError("Bend's output accepts the file, and says that something is left to do")
    if code != (1 if refused else 0):
        raise ValueError(f"Bend says {REFUSED if refused else ACCEPTED}, and ended with status {code}")
    report = Report(path, REFUSED if refused else ACCEPTED, files=[path], from_words=True)
    if refused:
        report.todos = int(todos[1]) if todos else 0
        report.error = read_error(path, text)
        if todos and report.error.category == UNNAMED:
            report.error.category, report.error.count = "todo", report.todos
    return report


def read_error(path: Path, text: str) -> ErrorReport:
    """What a refusal says, as far as it can be told."""
    lines = text.splitlines()
    fields = _fields(lines)
    expected, observed = fields.get("expected"), fields.get("observed")
    category = "mismatch" if expected and observed else UNNAMED
    message = _message(lines)
    if category == "mismatch" and not message:
        message = f"a term of type {observed} stands where {expected} is wanted"
    error = ErrorReport(category, message or "Bend gives no reason", str(path), expected=expected, observed=observed)
    _read_place(error, path, lines)
    start, end = _context(lines)
    error.context = [(found[1], found[2]) for line in lines[start:end] if (found := _BINDING.match(line))]
    error.definition = _definition(lines[:start] + lines[end:])
    return error


def _fields(lines: list[str]) -> dict[str, str]:
    """The first `expected` and `observed`; one whose brackets are open, or that is empty, goes on below."""
    fields: dict[str, str] = {}
    for at, line in enumerate(lines):
        found = _FIELD.match(line)
        if found is None or found[1] in fields:
            continue
        value = found[2]
        for more in lines[at + 1 : at + 200]:
            if (value and _balanced(value)) or _FIELD.match(more) or not more.strip():
                break
            value = f"{value} {more.strip()}".strip()
        fields[found[1]] = value
    return {name: value for name, value in fields.items() if value}


def _balanced(term: str) -> bool:
    return all(term.count(opening) <= term.count(closing) for opening, closing in ("()", "[]", "{}"))


def _message(lines: list[str]) -> str:
    """What stands after `Error:`, or else after the verdict, and is none of the fields."""
    for heading in (_HEADING, _VERDICT):
        for at, line in enumerate(lines):
            if (found := heading.match(line)) is None:
                continue
            rest = [found[1]] if heading is _HEADING else []
            for text in (*rest, *lines[at + 1 :]):
                if text.strip() and not _is_structure(text):
                    return text.strip().removeprefix("- ")
            break
    found = _TODOS.search("\n".join(lines))
    return found[0].strip() if found else ""


def _is_structure(line: str) -> bool:
    return any(
        pattern.match(line) for pattern in (_FIELD, _HEADING, _CONTEXT, _BINDING, _NUMBERED, _CARET, *_DEFINITION)
    )


def _read_place(error: ErrorReport, entry: Path, lines: list[str]) -> None:
    """File, line, column and source line: by the line over the caret, or `FILE.bend:LINE`, or `line N`."""
    caret = next((at for at, line in enumerate(lines) if at and _CARET.match(line)), None)
    if caret is not None:
        over = lines[caret - 1]
        numbered = _NUMBERED.match(over)
        gutter = len(numbered[1]) if numbered else len(found[0]) if (found := _GUTTER.match(over)) else 0
        error.source_line = over[gutter:]
        column = lines[caret].index("^") - gutter + 1
        error.column = column if column > 0 else None
        error.line = int(numbered[2]) if numbered else None
    for line in lines:
        if (place := _PLACE.search(line)) is not None:
            error.file = str((entry.parent / place["file"]).absolute())
            if error.line is None:
                error.line = int(place["line"])
            break
    if error.line is None and (found := next(filter(None, map(_LINE.search, lines)), None)):
        error.line = int(found[1])
    if error.line is None and error.source_line and error.source_line.strip():
        error.line = _line_of(entry, error.source_line)


def _line_of(path: Path, source_line: str) -> int | None:
    """The number of the one line of a file that reads so; None when there is not exactly one."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    places = [n for n, line in enumerate(text.splitlines(), start=1) if line.strip() == source_line.strip()]
    return places[0] if len(places) == 1 else None


def _context(lines: list[str]) -> tuple[int, int]:
    """Where the lines of variables under a `Context:` heading begin and end."""
    start = next((at + 1 for at, line in enumerate(lines) if _CONTEXT.match(line)), len(lines))
    end = start
    while end < len(lines) and _BINDING.match(lines[end]) and not _NUMBERED.match(lines[end]):
        end += 1
    return start, end


def _definition(lines: list[str]) -> str | None:
    for pattern in _DEFINITION:
        for line in lines:
            if (found := pattern.match(line)) is not None and not found[1].endswith(".bend"):
                return found[1].rstrip(".")
    return None


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "nothing")
    return line if len(line) <= 120 else f"{line[:117]}..."
