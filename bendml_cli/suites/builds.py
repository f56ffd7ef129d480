"""Building Bend programs, each once in a run."""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from bendml_cli.engines.engine import Engine, Ran


@dataclass(frozen=True, slots=True)
class Built:
    """An executable, and how making it went; `fresh` where that was just now, and not for an earlier case."""

    binary: Path
    ran: Ran
    fresh: bool


class Builds:
    """The programs that one run has built, each once, in a folder that goes when the run does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._locks: dict[tuple[str, Path], threading.Lock] = {}
        self._built: dict[tuple[str, Path], Built] = {}

    def build(self, engine: Engine, path: Path) -> Built:
        """What an engine makes of a program."""
        key = (engine.name, path)
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="bendml-programs-", ignore_cleanup_errors=True)
            folder = Path(self._folder.name)
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._built:
                binary = Path(tempfile.mkdtemp(dir=folder)) / path.stem
                self._built[key] = Built(binary, engine.build(path, binary), fresh=True)
                return self._built[key]
            return replace(self._built[key], fresh=False)
