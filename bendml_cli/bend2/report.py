"""What the embedded engine says about a file: the result of `bendml_cli.bend2.api.check_file`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ACCEPTED = "ALL PROOFS CHECK"
REFUSED = "SOME PROOFS FAIL"


@dataclass(slots=True)
class ErrorReport:
    """One refusal. `category` is one of those of tests/conformance/README.md; terms are printed."""

    category: str
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    definition: str | None = None
    expected: str | None = None
    observed: str | None = None
    variable: str | None = None
    missing: list[str] | None = None
    count: int | None = None
    context: list[tuple[str, str]] = field(default_factory=list)
    source_line: str | None = None
    hint: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields that say something, by the names of tests/conformance."""
        out: dict[str, Any] = {"category": self.category, "message": self.message}
        for name in ("definition", "line", "column", "expected", "observed", "variable", "missing", "count", "hint"):
            value = getattr(self, name)
            if value is not None:
                out[name] = value
        out["file"] = self.file
        return out


@dataclass(slots=True)
class Report:
    """The verdict on one entry file.

    `main` is the normal form of a main that is not IO (only when asked for); `unsafe` lists the declarations that rely
    on unsafe or foreign code when that alone fails the verdict; `laws` and `definitions` are the names declared in the
    entry file; `open_claims` the laws without a proof. `files` are all files that the verdict depends on. `from_words`:
    the report was read from what another checker wrote for people, so what is None in it was not told.
    """

    file: Path
    verdict: str
    main: str | None = None
    error: ErrorReport | None = None
    unsafe: list[str] = field(default_factory=list)
    open_claims: list[str] = field(default_factory=list)
    laws: list[str] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    todos: int = 0
    seconds: float = 0.0
    cached: bool = False
    files: list[Path] = field(default_factory=list)
    from_words: bool = False

    @property
    def accepted(self) -> bool:
        return self.verdict == ACCEPTED
