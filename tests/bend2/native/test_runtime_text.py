"""Text in the C runtime: numbers as decimal text against Python and NumPy, UTF-8 against Python."""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from bendml_cli.bend2.core import float32

Driver = Callable[..., list[str]]

SPECIAL = [
    *(0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001),  # zeros, infinities, not numbers
    *(0x00000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x3F800000, 0xBF800000),  # the ends of the ranges, ones
    *(exponent << 23 for exponent in range(1, 255)),  # powers of two: the numbers below them are nearer
]
POWERS_OF_TEN = [int(np.float32(f"1e{n}").view(np.uint32)) for n in range(-45, 39)]


@pytest.fixture
def driver(runtime_driver: Path) -> Driver:
    """Run the driver on bytes; the lines that it prints."""

    def run(what: str, given: bytes) -> list[str]:
        done = subprocess.run([runtime_driver, what], input=given, capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().split("\n")[:-1]

    return run


def words(numbers: Iterable[int]) -> bytes:
    numbers = list(numbers)
    return struct.pack(f"={len(numbers)}I", *numbers)


def some_f32(seed: int) -> list[int]:
    chance = random.Random(seed)
    short = [np.float32(round(chance.uniform(-1000, 1000), chance.randrange(4))) for _ in range(2000)]
    near = [bits + step for bits in (*SPECIAL, *POWERS_OF_TEN) for step in (-1, 0, 1) if 0 <= bits + step < 1 << 32]
    return [*near, *(chance.getrandbits(32) for _ in range(20000)), *(int(each.view(np.uint32)) for each in short)]


# -- numbers to text --------------------------------------------------------------------------------------------------


def test_literals_are_those_of_the_checker(driver: Driver) -> None:
    numbers = some_f32(1)
    assert driver("f32-literal", words(numbers)) == [float32.show(bits) for bits in numbers]


def test_shown_numbers_are_the_literals_without_a_needless_point(driver: Driver) -> None:
    numbers = some_f32(2)
    names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    expected = [float32.show(bits) for bits in numbers]
    expected = [names.get(each) or each.removesuffix(".0").replace(".0e", "e") for each in expected]
    assert driver("f32-show", words(numbers)) == expected


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (0, "0"), (-0.0, "-0"), (16777216, "16777216"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"), (1.5e22, "1.5e+22"), (1e-6, "0.000001"), (1.25e-6, "0.00000125"), (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"), (3.4028235e38, "3.4028235e+38"), (1e-45, "1e-45"), (123456.79, "123456.79"),
    ],
)  # fmt: skip
def test_shown_numbers(driver: Driver, number: float, text: str) -> None:
    assert driver("f32-show", np.float32(number).tobytes()) == [text]


def test_shown_numbers_read_back_and_are_as_short_as_numpys(driver: Driver) -> None:
    numbers = np.array(some_f32(3), dtype=np.uint32)
    numbers = numbers[np.isfinite(numbers.view(np.float32))]
    shown = driver("f32-show", words(map(int, numbers)))
    read = driver("f32-read", "\n".join(shown).encode() + b"\n")
    assert read == [str(bits) for bits in numbers]
    # Three powers of two have a shorter neighbour that reads back but is not the nearest text of its length.
    longer = {f"{sign}{text}" for text in ("1.26217745e-29", "1.54742505e+26", "1.23794004e+27") for sign in ("", "-")}
    for text, number in zip(shown, numbers.view(np.float32), strict=True):
        digits = text.lstrip("-").partition("e")[0].replace(".", "").strip("0")
        shortest = (
            np.format_float_scientific(number, trim="-").lstrip("-").partition("e")[0].replace(".", "").strip("0")
        )
        assert len(digits) == len(shortest) or text in longer, text


def test_whole_numbers(driver: Driver) -> None:
    numbers = [0, 1, 9, 10, 4294967295, *(random.Random(4).getrandbits(32) for _ in range(1000))]
    assert driver("u32-show", words(numbers)) == [str(each) for each in numbers]
    assert driver("word", words(numbers)) == [str(each) for each in numbers]
    assert driver("nat-show", words(numbers)) == [str(each << 16 | 7) for each in numbers]


# -- text to numbers --------------------------------------------------------------------------------------------------


def nearest(text: str) -> str:
    sign = text.startswith("-") << 31
    bits = float32.single_bits(text.lstrip("+-"))
    return str(sign | (float32.INFINITY_BITS if bits is None else bits))


def test_read_numbers_are_rounded_once(driver: Driver) -> None:
    chance = random.Random(5)
    texts = ["0", "-0", "+1", "1.5", "1e3", "1E+3", "1.25e-3", "1e999", "-1e999", "1e-999", "007", "3.4028236e38"]
    for _ in range(3000):
        digits = "".join(chance.choices("0123456789", k=chance.choice([1, 2, 8, 9, 17, 60])))
        fraction = chance.choice(["", "." + "".join(chance.choices("0123456789", k=chance.choice([1, 9, 40, 150])))])
        exponent = chance.choice(["", f"e{chance.randint(-60, 50)}"])
        texts.append(chance.choice(["", "-", "+"]) + digits + fraction + exponent)
    for _ in range(1000):
        # The middle of two numbers, exactly, or a little above.
        low = np.uint32(chance.randrange(0x20000000, 0x4F000000))
        middle = (float(low.view(np.float32)) + float((low + np.uint32(1)).view(np.float32))) / 2
        texts += [f"{middle:.120f}", f"{middle:.120f}1"]
    assert driver("f32-read", "\n".join(texts).encode() + b"\n") == [nearest(each) for each in texts]


def test_what_is_no_number(driver: Driver) -> None:
    texts = [
        *("", "-", "+", ".", ".5", "5.", "1e", "1e+", "e5", "1.e5", "--1", "+-1", "1 ", " 1", "1,5", "0x10", "1_000"),
        *("inf", "nan", "Infinity", "NaN", "1.5.5", "1e5e5", "1e5.0", "1f", "١", "1\0", "1\0002"),
    ]
    assert driver("f32-read", "\n".join(texts).encode() + b"\n") == ["None"] * len(texts)


# -- UTF-8 ------------------------------------------------------------------------------------------------------------


def decoded(driver: Driver, given: bytes) -> str:
    return "".join(chr(int(line)) for line in driver("decode", given))


def test_text_is_decoded_as_python_does(driver: Driver) -> None:
    chance = random.Random(6)
    text = "aé€😀\0\n\x7f\u0800\uffff\U0010ffff\u07ff\x80"
    assert decoded(driver, text.encode()) == text
    for _ in range(40):
        # Whole characters, parts of characters and bytes that are in no UTF-8.
        parts = [chance.choice(text).encode()[: chance.choice([1, 2, 3, 4])] for _ in range(60)]
        parts += [bytes([chance.randrange(256)]) for _ in range(60)]
        parts += [b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80"]
        chance.shuffle(parts)
        given = b"".join(parts)
        assert decoded(driver, given) == given.decode("utf-8", errors="replace")


def test_codes_are_encoded(driver: Driver) -> None:
    codes = [0, 1, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF]
    codes = [code for code in codes if code != 10]
    assert driver("code", words(codes)) == [chr(code) for code in codes]
    not_scalar = [0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF]
    assert driver("code", words(not_scalar)) == ["\ufffd"] * len(not_scalar)
