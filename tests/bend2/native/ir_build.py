"""Short ways to write IR by hand in tests: lists of Nat, and the functions on them that many tests need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.types import ANY, NAT, Rep
from tests.bend2.native.ir_model import Plain
from tests.bend2.native.ir_programs import LIST

NAMES = ir.Names()
NIL = ir.Const(0, LIST)


def var(name: str, rep: Rep = NAT) -> ir.Var:
    """A fresh variable."""
    return NAMES.fresh(name, rep)


def nat(value: int) -> ir.Const:
    """A constant Nat."""
    return ir.Const(value, NAT)


def con(head: ir.Atom, tail: ir.Atom, reuse: ir.Var | None = None) -> ir.Construct:
    """A cell of a list."""
    return ir.Construct("Con", 1, (head, tail), LIST, reuse)


def on_list(items: ir.Var, nil: ir.Expr, fields: tuple[ir.Var, ir.Var], body: ir.Expr, rep: Rep) -> ir.Match:
    """A match of a list."""
    return ir.Match(items, (ir.Arm("Nil", 0, (), nil), ir.Arm("Con", 1, fields, body)), None, rep)


def lets(*parts: tuple[ir.Var, ir.Expr] | ir.Expr) -> ir.Expr:
    """Pairs of a variable and its value, and last the body."""
    body = parts[-1]
    assert isinstance(body, ir.Expr)
    for part in reversed(parts[:-1]):
        assert isinstance(part, tuple)
        body = ir.Let(*part, body)
    return body


def program(*functions: ir.Fun) -> ir.Program:
    """A program; the last function is main."""
    return ir.Program({each.key: each for each in functions}, functions[-1].key, main_is_io=False)


def function(key: str, params: Sequence[ir.Var], body: ir.Expr) -> ir.Fun:
    """A function; what it gives is what its body gives."""
    return ir.Fun(key, tuple(params), ir.rep_of(body), body)


def plain_list(items: Sequence[Plain]) -> Plain:
    """A list as the model gives it."""
    value: Plain = 0
    for each in reversed(items):
        value = (1, each, value)
    return value


def dot() -> ir.Fun:
    """The sum of the products of two lists, plus a number: a loop that only looks at its lists."""
    xs, ys, total, x, y, xt, yt = map(
        var, ("xs", "ys", "n", "x", "y", "xt", "yt"), (LIST, LIST, NAT, NAT, NAT, LIST, LIST)
    )
    product, more = var("p"), var("m")
    step = lets(
        (product, ir.Prim("nat_mul", (x, y), NAT)),
        (more, ir.Prim("nat_add", (total, product), NAT)),
        ir.Call("dot", (xt, yt, more), NAT),
    )
    inner = on_list(ys, ir.Value(total), (y, yt), step, NAT)
    return function("dot", (xs, ys, total), on_list(xs, ir.Value(total), (x, xt), inner, NAT))


def increment() -> ir.Fun:
    """A list with one added to each: it can write the cells of its list again."""
    xs, x, t, more, rest = var("xs", LIST), var("x"), var("t", LIST), var("m"), var("r", LIST)
    body = lets((more, ir.Prim("nat_succ", (x,), NAT)), (rest, ir.Call("increment", (t,), LIST)), con(more, rest))
    return function("increment", (xs,), on_list(xs, ir.Value(NIL), (x, t), body, LIST))


def as_any(atom: ir.Atom) -> ir.Coerce:
    """An atom as a word."""
    return ir.Coerce(atom, ANY)


def nodes(expr: ir.Expr) -> Iterator[ir.Expr]:
    """An expression and all in it."""
    pending = [expr]
    while pending:
        at = pending.pop()
        yield at
        pending += [part for _, part in ir.parts_of(at)]


def count(whole: ir.Program, kind: type[ir.Expr]) -> int:
    """How many expressions of a kind a program has."""
    return sum(isinstance(each, kind) for fun in whole.functions.values() for each in nodes(fun.body))
