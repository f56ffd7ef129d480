"""The book: every declaration read from an entry file and what it imports, ready to be checked.

Made by syntax/ (reading), judged by check/.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bendml_cli.bend2.core.terms import Term
from bendml_cli.bend2.source import SourceMap


@dataclass(slots=True, eq=False)
class Module:
    """One file. `namespace` is "" for the entry and for Base, else the path from the entry's folder without `.bend`.

    `aliases` maps each alias to a namespace, in the order written. `todos` counts `?TODO`s as read (some twice: see
    reading.md), `todo_places` says where they stand.
    """

    namespace: str
    path: Path
    is_base: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    imports: list[Path] = field(default_factory=list)
    todos: int = 0
    todo_places: list[int] = field(default_factory=list)

    def spell(self, key: str) -> str:
        """How this file's errors write a key: bare for its own and Base's names, else by the first alias of the
        key's module, else by the module's path (`lib/box.Box`)."""
        namespace, colon, name = key.rpartition(":")
        if not colon or namespace == self.namespace:
            return name
        for alias, target in self.aliases.items():
            if target == namespace:
                return f"{alias}.{name}"
        return f"{namespace}.{name}"


def spell_by_path(key: str) -> str:
    """How a normal form writes a key: a module's name by its path from the entry's folder."""
    return key.replace(":", ".", 1)


@dataclass(slots=True, eq=False)
class Parameter:
    """A binder of a datatype's parameters or a constructor's fields; `type` may use the earlier ones."""

    quantity: str
    name: str
    type: Term
    pos: int = -1


@dataclass(slots=True, eq=False)
class Constructor:
    """`K{fields}`. Field types stand under the datatype's parameters and the earlier fields."""

    key: str
    datatype: str
    fields: tuple[Parameter, ...]
    pos: int = -1


@dataclass(slots=True, eq=False)
class Datatype:
    """`type D<parameters> is kind:`. `kind` stands under the parameters. `quantity_block` is the number of leading
    parameters of type Quant. `constructors` are keys in declaration order."""

    key: str
    parameters: tuple[Parameter, ...]
    kind: Term
    quantity_block: int
    constructors: list[str]
    module: Module
    pos: int = -1


@dataclass(slots=True, eq=False)
class Definition:
    """A def or a law.

    `type` is the closed function type of all parameters (a law's clauses and claim). `arity` is the number of
    parameters the def's text names (a fill's names, for a filled law). `templates` counts the leading `~` parameters.
    `body` is a closed term that starts with the lambdas and matches of the parameters; None for an open law and for a
    foreign def. `fill_pos` and `fill_module` say where a law was filled.
    """

    key: str
    type: Term
    arity: int
    module: Module
    pos: int
    templates: int = 0
    body: Term | None = None
    unsafe: bool = False
    is_law: bool = False
    foreign: tuple[str, ...] = ()
    fill_pos: int = -1
    fill_module: Module | None = None


@dataclass(slots=True)
class Item:
    """One thing to check, in load order: `what` is "type", "def", "law" or "fill" (a law's body, at its fill)."""

    what: str
    key: str


@dataclass(slots=True, eq=False)
class Book:
    """All modules and declarations. Types live with defs in one table for names (their keys never clash)."""

    sources: SourceMap
    modules: list[Module] = field(default_factory=list)
    datatypes: dict[str, Datatype] = field(default_factory=dict)
    constructors: dict[str, Constructor] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)

    @property
    def entry(self) -> Module:
        """The module of the entry file (loaded last)."""
        return self.modules[-1]
