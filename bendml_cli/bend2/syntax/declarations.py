"""Reading declarations and import lines (reading.md, Declarations)."""

from __future__ import annotations

import re

from bendml_cli.bend2.core.terms import ERASED, PLAIN, TEMPLATE
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.bodies import BodyReader
from bendml_cli.bend2.syntax.cursor import KEYWORDS

_IMPORT_LINE = re.compile(r"import[^\n]*")
_IMPORT = re.compile(r"import[ \t]+([^\s#]+)(?:[ \t]+as[ \t]+([A-Za-z_][A-Za-z0-9_]*))?[ \t\r]*(?:#.*)?$", re.DOTALL)
_FILE_WORD = r"[A-Za-z_][A-Za-z0-9_-]*"
_LOCAL_PATH = re.compile(rf"(?:\./|(?:\.\./)+|/)?{_FILE_WORD}(?:/{_FILE_WORD})*\.bend")
_HUB_PATH = re.compile(
    rf"(?:{_FILE_WORD}(?:/{_FILE_WORD})*@[0-9]+(?:\.[0-9]+)*|0x[0-9A-Fa-f]+)(?:/{_FILE_WORD})+\.bend"
)
_FOREIGN_PATH = re.compile(r'"([^"]*)"')
_NOT_LEADING = "the mark ~ stands only on the first parameters of a def, in one run"


