"""What `bendml run`, `build` and `compile` share: the cache, and their refusals."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bendml_cli.bend2.native.build import CompilerError
from bendml_cli.bend2.report import ErrorReport
from bendml_cli.diagnostics import error_lines
from bendml_cli.engines.cache import native_programs, native_tools
from bendml_cli.errors import BendmlError


def require_file(path: Path) -> None:
    """Raises BendmlError when a path is no plain file."""
    if path.is_dir():
        raise BendmlError(f"{path} is a folder", f"name a file in it, such as {path / 'main.bend'}")
    if not path.exists():
        raise BendmlError(f"there is no file {path}")
    if not path.is_file():
        raise BendmlError(f"{path} is no plain file", "save the program in a file")


@contextmanager
def native_cache(*, keep: bool = True) -> Iterator[tuple[Path, Path]]:
    """The folders for executables and for the C compiler; passing ones where none can be written. With `keep` False,
    the first is a passing one at any rate."""
    programs, tools = native_programs(), native_tools()
    with TemporaryDirectory(prefix="bendml-") as name:
        try:
            tools.mkdir(parents=True, exist_ok=True)
            programs.mkdir(parents=True, exist_ok=True)
        except OSError:
            programs, tools = Path(name) / "programs", Path(name) / "tools"
        if sys.stderr is not None and sys.stderr.isatty() and not (tools / "zig").exists():
            print("preparing the C compiler, this once: some seconds", file=sys.stderr, flush=True)
        yield (programs if keep else Path(name) / "programs"), tools


def print_refusal(error: ErrorReport) -> None:
    """Say on standard error why a file is not compiled."""
    for line in error_lines(error):
        print("".join(text for _, text in line).rstrip(), file=sys.stderr)


def compiler_failed(error: CompilerError) -> BendmlError:
    """The compiler's failure as an error of bendml."""
    way_out = "" if error.log is None else f"this is a fault of bendml; all of it is in {error.log}"
    return BendmlError(error.message, way_out)
