"""`bendml compile`: print what the compiler makes of a file, at a stage."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bend2.native.compile import STAGES, Refused, compile_c, show_core, show_ir, show_surface
from bendml_cli.commands.compiling import print_refusal, require_file
from bendml_cli.commands.stages import Emit, IrStage


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """The arguments of `bendml compile`."""

    file: Path
    emit: Emit
    stage: IrStage
    timeout: float


def compile_file(options: CompileOptions) -> int:
    """Print a stage; answers 1 when the file is refused. Raises BendmlError."""
    require_file(options.file)
    try:
        sys.stdout.write(_text(options))
    except Refused as refused:
        print_refusal(refused.error)
        return 1
    return 0


def _text(options: CompileOptions) -> str:
    match options.emit:
        case Emit.SURFACE:
            return show_surface(options.file)
        case Emit.CORE:
            return show_core(options.file, timeout=options.timeout)
        case Emit.IR:
            stage = next(each for each in STAGES if each == options.stage)
            return show_ir(options.file, stage, timeout=options.timeout)
        case Emit.C:
            return compile_c(options.file, timeout=options.timeout).c_text
