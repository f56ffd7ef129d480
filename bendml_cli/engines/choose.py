"""From `--engine` to engines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bendml_cli.engines.bend import BendEngine
from bendml_cli.engines.bend_program import BendProgram, find_bend, is_as_released
from bendml_cli.engines.choice import EngineChoice
from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.engines.engine import Engine
from bendml_cli.errors import EngineUnavailable


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines of a run, and why Bend itself is not among them (None when it is). `with_bend` says which Bend it
    is, when it is."""

    chosen: tuple[Engine, ...]
    without_bend: str | None
    with_bend: str | None = None


def choose_engines(choice: EngineChoice, *, cache: Path | None = None) -> Engines:
    """The engines that a choice names. `auto` is Bend where it can be used, else the embedded engine.

    Raises EngineUnavailable when Bend was asked for by name and cannot be used.
    """
    embedded = EmbeddedEngine(cache=cache)
    if choice is EngineChoice.EMBEDDED:
        return Engines((embedded,), "--engine embedded leaves it out")
    try:
        program = find_bend()
    except EngineUnavailable as error:
        if choice is EngineChoice.AUTO:
            return Engines((embedded,), error.message)
        raise EngineUnavailable(
            f"--engine {choice}: {error.message}",
            f"{error.way_out}; or use --engine embedded, which needs nothing but bendml",
        ) from None
    bend = BendEngine(program)
    chosen = (bend, embedded) if choice is EngineChoice.BOTH else (bend,)
    return Engines(chosen, None, f"{_told(program)}, of {program.origin}")


def _told(program: BendProgram) -> str:
    """What may be said of a program that has only told its version."""
    match is_as_released(program):
        case True:
            return f"the pinned {program.version}, as it was released"
        case False:
            return f"one that calls itself {program.version} and is not the file that was released"
        case None:
            return f"one that calls itself {program.version}"
