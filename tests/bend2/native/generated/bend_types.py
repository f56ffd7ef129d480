"""The types of generated programs, and how their values print. Values are Python's, by type:

- Nat, U32, F32 (its bits), Char: an int; Bool: a bool; String: a tuple of code points;
- List, Array: a tuple; Pair: a tuple of two; Map: a tuple of (key, value), sorted by key;
- any other datatype: `Con`; a function: a Python function of one argument;
- IO: a Python function of the list that it adds its output to, which gives the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bendml_cli.bend2.core import float32
from bendml_cli.bend2.core.show import quoted

Value = Any


class Con(NamedTuple):
    """A constructor over its live fields."""

    name: str
    fields: tuple[Value, ...] = ()


@dataclass(frozen=True)
class T:
    """A type: a head, its arguments, and (List, Maybe, Result, Pair, Map) the quantity of each argument.

    Heads are names of Bend, and Pair, Fun (argument, result), Var (a type variable, by `name`), User (a datatype of the
    program, `declaration`).
    """

    head: str
    args: tuple[T, ...] = ()
    marks: tuple[int, ...] = ()
    name: str = ""
    declaration: Datatype | None = None

    @property
    def is_data(self) -> bool:
        """May a value be used more than once?"""
        if self.head in ("Fun", "Array", "IO"):
            return False
        if self.head == "User":
            assert self.declaration is not None
            return self.declaration.is_data
        if self.head == "Var":
            return self.marks == (2,)
        return all(mark == 2 for mark in self.marks)

    @property
    def is_printable(self) -> bool:
        """Does a value print in one way: is there no function, map, erased field or type variable in it?"""
        if self.head in ("Fun", "Var", "Map", "IO"):
            return False
        if self.declaration is not None and not self.declaration.is_printable:
            return False
        return all(each.is_printable for each in self.args)

    def __str__(self) -> str:
        args = [str(each) for each in self.args]
        marks = "".join(f"&{mark}, " for mark in self.marks)
        match self.head:
            case "Fun":
                return f"({args[0]} -> {args[1]})"
            case "Pair" if self.marks == (1, 1):
                return f"({args[0]} & {args[1]})"
            case "Pair":
                return f"Sigma<{marks}{args[0]}, _ => {args[1]}>"
            case "IO":
                return f"IO({args[0]})"
            case "Var":
                return self.name
            case "User":
                assert self.declaration is not None
                return f"{self.declaration.name}<{', '.join(args)}>" if args else self.declaration.name
        return f"{self.head}<{marks}{', '.join(args)}>" if args else self.head


@dataclass(frozen=True)
class Field:
    """A field of a constructor; `mark` is "", "+" or "-" (erased)."""

    name: str
    type: T
    mark: str = ""


@dataclass(frozen=True)
class Constructor:
    """A constructor of a datatype."""

    name: str
    fields: tuple[Field, ...]


@dataclass(eq=False)
class Datatype:
    """A datatype of the program. `params` are type variables, of kind Data."""

    name: str
    params: tuple[T, ...]
    is_data: bool
    constructors: tuple[Constructor, ...] = ()
    is_printable: bool = True
    is_recursive: bool = False

    def text(self) -> str:
        """Its declaration."""
        params = ", ".join(f"-{each}: Data" for each in self.params)
        lines = [f"type {self.name}{f'<{params}>' if params else ''} is {'Data' if self.is_data else 'Type'}:"]
        for each in self.constructors:
            fields = ", ".join(f"{field.mark}{field.name}: {field.type}" for field in each.fields)
            lines.append(f"  {each.name}{{{fields}}}")
        return "\n".join(lines)


NAT, U32, F32, BOOL, CHAR, STRING = T("Nat"), T("U32"), T("F32"), T("Bool"), T("Char"), T("String")
CMP, UNIT = T("Cmp"), T("Unit")
SIMPLE = (NAT, U32, BOOL, CHAR, STRING, F32, CMP, UNIT)
A, B, C = (T("Var", marks=(2,), name=name) for name in "ABC")


def listed(element: T, mark: int = 2) -> T:
    """The type of lists."""
    return T("List", (element,), (mark,))


def maybe(element: T, mark: int = 2) -> T:
    """The type of what may be there."""
    return T("Maybe", (element,), (mark,))


def result(error: T, value: T, mark: int = 2) -> T:
    """The type of an error or a value."""
    return T("Result", (error, value), (mark, mark))


def pair(first: T, second: T, mark: int = 1) -> T:
    """The type of pairs; with mark 2 one that is Data."""
    return T("Pair", (first, second), (mark, mark))


def fun(*types: T) -> T:
    """The type of functions of one argument or more."""
    *params, answer = types
    for each in reversed(params):
        answer = T("Fun", (each, answer))
    return answer


def array(element: T) -> T:
    """The type of arrays."""
    return T("Array", (element,))


def action(type_: T) -> T:
    """The type of actions that answer a value."""
    return T("IO", (type_,))


def mapped(element: T) -> T:
    """The type of maps."""
    return T("Map", (element,), (2,))


def substitute(type_: T, types: Mapping[str, T]) -> T:
    """A type with types in place of its variables."""
    if type_.head == "Var":
        return types.get(type_.name, type_)
    if not type_.args:
        return type_
    args = tuple(substitute(each, types) for each in type_.args)
    return T(type_.head, args, type_.marks, type_.name, type_.declaration)


def unify(pattern: T, type_: T, types: dict[str, T]) -> bool:
    """Is `type_` the pattern at some types in place of its variables? They are put into `types`."""
    if pattern.head == "Var":
        if pattern.name in types:
            return types[pattern.name] == type_
        if pattern.marks == (2,) and not type_.is_data:
            return False
        types[pattern.name] = type_
        return True
    if (pattern.head, pattern.marks, pattern.declaration) != (type_.head, type_.marks, type_.declaration):
        return False
    return all(unify(one, other, types) for one, other in zip(pattern.args, type_.args, strict=True))


def has_variables(type_: T) -> bool:
    """Is there a type variable in it?"""
    return type_.head == "Var" or any(map(has_variables, type_.args))


def constructors_of(type_: T) -> tuple[Constructor, ...]:
    """The constructors that a value of a type is matched by; none where it is not matched."""

    def plain(name: str, *types: T) -> Constructor:
        return Constructor(name, tuple([Field(f"f{at}", each) for at, each in enumerate(types)]))

    match type_.head:
        case "Bool":
            return (plain("False"), plain("True"))
        case "Cmp":
            return (plain("LT"), plain("EQ"), plain("GT"))
        case "Unit":
            return (plain("Unit"),)
        case "Nat":
            return (plain("Zero"), plain("Succ", NAT))
        case "String":
            return (plain("SNil"), plain("SCon", CHAR, STRING))
        case "Char":
            return (plain("Chr", U32),)
        case "List":
            return (plain("Nil"), plain("Con", type_.args[0], type_))
        case "Maybe":
            return (plain("None"), plain("Some", type_.args[0]))
        case "Result":
            return (plain("Fail", type_.args[0]), plain("Done", type_.args[1]))
        case "Pair":
            return (plain("Tuple", *type_.args),)
        case "Array":
            return (plain("ALeaf", type_.args[0]), plain("ANode", type_, type_))
        case "User":
            declaration = type_.declaration
            assert declaration is not None
            types = {param.name: arg for param, arg in zip(declaration.params, type_.args, strict=True)}
            return tuple(
                Constructor(each.name, tuple([Field(f.name, substitute(f.type, types), f.mark) for f in each.fields]))
                for each in declaration.constructors
            )
    return ()


def is_recursive(type_: T) -> bool:
    """Has a value smaller values of its own type?"""
    if type_.declaration is not None:
        return type_.declaration.is_recursive
    return type_.head in ("Nat", "String", "List", "Array")


def construct(type_: T, name: str, fields: tuple[Value, ...]) -> Value:
    """The value of a constructor over its live fields. Raises ValueError for a node of arrays of different sizes."""
    match name:
        case "False" | "True":
            return name == "True"
        case "Zero":
            return 0
        case "Succ":
            return fields[0] + 1
        case "SNil" | "Nil":
            return ()
        case "SCon" | "Con":
            return (fields[0], *fields[1])
        case "Chr":
            return fields[0]
        case "Tuple":
            return fields
        case "ALeaf":
            return fields
        case "ANode":
            if len(fields[0]) != len(fields[1]):
                raise ValueError("no perfect tree")
            return fields[0] + fields[1]
    return Con(name, fields)


def destruct(type_: T, value: Value) -> Con:
    """A value as a constructor over its live fields."""
    match type_.head:
        case "Bool":
            return Con("True" if value else "False")
        case "Nat":
            return Con("Succ", (value - 1,)) if value else Con("Zero")
        case "String":
            return Con("SCon", (value[0], value[1:])) if value else Con("SNil")
        case "List":
            return Con("Con", (value[0], value[1:])) if value else Con("Nil")
        case "Char":
            return Con("Chr", (value,))
        case "Pair":
            return Con("Tuple", value)
        case "Array":
            half = len(value) // 2
            return Con("ANode", (value[:half], value[half:])) if half else Con("ALeaf", value)
    assert isinstance(value, Con)
    return value


def show_value(type_: T, value: Value) -> str:
    """A value as Bend prints it, and reads it again."""
    match type_.head:
        case "Nat":
            return f"{value}n"
        case "U32":
            return str(value)
        case "F32":
            return float32.show(value)
        case "Char":
            return quoted((value,), "'")
        case "String":
            return quoted(value, '"')
        case "List" | "Array":
            return f"[{', '.join(show_value(type_.args[0], each) for each in value)}]"
        case "Pair":
            first, second = type_.args
            rest = show_value(second, value[1])
            return f"({show_value(first, value[0])}, {rest[1:-1] if second.head == 'Pair' else rest})"
    con = destruct(type_, value)
    (made,) = [each for each in constructors_of(type_) if each.name == con.name]
    live = [each for each in made.fields if each.mark != "-"]
    assert len(live) == len(made.fields), "an erased field is not printed"
    shown = [show_value(each.type, part) for each, part in zip(live, con.fields, strict=True)]
    return f"{con.name}{{{', '.join(shown)}}}"


@dataclass
class Param:
    """A parameter of a function of the program; `mark` is "", "+" or "-"."""

    name: str
    type: T
    mark: str = ""


@dataclass
class Signature:
    """A function of the program: type variables (erased), parameters, result."""

    name: str
    variables: tuple[T, ...]
    params: tuple[Param, ...]
    result: T
    fuel: int | None = None
    """Which parameter is a Nat that says how often it calls itself, so that a call must bound it; None: there is none.
    """
