"""What a process has held and may take, as far as the platform says. Loads nothing: workers start with it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_SYSTEM = os.uname().sysname


def peak_resident_bytes(pid: int | None = None) -> int | None:
    """The most memory that a process (this one by default) has held, in bytes; None where the platform does not say.

    Linux is asked by /proc: its getrusage also counts the parent's memory from before this program was loaded.
    """
    status = Path(f"/proc/{pid or 'self'}/status")
    try:
        for line in status.read_text(errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    if pid is not None or _SYSTEM == "Linux":
        return None
    return maxrss_bytes(resource.getrusage(resource.RUSAGE_SELF))


def maxrss_bytes(usage: resource.struct_rusage) -> int:
    """`ru_maxrss` in bytes: Linux counts it in KiB, macOS in bytes."""
    return usage.ru_maxrss if _SYSTEM == "Darwin" else usage.ru_maxrss * 1024


def with_stack(command: list[str], stack_bytes: int) -> list[str]:
    """The command, to be started with a stack of this size, or of the most that this user may have.

    A shell sets the limit and becomes the program: a limit holds from the start of a program only, and code between
    fork and exec is not safe in a process with threads.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = stack_bytes if hard == resource.RLIM_INFINITY else min(stack_bytes, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return command
    return ["/bin/sh", "-c", 'ulimit -S -s "$0" && exec "$@"', str(wanted // 1024), *command]
