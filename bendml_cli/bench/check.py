"""How fast the embedded checker is: whole processes, as a user starts them, without and with a warm cache."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from bendml_cli import __version__
from bendml_cli.bend2.api import with_deep_stack
from bendml_cli.bend2.core.book import Book
from bendml_cli.bend2.source import SourceMap
from bendml_cli.bend2.syntax.modules import read_book
from bendml_cli.engines.cache import CACHE_VARIABLE
from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.engines.process import Finished, ProcessGroup
from bendml_cli.errors import BendmlError
from bendml_cli.evidence.facts import engine_facts, host_facts
from bendml_cli.evidence.models import EngineFacts, HostFacts

_LIMIT = 600.0


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Timing(_Model):
    """Some runs of one command, in seconds; `cpu_seconds` is the processor time of the fastest."""

    seconds: list[float]
    cpu_seconds: float

    @property
    def best(self) -> float:
        return min(self.seconds)


class PackageTiming(_Model):
    """One package, timed three ways.

    `cold`: no cache, so all of Base is checked too. `edited`: Base is known to the cache and the package is not, as
    after each edit. `unchanged`: the package is known too. `definitions` counts the package's types, definitions and
    laws, `base_definitions` those of Base.
    """

    package: str
    definitions: int
    base_definitions: int
    cold: Timing
    edited: Timing
    unchanged: Timing

    @property
    def cold_rate(self) -> float:
        """Definitions per second in a cold process, those of Base included."""
        return (self.definitions + self.base_definitions) / self.cold.best

    @property
    def edited_rate(self) -> float:
        """The package's own definitions per second, the start of the process included."""
        return self.definitions / self.edited.best


class CheckBench(_Model):
    """The whole benchmark: how often each command ran, by what, where, and the times."""

    bendml: str
    engine: EngineFacts
    host: HostFacts
    runs: int
    packages: list[PackageTiming]


def measure_packages(packages: list[Path], *, runs: int) -> CheckBench:
    """Time `bendml check-file` on each package's main.bend, `runs` times in each of the three ways.

    Raises BendmlError when a package is not accepted: the time of a refusal says nothing.
    """
    return CheckBench(
        bendml=__version__,
        engine=engine_facts(EmbeddedEngine()),
        host=host_facts(),
        runs=runs,
        packages=[_measure(package, runs) for package in packages],
    )


def _measure(package: Path, runs: int) -> PackageTiming:
    own, base = _definitions(package / "main.bend")
    with tempfile.TemporaryDirectory(prefix="bendml-bench-") as name:
        folder = Path(name)
        copy = folder / "package"
        shutil.copytree(package, copy)
        main, cache = copy / "main.bend", folder / "cache"
        text = main.read_text(encoding="utf-8")
        cold = [_time(main, cache, "--no-cache") for _ in range(runs)]
        _time(main, cache)
        edited = []
        for number in range(runs):
            main.write_text(f"{text}\n# edit {number}\n", encoding="utf-8")
            edited.append(_time(main, cache))
        unchanged = [_time(main, cache) for _ in range(runs)]
    return PackageTiming(
        package=package.name,
        definitions=own,
        base_definitions=base,
        cold=_timing(cold),
        edited=_timing(edited),
        unchanged=_timing(unchanged),
    )


def _definitions(main: Path) -> tuple[int, int]:
    """How many declarations a file has, and how many Base has."""
    book: Book = with_deep_stack(lambda: read_book(main, sources=SourceMap()))
    modules = [d.module for table in (book.definitions, book.datatypes) for d in table.values()]
    return sum(module is book.entry for module in modules), sum(module.is_base for module in modules)


def _timing(runs: list[Finished]) -> Timing:
    fastest = min(runs, key=lambda run: run.seconds)
    return Timing(seconds=[round(run.seconds, 4) for run in runs], cpu_seconds=round(fastest.cpu_seconds, 4))


def _time(main: Path, cache: Path, *arguments: str) -> Finished:
    command = [sys.executable, "-P", "-m", "bendml_cli", "check-file", str(main), *arguments]
    done = ProcessGroup().run(command, _LIMIT, env={**os.environ, CACHE_VARIABLE: str(cache)})
    if done.code:
        raise BendmlError(f"{main} is not accepted:\n{done.stdout}{done.stderr}", "only accepted packages are timed")
    return done
