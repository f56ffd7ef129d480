"""Digests of files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

_CHUNK = 1 << 20


def sha256_of(file: Path, at: Callable[[int], None] | None = None) -> str:
    """The SHA-256 of a file, in hexadecimal. `at` is told how many bytes are done. Raises OSError."""
    digest, done = hashlib.sha256(), 0
    with file.open("rb") as data:
        while chunk := data.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if at is not None:
                at(done)
    return digest.hexdigest()
