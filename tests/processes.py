"""Processes that a test has seen."""

from __future__ import annotations

import time
from collections.abc import Iterable

import psutil


def all_end(pids: Iterable[int | str], seconds: float = 10.0) -> bool:
    """Whether none of them runs any more, or soon none does: who is killed may take a moment to be gone."""
    until = time.monotonic() + seconds
    left = {int(pid) for pid in pids}
    while left := {pid for pid in left if _runs(pid)}:
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
