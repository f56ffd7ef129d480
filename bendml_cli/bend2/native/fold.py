"""Scalar operations on constants, and the algebra that is exact."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.types import BOOL, CMP, Enum

NAT_MAX = 2**48 - 1
WORD = 2**32 - 1
SIGN = 2**31
FALSE, TRUE = ir.Const(0, BOOL), ir.Const(1, BOOL)
EQ = ir.Const(1, CMP)


def _nat(value: int) -> int | None:
    return value if value <= NAT_MAX else None


def _nat_pow(base: int, exponent: int) -> int | None:
    return None if base > 1 and exponent > 48 else _nat(base**exponent if base > 1 or not exponent else base)


def _float(value: int) -> int:
    bits: int = struct.unpack("<I", struct.pack("<f", float(value)))[0]
    return bits


_SCALARS: dict[str, Callable[..., int | None]] = {
    "nat_succ": lambda a: _nat(a + 1),
    "nat_double": lambda a: _nat(2 * a),
    "nat_add": lambda a, b: _nat(a + b),
    "nat_mul": lambda a, b: _nat(a * b),
    "nat_pow": _nat_pow,
    "nat_sub": lambda a, b: max(a - b, 0),
    "nat_pred": lambda a: a - 1,
    "nat_to_u32": lambda a: a & WORD,
    "u32_inc": lambda a: (a + 1) & WORD,
    "u32_not": lambda a: a ^ WORD,
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
    "u32_to_f32": _float,
    "f32_bits": lambda a: a if a & 0x7FFFFFFF <= 0x7F800000 else 0x7FC00000,
    "f32_word": lambda a: a,
    "f32_of_bits": lambda a: a,
    "bool_not": lambda a: 1 - a,
    "bool_xor": lambda a, b: a ^ b,
}
for _kind in ("nat", "u32"):
    _SCALARS |= {
        f"{_kind}_div": lambda a, b: a // b if b else 0,
        f"{_kind}_mod": lambda a, b: a % b if b else a,
        f"{_kind}_min": min,
        f"{_kind}_max": max,
        f"{_kind}_cmp": lambda a, b: (a > b) - (a < b) + 1,
        f"{_kind}_is_eq": lambda a, b: int(a == b),
        f"{_kind}_is_ne": lambda a, b: int(a != b),
        f"{_kind}_is_lt": lambda a, b: int(a < b),
        f"{_kind}_is_le": lambda a, b: int(a <= b),
        f"{_kind}_is_gt": lambda a, b: int(a > b),
        f"{_kind}_is_ge": lambda a, b: int(a >= b),
    }

_RIGHT_NEUTRAL = {
    "nat_add": 0, "nat_sub": 0, "nat_mul": 1, "nat_div": 1, "nat_max": 0,
    "u32_add": 0, "u32_sub": 0, "u32_mul": 1, "u32_div": 1, "u32_or": 0, "u32_xor": 0, "u32_and": WORD, "u32_max": 0,
    "u32_shln": 0, "u32_shrn": 0, "bool_xor": 0,
}  # fmt: skip
_LEFT_NEUTRAL = {
    "nat_add": 0, "nat_mul": 1, "nat_max": 0,
    "u32_add": 0, "u32_mul": 1, "u32_or": 0, "u32_xor": 0, "u32_and": WORD, "u32_max": 0, "bool_xor": 0,
}  # fmt: skip
_ZERO_ON_RIGHT = {"nat_mul", "nat_min", "u32_mul", "u32_and", "u32_min"}
"""x * 0 = 0; on the left as well."""
_INVERSES = {"is_eq": "is_ne", "is_lt": "is_ge", "is_le": "is_gt"}
_INVERSES |= {there: back for back, there in _INVERSES.items()}
_ROUND_TRIPS = {("nat_to_u32", "u32_to_nat"), ("word_to_u32", "u32_to_word"), ("bool_not", "bool_not")}
"""Pairs of an outer and an inner operation that give back what they took."""
_COMPARISONS = {
    (1, 0, 0): "is_lt", (0, 1, 0): "is_eq", (0, 0, 1): "is_gt",
    (1, 1, 0): "is_le", (0, 1, 1): "is_ge", (1, 0, 1): "is_ne",
}  # fmt: skip


def fold(prim: ir.Prim, known: Mapping[ir.Var, object]) -> ir.Expr:
    """The operation, or what gives the same for less. `known` has the operations that variables stand for.

    An operation that would stop the program stays.
    """
    name, args = prim.name, prim.args
    values = [arg.value for arg in args if isinstance(arg, ir.Const)]
    if args and len(values) == len(args):
        scalar = _SCALARS.get(name)
        value = scalar(*values) if scalar is not None else None
        return prim if value is None else ir.Value(ir.Const(value, prim.rep))
    if len(args) == 1 and isinstance(args[0], ir.Var):
        return _fold_one(prim, args[0], known)
    if len(args) == 2:
        return _fold_two(prim, *args, known)
    return prim


def _fold_one(prim: ir.Prim, arg: ir.Var, known: Mapping[ir.Var, object]) -> ir.Expr:
    match known.get(arg):
        case ir.Prim(inner, (atom,)) if (prim.name, inner) in _ROUND_TRIPS:
            return ir.Value(atom)
        case ir.Prim(inner, args) if prim.name == "bool_not" and inner.startswith(("nat_is_", "u32_is_")):
            kind, _, relation = inner.partition("_")
            if relation in _INVERSES:
                return ir.Prim(f"{kind}_{_INVERSES[relation]}", args, BOOL)
        case ir.Construct("Succ", _, (atom,)) if prim.name == "nat_pred":
            return ir.Value(atom)
        case ir.Construct() if prim.name == "word_to_u32":
            value = _word(arg, known)
            return prim if value is None else ir.Value(ir.Const(value, prim.rep))
    return prim


def _word(atom: ir.Atom, known: Mapping[ir.Var, object]) -> int | None:
    """The number whose bits, the lowest first, are a word's, where all are known."""
    value = 0
    for place in range(WORD.bit_length()):
        made = known.get(atom) if isinstance(atom, ir.Var) else None
        if not isinstance(made, ir.Construct) or not isinstance(made.args[0], ir.Const):
            return None
        value |= made.args[0].value << place
        atom = made.args[1]
    return value


