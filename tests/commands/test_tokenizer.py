"""`bendml tokenizer`, from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bendml_cli.engines.cache import CACHE_VARIABLE
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.tokenizer import Tokenizer
from bendml_cli.toolchain.store import VARIABLE
from tests.tokenizer.made import CORPUS, trained

BROKEN = b"half a character: \xe4\xbd, none: \xff\xfe\x00 <|end|> \r\n"


@dataclass(frozen=True)
class Bendml:
    """The command, as it is started from a shell."""

    cache: Path

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "bendml_cli", "tokenizer", *map(str, arguments)]
        # No GPT-2 is installed there, and none can be fetched.
        without = {CACHE_VARIABLE: str(self.cache), VARIABLE: "/dev/null/nowhere"}
        return subprocess.run(command, input=stdin, capture_output=True, check=False, env={**os.environ, **without})


@pytest.fixture
def bendml(bendml_cache: Path, tools: Path) -> Bendml:
    assert tools.is_dir()
    return Bendml(bendml_cache)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer."""
    folder = tmp_path_factory.mktemp("tokenizer")
    Tokenizer(trained(specials=("<|end|>",)), backend=Backend.PYTHON).save(folder)
    return folder


def said(done: subprocess.CompletedProcess[bytes], status: int = 0) -> str:
    """What was printed on the error output. The status must be this one."""
    assert done.returncode == status, done.stderr.decode()
    return done.stderr.decode()


@pytest.mark.parametrize("backend", ["native", "python"])
def test_train_encode_and_decode_files(bendml: Bendml, tmp_path: Path, backend: str) -> None:
    text, made, ids, again = (tmp_path / name for name in ("text", "made", "ids", "again"))
    text.write_bytes(CORPUS.encode() + BROKEN)
    done = bendml("train", text, "-o", made, "--size", "300", "--special", "<|end|>", "--backend", backend)
    assert "300 tokens from" in said(done)
    assert json.loads((made / "vocab.json").read_text())["<|end|>"] == 299
    said(bendml("encode", text, "-t", made, "-o", ids, "--specials", "--threads", "2", "--backend", backend))
    assert "299" in ids.read_text().split()
    said(bendml("decode", ids, "-t", made, "-o", again))
    assert again.read_bytes() == text.read_bytes()


def test_standard_input_and_output(bendml: Bendml, folder: Path, tmp_path: Path) -> None:
    done = bendml("encode", "-t", folder, stdin=BROKEN)
    assert said(done) == ""
    expected = Tokenizer.load(folder).encode(BROKEN)
    assert [int(word) for word in done.stdout.split()] == expected
    assert bendml("decode", "-", "-t", folder, stdin=done.stdout).stdout == BROKEN
    binary = bendml("encode", "-t", folder, "--binary", stdin=BROKEN)
    assert binary.stdout == b"".join(number.to_bytes(4, "little") for number in expected)
    assert bendml("decode", "-t", folder, "--binary", stdin=binary.stdout).stdout == BROKEN
    assert said(bendml("train", "-", "-o", tmp_path / "new", "--size", "258", stdin=b"ab ab ab")).startswith("258 ")
    nothing = bendml("encode", "-t", folder)
    assert (said(nothing), nothing.stdout) == ("", b"")


def test_kept_ids_are_the_same(bendml: Bendml, folder: Path) -> None:
    first, second = (bendml("encode", "-t", folder, "--cache", stdin=CORPUS.encode()) for _ in range(2))
    assert said(first) == said(second) == ""
    assert first.stdout == second.stdout == bendml("encode", "-t", folder, stdin=CORPUS.encode()).stdout
    assert [*(bendml.cache / "corpora").glob("*.ids")]


@pytest.mark.parametrize(
    ("ids", "options", "what"),
    [
        (b"1 2 400\n", [], "error: no token has the id 400, number 3 of the ids"),
        (b"1 x2", [], "error: -: 'x2', word 2, is not an id"),
        (b"1 -2", [], "error: -: '-2', word 2, is not an id"),
        (b"1\v2\f-2", [], "error: -: '-2', word 3, is not an id"),
        (b"1 " + b"9" * 5000, [], "error: -: '99999999999999999999999999999999', word 2, is not an id"),
        (b"1 \xff", [], r"error: -: '\xff', word 2, is not an id"),
        (b"\1\0\0", ["--binary"], "error: -: 3 bytes are no whole number of 32-bit ids"),
        (b"\xff\xff\xff\xff", ["--binary"], "error: no token has the id 4294967295, number 1 of the ids"),
    ],
)
def test_bad_ids_are_named(bendml: Bendml, folder: Path, ids: bytes, options: list[str], what: str) -> None:
    done = bendml("decode", "-t", folder, *options, stdin=ids)
    assert said(done, 2).startswith(what)
    assert done.stdout == b""


def test_bad_merges_are_named(bendml: Bendml, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_bytes((folder / "vocab.json").read_bytes())
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\nabc d\n")
    assert "merges.txt:2: 'ab' has no id" in said(bendml("encode", "-t", tmp_path), 2)


def test_what_is_there_is_not_replaced(bendml: Bendml, folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    for command in ("encode", "decode"):
        assert f"{there} exists" in said(bendml(command, "-t", folder, "-o", there), 2)
    assert "vocab.json exists" in said(bendml("train", there, "-o", folder), 2)
    assert there.read_text() == "mine"


def test_what_is_not_there_is_named(bendml: Bendml, folder: Path, tmp_path: Path) -> None:
    assert "nowhere: No such file" in said(bendml("encode", tmp_path / "nowhere", "-t", folder), 2)
    assert "there is no " in said(bendml("encode", "-t", tmp_path), 2)
    assert "/dev/null/nowhere" in said(bendml("encode"), 2)
    assert "has no room" in said(bendml("train", "-", "-o", tmp_path / "new", "--size", "200"), 2)
    assert not (tmp_path / "new").exists()


def test_special_tokens_that_cannot_be_written_are_named(bendml: Bendml, tmp_path: Path) -> None:
    for special, what in (("a", "'a' is how the files write"), (os.fsdecode(b"\xff"), "has a lone surrogate")):
        done = bendml("train", "-", "-o", tmp_path / "new", "--size", "300", "--special", special, stdin=b"a a")
        assert what in said(done, 2)
    assert not (tmp_path / "new").exists()


def test_white_space_of_any_kind_is_between_ids(bendml: Bendml, folder: Path) -> None:
    assert said(bendml("decode", "-t", folder, stdin=b"\v1\f2\r\n3\t")) == ""


def test_fewer_tokens_than_were_wanted_are_told(bendml: Bendml, tmp_path: Path) -> None:
    done = bendml("train", "-", "-o", tmp_path / "new", "--size", "5000", stdin=b"ab ab ab ab")
    assert "note: no pair of tokens is left that comes 2 times" in said(done)
