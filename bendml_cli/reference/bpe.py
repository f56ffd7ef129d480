"""Byte pair encoding in plain Python: what the package bpe-tokenizer is compared with.

A token is a number: a byte is itself, below 256, and what the rule with id k made is 256 + k. Everything is written for
being read, by another way than the package's where there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

BYTES = 256
"""The numbers below are bytes."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Joins the adjacent pair of tokens a, b into the token of the rule `id`."""

    id: int
    a: int
    b: int


def merge(rule: Rule, tokens: Sequence[int]) -> list[int]:
    """Apply one rule, left to right, without overlap."""
    merged, at = [], 0
    while at < len(tokens):
        if tuple(tokens[at : at + 2]) == (rule.a, rule.b):
            merged.append(BYTES + rule.id)
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return merged


def encode(table: Sequence[Rule], tokens: Sequence[int]) -> list[int]:
    """Apply the rules in order, each over the whole sequence."""
    tokens = list(tokens)
    for rule in table:
        tokens = merge(rule, tokens)
    return tokens


def decode(table: Sequence[Rule], tokens: Sequence[int]) -> list[int]:
    """Expand every token to bytes. One that no rule made, nor a rule older than the one that names it, has none."""
    return [byte for token in tokens for byte in _expanded(table, token)]


def _expanded(table: Sequence[Rule], token: int) -> list[int]:
    if token < BYTES:
        return [token]
    for place in reversed(range(len(table))):
        if table[place].id == token - BYTES:
            older = table[:place]
            return _expanded(older, table[place].a) + _expanded(older, table[place].b)
    return []


def train(count: int, start: int, tokens: Sequence[int]) -> list[Rule]:
    """Up to `count` rules with the ids start, start + 1, ..: each joins the adjacent pair that is the most frequent,
    or the earliest of several, in what the rules before made of the tokens."""
    table: list[Rule] = []
    tokens = list(tokens)
    while len(table) < count and len(tokens) > 1:
        # A Counter keeps the order in which pairs are first seen, and max the first of several.
        counts = Counter(pairwise(tokens))
        a, b = max(counts, key=counts.__getitem__)
        rule = Rule(start + len(table), a, b)
        table.append(rule)
        tokens = merge(rule, tokens)
    return table


def is_well_formed(table: Sequence[Rule]) -> bool:
    """Does no id repeat?"""
    return len({rule.id for rule in table}) == len(table)


def ids_ok(numbers: Sequence[int], start: int) -> bool:
    """May the numbers be those of a table whose first rule has the id `start`? They are two for each rule,
    and name only bytes and rules before."""
    return len(numbers) % 2 == 0 and all(n < BYTES + start + place // 2 for place, n in enumerate(numbers))


def numbers(table: Sequence[Rule]) -> list[int]:
    """What the rules join, two numbers each."""
    return [token for rule in table for token in (rule.a, rule.b)]


def table_of(flat: Sequence[int]) -> list[Rule]:
    """The rules of which these numbers are the ids and the tokens, three each."""
    return [Rule(*flat[at : at + 3]) for at in range(0, len(flat), 3)]
