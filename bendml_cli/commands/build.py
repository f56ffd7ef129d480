"""`bendml build`: compile a Bend program to an executable."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bend2.native.build import CompilerError
from bendml_cli.bend2.native.compile import Refused
from bendml_cli.bend2.native.make import build_to
from bendml_cli.bend2.native.options import Options
from bendml_cli.commands.compiling import compiler_failed, native_cache, print_refusal, require_file
from bendml_cli.errors import BendmlError


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The arguments of `bendml build`."""

    file: Path
    output: Path
    debug: bool
    portable: bool
    timeout: float
    cache: bool


def build(options: BuildOptions) -> int:
    """Make an executable, whole or not at all; answers 1 when the file is refused. Raises BendmlError and OSError."""
    require_file(options.file)
    if options.output.is_dir():
        raise BendmlError(
            f"{options.output} is a folder", f"name a file in it: -o {options.output / options.file.stem}"
        )
    if options.output.exists() and options.output.samefile(options.file):
        raise BendmlError(f"{options.output} is the program's own text, which an executable must not replace")
    if not options.output.absolute().parent.is_dir():
        raise BendmlError(f"there is no folder {options.output.parent} to put {options.output.name} into")
    how = Options(debug=options.debug, native=not options.portable)
    with native_cache(keep=options.cache) as (programs, tools):
        try:
            build_to(options.output, options.file, how, programs, tools, timeout=options.timeout)
        except Refused as refused:
            print_refusal(refused.error)
            return 1
        except CompilerError as error:
            raise compiler_failed(error) from None
    return 0
