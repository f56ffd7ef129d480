"""What top-level names mean in one module (reading.md, Names; language.md section 1)."""

from __future__ import annotations

from bendml_cli.bend2.core.book import Book, Datatype, Module
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.context import Context
from bendml_cli.bend2.syntax.match import check_block


class Names(Context):
    """The names of one module, over the tables of the book as they grow."""

    def __init__(self, book: Book, module: Module) -> None:
        self.book = book
        self.module = module
        self.constructors = self
        self._prefix = f"{module.namespace}:" if module.namespace else ""

    def declared(self, key: str) -> bool:
        """Whether a key names anything, in any table."""
        book = self.book
        return key in book.definitions or key in book.datatypes or key in book.constructors

    def through_alias(self, name: str) -> str | None:
        """The key in the aliased module, if the name's first word is an alias."""
        first, dot, rest = name.partition(".")
        if not dot:
            return None
        namespace = self.module.aliases.get(first)
        if namespace is None:
            return None
        return f"{namespace}:{rest}" if namespace else rest

    def resolve(self, name: str, position: int) -> str:
        """The key that a name means; raises a name clash if it exists both through an alias and bare."""
        if "." in name and self.module.aliases:
            aliased = self.through_alias(name)
            if aliased is not None:
                bare = self.declared(name)
                if not self.declared(aliased):
                    return name if bare else aliased
                if bare and aliased != name:
                    raise BendError(
                        "name-clash",
                        position,
                        f"'{name}' means two things: a name of the imported file, and the name itself",
                        hint="import the file under another alias",
                    )
                return aliased
        if self._prefix:
            own = self._prefix + name
            if self.declared(own) or not self.declared(name):
                return own
        return name

    def type_key(self, name: str, position: int) -> str:
        """The key of the type in `name<..>`: a dotted own name must be declared above."""
        key = self.resolve(name, position)
        if self._prefix and "." in name and key == self._prefix + name and not self.declared(key):
            return name
        return key

    def datatype(self, name: str, position: int) -> Datatype | None:
        """The datatype that a name means, if it is declared above."""
        return self.book.datatypes.get(self.resolve(name, position))

    # Declaring

    def declare(self, name: str, position: int, *, constructor: bool = False) -> str:
        """The key of a new name; raises a name clash."""
        if self.through_alias(name) is not None:
            raise BendError(
                "name-clash",
                position,
                f"'{name}' lies under the alias '{name.partition('.')[0]}' of an import",
                hint="choose another name; only a law of that file may be filled under its alias",
            )
        key = self._prefix + name
        for taken in (key, name):
            if self._taken(taken, constructor):
                what = "a constructor" if constructor else "a top-level name"
                origin = "" if taken == key and not self._of_base(taken) else " by Base"
                raise BendError(
                    "name-clash",
                    position,
                    f"'{name}' is declared already{origin} as {what}",
                    hint="choose another",
                )
        return key

    def _taken(self, key: str, constructor: bool) -> bool:
        if constructor:
            return key in self.book.constructors
        return key in self.book.definitions or key in self.book.datatypes

    def _of_base(self, key: str) -> bool:
        found = self.book.definitions.get(key) or self.book.datatypes.get(key)
        if found is None and key in self.book.constructors:
            found = self.book.datatypes.get(self.book.constructors[key].datatype)
        return found is not None and found.module.is_base and not self.module.is_base

    def is_constructor_of_base(self, key: str) -> bool:
        """Is there such a constructor, of Base? Without Base, a file may declare one of the same key."""
        constructor = self.book.constructors.get(key)
        datatype = None if constructor is None else self.book.datatypes.get(constructor.datatype)
        return datatype is not None and datatype.module.is_base

    # What the parser asks

    @property
    def fills_unknown_laws(self) -> bool:
        return False

    def check_name(self, name: str, position: int) -> None:
        if "." in name and self.module.aliases:
            self.resolve(name, position)

    def templates_of(self, name: str) -> int:
        definition = self.book.definitions.get(self.resolve(name, -1))
        return 0 if definition is None else definition.templates

    def open_law(self, name: str, position: int) -> int | None:
        key = self.law_key(name)
        definition = self.book.definitions.get(key)
        if definition is None or not definition.is_law:
            self.declare(name, position)
            return None
        if definition.fill_pos >= 0:
            raise BendError("name-clash", position, f"the law '{name}' is filled already", hint="remove one of the two")
        if definition.module.is_base and not self.module.is_base:
            raise BendError("name-clash", position, f"'{name}' is a primitive of Base, which takes no body")
        return definition.templates

    def law_key(self, name: str) -> str:
        """The key that `def name` would fill: through an alias, or the module's own."""
        aliased = self.through_alias(name)
        return self._prefix + name if aliased is None else aliased

    def end_block(self, body: s.Surface) -> None:
        check_block(body)

    # The protocol of patterns.Constructors

    def field_count(self, name: str, position: int) -> int | None:
        constructor = self.book.constructors.get(self.resolve(name, position))
        return None if constructor is None else len(constructor.fields)

    def constructor_key(self, name: str, position: int) -> str:
        return self.resolve(name, position)

    def sugar_declared(self, key: str) -> bool:
        return key in self.book.constructors
