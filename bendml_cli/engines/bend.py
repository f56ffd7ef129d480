"""The pinned Bend toolchain: for now, whether one is installed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

VARIABLE = "BENDML_BEND"


def find_bend() -> Path | None:
    """The installed `bend`: what $BENDML_BEND names, else the one on PATH, else None."""
    named = os.environ.get(VARIABLE)
    found = shutil.which(named or "bend")
    return Path(found) if found else None


def why_unavailable() -> str:
    """Why the `bend` engine cannot be used, in one line."""
    named = os.environ.get(VARIABLE)
    if find_bend() is not None:
        # Not where: the reason stands in evidence, which others read.
        return "bend is installed, but this version of bendml cannot drive it yet"
    if named:
        return f"bend is not installed: ${VARIABLE} names '{named}', which is no program"
    return f"bend is not installed: there is none on PATH, and ${VARIABLE} is not set"
