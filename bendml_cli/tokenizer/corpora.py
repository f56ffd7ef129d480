"""Encoded corpora on disk, so that a text is encoded once for each tokenizer.

An entry is a file: a line that says what it is, the number of ids, the SHA-256 of the ids, and the ids as little-endian
32-bit numbers. Its name is the digest of all that the ids depend on: the text, the vocabulary, and how the text is cut.
An entry that is damaged is made anew.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import warnings
from array import array
from collections.abc import Callable
from pathlib import Path

import regex

from bendml_cli.tokenizer.pieces import PATTERN
from bendml_cli.tokenizer.tokenizer import Tokenizer
from bendml_cli.tokenizer.whole import write_whole

_MAGIC = b"bendml ids 1\n"
_HEADER = struct.Struct(f"<{len(_MAGIC)}sQ32s")


class NotKept(UserWarning):
    """What was encoded cannot be kept for the next time."""


def encode_cached(
    tokenizer: Tokenizer,
    text: bytes,
    folder: Path,
    *,
    specials: bool = False,
    threads: int = 1,
    told: Callable[[int], None] = lambda done: None,
) -> array[int]:
    """The ids of a text, as `Tokenizer.encode_batch` gives them: read from a folder, or encoded and written there.

    Where that cannot be done, there is a NotKept warning. Raises TokenizerError.
    """
    file = folder / f"{_key(tokenizer, text, specials)}.ids"
    ids = _read(file)
    if ids is not None:
        told(len(text))
        return ids
    (ids,) = tokenizer.encode_batch([text], specials=specials, threads=threads, told=told)
    data = ids_bytes(ids)
    try:
        write_whole(file, _HEADER.pack(_MAGIC, len(ids), hashlib.sha256(data).digest()) + data)
    except OSError as error:
        warnings.warn(f"what was encoded is not kept: {error.filename}: {error.strerror}", NotKept, stacklevel=2)
    return ids


def ids_bytes(ids: array[int]) -> bytes:
    """Ids as little-endian 32-bit numbers."""
    if sys.byteorder == "big":
        ids = ids[:]
        ids.byteswap()
    return ids.tobytes()


def ids_of_bytes(data: bytes) -> array[int]:
    """The ids of such numbers. Raises ValueError when the last one is not whole."""
    ids = array("I")
    ids.frombytes(data)
    if sys.byteorder == "big":
        ids.byteswap()
    return ids


def _key(tokenizer: Tokenizer, text: bytes, specials: bool) -> str:
    # Of the classes of characters in the pattern, `regex` decides.
    rest = [tokenizer.vocabulary.digest, PATTERN, regex.__version__, str(specials)]
    return hashlib.sha256(hashlib.sha256(text).digest() + "\0".join(rest).encode()).hexdigest()


def _read(file: Path) -> array[int] | None:
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if len(data) < _HEADER.size:
        return None
    magic, count, digest = _HEADER.unpack_from(data)
    ids = data[_HEADER.size :]
    if magic != _MAGIC or len(ids) != 4 * count or hashlib.sha256(ids).digest() != digest:
        return None
    return ids_of_bytes(ids)
