"""Single precision numbers as bits: reading decimal text with one rounding, and the shortest text that reads back."""

from __future__ import annotations

import struct

INFINITY_BITS = 0x7F800000
_PRECISION = 24
_ENOUGH = 400  # more digits than any midpoint of two singles has
_LOWEST = -149  # the exponent of the smallest subnormal's unit


def single_bits(text: str) -> int | None:
    """The IEEE-754 bits of the single nearest to a decimal literal, ties to even; None if that is infinite."""
    mantissa, _, exponent_text = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return 0
    sign = -1 if exponent_text.startswith("-") else 1
    size = exponent_text.lstrip("+-").lstrip("0") or "0"
    exponent = sign * (int(size) if len(size) < 8 else 10**8) - len(fraction)
    magnitude = exponent + len(digits)
    if magnitude > 40:
        return None
    if magnitude < -50:
        return 0
    if len(digits) > _ENOUGH:
        # What lies past the digits that decide a tie only says on which side of it the number is.
        sticky = "1" if digits[_ENOUGH:].strip("0") else "0"
        exponent += len(digits) - _ENOUGH - 1
        digits = digits[:_ENOUGH] + sticky
    numerator = int(digits) * 10 ** max(exponent, 0)
    denominator: int = 10 ** max(-exponent, 0)
    return _round(numerator, denominator)


def _round(numerator: int, denominator: int) -> int | None:
    """The bits of the single nearest to a positive fraction."""
    unit = max(numerator.bit_length() - denominator.bit_length() - _PRECISION, _LOWEST)
    significand = _nearest(numerator, denominator, unit)
    while significand >= 1 << _PRECISION:
        unit += 1
        significand = _nearest(numerator, denominator, unit)
    if significand < 1 << (_PRECISION - 1) and unit > _LOWEST:
        unit -= 1
        significand = _nearest(numerator, denominator, unit)
        if significand >= 1 << _PRECISION:
            unit, significand = unit + 1, significand >> 1
    if significand < 1 << (_PRECISION - 1):
        return significand  # subnormal
    biased = unit - _LOWEST + 1
    if biased >= 255:
        return None
    return (biased << 23) | (significand & 0x7FFFFF)


def _nearest(numerator: int, denominator: int, unit: int) -> int:
    """numerator / denominator / 2^unit, rounded to the nearest integer, ties to even."""
    if unit >= 0:
        denominator <<= unit
    else:
        numerator <<= -unit
    quotient, rest = divmod(numerator, denominator)
    twice = 2 * rest
    if twice > denominator or (twice == denominator and quotient & 1):
        quotient += 1
    return quotient


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
        if single_bits(f"{mantissa}e{power}") == bits:
            break
    exponent = int(power)
    numerals = mantissa.replace(".", "").rstrip("0") or "0"
    if -7 < exponent < 21:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{numerals}"
        numerals = numerals.ljust(exponent + 1, "0")
        return f"{sign}{numerals[: exponent + 1]}.{numerals[exponent + 1 :] or '0'}"
    return f"{sign}{numerals[0]}.{numerals[1:] or '0'}e{exponent:+d}"
