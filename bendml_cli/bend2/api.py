"""The embedded engine's front door."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.bend2.report import Report


def check_file(path: Path, *, timeout: float = 60.0, main: bool = False, cache: Path | None = None) -> Report:
    """Check one Bend file and everything it imports.

    `timeout` bounds the evaluation of each definition, in seconds. `main` asks for the normal form of main. `cache` is
    a folder to look results up in and to keep them in; None uses no cache. Never raises for a bad Bend file, a missing
    file or a directory: those are refusals in the report.
    """
    raise NotImplementedError
