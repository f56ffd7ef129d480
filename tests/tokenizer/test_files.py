"""vocab.json and merges.txt: what is written is read again, and bad files are named by file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer.files import load, save
from bendml_cli.tokenizer.vocabulary import BYTE_CHARS, GPT2_BYTE_ORDER, Vocabulary
from tests.tokenizer.made import trained, vocabularies

BYTES = {char: number for number, char in enumerate(BYTE_CHARS)}


def write(folder: Path, vocab: object, merges: str) -> Path:
    text = vocab if isinstance(vocab, str) else json.dumps(vocab)
    (folder / "vocab.json").write_text(text, encoding="utf-8")
    (folder / "merges.txt").write_bytes(merges.encode())
    return folder


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    vocabulary = trained(specials=("<|end|>", "né\n \U0001f44d"))
    save(vocabulary, tmp_path / "new" / "folder")
    loaded = load(tmp_path / "new" / "folder")
    assert loaded == vocabulary
    assert loaded.digest == vocabulary.digest


@settings(deadline=None)
@given(vocabularies())
def test_any_vocabulary_is_saved_and_loaded(tmp_path_factory: pytest.TempPathFactory, vocabulary: Vocabulary) -> None:
    folder = tmp_path_factory.mktemp("saved")
    save(vocabulary, folder)
    loaded = load(folder)
    assert (loaded.merges, [*loaded.ids], loaded.specials) == (vocabulary.merges, [*vocabulary.ids], {})


def test_the_files_are_written_as_gpt_2s(tmp_path: Path) -> None:
    save(Vocabulary.numbered([(ord(" "), ord("t")), (256, ord("h"))], ["<|endoftext|>"]), tmp_path)
    assert (tmp_path / "merges.txt").read_text(encoding="utf-8") == "#version: 0.2\nĠ t\nĠt h\n"
    vocab = json.loads((tmp_path / "vocab.json").read_text())
    assert [*vocab][:3] == ["!", '"', "#"]
    assert vocab["Ġ"] == GPT2_BYTE_ORDER.index(0x20) == 220
    assert (vocab["Ġt"], vocab["Ġth"], vocab["<|endoftext|>"]) == (256, 257, 258)


def test_lines_may_end_as_on_windows_and_begin_with_a_hash(tmp_path: Path) -> None:
    vocab = {**BYTES, "##": 256, "a#": 257}
    loaded = load(write(tmp_path, vocab, "#version: 0.2\r\n# #\r\na #\r\n\r\n"))
    assert loaded.spelled[256:] == [b"##", b"a#"]
    # Without the first line, too.
    assert load(write(tmp_path, vocab, "# #\na #")).merges == loaded.merges


@pytest.mark.parametrize(
    ("merges", "what"),
    [
        ("#version: 0.2\na b c\n", r"merges.txt:2: not two parts with a space between them: 'a b c'"),
        ("ab\n", r"merges.txt:1: not two parts"),
        ("a  b\n", r"merges.txt:1: not two parts"),
        (" a\n", r"merges.txt:1: not two parts"),
        ("a b\n\nab d\n", r"merges.txt:3: 'abd' has no id in .*vocab.json"),
        ("ab c\na b\n", r"merges.txt:1: 'ab' is not a byte, and no line before makes it"),
        ("a 你\n", r"merges.txt:1: '你' is not a byte"),
        ("a b\nb c\na b\n", r"merges.txt:3: 'ab' is made by line 1 already"),
        ("a b\nb c\nab c\na bc\n", r"merges.txt:4: 'abc' is made by line 3 already"),
    ],
)
def test_bad_merges_are_named(tmp_path: Path, merges: str, what: str) -> None:
    with pytest.raises(TokenizerError, match=what):
        load(write(tmp_path, {**BYTES, "ab": 256, "bc": 257, "abc": 258}, merges))


@pytest.mark.parametrize(
    ("vocab", "what"),
    [
        ("{", "vocab.json:1: not JSON"),
        ("[]", "not a JSON object"),
        ({**BYTES, "x": "1"}, "the id of 'x' is \"1\""),
        ({**BYTES, "x": True}, "the id of 'x' is true"),
        ({**BYTES, "x": -1}, "the id of 'x' is -1"),
        ({**BYTES, "x": 1.5}, "the id of 'x' is 1.5"),
        ({**BYTES, "xy": 2**32}, "the id of 'xy' is 4294967296"),
        ({**BYTES, "xy": 7}, "'ć' and 'xy' have the same id, 7"),
        ({**BYTES, "": 256}, "a token is empty"),
        ('{"a": 1, "b": 2, "a": 3}', "'a' is there twice"),
        ('{"a": ' + "9" * 5000 + "}", "vocab.json: not JSON that can be read"),
        ("[" * 100_000, "vocab.json: not JSON that can be read"),
        ({**BYTES, "\x1b[31m": 7}, r"'ć' and '\\x1b\[31m' have the same id, 7"),
        ({**BYTES, "\ud800": 256}, r"the special token '\\ud800' has a lone surrogate"),
        ({char: number for char, number in BYTES.items() if char != "a"}, r"the byte 0x61 \('a'\) has no id"),
    ],
)
def test_bad_vocabularies_are_named(tmp_path: Path, vocab: object, what: str) -> None:
    with pytest.raises(TokenizerError, match=what):
        load(write(tmp_path, vocab, ""))


def test_files_that_are_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=r"there is no .*vocab.json"):
        load(tmp_path)
    write(tmp_path, BYTES, "")
    (tmp_path / "merges.txt").write_bytes(b"a b\n\xff\n")
    with pytest.raises(TokenizerError, match=r"merges.txt: not UTF-8 at byte 4"):
        load(tmp_path)


def test_a_special_token_may_be_the_bytes_of_another_token(tmp_path: Path) -> None:
    vocabulary = Vocabulary.numbered([(ord(" "), ord("a"))], [" a", "ab", "Ġb"])
    save(vocabulary, tmp_path)
    assert load(tmp_path) == vocabulary


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"merges": [], "ids": range(255)}, "255 ids for 256 bytes and 0 merges"),
        ({"merges": [(97, 256)], "ids": range(257)}, r"merge 0 is of \(97, 256\)"),
        ({"merges": [(-1, 97)], "ids": range(257)}, r"merge 0 is of \(-1, 97\)"),
        ({"merges": [(97, 98), (97, 98)], "ids": range(258)}, "the same bytes"),
        ({"merges": [], "ids": [0] * 256}, "the same id"),
        ({"merges": [], "ids": range(256), "specials": {"<s>": 7}}, "the same id"),
        ({"merges": [], "ids": range(256), "specials": {"<s>": -1}}, "not from 0"),
        ({"merges": [], "ids": range(256), "specials": {"": 256}}, "no text"),
        ({"merges": [], "ids": range(256), "specials": {"\udcff": 256}}, "has a lone surrogate"),
        ({"merges": [], "ids": range(256), "specials": {"a": 256}}, "'a' is how the files write the bytes b'a'"),
        (
            {"merges": [(32, 97)], "ids": range(257), "specials": {"Ġa": 257}},
            "'Ġa' is how the files write the bytes b' a'",
        ),
    ],
)
def test_what_is_no_vocabulary_is_refused(fields: dict[str, Any], what: str) -> None:
    with pytest.raises(TokenizerError, match=what):
        Vocabulary(**{"specials": {}, **fields})
