"""How the values of main's type are printed: the table of the types in it."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from bendml_cli.bend2.core.book import Constructor, spell_by_path
from bendml_cli.bend2.core.evaluate import Machine, argument
from bendml_cli.bend2.core.quote import normal_form
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import Ann, Ctr, F32Lit, NatLit, Refl, StrLit, Term, U32Lit
from bendml_cli.bend2.core.values import (
    Env,
    Thunk,
    VAbsurd,
    Value,
    VApp,
    VCtr,
    VData,
    VEq,
    VKind,
    VLam,
    VMatch,
    VNat,
    VPi,
    VQuant,
    VRef,
    VStr,
    VVar,
    ready,
)
from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.lower import Lowering
from bendml_cli.bend2.native.reps import is_live
from bendml_cli.bend2.native.show_table import ShowConstructor, ShowEntry
from bendml_cli.bend2.source import BendError

MAIN = "main"
MAIN_MAY_BE = "main may be an IO, or data that can be printed"
LARGEST_TABLE = 1000
"""Of more different types than this, a value's parts print as `…`: only types that grow without end have so many."""
DEEPEST_CHOICE = 8
"""A type that depends on what is deeper than this in an earlier field is taken for unknown."""
_LITERALS = {"U32": "u32", "F32": "f32", "Char": "char", "String": "string"}


def writes_large_numbers(body: Term) -> bool:
    """Is this written-out data, without any call, with successors of a literal?

    Past the largest literal these are printed as they were written (`2n+4294967294n`), which a number does not know
    when the program runs: such data is printed by its text, which is known before.
    """
    found = False
    pending = [body]
    while pending:
        match pending.pop():
            case Ann(term):
                pending.append(term)
            case Ctr(key, arguments):
                found = found or (key == "Succ" and isinstance(arguments[0], NatLit))
                pending += arguments
            case NatLit() | U32Lit() | F32Lit() | StrLit() | Refl():
                pass
            case _:
                return False
    return found


def text_of(machine: Machine, value: Thunk) -> str:
    """Closed data as `check-file --main` prints it."""
    return show(normal_form(machine, value, 0), (), spell_by_path)


class _Place(NamedTuple):
    """A live field: where it is in a cell, by live field of live field, and its type: a term under a datatype's
    arguments and the values of the fields before it."""

    path: tuple[int, ...]
    term: Term
    args: Env
    before: Env

    def type_(self, known: dict[int, Thunk]) -> Thunk:
        """The type, with what is known of the fields before it."""
        return argument(self.term, self.args + tuple([_filled(each, known) for each in self.before]))


def _filled(variable: Thunk, known: dict[int, Thunk]) -> Thunk:
    """What a field's variable stands for, as far as its constructor and those inside it are known."""
    at = known.get(variable.level, variable).full
    return ready(VCtr(at.key, tuple([_filled(each, known) for each in at.args]))) if isinstance(at, VCtr) else variable


