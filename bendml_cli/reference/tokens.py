"""References for the package bpe-tokenizer: texts and random corpora, and what plain Python makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bendml_cli.reference import bpe
from bendml_cli.reference.model import Case, Operand, Output

Numbers = tuple[int, ...]
Drawn = tuple[Numbers, tuple[Numbers, ...]]
"""The counts of a case, and its lists."""

TEXTS = {
    "nothing": "",
    "one byte": "a",
    "repetition": "aaabdaaabac",
    "English": "the cat sat on the mat, and then the cat sat on the hat that the man had.",
    "accents": "a ação do coração não é só emoção: é também razão, paixão e canção.",
    "emoji": "😀😀🎉😀😀🎉👩‍👩‍👧‍👦 and 👩‍👩‍👧‍👦 again 🎉",
    "Chinese": "语言模型读的不是字母，而是数字。语言模型读的是数字，不是字母。",
}
"""What the first cases of a run are of."""

_PIECES = 30
"""A list is shortened by about so much of it at a time, so that there are not too many shorter ones."""

_ALPHABETS = ("ab", "abc ", "etaoin shrdlu", "éàçõ ", "的一是不了人", "😀🎉👍🏽")


@dataclass(frozen=True, slots=True)
class Tokens:
    """An operation on so many counts and lists of whole numbers. Its case's dimensions are the counts, then how many
    entries each list has; an entry of list i is `widths[i]` numbers. `draw` makes a case of a text and a length."""

    name: str
    word: str
    counts: int
    widths: Numbers
    draw: Callable[[random.Random, bytes, int], Drawn]
    compute: Callable[..., Sequence[Output]]
    torch: bool = False

    def given(self, dims: Sequence[int], operands: Sequence[Sequence[float]]) -> Case:
        lists = tuple(tuple(map(int, each)) for each in operands)
        if len(lists) != len(self.widths) or any(n < 0 for numbers in lists for n in numbers):
            raise ValueError(f"{self.name} takes {len(self.widths)} lists of numbers from 0 on")
        case = self._case(tuple(dims[: self.counts]), lists)
        if case.dims != tuple(dims) or any(len(each) % width for each, width in zip(lists, self.widths, strict=True)):
            raise ValueError(
                f"{self.name} has {self.counts} counts, then how many entries its lists have: not {list(dims)}"
            )
        return case

    def sample(self, rng: random.Random, index: int, largest: int, low: float, high: float) -> Case:
        """The first cases are of the texts, all others of random ones. There is no range of numbers to choose."""
        texts = list(TEXTS.values())
        text = texts[index].encode() if index < len(texts) else corpus(rng, rng.randint(0, largest))
        return self._case(*self.draw(rng, text, largest))

    def simpler(self, case: Case) -> Iterator[Case]:
        counts, lists = self._parts(case)
        for at, count in enumerate(counts):
            for smaller in sorted({0, count // 2, count - 1} & set(range(count))):
                yield self._case((*counts[:at], smaller, *counts[at + 1 :]), lists)
        for at, (numbers, width) in enumerate(zip(lists, self.widths, strict=True)):
            for simpler in sorted(_simpler(numbers, width), key=lambda each: (len(each), each)):
                yield self._case(counts, (*lists[:at], simpler, *lists[at + 1 :]))

    def expected(self, case: Case) -> tuple[Output, ...]:
        counts, lists = self._parts(case)
        return tuple(self.compute(*counts, *lists))

    def _parts(self, case: Case) -> Drawn:
        return case.dims[: self.counts], tuple(tuple(map(int, each.numbers)) for each in case.operands)

    def _case(self, counts: Numbers, lists: tuple[Numbers, ...]) -> Case:
        entries = (len(numbers) // width for numbers, width in zip(lists, self.widths, strict=True))
        operands = (Operand((len(numbers),), tuple(map(float, numbers)), whole=True) for numbers in lists)
        return Case(self.word, (*counts, *entries), tuple(operands))


def _simpler(numbers: Numbers, width: int) -> set[Numbers]:
    """One half of a list, all but some entries next to each other, or, of a short one, with a 0 for a number."""
    half = len(numbers) // width // 2 * width
    found = {numbers[:half], numbers[half:]} if half else set()
    step = width * max(1, len(numbers) // width // _PIECES)
    found |= {numbers[:start] + numbers[start + step :] for start in range(0, len(numbers), step)}
    if step == width:
        found |= {(*numbers[:place], 0, *numbers[place + 1 :]) for place, n in enumerate(numbers) if n}
    return found


def corpus(rng: random.Random, length: int) -> bytes:
    """So many random bytes: of any kind, of few letters, of words that come again, or of the same letter."""
    match rng.randrange(4):
        case 0:
            return bytes(rng.choices(range(256), k=length))
        case 1:
            text = "".join(rng.choices(rng.choice(_ALPHABETS), k=length))
        case 2:
            words = ["".join(rng.choices(rng.choice(_ALPHABETS), k=rng.randint(1, 6))) for _ in range(5)]
            text = " ".join(rng.choices(words, k=length))
        case _:
            text = rng.choice("aé😀") * length
    return text.encode()[:length]


def _vector(numbers: Sequence[int]) -> Output:
    return Output((len(numbers),), tuple(map(float, numbers)))


def _number(n: int) -> Output:
    return Output((), (float(n),))


def _draw_training(rng: random.Random, text: bytes, largest: int) -> Drawn:
    return (rng.randint(0, 12), rng.choice((0, 0, 1, 700))), (tuple(text),)


def _train(rules: int, start: int, text: Numbers) -> list[Output]:
    table = bpe.train(rules, start, text)
    return [_vector(bpe.numbers(table)), _number(bpe.is_well_formed(table))]


def _draw_encoding(rng: random.Random, text: bytes, largest: int) -> Drawn:
    """A text that is, by the toss of a coin, another one than the corpus."""
    other = rng.choice((text, text[len(text) // 2 :] + text[: len(text) // 3], corpus(rng, rng.randint(0, largest))))
    return (rng.randint(0, 12),), (tuple(text), tuple(other))


def _encode(rules: int, trained: Numbers, text: Numbers) -> list[Output]:
    table = bpe.train(rules, 0, trained)
    tokens = bpe.encode(table, text)
    return [_vector(tokens), _vector(bpe.decode(table, tokens))]


def _draw_decoding(rng: random.Random, text: bytes, largest: int) -> Drawn:
    """Tokens that may be those of other tables, which decode to nothing."""
    rules = rng.randint(0, 12)
    tokens = rng.choices(range(bpe.BYTES - 3, bpe.BYTES + rules + 2), k=rng.randint(0, largest))
    return (rules,), (tuple(text), tuple(tokens))


def _decode(rules: int, trained: Numbers, tokens: Numbers) -> list[Output]:
    return [_vector(bpe.decode(bpe.train(rules, 0, trained), tokens))]


def _draw_table(rng: random.Random, text: bytes, largest: int) -> Drawn:
    """Any rules: ids may repeat, rules may name what is made later, or never."""
    letters = [*set(text[:3]), *range(bpe.BYTES, bpe.BYTES + 5)]
    table = [n for _ in range(rng.randint(0, 6)) for n in (rng.randrange(6), rng.choice(letters), rng.choice(letters))]
    return (), (tuple(table), tuple(rng.choices(letters, k=rng.randint(0, largest))))


def _table(flat: Numbers, tokens: Numbers) -> list[Output]:
    table = bpe.table_of(flat)
    encoded = bpe.encode(table, tokens)
    return [_vector(encoded), _vector(bpe.decode(table, encoded)), _number(bpe.is_well_formed(table))]


def _draw_ids(rng: random.Random, text: bytes, largest: int) -> Drawn:
    start = rng.choice((0, 0, 3))
    count = rng.randint(0, 6)
    right = [rng.randrange(bpe.BYTES + start + place // 2) for place in range(2 * count)]
    if right and rng.random() < 0.5:
        at = rng.randrange(len(right))
        right[at] = bpe.BYTES + start + at // 2
    return (start,), (tuple(right[: len(right) - (rng.random() < 0.2)]),)


def _ids_ok(start: int, ids: Numbers) -> list[Output]:
    return [_number(bpe.ids_ok(ids, start))]


OPERATIONS = [
    Tokens("bpe-tokenizer.train", "train", 2, (1,), _draw_training, _train),
    Tokens("bpe-tokenizer.encode", "encode", 1, (1, 1), _draw_encoding, _encode),
    Tokens("bpe-tokenizer.decode", "decode", 1, (1, 1), _draw_decoding, _decode),
    Tokens("bpe-tokenizer.table", "table", 0, (3, 1), _draw_table, _table),
    Tokens("bpe-tokenizer.ids_ok", "ids_ok", 1, (1,), _draw_ids, _ids_ok),
]
