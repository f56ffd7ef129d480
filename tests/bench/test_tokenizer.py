"""`bendml bench tokenizer`, on a small corpus and vocabulary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bendml_cli.bench import bend_tokenizer
from bendml_cli.bench import corpus as corpora
from bendml_cli.bench import tokenizer as bench
from bendml_cli.bench.bend_tokenizer import BendEncoder
from bendml_cli.bench.corpus import LEAST_CHARACTERS, Corpus, make_corpus
from bendml_cli.commands.bench_options import BenchOptions
from bendml_cli.commands.bench_tokenizer import bench_tokenizer
from bendml_cli.engines.cache import CACHE_VARIABLE
from bendml_cli.errors import BendmlError, OutputError
from bendml_cli.tokenizer import files, naive
from bendml_cli.tokenizer.vocabulary import Vocabulary
from tests.bench.fakes import encoder_saying
from tests.tokenizer.made import CORPUS, trained

SMALL = Corpus((CORPUS * 20).encode(), 3)
SPECIALS = ("<|endoftext|>",)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bendml_cache: Path, tools: Path) -> None:
    assert tools.is_dir()
    monkeypatch.setenv(CACHE_VARIABLE, str(bendml_cache))
    vocabulary = trained(specials=SPECIALS)
    files.save(vocabulary, tmp_path / "gpt2")
    monkeypatch.setattr(bench, "gpt2_tokenizer_folder", lambda: tmp_path / "gpt2")
    monkeypatch.setattr(bench, "make_corpus", lambda: SMALL)
    part = naive.encode(vocabulary, SMALL.beginning(bench.BEND_BYTES))
    monkeypatch.setattr(bend_tokenizer, "make_native", lambda _source, folder: encoder_saying(part, folder))


def test_tables_and_a_file_of_pyperfs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tiktoken")
    output = tmp_path / "new" / "bench.json"
    assert bench_tokenizer(BenchOptions(5, 0.01, output, json=False)) == 0
    printed = capsys.readouterr().out
    for words in (
        "native, 1 thread",
        "native, 2 threads",
        "200.00",
        f"SHA-256 {SMALL.sha256}",
        "within 20 s",
        "Bend, 1 thread",
    ):
        assert words in printed
    benchmarks = json.loads(output.read_text())["benchmarks"]
    assert len(benchmarks) == 16
    with pytest.raises(OutputError, match="exists"):
        bench_tokenizer(BenchOptions(5, 0.01, output, json=False))


def test_other_tokens_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tiktoken")

    def wrong(_vocabulary: Vocabulary, _text: bytes) -> list[int]:
        return [1]

    monkeypatch.setattr(naive, "encode", wrong)
    with pytest.raises(BendmlError, match="Python, as defined: the tokens are not those of tiktoken"):
        bench.bench_tokenizer(runs=5, seconds=0.01)


def test_other_tokens_of_bend_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tiktoken")
    monkeypatch.setattr(bend_tokenizer, "make_native", lambda _source, folder: encoder_saying([1], folder))
    with pytest.raises(BendmlError, match="Bend, 1 thread: the tokens are not those of tiktoken"):
        bench.bench_tokenizer(runs=5, seconds=0.01)


def test_what_is_no_token_is_told(tmp_path: Path) -> None:
    encoder = _encoder(encoder_saying([-1], tmp_path), tmp_path)
    with pytest.raises(BendmlError, match="no tokens"):
        encoder.tokens()


def test_the_start_is_taken_off(tmp_path: Path) -> None:
    encoder = _encoder(encoder_saying([1, 2], tmp_path, sleep=0.1), tmp_path)
    assert list(encoder.tokens()) == [1, 2]
    assert encoder.start_seconds() < 0.1
    assert encoder.measure(2, 0) >= 0.2
    assert encoder.measure(2, 0.1) >= 0.1
    assert 0 < encoder.measure(1, 60) < 0.01


def test_the_beginning_ends_with_a_character() -> None:
    assert Corpus("aé你".encode(), 1).beginning(5) == "aé".encode()
    assert Corpus(b"ab", 1).beginning(5) == b"ab"


def _encoder(program: Path, folder: Path) -> BendEncoder:
    text, empty = folder / "text", folder / "empty"
    text.write_text("text")
    empty.touch()
    return BendEncoder(program, folder, text, empty)


def test_the_corpus_is_large_enough_and_the_same_each_time() -> None:
    corpus = make_corpus()
    assert corpus.characters >= LEAST_CHARACTERS
    assert corpus.files > 10
    assert make_corpus().sha256 == corpus.sha256


def test_a_bare_installation_has_a_corpus_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "distributions", list)
    assert LEAST_CHARACTERS <= make_corpus().characters < 2 * LEAST_CHARACTERS
