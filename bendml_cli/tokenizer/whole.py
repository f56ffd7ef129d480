"""Files that appear whole or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path


def write_whole(file: Path, data: bytes) -> None:
    """Write a file, in a folder that is made if need be; what is interrupted leaves no half of it. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{secrets.token_hex(8)}.part")
    try:
        part.write_bytes(data)
        part.replace(file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None
    finally:
        part.unlink(missing_ok=True)
