"""Results kept between runs.

An entry is keyed by the digests of the checker's own code and of Base, and by the entry file; it holds the digests of
everything the file imports, and is used only while they all still hold.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from bendml_cli.bend2.digests import engine_digest, file_digest
from bendml_cli.bend2.report import ErrorReport, Report


class Cache:
    """A folder of results. What cannot be read or written there is as if it were not cached."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / engine_digest()[:32]

    def find(self, path: Path, main: bool) -> Report | None:
        """The report kept for a file, if nothing it depends on has changed."""
        try:
            kept = json.loads(self._entry(path, main).read_text(encoding="utf-8"))
            if any(file_digest(Path(file)) != digest for file, digest in kept["files"].items()):
                return None
            report = _report(kept["report"])
            report.file = path
            return report
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, path: Path, main: bool, report: Report) -> None:
        """Keep a report, with the digests of the files it depends on. What was given up on, or could not be
        read, is not kept: it may go otherwise the next time."""
        if report.error is not None and report.error.category in ("timeout", "too-deep", "import"):
            return
        files = {str(file): file_digest(file) for file in report.files}
        kept = {"files": files, "report": asdict(replace(report, files=[])) | {"file": str(report.file)}}
        self._write(self._entry(path, main), json.dumps(kept))

    def base_is_known(self) -> bool:
        """Was this very Base accepted by this very checker before?"""
        try:
            return (self.folder / "base-accepted").exists()
        except OSError:
            return False

    def keep_base(self) -> None:
        """Note that Base was accepted."""
        self._write(self.folder / "base-accepted", "")

    def _entry(self, path: Path, main: bool) -> Path:
        key = f"{path.resolve()}\0{file_digest(path)}\0{main}"
        return self.folder / (hashlib.sha256(key.encode()).hexdigest() + ".json")

    @staticmethod
    def _write(file: Path, text: str) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile("w", dir=file.parent, suffix=".part", delete=False, encoding="utf-8") as part:
                part.write(text)
            Path(part.name).replace(file)
        except OSError:
            return


def _report(kept: dict[str, Any]) -> Report:
    error = kept.pop("error")
    report = Report(**kept)
    report.file = Path(kept["file"])
    report.cached = True
    if error is not None:
        error["context"] = [tuple(pair) for pair in error["context"]]
        report.error = ErrorReport(**error)
    return report
