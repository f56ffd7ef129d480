"""Surface trees as plain values, to compare what was read with what was meant."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from bendml_cli.bend2.syntax.laws import parse_surface
from bendml_cli.bend2.syntax.printer import print_declaration, print_import

# Places, and what is derived from the rest.
IGNORED = {"pos", "name_pos", "sign_pos", "bracket", "bang", "pattern", "patterns", "type_reads"}


def shape(node: Any) -> Any:
    """A node without its places: nested tuples that compare by value."""
    if isinstance(node, list):
        return tuple(shape(item) for item in node)
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        fields = {field.name: getattr(node, field.name) for field in dataclasses.fields(node)}
        offload = ("bang", fields["bang"] >= 0) if "bang" in fields else ()
        named = tuple((name, shape(value)) for name, value in fields.items() if name not in IGNORED)
        return (type(node).__name__, offload, *named)
    return node


def shapes(text: str) -> Any:
    """The shape of all declarations of a file's text."""
    return [shape(declaration) for declaration in parse_surface(Path("test.bend"), text).declarations]


def printed(text: str) -> str:
    """A file's text, read and printed."""
    file = parse_surface(Path("test.bend"), text)
    return "".join([*map(print_import, file.imports), *map(print_declaration, file.declarations)])
