"""BPE as it is defined, and nothing more: what all other encoders and trainers are held to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

from bendml_cli.tokenizer.pieces import piece_bytes, pieces
from bendml_cli.tokenizer.vocabulary import BYTES, Merge, Vocabulary

_NEVER = 2**32


def ranks(merges: Iterable[Merge]) -> dict[Merge, int]:
    """The place of each merge."""
    return {pair: rank for rank, pair in enumerate(merges)}


def encode(vocabulary: Vocabulary, text: bytes) -> list[int]:
    """The ids of a text: in each of its pieces, one merge after the other."""
    known = ranks(vocabulary.merges)
    return [vocabulary.ids[s] for piece in pieces(text) for s in encode_piece(known, piece_bytes(piece))]


def encode_piece(known: Mapping[Merge, int], piece: bytes) -> list[int]:
    """The symbols of a piece: of all pairs, the one of the first merge is merged; of equal ones, the leftmost."""
    symbols = list(piece)
    while len(symbols) > 1:
        rank, at = min((known.get(pair, _NEVER), at) for at, pair in enumerate(pairwise(symbols)))
        if rank == _NEVER:
            break
        symbols[at : at + 2] = [BYTES + rank]
    return symbols


def train(texts: Iterable[bytes], count: int, least: int) -> list[Merge]:
    """At most `count` merges: each time the commonest pair of all pieces, if it is there `least` times; of equally
    common ones the first. A pair whose bytes are a token already is left as it is."""
    words = Counter(tuple(piece_bytes(piece)) for text in texts for piece in pieces(text))
    spelled = [bytes([byte]) for byte in range(BYTES)]
    merges: list[Merge] = []
    while len(merges) < count:
        pairs: Counter[Merge] = Counter()
        for word, times in words.items():
            for left, right in pairwise(word):
                if spelled[left] + spelled[right] not in spelled:
                    pairs[left, right] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < least:
            break
        words = Counter({merged(word, best, BYTES + len(merges)): times for word, times in words.items()})
        merges.append(best)
        spelled.append(spelled[best[0]] + spelled[best[1]])
    return merges


def merged(word: tuple[int, ...], pair: Merge, made: int) -> tuple[int, ...]:
    """A word with a pair merged wherever it is, from left to right."""
    symbols: list[int] = []
    for symbol in word:
        if symbols and (symbols[-1], symbol) == pair:
            symbols[-1] = made
        else:
            symbols.append(symbol)
    return tuple(symbols)
