"""A stand-in for an engine, and a small project for it to judge."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bendml_cli.bend2.report import ACCEPTED, REFUSED, ErrorReport, Report
from bendml_cli.engines.engine import Capability, Judgement, Ran, Usage


def accepted(path: Path, **fields: object) -> Report:
    """An accepting report."""
    return Report(path, ACCEPTED, **fields)  # type: ignore[arg-type]


def refused(path: Path, category: str = "mismatch", message: str = "no", **fields: object) -> Report:
    """A refusing report, with an error of these fields."""
    return Report(path, REFUSED, error=ErrorReport(category, message, str(path), **fields))  # type: ignore[arg-type]


@dataclass
class FakeEngine:
    """Answers by `judge`; an exception that it raises becomes the engine's failure."""

    judge: Callable[[Path], Report] = accepted
    name: str = "embedded"
    version: str = "0"
    kernel: bool = False
    calls: list[Path] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def lacks(self, capability: Capability) -> str | None:
        return None if self.kernel else "no kernel"

    def check(self, path: Path, *, main: bool = False) -> Judgement:
        self.calls.append(path)
        try:
            report = self.judge(path)
        except RuntimeError as error:
            return Judgement(self.name, path, None, str(error), Usage(0.1))
        return Judgement(self.name, path, report, None, Usage(0.1, 0.05, 10_000_000))

    def recheck(self, path: Path) -> Judgement:
        return self.check(path)

    def build(self, path: Path, output: Path) -> Ran:
        raise NotImplementedError

    def run(self, path: Path) -> Ran:
        raise NotImplementedError

    def run_binary(self, binary: Path, *arguments: str, threads: int | None = None, stdin: str = "") -> Ran:
        raise NotImplementedError

    def stop(self) -> None:
        self.stopped.set()


SUITE = """\
title: A demonstration
package: bend/demo
checks:
  - kind: proofs
    laws: [id_law]
  - kind: rejects
    id: bad
    file: tests/bad.bend
    category: mismatch
    expected: Mat<3n, 5n>
    observed: Mat<4n, 5n>
  - kind: kernel
"""

MAIN = """\
import Base

def id(n: Nat) -> Nat: n

law id_law:
  for n: Nat
  {id(n) == n : Nat}

def id_law(n): {==}
"""

README = """\
# demo

| Law | Statement | Meaning |
|---|---|---|
| `id_law` | id(n) = n | nothing happens |
"""


def make_project(root: Path, suite: str = SUITE, name: str = "demo") -> Path:
    """Write a project with one suite and one package, and answer its root."""
    for path, text in {
        f"suites/{name}.yaml": suite,
        "bend/demo/main.bend": MAIN,
        "bend/demo/README.md": README,
        "bend/demo/tests/bad.bend": "import Base\ndef main() -> Nat: True{}\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text), encoding="utf-8")
    return root


def demo_judge(path: Path) -> Report:
    """What an engine that is right says of the files of `make_project`."""
    if path.name == "bad.bend":
        return refused(path, expected="Mat<3n, 5n>", observed="Mat<4n, 5n>", definition="main", line=2)
    return accepted(path, laws=["id_law"], definitions=["id"])
