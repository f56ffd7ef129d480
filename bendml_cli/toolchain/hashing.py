"""Whether a file is the one that was pinned."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from bendml_cli.digests import sha256_of
from bendml_cli.errors import IntegrityError

_LONGEST_HEADER = 100_000_000


def verify_file(file: Path, sha256: str, size: int | None, at: Callable[[int], None] | None = None) -> None:
    """Raises IntegrityError unless a file has this hash and, where it is known, this size; OSError when unreadable."""
    actual = file.stat().st_size
    if size is not None and actual != size:
        raise IntegrityError(f"it has {actual} bytes, and not {size}")
    found = sha256_of(file, at)
    if found != sha256:
        raise IntegrityError(f"its SHA-256 is {found}, and not {sha256}")


def verify_safetensors(file: Path) -> None:
    """Raises IntegrityError unless a file is laid out as safetensors: the length of a header, the header in JSON, and
    exactly as many bytes as the header names."""
    size = file.stat().st_size
    with file.open("rb") as data:
        length = int.from_bytes(data.read(8), "little")
        if size < 8 or not 2 <= length <= min(size - 8, _LONGEST_HEADER):
            raise IntegrityError("it is no safetensors file")
        try:
            header = json.loads(data.read(length))
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
            whole = 8 + length + max(ends, default=0)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise IntegrityError("it is no safetensors file") from None
    if size != whole:
        raise IntegrityError(f"it has {size} bytes, and its header speaks of {whole}")
