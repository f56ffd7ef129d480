"""Evaluating the normal form of an F32 program: Bend's checker leaves F32 arithmetic alone, so it prints as calls."""

from __future__ import annotations

import ast
import math
import re
import struct
from collections.abc import Callable

Number = float
Value = float | bool | list["Value"]


def single(x: float) -> float:
    """x rounded to the nearest F32."""
    result: float = struct.unpack("f", struct.pack("f", x))[0]
    return result


BINARY: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}
UNARY: dict[str, Callable[[float], float]] = {
    "neg": lambda a: -a,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "tanh": math.tanh,
}
COMPARED: dict[str, Callable[[float, float], bool]] = {"is_lt": lambda a, b: a < b, "is_le": lambda a, b: a <= b}


def evaluate(normal_form: str) -> Value:
    """The value of a printed normal form of lists, F32 literals and F32 calls. Each call rounds once."""
    text = re.sub(r"\b(True|False)\{\}", r"\1", normal_form)
    return _value(ast.parse(text, mode="eval").body)


def numbers(normal_form: str) -> list[float]:
    """All numbers of a printed normal form, in order."""
    return list(_flat(evaluate(normal_form)))


def _flat(value: Value) -> list[float]:
    return [x for part in value for x in _flat(part)] if isinstance(value, list) else [float(value)]


def _value(node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=float(x) | int(x)):
            return single(x)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part) for part in parts]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="Bool"), attr="pick"), args=[_, chosen, first, second]):
            return _value(first if _value(chosen) else second)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="U32"), attr="to_f32"), args=[whole]):
            return _value(whole)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="F32"), attr=name), args=[one]) if name in UNARY:
            return single(UNARY[name](_number(one)))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="F32"), attr=name), args=[a, b]) if name in BINARY:
            return single(BINARY[name](_number(a), _number(b)))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="F32"), attr=name), args=[a, b]) if name in COMPARED:
            return COMPARED[name](_number(a), _number(b))
        case _:
            raise ValueError(f"not a number: {ast.unparse(node)}")


def _number(node: ast.expr) -> float:
    value = _value(node)
    assert isinstance(value, float)
    return value
