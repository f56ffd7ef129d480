"""How texts are cut into pieces, by the pattern and by the core."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer.classes import CODE_POINTS, CharClass, class_ranges
from bendml_cli.tokenizer.native import split
from bendml_cli.tokenizer.pieces import cuts, piece_bytes, pieces, text_bytes
from tests.tokenizer.made import CORPUS, byte_texts, strings


def by_pattern(text: bytes) -> list[bytes]:
    return [piece_bytes(piece) for piece in pieces(text)]


@settings(deadline=None)
@given(strings | byte_texts)
def test_the_core_cuts_as_the_pattern_does(text: str | bytes) -> None:
    data = text_bytes(text)
    assert split(data) == by_pattern(data)
    assert b"".join(split(data)) == data


def test_the_core_knows_every_character() -> None:
    characters = [chr(code) for code in range(CODE_POINTS) if not 0xD800 <= code < 0xE000]
    text = "a".join(characters).encode()
    assert split(text) == by_pattern(text)


@pytest.mark.parametrize("around", ["a{}", "{}a", " {}1", "a {} b", "{}{}", "\u3000{}", "'{}", "{}\n"])
def test_the_core_knows_the_characters_at_the_borders_of_classes(around: str) -> None:
    codes = {code + by for first, last, _ in class_ranges() for code in (first, last) for by in (-1, 0, 1)}
    characters = (chr(code) for code in sorted(codes) if 0 <= code < CODE_POINTS and not 0xD800 <= code < 0xE000)
    text = "-".join(around.format(*[each] * 2) for each in characters).encode()
    assert split(text) == by_pattern(text)


@settings(deadline=None)
@given(st.lists(st.integers(0, 255), max_size=8).map(bytes))
def test_the_core_reads_broken_utf_8_as_python_does(text: bytes) -> None:
    assert split(text) == by_pattern(text)


@pytest.mark.parametrize(
    "text",
    [
        b"\xc2", b"\xe4\xbd", b"\xf0\x9f\x91", b"a\xe4\xbd a", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf",
        b"\xe0\xa0\x80", b"\xed\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xee\x80\x80", b"\xf0\x8f\xbf\xbf",
        b"\xf0\x90\x80\x80", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff", b"\x80",
        b"\xc2 ", b"\xe1\x80 ", b"\xf1\x80\x80 ",
    ],
)  # fmt: skip
def test_the_borders_of_utf_8(text: bytes) -> None:
    for each in (text, b"a" + text + b"a", b" " + text, text + text):
        assert split(each) == by_pattern(each)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("I'll don't we've", ["I", "'ll", " don", "'t", " we", "'ve"]),
        ("I'LL 'tis", ["I", "'", "LL", " '", "tis"]),
        ("a  b   ", ["a", " ", " b", "   "]),
        ("a\n\n b", ["a", "\n\n", " b"]),
        ("x1²٣ y", ["x", "1²٣", " y"]),
        ("!?'s", ["!?'", "s"]),
        ("'s's", ["'s", "'s"]),
    ],
)
def test_pieces(text: str, expected: list[str]) -> None:
    assert pieces(text.encode()) == expected
    assert split(text.encode()) == [piece.encode() for piece in expected]


def test_ranges_are_in_order_and_what_regex_says() -> None:
    ranges = class_ranges()
    assert all(first <= last for first, last, _ in ranges)
    assert all(a[1] < b[0] for a, b in pairwise(ranges))
    patterns = {CharClass.LETTER: r"\p{L}", CharClass.NUMBER: r"\p{N}", CharClass.SPACE: r"\s"}
    for first, last, kind in ranges:
        assert regex.fullmatch(patterns[kind], chr(first))
        assert regex.fullmatch(patterns[kind], chr(last))


@settings(deadline=None)
@given(byte_texts, st.integers(1, 20))
def test_a_text_may_be_cut_where_cuts_says(text: bytes, size: int) -> None:
    ends = list(cuts(text, size))
    assert ends == sorted(set(ends))
    assert ends[-1] == len(text)
    parts = [text[start:end] for start, end in pairwise([0, *ends])]
    assert [piece for part in parts for piece in by_pattern(part)] == by_pattern(text)


def test_long_texts_are_cut() -> None:
    data = CORPUS.encode()
    assert len(list(cuts(data, 100))) > 5


def test_surrogates_stand_for_bytes_or_are_refused() -> None:
    assert text_bytes("a\udcffb") == b"a\xffb"
    with pytest.raises(TokenizerError, match=r"character 1 is the lone surrogate U\+D83D"):
        text_bytes("a\ud83d")
