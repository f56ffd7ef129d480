"""A process with all its descendants: what they hold and use together, and their end."""

from __future__ import annotations

import contextlib
import os
import signal
import threading

import psutil

from bendml_cli.engines.resources import peak_resident_bytes


class ProcessTree:
    """A process that leads a session, its descendants, and whoever else is in that session.

    The process must not have been waited for: until then, its number is nobody else's. All methods may be called from
    any thread. `peak_resident_bytes` is the most that `look` has seen (None before), pages that two processes share
    counted twice; `user_seconds` and `system_seconds` add up what each process had used when it was last seen.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._lock = threading.Lock()
        self._seen: set[psutil.Process] = set()
        self._times: dict[psutil.Process, tuple[float, float]] = {}
        self.peak_resident_bytes: int | None = None

    @property
    def user_seconds(self) -> float:
        return sum(user for user, _ in self._times.values())

    @property
    def system_seconds(self) -> float:
        return sum(system for _, system in self._times.values())

    def look(self) -> None:
        """Take note of what the tree holds and has used."""
        with self._lock:
            resident = 0
            peak = self.peak_resident_bytes or 0
            for process in self._alive():
                with contextlib.suppress(psutil.Error):
                    resident += process.memory_info().rss
                    times = process.cpu_times()
                    self._times[process] = (times.user, times.system)
                    # What it held at most since it began, between two looks too.
                    peak = max(peak, peak_resident_bytes(process.pid) or 0)
            if resident or peak:
                self.peak_resident_bytes = max(peak, resident)

    def kill(self) -> None:
        """End all of it, whatever sessions its members have moved to."""
        with self._lock:
            # What a process starts while it is being ended is found by the next round.
            for _ in range(8):
                members = self._alive() | self._in_session()
                # Gone between the look and the signal: that is what was wanted. (macOS denies it for the dead.)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._pid, signal.SIGKILL)
                if not members:
                    return
                for process in members:
                    with contextlib.suppress(psutil.Error):
                        process.kill()

    def _alive(self) -> set[psutil.Process]:
        """The members that run. One whose parent has ended is still one: it is known from an earlier look."""
        found: set[psutil.Process] = set()
        with contextlib.suppress(psutil.Error):
            root = psutil.Process(self._pid)
            found |= {root, *root.children(recursive=True)}
        for orphan in self._seen - found:
            with contextlib.suppress(psutil.Error):
                found |= set(orphan.children(recursive=True))
        self._seen |= found
        return {process for process in self._seen if _runs(process)}

    def _in_session(self) -> set[psutil.Process]:
        found = set()
        for pid in psutil.pids():
            with contextlib.suppress(OSError, psutil.Error):
                if os.getsid(pid) == self._pid:
                    found.add(psutil.Process(pid))
        self._seen |= found
        return {process for process in found if _runs(process)}


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
