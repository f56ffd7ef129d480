"""Encoding: both back ends give what the definition does."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendml_cli.tokenizer import naive
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.pure import encode_long_piece
from bendml_cli.tokenizer.tokenizer import Tokenizer
from bendml_cli.tokenizer.vocabulary import Vocabulary
from tests.tokenizer.made import CORPUS, byte_texts, strings, trained, vocabularies

BACKENDS = [Backend.NATIVE, Backend.PYTHON]
SPECIALS = ("<|end|>", "<|end|>!", "<s>", "né\n")


@pytest.fixture(scope="module", params=BACKENDS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    """One of a trained vocabulary, for all tests: it keeps pieces from one text to the next."""
    return Tokenizer(trained(specials=SPECIALS), backend=request.param)


@settings(deadline=None)
@given(strings | byte_texts)
def test_ids_are_those_of_the_definition_and_lead_back(tokenizer: Tokenizer, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    ids = tokenizer.encode(text)
    assert ids == naive.encode(tokenizer.vocabulary, data)
    assert tokenizer.decode_bytes(ids) == data
    if isinstance(text, str):
        assert tokenizer.decode(ids) == text


@settings(max_examples=400, deadline=None)
@given(vocabularies(), st.text(alphabet="ab ", max_size=80))
def test_any_merges(vocabulary: Vocabulary, text: str) -> None:
    expected = naive.encode(vocabulary, text.encode())
    for backend in BACKENDS:
        assert Tokenizer(vocabulary, backend=backend).encode(text) == expected


@settings(max_examples=100, deadline=None)
@given(vocabularies(alphabet=b"a", most=40), st.integers(0, 400))
def test_runs_of_one_letter(vocabulary: Vocabulary, length: int) -> None:
    text = b"a" * length
    for backend in BACKENDS:
        assert Tokenizer(vocabulary, backend=backend).encode(text) == naive.encode(vocabulary, text)


@settings(max_examples=200, deadline=None)
@given(vocabularies(alphabet=b"abc"), st.text(alphabet="abc", max_size=60))
def test_long_pieces_in_python(vocabulary: Vocabulary, text: str) -> None:
    known = naive.ranks(vocabulary.merges)
    assert encode_long_piece(known, text.encode()) == naive.encode_piece(known, text.encode())


def test_merges_that_no_text_can_have() -> None:
    # "abc" is ab, c, as ab comes first: the token made of a, bc is never given.
    a, b, c = b"abc"
    vocabulary = Vocabulary.numbered([(a, b), (b, c), (a, 257)])
    for backend in BACKENDS:
        tokenizer = Tokenizer(vocabulary, backend=backend)
        assert [tokenizer.decode([number]) for number in tokenizer.encode("abc")] == ["ab", "c"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_long_pieces(backend: Backend) -> None:
    draw = random.Random(7)
    vocabulary = trained()
    tokenizer = Tokenizer(vocabulary, backend=backend)
    letters = [letter for letter in CORPUS if letter.isalpha()]
    for length in (8, 9, 63, 64, 65, 127, 128, 129, 130, 1000):
        word = "".join(draw.choices(letters, k=length)).encode()
        for part in (word, word[:length], b"=" * length, b" " * length):
            expected = naive.encode(vocabulary, part)
            # Twice, as what is kept must be the same.
            assert tokenizer.encode(part) == tokenizer.encode(part) == expected


def test_more_pieces_than_are_kept() -> None:
    draw = random.Random(8)
    vocabulary = trained(300)
    letters = "abcdefghijklmnop étç"
    text = "".join(draw.choices(letters, k=3_000_000)).encode()
    native = Tokenizer(vocabulary, backend=Backend.NATIVE)
    expected = Tokenizer(vocabulary, backend=Backend.PYTHON).encode(text)
    for _ in range(3):
        assert native.encode(text) == expected


@settings(deadline=None)
@given(st.lists(strings, max_size=8), st.integers(1, 3))
def test_batches(tokenizer: Tokenizer, texts: list[str], threads: int) -> None:
    batch = tokenizer.encode_batch(texts, threads=threads)
    assert [ids.tolist() for ids in batch] == [tokenizer.encode(text) for text in texts]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_give_the_same(tokenizer: Tokenizer, threads: int) -> None:
    long = CORPUS * 800
    texts = ["", "a", long, "", "b " * 10, long[: len(long) // 3], ""]
    heard: list[int] = []
    batch = tokenizer.encode_batch(texts, threads=threads, told=heard.append)
    assert sum(heard) == sum(len(text.encode()) for text in texts)
    one = tokenizer.encode_batch([CORPUS * 8])[0]
    assert batch[2] == one * 100
    assert [tokenizer.decode(ids) for ids in batch] == texts


def test_a_text_without_a_place_to_cut(tokenizer: Tokenizer) -> None:
    text = "你好" * 150_000
    (ids,) = tokenizer.encode_batch([text], threads=2)
    assert tokenizer.decode(ids) == text
    assert len(ids) < 4 * len(text)


def test_special_tokens_are_texts_unless_they_are_asked_for(tokenizer: Tokenizer) -> None:
    numbers = tokenizer.vocabulary.specials
    text = "a<|end|>b<|end|>!<s><|end|>né\n<|end"
    ids = tokenizer.encode(text, specials=True)
    expected = ["a", "<|end|>", "b", "<|end|>!", "<s>", "<|end|>", "né\n", "<|end"]
    parts = [[numbers[part]] if part in numbers else tokenizer.encode(part) for part in expected]
    assert ids == [number for part in parts for number in part]
    assert tokenizer.decode(ids) == text
    ordinary = tokenizer.encode(text)
    assert not set(ordinary) & set(numbers.values())
    assert tokenizer.decode(ordinary) == text


@settings(deadline=None)
@given(st.lists(st.sampled_from([*SPECIALS, "a", " b", "<|", "\n"]), max_size=12))
def test_special_tokens_in_batches(tokenizer: Tokenizer, parts: list[str]) -> None:
    text = "".join(parts)
    batch = tokenizer.encode_batch([text, text], specials=True)
    assert batch[0] == batch[1]
    assert tokenizer.decode(batch[0]) == text


def test_nothing_to_encode(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("") == []
    assert tokenizer.encode_batch([]) == []
    assert [list(ids) for ids in tokenizer.encode_batch(["", ""], threads=2)] == [[], []]


def test_one_encoder_in_many_threads() -> None:
    tokenizer = Tokenizer(trained(), backend=Backend.NATIVE)
    texts = [CORPUS[at : at + 500] for at in range(0, 1000, 7)]
    expected = [tokenizer.encode(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(tokenizer.encode, texts * 5)) == expected * 5


def test_pieces_beside_each_other_do_not_mix() -> None:
    # The end of a text must not look beyond it, nor at what another text left behind.
    tokenizer = Tokenizer(trained(), backend=Backend.NATIVE)
    data = CORPUS.encode()
    ends = sorted(random.Random(3).sample(range(1, len(data)), 200))
    parts = [data[start:end] for start, end in pairwise([0, *ends])]
    batch = tokenizer.encode_batch(parts)
    assert [ids.tolist() for ids in batch] == [naive.encode(tokenizer.vocabulary, part) for part in parts]
