"""Arithmetic on literals for Base's Nat and U32 definitions, so that closed numbers compute at machine speed.

Each entry computes what the definition of its name in base.bend computes, when the arguments it needs are literals, and
answers None otherwise: then the definition unfolds as any other. tests/bend2/test_base.py compares the two.
"""

from __future__ import annotations

from collections.abc import Callable

from bendml_cli.bend2.core.evaluate import Machine, Native
from bendml_cli.bend2.core.terms import NatLit
from bendml_cli.bend2.core.values import VU32, Env, Thunk, Value, VCtr, VNat, ready

MASK = (1 << 32) - 1
# Nat.add forces its second argument only when the first is at least this large: below, one step of the definition at a
# time costs little and keeps what nobody reads unevaluated.
EAGER_ADD = 64
# How many successors over a literal still count as a number: as many as a step-by-step Nat.add leaves.
LONGEST_CHAIN = EAGER_ADD
# Results past this many bits are left to the definition (which will time out), not computed into memory.
LARGEST_BITS = 1 << 16


def _nat(machine: Machine, thunk: Thunk) -> int | None:
    """A Nat that is a literal, or a short chain of successors over one."""
    value = machine.force(thunk)
    count = 0
    while isinstance(value, VCtr) and value.key == "Succ" and count <= LONGEST_CHAIN:
        count += 1
        value = machine.force(value.args[0])
    return value.value + count if isinstance(value, VNat) else None


def _u32(machine: Machine, thunk: Thunk) -> int | None:
    """A U32 that is a literal, or one rebuilt over bits that are all known."""
    value = machine.force(thunk)
    if isinstance(value, VU32):
        return value.value
    return _closed_word(machine, value.args[0]) if isinstance(value, VCtr) and value.key == "U32" else None


def _closed_word(machine: Machine, word: Thunk) -> int | None:
    total = 0
    for at in range(32):
        cell = machine.force(word)
        if not (isinstance(cell, VCtr) and cell.key == "WCon"):
            return None
        bit = machine.force(cell.args[0])
        if not isinstance(bit, VCtr):
            return None
        total |= (bit.key == "True") << at
        word = cell.args[1]
    return total


def _bool(value: bool) -> Value:
    return VCtr("True" if value else "False", ())


def _cmp(left: int, right: int) -> Value:
    return VCtr("LT" if left < right else "GT" if left > right else "EQ", ())


def _known(thunk: Thunk) -> int | None:
    """A literal that costs no evaluation."""
    if isinstance(thunk.full, VNat):
        return thunk.full.value
    return thunk.term.value if isinstance(thunk.term, NatLit) else None


def _nat_add(machine: Machine, args: Env) -> Value | None:
    left = _nat(machine, args[0])
    if not left:
        return None
    right = _known(args[1])
    if right is None and left >= EAGER_ADD:
        right = _nat(machine, args[1])
    return None if right is None else VNat(left + right)


def _nats(compute: Callable[[int, int], Value | None]) -> Native:
    """A function that splits both Nat arguments, the second one perhaps only when the first is not zero."""

    def native(machine: Machine, args: Env) -> Value | None:
        left = _nat(machine, args[0])
        if not left:
            return None
        right = _nat(machine, args[1])
        return None if right is None else compute(left, right)

    return native


def _nat_mul(machine: Machine, args: Env) -> Value | None:
    left = _nat(machine, args[0])
    if not left:
        return None
    right = _nat(machine, args[1])
    return None if right is None else VNat(left * right)


def _nat_double(machine: Machine, args: Env) -> Value | None:
    number = _nat(machine, args[0])
    return None if number is None else VNat(2 * number)


def _nat_pow(machine: Machine, args: Env) -> Value | None:
    exponent = _nat(machine, args[1])
    if not exponent:
        return None
    base = _nat(machine, args[0])
    if base is None or base.bit_length() * exponent > LARGEST_BITS:
        return None
    return VNat(base**exponent)


def _divmod(left: int, right: int) -> tuple[int, int]:
    return divmod(left, right) if right else (0, left)


def _divmod_pair(left: int, right: int) -> Value:
    quotient, remainder = _divmod(left, right)
    return VCtr("Tuple", (ready(VNat(quotient)), ready(VNat(remainder))))


