"""From `--engine` to engines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bendml_cli.engines.bend import why_unavailable
from bendml_cli.engines.choice import EngineChoice
from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.engines.engine import Engine
from bendml_cli.errors import EngineUnavailable


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines of a run, and why Bend itself is not among them (None when it is)."""

    chosen: tuple[Engine, ...]
    without_bend: str | None


def choose_engines(choice: EngineChoice, *, cache: Path | None = None) -> Engines:
    """The engines that a choice names. `auto` is Bend where it can be used, else the embedded engine.

    Raises EngineUnavailable when Bend was asked for by name and cannot be used.
    """
    reason = why_unavailable()
    match choice:
        case EngineChoice.BEND | EngineChoice.BOTH:
            raise EngineUnavailable(
                f"--engine {choice}: {reason}", "use --engine embedded, which needs nothing but bendml"
            )
        case EngineChoice.AUTO | EngineChoice.EMBEDDED:
            return Engines((EmbeddedEngine(cache=cache),), reason)
