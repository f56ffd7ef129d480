"""A text to measure tokenizers on, made of what is installed anyway: the documents of Python packages, and Python's own
help.

It is another one on another installation: its digest says which one was measured.
"""

from __future__ import annotations

import hashlib
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

LEAST_CHARACTERS = 1_500_000
_OWN = "bendml"
_DOCUMENT = re.compile(
    r"METADATA|(licen[cs]e|copying|notice|authors|readme|change|history|contributing).*|.*\.(md|rst|txt)", re.IGNORECASE
)
_NO_PROSE = {"RECORD", "top_level.txt", "entry_points.txt", "namespace_packages.txt", "SOURCES.txt"}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A text, and how many files it is made of."""

    text: bytes
    files: int

    @property
    def characters(self) -> int:
        return len(self.text.decode())

    @property
    def sha256(self) -> str:
        """Of the text, in hexadecimal."""
        return hashlib.sha256(self.text).hexdigest()

    def beginning(self, size: int) -> bytes:
        """The longest beginning of at most so many bytes that ends with a character."""
        return self.text[:size].decode(errors="ignore").encode()


def make_corpus() -> Corpus:
    """All documents of the installed packages, each text once, in the order of the packages' names; Python's help; and,
    while that is less than LEAST_CHARACTERS, modules of the standard library."""
    texts: dict[bytes, None] = {}
    characters = 0
    library = Path(sysconfig.get_paths()["stdlib"])
    needed = [*_documents(), library / "pydoc_data" / "topics.py"]
    for number, file in enumerate([*needed, *sorted(library.glob("*.py"))]):
        if number >= len(needed) and characters >= LEAST_CHARACTERS:
            break
        try:
            text = file.read_bytes()
            length = len(text.decode())
        except (OSError, UnicodeDecodeError):
            continue
        if text not in texts:
            texts[text] = None
            characters += length
    return Corpus(b"\n".join(texts), len(texts))


def _documents() -> Iterator[Path]:
    for package in sorted(distributions(), key=lambda package: package.name.lower()):
        if package.name == _OWN:
            continue
        for file in sorted(package.files or [], key=str):
            if _DOCUMENT.fullmatch(file.name) and file.name not in _NO_PROSE:
                yield Path(str(file.locate()))
