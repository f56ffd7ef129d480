"""The back end in pure Python: what is used where there is no C compiler."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from bendml_cli.tokenizer.naive import encode_piece, merged, ranks
from bendml_cli.tokenizer.pieces import cuts, piece_bytes, pieces
from bendml_cli.tokenizer.vocabulary import BYTES, Merge, Vocabulary

_PART = 1 << 16
_KEPT_PIECES = 1 << 20
_LONG = 200
"""Pieces of more bytes are encoded with a heap: for shorter ones, looking at all pairs each time is as quick."""


class PythonEncoder:
    """Encodes by one merge after the other, but each distinct piece once."""

    name = "python"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = vocabulary.ids
        self._ranks = ranks(vocabulary.merges)
        self._kept: dict[str, list[int]] = {}

    def encode(self, texts: Sequence[bytes], threads: int, told: Callable[[int], None]) -> list[array[int]]:
        """The ids of each text. `threads` are of no use to Python; `told` hears of bytes done."""
        return [self._encode_text(text, told) for text in texts]

    def _encode_text(self, text: bytes, told: Callable[[int], None]) -> array[int]:
        ids = array("I")
        start = 0
        for end in cuts(text, _PART):
            for piece in pieces(text[start:end]):
                found = self._kept.get(piece)
                if found is None:
                    data = piece_bytes(piece)
                    encode = encode_long_piece if len(data) > _LONG else encode_piece
                    found = [self._ids[symbol] for symbol in encode(self._ranks, data)]
                    if len(self._kept) < _KEPT_PIECES:
                        self._kept[piece] = found
                ids.extend(found)
            told(end - start)
            start = end
        return ids


def encode_long_piece(known: Mapping[Merge, int], piece: bytes) -> list[int]:
    """The same as `naive.encode_piece`, in a time that is nearly linear."""
    symbols: list[int | None] = [*piece]
    # Neighbours by their places; a symbol that was merged into the one before it is None.
    before, after = [*range(-1, len(piece) - 1)], [*range(1, len(piece) + 1)]
    heap = [(known[pair], at, pair) for at, pair in enumerate(pairwise(piece)) if pair in known]
    heapq.heapify(heap)
    while heap:
        rank, at, (left, right) = heapq.heappop(heap)
        next_at = after[at]
        if symbols[at] != left or next_at == len(piece) or symbols[next_at] != right:
            continue
        symbols[at], symbols[next_at] = BYTES + rank, None
        after[at] = after[next_at]
        if after[at] < len(piece):
            before[after[at]] = at
        for start, end in ((before[at], at), (at, after[at])):
            if start >= 0 and end < len(piece):
                first, second = symbols[start], symbols[end]
                if first is not None and second is not None and (first, second) in known:
                    heapq.heappush(heap, (known[first, second], start, (first, second)))
    return [symbol for symbol in symbols if symbol is not None]


class PythonTrainer:
    """Counts pairs once, and then only in the words that a merge changes."""

    name = "python"

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._words: list[tuple[int, ...]] = []
        self._times: list[int] = []
        self._pairs: Counter[Merge] = Counter()
        self._seen: defaultdict[Merge, set[int]] = defaultdict(set)
        self._heap: list[tuple[int, Merge]] = []
        self._spelled = [bytes([byte]) for byte in range(BYTES)]
        self._tokens = set(self._spelled)
        self.merges: list[Merge] = []

    def add(self, text: bytes) -> None:
        """Count the pieces of a text; all texts come before the first `run`."""
        self._counts.update(pieces(text))

    def run(self, count: int, least: int) -> int:
        """Merge until there are `count` merges, or no pair comes `least` times. Answers how many there are."""
        if not self._words:
            self._begin()
        while len(self.merges) < count and self._heap:
            entered, pair = heapq.heappop(self._heap)
            times = self._pairs[pair]
            if times < max(least, 1):
                continue
            if times < -entered:
                # Counts only go down; it may no longer be the commonest.
                heapq.heappush(self._heap, (-times, pair))
                continue
            made = self._spelled[pair[0]] + self._spelled[pair[1]]
            if made not in self._tokens:
                self._tokens.add(made)
                self._spelled.append(made)
                self.merges.append(pair)
                self._merge(pair)
        return len(self.merges)

    def _begin(self) -> None:
        self._words = [tuple(piece_bytes(piece)) for piece in self._counts]
        self._times = list(self._counts.values())
        for number in range(len(self._words)):
            self._count(number, 1)
        self._heap = [(-times, pair) for pair, times in self._pairs.items()]
        heapq.heapify(self._heap)

    def _merge(self, pair: Merge) -> None:
        made = BYTES + len(self.merges) - 1
        new: set[Merge] = set()
        for number in self._seen.pop(pair):
            word = merged(self._words[number], pair, made)
            if len(word) < len(self._words[number]):
                self._count(number, -1)
                self._words[number] = word
                self._count(number, 1)
                new.update(pair for pair in pairwise(word) if made in pair)
        for each in new:
            heapq.heappush(self._heap, (-self._pairs[each], each))

    def _count(self, number: int, sign: int) -> None:
        times = sign * self._times[number]
        for pair in pairwise(self._words[number]):
            self._pairs[pair] += times
            if sign > 0:
                self._seen[pair].add(number)
