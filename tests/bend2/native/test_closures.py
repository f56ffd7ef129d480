"""Lambda lifting: what is captured, and that results stay."""

from __future__ import annotations

import pytest
from hypothesis import given

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.closures import convert_closures
from bendml_cli.bend2.native.types import ANY, FUNCTION, NAT, UNIT, Record
from tests.bend2.native.ir_build import NAMES, as_any, con, count, function, lets, nat, program, var
from tests.bend2.native.ir_model import Model
from tests.bend2.native.ir_programs import LIST, PAIR, programs
from tests.bend2.native.test_ownership import RANDOM, outcome


def closures_of(whole: ir.Program) -> list[ir.Fun]:
    return [each for each in whole.functions.values() if each.is_closure]


def test_captured_variables_come_first() -> None:
    x, y, a, f, total, double = var("x"), var("y"), var("a"), var("f", FUNCTION), var("n"), var("d")
    body = lets((total, ir.Prim("nat_add", (a, x), NAT)), (double, ir.Prim("nat_mul", (total, y), NAT)), as_any(double))
    main = function("main", (x, y), lets((f, ir.Lambda((a,), body)), ir.Apply(f, (nat(3),), ANY)))
    lifted = convert_closures(program(main), NAMES)
    (closure,) = closures_of(lifted)
    assert (closure.params, closure.captured) == ((x, y, a), 2) or closure.params == (y, x, a)
    assert count(lifted, ir.Lambda) == 0
    assert Model(lifted).run("main", 4, 5) == (3 + 4) * 5


def test_an_inner_lambda_captures_through_the_outer() -> None:
    x, a, b, f, g, total = var("x"), var("a"), var("b"), var("f", FUNCTION), var("g", ANY), var("n")
    inner = ir.Lambda((b,), lets((total, ir.Prim("nat_add", (b, x), NAT)), as_any(total)))
    main = function(
        "main", (x,), lets((f, ir.Lambda((a,), inner)), (g, ir.Apply(f, (nat(1),), ANY)), ir.Apply(g, (nat(2),), ANY))
    )
    lifted = convert_closures(program(main), NAMES)
    assert [each.captured for each in closures_of(lifted)] == [1, 1]
    assert Model(lifted).run("main", 40) == 42


def test_a_record_is_captured_as_a_word() -> None:
    pair, a, x, items, f = var("p", PAIR), var("a"), var("x"), var("t", LIST), var("f", FUNCTION)
    body = ir.Match(pair, (ir.Arm("Tuple", 0, (x, items), con(x, items)),), None, LIST)
    main = function("main", (pair,), lets((f, ir.Lambda((a,), body)), ir.Apply(f, (nat(0),), LIST)))
    lifted = convert_closures(program(main), NAMES)
    (closure,) = closures_of(lifted)
    assert not any(isinstance(each.rep, Record) for each in closure.params)
    assert Model(lifted).run("main", (0, 7, (1, 8, 0))) == (1, 7, (1, 8, 0))


def test_unit_is_not_captured() -> None:
    unit, a, f = var("u", UNIT), var("a", UNIT), var("f", FUNCTION)
    main = function("main", (unit,), lets((f, ir.Lambda((a,), ir.Value(unit))), ir.Apply(f, (ir.Const(0, UNIT),), ANY)))
    lifted = convert_closures(program(main), NAMES)
    (closure,) = closures_of(lifted)
    assert closure.captured == 0
    assert Model(lifted).run("main", 0) == 0


def test_lambdas_that_only_call_share_a_function() -> None:
    x, a, b, f, g, r = var("x"), var("a"), var("b"), var("f", FUNCTION), var("g", FUNCTION), var("r", ANY)
    succ = function("succ", (x,), ir.Prim("nat_succ", (x,), NAT))
    body = lets(
        (f, ir.Lambda((a,), ir.Call("succ", (a,), NAT))),
        (g, ir.Lambda((b,), ir.Call("succ", (b,), NAT))),
        (r, ir.Apply(f, (nat(1),), ANY)),
        ir.Apply(g, (r,), ANY),
    )
    lifted = convert_closures(program(succ, function("main", (), body)), NAMES)
    assert len(closures_of(lifted)) == 1
    assert Model(lifted).run("main") == 3


def test_a_lambda_that_gives_a_record_is_refused() -> None:
    a, f = var("a"), var("f", FUNCTION)
    body = ir.Construct("Tuple", 0, (a, nat(0)), PAIR)
    main = function("main", (), lets((f, ir.Lambda((a,), body)), ir.Value(f)))
    with pytest.raises(AssertionError, match="gives a Record"):
        convert_closures(program(main), NAMES)


@RANDOM
@given(programs())
def test_results_stay(whole: ir.Program) -> None:
    lifted = convert_closures(whole, NAMES)
    assert count(lifted, ir.Lambda) == 0
    assert outcome(lifted) == outcome(whole)
