"""`bendml run` of a program that was built before: no command line library, no checker, no compiler is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.start import program_arguments, start
from bendml_cli.bend2.native.store import Store
from bendml_cli.engines.cache import native_programs


def run_kept(words: Sequence[str]) -> int | None:
    """The exit status of a program that the words after `run` name, or None where the command line must decide.

    Only the plain form is read here: `FILE [--threads N] [-- ARGUMENTS]`.
    """
    own = list(words)
    arguments: list[str] = []
    if "--" in own:
        at = own.index("--")
        own, arguments = own[:at], own[at + 1 :]
    threads: int | None = None
    match own:
        case [file]:
            pass
        case [file, "--threads", number] if number.isascii() and number.isdigit() and int(number) > 0:
            threads = int(number)
        case _:
            return None
    path = Path(file)
    if file.startswith("-") or not path.is_file():
        return None
    program = Store(native_programs()).find(path, Options())
    if program is None:
        return None
    try:
        return start(program, path.stem, program_arguments(arguments, threads))
    except OSError:
        return None