def _u32s(compute: Callable[[int, int], Value]) -> Native:
    """A function of two words."""

    def native(machine: Machine, args: Env) -> Value | None:
        left = _u32(machine, args[0])
        if left is None:
            return None
        right = _u32(machine, args[1])
        return None if right is None else compute(left, right)

    return native


def _u32_of(compute: Callable[[int], Value]) -> Native:
    """A function of one word."""

    def native(machine: Machine, args: Env) -> Value | None:
        number = _u32(machine, args[0])
        return None if number is None else compute(number)

    return native


def _u32_nat(compute: Callable[[int, int], Value]) -> Native:
    """A function of a word and a Nat."""

    def native(machine: Machine, args: Env) -> Value | None:
        number = _u32(machine, args[0])
        if number is None:
            return None
        amount = _nat(machine, args[1])
        return None if amount is None else compute(number, amount)

    return native


def _word(value: int) -> Value:
    return VU32(value & MASK)


def _from_nat(machine: Machine, args: Env) -> Value | None:
    number = _nat(machine, args[0])
    return None if number is None else _word(number)


NATIVES: dict[str, Native] = {
    "Nat.add": _nat_add,
    "Nat.mul": _nat_mul,
    "Nat.double": _nat_double,
    "Nat.pow": _nat_pow,
    "Nat.sub": _nats(lambda a, b: VNat(max(a - b, 0))),
    "Nat.cmp": _nats(_cmp),
    "Nat.min": _nats(lambda a, b: VNat(min(a, b))),
    "Nat.max": _nats(lambda a, b: VNat(max(a, b))),
    "Nat.divmod": _nats(_divmod_pair),
    "Nat.div": _nats(lambda a, b: VNat(_divmod(a, b)[0])),
    "Nat.mod": _nats(lambda a, b: VNat(_divmod(a, b)[1])),
    "U32.inc": _u32_of(lambda a: _word(a + 1)),
    "U32.not": _u32_of(lambda a: _word(~a)),
    "U32.shl": _u32_of(lambda a: _word(a << 1)),
    "U32.shr": _u32_of(lambda a: _word(a >> 1)),
    "U32.is_zero": _u32_of(lambda a: _bool(a == 0)),
    "U32.is_even": _u32_of(lambda a: _bool(a % 2 == 0)),
    "U32.to_nat": _u32_of(VNat),
    "U32.log2": _u32_of(lambda a: VNat(max(a.bit_length() - 1, 0))),
    "U32.from_nat": _from_nat,
    "U32.add": _u32s(lambda a, b: _word(a + b)),
    "U32.sub": _u32s(lambda a, b: _word(a - b)),
    "U32.mul": _u32s(lambda a, b: _word(a * b)),
    "U32.and": _u32s(lambda a, b: _word(a & b)),
    "U32.or": _u32s(lambda a, b: _word(a | b)),
    "U32.xor": _u32s(lambda a, b: _word(a ^ b)),
    "U32.div": _u32s(lambda a, b: _word(_divmod(a, b)[0])),
    "U32.mod": _u32s(lambda a, b: _word(_divmod(a, b)[1])),
    "U32.min": _u32s(lambda a, b: _word(min(a, b))),
    "U32.max": _u32s(lambda a, b: _word(max(a, b))),
    "U32.cmp": _u32s(_cmp),
    "U32.is_eq": _u32s(lambda a, b: _bool(a == b)),
    "U32.is_ne": _u32s(lambda a, b: _bool(a != b)),
    "U32.is_lt": _u32s(lambda a, b: _bool(a < b)),
    "U32.is_le": _u32s(lambda a, b: _bool(a <= b)),
    "U32.is_gt": _u32s(lambda a, b: _bool(a > b)),
    "U32.is_ge": _u32s(lambda a, b: _bool(a >= b)),
    "U32.shln": _u32_nat(lambda a, n: _word(a << n) if n < 32 else _word(0)),
    "U32.shrn": _u32_nat(lambda a, n: _word(a >> n) if n < 32 else _word(0)),
    "U32.pow": _u32_nat(lambda a, n: _word(pow(a, n, 1 << 32))),
}
