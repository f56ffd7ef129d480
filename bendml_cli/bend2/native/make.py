"""From a Bend file to an executable that is kept."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.compile import compile_c
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.store import Store


def executable(path: Path, options: Options, results: Path, tools: Path, *, timeout: float = 60.0) -> Path:
    """The executable of a file, made where there is none. `timeout` bounds the evaluation of each definition.

    `results` is the folder of executables, `tools` the one of what the C compiler keeps, for all programs. Raises
    Refused for a file that is not compiled, CompilerError, and OSError where a folder cannot be written.
    """
    store = Store(results)
    kept = store.find(path, options)
    if kept is not None:
        return kept
    compiled = compile_c(path, timeout=timeout)
    program = store.program(options, compiled.c_text)
    if program is None:
        store.programs.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=store.programs, prefix=".made-") as name:
            made = Path(name) / "program"
            build(compiled.c_text, made, options, tools)
            program = store.add(options, compiled.c_text, made)
    store.keep(path, options, compiled.files, program)
    return program


def build_to(output: Path, path: Path, options: Options, results: Path, tools: Path, *, timeout: float = 60.0) -> None:
    """Put the executable of a file at `output`, whole or not at all. Raises what `executable` raises."""
    program = executable(path, options, results, tools, timeout=timeout)
    with TemporaryDirectory(dir=output.absolute().parent, prefix=".bendml-") as name:
        made = Path(name) / "program"
        shutil.copy(program, made)
        made.replace(output)
