"""Encoded corpora on disk."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.corpora import NotKept, encode_cached, ids_bytes, ids_of_bytes
from bendml_cli.tokenizer.tokenizer import Tokenizer
from bendml_cli.tokenizer.vocabulary import Vocabulary
from tests.tokenizer.made import CORPUS, trained

TEXT = CORPUS.encode()


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer(trained(specials=("<|end|>",)), backend=Backend.NATIVE)


def test_a_corpus_is_encoded_once(tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    first = encode_cached(tokenizer, TEXT, tmp_path / "new", told=heard.append)
    assert first.tolist() == tokenizer.encode(TEXT)
    monkeypatch.setattr(tokenizer, "encode_batch", None)
    assert encode_cached(tokenizer, TEXT, tmp_path / "new", told=heard.append) == first
    assert sum(heard) == 2 * len(TEXT)
    assert len([*(tmp_path / "new").iterdir()]) == 1


def test_another_text_or_tokenizer_is_another_entry(tokenizer: Tokenizer, tmp_path: Path) -> None:
    other = Tokenizer(Vocabulary.numbered(trained().merges), backend=Backend.NATIVE)
    texts = (TEXT, TEXT + b"<|end|>")
    kept = [encode_cached(each, text, tmp_path) for each in (tokenizer, other) for text in texts]
    kept.append(encode_cached(tokenizer, texts[1], tmp_path, specials=True))
    assert len([*tmp_path.iterdir()]) == 5
    assert kept[4] == tokenizer.encode_batch([texts[1]], specials=True)[0] != kept[1]


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:20], lambda b: b"", lambda b: b[:-4] + b"\0\0\0\1"])
def test_a_damaged_entry_is_made_anew(tokenizer: Tokenizer, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    ids = encode_cached(tokenizer, TEXT, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert encode_cached(tokenizer, TEXT, tmp_path) == ids
    assert file.read_bytes() == whole
    assert [*tmp_path.iterdir()] == [file]


def test_where_nothing_can_be_kept_the_ids_are_given_with_a_notice(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.warns(NotKept, match=r"what was encoded is not kept: .*: "):
        ids = encode_cached(tokenizer, TEXT, tmp_path / "file")
    assert ids.tolist() == tokenizer.encode(TEXT)


def test_the_numbers_are_little_endian() -> None:
    ids = array("I", [1, 2**32 - 2])
    assert ids_bytes(ids) == b"\1\0\0\0\xfe\xff\xff\xff"
    assert ids_of_bytes(ids_bytes(ids)) == ids
    with pytest.raises(ValueError, match="multiple"):
        ids_of_bytes(b"\0\0\0")
