"""The table of bend/gpt2/ranges.bend: Unicode's letters, numbers and white space, as the module `regex` knows them.

python -m bendml_cli.reference.gpt2_ranges > bend/gpt2/ranges.bend
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import regex

from bendml_cli.tokenizer.classes import CharClass, class_ranges

_HEAD = f"""\
# SPDX-License-Identifier: MIT
# The code points of letters, numbers and white space, as the Python module regex {regex.__version__} knows them.
# Made by `python -m bendml_cli.reference.gpt2_ranges`.
import Base
import ./classes.bend as C

def ranges() -> C.Ranges:
"""
_CONSTRUCTORS = {CharClass.LETTER: "C.Letter{}", CharClass.NUMBER: "C.Number{}", CharClass.SPACE: "C.Space{}"}


def ranges_program() -> str:
    """The text of ranges.bend: a balanced tree of the ranges."""
    tree = _tree(class_ranges())
    lines = textwrap.wrap(tree, 120, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return _HEAD + "\n".join(lines) + "\n"


def _tree(ranges: Sequence[tuple[int, int, CharClass]]) -> str:
    if not ranges:
        return "C.Tip{}"
    middle = len(ranges) // 2
    first, last, kind = ranges[middle]
    return (
        f"C.Range{{{first}n, {last}n, {_CONSTRUCTORS[kind]}, {_tree(ranges[:middle])}, {_tree(ranges[middle + 1 :])}}}"
    )


if __name__ == "__main__":
    print(ranges_program(), end="")
