"""YAML with the line of each value, so that a message about a value can say where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bendml_cli.errors import SuiteError

Loc = Sequence[str | int]
"""The way to a value: keys and positions from the document's root."""


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML document: its plain data, and the tree that knows the lines."""

    data: Any
    _root: yaml.Node

    def line(self, loc: Loc) -> int:
        """The line of the value at `loc`, or of the nearest value around it that is there."""
        node = self._root
        line = node.start_mark.line
        for step in loc:
            match node:
                case yaml.MappingNode():
                    found = [(key, value) for key, value in node.value if key.value == step]
                case yaml.SequenceNode() if isinstance(step, int) and step < len(node.value):
                    found = [(node.value[step], node.value[step])]
                case _:
                    found = []
            if not found:
                break
            key, node = found[0]
            line = key.start_mark.line
        return line + 1


def read_document(path: Path, shown: Path) -> Document:
    """Read a YAML file that holds one document.

    Raises SuiteError, which calls the file `shown`, when it cannot be read, is no YAML, or writes a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SuiteError(shown, [(None, "", f"cannot be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise SuiteError(shown, [(None, "", "cannot be read: it is not UTF-8 text")]) from error
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        data = yaml.safe_load(text)
        twice = _repeated_keys(root) if root is not None else []
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        what = f"is not valid YAML: {error.problem or error.context}"
        raise SuiteError(shown, [(mark.line + 1 if mark else None, "", what)]) from error
    except yaml.YAMLError as error:
        raise SuiteError(shown, [(None, "", f"is not valid YAML: {error}")]) from error
    except RecursionError as error:
        raise SuiteError(shown, [(None, "", "is nested too deep, or in itself")]) from error
    if root is None:
        raise SuiteError(shown, [(None, "", "is empty")])
    if twice:
        raise SuiteError(shown, twice)
    return Document(data, root)


def _repeated_keys(node: yaml.Node) -> list[tuple[int | None, str, str]]:
    problems: list[tuple[int | None, str, str]] = []
    match node:
        case yaml.MappingNode():
            seen: set[str] = set()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen:
                        problems.append((key.start_mark.line + 1, key.value, "is written twice"))
                    seen.add(key.value)
                problems += _repeated_keys(value)
        case yaml.SequenceNode():
            for item in node.value:
                problems += _repeated_keys(item)
    return problems
