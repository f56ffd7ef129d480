"""bend/gpt2's tokenizer, compiled, with a small vocabulary: every range of characters, and what the program says."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
import regex

from bendml_cli.bend2.native.make import build_to
from bendml_cli.bend2.native.options import Options
from bendml_cli.reference.gpt2_files import SPECIAL, write_numbers
from bendml_cli.reference.gpt2_texts import TEXTS, random_bytes, random_text
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.classes import class_ranges
from bendml_cli.tokenizer.files import save
from bendml_cli.tokenizer.tokenizer import Tokenizer
from tests.tokenizer.made import CORPUS, trained

GPT2 = Path(__file__).parents[2] / "bend/gpt2"
VOCABULARY = trained(600, (SPECIAL,))
END = VOCABULARY.size - 1
PYTHON = Tokenizer(VOCABULARY, backend=Backend.PYTHON)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> Path:
    """The program for files; `small` beside it is the vocabulary's folder."""
    folder = tmp_path_factory.mktemp("gpt2")
    build_to(folder / "cli", GPT2 / "cli.bend", Options(), folder / "results", tools)
    (folder / "small").mkdir()
    save(VOCABULARY, folder / "small")
    write_numbers(folder / "small", folder / "small")
    return folder / "cli"


def run(program: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)


def through_files(program: Path, folder: Path, texts: Iterable[bytes]) -> None:
    """The ids of all texts are those of the tokenizer in Python, and decode to the texts."""
    texts = list(texts)
    files = [folder / str(index) for index in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text)
    ran = run(program, "encode", program.parent / "small", *files)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = [[int(word) for word in line.split()] for line in ran.stdout.split("\n")]
    assert lines == [*(PYTHON.encode(text) for text in texts), []]
    (folder / "ids").write_text(ran.stdout)
    ran = run(program, "decode", program.parent / "small", folder / "ids", folder / "again")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert (folder / "again").read_bytes() == b"".join(texts)


def test_texts(program: Path, tmp_path: Path) -> None:
    through_files(program, tmp_path, (text.encode() for text in TEXTS.values()))


def test_random_texts_and_bytes(program: Path, tmp_path: Path) -> None:
    rng = random.Random(8)
    through_files(program, tmp_path, (random_text(rng, rng.randint(0, 40)).encode() for _ in range(300)))
    through_files(program, tmp_path, (random_bytes(rng, rng.randint(0, 40)) for _ in range(300)))


def test_the_first_and_the_last_character_of_every_range_and_its_neighbours(program: Path, tmp_path: Path) -> None:
    if f"regex {regex.__version__} " not in (GPT2 / "ranges.bend").read_text():
        pytest.skip(f"the table was made by another regex than {regex.__version__}")
    codes = {0, 0x10FFFF}
    for first, last, _ in class_ranges():
        codes |= {first - 1, first, last, last + 1}
    chars = [chr(code) for code in sorted(codes) if not 0xD800 <= code < 0xE000]
    # A letter joins letters, a number numbers, white space leaves its last character to a word.
    through_files(program, tmp_path, ["".join(f"a{char}1{char}!{char} {char}" for char in chars).encode()])


def test_a_text_of_several_parts(program: Path, tmp_path: Path) -> None:
    through_files(program, tmp_path, [(CORPUS * 4).encode(), b"a" * 3000, b" \n" * 1200 + b"a", b"'s" * 1500])


def test_every_line_of_ids_is_decoded(program: Path, tmp_path: Path) -> None:
    (tmp_path / "ids").write_bytes(b"64\r\n 65\t66\n\n%d" % END)
    run(program, "decode", program.parent / "small", tmp_path / "ids", tmp_path / "text")
    assert (tmp_path / "text").read_text() == "abc<|endoftext|>"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage: cli encode FOLDER FILE.. | cli decode FOLDER IDS FILE"),
        (["learn", "small", "ids"], "usage: "),
        (["encode", "small"], "usage: "),
        (["decode", "small", "ids"], "usage: "),
        (["decode", "small", "ids", "new", "more"], "usage: "),
        (["encode", "none", "ids"], "none/merges.table: No such file or directory"),
        (["encode", "small", "none"], "none: No such file or directory"),
        (["decode", "small", "words", "new"], "words: not all of it is numbers"),
        (["decode", "small", "large", "new"], f"large: no token has the id {END + 1}"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    for name, text in {"ids": "64", "words": "abc", "large": f"{END} {END + 1} {END + 2}"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "small").symlink_to(program.parent / "small")
    monkeypatch.chdir(tmp_path)
    ran = run(program, *arguments)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"cli: {said}")
    assert ran.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()
