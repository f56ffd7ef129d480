"""The contestants that are programs: Bend programs made native, and their peers in C.

Each takes two arguments, how many passes to make before the clock starts and how many to time. It prints the timed
passes' milliseconds and a number by which its result is known.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bench.contest import Contestant, Setup
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.start import program_arguments
from bendml_cli.bend2.native.zig import find_zig
from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.engines.process import Finished, ProcessGroup
from bendml_cli.errors import BendmlError
from bendml_cli.project import find_project

PEERS = Path(__file__).parent / "peers"
_LIMIT = 600.0
_WARM_SHARE = 5
"""For so many timed passes, one before."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program printed."""

    seconds: float
    result: str


@dataclass(frozen=True, slots=True)
class Program:
    """An executable, called with some arguments and then the two numbers. `expected` is what its result must be,
    where that is the same after any number of passes."""

    path: Path
    arguments: list[str]
    name: str
    expected: str | None = None

    def measure(self, passes: int) -> float:
        """Time so many passes. Raises BendmlError when it fails, or its result is wrong."""
        answer = self.answer(self.warmups(passes), passes)
        if self.expected is not None and answer.result != self.expected:
            raise BendmlError(
                f"{self.name}: the result is {answer.result}, and not {self.expected}", "a wrong result has no speed"
            )
        return answer.seconds

    def answer(self, warmups: int, passes: int) -> Answer:
        """Run it. Raises BendmlError when it fails."""
        done = run_program([str(self.path), *self.arguments, str(warmups), str(passes)], self.name)
        words = done.stdout.split()
        if len(words) != 2:
            raise _failure(done, self.name)
        return Answer(float(words[0]) / 1000, words[1])

    @staticmethod
    def warmups(passes: int) -> int:
        """How many passes come before so many timed ones."""
        return -(-passes // _WARM_SHARE)


def run_program(command: list[str], name: str) -> Finished:
    """Run a command to its end. Raises BendmlError, which calls it `name`, when it fails."""
    try:
        done = ProcessGroup().run(command, _LIMIT)
    except OSError as error:
        raise BendmlError(f"{name} cannot be started: {error.strerror}") from None
    if done.timed_out:
        raise BendmlError(f"{name}: no answer within {_LIMIT:g} s")
    if done.code:
        raise _failure(done, name)
    return done


def _failure(done: Finished, name: str) -> BendmlError:
    said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
    return BendmlError(f"{name} ended with status {done.code} and said: {said}")


def make_native(source: str, folder: Path) -> Path:
    """The executable of a Bend file of the project, made in a folder.

    Raises BendmlError when the file is not there, not accepted, or cannot be compiled.
    """
    path = find_project().root / source
    if not path.exists():
        raise BendmlError(f"there is no {path}", "run bendml in a checkout of the project that has its benchmarks")
    made = folder / path.stem
    built = EmbeddedEngine().build(path, made)
    if built.failure is not None:
        raise BendmlError(built.failure)
    return made


def bend_program(source: str, folder: Path, name: str, expected: str | None = None) -> Program:
    """The program of bend/bench of this file name made native, in a folder, on one thread.

    Raises BendmlError when it is not accepted or cannot be compiled.
    """
    made = make_native(f"bend/bench/{source}", folder)
    return Program(made, [*program_arguments((), 1), "--"], name, expected)


def c_program(source: str, folder: Path, name: str) -> Program:
    """The peer of this file name, compiled into a folder by the pinned compiler with the flags of Bend programs.

    Raises BendmlError when that fails.
    """
    zig = find_zig()
    if zig is None:
        raise BendmlError("the C compiler is not installed", "pip install bendml installs it: the package ziglang")
    made = folder / f"peer-{Path(source).stem}"
    command = [str(zig.program), "cc", *Options().flags(), str(PEERS / source), "-o", str(made)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BendmlError(f"the C compiler refuses {source}: {done.stderr.strip()}")
    return Program(made, [], name)


def against_c(name: str, folder: Path, *, title: str, operations: int, unit: str, required: float | None) -> Setup:
    """The program of bend/bench of this name, and its peer in C, both compiled into a folder, and agreed.

    Raises BendmlError when one fails, or they do not answer the same.
    """
    ours, peer = bend_program(f"{name}.bend", folder, "Bend"), c_program(f"{name}.c", folder, "C")
    mine, theirs = ours.answer(1, 1).result, peer.answer(1, 1).result
    if mine != theirs:
        raise BendmlError(
            f"{ours.name} answers {mine}, and {peer.name} {theirs}", "programs that differ are not compared"
        )
    return Setup(
        name=name,
        title=title,
        operations=operations,
        unit=unit,
        peer=Contestant(peer.name, peer.measure),
        contestants=[Contestant(ours.name, ours.measure, required=required)],
    )