class DeclarationReader(BodyReader):
    """Reads a file from its imports to its last declaration, one thing at a time."""

    # Imports

    def import_line(self) -> s.Import | None:
        """The next line if it starts with `import`, else None: the imports are over.

        Raises an import error for a line that is none of the two forms.
        """
        if not self.at_keyword("import"):
            return None
        pos = self.position()
        line = _IMPORT_LINE.match(self.text, self.at)
        assert line is not None
        found = _IMPORT.match(line.group())
        hint = "write 'import Base', or 'import ./file.bend as Name' with Name one word"
        if found is None:
            raise BendError("import", pos, "this import line is none of the two forms", hint=hint)
        path, alias = found.groups()
        self.move(line.end())
        if path == "Base" and alias is None:
            return s.Import(pos, "", "")
        if path == "Base":
            raise BendError("import", pos, "Base takes no alias", hint="write 'import Base'")
        if alias is None or alias in KEYWORDS:
            raise BendError("import", pos, "an import of a file needs an alias of one word", hint=hint)
        if _LOCAL_PATH.fullmatch(path) is None and _HUB_PATH.fullmatch(path) is None:
            raise BendError(
                "import",
                pos,
                f"'{path}' is no path of a Bend file",
                hint="a path is ./, ../ or / at most once in front, then words of letters, digits, _ and -, then .bend",
            )
        return s.Import(pos, path, alias)

    # Declarations

    def declaration(self) -> s.Declaration | None:
        """The start of the next declaration with what is read of it up to its name's meaning; None at the end.

        What is read in parts (constructors, a def's body) is left to `constructor` and `def_body`, since names become
        known in between.
        """
        self.dotted.clear()
        if self.at_end():
            return None
        if self.take_keyword("type"):
            return self._type()
        if self.take_keyword("law"):
            return self._law()
        if self.take_keyword("def"):
            return self._def("")
        if self.peek() == "@":
            self.move(self.at + 1)
            if self.glued and self.take_keyword("unsafe") and self.take_keyword("def"):
                return self._def("@unsafe")
            raise self.error("'@unsafe def'")
        if self.at_keyword("import"):
            raise self.error("a declaration", hint="imports stand at the top of the file, before everything else")
        hint = "this case stands left of its match's first case" if self.at_keyword("case") else None
        raise self.error("a declaration: type, law, def or @unsafe def", hint=hint)

    def new_name(self, pos: int, name: str) -> None:
        """A top-level name is declared here: raises a name clash. (For the reader in modules.py to provide.)"""

    def new_constructor(self, pos: int, name: str) -> None:
        """A constructor is declared here: raises a name clash. (For the reader in modules.py to provide.)"""

    def _type(self) -> s.TypeDecl:
        pos = self.position()
        name = self.name("the name of the type")
        self.new_name(pos, name)
        parameters = self._binders("<", ">", templates=False) if self.peek() == "<" else []
        if not self.take_keyword("is"):
            raise self.error("'is' and the kind of the type")
        kind = self.term()
        self.expect(":", "and the constructors of the type")
        return s.TypeDecl(pos, name, parameters, kind)

    def constructor(self) -> s.ConstructorDecl | None:
        """The next constructor of a type, or None when they are over."""
        if not self.starts_name():
            if self.peek() in "@\0" or not self.word() or self.word() in ("def", "type", "law"):
                return None
            raise self.error("a constructor, or the next declaration")
        pos = self.position()
        name = self.name("the name of a constructor")
        self.new_constructor(pos, name)
        if self.peek() != "{":
            raise self.error("'{' and the fields of the constructor")
        fields = self._binders("{", "}", templates=False)
        seen: set[str] = set()
        for binder in fields:
            if binder.name in seen and binder.name != "_":
                raise BendError("name-clash", binder.pos, f"two fields of '{name}' are called '{binder.name}'")
            seen.add(binder.name)
        return s.ConstructorDecl(pos, name, fields)

    def _binders(self, opening: str, closing: str, *, templates: bool) -> list[s.Binder]:
        """Binders between brackets, with optional single commas."""
        self.expect(opening, "")
        binders: list[s.Binder] = []
        while True:
            if binders:
                self.take(",")
            if self.take(closing):
                return binders
            binder = self._binder()
            if binder.quantity == TEMPLATE and not (templates and all(b.quantity == TEMPLATE for b in binders)):
                raise BendError("template", binder.pos, _NOT_LEADING, hint="move it in front of the other parameters")
            binders.append(binder)

    def _binder(self) -> s.Binder:
        quantity = PLAIN
        if self.peek() in "~-+":
            quantity = self.peek()
            self.move(self.at + 1)
        pos = self.position()
        name = self.binder_name("the name of a parameter or field")
        if quantity == PLAIN and self.peek() != ":":
            return s.Binder(ERASED, name, pos, None)
        self.expect(":", "and a type after the name")
        return s.Binder(quantity, name, pos, self.term())

    def _law(self) -> s.LawDecl:
        pos = self.position()
        name = self.name("the name of the law")
        self.new_name(pos, name)
        self.expect(":", "after the name of the law")
        clauses: list[s.Clause] = []
        while True:
            clause_pos = self.position()
            if self.take_keyword("for"):
                clauses.append(self._clause(clause_pos, False, clauses))
            elif self.take_keyword("exs"):
                clauses.append(self._clause(clause_pos, True, clauses))
            else:
                break
        return s.LawDecl(pos, name, clauses, self.block())

    def _clause(self, pos: int, exists: bool, before: list[s.Clause]) -> s.Clause:
        quantity = PLAIN
        if not exists and self.peek() in "~-+":
            quantity = self.peek()
            self.move(self.at + 1)
        name_pos = self.position()
        name = self.binder_name("the name of the clause")
        if quantity == TEMPLATE and not all(clause.quantity == TEMPLATE for clause in before):
            raise BendError("template", name_pos, "the mark ~ stands only on the first clauses of a law, in one run")
        self.expect(":", "and a type after the name")
        type_ = self.term()
        where = self.term() if self.take_keyword("where") else None
        return s.Clause(pos, exists, quantity, name, name_pos, type_, where)

    def _def(self, mark: str) -> s.DefDecl:
        """A def up to the colon before its body."""
        pos = self.position()
        name = self.name("the name of the def")
        fills = self.context.open_law(name, pos)
        if self.glued and self.take("?"):
            mark = mark or "?"
        if fills is not None:
            parameters = self._fill_names(fills)
            result = None
        else:
            if self.peek() != "(":
                raise self.error("'(' and the parameters of the def")
            parameters = self._binders("(", ")", templates=True)
            result = self._result()
        self.expect(":", "before the body of the def")
        return s.DefDecl(pos, name, mark, parameters, result, [], None)

    def _result(self) -> s.Surface | None:
        if self.take("->"):
            return self.term()
        if self.context.fills_unknown_laws:
            return None
        raise self.error(
            "'->' and the result type of the def",
            hint="only a def of a law declared above has no result type",
        )

    def _fill_names(self, templates: int) -> list[s.Binder]:
        """The names of a fill: `x`, or `x: Quant` with or without a mark, which says nothing."""
        self.expect("(", "and the names of the law's clauses")
        names: list[s.Binder] = []
        while True:
            if names:
                self.take(",")
            if self.peek() == ")":
                break
            marked = self.peek() in "-+"
            if marked:
                self.move(self.at + 1)
            pos = self.position()
            name = self.binder_name("the name of a clause")
            if marked and self.peek() != ":":
                hint = "the law's clause gives the quantity: write the bare name"
                raise self.error("': Quant' after a marked name", hint=hint)
            if self.take(":") and not self.take_keyword("Quant"):
                raise self.error("Quant", hint="the law's clause gives the type: write the bare name")
            names.append(s.Binder(PLAIN, name, pos, None))
        if len(names) < templates:
            raise self.error("a name for each ~ clause of the law")
        self.move(self.at + 1)
        return names

    def def_body(self, declaration: s.DefDecl) -> None:
        """The body of a def: foreign paths or a body."""
        while self.at_keyword("import"):
            self.move(self.at + len("import"))
            found = _FOREIGN_PATH.match(self.text, self.at)
            if found is None or not found.group(1).endswith((".c", ".js")):
                raise self.error('a path in quotes that ends in .c or .js, as in import "./effect.c"')
            declaration.foreign.append(found.group(1))
            self.move(found.end())
        if not declaration.foreign:
            declaration.body = self.body(0)


def leading_templates(quantities: list[str]) -> int:
    """The number of leading `~` marks."""
    count = 0
    for quantity in quantities:
        if quantity != TEMPLATE:
            break
        count += 1
    return count
