"""Single precision numbers as bits: reading decimal text with one rounding, and the shortest text that reads back."""

from __future__ import annotations

import struct
from fractions import Fraction

INFINITY_BITS = 0x7F800000


def bits_from_decimal(text: str) -> int:
    """The bits of the single nearest to the exact decimal value of `text` (ties to even).

    Raises OverflowError when that is infinite.
    """
    value = Fraction(text)
    # A double rounds first; near a tie of singles that could round twice, so the neighbours are compared exactly.
    try:
        guess = _bits(float(value))
    except OverflowError:
        guess = INFINITY_BITS
    best = guess
    for bits in (guess - 1, guess + 1):
        if 0 <= bits <= INFINITY_BITS:
            distance, least = abs(_exact(bits) - value), abs(_exact(best) - value)
            if distance < least or (distance == least and bits % 2 == 0):
                best = bits
    if best >= INFINITY_BITS:
        raise OverflowError(text)
    return best


def _bits(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def _exact(bits: int) -> Fraction:
    """The exact value of non-negative bits; infinity counts as 2^128, where the next single would be."""
    exponent, mantissa = bits >> 23, bits & 0x7FFFFF
    if exponent == 0:
        return Fraction(mantissa, 1 << 149)
    return Fraction((mantissa | 1 << 23) * (1 << exponent), 1 << 150)


def show(bits: int) -> str:
    """Shortest decimal that reads back, always with a point; an exponent from 1e21 up and below 1e-6."""
    sign = "-" if bits >> 31 else ""
    bits &= 0x7FFFFFFF
    if bits > INFINITY_BITS:
        return "nan"
    if bits == INFINITY_BITS:
        return sign + "inf"
    if bits == 0:
        return sign + "0.0"
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    for digits in range(9):
        mantissa, _, power = f"{value:.{digits}e}".partition("e")
        if _reads_back(f"{mantissa}e{power}", bits):
            break
    exponent = int(power)
    numerals = mantissa.replace(".", "").rstrip("0") or "0"
    if -7 < exponent < 21:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{numerals}"
        numerals = numerals.ljust(exponent + 1, "0")
        return f"{sign}{numerals[: exponent + 1]}.{numerals[exponent + 1 :] or '0'}"
    return f"{sign}{numerals[0]}.{numerals[1:] or '0'}e{exponent:+d}"


def _reads_back(text: str, bits: int) -> bool:
    try:
        return bits_from_decimal(text) == bits
    except OverflowError:
        return False
