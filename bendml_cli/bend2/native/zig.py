"""The C compiler: the `zig` of the Python package ziglang, and the processor that it compiles for.

Imports little: a program that was built before starts through here.
"""

from __future__ import annotations

import importlib.util
import platform
from pathlib import Path
from typing import NamedTuple


class Zig(NamedTuple):
    """The compiler's program, and the version of the package it came with."""

    program: Path
    version: str


def find_zig() -> Zig | None:
    """The installed compiler, or None."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    program = folder / "zig"
    versions = sorted(each.name for each in folder.parent.glob("ziglang-*.dist-info"))
    if not program.is_file() or not versions:
        return None
    return Zig(program, versions[-1].removeprefix("ziglang-").removesuffix(".dist-info"))


def processor() -> str:
    """What code for this very processor depends on: its name and, where the system tells them, its features."""
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    told = ("model name", "flags", "CPU implementer", "CPU part", "Features")
    return "\n".join([platform.machine(), *(line for line in first.splitlines() if line.startswith(told))])
