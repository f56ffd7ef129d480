"""The F32 primitives that are the C library's functions of doubles, rounded once: the library itself, called."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable

from bendml_cli.bend2.core import float32

UNARY = ("exp", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
BINARY = {"mod": "fmod", "pow": "pow", "atan2": "atan2"}


def double_functions() -> dict[str, Callable[..., float]]:
    """Each function of doubles by the last word of the primitive's name."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    found: dict[str, Callable[..., float]] = {}
    for name, symbol, count in [*((each, each, 1) for each in UNARY), *((n, s, 2) for n, s in BINARY.items())]:
        function = getattr(library, symbol)
        function.argtypes = [ctypes.c_double] * count
        function.restype = ctypes.c_double
        found[name] = function
    return found


def show(bits: int) -> str:
    """F32.show: the shortest decimal that reads back."""
    text = float32.show(bits)
    if "n" in text:
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[text]
    mantissa, mark, exponent = text.partition("e")
    return mantissa.removesuffix(".0") + mark + exponent


def is_nan(bits: int) -> bool:
    """Are these the bits of a NaN?"""
    return bits & 0x7FFFFFFF > float32.INFINITY_BITS
