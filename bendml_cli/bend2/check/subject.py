"""What is being checked: one definition, one instance of a template, or one datatype."""

from __future__ import annotations

from dataclasses import dataclass, field

from bendml_cli.bend2.check.descent import Column
from bendml_cli.bend2.core.book import Definition, Module
from bendml_cli.bend2.core.values import Thunk


@dataclass(slots=True, eq=False)
class Instance:
    """One tuple of `~` arguments of a template. `checking` is True while its body is being checked."""

    name: str
    checking: bool = True


@dataclass(slots=True, eq=False)
class Subject:
    """The text under check.

    `name` is how errors call it (a key, or `key~i` for an instance). `columns` are its parameters as the matches
    passed so far refine them. `constants` gives the types of a template's own `~` constants in its generic check.
    `caller` is what made this instance.
    """

    name: str
    module: Module
    definition: Definition | None = None
    unsafe: bool = False
    columns: list[Column] = field(default_factory=list)
    constants: dict[str, Thunk] = field(default_factory=dict)
    instance: Instance | None = None
    caller: Subject | None = None

    @property
    def level(self) -> int:
        """How many instances stand inside one another here."""
        return 0 if self.caller is None else self.caller.level + 1

    @property
    def in_base(self) -> bool:
        """Is this Base's own text, or an instance that it makes?"""
        return self.module.is_base if self.caller is None else self.caller.in_base

    @property
    def template_text(self) -> bool:
        """Is this the one generic check of a template, where template calls make no instances?"""
        return self.definition is not None and self.definition.templates > 0 and self.instance is None
