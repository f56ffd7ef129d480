"""The whole program: main, and what it reaches."""

from __future__ import annotations

from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.core.values import Thunk, VData, VPi
from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.flatten import flatten_records
from bendml_cli.bend2.native.ir import Call, Construct, Expr, Fun, Lambda, Names, Program
from bendml_cli.bend2.native.ir import Value as ValueExpr
from bendml_cli.bend2.native.lower import Lowering
from bendml_cli.bend2.native.reps import is_live
from bendml_cli.bend2.native.scope import Block
from bendml_cli.bend2.native.show_table import ShowEntry
from bendml_cli.bend2.native.shows import MAIN, MAIN_MAY_BE, ShowTable, text_of, writes_large_numbers
from bendml_cli.bend2.source import BendError

_IO_OP = types.Boxed("IO.OP", (types.ANY,))


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
        if definition.body is not None and writes_large_numbers(definition.body):
            shows = [ShowEntry("text", text=text_of(lowering.machine, Thunk(definition.body, ())))]
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
    program = Program({**lowering.functions, start.key: start}, start.key, is_io, shows)
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
