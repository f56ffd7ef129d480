"""What a check is made of: cases, each run on its own, and how one turned out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from bendml_cli.engines.engine import Engine, Judgement
from bendml_cli.suites.builds import Builds


class Status(StrEnum):
    """How a case turned out. ERROR: no engine's answer could be had, so nothing is known."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case's result: a line of detail, the engines' answers, and files worth keeping (name, text)."""

    status: Status
    detail: str
    judgements: tuple[Judgement, ...] = ()
    keep: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Session:
    """What all cases of a run share. `without_bend` says why Bend itself is not among the engines; `builds` keeps the
    programs that cases build."""

    engines: tuple[Engine, ...]
    require_bend: bool = False
    without_bend: str | None = None
    builds: Builds = field(default_factory=Builds)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a check looks: the project's root and its suite's package, a path from the root."""

    root: Path
    package: Path

    def path(self, name: str) -> Path:
        """A file of the package, from the root."""
        return self.package / name


@dataclass(frozen=True, slots=True)
class Case:
    """The smallest thing with a result of its own. `id` is unique in its suite."""

    suite: str
    id: str
    kind: str
    run: Callable[[Session], Outcome]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case that was run, and for how many seconds."""

    case: Case
    outcome: Outcome
    seconds: float
