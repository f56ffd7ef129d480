"""The tokenizer that users call: texts to ids and back, and training."""

from __future__ import annotations

import re
import sys
import warnings
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.files import load, load_files, save
from bendml_cli.tokenizer.native import NativeEncoder, NativeTrainer, NativeUnavailable, load_core
from bendml_cli.tokenizer.pieces import cuts, text_bytes
from bendml_cli.tokenizer.pure import PythonEncoder, PythonTrainer
from bendml_cli.tokenizer.vocabulary import BYTES, Merge, Vocabulary, special_bytes

_PART = 1 << 20
_MERGES_AT_A_TIME = 128


class NativeFallback(UserWarning):
    """The native back end cannot be had, and the one in Python does its work."""


class Encoder(Protocol):
    """A back end, with a vocabulary."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[bytes], threads: int, told: Callable[[int], None]) -> list[array[int]]: ...


class Trainer(Protocol):
    """A back end that trains."""

    def add(self, text: bytes) -> None: ...

    def run(self, count: int, least: int) -> int: ...

    @property
    def merges(self) -> list[Merge]: ...


def _silent(_done: int) -> None:
    pass


class Tokenizer:
    """Byte-level BPE with GPT-2's pre-tokenization.

    Texts are strings or bytes. A string is UTF-8; bytes need not be, and what is decoded is what was encoded, always.
    Raises TokenizerError when the native back end is asked for and cannot be had.
    """

    def __init__(self, vocabulary: Vocabulary, *, backend: Backend = Backend.AUTO) -> None:
        self.vocabulary = vocabulary
        native = choose(backend) is Backend.NATIVE
        self._encoder: Encoder = NativeEncoder(vocabulary) if native else PythonEncoder(vocabulary)
        self._special = re.compile(b"(%s)" % _any_of(vocabulary.specials))

    @classmethod
    def load(cls, folder: Path, *, backend: Backend = Backend.AUTO) -> Tokenizer:
        """The tokenizer whose vocab.json and merges.txt are in a folder. Raises TokenizerError and OSError."""
        return cls(load(folder), backend=backend)

    @classmethod
    def load_files(cls, vocab: Path, merges: Path, *, backend: Backend = Backend.AUTO) -> Tokenizer:
        """The tokenizer of these two files. Raises TokenizerError and OSError."""
        return cls(load_files(vocab, merges), backend=backend)

    def save(self, folder: Path) -> None:
        """Write vocab.json and merges.txt into a folder, made if need be. Raises OSError."""
        save(self.vocabulary, folder)

    @property
    def backend(self) -> str:
        """The back end in use: `native` or `python`."""
        return self._encoder.name

    def encode(self, text: str | bytes, *, specials: bool = False) -> list[int]:
        """The ids of a text. With `specials`, the special tokens' texts in it become their ids; without, they are
        texts as any. Raises TokenizerError."""
        return self.encode_batch([text], specials=specials)[0].tolist()

    def encode_batch(
        self,
        texts: Sequence[str | bytes],
        *,
        specials: bool = False,
        threads: int = 1,
        told: Callable[[int], None] = _silent,
    ) -> list[array[int]]:
        """The ids of each text, as arrays of 32-bit numbers (`numpy.frombuffer(ids, numpy.uint32)` copies nothing).

        The native back end works on parts of texts with so many threads, and then `told`, which hears how many bytes
        more are done, is called by any of them. Raises TokenizerError.
        """
        data = [text_bytes(text) for text in texts]
        if not specials or not self.vocabulary.specials:
            return self._encoder.encode(data, threads, told) if data else []
        # Every second part is a special token.
        parts = [self._special.split(text) for text in data]
        encoded = iter(self._encoder.encode([each for text in parts for each in text[::2]], threads, told))
        results = []
        for text in parts:
            ids = next(encoded)
            for special in text[1::2]:
                ids.append(self.vocabulary.specials[special.decode()])
                ids.extend(next(encoded))
            results.append(ids)
        return results

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of a text with these ids. Raises TokenizerError for an id that no token has."""
        known = self.vocabulary.token_bytes
        ids = ids if isinstance(ids, Sequence) else list(ids)
        try:
            return b"".join([known[number] for number in ids])
        except KeyError:
            at, number = next((at, number) for at, number in enumerate(ids) if number not in known)
            raise TokenizerError(
                f"no token has the id {number}, number {at + 1} of the ids",
                f"the vocabulary has {len(known)} tokens, with ids up to {max(known)}",
            ) from None

    def decode(self, ids: Iterable[int], *, errors: str = "replace") -> str:
        """The text with these ids. What is no UTF-8 in it, such as half a character, becomes U+FFFD, or what else
        `errors` says, as for `bytes.decode`. Raises TokenizerError for an id that no token has."""
        return self.decode_bytes(ids).decode("utf-8", errors)


def train(
    texts: Iterable[str | bytes],
    size: int,
    *,
    specials: Sequence[str] = (),
    least: int = 2,
    backend: Backend = Backend.AUTO,
    counted: Callable[[int], None] = _silent,
    merged: Callable[[int], None] = _silent,
) -> Vocabulary:
    """A vocabulary of at most `size` tokens: bytes, merges of what is commonest in the texts, and special tokens, whose
    texts in the texts are left out.

    A pair of tokens is merged while it is there `least` times. `counted` hears how many bytes more are read, `merged`
    how many merges there are. Raises TokenizerError.
    """
    if len(set(specials)) != len(specials) or "" in specials:
        raise TokenizerError("the special tokens are not distinct texts")
    count = size - BYTES - len(specials)
    if count < 0:
        raise TokenizerError(
            f"a vocabulary of {size} tokens has no room for {BYTES} bytes and {len(specials)} special tokens"
        )
    trainer: Trainer = NativeTrainer() if choose(backend) is Backend.NATIVE else PythonTrainer()
    special = re.compile(_any_of(specials))
    # What the back ends can count to, and what no pair comes often enough for.
    least = min(max(least, 1), sys.maxsize)
    for text in texts:
        data = text_bytes(text)
        for part in special.split(data) if specials else [data]:
            start = 0
            for end in cuts(part, _PART):
                trainer.add(part[start:end])
                counted(end - start)
                start = end
    for wanted in range(0, count, _MERGES_AT_A_TIME):
        made = trainer.run(min(wanted + _MERGES_AT_A_TIME, count), least)
        merged(made)
        if made < min(wanted + _MERGES_AT_A_TIME, count):
            break
    return Vocabulary.numbered(trainer.merges, specials)


def _any_of(specials: Iterable[str]) -> bytes:
    """A pattern of the texts of special tokens: the longest first, as one may begin another. Raises TokenizerError."""
    texts = sorted(map(special_bytes, specials), key=len, reverse=True)
    return b"|".join(map(re.escape, texts))


def choose(backend: Backend) -> Backend:
    """The back end to use: NATIVE or PYTHON. Raises TokenizerError when the native one is asked for and cannot be had;
    where nothing was asked for, that is a NativeFallback warning, the first time."""
    if backend is Backend.PYTHON:
        return backend
    try:
        load_core()
    except NativeUnavailable as error:
        if backend is Backend.NATIVE:
            raise TokenizerError(
                f"the native back end cannot be had: {error}", "--backend python does without"
            ) from None
        _notice(str(error))
        return Backend.PYTHON
    return Backend.NATIVE


@cache
def _notice(why: str) -> None:
    warnings.warn(f"Python does the work, which is slow, as {why}", NativeFallback, stacklevel=4)
