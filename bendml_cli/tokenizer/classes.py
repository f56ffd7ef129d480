"""Unicode's letters, numbers and white space, as the module `regex` knows them: what its pattern's classes mean.

They depend on the Unicode version of the installed `regex`, so the C core gets them when it is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import regex

CODE_POINTS = 0x110000
_ROW = 128


class CharClass(IntEnum):
    """What GPT-2's pattern tells apart; the numbers are those of core/split.h."""

    OTHER = 0
    LETTER = 1
    NUMBER = 2
    SPACE = 3


_PATTERNS = {CharClass.LETTER: r"\p{L}+", CharClass.NUMBER: r"\p{N}+", CharClass.SPACE: r"\s+"}


def class_ranges() -> list[tuple[int, int, CharClass]]:
    """The ranges of code points of each class but OTHER, as (first, last, class), in order."""
    # Surrogates are characters of a Python string too, of class OTHER.
    everything = "".join(map(chr, range(CODE_POINTS)))
    return sorted(
        (match.start(), match.end() - 1, kind)
        for kind, pattern in _PATTERNS.items()
        for match in regex.finditer(pattern, everything)
    )


def class_header() -> str:
    """The text of classes.h: a table of rows of 128 classes, equal rows once, and the row of each such page."""
    table = bytearray(CODE_POINTS)
    for first, last, kind in class_ranges():
        table[first : last + 1] = bytes([kind]) * (last + 1 - first)
    rows: dict[bytes, int] = {}
    pages = [rows.setdefault(bytes(table[start : start + _ROW]), len(rows)) for start in range(0, CODE_POINTS, _ROW)]
    return (
        f"static const uint16_t CLASS_PAGE[{len(pages)}] = {{{_listed(pages)}}};\n"
        f"static const uint8_t CLASS_ROW[{len(rows)}][{_ROW}] = {{\n"
        + "".join(f"{{{_listed(row)}}},\n" for row in rows)
        + "};\n"
    )


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
