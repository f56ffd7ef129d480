"""Training: both back ends make what the definition does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer import naive
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.tokenizer import Tokenizer, train
from bendml_cli.tokenizer.vocabulary import BYTES, Vocabulary
from tests.tokenizer.made import CORPUS, byte_texts, strings

BACKENDS = [Backend.NATIVE, Backend.PYTHON]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(alphabet="ab c", max_size=60) | strings | byte_texts, max_size=4),
    st.integers(0, 40),
    st.integers(1, 4),
)
def test_merges_are_those_of_the_definition(texts: list[str | bytes], count: int, least: int) -> None:
    data = [text.encode() if isinstance(text, str) else text for text in texts]
    expected = Vocabulary.numbered(naive.train(data, count, least))
    for backend in BACKENDS:
        assert train(texts, BYTES + count, least=least, backend=backend) == expected


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_larger_vocabulary(backend: Backend) -> None:
    heard: list[int] = []
    made: list[int] = []
    vocabulary = train([CORPUS], 450, backend=backend, counted=heard.append, merged=made.append)
    assert vocabulary.merges == naive.train([CORPUS.encode()], 450 - BYTES, 2)
    assert vocabulary.size == 450
    assert sum(heard) == len(CORPUS.encode())
    assert made == [128, 194]
    tokenizer = Tokenizer(vocabulary, backend=backend)
    assert tokenizer.decode(tokenizer.encode(CORPUS)) == CORPUS
    assert len(tokenizer.encode(CORPUS)) < len(CORPUS)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_vocabulary_ends_where_nothing_is_left(backend: Backend) -> None:
    assert train(["ab ab ab"], 10_000, backend=backend).size < 270
    assert train([], 300, backend=backend).size == 256
    assert train([""], 300, backend=backend).size == 256


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_two_tokens_have_the_same_bytes(backend: Backend) -> None:
    vocabulary = train(["a" * length for length in range(1, 60)], 300, least=1, backend=backend)
    assert len(set(vocabulary.spelled)) == len(vocabulary.spelled)


@pytest.mark.parametrize("backend", BACKENDS)
def test_special_tokens_are_left_out_of_the_texts(backend: Backend) -> None:
    text = "one<|end|>two<|end|>three<|endless|>" * 5
    vocabulary = train([text], 300, specials=["<|end|>", "<|endless|>"], backend=backend)
    assert set(vocabulary.specials) == {"<|end|>", "<|endless|>"}
    assert sorted(vocabulary.specials.values()) == [vocabulary.size - 2, vocabulary.size - 1]
    assert not [token for token in vocabulary.spelled if b"<|" in token or b"end" in token]


def test_what_cannot_be_trained_is_refused() -> None:
    with pytest.raises(TokenizerError, match="256 tokens has no room"):
        train([], 256, specials=["<s>"])
    with pytest.raises(TokenizerError, match="not distinct"):
        train([], 300, specials=["<s>", "<s>"])
    with pytest.raises(TokenizerError, match="not distinct"):
        train([], 300, specials=[""])
    with pytest.raises(TokenizerError, match="lone surrogate"):
        train(["\ud800"], 300)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("least", "merges"), [(-1, 1), (0, 1), (2**64 + 1, 0)])
def test_any_least_count_means_the_same(backend: Backend, least: int, merges: int) -> None:
    assert len(train(["ab"], 300, least=least, backend=backend).merges) == merges
