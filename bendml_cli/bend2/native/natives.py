"""Definitions of Base that are not compiled from their text: machine arithmetic, arrays as blocks, effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.ir import Apply, Atom, Construct, Expr, Prim, Var
from bendml_cli.bend2.native.prims import PRIMS
from bendml_cli.bend2.native.scope import Block
from bendml_cli.bend2.native.types import Rep

Builder = Callable[[tuple[Var, ...], Rep, Block], Expr]
"""From a definition's live parameters and the representation of its result to its body."""


@dataclass(frozen=True, slots=True)
class NativeDefinition:
    """A primitive operation on the definition's own live parameters, or a body built of several."""

    prim: str | None
    build: Builder


def _pair(first: Atom, second: Atom, result: Rep, block: Block) -> Expr:
    """A pair in a definition's result."""
    assert isinstance(result, types.Record)
    fields = (block.coerce(first, result.fields[0]), block.coerce(second, result.fields[1]))
    return Construct("Tuple", 0, fields, result)


def _of_prim(name: str) -> Builder:
    return lambda params, result, block: Prim(name, params, result)


def _effect(name: str) -> Builder:
    """An effect, whose last parameter is the continuation."""

    def build(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
        rep = PRIMS[name].result
        assert rep is not None
        value = block.prim(name, tuple([block.slot(each) for each in params[:-1]]), rep)
        return Apply(params[-1], (value,), result)

    return build


def _file_effect(name: str) -> Builder:
    """An effect on a file, which goes to the continuation beside the answer."""

    def build(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
        rep = PRIMS[name].result
        assert rep is not None
        file, *others, continuation = params
        answer = block.prim(name, (file, *others), rep)
        pair = types.Record("Sigma", (file.rep, rep))
        both = block.bind("both", Construct("Tuple", 0, (file, answer), pair), pair)
        return Apply(continuation, (block.slot(both),), result)

    return build


def _divmod(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
    quotient = block.prim("nat_div", params, types.NAT)
    return _pair(quotient, block.prim("nat_mod", params, types.NAT), result, block)


# -- arrays -----------------------------------------------------------------------------------------------------


def _element(array: Rep) -> Rep:
    assert isinstance(array, types.Array)
    return array.element


def _array_get(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
    array, index = params
    return _pair(array, block.prim("arr_get", (array, index), _element(array.rep)), result, block)


def _array_set(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
    array, index, value = params
    return Prim("arr_set", (array, index, block.coerce(value, _element(array.rep))), result)


def _array_swap(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
    array, index, value = params
    element = _element(array.rep)
    old = block.prim("arr_exchange", (array, index, block.coerce(value, element)), element)
    return _pair(array, old, result, block)


def _array_size(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
    return _pair(params[0], block.prim("arr_size", params, types.U32_), result, block)


def _array_clone(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
    return _pair(params[0], block.prim("arr_clone", params, params[0].rep), result, block)


def _array_new(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
    return Prim("arr_new", (params[0], block.coerce(params[1], _element(result))), result)


def _array_update(name: str) -> Builder:
    """An atomic operation, which gives the array beside the old value."""

    def build(params: tuple[Var, ...], result: Rep, block: Block) -> Expr:
        rep = PRIMS[name].result
        assert rep is not None
        return _pair(params[0], block.prim(name, params, rep), result, block)

    return build


def _table() -> dict[str, NativeDefinition]:
    table: dict[str, NativeDefinition] = {}

    def prims(names: str, **renamed: str) -> None:
        for key in names.split():
            prim = renamed.get(key.replace(".", "_"), key.replace(".", "_").lower())
            assert prim in PRIMS, prim
            table[key] = NativeDefinition(prim, _of_prim(prim))

    def built(build: Callable[[str], Builder], names: str) -> None:
        for key in names.split():
            prim = key.replace(".", "_").lower()
            table[key] = NativeDefinition(None, build("io_" + prim if "io_" + prim in PRIMS else prim))

    prims("Nat.add Nat.sub Nat.mul Nat.div Nat.mod Nat.pow Nat.double Nat.min Nat.max Nat.cmp Nat.show")
    prims("Nat.is_eq Nat.is_ne Nat.is_lt Nat.is_le Nat.is_gt Nat.is_ge")
    prims("U32.inc U32.add U32.sub U32.mul U32.div U32.mod U32.not U32.and U32.or U32.xor U32.shl U32.shr U32.shln")
    prims("U32.shrn U32.pow U32.min U32.max U32.cmp U32.is_eq U32.is_ne U32.is_lt U32.is_le U32.is_gt U32.is_ge")
    prims("U32.is_zero U32.is_even U32.log2 U32.to_nat U32.from_nat U32.show U32.to_f32", U32_from_nat="nat_to_u32")
    prims("F32.add F32.sub F32.mul F32.div F32.mod F32.pow F32.atan2 F32.neg F32.abs F32.sqrt F32.exp F32.log F32.log2")
    prims("F32.log10 F32.sin F32.cos F32.tan F32.asin F32.acos F32.atan F32.sinh F32.cosh F32.tanh F32.floor F32.ceil")
    prims("F32.trunc F32.is_eq F32.is_ne F32.is_lt F32.is_le F32.is_gt F32.is_ge F32.bits F32.to_u32 F32.show F32.read")
    table["Nat.divmod"] = NativeDefinition(None, _divmod)

    arrays: dict[str, Builder] = {
        "get": _array_get,
        "set": _array_set,
        "swap": _array_swap,
        "size": _array_size,
        "clone": _array_clone,
        "new": _array_new,
        "to_list": _of_prim("arr_to_list"),
        "join": _of_prim("arr_join"),
    }
    for name, builder in arrays.items():
        table[f"Array.{name}"] = NativeDefinition(None, builder)
    for name in ("add", "min", "max", "and", "or", "xor", "exch", "cas", "fadd"):
        table[f"Array.atomic.{name}"] = NativeDefinition(None, _array_update(f"arr_atomic_{name}"))

    built(
        _effect, "IO.print IO.write IO.print_err IO.get_env IO.args Process.run IO.random_u32 IO.spawn IO.sleep IO.now"
    )
    built(_effect, "IO.thread_count Chan.new Chan.send Chan.recv Chan.close File.open File.close")
    built(_file_effect, "File.read File.read_bytes File.read_at File.size File.write File.write_bytes")
    return table


NATIVES: dict[str, NativeDefinition] = _table()
