"""What a type is at run time.

A *word* is 64 bits: a pointer to an object, or (lowest bit set) an immediate `(n << 1) | 1`. Every value has a form as
a word, and everything generic holds words: fields of cells, captured variables, arguments and results of closures.
In local variables and in parameters of known functions, values of known type are *raw*, by the table:

    Unit       nothing                 as a word: immediate 0     (proofs, types, and datatypes of one bare constructor)
    Nat        uint64_t, < 2^48        immediate
    U32, Char  uint32_t                immediate
    F32        float                   immediate of its bits
    Enum       uint8_t                 immediate of the constructor's index
    Record     a struct of raw fields  a cell, tag 0, of its live fields as words
    Boxed      a word                  a cell, its tag the constructor's index; an immediate index without live fields
    Array      a word                  a pointer to a flat block (kind by element), or to a node of two arrays
    Function   a word                  a closure
    Handle     a word                  a file or a channel
    Any        a word                  a type that is not known here

So a `Coerce` between Any and a known type costs a shift, and only a Record's allocates.
"""

from __future__ import annotations

from dataclasses import dataclass


class Rep:
    """Any representation."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unit(Rep):
    """No information."""

    def __str__(self) -> str:
        return "Unit"


@dataclass(frozen=True, slots=True)
class Nat(Rep):
    """A natural number of at most 2^48 - 1."""

    def __str__(self) -> str:
        return "Nat"


@dataclass(frozen=True, slots=True)
class U32(Rep):
    """A machine word of 32 bits."""

    def __str__(self) -> str:
        return "U32"


@dataclass(frozen=True, slots=True)
class Char(Rep):
    """A code point, or any other 32 bits."""

    def __str__(self) -> str:
        return "Char"


@dataclass(frozen=True, slots=True)
class F32(Rep):
    """IEEE-754 single precision."""

    def __str__(self) -> str:
        return "F32"


@dataclass(frozen=True, slots=True)
class Enum(Rep):
    """A datatype of two or more constructors, none with live fields, by the constructor's index."""

    key: str

    def __str__(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class Record(Rep):
    """A datatype of one constructor that does not hold itself: its live fields side by side, in order."""

    key: str
    fields: tuple[Rep, ...]

    def __str__(self) -> str:
        return f"{self.key}({', '.join(map(str, self.fields))})"


@dataclass(frozen=True, slots=True)
class Boxed(Rep):
    """Any other datatype, on the heap. `args` are those of its arguments that are types."""

    key: str
    args: tuple[Rep, ...] = ()

    def __str__(self) -> str:
        return f"{self.key}<{', '.join(map(str, self.args))}>" if self.args else self.key


@dataclass(frozen=True, slots=True)
class Array(Rep):
    """An array; its block is of floats, 32-bit words (U32, Char), bytes (Enum), or words (all else)."""

    element: Rep

    def __str__(self) -> str:
        return f"Array<{self.element}>"


@dataclass(frozen=True, slots=True)
class Function(Rep):
    """A closure."""

    def __str__(self) -> str:
        return "Function"


@dataclass(frozen=True, slots=True)
class Handle(Rep):
    """A file or a channel."""

    key: str

    def __str__(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class Any(Rep):
    """Not known here."""

    def __str__(self) -> str:
        return "Any"


UNIT = Unit()
NAT = Nat()
U32_ = U32()
CHAR = Char()
F32_ = F32()
BOOL = Enum("Bool")
CMP = Enum("Cmp")
FUNCTION = Function()
ANY = Any()
STRING = Boxed("String")


def is_counted(rep: Rep) -> bool:
    """May a value of this representation hold pointers, so that it must be dropped?"""
    if isinstance(rep, Record):
        return any(is_counted(each) for each in rep.fields)
    return is_word(rep)


def is_word(rep: Rep) -> bool:
    """Is its raw form a word?"""
    return isinstance(rep, Boxed | Array | Function | Handle | Any)