def _fold_two(prim: ir.Prim, left: ir.Atom, right: ir.Atom, known: Mapping[ir.Var, object]) -> ir.Expr:
    name = prim.name
    if isinstance(right, ir.Const):
        if _RIGHT_NEUTRAL.get(name) == right.value:
            return ir.Value(left)
        if right.value == 0 and name in _ZERO_ON_RIGHT:
            return ir.Value(right)
        if right.value == 1 and name == "bool_xor":
            return ir.Prim("bool_not", (left,), BOOL)
        if right.value == 1 and name in ("nat_mod", "u32_mod"):
            return ir.Value(ir.Const(0, prim.rep))
        if right.value == 1 and name == "nat_sub" and isinstance(left, ir.Var):
            match known.get(left):
                case ir.Construct("Succ", _, (atom,)):
                    return ir.Value(atom)
    elif isinstance(left, ir.Const):
        if _LEFT_NEUTRAL.get(name) == left.value:
            return ir.Value(right)
        if left.value == 0 and (name in _ZERO_ON_RIGHT or name == "nat_sub"):
            return ir.Value(left)
    elif left is right:
        kind, _, relation = name.partition("_")
        if kind in ("nat", "u32") and relation in ("is_eq", "is_le", "is_ge"):
            return ir.Value(TRUE)
        if kind in ("nat", "u32") and relation in ("is_ne", "is_lt", "is_gt"):
            return ir.Value(FALSE)
        if kind in ("nat", "u32") and relation == "cmp":
            return ir.Value(EQ)
    return prim


def fold_match(match_: ir.Match, known: Mapping[ir.Var, object]) -> ir.Expr:
    """A match whose arms (and default) are all constants, as the constant, a comparison, a negation, or its scrutinee;
    any other as it is."""
    constants: dict[int, int] = {}
    for arm in match_.arms:
        if not isinstance(arm.body, ir.Value) or not isinstance(arm.body.atom, ir.Const):
            return match_
        constants[arm.tag] = arm.body.atom.value
    if match_.default is not None:
        if not isinstance(match_.default, ir.Value) or not isinstance(match_.default.atom, ir.Const):
            return match_
        if match_.scrutinee.rep == BOOL or match_.scrutinee.rep == CMP:
            for tag in range(2 if match_.scrutinee.rep == BOOL else 3):
                constants.setdefault(tag, match_.default.atom.value)
        else:
            constants[-1] = match_.default.atom.value
    rep = ir.rep_of(match_)
    if len(set(constants.values())) == 1:
        return ir.Value(ir.Const(next(iter(constants.values())), rep))
    if match_.scrutinee.rep == rep and isinstance(rep, Enum) and all(t == v for t, v in constants.items()):
        return ir.Value(match_.scrutinee)
    if rep == BOOL and match_.scrutinee.rep == BOOL and constants == {0: 1, 1: 0}:
        return ir.Prim("bool_not", (match_.scrutinee,), BOOL)
    if rep == BOOL and set(constants) == {0, 1, 2}:
        match known.get(match_.scrutinee):
            case ir.Prim("nat_cmp" | "u32_cmp" as name, args):
                relation = _COMPARISONS[constants[0], constants[1], constants[2]]
                return ir.Prim(f"{name[:3]}_{relation}", args, BOOL)
    return match_
