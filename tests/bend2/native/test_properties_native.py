"""Properties of compiled programs: random programs compute what the checker and a model in Python do, on one thread and
on two. `BENDML_MORE_EXAMPLES=20` tries twenty times as many of them.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.compile import compile_c
from bendml_cli.bend2.native.options import Options
from tests.bend2.native.generated.bend_types import F32, NAT, U32, T
from tests.bend2.native.generated.edges import OVERFLOWS, edge_program, overflow_program
from tests.bend2.native.program_gen import Program, io_program, program
from tests.bend2.native.scalar_model import NAT_MAX, WORD

FAST = Options()
CHECKED = Options(debug=True, sanitize=True, level=0)
"""Every object on its own, none left at the end, no undefined behaviour."""
SIZE = 5


class Folder(NamedTuple):
    """A folder for programs, and the one of what the C compiler keeps."""

    path: Path
    tools: Path


def examples(count: int) -> settings:
    """How a property is tried: with as many examples, times $BENDML_MORE_EXAMPLES."""
    return settings(
        max_examples=count * int(os.environ.get("BENDML_MORE_EXAMPLES", "1")),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    )


@pytest.fixture(scope="module")
def folder(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Where all examples of this file are put."""
    return Folder(tmp_path_factory.mktemp("properties"), tools)


def compiled(folder: Folder, text: str, options: Options) -> Path:
    """The executable of a program."""
    file, made = folder.path / "program.bend", folder.path / "program"
    file.write_text(text, encoding="utf-8")
    build(compile_c(file).c_text, made, options, folder.tools)
    return made


def outputs(folder: Folder, of: Program, options: Options) -> list[str]:
    """What a program prints when it runs on one thread, and on two."""
    made = compiled(folder, of.text, options)
    found = []
    for threads in ("1", "2"):
        done = subprocess.run([made, "--threads", threads], capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (of.status, b"program: it ends\n" if of.status else b"")
        found.append(done.stdout.decode())
    return found


def checked(folder: Folder, text: str) -> str:
    """What the checker makes of main."""
    file = folder.path / "program.bend"
    file.write_text(text, encoding="utf-8")
    report = check_file(file, main=True, cache=folder.path / "cache")
    assert report.accepted, report.error
    assert report.main is not None
    return plain(report.main)


def plain(printed: str) -> str:
    """A printed value, with numbers past the largest literal as one numeral: they print as `1n+4294967295n`."""
    return re.sub(r"(\d+)n\+(\d+)n", lambda match: f"{int(match[1]) + int(match[2])}n", printed).rstrip("\n")


def agree(folder: Folder, made: Program, options: Options) -> None:
    """The compiled program prints what the model says."""
    note(made.text)
    expected = plain(made.printed)
    assert [plain(each) for each in outputs(folder, made, options)] == [expected] * 2


SOURCES = st.randoms(use_true_random=False)
OPTIONS = st.sampled_from((FAST, CHECKED))


def values_agree(folder: Folder, source: random.Random, options: Options) -> None:
    """A program's value is that of the checker's interpreter and of the model."""
    made = program(source, SIZE)
    note(made.text)
    assert checked(folder, made.text) == plain(made.printed)
    agree(folder, made, options)


def floats_agree(folder: Folder, source: random.Random, options: Options) -> None:
    """A program's value is that of the model, where the checker computes none."""
    agree(folder, program(source, SIZE, opaque=True), options)


def actions_agree(folder: Folder, source: random.Random, options: Options) -> None:
    """A program's output is that of the model."""
    made = io_program(source, SIZE)
    note(made.text)
    assert outputs(folder, made, options) == [made.printed] * 2


@examples(8)
@given(source=SOURCES, options=OPTIONS)
def test_values(folder: Folder, source: random.Random, options: Options) -> None:
    values_agree(folder, source, options)


@examples(8)
@given(source=SOURCES, options=OPTIONS)
def test_values_with_floats(folder: Folder, source: random.Random, options: Options) -> None:
    floats_agree(folder, source, options)


@examples(8)
@given(source=SOURCES, options=OPTIONS)
def test_actions(folder: Folder, source: random.Random, options: Options) -> None:
    actions_agree(folder, source, options)


@pytest.mark.slow
@pytest.mark.parametrize("property_", [values_agree, floats_agree, actions_agree])
@examples(25)
@given(source=SOURCES, options=OPTIONS)
def test_many_programs(
    folder: Folder,
    property_: Callable[[Folder, random.Random, Options], None],
    source: random.Random,
    options: Options,
) -> None:
    property_(folder, source, options)


WORDS = st.integers(0, WORD) | st.sampled_from((0, 1, 2, 31, 32, 33, WORD // 2, WORD // 2 + 1, WORD - 1, WORD))
NATS = st.integers(0, NAT_MAX) | st.integers(0, 99) | st.sampled_from((31, 32, 33, 2**32, 2**47, NAT_MAX - 1, NAT_MAX))
FLOATS = WORDS | st.sampled_from((0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x4B800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000))
NUMBERS = {NAT: NATS, U32: WORDS, F32: FLOATS | FLOATS.map(lambda bits: bits ^ 1 << 31)}


@examples(3)
@given(data=st.data(), options=OPTIONS)
def test_operations_on_numbers(folder: Folder, data: st.DataObject, options: Options) -> None:
    def arguments(types: tuple[T, ...]) -> list[tuple[int, ...]]:
        return data.draw(st.lists(st.tuples(*(NUMBERS[each] for each in types)), min_size=3, max_size=12))

    text, printed = edge_program(arguments)
    agree(folder, Program(text, printed), options)


def test_a_nat_never_wraps(folder: Folder) -> None:
    made = compiled(folder, overflow_program(), FAST)
    for at, (operation, _) in enumerate(OVERFLOWS):
        done = subprocess.run([made, "--", str(at)], capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout) == (1, ""), operation
        assert "a natural number past 281474976710655 (2^48 - 1)" in done.stderr
    done = subprocess.run([made, "--", str(len(OVERFLOWS))], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
