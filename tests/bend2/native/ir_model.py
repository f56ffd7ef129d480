"""A model of the IR of every stage, for tests: it runs functions on Python values.

Scalars (and bare constructors) are ints, F32 by its bits; a raw Record is a tuple of its fields; all else is an object
with a count. On an owned program (`counted=True`) the count of each object and the ownership of each variable are
checked on the way: a `CountingError` tells of a use after free, a double free, a leak, a variable used up twice.

From outside, `Model.run` takes and gives *plain* values: ints, and `(tag, field, ..)` for a cell or a Record, a list
for an array.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TypeVar

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.prims import PRIMS
from bendml_cli.bend2.native.types import ANY, Nat, Rep, is_counted
from bendml_cli.bend2.native.types import Record as RecordRep
from tests.bend2.native.scalar_model import SCALARS, WORD, Stopped, bits_of, float_of

__all__ = ["CountingError", "Model", "OutOfFuel", "Plain", "Stopped"]

Plain = int | tuple["Plain", ...] | list["Plain"]


class CountingError(Exception):
    """The program does not own what it uses, or leaks it."""


class OutOfFuel(Exception):
    """The program took more steps than the test allows."""


@dataclass(eq=False)
class Object:
    """Anything on the heap."""

    count: int = 1


@dataclass(eq=False)
class Cell(Object):
    """A constructor's fields, as words."""

    tag: int = 0
    fields: list[Value] = field(default_factory=list)


@dataclass(eq=False)
class Block(Object):
    """An array."""

    items: list[Value] = field(default_factory=list)


@dataclass(eq=False)
class Code(Object):
    """A closure: a function (or a lambda in its frame), and the first of its arguments."""

    function: ir.Fun | ir.Lambda | None = None
    frame: Frame | None = None
    args: list[Value] = field(default_factory=list)

    def params(self) -> tuple[ir.Var, ...]:
        """All parameters, captured ones included."""
        assert self.function is not None
        return self.function.params


@dataclass(eq=False)
class Memory:
    """The memory of a matched cell, which may be used again or freed; not ours if the cell was shared."""

    size: int
    is_ours: bool


Value = int | tuple["Value", ...] | Object | Memory
MadeT = TypeVar("MadeT", bound=Object)


@dataclass
class _Jump:
    """A call in the last place of a function, still to be done."""

    function: ir.Fun | ir.Lambda
    frame: Frame | None
    args: list[Value]


@dataclass
class _ApplyLater:
    """An application in the last place of a function, still to be done."""

    function: Value
    args: list[Value]


class Frame:
    """The variables of one activation: their values, how often each is owned, and who lends those only borrowed."""

    def __init__(self, counted: bool) -> None:
        self.counted = counted
        self.values: dict[ir.Var, Value] = {}
        self.owned: dict[ir.Var, int] = {}
        self.lender: dict[ir.Var, ir.Var | None] = {}

    def bind(self, var: ir.Var, value: Value) -> None:
        """A variable that owns its value."""
        self.values[var] = value
        if self.counted and (is_counted(var.rep) or isinstance(value, Memory)):
            self.owned[var] = 1

    def borrow(self, var: ir.Var, value: Value, lender: ir.Var | None) -> None:
        """A variable whose value belongs to another, or to the caller."""
        self.values[var] = value
        if self.counted and is_counted(var.rep):
            self.owned[var] = 0
            self.lender[var] = lender

    def look(self, atom: ir.Atom) -> Value:
        """The value of an atom that stays as it is."""
        if isinstance(atom, ir.Const):
            return atom.value
        if not self._is_readable(atom):
            raise CountingError(f"{atom} is used after it is gone")
        value = self.values[atom]
        if self.counted:
            _check_alive(value, atom)
        return value

    def take(self, atom: ir.Atom) -> Value:
        """The value of an atom that is used up by this."""
        value = self.look(atom)
        if isinstance(atom, ir.Var) and atom in self.owned:
            if self.owned[atom] == 0:
                raise CountingError(f"{atom} is used up, but not owned")
            self.owned[atom] -= 1
        return value

    def check_empty(self, where: str) -> None:
        """Nothing may be owned any more."""
        left = [str(var) for var, count in self.owned.items() if count]
        if left:
            raise CountingError(f"still owned at the end of {where}: {', '.join(left)}")

    def _is_readable(self, var: ir.Var) -> bool:
        at: ir.Var | None = var
        while at is not None:
            if at not in self.owned or self.owned[at] > 0:
                return True
            if at not in self.lender:
                return False
            at = self.lender[at]
        return True


