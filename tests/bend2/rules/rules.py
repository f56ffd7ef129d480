"""Reading and running rule cases: small programs, each with the sentence it pins and what the checker must say.

A `.txt` file of this folder holds one area's cases. A case is

    == name
    rule: the sentence that it pins (judging.md, or an item of edges.md)
    main: the normal form of main, `-` for none   (or `accepted:`, `refused: category`, `unsafe: names`)
    expected: ...                            (further fields of a refusal, as tests/conformance/README.md names them)

    the program, up to the next case; `#!` ends the line that a refusal must point at; `-- lib.bend` begins
    another file of the case (the first one is main.bend, unless it begins so too)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.report import ACCEPTED, REFUSED, Report

FOLDER = Path(__file__).parent
REPORTED = ("definition", "expected", "observed", "variable", "missing", "count")
FIELDS = ("rule", "accepted", "main", "refused", "unsafe", *REPORTED)
MARK = "#!"


@dataclass(slots=True)
class Case:
    """One program (or several files) and what must be said about it."""

    area: str
    name: str
    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    line: int | None = None

    @property
    def id(self) -> str:
        return f"{self.area}:{self.name}"


def read_cases(folder: Path = FOLDER) -> list[Case]:
    """All cases of all areas."""
    return [case for file in sorted(folder.glob("*.txt")) for case in read_area(file)]


def read_area(file: Path) -> list[Case]:
    """The cases of one file. Raises ValueError for a field that means nothing."""
    cases = []
    for text in file.read_text(encoding="utf-8").split("\n== ")[1:]:
        name, _, rest = text.partition("\n")
        header, _, program = rest.partition("\n\n")
        case = Case(file.stem, name.strip())
        for line in header.split("\n"):
            key, _, value = line.partition(":")
            if key not in FIELDS:
                raise ValueError(f"{case.id}: no field {key!r}")
            case.fields[key] = value.strip()
        _split_files(case, program.rstrip() + "\n")
        cases.append(case)
    return cases


def _split_files(case: Case, program: str) -> None:
    name = "main.bend"
    lines: list[str] = []
    for line in program.splitlines():
        if line.startswith("-- "):
            if lines:
                case.files[name] = "\n".join(lines) + "\n"
            name, lines = line[3:].strip(), []
            continue
        lines.append(line)
        if line.endswith(MARK):
            case.line = len(lines)
    case.files[name] = "\n".join(lines) + "\n"


def run(case: Case, folder: Path, cache: Path) -> Report:
    """Check a case's files, written into `folder`."""
    for name, text in case.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return check_file(folder / next(iter(case.files)), main=True, timeout=20, cache=cache)


def differences(case: Case, report: Report) -> list[str]:
    """What the report says otherwise than the case."""
    wanted = case.fields
    error = report.error
    found: list[str] = []

    def compare(what: str, want: object, got: object) -> None:
        if want != got:
            found.append(f"{what}: want {want!r}, got {got!r}")

    compare("refused", wanted.get("refused"), None if error is None else error.category)
    accepted = "refused" not in wanted and "unsafe" not in wanted
    compare("verdict", ACCEPTED if accepted else REFUSED, report.verdict)
    compare("unsafe", wanted.get("unsafe", ""), " ".join(report.unsafe))
    if "main" in wanted:
        compare("main", wanted["main"], report.main or "-")
    if error is not None:
        if case.line is not None:
            compare("line", case.line, error.line)
        for name in REPORTED:
            if name in wanted:
                value = getattr(error, name)
                compare(name, wanted[name], " ".join(value) if isinstance(value, list) else str(value))
        if found:
            found.append(f"message: {error.line}: {error.message} ({error.definition})")
    return found
