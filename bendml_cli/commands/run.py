"""`bendml run`: compile a Bend program, unless that was done before, and run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bend2.native.build import CompilerError
from bendml_cli.bend2.native.compile import Refused
from bendml_cli.bend2.native.make import executable
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.start import program_arguments, start
from bendml_cli.commands.compiling import compiler_failed, native_cache, print_refusal, require_file


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The arguments of `bendml run`."""

    file: Path
    arguments: Sequence[str]
    threads: int | None
    debug: bool
    timeout: float
    cache: bool


def run(options: RunOptions) -> int:
    """Run a program and answer its exit status; 1 when the file is refused. Raises BendmlError."""
    require_file(options.file)
    with native_cache(keep=options.cache) as (programs, tools):
        try:
            program = executable(options.file, Options(debug=options.debug), programs, tools, timeout=options.timeout)
        except Refused as refused:
            print_refusal(refused.error)
            return 1
        except CompilerError as error:
            raise compiler_failed(error) from None
        return start(program, options.file.stem, program_arguments(options.arguments, options.threads))
