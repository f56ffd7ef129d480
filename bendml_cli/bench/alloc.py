"""`bendml bench alloc`: a list of 10,000,000 numbers built and folded, against C with a node from malloc for each."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.bench.contest import Setup
from bendml_cli.bench.programs import against_c

REQUIRED = 1 / 1.5
"""Within 1.5 times of the peer's time."""


def prepare(folder: Path) -> Setup:
    """Compile both programs into a folder, and see that they agree. Raises BendmlError."""
    title = "list of 10,000,000 numbers built and folded, one thread"
    return against_c("alloc", folder, title=title, operations=10_000_000, unit="numbers", required=REQUIRED)
