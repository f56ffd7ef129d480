"""How a value that main gives is printed, as a table that the C runtime walks (`b_show`, runtime/show.c).

The first entry describes main's type; entries refer to each other by index, so that types may hold themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ShowKind = Literal["nat", "u32", "f32", "char", "string", "list", "tuple", "array", "data", "choice", "text"]


@dataclass(frozen=True, slots=True)
class ShowConstructor:
    """A constructor of kind "data": its name as printed, and the entries of its fields. A field that is not there at
    run time (erased, or of no information) has an entry of kind "text"; `live` says which are there."""

    name: str
    fields: tuple[int, ...]
    live: tuple[bool, ...]


@dataclass(slots=True)
class ShowEntry:
    """One type, of a value in its form as a word.

    - nat `12n`, u32 `12`, f32 `1.5`, char `'c'`, string `"s"`: as the checker's printer writes literals;
    - list `[a, b]`, array `[a, b]`: `parts` is the element; of a list, the constructors Nil and Con have tags 0 and 1;
    - tuple `(a, b, c)`: `parts` are the two sides; a second side that is a tuple goes on without parentheses;
    - data `Name{a, b}`: the constructor by tag;
    - choice: of a field whose type depends on an earlier field of the same constructor: `path` leads from the
      constructor's cell, by live fields, to the value that decides (a Nat's field is the number before it), and `parts`
      are the entries by that value's tag (of a Nat: zero, successor);
    - text: printed as it is (a proof `{==}`).
    """

    kind: ShowKind
    parts: tuple[int, ...] = ()
    constructors: tuple[ShowConstructor, ...] = ()
    text: str = ""
    path: tuple[int, ...] = ()
