"""Digests of files and of the engine itself: what every result that is kept between runs depends on."""

from __future__ import annotations

import hashlib
from functools import cache as memoize
from pathlib import Path

PACKAGE = Path(__file__).parent


@memoize
def engine_digest() -> str:
    """The SHA-256 of the engine's own code, of its C runtime, and of Base."""
    digest = hashlib.sha256()
    runtime = (PACKAGE / "native" / "runtime").glob("*.[ch]")
    for file in sorted([*PACKAGE.rglob("*.py"), *runtime, PACKAGE / "base.bend"]):
        digest.update(file.relative_to(PACKAGE).as_posix().encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def file_digest(path: Path) -> str | None:
    """The SHA-256 of a file, None where there is none to read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
