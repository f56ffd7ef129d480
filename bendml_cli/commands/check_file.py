"""`bendml check-file`: judge Bend files, one by one, with the embedded engine."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.report import Report
from bendml_cli.diagnostics import report_text
from bendml_cli.engines.cache import cache_folder
from bendml_cli.errors import BendmlError


@dataclass(frozen=True, slots=True)
class CheckFileOptions:
    """The arguments of `bendml check-file`."""

    files: list[Path]
    main: bool
    json: bool
    timeout: float
    cache: bool


def check_files(options: CheckFileOptions) -> int:
    """Judge the files and print each report. Answers 0 when all are accepted, else 1.

    Raises BendmlError when a path is no plain file.
    """
    for path in options.files:
        if path.is_dir():
            raise BendmlError(f"{path} is a folder", f"name a file in it, such as {path / 'main.bend'}")
        if not path.exists():
            raise BendmlError(f"there is no file {path}")
        if not path.is_file():
            raise BendmlError(f"{path} is no plain file", "save the program in a file")
    cache = cache_folder() if options.cache else None
    accepted = True
    for at, path in enumerate(options.files):
        report = check_file(path, timeout=options.timeout, main=options.main, cache=cache)
        accepted = accepted and report.accepted
        if options.json:
            print(json.dumps(report_json(path, report)), flush=True)
        else:
            if at and not report.accepted:
                print()
            _print(report)
    return 0 if accepted else 1


def report_json(path: Path, report: Report) -> dict[str, Any]:
    """A report by the names of tests/conformance: `file`, `verdict`, `main`, `error`, and `unsafe` where it is the
    reason."""
    out: dict[str, Any] = {"file": str(path), "verdict": report.verdict, "main": report.main, "error": None}
    if report.error is not None:
        named = dict.fromkeys(("category", "definition", "line", "expected", "observed", "message"))
        out["error"] = {**named, **report.error.to_json()}
    if report.unsafe:
        out["unsafe"] = report.unsafe
    if report.open_claims:
        out["open_claims"] = report.open_claims
    return out


def _print(report: Report) -> None:
    if sys.stdout.isatty():
        # Loaded for a terminal only: a script that checks many files should not pay for colours.
        from bendml_cli.console import print_report, standard_output

        print_report(standard_output(), report)
    else:
        print(report_text(report), end="", flush=True)
