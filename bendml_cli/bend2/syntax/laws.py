"""The laws of one file, as text, from its surface syntax alone: for the audit of laws."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bend2.source import SourceMap
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.context import Context
from bendml_cli.bend2.syntax.declarations import DeclarationReader
from bendml_cli.bend2.syntax.printer import print_term


@dataclass(frozen=True, slots=True)
class ClauseText:
    """`for quantity name: type where where` (`exists` False) or `exs name: type where where`."""

    exists: bool
    quantity: str
    name: str
    type: str
    where: str | None


@dataclass(frozen=True, slots=True)
class LawText:
    """A law as its file says it, canonically spaced; `line` is that of its name."""

    name: str
    clauses: tuple[ClauseText, ...]
    claim: str
    line: int


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's imports and declarations, and the source their positions are in."""

    imports: tuple[s.Import, ...]
    declarations: tuple[s.Declaration, ...]
    sources: SourceMap

    def line_of(self, position: int) -> int:
        """The line of a declaration's position."""
        source = self.sources.at(position)
        assert source is not None
        return source.line_of(position)


def read_surface(path: Path, *, sources: SourceMap | None = None) -> FileText:
    """Read a file by itself: its imports are not followed and names are not looked up.

    Raises BendError for syntax, and OSError or UnicodeDecodeError for a file that cannot be read."""
    return parse_surface(path, path.read_bytes().decode("utf-8"), sources=sources)


def parse_surface(path: Path, text: str, *, sources: SourceMap | None = None) -> FileText:
    """`read_surface` for a text that is at hand; `path` is its name in errors. Raises BendError for syntax."""
    sources = SourceMap() if sources is None else sources
    reader = DeclarationReader(sources.add(path, text), Context())
    imports = []
    while (line := reader.import_line()) is not None:
        imports.append(line)
    declarations = []
    while (declaration := reader.declaration()) is not None:
        match declaration:
            case s.TypeDecl():
                while (constructor := reader.constructor()) is not None:
                    declaration.constructors.append(constructor)
            case s.DefDecl():
                reader.def_body(declaration)
            case s.LawDecl():
                pass
        declarations.append(declaration)
    return FileText(tuple(imports), tuple(declarations), sources)


def laws_of(path: Path) -> list[LawText]:
    """The laws that a file states, in order. Raises what `read_surface` raises."""
    file = read_surface(path)
    laws = []
    for declaration in file.declarations:
        if isinstance(declaration, s.LawDecl):
            clauses = tuple([_clause(clause) for clause in declaration.clauses])
            claim = print_term(declaration.claim)
            laws.append(LawText(declaration.name, clauses, claim, file.line_of(declaration.pos)))
    return laws


def _clause(clause: s.Clause) -> ClauseText:
    where = None if clause.where is None else print_term(clause.where)
    return ClauseText(clause.exists, clause.quantity, clause.name, print_term(clause.type), where)
