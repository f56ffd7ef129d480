"""References for GPT-2's tokenizer: its files as numbers, the table of characters, the texts and their tokens."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import regex

from bendml_cli.errors import BendmlError, ReferenceUnavailable, ToolchainError
from bendml_cli.reference import gpt2_files, gpt2_tokens
from bendml_cli.reference.gpt2_files import BYTES_FILE, MERGES_FILE, SPECIAL, write_numbers
from bendml_cli.reference.gpt2_ranges import ranges_program
from bendml_cli.reference.gpt2_texts import PROSE, TEXTS, random_bytes, random_text
from bendml_cli.reference.gpt2_tokens import OPERATIONS, Gpt2Tokens
from bendml_cli.suites.kinds.fuzz import FuzzCheck
from bendml_cli.suites.schema import select_suites
from bendml_cli.tokenizer.files import save
from bendml_cli.tokenizer.naive import encode as encode_by_definition
from bendml_cli.tokenizer.vocabulary import Vocabulary
from tests.suites.test_repository import PROJECT
from tests.tokenizer.made import trained

RANGES = PROJECT.root / "bend/gpt2/ranges.bend"
ENCODE, ANY_BYTES = OPERATIONS


@pytest.fixture
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> Vocabulary:
    """A small vocabulary in the place of GPT-2's."""
    made = trained(400, (SPECIAL,))
    monkeypatch.setattr(gpt2_tokens, "gpt2_vocabulary", lambda: made)
    for each in (gpt2_tokens.gpt2_tiktoken, gpt2_tokens.python_tokenizer):
        each.cache_clear()
        monkeypatch.setattr(gpt2_tokens, each.__name__, each.__wrapped__)
    return made


def test_there_are_texts_in_ten_languages_and_with_the_random_ones_seventy_nine() -> None:
    assert len(PROSE) >= 10
    (suite,) = select_suites(PROJECT, ["gpt2-tokenizer"])
    (check,) = (each for each in suite.checks if isinstance(each, FuzzCheck) and "gpt2.encode" in each.references)
    assert check.cases_ >= max(79, len(TEXTS) + 30)
    rng = random.Random(0)
    cases = [ENCODE.sample(rng, index, check.largest, 0, 0) for index in range(check.cases_)]
    assert len({case.line() for case in cases}) == check.cases_


def test_the_table_is_what_the_script_makes() -> None:
    text = RANGES.read_text()
    if f"regex {regex.__version__} " not in text:
        pytest.skip(f"made by another regex than {regex.__version__}")
    assert text == ranges_program()


def test_every_text_has_the_tokens_of_the_definition_by_both_references(vocabulary: Vocabulary) -> None:
    """So no text has a character that tiktoken's Unicode and that of `regex` know differently."""
    pytest.importorskip("tiktoken")
    rng = random.Random(3)
    texts = [*TEXTS.values(), *(random_text(rng, rng.randint(0, 60)) for _ in range(300))]
    for text in texts:
        data = text.encode()
        wanted = list(encode_by_definition(vocabulary, data))
        assert list(ENCODE.encode(data)) == wanted
        assert list(ANY_BYTES.encode(data)) == wanted


def test_a_case_is_a_text_and_expects_its_ids_and_its_bytes(vocabulary: Vocabulary) -> None:
    pytest.importorskip("tiktoken")
    case = ENCODE.given([3], [[97, 195, 169]])
    assert case.line() == "encode 3 0 0 0 97 195 169"
    ids, text = ENCODE.expected(case)
    assert ids.numbers == tuple(encode_by_definition(vocabulary, "aé".encode()))
    assert (text.shape, text.numbers) == ((3,), (97, 195, 169))


@pytest.mark.parametrize(("dims", "operands"), [([2], [[97]]), ([], [[97]]), ([1], []), ([1], [[300]]), ([1], [[195]])])
def test_what_is_no_text_is_refused(dims: list[int], operands: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"takes one list|in range\(0, 256\)|can't decode"):
        ENCODE.given(dims, operands)


@pytest.mark.parametrize(("reference", "draw"), [(ENCODE, random_text), (ANY_BYTES, random_bytes)])
def test_simpler_cases_are_shorter_or_plainer(
    reference: Gpt2Tokens, draw: Callable[[random.Random, int], str | bytes]
) -> None:
    rng = random.Random(1)
    for length in (0, 1, 5, 90):
        drawn = draw(rng, length)
        data = drawn.encode() if isinstance(drawn, str) else drawn
        case = reference.given([len(data)], [list(data)])
        simpler = list(reference.simpler(case))
        assert len(simpler) <= 100
        assert case not in simpler
        assert all(each.dims <= case.dims for each in simpler)
        assert bool(simpler) == bool(data) or data == b"a"


def test_the_files_say_the_merges_and_the_bytes(tmp_path: Path) -> None:
    vocabulary = Vocabulary.numbered([(97, 98), (256, 99)], [SPECIAL])
    save(vocabulary, tmp_path)
    write_numbers(tmp_path, tmp_path)
    assert (tmp_path / MERGES_FILE).read_text() == "97 98\n256 99\n"
    ids = [int(line) for line in (tmp_path / BYTES_FILE).read_text().splitlines()]
    assert sorted(ids) == list(range(256))
    assert (ids[ord("!")], ids[ord("a")], ids[0], ids[ord(" ")]) == (0, 64, 188, 220)


@pytest.mark.parametrize(
    "vocabulary",
    [
        Vocabulary.numbered([(97, 98)]),
        Vocabulary.numbered([(97, 98)], ["<|other|>"]),
        Vocabulary.numbered([(97, 98)], [SPECIAL, "<|other|>"]),
        Vocabulary([(97, 98), (98, 97)], [*range(256), 257, 256], {SPECIAL: 258}),
        Vocabulary([(97, 98)], [*range(255), 256, 255], {SPECIAL: 257}),
    ],
    ids=["no special token", "another one", "one more", "merges", "bytes"],
)
def test_ids_in_another_order_are_refused(vocabulary: Vocabulary, tmp_path: Path) -> None:
    save(vocabulary, tmp_path)
    with pytest.raises(BendmlError, match="not in GPT-2's order"):
        write_numbers(tmp_path, tmp_path)


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Nothing has been asked for yet, and what a test asks for is forgotten."""
    for forget in (gpt2_files.asked.cache_clear, gpt2_tokens.gpt2_vocabulary.cache_clear):
        forget()
    yield monkeypatch
    for forget in (gpt2_files.asked.cache_clear, gpt2_tokens.gpt2_vocabulary.cache_clear):
        forget()


def test_what_cannot_be_had_is_told_with_the_reason_and_asked_for_once(asking: pytest.MonkeyPatch) -> None:
    times: list[int] = []

    def fails() -> Path:
        times.append(1)
        raise ToolchainError("gpt2-vocab cannot be had: no source has it", "help")

    asking.setattr(gpt2_files, "gpt2_tokenizer_folder", fails)
    for ask in (gpt2_files.gpt2_source, gpt2_tokens.gpt2_vocabulary, gpt2_tokens.gpt2_vocabulary):
        with pytest.raises(ReferenceUnavailable, match="gpt2-vocab cannot be had") as caught:
            ask()
        assert caught.value.way_out == "help"
    assert len(times) == 1


def test_the_vocabulary_is_that_of_the_installed_files(asking: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = Vocabulary.numbered([(97, 98)], [SPECIAL])
    save(made, tmp_path)
    asking.setattr(gpt2_files, "gpt2_tokenizer_folder", lambda: tmp_path)
    assert gpt2_tokens.gpt2_vocabulary() == made
