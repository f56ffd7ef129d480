"""`bendml bench lists`: a list of 1,000,000 numbers built, mapped, reversed and folded, against C with malloc."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.bench.contest import Setup
from bendml_cli.bench.programs import against_c


def prepare(folder: Path) -> Setup:
    """Compile both programs into a folder, and see that they agree. Raises BendmlError."""
    title = "list of 1,000,000 numbers built, mapped, reversed and folded, one thread"
    return against_c("lists", folder, title=title, operations=1_000_000, unit="numbers", required=None)
