"""Running one program in a process of its own, with a limit, and ending all of them at once."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended. `code` is its exit status, negative for a signal; `timed_out` and `stopped` say whether
    we ended it."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    cpu_seconds: float
    timed_out: bool
    stopped: bool


class ProcessGroup:
    """The processes of one run. `run` may be called from many threads; `stop` ends all of them for good."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: set[int] = set()
        self._stopped = False

    def run(self, command: list[str], limit: float, env: dict[str, str] | None = None) -> Finished:
        """Run a command to its end, or to its limit in seconds, and answer how it went.

        Raises OSError when the program cannot be started.
        """
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            began = time.perf_counter()
            with self._lock:
                if self._stopped:
                    return Finished(-signal.SIGKILL, "", "", 0.0, 0.0, timed_out=False, stopped=True)
                # A session of its own keeps the terminal's Ctrl-C for us: we end the children, once, in `stop`.
                # Its standard input stays open until it ends: a worker takes the closing as "the run is gone".
                process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=out, stderr=err, env=env, start_new_session=True
                )
                self._live.add(process.pid)
            late = threading.Event()

            def end_late() -> None:
                late.set()
                self._kill(process.pid)

            timer = threading.Timer(limit, end_late)
            timer.daemon = True
            timer.start()
            try:
                _, status, usage = os.wait4(process.pid, 0)
            finally:
                timer.cancel()
                with self._lock:
                    self._live.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.stdin is not None:
                process.stdin.close()
            seconds = time.perf_counter() - began
            out.seek(0)
            err.seek(0)
            return Finished(
                code=process.returncode,
                stdout=out.read().decode(errors="replace"),
                stderr=err.read().decode(errors="replace"),
                seconds=seconds,
                cpu_seconds=usage.ru_utime + usage.ru_stime,
                timed_out=late.is_set(),
                stopped=self._stopped,
            )

    def stop(self) -> None:
        """End everything that runs, and refuse what comes."""
        with self._lock:
            self._stopped = True
            live = list(self._live)
        for pid in live:
            self._kill(pid)

    def _kill(self, pid: int) -> None:
        with self._lock:
            if pid in self._live:
                # Gone between the look and the signal: that is what was wanted.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
