"""Decoding, and what happens without a C compiler."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendml_cli.bend2.native.build import CompilerError, build_library
from bendml_cli.bend2.native.options import Options
from bendml_cli.engines.cache import CACHE_VARIABLE
from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer import native, tokenizer
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.tokenizer import NativeFallback, Tokenizer, train
from tests.tokenizer.made import CORPUS, trained


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a new process, with an empty cache."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(native, "_loaded", native._loaded.__wrapped__)
    tokenizer._notice.cache_clear()


def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "find_zig", lambda: None)


def failing_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise CompilerError("the C compiler failed\nall of it")

    monkeypatch.setattr(native, "build_library", fail)


def damaged_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_sources: object, _headers: object, output: Path, *_: object) -> None:
        output.write_bytes(b"no library")

    monkeypatch.setattr(native, "build_library", write)


@pytest.mark.usefixtures("nothing_loaded")
@pytest.mark.parametrize("trouble", [no_compiler, failing_compiler, damaged_library])
def test_without_a_compiler_python_does_it_with_one_notice(
    monkeypatch: pytest.MonkeyPatch, trouble: Callable[[pytest.MonkeyPatch], None]
) -> None:
    trouble(monkeypatch)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        first = Tokenizer(trained())
        second = Tokenizer(train([CORPUS], 300))
    assert [first.backend, second.backend] == ["python", "python"]
    assert [warning.category for warning in heard] == [NativeFallback]
    assert first.decode(first.encode(CORPUS)) == CORPUS
    with pytest.raises(TokenizerError, match="the native back end cannot be had"):
        Tokenizer(trained(), backend=Backend.NATIVE)


@pytest.mark.usefixtures("nothing_loaded")
def test_the_core_is_compiled_once(monkeypatch: pytest.MonkeyPatch, tools: Path) -> None:
    # What the compiler keeps takes seconds to be made.
    monkeypatch.setattr(native, "native_tools", lambda: tools)
    calls: list[Path] = []

    def build(sources: list[Path], headers: Path, output: Path, options: Options, tools: Path) -> None:
        calls.append(output)
        build_library(sources, headers, output, options, tools)

    monkeypatch.setattr(native, "build_library", build)
    for _ in range(2):
        # Each as a new process would.
        assert Tokenizer(trained()).backend == "native"
    assert len(calls) == 1


@pytest.mark.usefixtures("nothing_loaded")
def test_a_cache_that_cannot_be_written_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, "/dev/null/nowhere")
    made = Tokenizer(trained(), backend=Backend.NATIVE)
    assert made.decode(made.encode(CORPUS)) == CORPUS


@pytest.mark.usefixtures("nothing_loaded")
@pytest.mark.parametrize("size", [0, 5000])
def test_a_damaged_core_is_made_anew(monkeypatch: pytest.MonkeyPatch, tools: Path, tmp_path: Path, size: int) -> None:
    monkeypatch.setattr(native, "native_tools", lambda: tools)
    Tokenizer(trained(), backend=Backend.NATIVE)
    (kept,) = (tmp_path / "cache").rglob("*.so")
    whole = kept.read_bytes()
    # Another file in its place: this process has mapped the one that was there.
    kept.unlink()
    kept.write_bytes(whole[:size])
    again = Tokenizer(trained(), backend=Backend.NATIVE)
    assert again.decode(again.encode(CORPUS)) == CORPUS
    (kept,) = (tmp_path / "cache").rglob("*.so")
    assert len(kept.read_bytes()) == len(whole)


@pytest.fixture(scope="module")
def made() -> Tokenizer:
    return Tokenizer(trained(specials=("<|end|>",)), backend=Backend.PYTHON)


@settings(deadline=None)
@given(st.lists(st.integers(0, 399)))
def test_any_ids_are_decoded(made: Tokenizer, ids: list[int]) -> None:
    data = made.decode_bytes(ids)
    assert data == b"".join(made.decode_bytes([number]) for number in ids)
    assert made.decode(iter(ids)) == data.decode("utf-8", "replace")


def test_unknown_ids_are_named(made: Tokenizer) -> None:
    for ids, place in (([1, 2, 400], 3), ([-1], 1), ([2**40, 1], 1)):
        with pytest.raises(TokenizerError, match=f"number {place} of the ids") as error:
            made.decode(ids)
        assert "400 tokens, with ids up to 399" in error.value.way_out


def test_halves_of_characters(made: Tokenizer) -> None:
    ids = made.encode("€")[:1]
    assert made.decode(ids).startswith("�")
    assert made.decode(ids, errors="ignore") == ""
    assert made.decode(made.encode(b"\xff\xfe"), errors="surrogateescape") == "\udcff\udcfe"
    assert made.encode("\udcff\udcfe") == made.encode(b"\xff\xfe")


def test_saved_and_loaded(made: Tokenizer, tmp_path: Path) -> None:
    made.save(tmp_path)
    for loaded in (
        Tokenizer.load(tmp_path),
        Tokenizer.load_files(tmp_path / "vocab.json", tmp_path / "merges.txt", backend=Backend.PYTHON),
    ):
        assert loaded.encode(CORPUS) == made.encode(CORPUS)
