"""The table of laws in a package's README."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it import MarkdownIt


@dataclass(frozen=True, slots=True)
class DocumentedLaw:
    """A row of a table of laws: the law's name, the other cells, and the line it stands on."""

    name: str
    cells: tuple[str, ...]
    line: int


def documented_laws(markdown: str) -> list[DocumentedLaw]:
    """The rows of every table whose first column is headed `Law` or `Name`, in order.

    A name may be written as code or plain.
    """
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    laws: list[DocumentedLaw] = []
    row: list[str] = []
    header: list[str] = []
    line = 0
    for at, token in enumerate(tokens):
        match token.type:
            case "tr_open":
                row, line = [], (token.map or [0])[0] + 1
            case "th_open" | "td_open":
                row.append(tokens[at + 1].content.strip().replace("`", ""))
            case "tr_close":
                if tokens[at + 1].type == "thead_close":
                    header = row
                elif header and header[0].lower() in {"law", "name"}:
                    laws.append(DocumentedLaw(row[0], tuple(row[1:]), line))
            case "table_close":
                header = []
    return laws


def differences(laws: list[str], documented: list[DocumentedLaw]) -> list[str]:
    """How a table of laws differs from the laws there are, one line each."""
    names = [law.name for law in documented]
    problems = [f"{law} is not in the table" for law in laws if law not in names]
    problems += [f"line {law.line}: there is no law {law.name}" for law in documented if law.name not in laws]
    problems += [
        f"line {law.line}: {law.name} stands in the table twice"
        for at, law in enumerate(documented)
        if law.name in names[:at]
    ]
    return problems
