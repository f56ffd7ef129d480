"""GPT-2's pre-tokenization: a text is cut into pieces, and each is encoded on its own.

Texts are bytes. Where they are no UTF-8, each byte that is part of no character counts as a character that is neither
letter, number nor white space: Python's `surrogateescape` reads it as such a one, and writes it back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

from bendml_cli.errors import TokenizerError

PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_PIECE = regex.compile(PATTERN)
# No piece has white space after what is none, so a text may be cut there.
_BORDER = re.compile(rb"[!-~](?=[ \n])")


def pieces(text: bytes) -> list[str]:
    """The pieces of a text; `piece_bytes` gives their bytes."""
    return _PIECE.findall(text.decode("utf-8", "surrogateescape"))


def piece_bytes(piece: str) -> bytes:
    """The bytes of a piece."""
    return piece.encode("utf-8", "surrogateescape")


def text_bytes(text: str | bytes) -> bytes:
    """A text as bytes. Raises TokenizerError when it has a surrogate that stands for no byte."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        surrogate = ord(text[error.start])
        raise TokenizerError(
            f"character {error.start} is the lone surrogate U+{surrogate:04X}, which no UTF-8 has",
            'text.encode("utf-8", "replace") puts a question mark in its place',
        ) from None


def cuts(text: bytes, size: int) -> Iterator[int]:
    """Places to cut a text into parts of about `size` bytes, or more: the parts' pieces are the text's. Its end is the
    last one."""
    at = size
    while at < len(text):
        border = _BORDER.search(text, at)
        if border is None:
            break
        yield border.end()
        at = border.end() + size
    yield len(text)
