"""Printing main's value in the C runtime: random values of random types against the checker's printer."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import Ctr, F32Lit, NatLit, StrLit, Term, U32Lit
from bendml_cli.bend2.native.emit_shows import show_tables
from bendml_cli.bend2.native.show_table import ShowConstructor, ShowEntry
from tests.bend2.native.native_run import run_c

PROLOGUE = """
#include "show.h"
#include <stdarg.h>

static V cell(unsigned tag, unsigned n, ...) {
  b_obj *o = b_cell(tag, n);
  va_list fields;
  va_start(fields, n);
  for (unsigned i = 0; i < n; i++) o->f[i] = va_arg(fields, V);
  va_end(fields);
  return b_word(o);
}

static V block(unsigned kind, unsigned depth, ...) {
  V array = b_block_new(kind, depth);
  va_list elements;
  va_start(elements, depth);
  for (uint32_t i = 0; i < 1u << depth; i++) b_drop(b_arr_exchange_any(array, i, va_arg(elements, V)));
  va_end(elements);
  return array;
}
"""
EPILOGUE = """
int main(int argc, char **argv) {
  const b_program program = {.main = value, .shows = SHOWS};
  return b_start(argc, argv, &program);
}
"""

Made = tuple[str, Term]
"""A value: C of its word, and as a term."""


def immediate(number: int) -> str:
    return f"b_imm({number}u)" if number < 1 << 32 else f"b_imm(UINT64_C({number}))"


def cell(tag: int, *fields: str) -> str:
    return f"cell({', '.join(map(str, (tag, len(fields), *fields)))})"


@dataclass
class Shape:
    """A type: its entry, and how to make a value of it of about some size."""

    entry: int
    make: Callable[[int], Made]
    block: str = "B_WORD"


@dataclass
class Shapes:
    """Random types, and the table that describes them."""

    chance: random.Random
    entries: list[ShowEntry] = field(default_factory=lambda: [ShowEntry("text")])

    def add(self, entry: ShowEntry) -> int:
        self.entries.append(entry)
        return len(self.entries) - 1

    def shape(self, depth: int) -> Shape:
        leaves: list[Callable[[int], Shape]] = [
            self.nat,
            self.u32,
            self.f32,
            self.char,
            self.string,
            self.enum,
            self.proof,
        ]
        compounds: list[Callable[[int], Shape]] = [
            self.a_list,
            self.a_tuple,
            self.a_choice,
            self.an_array,
            self.a_datatype,
        ]
        pick = self.chance.choice(leaves if depth == 0 else leaves + 3 * compounds)
        return pick(depth - 1)

    def nat(self, _: int) -> Shape:
        def make(_: int) -> Made:
            number = self.chance.choice([0, 1, 4294967295, 4294967296, (1 << 48) - 1, self.chance.getrandbits(40)])
            return immediate(number), NatLit(number)

        return Shape(self.add(ShowEntry("nat")), make)

    def u32(self, _: int) -> Shape:
        def make(_: int) -> Made:
            number = self.chance.getrandbits(self.chance.choice([1, 8, 32]))
            return immediate(number), U32Lit(number)

        return Shape(self.add(ShowEntry("u32")), make, self.chance.choice(["B_U32", "B_WORD"]))

    def f32(self, _: int) -> Shape:
        def make(_: int) -> Made:
            [bits] = struct.unpack("=I", struct.pack("=f", self.chance.choice([0.0, -0.0, 1.0, -2.5e30, 1e-9, 1 / 3])))
            bits = self.chance.choice([bits, 0x7F800000, 0x7FC00000, self.chance.getrandbits(32)])
            return immediate(bits), F32Lit(bits)

        return Shape(self.add(ShowEntry("f32")), make, self.chance.choice(["B_F32", "B_WORD"]))

    def code(self) -> int:
        special = [
            0,
            9,
            10,
            13,
            27,
            31,
            32,
            34,
            39,
            92,
            97,
            127,
            128,
            0xE9,
            0xD800,
            0xDFFF,
            0x1F600,
            0x10FFFF,
            0x110000,
        ]
        return self.chance.choice([*special, self.chance.getrandbits(32)])

    def char(self, _: int) -> Shape:
        def make(_: int) -> Made:
            code = self.code()
            return immediate(code), Ctr("Chr", (U32Lit(code),))

        return Shape(self.add(ShowEntry("char")), make, "B_U32")

    def string(self, _: int) -> Shape:
        def make(size: int) -> Made:
            codes = tuple(self.code() for _ in range(self.chance.randrange(size + 2)))
            text = immediate(0)
            for code in reversed(codes):
                text = cell(1, immediate(code), text)
            return text, StrLit(codes)

        return Shape(self.add(ShowEntry("string")), make)

    def proof(self, _: int) -> Shape:
        return Shape(self.add(ShowEntry("text", text="{==}")), lambda _: (immediate(0), Ctr("{==}", ())))

    def enum(self, _: int) -> Shape:
        names = ["Red", "Green", "Blue"]
        entry = self.add(ShowEntry("data", constructors=tuple(ShowConstructor(name, (), ()) for name in names)))

        def make(_: int) -> Made:
            index = self.chance.randrange(3)
            return immediate(index), Ctr(names[index], ())

        return Shape(entry, make, "B_U8")

    def a_list(self, depth: int) -> Shape:
        element = self.shape(depth)

        def make(size: int) -> Made:
            word, term = immediate(0), Ctr("Nil", ())
            for _ in range(self.chance.randrange(size + 1)):
                head, shown = element.make(size // 2)
                word, term = cell(1, head, word), Ctr("Con", (shown, term))
            return word, term

        return Shape(self.add(ShowEntry("list", (element.entry,))), make)

    def a_tuple(self, depth: int) -> Shape:
        first, second = self.shape(depth), self.shape(depth)

        def make(size: int) -> Made:
            (left, shown_left), (right, shown_right) = first.make(size // 2), second.make(size // 2)
            return cell(0, left, right), Ctr("Tuple", (shown_left, shown_right))

        return Shape(self.add(ShowEntry("tuple", (first.entry, second.entry))), make)

    def a_choice(self, depth: int) -> Shape:
        """A tuple whose first side, by a number in it, decides what the second one is."""
        parts = [self.shape(depth) for _ in range(3)]
        number = self.add(ShowEntry("nat"))
        first = self.add(ShowEntry("tuple", (number, number)))
        second = self.add(ShowEntry("choice", tuple(part.entry for part in parts), path=(0, 1)))

        def make(size: int) -> Made:
            chosen = self.chance.choice([0, 1, 2, 1 << 32])
            word, shown = parts[min(chosen, 2)].make(size // 2)
            numbers = Ctr("Tuple", (NatLit(7), NatLit(chosen)))
            return cell(0, cell(0, immediate(7), immediate(chosen)), word), Ctr("Tuple", (numbers, shown))

        return Shape(self.add(ShowEntry("tuple", (first, second))), make)

    def an_array(self, depth: int) -> Shape:
        element = self.shape(depth)

        def make(size: int) -> Made:
            if self.chance.random() < 0.3:
                (left, shown_left), (right, shown_right) = make(size // 2), make(size // 2)
                return f"b_arr_node({left}, {right})", Ctr("ANode", (shown_left, shown_right))
            levels = self.chance.randrange(3)
            made = [element.make(size // 2) for _ in range(1 << levels)]
            terms: list[Term] = [Ctr("ALeaf", (term,)) for _, term in made]
            while len(terms) > 1:
                terms = [Ctr("ANode", pair) for pair in zip(terms[::2], terms[1::2], strict=True)]
            return f"block({element.block}, {levels}, {', '.join(word for word, _ in made)})", terms[0]

        return Shape(self.add(ShowEntry("array", (element.entry,))), make)

    def a_datatype(self, depth: int) -> Shape:
        """A datatype that may hold itself, with fields that are not there at run time."""
        at = self.add(ShowEntry("text"))
        erased = self.add(ShowEntry("text", text="_"))
        fields: list[list[Shape | None]] = []
        for _ in range(self.chance.choice([1, 2, 3])):
            kinds = self.chance.choices(["live", "self", "erased"], [3, 1, 1], k=self.chance.randrange(4))
            fields.append([self._field(kind, at, depth) for kind in kinds])
        made = [
            ShowConstructor(
                f"K{number}", tuple(each.entry if each else erased for each in those), tuple(map(bool, those))
            )
            for number, those in enumerate([[], *fields])
        ]
        self.entries[at] = ShowEntry("data", constructors=tuple(made))

        def make(size: int) -> Made:
            tag = self.chance.randrange(len(fields) + 1) if size > 0 else 0
            parts = [each and (make if each.entry == at else each.make)(size // 2) for each in [[], *fields][tag]]
            live = [part[0] for part in parts if part]
            term = Ctr(f"K{tag}", tuple(part[1] if part else Ctr("_", ()) for part in parts))
            return cell(tag, *live) if live else immediate(tag), term

        return Shape(at, make)

    def _field(self, kind: str, own: int, depth: int) -> Shape | None:
        if kind == "erased":
            return None
        return Shape(own, lambda _: ("", Ctr("", ()))) if kind == "self" else self.shape(depth)


def expected(term: Term) -> str:
    """As the checker prints it; what stands for text is undone."""
    text = show(term, (), lambda key: key.rpartition("/")[2])
    return text.replace("{==}{}", "{==}").replace("_{}", "_")


@pytest.mark.parametrize("seed", range(3))
def test_random_values(seed: int, tmp_path: Path, tools: Path) -> None:
    shapes = Shapes(random.Random(seed))
    words, terms, entries = [], [], []
    for _ in range(120):
        shape = shapes.shape(3)
        word, term = shape.make(8)
        words.append(word)
        terms.append(term)
        entries.append(shape.entry)
    shapes.entries[0] = ShowEntry("data", constructors=(ShowConstructor("All", tuple(entries), (True,) * 120),))
    definitions, table = show_tables(shapes.entries)
    body = f"static B_CC V value(void) {{ return {cell(0, *words)}; }}"
    c_text = "\n".join([PROLOGUE, *definitions, body, EPILOGUE.replace("SHOWS", table)])
    printed = run_c(c_text, tmp_path, tools)
    wanted = expected(Ctr("All", tuple(terms))) + "\n"
    assert printed == wanted


def test_long_lists_and_deep_values(tmp_path: Path, tools: Path) -> None:
    entries = [
        ShowEntry("tuple", (1, 3)),
        ShowEntry("list", (2,)),
        ShowEntry("u32"),
        ShowEntry("data", constructors=(ShowConstructor("Z", (), ()), ShowConstructor("S", (3,), (True,)))),
    ]
    count = 1_000_000
    definitions, table = show_tables(entries)
    body = f"""
static B_CC V value(void) {{
  V list = b_imm(0), deep = b_imm(0);
  for (uint32_t i = 0; i < {count}; i++) list = b_cell2(1, b_imm(i), list), deep = b_cell1(1, deep);
  return b_cell2(0, list, deep);
}}"""
    printed = run_c("\n".join([PROLOGUE, *definitions, body, EPILOGUE.replace("SHOWS", table)]), tmp_path, tools)
    items = ", ".join(str(i) for i in reversed(range(count)))
    assert printed == f"([{items}], {'S{' * count}Z{{}}{'}' * count})\n"
