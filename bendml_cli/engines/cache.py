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


def native_folder() -> Path:
    """What the native compiler keeps: beside the checker's results, or in $BENDML_CACHE."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) / "native" if named else cache_folder().with_name("native")


def native_programs() -> Path:
    """Executables."""
    return native_folder() / "programs"


def native_tools() -> Path:
    """What the C compiler keeps for all programs."""
    return native_folder() / "tools"


def encoded_corpora() -> Path:
    """Texts that a tokenizer has encoded."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) / "corpora" if named else cache_folder().with_name("corpora")
