"""Running one program in a process of its own, with a limit, and ending all of them at once."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from bendml_cli.engines.resources import maxrss_bytes, peak_resident_bytes
from bendml_cli.engines.tree import ProcessTree

OUTPUT_BYTES = 64 << 20
"""How much a watched program may write before it is ended."""
_LONGEST_PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended. `code` is its exit status, negative for a signal; `timed_out`, `stopped` and `flooded` (it
    wrote without end) say whether we ended it. `peak_resident_bytes` is known for a watched one only."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    cpu_seconds: float
    timed_out: bool
    stopped: bool
    flooded: bool = False
    user_seconds: float | None = None
    system_seconds: float | None = None
    peak_resident_bytes: int | None = None

    def failure(self, limit: float, *, answers: Container[int] = (0,)) -> str | None:
        """Why this process gave no answer, or None if it ended with one of these statuses; `limit` is its time."""
        if self.stopped:
            return "stopped"
        if self.timed_out:
            return f"no answer within {limit:g} s"
        if self.flooded:
            return f"the engine wrote more than {OUTPUT_BYTES >> 20} MiB"
        if self.code < 0:
            return f"the engine was ended by {_signal_name(-self.code)}"
        if self.code not in answers:
            last = (self.stderr.strip() or self.stdout.strip()).splitlines()[-1:] or ["no message"]
            return f"the engine failed with status {self.code}: {last[0]}"
        return None


class ProcessGroup:
    """The processes of one run. `run` may be called from many threads; `stop` ends all of them for good."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: dict[int, ProcessTree] = {}
        self._stopped = False

    def run(
        self,
        command: list[str],
        limit: float,
        env: dict[str, str] | None = None,
        *,
        cwd: Path | None = None,
        watched: bool = False,
        stdin: str = "",
    ) -> Finished:
        """Run a command to its end, or to its limit in seconds, and answer how it went. What it has started ends with
        it. A `watched` program is not ours: it reads `stdin`, its memory is measured, and its output is bounded.

        Raises OSError when the program cannot be started.
        """
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given:
            given.write(stdin.encode(errors="surrogateescape"))
            given.seek(0)
            began = time.perf_counter()
            with self._lock:
                if self._stopped:
                    return Finished(-signal.SIGKILL, "", "", 0.0, 0.0, timed_out=False, stopped=True)
                # A session of its own keeps the terminal's Ctrl-C for us: we end the children, once, in `stop`.
                # A worker's standard input stays open until it ends: it takes the closing as "the run is gone".
                process = subprocess.Popen(
                    command,
                    stdin=given if watched else subprocess.PIPE,
                    stdout=out,
                    stderr=err,
                    env=env,
                    cwd=cwd,
                    start_new_session=True,
                )
                tree = self._live[process.pid] = ProcessTree(process.pid)
            watch = _Watch(tree, began + limit, (out, err) if watched else ())
            watch.start()
            try:
                _await_end(process.pid)
            finally:
                watch.end()
                with self._lock:
                    del self._live[process.pid]
            seconds = time.perf_counter() - began
            tree.kill()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.stdin is not None:
                process.stdin.close()
            # Both are lower bounds: the system counts whom a parent has waited for, the watch whom it has seen.
            user = max(usage.ru_utime, tree.user_seconds)
            system = max(usage.ru_stime, tree.system_seconds)
            peak = tree.peak_resident_bytes
            # Before its program is loaded, a child holds a copy of our memory, and the system counts that too.
            if watched and (exact := maxrss_bytes(usage)) > (peak_resident_bytes() or 0):
                peak = max(peak or 0, exact)
            return Finished(
                code=process.returncode,
                stdout=_read(out),
                stderr=_read(err),
                seconds=seconds,
                cpu_seconds=user + system,
                timed_out=watch.late,
                stopped=self._stopped,
                flooded=watch.flooded,
                user_seconds=user,
                system_seconds=system,
                peak_resident_bytes=peak if watched else None,
            )

    def stop(self) -> None:
        """End everything that runs, and refuse what comes."""
        with self._lock:
            self._stopped = True
            # Under the lock: who is listed here has not been waited for.
            for tree in self._live.values():
                tree.kill()


class _Watch:
    """Ends a tree at its deadline and, if it is given the files that the tree writes, looks at it now and then and
    ends it when those grow too large. `late` and `flooded` say what it did."""

    def __init__(self, tree: ProcessTree, deadline: float, written: tuple[IO[bytes], ...]) -> None:
        self.late = False
        self.flooded = False
        self._tree = tree
        self._deadline = deadline
        self._written = written
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        # Often at first, so that a short program is seen too; then seldom, so that looking costs next to nothing.
        pause = 0.0
        while True:
            left = self._deadline - time.perf_counter()
            if self._ended.wait(max(0.0, min(left, pause) if self._written else left)):
                return
            if time.perf_counter() >= self._deadline:
                self.late = True
            elif self._written:
                self._tree.look()
                self.flooded = any(os.fstat(file.fileno()).st_size > OUTPUT_BYTES for file in self._written)
                pause = min(2 * pause + 0.002, _LONGEST_PAUSE)
            if self.late or self.flooded:
                self._tree.kill()
                return


def _await_end(pid: int) -> None:
    """Wait for the end of a child, and leave it to be waited for: so long, its number is its own."""
    if hasattr(os, "waitid"):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return
    while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(OUTPUT_BYTES).decode(errors="replace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
