"""From a core type to its representation at run time (the table in types.py)."""

from __future__ import annotations

from bendml_cli.bend2.core.book import Book, Constructor
from bendml_cli.bend2.core.evaluate import Machine, argument
from bendml_cli.bend2.core.terms import ERASED, Data, Ref, Term, subterms
from bendml_cli.bend2.core.values import Env, Thunk, VApp, VData, VEq, VKind, VPi, VQuant, VRef, variable
from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.types import Boxed, Enum, Handle, Record, Rep

DEEPEST = 8
"""Types nested deeper in one another than this are taken for unknown: types can be computed, without end in sight."""
LARGEST_RECORD = 24
"""A record of more raw fields than this is boxed."""

_SCALARS = {"Nat": types.NAT, "U32": types.U32_, "F32": types.F32_, "Char": types.CHAR}
_HANDLES = {"File", "Chan"}


class Reps:
    """Representations of types, evaluated by the checker's machine."""

    def __init__(self, machine: Machine, book: Book) -> None:
        self.machine = machine
        self.book = book
        self._level = 0
        self._recursive: dict[str, bool] = {}
        self._closed: dict[str, Rep] = {}
        self._known: dict[tuple[int, int], tuple[Thunk, Rep]] = {}

    def fresh(self) -> Thunk:
        """An opaque value or type."""
        self._level += 1
        return variable(self._level)

    @property
    def depth(self) -> int:
        """A depth at which every opaque value made so far is a variable in scope."""
        return self._level + 1

    def is_static(self, type_: Thunk) -> bool:
        """Is what has this type a type, a family of types or a quantity, so that it is known when compiling?"""
        value = self.machine.force(type_)
        while isinstance(value, VPi):
            value = self.machine.force(value.codomain(self.fresh()))
        return isinstance(value, VKind | VQuant)

    def of(self, type_: Thunk, depth: int = 0) -> Rep:
        """The representation of a type."""
        known = self._known.get((id(type_), depth))
        if known is None:
            # The thunk is kept, so that no other one gets its identity.
            known = self._known[id(type_), depth] = (type_, self._of(type_, depth))
        return known[1]

    def _of(self, type_: Thunk, depth: int) -> Rep:
        value = self.machine.force(type_)
        if isinstance(value, VData):
            if value.args:
                return self._datatype(value, depth)
            known = self._closed.get(value.key)
            if known is None:
                known = self._closed[value.key] = self._datatype(value, depth)
            return known
        while isinstance(value, VPi):
            if value.quantity != ERASED:
                return types.UNIT if self.is_static(type_) else types.FUNCTION
            codomain = value.codomain(self.fresh())
            value = self.machine.force(codomain)
            if not isinstance(value, VPi):
                return self.of(codomain, depth)
        if isinstance(value, VKind | VQuant | VEq):
            return types.UNIT
        head = value.head if isinstance(value, VApp) else value
        if isinstance(head, VRef) and head.ref.key in _HANDLES:
            return Handle(head.ref.key)
        return types.ANY

    def family(self, value: Thunk, type_: Thunk, depth: int = 0) -> Rep | None:
        """What a static argument says about layout: a type's representation, a family's at unknown arguments, and
        None for a quantity."""
        kind = self.machine.force(type_)
        if isinstance(kind, VQuant):
            return None
        while isinstance(kind, VPi):
            argument = self.fresh()
            applied = self.machine.apply(self.machine.force(value), (argument,))
            value = Thunk(None, ())
            value.full = value.rigid = applied
            kind = self.machine.force(kind.codomain(argument))
        return None if isinstance(kind, VQuant) else self.of(value, depth)

    def slot(self, rep: Rep) -> Rep:
        """The representation in a place that holds words."""
        return types.ANY if isinstance(rep, Record) else rep

    def field_types(self, data: VData, constructor: Constructor) -> list[Thunk]:
        """The types of a constructor's fields at a datatype's arguments, with nothing known of the fields.

        Two fields whose type is one parameter share its thunk, so that types that double are not looked at twice.
        """
        env: Env = data.args
        result = []
        for field in constructor.fields:
            result.append(argument(field.type, env))
            env = (*env, self.fresh())
        return result

    def _datatype(self, data: VData, depth: int) -> Rep:
        key = data.key
        is_base = self.book.datatypes[key].module.is_base
        if is_base and key in _SCALARS:
            return _SCALARS[key]
        if is_base and key == "Array":
            return types.Array(self.slot(self.of(data.args[0], depth + 1)) if depth < DEEPEST else types.ANY)
        constructors = [self.book.constructors[each] for each in self.book.datatypes[key].constructors]
        if self.is_peano(data):
            return types.NAT
        if not any(is_live(field.quantity) for each in constructors for field in each.fields):
            return types.UNIT if len(constructors) <= 1 else Enum(key)
        if depth >= DEEPEST:
            return Boxed(key)
        if len(constructors) == 1 and not self.is_recursive(key):
            fields = [
                self.of(type_, depth + 1)
                for field, type_ in zip(constructors[0].fields, self.field_types(data, constructors[0]), strict=True)
                if is_live(field.quantity)
            ]
            record = Record(key, tuple(fields))
            if _leaves(record) <= LARGEST_RECORD:
                return record
        return Boxed(key, self._arguments(data, depth))

    def is_peano(self, data: VData) -> bool:
        """Is this a file's own natural numbers, with the names that literals stand for? Such a file imports no Base."""
        if set(self.book.datatypes[data.key].constructors) != {"Zero", "Succ"}:
            return False
        zero, successor = self.book.constructors["Zero"], self.book.constructors["Succ"]
        if zero.fields or len(successor.fields) != 1 or not is_live(successor.fields[0].quantity):
            return False
        field = self.machine.force(self.field_types(data, successor)[0])
        return isinstance(field, VData) and field.key == data.key

    def _arguments(self, data: VData, depth: int) -> tuple[Rep, ...]:
        result = []
        env: Env = ()
        for parameter, given in zip(self.book.datatypes[data.key].parameters, data.args, strict=True):
            type_ = Thunk(parameter.type, env)
            env = (*env, given)
            if self.is_static(type_) and (rep := self.family(given, type_, depth + 1)) is not None:
                result.append(rep)
        return tuple(result)

    def is_recursive(self, key: str) -> bool:
        """Can a value of this datatype hold another of it, as far as names tell?"""
        known = self._recursive.get(key)
        if known is None:
            known = self._recursive[key] = key in self._reachable(key)
        return known

    def _reachable(self, key: str) -> set[str]:
        """The datatypes and definitions that the field types of a datatype name, directly or through others."""
        found: set[str] = set()
        pending = self._behind(key)
        while pending:
            term = pending.pop()
            pending += [part for part, _ in subterms(term)]
            name = term.key if isinstance(term, Data | Ref) else None
            if name is None or name in found:
                continue
            found.add(name)
            pending += self._behind(name)
        return found

    def _behind(self, name: str) -> list[Term]:
        datatype = self.book.datatypes.get(name)
        if datatype is not None:
            return [
                field.type
                for each in datatype.constructors
                for field in self.book.constructors[each].fields
                if is_live(field.quantity)
            ]
        definition = self.book.definitions.get(name.split("~")[0])
        return [definition.body] if definition is not None and definition.body is not None else []


def is_live(quantity: str) -> bool:
    """Is what a binder of this quantity binds there at run time?"""
    return quantity != ERASED


def _leaves(rep: Rep) -> int:
    return sum(map(_leaves, rep.fields)) if isinstance(rep, Record) else 1
