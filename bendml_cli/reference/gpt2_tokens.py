"""References for bend/gpt2's tokenizer: what tiktoken makes of a text, and of any bytes the tokenizer in Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bendml_cli.reference.gpt2_files import gpt2_source
from bendml_cli.reference.gpt2_texts import TEXTS, random_bytes, random_text
from bendml_cli.reference.model import Case, Operand, Output
from bendml_cli.reference.tiktokens import tiktoken_encoding
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.files import load
from bendml_cli.tokenizer.pieces import PATTERN
from bendml_cli.tokenizer.tokenizer import Tokenizer
from bendml_cli.tokenizer.vocabulary import Vocabulary

_PARTS = 20
"""A text is shortened by about so much of it at a time, so that there are not too many shorter ones."""


@dataclass(frozen=True, slots=True)
class Gpt2Tokens:
    """Encoding a text, whose bytes are the only operand, and decoding its tokens. `draw` makes the text of a case's
    number, `encode` gives its tokens."""

    name: str
    draw: Callable[[random.Random, int, int], bytes]
    encode: Callable[[bytes], Sequence[int]]
    utf_8: bool
    word: str = "encode"
    torch: bool = False

    def given(self, dims: Sequence[int], operands: Sequence[Sequence[float]]) -> Case:
        if len(operands) != 1 or list(dims) != [len(operands[0])]:
            raise ValueError(f"{self.name} takes one list, and the number of its bytes")
        text = bytes(map(int, operands[0]))
        if self.utf_8:
            text.decode()
        return self._case(text)

    def sample(self, rng: random.Random, index: int, largest: int, low: float, high: float) -> Case:
        """There is no range of numbers to choose."""
        return self._case(self.draw(rng, index, rng.randint(1, max(1, largest))))

    def simpler(self, case: Case) -> Iterator[Case]:
        """Halves, texts without a part, and with plainer characters."""
        text = _bytes(case).decode("utf-8", "surrogateescape")
        half, step = len(text) // 2, max(1, len(text) // _PARTS)
        found = {text[:half], text[half:]} if half else set()
        found |= {text[:at] + text[at + step :] for at in range(0, len(text), step)}
        if step == 1:
            found |= {text[:at] + "a" + text[at + 1 :] for at, char in enumerate(text) if char != "a"}
        for each in sorted(found, key=lambda each: (len(each), each)):
            yield self._case(each.encode("utf-8", "surrogateescape"))

    def expected(self, case: Case) -> tuple[Output, ...]:
        """The ids, and the text again. Raises ReferenceUnavailable without tiktoken, or GPT-2's files."""
        text = _bytes(case)
        return _vector(self.encode(text)), _vector(text)

    def _case(self, text: bytes) -> Case:
        return Case(self.word, (len(text),), (Operand((len(text),), tuple(map(float, text)), whole=True),))


def _bytes(case: Case) -> bytes:
    return bytes(map(int, case.operands[0].numbers))


def _vector(numbers: Sequence[int]) -> Output:
    return Output((len(numbers),), tuple(map(float, numbers)))


@cache
def gpt2_vocabulary() -> Vocabulary:
    """GPT-2's vocabulary, installed when it is needed. Raises ReferenceUnavailable when it cannot be had."""
    return load(gpt2_source())


@cache
def gpt2_tiktoken() -> Any:
    """tiktoken's encoding of GPT-2's vocabulary, made from the same files, with GPT-2's own pattern.

    Raises ReferenceUnavailable.
    """
    return tiktoken_encoding(gpt2_vocabulary(), PATTERN)


def _by_tiktoken(text: bytes) -> list[int]:
    ids: list[int] = gpt2_tiktoken().encode_ordinary(text.decode())
    return ids


@cache
def python_tokenizer() -> Tokenizer:
    """GPT-2's tokenizer in Python. Raises ReferenceUnavailable."""
    return Tokenizer(gpt2_vocabulary(), backend=Backend.PYTHON)


def _by_python(text: bytes) -> list[int]:
    return list(python_tokenizer().encode(text))


def _draw_text(rng: random.Random, index: int, length: int) -> bytes:
    """The first ones are the texts, all others random."""
    texts = list(TEXTS.values())
    return (texts[index] if index < len(texts) else random_text(rng, length)).encode()


def _draw_bytes(rng: random.Random, index: int, length: int) -> bytes:
    return random_bytes(rng, length)


OPERATIONS = [
    Gpt2Tokens("gpt2.encode", _draw_text, _by_tiktoken, utf_8=True),
    Gpt2Tokens("gpt2.any_bytes", _draw_bytes, _by_python, utf_8=False),
]
"""All references, by the names that suites know them by."""
