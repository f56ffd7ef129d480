"""Reading small programs in tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bendml_cli.bend2.core.book import Book
from bendml_cli.bend2.source import BendError, SourceMap
from bendml_cli.bend2.syntax.modules import read_book
from tests.bend2.syntax.core_text import core_text

BASE = Path(__file__).parent / "small_base.bend"


@dataclass
class Refusal:
    """A refusal, as tests name it: its category, its line in its file, its column, and its text."""

    category: str
    line: int | None
    column: int | None
    message: str
    hint: str | None = None

    @property
    def place(self) -> tuple[str, int | None]:
        return self.category, self.line


def read(text: str, *, entry: str = "main.bend", **files: str) -> Book:
    """The book of a program; `files` are its other files, by name with `__` for `/` and without `.bend`."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / entry).write_bytes(text.encode("utf-8"))
        for name, content in files.items():
            path = root / f"{name.replace('__', '/')}.bend"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8"))
        return read_book(root / entry, base=BASE)


def refusal(text: str, **files: str) -> Refusal:
    """How a program is refused."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "main.bend").write_bytes(text.encode("utf-8"))
        for name, content in files.items():
            path = root / f"{name.replace('__', '/')}.bend"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8"))
        sources = SourceMap()
        try:
            read_book(root / "main.bend", base=BASE, sources=sources)
        except BendError as error:
            source = sources.at(error.position)
            if source is None:
                return Refusal(error.category, None, None, error.message, error.hint)
            line, column = source.line_of(error.position), source.column_of(error.position)
            return Refusal(error.category, line, column, error.message, error.hint)
    raise AssertionError("the program was read")


def body(text: str, key: str = "f", **files: str) -> str:
    """The core of a def's body, in a program that imports Base."""
    core = read("import Base\n" + text, **files).definitions[key].body
    assert core is not None
    return core_text(core)


def claim(text: str, key: str = "f", **files: str) -> str:
    """The core of a declaration's type, in a program that imports Base."""
    return core_text(read("import Base\n" + text, **files).definitions[key].type)


def term(text: str) -> str:
    """The core of a term, the result of a def without parameters."""
    return body(f"def f() -> Nat:\n  {text}\n")


def term_refusal(text: str) -> Refusal:
    """How a term on line 3 is refused."""
    return refusal(f"import Base\ndef f() -> Nat:\n  {text}\n")
