"""Properties of compiled programs: random programs compute what the checker and a model in Python do."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.compile import compile_c
from bendml_cli.bend2.native.options import Options
from tests.bend2.native.program_gen import Program, io_program, program

FAST = Options()
CHECKED = Options(debug=True, sanitize=True, level=1)
"""Every object on its own, none left at the end, no undefined behaviour."""
SIZE = 6


def examples(count: int) -> settings:
    return settings(
        max_examples=count,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    )


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder for all examples of this file, in which Base is checked, and the runtime compiled, once."""
    with TemporaryDirectory() as name:
        yield Path(name)


def outputs(folder: Path, text: str, options: Options, *args: str) -> list[str]:
    """What a program prints when it runs on one thread, and on two."""
    file, made = folder / "program.bend", folder / "program"
    file.write_text(text, encoding="utf-8")
    build(compile_c(file).c_text, made, options, folder / "tools")
    found = []
    for threads in ("1", "2"):
        done = subprocess.run([made, "--threads", threads, *args], capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        found.append(done.stdout.decode())
    return found


def checked(folder: Path, text: str) -> str:
    """What the checker makes of main."""
    file = folder / "program.bend"
    file.write_text(text, encoding="utf-8")
    report = check_file(file, main=True, cache=folder / "cache")
    assert report.accepted, report.error
    assert report.main is not None
    return plain(report.main)


def plain(printed: str) -> str:
    """A printed value, with numbers past the largest literal as one numeral: they print as `1n+4294967295n`."""
    return re.sub(r"(\d+)n\+(\d+)n", lambda match: f"{int(match[1]) + int(match[2])}n", printed).rstrip("\n")


def agree(folder: Path, made: Program, options: Options) -> None:
    """The compiled program prints what the model says."""
    note(made.text)
    expected = plain(made.printed)
    assert [plain(each) for each in outputs(folder, made.text, options)] == [expected] * 2


SOURCES = st.randoms(use_true_random=False)
OPTIONS = st.sampled_from((FAST, CHECKED))


@examples(12)
@given(source=SOURCES, options=OPTIONS)
def test_values_are_those_of_the_checker_and_of_a_model(folder: Path, source: random.Random, options: Options) -> None:
    made = program(source, SIZE)
    note(made.text)
    assert checked(folder, made.text) == plain(made.printed)
    agree(folder, made, options)


@examples(8)
@given(source=SOURCES, options=OPTIONS)
def test_values_with_floats_are_those_of_a_model(folder: Path, source: random.Random, options: Options) -> None:
    agree(folder, program(source, SIZE, opaque=True), options)


@examples(8)
@given(source=SOURCES, options=OPTIONS)
def test_actions_print_what_a_model_says(folder: Path, source: random.Random, options: Options) -> None:
    made = io_program(source, SIZE)
    note(made.text)
    assert outputs(folder, made.text, options) == [made.printed] * 2
