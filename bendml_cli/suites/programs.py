"""Running Bend programs, for the checks that compare what they print."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bendml_cli.engines.engine import Engine, Judgement, Ran, Usage
from bendml_cli.errors import ReferenceUnavailable
from bendml_cli.suites.case import Outcome, Session, Status


@dataclass(slots=True)
class Program:
    """A program that was built. `seconds`, `cpu_seconds` and `peak` add up what running it has cost."""

    engine: Engine
    path: Path
    binary: Path
    seconds: float = 0.0
    cpu_seconds: float | None = None
    peak: int | None = None

    def run(self, *arguments: str, threads: int | None = None, stdin: str = "") -> Ran:
        """Run it, on so many threads."""
        ran = self.engine.run_binary(self.binary, *arguments, threads=threads, stdin=stdin)
        usage = ran.usage
        self.seconds += usage.seconds
        if usage.cpu_seconds is not None:
            self.cpu_seconds = (self.cpu_seconds or 0.0) + usage.cpu_seconds
        if usage.peak_resident_bytes is not None:
            self.peak = max(self.peak or 0, usage.peak_resident_bytes)
        return ran

    def judgement(self) -> Judgement:
        """What all of its runs cost, for the evidence: no verdict on the file."""
        return Judgement(self.engine.name, self.path, None, None, Usage(self.seconds, self.cpu_seconds, self.peak))

    def run_on(self, text: str, *arguments: str) -> Ran:
        """Run it with these arguments and one more, a file that holds this text."""
        with tempfile.TemporaryDirectory(prefix="bendml-cases-") as folder:
            file = Path(folder) / "cases"
            file.write_text(text, encoding="utf-8")
            return self.run(*arguments, str(file))


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a program: the status, a line about it, and what is worth keeping."""

    status: Status
    detail: str
    keep: Mapping[str, str] = field(default_factory=dict)


def skipped(error: ReferenceUnavailable) -> Found:
    """What is found where something that a check compares with cannot be had."""
    return Found(Status.SKIPPED, f"{error.message}: {error.way_out}" if error.way_out else error.message)


def with_program(session: Session, root: Path, path: Path, look: Callable[[Program], Found]) -> Outcome:
    """Build the program at `root / path` with every engine, look at each, and put the findings together.

    Fails when one look does, and passes only when all do.
    """
    found: list[tuple[str, Found]] = []
    judgements: list[Judgement] = []
    for engine in session.engines:
        one, asked = _with_engine(session, engine, root, path, look)
        found.append((engine.name, one))
        judgements += asked
    worst = max((one.status for _, one in found), key=_SEVERITY.index)
    alone = len(found) == 1
    details = [one.detail if alone else f"{name}: {one.detail}" for name, one in found if one.status is worst]
    keep = {f"{name}/{file}": text for name, one in found for file, text in one.keep.items()}
    return Outcome(worst, "; ".join(details), tuple(judgements), keep)


_SEVERITY = [Status.PASSED, Status.SKIPPED, Status.ERROR, Status.FAILED]


def _with_engine(
    session: Session, engine: Engine, root: Path, path: Path, look: Callable[[Program], Found]
) -> tuple[Found, list[Judgement]]:
    built = session.builds.build(engine, root / path)
    ran = built.ran
    # What building cost is told once. It is no verdict on the file.
    asked = [Judgement(engine.name, path, None, ran.failure, ran.usage)] if built.fresh or ran.failure else []
    if ran.failure is not None:
        output = f"{ran.stdout}\n{ran.stderr}".strip()
        return Found(Status.ERROR, f"cannot be built: {ran.failure}", {"build": output} if output else {}), asked
    program = Program(engine, path, built.binary)
    found = look(program)
    return found, [*asked, program.judgement()]
