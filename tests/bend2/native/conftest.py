"""What the tests of the native compiler share: programs compiled once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.make import executable
from bendml_cli.bend2.native.options import Options

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def compiled(shared: Path, tools: Path) -> Callable[..., Path]:
    """The executable of a program of `programs/` (by name) or of any path, compiled once."""

    def compile_program(program: str | Path, options: Options | None = None) -> Path:
        path = PROGRAMS / f"{program}.bend" if isinstance(program, str) else program
        return executable(path, options or Options(), shared / "native-programs", tools)

    return compile_program


@pytest.fixture(scope="session")
def runtime_driver(shared: Path, tools: Path) -> Path:
    """The program that drives the C runtime (runtime_driver.c), with every check of memory and behaviour on."""
    program = shared / "runtime-driver"
    if not program.exists():
        source = Path(__file__).with_name("runtime_driver.c").read_text(encoding="utf-8")
        build(source, program, Options(debug=True, sanitize=True, level=1), tools)
    return program
