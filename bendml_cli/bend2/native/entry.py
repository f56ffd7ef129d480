"""The whole program: main, what it reaches, and how its value is printed."""

from __future__ import annotations

from collections import deque

from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.core.book import spell_by_path
from bendml_cli.bend2.core.quote import normal_form
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.values import Thunk, Value, VApp, VData, VEq, VKind, VLam, VPi, VQuant, ready
from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.flatten import flatten_records
from bendml_cli.bend2.native.ir import Call, Construct, Expr, Fun, Lambda, Names, Program
from bendml_cli.bend2.native.ir import Value as ValueExpr
from bendml_cli.bend2.native.lower import Lowering
from bendml_cli.bend2.native.reps import is_live
from bendml_cli.bend2.native.scope import Block
from bendml_cli.bend2.native.show_table import ShowConstructor, ShowEntry
from bendml_cli.bend2.source import BendError

MAIN = "main"
MAIN_MAY_BE = "main may be an IO, or data that can be printed"
LARGEST_TABLE = 1000
"""Of more different types than this, a value's parts print as `…`: only types that grow without end have so many."""
_IO_OP = types.Boxed("IO.OP", (types.ANY,))
_LITERALS = {"U32": "u32", "F32": "f32", "Char": "char", "String": "string"}


def lower(checker: Checker, names: Names) -> Program:
    """The program of a checked book, its variables from `names`. Raises BendError where no main can be run."""
    definition = checker.book.definitions.get(MAIN)
    if definition is None:
        raise BendError("main", -1, "there is no main to run", hint="define main() -> IO(Unit), or of a printable type")
    lowering = Lowering(checker, names)
    type_ = lowering.type_of(MAIN)
    is_io = _is_io(lowering, type_)
    shows: list[ShowEntry] = []
    block = Block(names)
    if definition.templates:
        raise BendError("main", definition.pos, "main is a template, which cannot be run", hint=MAIN_MAY_BE)
    if not is_io:
        shows = ShowTable(lowering, definition.pos).of(type_)
    instance = lowering.instance(MAIN, ())
    if is_io:
        value = names.fresh("value", types.ANY)
        emit: Expr = Lambda((value,), Construct("Emit", 0, (value,), _IO_OP))
        args = (block.bind("end", emit, types.FUNCTION),)
        body: Expr = Call(instance.key, args, instance.result.rep)
        result: types.Rep = instance.result.rep
    else:
        result = types.ANY
        atom = block.bind("value", Call(instance.key, (), instance.result.rep), instance.result.rep)
        body = ValueExpr(block.coerce(atom, types.ANY))
    start = Fun("main!", (), result, block.close(body))
    lowering.finish()
    program = Program({**lowering.functions, start.key: start}, start.key, is_io, list(shows))
    single = {key: each.constructors[0] for key, each in checker.book.datatypes.items() if len(each.constructors) == 1}
    return flatten_records(program, names, single)


def _is_io(lowering: Lowering, type_: Thunk) -> bool:
    """Is this `IO(A)`, that is `@-R:Type -> @k:(A -> IO.OP<R>) -> IO.OP<R>`?"""
    machine = lowering.machine
    outer = machine.force(type_)
    if not isinstance(outer, VPi) or is_live(outer.quantity):
        return False
    inner = machine.force(outer.codomain(lowering.reps.fresh()))
    if not isinstance(inner, VPi):
        return False
    result = machine.force(inner.codomain(lowering.reps.fresh()))
    return isinstance(result, VData) and result.key == "IO.OP"


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
                first, second = self._reps.field_types(data, constructors[0])
                return ShowEntry("tuple", (self._entry(first), self._entry(second)))
        shown = []
        for each in constructors:
            live = tuple([is_live(field.quantity) for field in each.fields])
            types_ = self._reps.field_types(data, each)
            fields = [self._field(type_, here) for type_, here in zip(types_, live, strict=True)]
            shown.append(ShowConstructor(spell_by_path(each.key), tuple(fields), live))
        return ShowEntry("data", constructors=tuple(shown))

    def _field(self, type_: Thunk, live: bool) -> int:
        """A field's entry; of an erased one only a proof is known."""
        if live or isinstance(self._machine.force(type_), VEq):
            return self._entry(type_)
        return self._text("_")

    def _refusal(self, what: str) -> BendError:
        message = f"main's value is, or holds, {what}, which cannot be printed"
        return BendError("main", self._position, message, definition=MAIN, hint=MAIN_MAY_BE)
