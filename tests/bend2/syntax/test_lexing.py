"""reading.md, Characters and literals."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendml_cli.bend2.core.float32 import single_bits
from tests.bend2.syntax.reading import read, refusal, term, term_refusal


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("007n", "7n"),
        ("0", "0"),
        ("4294967295", "4294967295"),
        ("4294967295n", "4294967295n"),
        ("1.5", "f1069547520"),
        ("1.5e-3", "f985963430"),
        ("00.50", "f1056964608"),
        ("300n+2n", "302n"),
        ("1n+ 1n+1n", "3n"),
        ("1n+\n  2n", "3n"),
        ("'a'", "Chr{97}"),
        ("'''", "Chr{39}"),
        ("'\\''", "Chr{39}"),
        ("'\n'", "Chr{10}"),
        ("'\\u{ffffffff}'", "Chr{4294967295}"),
        ('"a#\n\\"\\u{41}"', "str[97, 35, 10, 34, 65]"),
        ('"\\n\\t\\r\\0\\\\\\\'"', "str[10, 9, 13, 0, 92, 39]"),
        ('""', "str[]"),
    ],
)
def test_literals(text: str, core: str) -> None:
    assert term(text) == core


@pytest.mark.parametrize(
    "text",
    [
        "1e5",
        "12.",
        "3nx",
        "1_000",
        "4294967296",
        "4294967296n",
        "99999999999999999999999",
        "3.4028236e38",
        "1.0e999999999999",
        "'ab'",
        "''",
        "'\\x'",
        "'\\u{000000041}'",
        "'\\u{}'",
        '"\\q"',
        "x.",
        "a..b",
        "a.1",
        "?",
        "? x",
        "&3",
        "ä",
        "$",
    ],
)
def test_what_is_no_token(text: str) -> None:
    assert term_refusal(text).place == ("syntax", 3)


def test_after_a_float_nothing_is_checked() -> None:
    assert term("[1.5e2e, 1]").startswith("Con{f1125515264, Con{e, ")


def test_an_unclosed_string_ends_at_the_end_of_the_file() -> None:
    assert refusal('import Base\ndef f() -> Nat:\n  "abc\n\n').place == ("syntax", 5)


def test_an_error_at_the_end_stands_on_the_line_after_the_last_newline() -> None:
    assert refusal("import Base\ndef f() -> Nat:\n\n# nothing\n").place == ("syntax", 5)


def test_white_space_and_comments() -> None:
    read("import Base\r\n# ünïcode\r\ndef\tf()\r\n  -> Nat: # result\r\n\t1n#end")
    assert refusal("import Base\ndef\ff() -> Nat:\n  1n\n").place == ("syntax", 2)


@pytest.mark.parametrize("name", ["match.x", "as", "unsafe", "cases", "_", "__", "_9", "x.y.z", "Type.go"])
def test_names(name: str) -> None:
    assert read(f"import Base\ndef f({name}: Nat) -> Nat:\n  1n\n").definitions["f"].arity == 1


@pytest.mark.parametrize(
    "keyword",
    "def type law match case do return for exs where is import Type Data Kind Quant".split(),  # noqa: SIM905
)
def test_keywords_name_nothing(keyword: str) -> None:
    assert refusal(f"import Base\ndef f({keyword}: Nat) -> Nat:\n  1n\n").place == ("syntax", 2)


@given(st.floats(width=32, min_value=0, allow_nan=False, allow_infinity=False))
def test_single_bits_reads_back_every_single(value: float) -> None:
    assert struct.pack("<I", single_bits(f"{value:.60e}")) == struct.pack("<f", value)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("16777217.0", 0x4B800000),  # a tie goes to the even significand
        ("16777217.00000000000000000001", 0x4B800001),
        ("16777219.0", 0x4B800002),
        ("3.40282356e38", 0x7F7FFFFF),
        ("3.4028236e38", None),
        ("0.7e-45", 0),
        ("0.71e-45", 1),
        ("0.0e999999999999", 0),
        ("1.0e-999999999999", 0),
        ("0." + "0" * 5000 + "1", 0),
        ("1." + "3" * 6000, 0x3FAAAAAB),
    ],
)
def test_rounding_once(text: str, bits: int | None) -> None:
    assert single_bits(text) == bits


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("(x -y : Nat)", "spaces"),
        ("(x> y : Nat)", "spaces"),
        ("Nat.add\n    (1n)", "line"),
        ("match x:\n    case 0n: 1n\n   case y: 2n", "case"),
    ],
)
def test_common_slips_come_with_the_way_out(text: str, hint: str) -> None:
    found = refusal(f"import Base\ndef f(x: Nat) -> Nat:\n  {text}\n")
    assert found.category == "syntax"
    assert found.hint is not None
    assert hint in found.hint
