"""The scalar primitives of the IR on Python integers, for the model of the IR (ir_model.py)."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from tests.bend2.native.float_model import double_functions

NAT_MAX = 2**48 - 1
WORD = 2**32 - 1


class Stopped(Exception):
    """The program stops with an error, as it should."""


def float_of(bits: int) -> float:
    """The number that 32 bits stand for."""
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


def bits_of(value: float) -> int:
    """A number rounded once to single precision, as bits; every NaN is the one of bits 0x7fc00000."""
    if math.isnan(value):
        return 0x7FC00000
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        packed = struct.pack("<f", math.copysign(math.inf, value))
    bits: int = struct.unpack("<I", packed)[0]
    return bits


def _nat(value: int) -> int:
    if value > NAT_MAX:
        raise Stopped("a Nat past 2^48 - 1")
    return value


def _nat_pow(base: int, exponent: int) -> int:
    if base <= 1:
        return base if exponent else 1
    if exponent > 48:
        raise Stopped("a Nat past 2^48 - 1")
    return _nat(base**exponent)


def _div(a: int, b: int) -> int:
    return a // b if b else 0


def _mod(a: int, b: int) -> int:
    return a % b if b else a


def _cmp(a: int, b: int) -> int:
    return (a > b) - (a < b) + 1


def _float_div(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def _float_to_u32(value: float) -> int:
    return int(value) if 0 <= value < 2**32 else 0


def _whole(round_: Callable[[float], int]) -> Callable[[int], int]:
    def go(bits: int) -> int:
        value = float_of(bits)
        return bits_of(math.copysign(float(round_(value)), value) if math.isfinite(value) else value)

    return go


def _rounded(function: Callable[..., float]) -> Callable[..., int]:
    return lambda *args: bits_of(function(*map(float_of, args)))


def _table() -> dict[str, Callable[..., int]]:
    table: dict[str, Callable[..., int]] = {
        "nat_succ": lambda a: _nat(a + 1),
        "nat_double": lambda a: _nat(2 * a),
        "nat_add": lambda a, b: _nat(a + b),
        "nat_mul": lambda a, b: _nat(a * b),
        "nat_pow": _nat_pow,
        "nat_sub": lambda a, b: max(a - b, 0),
        "nat_pred": lambda a: a - 1,
        "nat_to_u32": lambda a: a & WORD,
        "u32_inc": lambda a: (a + 1) & WORD,
        "u32_not": lambda a: ~a & WORD,
        "u32_shl": lambda a: (a << 1) & WORD,
        "u32_shr": lambda a: a >> 1,
        "u32_add": lambda a, b: (a + b) & WORD,
        "u32_sub": lambda a, b: (a - b) & WORD,
        "u32_mul": lambda a, b: (a * b) & WORD,
        "u32_and": lambda a, b: a & b,
        "u32_or": lambda a, b: a | b,
        "u32_xor": lambda a, b: a ^ b,
        "u32_shln": lambda a, n: (a << n) & WORD if n < 32 else 0,
        "u32_shrn": lambda a, n: a >> n if n < 32 else 0,
        "u32_pow": lambda a, n: pow(a, n, 2**32),
        "u32_is_zero": lambda a: int(a == 0),
        "u32_is_even": lambda a: int(a % 2 == 0),
        "u32_to_nat": lambda a: a,
        "u32_log2": lambda a: max(a.bit_length() - 1, 0),
        "f32_neg": lambda a: bits_of(-float_of(a)),
        "f32_abs": lambda a: bits_of(abs(float_of(a))),
        "f32_sqrt": lambda a: bits_of(math.sqrt(float_of(a)) if float_of(a) >= 0 else math.nan),
        "f32_floor": _whole(math.floor),
        "f32_ceil": _whole(math.ceil),
        "f32_trunc": _whole(math.trunc),
        "f32_bits": lambda a: a if a & 0x7FFFFFFF <= 0x7F800000 else 0x7FC00000,
        "f32_word": lambda a: a,
        "f32_of_bits": lambda a: a,
        "f32_to_u32": lambda a: _float_to_u32(float_of(a)),
        "u32_to_f32": lambda a: bits_of(float(a)),
        "f32_add": lambda a, b: bits_of(float_of(a) + float_of(b)),
        "f32_sub": lambda a, b: bits_of(float_of(a) - float_of(b)),
        "f32_mul": lambda a, b: bits_of(float_of(a) * float_of(b)),
        "f32_div": lambda a, b: bits_of(_float_div(float_of(a), float_of(b))),
        "f32_is_eq": lambda a, b: int(float_of(a) == float_of(b)),
        "f32_is_ne": lambda a, b: int(float_of(a) != float_of(b)),
        "f32_is_lt": lambda a, b: int(float_of(a) < float_of(b)),
        "f32_is_le": lambda a, b: int(float_of(a) <= float_of(b)),
        "f32_is_gt": lambda a, b: int(float_of(a) > float_of(b)),
        "f32_is_ge": lambda a, b: int(float_of(a) >= float_of(b)),
        "bool_not": lambda a: 1 - a,
        "bool_xor": lambda a, b: a ^ b,
    }
    for name, function in double_functions().items():
        table[f"f32_{name}"] = _rounded(function)
    for kind in ("nat", "u32"):
        table[f"{kind}_div"] = _div
        table[f"{kind}_mod"] = _mod
        table[f"{kind}_min"] = min
        table[f"{kind}_max"] = max
        table[f"{kind}_cmp"] = _cmp
        table[f"{kind}_is_eq"] = lambda a, b: int(a == b)
        table[f"{kind}_is_ne"] = lambda a, b: int(a != b)
        table[f"{kind}_is_lt"] = lambda a, b: int(a < b)
        table[f"{kind}_is_le"] = lambda a, b: int(a <= b)
        table[f"{kind}_is_gt"] = lambda a, b: int(a > b)
        table[f"{kind}_is_ge"] = lambda a, b: int(a >= b)
    return table


SCALARS = _table()
