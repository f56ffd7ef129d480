"""`Array.map` of an instance's function, over a flat block: a loop, where Base's text takes the array apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bendml_cli.bend2.core.terms import Ctr, Lam, Match, Term
from bendml_cli.bend2.core.values import Thunk, VData
from bendml_cli.bend2.native import ir, types
from bendml_cli.bend2.native.scope import Arg, Block, Goal, Scope

if TYPE_CHECKING:
    from bendml_cli.bend2.native.lower import Lowering


def lower_array_map(lowering: Lowering, body: Term, key: str, args: list[Arg], goal: Goal) -> ir.Expr:
    """The body of an instance of Array.map, which is `\\{ALeaf: x => ALeaf{f(x)}; ANode: ..}` in Base's text.

    That text still serves the arrays that are no block: those built of halves of different sizes.
    """
    array = args[0].atom
    assert isinstance(array, ir.Var)
    block = Block(lowering.names)
    loop = _loop(lowering, body, f"{key}.loop", array.rep, goal)
    lowering.functions[loop.key] = loop
    is_flat = block.bind_variable(block.prim("arr_is_flat", (array,), types.BOOL))
    inner = Block(lowering.names)
    size = inner.prim("arr_size", (array,), types.U32_)
    depth = inner.prim("u32_log2", (size,), types.NAT)
    made = inner.prim("arr_make", (depth,), goal.rep)
    count = inner.prim("u32_to_nat", (size,), types.NAT)
    call = ir.Call(loop.key, (count, ir.Const(0, types.U32_), array, made), goal.rep)
    arms = (
        ir.Arm("False", 0, (), lowering.tail(body, Scope(), args, goal)),
        ir.Arm("True", 1, (), inner.close(call)),
    )
    return block.close(ir.Match(is_flat, arms, None, goal.rep))


def _loop(lowering: Lowering, body: Term, key: str, source: types.Rep, goal: Goal) -> ir.Fun:
    """`loop(n, i, a, b)` writes f(a[i]) to b[i], n times."""
    assert isinstance(body, Match)
    assert isinstance(body.hit, Lam)
    assert isinstance(body.hit.body, Ctr)
    assert isinstance(source, types.Array)
    assert isinstance(goal.rep, types.Array)
    names = lowering.names
    count, index = names.fresh("n", types.NAT), names.fresh("i", types.U32_)
    array, made = names.fresh("a", source), names.fresh("b", goal.rep)
    left = names.fresh("p", types.NAT)
    block = Block(names)
    old = block.prim("arr_get", (array, index), source.element)
    assert body.hit.typing is not None
    type_ = Thunk(body.hit.typing[1], ())
    old = block.coerce(old, lowering.reps.of(type_))
    scope = Scope().push(Arg(old, lowering.reps.fresh(), type_))
    element = lowering.atom(body.hit.body.arguments[0], scope, _element(lowering, goal), block, "y")
    block.prim("arr_init", (made, index, block.coerce(element, goal.rep.element)), types.UNIT)
    following = block.prim("u32_inc", (index,), types.U32_)
    again = block.close(ir.Call(key, (left, following, array, made), goal.rep))
    arms = (ir.Arm("Zero", 0, (), ir.Value(made)), ir.Arm("Succ", 1, (left,), again))
    return ir.Fun(key, (count, index, array, made), goal.rep, ir.Match(count, arms, None, goal.rep))


def _element(lowering: Lowering, array: Goal) -> Goal:
    """The type of an array's elements."""
    assert array.type is not None
    data = lowering.machine.force(array.type)
    assert isinstance(data, VData)
    return lowering.goal(data.args[0])
