"""Where the embedded engine keeps what it found, from one process to the next."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "BENDML_CACHE"


def cache_folder() -> Path:
    """$BENDML_CACHE, else a folder in the platform's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("bendml") / "checker"
