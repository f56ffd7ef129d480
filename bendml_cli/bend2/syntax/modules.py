"""Files and imports: from an entry file to the book (language.md section 1; reading.md, Declarations)."""

from __future__ import annotations

import os
from pathlib import Path

from bendml_cli.bend2.core.book import Book, Module
from bendml_cli.bend2.source import NOWHERE, BendError, Source, SourceMap
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.declare import FileReader

BASE = Path(__file__).parent.parent / "base.bend"


def read_book(entry: Path, *, base: Path | None = None, sources: SourceMap | None = None) -> Book:
    """Read a file and all that it imports, Base from `base` (our own by default).

    The files read are registered in `sources`, so that a caller can look up the position of an error.

    Raises BendError for the first error of reading, in the order of reading.md, "Which error comes first": files that
    cannot be read are errors of category "import".
    """
    return _Loader(entry, BASE if base is None else base, SourceMap() if sources is None else sources).load()


class _Loader:
    """Loads files depth first; one real file is one module."""

    def __init__(self, entry: Path, base: Path, sources: SourceMap) -> None:
        self.entry = entry
        self.base = _real(base)
        self.folder = _real(entry).parent
        self.book = Book(sources)
        self.loaded: dict[Path, Module] = {}
        self.open: list[Path] = []

    def load(self) -> Book:
        real = _real(self.entry)
        self._module(self.entry, real, NOWHERE, is_base=real == self.base)
        self._check_laws(real)
        return self.book

    def _check_laws(self, entry: Path) -> None:
        """A PROOF.bend must import, directly or through others, the LAWS.bend beside it."""
        laws = entry.parent / "LAWS.bend"
        if entry.name == "PROOF.bend" and laws.is_file() and _real(laws) not in self.loaded:
            raise BendError(
                "import",
                NOWHERE,
                "PROOF.bend does not import the LAWS.bend beside it",
                hint="add 'import ./LAWS.bend as Laws' and fill its laws as 'def Laws.name(..):'",
            )

    def _module(self, path: Path, real: Path, position: int, *, is_base: bool) -> Module:
        """Load a file, its imports first; `position` is the import that asks for it."""
        source = self._source(path, real, position)
        namespace = "" if is_base or not self.open else self._namespace(real)
        module = Module(namespace, path, is_base)
        self.open.append(real)
        reader = FileReader(source, self.book, module)
        while (line := reader.import_line()) is not None:
            self._import(line, path, module)
        reader.read_all()
        self.open.pop()
        self.loaded[real] = module
        self.book.modules.append(module)
        return module

    def _source(self, path: Path, real: Path, position: int) -> Source:
        """The text of a file; raises an import error where it is asked for."""
        data = b""
        try:
            data = real.read_bytes()
            return self.book.sources.add(path, data.decode("utf-8"))
        except FileNotFoundError:
            problem = f"there is no file {path}"
        except IsADirectoryError:
            problem = f"{path} is a folder, not a file"
        except OSError as error:
            problem = f"cannot read {path}: {error.strerror}"
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            problem = f"{path} is not UTF-8 text (line {line})"
            if position == NOWHERE:
                source = self.book.sources.add(path, data.decode("utf-8", "replace"))
                position = source.start + len(data[: error.start].decode("utf-8"))
        if position == NOWHERE:
            # The entry is asked for by nobody: its own start is where we can point.
            position = self.book.sources.add(path, "").start
        raise BendError("import", position, problem)

    def _namespace(self, real: Path) -> str:
        """A module's path from the entry's folder, without `.bend`."""
        hub = _hub()
        if real.is_relative_to(hub):
            return real.relative_to(hub).with_suffix("").as_posix()
        return Path(os.path.relpath(real, self.folder)).with_suffix("").as_posix()

    def _import(self, line: s.Import, path: Path, module: Module) -> None:
        """One import line: load the file if it is new, and give it its alias."""
        if not line.path:
            target, is_base = self.base, True
        else:
            target, is_base = self._target(line, path), False
        real = _real(target)
        is_base = is_base or real == self.base
        if line.alias in module.aliases:
            raise BendError(
                "import",
                line.pos,
                f"the alias '{line.alias}' is taken by an import above",
                hint="choose another alias",
            )
        if real in self.open:
            names = " -> ".join(part.name for part in [*self.open[self.open.index(real) :], real])
            raise BendError("import", line.pos, f"these files import each other: {names}")
        imported = self.loaded.get(real)
        if imported is None:
            imported = self._module(target, real, line.pos, is_base=is_base)
        module.imports.append(imported.path)
        if line.alias:
            module.aliases[line.alias] = imported.namespace

    def _target(self, line: s.Import, path: Path) -> Path:
        """The file that an import's path means."""
        first = line.path.partition("/")[0]
        if "@" in first or first.startswith("0x"):
            target = _hub() / line.path
            if not target.is_file():
                raise BendError(
                    "import",
                    line.pos,
                    f"the package file {line.path} is not in the hub cache {_hub()}",
                    hint="put it there, or set BEND_LIB to the folder that has it",
                )
            return target
        return path.parent / line.path


def _real(path: Path) -> Path:
    """The real file of a path; links that run in a circle stay as they are, and fail when they are read."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def _hub() -> Path:
    """The folder of downloaded packages."""
    return Path(os.environ.get("BEND_LIB") or Path.home() / ".bend" / "lib").resolve()