class ShowTable:
    """The table of how values of a type are printed; entries that are the same type are one."""

    def __init__(self, lowering: Lowering, position: int) -> None:
        self._reps = lowering.reps
        self._machine = lowering.machine
        self._book = lowering.book
        self._position = position
        self._entries: list[ShowEntry] = []
        self._known: dict[tuple[str | int, ...], int] = {}
        self._named: dict[int, tuple[Value, int]] = {}
        self._numbers: dict[tuple[str | int, ...], int] = {}
        self._pending: deque[tuple[int, VData]] = deque()

    def of(self, type_: Thunk) -> list[ShowEntry]:
        """The table whose first entry is this type. Raises BendError for a type whose values cannot be printed."""
        self._entry(type_)
        # Breadth first: a type that holds ever larger ones is described as far as its values are likely to go.
        while self._pending and len(self._entries) < LARGEST_TABLE:
            at, data = self._pending.popleft()
            self._entries[at] = self._datatype(data)
        return self._entries

    def _entry(self, type_: Thunk) -> int:
        value = self._machine.force(type_)
        if isinstance(value, VEq):
            return self._text("{==}")
        if isinstance(value, VPi):
            raise self._refusal("a function")
        if isinstance(value, VKind | VQuant):
            raise self._refusal("a type")
        if not isinstance(value, VData):
            raise self._refusal("something of a type that is not known" if isinstance(value, VApp) else "a type")
        key: tuple[str | int, ...] = (value.key, *[self._name(each) for each in value.args])
        known = self._known.get(key)
        if known is not None:
            return known
        at = self._known[key] = self._add(ShowEntry("text", text="…"))
        self._pending.append((at, value))
        return at

    def _add(self, entry: ShowEntry) -> int:
        self._entries.append(entry)
        return len(self._entries) - 1

    def _text(self, text: str) -> int:
        known = self._known.get(("", text))
        if known is None:
            known = self._known["", text] = self._add(ShowEntry("text", text=text))
        return known

    def _name(self, argument: Thunk) -> int:
        """A number for a datatype's argument, the same for what need not be told apart: a variable is like any other.

        It is made of its parts' numbers: types that double share their parts, so that their text would be too long.
        """
        value = self._machine.force(argument)
        known = self._named.get(id(value))
        if known is not None:
            return known[1]
        shape: tuple[str | int, ...]
        if isinstance(value, VData):
            shape = (value.key, *[self._name(each) for each in value.args])
        elif isinstance(value, VLam):
            shape = ("=>", self._name(ready(self._machine.apply(value, (self._reps.fresh(),)))))
        else:
            depth = self._reps.depth
            shape = ("", show(normal_form(self._machine, argument, depth), ("x",) * depth, str))
        number = self._numbers.setdefault(shape, len(self._numbers))
        self._named[id(value)] = (value, number)  # the value is kept, so that no other one gets its identity
        return number

    def _datatype(self, data: VData) -> ShowEntry:
        constructors = [self._book.constructors[each] for each in self._book.datatypes[data.key].constructors]
        if self._reps.is_peano(data):
            return ShowEntry("nat")
        if self._book.datatypes[data.key].module.is_base:
            if data.key in _LITERALS:
                return ShowEntry(_LITERALS[data.key])  # type: ignore[arg-type]
            if data.key in ("List", "Array"):
                element = self._reps.field_types(data, constructors[-1 if data.key == "List" else 0])[0]
                return ShowEntry("list" if data.key == "List" else "array", (self._entry(element),))
            if data.key == "Sigma":
                return ShowEntry("tuple", self._fields(data, constructors[0]))
        shown = []
        for each in constructors:
            live = tuple([is_live(field.quantity) for field in each.fields])
            shown.append(ShowConstructor(spell_by_path(each.key), self._fields(data, each), live))
        return ShowEntry("data", constructors=tuple(shown))

    def _fields(self, data: VData, constructor: Constructor) -> tuple[int, ...]:
        """The entries of a constructor's fields; of an erased one only a proof is known."""
        values, places = self._opened(data, constructor, ())
        entries = []
        for at, field in enumerate(constructor.fields):
            if is_live(field.quantity):
                entries.append(self._field(places[values[at].level], places, {}))
            else:
                type_ = argument(field.type, data.args + values[:at])
                proof = isinstance(self._machine.force(type_), VEq)
                entries.append(self._entry(type_) if proof else self._text("_"))
        return tuple(entries)

    def _opened(self, data: VData, constructor: Constructor, path: tuple[int, ...]) -> tuple[Env, dict[int, _Place]]:
        """Variables for a constructor's fields, and the places of those that are live, by the variable's level."""
        values: Env = ()
        places: dict[int, _Place] = {}
        for field in constructor.fields:
            variable = self._reps.fresh()
            if is_live(field.quantity):
                places[variable.level] = _Place((*path, len(places)), field.type, data.args, values)
            values = (*values, variable)
        return values, places

    def _field(self, field: _Place, places: dict[int, _Place], known: dict[int, Thunk]) -> int:
        """The entry of a live field. If its type is stuck on what is at one of the places, it is a choice by the
        constructor of that; `known` are the constructors chosen so far, by the level of what they stand for."""
        type_ = field.type_(known)
        stuck = self._stuck_on(self._machine.force(type_))
        if isinstance(stuck, VCtr | VNat | VStr | VAbsurd):
            return self._text("_")  # no case fits: there is no such value
        if not isinstance(stuck, VVar) or stuck.level not in places:
            return self._entry(type_)
        place = places[stuck.level]
        data = self._tagged(place, known)
        if data is None:
            return self._entry(type_)
        parts = []
        for key in self._book.datatypes[data.key].constructors:
            values, inner = self._opened(data, self._book.constructors[key], place.path)
            chosen = {**known, stuck.level: ready(VCtr(key, values))}
            parts.append(self._text("_") if key in data.removed else self._field(field, {**places, **inner}, chosen))
        return parts[0] if len(set(parts)) == 1 else self._add(ShowEntry("choice", tuple(parts), path=place.path))

    def _stuck_on(self, type_: Value) -> Value:
        """What must be known for a type to go on: a variable, or what no case fits; a type that is known itself."""
        value = type_
        while isinstance(value, VApp):
            if isinstance(value.head, VRef) and (body := self._machine.bodies.get(value.head.ref.key)):
                value = self._machine.whnf(body.term, (), value.args, True)  # the match inside the call
            if not isinstance(value, VApp) or not isinstance(value.head, VMatch):
                break
            value = self._machine.force(value.args[0])
        return value.head if isinstance(value, VApp) else value

    def _tagged(self, place: _Place, known: dict[int, Thunk]) -> VData | None:
        """The datatype of what is at a place, if a choice can be made by it: its constructor shows in its word."""
        type_ = place.type_(known)
        rep = self._reps.of(type_)
        data = self._machine.force(type_)
        shows = isinstance(rep, types.Unit | types.Nat | types.Enum | types.Record | types.Boxed)
        fits = len(place.path) <= DEEPEST_CHOICE and len(self._entries) < LARGEST_TABLE
        return data if isinstance(data, VData) and shows and fits else None

    def _refusal(self, what: str) -> BendError:
        message = f"main's value is, or holds, {what}, which cannot be printed"
        return BendError("main", self._position, message, definition=MAIN, hint=MAIN_MAY_BE)
