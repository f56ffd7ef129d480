"""Decimal text to single precision, rounded once (edges.md 59)."""

from __future__ import annotations

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
