"""The errors a user can meet. Each says what is wrong in one line and, where there is one, the way out."""

from __future__ import annotations

from pathlib import Path


class BendmlError(Exception):
    """Something that the user can put right. `message` is one line; `way_out` says what to do, or is empty."""

    def __init__(self, message: str, way_out: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.way_out = way_out

    def diagnostics(self) -> str:
        """The text for people: the message, then the way out on a line of its own."""
        return f"{self.message}\n  {self.way_out}" if self.way_out else self.message


class ProjectNotFound(BendmlError):
    """There are no suites to run."""


class SuiteError(BendmlError):
    """A suite file that cannot be used. `problems` are (line or None, field or "", what is wrong)."""

    def __init__(self, path: Path, problems: list[tuple[int | None, str, str]]) -> None:
        self.path = path
        self.problems = problems
        lines = []
        for line, field, what in problems:
            place = str(path) if line is None else f"{path}:{line}"
            lines.append(f"{place}: {field}: {what}" if field else f"{place}: {what}")
        super().__init__("\n".join(lines), "suites are described in README.md, section Suites")


class UnknownName(BendmlError):
    """A suite or package that does not exist."""

    def __init__(self, what: str, name: str, known: list[str]) -> None:
        super().__init__(f"there is no {what} '{name}'", f"known: {', '.join(known) or 'none'}")


class OutputError(BendmlError):
    """An output folder that cannot be written: it exists, another run holds it, or its parent is not a folder."""


class EngineUnavailable(BendmlError):
    """An engine that was asked for by name and is not there."""


class ReferenceUnavailable(BendmlError):
    """What numbers should be compared with is not installed."""


class NotEvidence(BendmlError):
    """What was to be verified is no sealed evidence folder."""


class ToolchainError(BendmlError):
    """A pinned tool that is not there or cannot be installed, or a lock file that cannot be used."""


class DownloadError(ToolchainError):
    """A source that did not deliver."""


class IntegrityError(ToolchainError):
    """A file that is not the one that was pinned."""


class ArchiveError(ToolchainError):
    """An archive that is damaged, or that would write where it must not."""


class TokenizerError(BendmlError):
    """A vocabulary, a text or a list of ids that a tokenizer cannot use."""
