"""The engine that is part of bendml: `bendml_cli.bend2`, each call in a worker process."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from pydantic import TypeAdapter, ValidationError

from bendml_cli import __version__
from bendml_cli.bend2.native.start import program_arguments
from bendml_cli.bend2.report import Report
from bendml_cli.engines.engine import Capability, Judgement, Ran, Usage
from bendml_cli.engines.process import Finished, ProcessGroup

NAME = "embedded"
_REPORT = TypeAdapter(Report)


class EmbeddedEngine:
    """Judges with the embedded checker, builds with the embedded compiler, and runs.

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

    def build(self, path: Path, output: Path) -> Ran:
        """Compile a program to an executable. Never raises."""
        request = {
            "path": str(path),
            "output": str(output.absolute()),
            "timeout": self._timeout,
            "cache": str(self._cache / "programs") if self._cache else None,
            "memory_bytes": self._memory_bytes,
        }
        command = [sys.executable, "-P", "-m", "bendml_cli.engines.build_worker", json.dumps(request)]
        ran = self._ran(self._processes.run(command, self._limit))
        if ran.failure is not None and ran.code in (1, 2) and not ran.stderr.startswith("Traceback"):
            told = " ".join(line.strip() for line in ran.stderr.splitlines()[:2])
            return replace(ran, failure=f"{path.name} is not compiled: {told}")
        return ran

    def run(self, path: Path) -> Ran:
        """Check a program and run its main. Never raises."""
        with TemporaryDirectory(prefix="bendml-") as folder:
            # Called as the file is: a program says its own name in its errors.
            binary = Path(folder) / path.stem
            built = self.build(path, binary)
            if built.failure is not None:
                return built
            return self._ran(self._run([str(binary)], path.parent))

    def run_binary(self, binary: Path, *arguments: str, threads: int | None = None, stdin: str = "") -> Ran:
        """Run what `build` made, on so many threads, in its own folder, with this standard input. Never raises."""
        command = [str(binary.absolute()), *program_arguments(arguments, threads)]
        return self._ran(self._run(command, binary.parent, stdin))

    def stop(self) -> None:
        self._processes.stop()

    def _run(self, command: list[str], folder: Path, stdin: str = "") -> Finished:
        try:
            return self._processes.run(command, self._limit, cwd=folder, watched=True, stdin=stdin)
        except OSError as error:
            # As a shell would say it.
            reason = f"{Path(command[0]).name}: {error.strerror}"
            return Finished(127, "", reason, 0.0, 0.0, timed_out=False, stopped=False)

    def _ran(self, done: Finished) -> Ran:
        usage = Usage(done.seconds, done.cpu_seconds, done.peak_resident_bytes, done.user_seconds, done.system_seconds)
        return Ran(NAME, done.code, done.stdout, done.stderr, done.failure(self._limit), usage)

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
