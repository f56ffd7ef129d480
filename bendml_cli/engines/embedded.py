"""The engine that is part of bendml: `bendml_cli.bend2`, each call in a worker process."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import psutil
from pydantic import TypeAdapter, ValidationError

from bendml_cli import __version__
from bendml_cli.bend2.report import Report
from bendml_cli.engines.engine import Capability, Judgement, Usage
from bendml_cli.engines.process import Finished, ProcessGroup

NAME = "embedded"
_REPORT = TypeAdapter(Report)


class EmbeddedEngine:
    """Judges with the embedded checker.

    `timeout` bounds the evaluation of each definition, `limit` the whole of a call, both in seconds. `cache` is a
    folder for the engine's results, or None. `memory_bytes` bounds the memory of a call; half of the machine's by
    default.
    """

    def __init__(
        self,
        *,
        timeout: float = 60.0,
        limit: float = 600.0,
        cache: Path | None = None,
        memory_bytes: int | None = None,
    ) -> None:
        self._timeout = timeout
        self._limit = limit
        self._cache = cache
        self._memory_bytes = memory_bytes or psutil.virtual_memory().total // 2
        self._processes = ProcessGroup()

    @property
    def name(self) -> str:
        return NAME

    @property
    def version(self) -> str:
        return __version__

    def lacks(self, capability: Capability) -> str | None:
        match capability:
            case "kernel":
                return "the embedded engine has no second kernel: BendTT comes with the pinned Bend toolchain"

    def check(self, path: Path, *, main: bool = False) -> Judgement:
        request = {
            "path": str(path),
            "timeout": self._timeout,
            "main": main,
            "cache": str(self._cache) if self._cache else None,
            "memory_bytes": self._memory_bytes,
        }
        # -P: a file in the current folder must not stand in for a library.
        command = [sys.executable, "-P", "-m", "bendml_cli.engines.worker", json.dumps(request)]
        return self._judgement(path, self._processes.run(command, self._limit))

    def recheck(self, path: Path) -> Judgement:
        raise ValueError(self.lacks("kernel"))

    def stop(self) -> None:
        self._processes.stop()

    def _judgement(self, path: Path, finished: Finished) -> Judgement:
        usage = Usage(finished.seconds, finished.cpu_seconds)
        failure = finished.failure(self._limit)
        report: Report | None = None
        if failure is None:
            try:
                answer = json.loads(finished.stdout)
                report = _REPORT.validate_python(answer["report"])
                usage = Usage(finished.seconds, answer["cpu_seconds"], answer["peak_resident_bytes"])
            except (ValueError, KeyError, TypeError, ValidationError) as error:
                failure = f"the engine's answer cannot be read: {error}"
        return Judgement(NAME, path, report, failure, usage, finished.stderr)
