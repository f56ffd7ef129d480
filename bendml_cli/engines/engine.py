"""The interface of an engine, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from bendml_cli.bend2.report import Report

Capability = Literal["kernel"]
"""What only some engines do. `kernel`: judge a file a second time with an independent kernel."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost the machine. `None` where the platform or a killed process does not say.

    `cpu_seconds` is user and system time together; only a program that is not bendml's own is split into the two.
    """

    seconds: float
    cpu_seconds: float | None = None
    peak_resident_bytes: int | None = None
    user_seconds: float | None = None
    system_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One engine's answer on one file.

    `report` is None when the engine gave none: then `failure` says why (it crashed, ran out of time, was stopped).
    `output` is what the engine wrote besides its answer. `transcript` is all that was asked and answered, where the
    answer was read from words that are meant for people.
    """

    engine: str
    file: Path
    report: Report | None
    failure: str | None
    usage: Usage
    output: str = ""
    transcript: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program was built or run: its exit status, what it wrote, and what it cost. `failure` says why there is
    no result (it was ended, or did not end with status 0), or is None."""

    engine: str
    code: int
    stdout: str
    stderr: str
    failure: str | None
    usage: Usage


class Engine(Protocol):
    """Judges, builds and runs Bend files; each call runs in a process of its own."""

    @property
    def name(self) -> str:
        """The name that evidence carries: `embedded` or `bend`."""

    @property
    def version(self) -> str:
        """The version that evidence carries."""

    def lacks(self, capability: Capability) -> str | None:
        """Why this engine cannot do something, or None when it can."""

    def check(self, path: Path, *, main: bool = False) -> Judgement:
        """Judge a file and everything that it imports; with `main`, give main's normal form too. Never raises."""

    def recheck(self, path: Path) -> Judgement:
        """Judge a file with the second kernel. Raises ValueError on an engine that lacks `kernel`."""

    def build(self, path: Path, output: Path) -> Ran:
        """Compile a program to an executable. Never raises."""

    def run(self, path: Path) -> Ran:
        """Check a program and run its main. Never raises."""

    def run_binary(self, binary: Path, *arguments: str, threads: int | None = None, stdin: str = "") -> Ran:
        """Run what `build` made, on so many threads, in its own folder, with this standard input. Never raises."""

    def stop(self) -> None:
        """End every call that is running, at once. A later call answers with a failure."""
