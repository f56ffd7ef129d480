"""A byte-level BPE vocabulary: the merges in their order, the tokens' ids, and the special tokens."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bendml_cli.diagnostics import printable
from bendml_cli.errors import TokenizerError

BYTES = 256
LARGEST_ID = 2**32 - 2

_PRINTED = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
GPT2_BYTE_ORDER = (*_PRINTED, *(byte for byte in range(BYTES) if byte not in _PRINTED))
"""The bytes in the order of their ids in GPT-2: first those that are printed as themselves."""
BYTE_CHARS = "".join(
    chr(byte if byte in _PRINTED else BYTES + GPT2_BYTE_ORDER.index(byte) - len(_PRINTED)) for byte in range(BYTES)
)
"""The character that stands for each byte in vocab.json and merges.txt."""

Merge = tuple[int, int]


@dataclass(frozen=True)
class Vocabulary:
    """Merges, ids and special tokens.

    Symbols 0 to 255 are the bytes, and symbol 256 + k is what `merges[k]` makes of two symbols before it; no two
    symbols have the same bytes. `ids` are the symbols' token ids, `specials` the special tokens' by their texts, of
    which none is what vocab.json has for a symbol.

    Raises TokenizerError for anything else.
    """

    merges: Sequence[Merge]
    ids: Sequence[int]
    specials: Mapping[str, int]

    def __post_init__(self) -> None:
        if len(self.ids) != BYTES + len(self.merges):
            raise TokenizerError(f"{len(self.ids)} ids for {BYTES} bytes and {len(self.merges)} merges")
        for at, pair in enumerate(self.merges):
            if not all(0 <= symbol < BYTES + at for symbol in pair):
                raise TokenizerError(f"merge {at} is of {pair}, and not of two symbols before {BYTES + at}")
        for numbers, what in ((self.spelled, "bytes"), ([*self.ids, *self.specials.values()], "id")):
            if len(set(numbers)) != len(numbers):
                raise TokenizerError(f"two tokens have the same {what}")
        if not all(0 <= number <= LARGEST_ID for number in (*self.ids, *self.specials.values())):
            raise TokenizerError(f"a token's id is not from 0 to {LARGEST_ID}")
        if "" in self.specials:
            raise TokenizerError("a special token has no text")
        bytes_of_char = {char: byte for byte, char in enumerate(BYTE_CHARS)}
        tokens = set(self.spelled)
        for text in self.specials:
            special_bytes(text)
            if all(char in bytes_of_char for char in text):
                written = bytes(bytes_of_char[char] for char in text)
                if written in tokens:
                    raise TokenizerError(f"the special token '{text}' is how the files write the bytes {written!r}")

    @classmethod
    def numbered(cls, merges: Sequence[Merge], specials: Iterable[str] = ()) -> Vocabulary:
        """A vocabulary with ids as GPT-2 gives them: the bytes in its order, the merges, the special tokens."""
        ids = [GPT2_BYTE_ORDER.index(byte) for byte in range(BYTES)] + list(range(BYTES, BYTES + len(merges)))
        return cls(merges, ids, {text: len(ids) + at for at, text in enumerate(specials)})

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(self.ids) + len(self.specials)

    @cached_property
    def spelled(self) -> list[bytes]:
        """The bytes of each symbol."""
        spelled = [bytes([byte]) for byte in range(BYTES)]
        for left, right in self.merges:
            spelled.append(spelled[left] + spelled[right])
        return spelled

    @cached_property
    def token_bytes(self) -> dict[int, bytes]:
        """The bytes of each token, by its id."""
        specials = {number: special_bytes(text) for text, number in self.specials.items()}
        return dict(zip(self.ids, self.spelled, strict=True)) | specials

    @cached_property
    def digest(self) -> str:
        """A SHA-256 of all of it, in hexadecimal."""
        whole = [list(self.merges), list(self.ids), sorted(self.specials.items())]
        return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def special_bytes(text: str) -> bytes:
    """The bytes of a special token. Raises TokenizerError when its text is no UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise TokenizerError(
            f"the special token '{printable(text)}' has a lone surrogate, which no UTF-8 has"
        ) from None
