"""Byte pair encoding in plain Python, on examples worked out by hand, and its laws on random cases."""

from __future__ import annotations

import random

import pytest

from bendml_cli.reference import bpe
from bendml_cli.reference.bpe import Rule
from bendml_cli.reference.tokens import TEXTS, corpus

A, B, C = 97, 98, 99


def test_training_joins_the_most_frequent_pair_and_the_earliest_of_several() -> None:
    assert bpe.train(3, 0, b"aaabdaaabac") == [Rule(0, A, A), Rule(1, 256, A), Rule(2, 257, B)]
    assert bpe.train(1, 7, b"abcab") == [Rule(7, A, B)]
    assert bpe.train(1, 0, b"abba") == [Rule(0, A, B)]
    # Places that overlap count each: aa stands three times in aaaa, ba twice.
    assert bpe.train(1, 0, b"babaaaa") == [Rule(0, A, A)]


@pytest.mark.parametrize("text", [b"", b"a"])
def test_training_stops_where_there_is_no_pair(text: bytes) -> None:
    assert bpe.train(5, 0, text) == []


def test_training_ends_with_one_token() -> None:
    assert bpe.train(9, 0, b"abc") == [Rule(0, A, B), Rule(1, 256, C)]


def test_rules_apply_in_order_without_overlap() -> None:
    assert bpe.encode([Rule(0, A, A)], b"aaaaa") == [256, 256, A]
    assert bpe.encode([Rule(0, A, B), Rule(1, B, A)], b"abab") == [256, 256]
    assert bpe.encode([Rule(1, B, A), Rule(0, A, B)], b"abab") == [A, 257, B]


def test_decoding_expands_by_older_rules() -> None:
    table = [Rule(0, A, 257), Rule(1, B, 256), Rule(0, C, 256)]
    assert bpe.decode(table, [256]) == [C, A]
    assert bpe.decode(table, [257]) == [B, A]
    assert bpe.decode(table, [258, A]) == [A]


def test_what_a_table_may_name() -> None:
    assert bpe.ids_ok([], 0)
    assert bpe.ids_ok([A, 255, 256, A], 0)
    assert bpe.ids_ok([258, A], 3)
    assert not bpe.ids_ok([A], 0)
    assert not bpe.ids_ok([256, A], 0)
    assert not bpe.ids_ok([A, A, A, 257], 0)


def test_round_trips_need_different_ids() -> None:
    assert bpe.is_well_formed([Rule(0, A, B), Rule(1, A, B)])
    twice = [Rule(0, A, B), Rule(0, B, C)]
    assert not bpe.is_well_formed(twice)
    assert bpe.decode(twice, bpe.encode(twice, b"ab")) == [B, C]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_round_trip_of_each_text_by_tables_of_all(text: str) -> None:
    for trained in TEXTS.values():
        table = bpe.train(20, 0, trained.encode())
        assert bpe.is_well_formed(table)
        assert bpe.ids_ok(bpe.numbers(table), 0)
        tokens = bpe.encode(table, text.encode())
        assert bytes(bpe.decode(table, tokens)).decode() == text
        assert all(token < bpe.BYTES + len(table) for token in tokens)


def test_round_trip_of_random_corpora() -> None:
    rng = random.Random(3)
    for _ in range(200):
        text = corpus(rng, rng.randint(0, 80))
        table = bpe.train(10, 0, text)
        assert bytes(bpe.decode(table, bpe.encode(table, text))) == text
