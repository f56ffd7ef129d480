"""Representations in C: types, constants, and from raw values to words and back.

A value of no information (Unit, and a Record of nothing else) has no C variable: its code is the empty string.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, field

from bendml_cli.bend2.native.ir import Atom, Const, Var
from bendml_cli.bend2.native.types import F32, U32, Array, Char, Enum, Nat, Record, Rep, Unit, is_counted, is_word

WORD = "V"
_SCALARS: dict[type[Rep], tuple[str, str]] = {
    Nat: ("uint64_t", "nat"),
    U32: ("uint32_t", "u32"),
    Char: ("uint32_t", "u32"),
    F32: ("float", "f32"),
    Enum: ("uint8_t", "enum"),
}
_BLOCKS: dict[type[Rep], str] = {F32: "f32", U32: "u32", Char: "u32", Enum: "u8"}

Layout = tuple["str | Layout", ...]
# Where a function of convention B_CC gives a struct of three, five, six or seven bytes, clang reads and writes four or
# eight, also past its end.
_NO_ODD_SIZE = "__attribute__((aligned(4)))"


def is_void(rep: Rep) -> bool:
    """Has a value of this representation no information?"""
    return isinstance(rep, Unit) or (isinstance(rep, Record) and all(map(is_void, rep.fields)))


def var_name(var: Var) -> str:
    """The C variable of a variable."""
    return f"{c_name(var.name)}_{var.number}"


def c_name(text: str) -> str:
    """A text as a part of a C name."""
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or "x"


def block_kind(array: Rep) -> str:
    """The suffix of the operations on an array."""
    if not isinstance(array, Array):
        return "any"
    if is_word(array.element):
        return "any" if str(array.element) == "Any" else "word"
    return _BLOCKS.get(type(array.element), "word")


def block_type(kind: str) -> str:
    """The C type of the elements in a block of a kind."""
    return {"f32": "float", "u32": "uint32_t", "u8": "uint8_t"}.get(kind, WORD)


@dataclass(slots=True)
class CReps:
    """The C forms of representations; the structs of the records that were asked for."""

    _structs: dict[Layout, str] = field(default_factory=dict)
    definitions: list[str] = field(default_factory=list)

    def type(self, rep: Rep) -> str:
        """The C type of a raw value (`void` for no information)."""
        if is_void(rep):
            return "void"
        if isinstance(rep, Record):
            return f"struct {self._struct(rep)}"
        return _SCALARS[type(rep)][0] if type(rep) in _SCALARS else WORD

    def leaves(self, rep: Rep) -> list[tuple[str, Rep]]:
        """The scalars and words that make up a raw value: how each is reached from it, and its representation."""
        if is_void(rep):
            return []
        if not isinstance(rep, Record):
            return [("", rep)]
        return [(f".f{at}{path}", leaf) for at, part in enumerate(rep.fields) for path, leaf in self.leaves(part)]

    def raw(self, atom: Atom) -> str:
        """An atom as a raw value."""
        if is_void(atom.rep):
            return ""
        return var_name(atom) if isinstance(atom, Var) else constant(atom)

    def word(self, atom: Atom) -> str:
        """An atom as a word."""
        if isinstance(atom, Const):
            return f"b_imm({atom.value})"
        return self.box(self.raw(atom), atom.rep)

    def box(self, code: str, rep: Rep) -> str:
        """A raw value as a word."""
        if isinstance(rep, Record):
            return f"box_{self._struct(rep)}({'' if is_void(rep) else code})"
        if isinstance(rep, Unit):
            return "b_imm(0)"
        return f"b_box_{_SCALARS[type(rep)][1]}({code})" if type(rep) in _SCALARS else code

    def unbox(self, code: str, rep: Rep) -> str:
        """A word, which this uses up, as a raw value."""
        if isinstance(rep, Record):
            return f"unbox_{self._struct(rep)}({code})"
        return f"b_unbox_{_SCALARS[type(rep)][1]}({code})" if type(rep) in _SCALARS else code

    def counted(self, atom: Atom) -> list[str]:
        """The words in an atom that are counted."""
        if not isinstance(atom, Var):
            return []
        return [f"{var_name(atom)}{path}" for path, leaf in self.leaves(atom.rep) if is_counted(leaf)]

    def _layout(self, rep: Rep) -> str | Layout:
        if isinstance(rep, Record):
            return tuple([self._layout(each) for each in rep.fields])
        return "unit" if isinstance(rep, Unit) else _SCALARS.get(type(rep), (WORD, "word"))[1]

    def _struct(self, rep: Record) -> str:
        """The name of a record's struct, of which there is one for each layout."""
        layout = self._layout(rep)
        assert isinstance(layout, tuple)
        known = self._structs.get(layout)
        if known is not None:
            return known
        fields = [(f"f{at}", each) for at, each in enumerate(rep.fields)]
        members = [f"  {self.type(each)} {name};" for name, each in fields if not is_void(each)]
        name = self._structs[layout] = f"record{len(self._structs)}"
        n = len(fields)
        void = is_void(rep)
        stored = [f"  o->f[{at}] = {self.box(f'r.{name}', each)};" for at, (name, each) in enumerate(fields)]
        loaded = [
            f"  {f'r.{name} = ' if not is_void(each) else ''}{self.unbox(f'o->f[{at}]', each)};"
            for at, (name, each) in enumerate(fields)
            if not isinstance(each, Unit)
        ]
        # The words of the cell are read after it is freed or shared: so through a copy.
        words = ", ".join(f"o->f[{at}]" for at in range(n))
        loaded = [each.replace("o->f[", "word[") for each in loaded]
        struct_type = "void" if void else f"struct {name}"
        self.definitions += [
            *([] if void else [f"struct {name} {{", *members, f"}} {_NO_ODD_SIZE};"]),
            f"static inline V box_{name}({'' if void else f'{struct_type} r'}) {{",
            f"  b_obj *o = b_cell(0, {n});",
            *stored,
            "  return b_word(o);",
            "}",
            f"static inline {struct_type} unbox_{name}(V v) {{",
            "  b_obj *o = b_ptr(v);",
            f"  const V word[{n}] = {{{words}}};",
            f"  b_open(o, {n});",
            *([] if void else [f"  {struct_type} r;"]),
            *loaded,
            *([] if void else ["  return r;"]),
            "}",
        ]
        return name


def constant(atom: Const) -> str:
    """A constant as a raw value."""
    match atom.rep:
        case Nat():
            return f"UINT64_C({atom.value})"
        case U32() | Char():
            return f"{atom.value}u"
        case Enum():
            return str(atom.value)
        case F32():
            (value,) = struct.unpack("<f", atom.value.to_bytes(4, "little"))
            return f"{value.hex()}f" if math.isfinite(value) else f"b_f32_of_bits({atom.value}u)"
        case _:
            return f"b_imm({atom.value})"