def _check_alive(value: Value, what: object) -> None:
    if isinstance(value, tuple):
        for each in value:
            _check_alive(each, what)
    elif isinstance(value, Object) and value.count <= 0:
        raise CountingError(f"{what} is used after it was freed")


@dataclass
class Model:
    """Runs the functions of a program. `output` collects what is printed; `allocated` counts objects in new memory, and
    `counted_steps` the single duplications and drops."""

    program: ir.Program
    counted: bool = False
    fuel: int = 1_000_000
    reverse_parallel: bool = False
    output: list[str] = field(default_factory=list)
    allocated: int = 0
    counted_steps: int = 0
    live: set[Object] = field(default_factory=set)

    def run(self, function: str, *args: Plain) -> Plain:
        """The value of a function at plain arguments.

        Raises CountingError (on owned programs), Stopped where the program stops, OutOfFuel.
        """
        fun = self.program.functions[function]
        values = [self.build(arg, param.rep) for arg, param in zip(args, fun.params, strict=True)]
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 50_000))
        try:
            result = self.call(fun, list(values))
            plain = self.plain(result)
        finally:
            sys.setrecursionlimit(limit)
        if self.counted:
            self.drop(result)
            for value, is_borrowed in zip(values, fun.borrowed or (False,) * len(values), strict=True):
                if is_borrowed:
                    self.drop(value)
            if self.live:
                raise CountingError(f"{len(self.live)} objects leak")
        return plain

    # -- values -----------------------------------------------------------------------------------------------------

    def build(self, plain: Plain, rep: Rep) -> Value:
        """A plain value as one of a representation."""
        match plain:
            case int():
                return plain
            case list():
                return self.new(Block(items=[self.build(each, ANY) for each in plain]))
            case (_, *fields) if isinstance(rep, RecordRep):
                return tuple(self.build(each, of) for each, of in zip(fields, rep.fields, strict=True))
            case (int(tag), *fields):
                return self.new(Cell(tag=tag, fields=[self.build(each, ANY) for each in fields]))
        raise TypeError(plain)

    def plain(self, value: Value) -> Plain:
        """A value for people. Functions are all the same: `("function",)` has no plain form, so it is (-1,)."""
        if self.counted:
            _check_alive(value, "a result")
        match value:
            case int():
                return value
            case tuple():
                return (0, *map(self.plain, value))
            case Cell(_, tag, fields):
                return (tag, *map(self.plain, fields))
            case Block(_, items):
                return [self.plain(each) for each in items]
            case Code():
                return (-1,)
        raise TypeError(value)

    def new(self, made: MadeT) -> MadeT:
        """An object that is alive from now on."""
        self.allocated += 1
        if self.counted:
            self.live.add(made)
        return made

    def dup(self, value: Value, times: int = 1) -> Value:
        """More owners of a value."""
        if not self.counted:
            return value
        _check_alive(value, "a value")
        if isinstance(value, tuple):
            for each in value:
                self.dup(each, times)
        elif isinstance(value, Object):
            value.count += times
            self.counted_steps += 1
        return value

    def drop(self, value: Value) -> None:
        """One owner less; what nobody owns is freed."""
        if not self.counted:
            return
        pending = [value]
        while pending:
            at = pending.pop()
            _check_alive(at, "a value")
            if isinstance(at, tuple):
                pending += at
            elif isinstance(at, Object):
                self.counted_steps += 1
                at.count -= 1
                if at.count == 0:
                    self.live.remove(at)
                    pending += _held(at)

    def open(self, held: Object) -> list[Value]:
        """What an object holds, owned, when one owner of the object gives it up."""
        values = _held(held)
        if not self.counted:
            return values
        _check_alive(held, "a value")
        if held.count == 1:
            held.count = 0
            self.live.remove(held)
        else:
            held.count -= 1
            self.counted_steps += 1
            for each in values:
                self.dup(each)
        return values

    def box(self, value: Value, rep: Rep) -> Value:
        """A value in its form as a word."""
        if isinstance(rep, RecordRep):
            assert isinstance(value, tuple)
            fields = [self.box(each, of) for each, of in zip(value, rep.fields, strict=True)]
            return self.new(Cell(tag=0, fields=fields))
        return value

    def unbox(self, value: Value, rep: Rep) -> Value:
        """A word in its raw form."""
        if isinstance(rep, RecordRep):
            assert isinstance(value, Cell)
            return tuple(self.unbox(each, of) for each, of in zip(self.open(value), rep.fields, strict=True))
        return value

    def list_of(self, items: list[Value]) -> Value:
        """A chain of cells of tag 1 (as List and String have it)."""
        value: Value = 0
        for each in reversed(items):
            value = self.new(Cell(tag=1, fields=[each, value]))
        return value

    def items_of(self, value: Value) -> list[Value]:
        """The elements of such a chain, which this uses up."""
        items: list[Value] = []
        while isinstance(value, Cell):
            head, value = self.open(value)
            items.append(head)
        return items

    # -- functions --------------------------------------------------------------------------------------------------

    def call(self, fun: ir.Fun | ir.Lambda, args: list[Value]) -> Value:
        """The value of a known function at all of its arguments; calls in last places take no more of the stack."""
        return self._finish(_Jump(fun, None, args))

    def apply(self, function: Value, args: list[Value]) -> Value:
        """The value of a closure at arguments, fewer or more than it takes included."""
        return self._finish(_ApplyLater(function, args))

    def _finish(self, at: Value | _Jump | _ApplyLater) -> Value:
        while isinstance(at, _Jump | _ApplyLater):
            if isinstance(at, _ApplyLater):
                at = self._apply_step(at)
                continue
            self._burn()
            frame = Frame(self.counted)
            if at.frame is not None:
                frame.values.update(at.frame.values)
            borrowed = (at.function.borrowed if isinstance(at.function, ir.Fun) else ()) or (False,) * len(at.args)
            for param, arg, is_borrowed in zip(at.function.params, at.args, borrowed, strict=True):
                if is_borrowed:
                    frame.borrow(param, arg, None)
                else:
                    frame.bind(param, arg)
            at = self._eval(at.function.body, frame, at.function)
        return at

    def _apply_step(self, at: _ApplyLater) -> Value | _Jump | _ApplyLater:
        code = at.function
        if not isinstance(code, Code):
            raise TypeError(f"{code} is applied")
        missing = len(code.params()) - len(code.args)
        function, frame = code.function, code.frame
        assert function is not None
        held = list(self.open(code))
        if len(at.args) < missing:
            return self.new(Code(function=function, frame=frame, args=held + at.args))
        jump = _Jump(function, frame, held + at.args[:missing])
        if len(at.args) == missing:
            return jump
        return _ApplyLater(self._finish(jump), at.args[missing:])

    def _burn(self) -> None:
        self.fuel -= 1
        if self.fuel < 0:
            raise OutOfFuel

    # -- expressions ------------------------------------------------------------------------------------------------

    def _eval(self, expr: ir.Expr, frame: Frame, tail_of: ir.Fun | ir.Lambda | None) -> Value | _Jump | _ApplyLater:
        """The value of an expression; with `tail_of`, it ends that function's frame and may leave a call to do."""
        while True:
            match expr:
                case ir.Let(var, value, body):
                    frame.bind(var, self._value(value, frame))
                    expr = body
                case ir.Parallel(vars_, values, body):
                    order = list(zip(vars_, values, strict=True))
                    results = [
                        (var, self._value(v, frame)) for var, v in (order[::-1] if self.reverse_parallel else order)
                    ]
                    for var, result in results:
                        frame.bind(var, result)
                    expr = body
                case ir.Match():
                    expr = self._choose(expr, frame)
                case ir.Dup(vars_, body):
                    for var in vars_:
                        self.dup(frame.look(var))
                        frame.owned[var] += 1
                    expr = body
                case ir.Drop(vars_, body):
                    for var in vars_:
                        self.drop(frame.take(var))
                    expr = body
                case ir.FreeCell(cell, body):
                    frame.take(cell)
                    expr = body
                case _:
                    result_or_call = self._operation(expr, frame)
                    if tail_of is not None:
                        frame.check_empty(tail_of.key if isinstance(tail_of, ir.Fun) else "a lambda")
                    return result_or_call

    def _value(self, expr: ir.Expr, frame: Frame) -> Value:
        return self._finish(self._eval(expr, frame, None))

    def _choose(self, expr: ir.Match, frame: Frame) -> ir.Expr:
        """The body that a match goes on with, its fields bound."""
        scrutinee = expr.scrutinee
        value = frame.look(scrutinee)
        tag, fields = _seen(value, scrutinee.rep)
        for arm in expr.arms:
            if arm.tag != tag:
                continue
            if len(fields) != len(arm.fields):
                raise TypeError(f"{arm.constructor} of {len(arm.fields)} fields meets {len(fields)}")
            if not expr.consumes:
                for var, each in zip(arm.fields, fields, strict=True):
                    frame.borrow(var, each, scrutinee)
                return arm.body
            frame.take(scrutinee)
            is_ours = isinstance(value, Cell) and value.count == 1
            taken = self.open(value) if isinstance(value, Cell) else fields
            for var, each in zip(arm.fields, taken, strict=True):
                frame.bind(var, each)
            if arm.cell is not None:
                frame.bind(arm.cell, Memory(len(fields), is_ours))
            return arm.body
        if expr.default is None:
            raise TypeError(f"no arm for {tag} in a match of {scrutinee}")
        return expr.default

    def _operation(self, expr: ir.Expr, frame: Frame) -> Value | _Jump | _ApplyLater:
        match expr:
            case ir.Value(atom):
                return frame.take(atom)
            case ir.Text(codes):
                return self.list_of(list(codes))
            case ir.Prim(name, args):
                owned = PRIMS[name].owned
                values = [frame.look(a) if how == "b" else frame.take(a) for a, how in zip(args, owned, strict=True)]
                return self._prim(name, values)
            case ir.Call(function, args):
                fun = self.program.functions[function]
                borrowed = fun.borrowed or (False,) * len(args)
                values = [frame.look(a) if b else frame.take(a) for a, b in zip(args, borrowed, strict=True)]
                for arg, is_borrowed in zip(args, borrowed, strict=True):
                    if is_borrowed:
                        frame.look(arg)
                return _Jump(fun, None, values)
            case ir.Apply(called, args):
                return _ApplyLater(frame.take(called), [frame.take(a) for a in args])
            case ir.Construct(_, tag, args, rep, reuse):
                values = [frame.take(a) for a in args]
                if isinstance(rep, RecordRep):
                    return tuple(values)
                if reuse is not None:
                    memory = frame.take(reuse)
                    if not isinstance(memory, Memory) or memory.size != len(values):
                        raise CountingError(f"{reuse} is no cell of {len(values)} fields")
                    self.allocated -= memory.is_ours
                return self.new(Cell(tag=tag, fields=values))
            case ir.Coerce(atom, rep):
                return self.unbox(self.box(frame.take(atom), atom.rep), rep)
            case ir.Lambda():
                return self.new(Code(function=expr, frame=frame))
            case ir.Closure(function, captured):
                fun = self.program.functions[function]
                if not fun.is_closure or fun.captured != len(captured):
                    raise TypeError(f"{function} is not a closure of {len(captured)}")
                return self.new(Code(function=fun, args=[frame.take(a) for a in captured]))
            case ir.Unreachable():
                raise AssertionError("unreachable")
        raise TypeError(expr)

    # -- primitives -------------------------------------------------------------------------------------------------

    def _prim(self, name: str, args: list[Value]) -> Value:
        if name in SCALARS:
            return SCALARS[name](*args)
        if name.startswith("arr_"):
            return self._array(name, args)
        match name:
            case "io_print" | "io_write" | "io_print_err":
                text = "".join(chr(each) for each in self.items_of(args[0]) if isinstance(each, int))
                self.output.append(text + ("\n" if name == "io_print" else ""))
                return 0
            case "nat_show" | "u32_show":
                return self.list_of([ord(each) for each in str(args[0])])
            case "u32_to_word":
                (word,) = args
                assert isinstance(word, int)
                return self.list_of([word >> bit & 1 for bit in range(32)])
            case "word_to_u32":
                bits = self.items_of(args[0])
                return sum(bit << at for at, bit in enumerate(bits) if isinstance(bit, int))
            case "opaque":
                raise Stopped("a law that nothing fills")
        raise NotImplementedError(name)

    def _array(self, name: str, args: list[Value]) -> Value:
        match name.removeprefix("arr_"), args:
            case "new", (int(depth), element):
                if depth:
                    self.dup(element, 2**depth - 1)
                return self.new(Block(items=[element] * 2**depth))
            case "make", (int(depth),):
                return self.new(Block(items=[0] * 2**depth))
            case "get", (Block(_, items), int(at)):
                return self.dup(items[at % len(items)])
            case "set", (Block(_, items) as block, int(at), element):
                self.drop(items[at % len(items)])
                items[at % len(items)] = element
                return block
            case "exchange", (Block(_, items), int(at), element):
                old, items[at % len(items)] = items[at % len(items)], element
                return old
            case "init", (Block(_, items), int(at), element):
                items[at % len(items)] = element
                return 0
            case "size", (Block(_, items),):
                return len(items) & WORD
            case "clone", (Block(_, items),):
                return self.new(Block(items=[self.dup(each) for each in items]))
            case "is_flat", (Block(),):
                return 1
            case "is_node", (Block(_, items),):
                return int(len(items) > 1)
            case "leaf_value", (Block() as block,):
                return self.open(block)[0]
            case "left", (Block(_, items),):
                return self.new(Block(items=[self.dup(each) for each in items[: len(items) // 2]]))
            case "right", (Block() as block,):
                items = self.open(block)
                for each in items[: len(items) // 2]:
                    self.drop(each)
                return self.new(Block(items=items[len(items) // 2 :]))
            case "leaf", (element,):
                return self.new(Block(items=[element]))
            case "node", (Block() as left, Block() as right):
                return self.new(Block(items=[*self.open(left), *self.open(right)]))
            case "to_list", (Block() as block,):
                return self.list_of(self.open(block))
            case "join", (left, right):
                self.drop(right)
                return left
            case _, (Block(_, items), int(at), *words):
                at %= len(items)
                old = items[at]
                assert isinstance(old, int)
                items[at] = _atomic(
                    name.removeprefix("arr_atomic_"), old, [each for each in words if isinstance(each, int)]
                )
                return old
        raise NotImplementedError(name)


def _held(held: Object) -> list[Value]:
    match held:
        case Cell(fields=values) | Block(items=values) | Code(args=values):
            return list(values)
    raise TypeError(held)


def _seen(value: Value, rep: Rep) -> tuple[int, list[Value]]:
    """The constructor and the fields of a matched value."""
    match value:
        case int() if isinstance(rep, Nat):
            return (1, [value - 1]) if value else (0, [])
        case int():
            return value, []
        case tuple():
            return 0, list(value)
        case Cell(_, tag, fields):
            return tag, fields
    raise TypeError(value)


def _atomic(name: str, old: int, words: list[int]) -> int:
    match name:
        case "exch":
            return words[0]
        case "cas":
            return words[1] if old == words[0] else old
        case "fadd":
            return bits_of(float_of(old) + float_of(words[0]))
        case "xor" | "or" | "and" | "min" | "max" | "add":
            return SCALARS[f"u32_{name}"](old, words[0])
    raise NotImplementedError(name)
