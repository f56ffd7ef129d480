"""bpe-tokenizer's program for files, compiled and run: its files against plain Python."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from bendml_cli.bend2.native.make import build_to
from bendml_cli.bend2.native.options import Options
from bendml_cli.reference import bpe
from bendml_cli.reference.tokens import TEXTS, corpus

CLI = Path(__file__).parents[2] / "bend/bpe-tokenizer/cli.bend"
README = CLI.parent / "README.md"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> Path:
    folder = tmp_path_factory.mktemp("bpe")
    build_to(folder / "cli", CLI, Options(), folder / "results", tools)
    return folder / "cli"


def run(program: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def done(program: Path, folder: Path, *arguments: str) -> None:
    ran = run(program, folder, *arguments)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def through_files(program: Path, folder: Path, trained: bytes, text: bytes, rules: int) -> None:
    (folder / "corpus").write_bytes(trained)
    (folder / "text").write_bytes(text)
    done(program, folder, "train", "corpus", str(rules), "table")
    done(program, folder, "encode", "table", "text", "tokens")
    done(program, folder, "decode", "table", "tokens", "again")
    table = bpe.train(rules, 0, trained)
    assert (folder / "table").read_text() == "".join(f"{rule.a} {rule.b}\n" for rule in table)
    assert (folder / "tokens").read_text() == "".join(f"{token}\n" for token in bpe.encode(table, text))
    assert (folder / "again").read_bytes() == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_texts(program: Path, tmp_path: Path, text: str) -> None:
    through_files(program, tmp_path, text.encode(), text.encode(), 30)
    through_files(program, tmp_path, README.read_bytes()[:2000], text.encode(), 60)


def test_random_corpora(program: Path, tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(20):
        trained = corpus(rng, rng.randint(0, 400))
        through_files(program, tmp_path, trained, corpus(rng, rng.randint(0, 200)), rng.randint(0, 40))


def test_a_longer_text(program: Path, tmp_path: Path) -> None:
    text = README.read_bytes()
    through_files(program, tmp_path, text, text, 300)


def test_every_byte(program: Path, tmp_path: Path) -> None:
    through_files(program, tmp_path, bytes(range(256)) * 3, bytes(reversed(range(256))), 5)


def test_any_blank_stands_between_numbers(program: Path, tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(b"97 98\r\n\t256   99")
    (tmp_path / "tokens").write_bytes(b"\n257 256\r\n\r\n0")
    done(program, tmp_path, "decode", "table", "tokens", "text")
    assert (tmp_path / "text").read_bytes() == b"abcab\0"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage: cli train FILE RULES TABLE | cli encode TABLE FILE TOKENS | cli decode TABLE TOKENS FILE"),
        (["learn", "text", "3", "new"], "usage: "),
        (["train", "text", "3", "new", "more"], "usage: "),
        (["train", "nothing", "3", "new"], "nothing: No such file or directory"),
        (["train", ".", "3", "new"], ".: Is a directory"),
        (["train", "text", "-3", "new"], "RULES is no number: -3"),
        (["train", "text", "3", "no/new"], "no/new: No such file or directory"),
        (["encode", "text", "text", "new"], "text: not all of it is numbers"),
        (
            ["encode", "early", "text", "new"],
            "early: no table: a rule lacks a token, or names one that is not made before",
        ),
        (
            ["encode", "half", "text", "new"],
            "half: no table: a rule lacks a token, or names one that is not made before",
        ),
        (["decode", "table", "text", "new"], "text: not all of it is numbers"),
        (["decode", "table", "unknown", "new"], "unknown: no token of the table: 257"),
        (["decode", "table", "huge", "new"], "huge: no token of the table: 4000000000"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(program: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    for name, text in {
        "text": "abc",
        "table": "97 98\n",
        "early": "97 256\n",
        "half": "97 98\n256\n",
        "unknown": "256\n257\n258\n",
        "huge": "9" * 40,
    }.items():
        (tmp_path / name).write_text(text)
    ran = run(program, tmp_path, *arguments)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr.startswith(f"cli: {said}")
    assert ran.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()
