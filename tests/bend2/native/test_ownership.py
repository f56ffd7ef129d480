"""Ownership: every object is freed once, nothing is used after that, and the good cases cost no counting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.closures import convert_closures
from bendml_cli.bend2.native.ownership import own
from bendml_cli.bend2.native.types import ANY, FUNCTION, NAT
from tests.bend2.native.ir_build import (
    NAMES,
    NIL,
    con,
    count,
    dot,
    function,
    increment,
    lets,
    nat,
    nodes,
    on_list,
    plain_list,
    program,
    var,
)
from tests.bend2.native.ir_model import CountingError, Model, Plain
from tests.bend2.native.ir_programs import CELLS, LIST, PAIR, TREE, programs

RANDOM = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NUMBERS = plain_list([3, 1, 2])


def outcome(whole: ir.Program, *, counted: bool = False, reverse: bool = False) -> tuple[Plain, list[str]]:
    model = Model(whole, counted=counted, reverse_parallel=reverse)
    return model.run("main"), model.output


def run_owned(whole: ir.Program, *args: Plain) -> Model:
    """Run main of the program with its counting, against its value without."""
    model = Model(own(whole), counted=True)
    assert model.run(whole.main, *args) == Model(whole).run(whole.main, *args)
    return model


@RANDOM
@given(programs())
def test_random_programs_keep_their_results_and_free_all(whole: ir.Program) -> None:
    owned = own(convert_closures(whole, NAMES))
    assert outcome(owned, counted=True) == outcome(whole)


@RANDOM
@given(programs())
def test_values_side_by_side_own_what_they_use(whole: ir.Program) -> None:
    lifted = convert_closures(whole, NAMES)
    assert outcome(own(lifted), counted=True, reverse=True) == outcome(lifted, reverse=True)


# -- borrowed parameters --------------------------------------------------------------------------------------------


def test_a_loop_over_two_lists_counts_nothing() -> None:
    xs, ys = var("xs", LIST), var("ys", LIST)
    main = function("main", (xs, ys), ir.Call("dot", (xs, ys, nat(0)), NAT))
    owned = own(program(dot(), main))
    assert owned.functions["dot"].borrowed == (True, True, False)
    assert count(program(owned.functions["dot"]), ir.Dup) == count(program(owned.functions["dot"]), ir.Drop) == 0
    assert Model(owned, counted=True).run("main", NUMBERS, NUMBERS) == 14


def test_an_owner_drops_a_list_after_the_last_call_that_borrows_it() -> None:
    xs, total, again = var("xs", LIST), var("n"), var("m")
    body = lets(
        (total, ir.Call("dot", (xs, xs, nat(0)), NAT)),
        (again, ir.Call("dot", (xs, xs, total), NAT)),
        con(again, NIL),
    )
    whole = program(dot(), function("main", (xs,), body))
    assert count(own(whole), ir.Dup) == 0
    model = run_owned(whole, NUMBERS)
    assert model.counted_steps == 3 + 1  # the list's cells, and the one of the result


def test_cells_worth_writing_again_are_not_borrowed() -> None:
    xs = var("xs", LIST)
    owned = own(program(increment(), function("main", (xs,), ir.Call("increment", (xs,), LIST))))
    assert owned.functions["increment"].borrowed == ()
    model = Model(owned, counted=True)
    assert model.run("main", NUMBERS) == plain_list([4, 2, 3])
    assert all(each.reuse is not None for each in constructs(owned.functions["increment"]))


def test_a_shared_list_is_borrowed_by_a_variant() -> None:
    """`increment` takes its list apart; where the list is needed later, that would only count on the way."""
    xs, more = var("xs", LIST), var("ys", LIST)
    body = lets((more, ir.Call("increment", (xs,), LIST)), ir.Construct("Con", 1, (more, xs), LIST))
    owned = own(program(increment(), function("main", (xs,), body)))
    assert set(owned.functions) == {"main", "increment&0"}
    assert owned.functions["increment&0"].borrowed == (True,)
    assert count(owned, ir.Dup) == count(owned, ir.Drop) == 0
    model = Model(owned, counted=True)
    assert model.run("main", NUMBERS) == (1, plain_list([4, 2, 3]), NUMBERS)
    assert model.allocated == 3 + 3 + 1


def test_both_variants_of_a_function_may_be_needed() -> None:
    xs, more, again = var("xs", LIST), var("ys", LIST), var("zs", LIST)
    body = lets(
        (more, ir.Call("increment", (xs,), LIST)),
        (again, ir.Call("increment", (more,), LIST)),
        ir.Construct("Con", 1, (again, xs), LIST),
    )
    whole = program(increment(), function("main", (xs,), body))
    assert set(own(whole).functions) == {"main", "increment&0", "increment"}
    assert run_owned(whole, NUMBERS).allocated == 3 + 3 + 1


def test_a_loop_s_call_in_the_last_place_stays_there() -> None:
    """`count` only looks at its list, but goes on with a list that it has made: the list must be given away."""
    xs, n, less, made, x, t = var("xs", LIST), var("n"), var("l"), var("ys", LIST), var("x"), var("t", LIST)
    step = lets((made, con(less, NIL)), ir.Call("loop", (made, less), NAT))
    again = ir.Match(n, (ir.Arm("Zero", 0, (), ir.Value(x)), ir.Arm("Succ", 1, (less,), step)), None, NAT)
    loop = function("loop", (xs, n), on_list(xs, ir.Value(n), (x, t), again, NAT))
    ys = var("ys", LIST)
    owned = own(program(loop, function("main", (ys,), ir.Call("loop", (ys, nat(5)), NAT))))
    assert owned.functions["loop"].borrowed == ()
    assert "loop" in last_calls(owned.functions["loop"].body)
    assert Model(owned, counted=True).run("main", NUMBERS) == 0


def test_a_loop_through_a_closure_stays_one() -> None:
    """`loop` goes on by a continuation, which calls `loop` with a list that it owns."""
    k, xs, x, t = var("k", FUNCTION), var("xs", LIST), var("x"), var("t", LIST)
    go_on = ir.Apply(k, (x,), ANY)
    loop = function("loop", (xs, k), on_list(xs, ir.Coerce(k, ANY), (x, t), go_on, ANY))
    a, inner_k, ys = var("a"), var("k", FUNCTION), var("ys", LIST)
    lambda_body = lets(
        (ys, con(a, NIL)), (inner_k, ir.Lambda((var("b"),), ir.Value(nat(7)))), call_any("loop", ys, inner_k)
    )
    outer_k, zs = var("k", FUNCTION), var("zs", LIST)
    main = function("main", (zs,), lets((outer_k, ir.Lambda((a,), lambda_body)), call_any("loop", zs, outer_k)))
    owned = own(convert_closures(program(loop, main), NAMES))
    assert owned.functions["loop"].borrowed == ()
    assert Model(owned, counted=True).run("main", NUMBERS) == 7


def call_any(key: str, *args: ir.Atom) -> ir.Expr:
    return ir.Call(key, args, ANY)


def last_calls(expr: ir.Expr) -> set[str]:
    """The functions called in the last place."""
    while isinstance(expr, ir.Let | ir.Parallel | ir.Dup | ir.Drop | ir.FreeCell):
        expr = expr.body
    match expr:
        case ir.Call(key):
            return {key}
        case ir.Match(_, arms, default):
            bodies = [arm.body for arm in arms] + ([default] if default is not None else [])
            return {key for body in bodies for key in last_calls(body)}
    return set()


def constructs(fun: ir.Fun) -> Iterator[ir.Construct]:
    return (each for each in nodes(fun.body) if isinstance(each, ir.Construct))


# -- matches and cells ----------------------------------------------------------------------------------------------


def test_an_arm_that_needs_the_scrutinee_keeps_it_and_the_others_take_it() -> None:
    xs, x, t, n = var("xs", LIST), var("x"), var("t", LIST), var("n")
    keep = ir.Match(n, (ir.Arm("Zero", 0, (), ir.Value(xs)), ir.Arm("Succ", 1, (var("l"),), ir.Value(t))), None, LIST)
    for number in (0, 1):
        run_owned(program(function("main", (xs, n), on_list(xs, ir.Value(NIL), (x, t), keep, LIST))), NUMBERS, number)
    last = on_list(xs, ir.Value(xs), (x, t), con(nat(9), t), LIST)
    owned = own(program(function("main", (xs,), last)))
    assert Model(owned, counted=True).run("main", NUMBERS) == plain_list([9, 1, 2])
    assert [each.reuse is not None for each in constructs(owned.functions["main"])] == [True]


def test_a_default_owns_the_scrutinee() -> None:
    xs = var("xs", LIST)
    match = ir.Match(xs, (ir.Arm("Nil", 0, (), ir.Value(NIL)),), con(nat(1), xs), LIST)
    run_owned(program(function("main", (xs,), match)), NUMBERS)
    ys = var("ys", LIST)
    unused = ir.Match(ys, (ir.Arm("Nil", 0, (), ir.Value(nat(0))),), ir.Value(nat(1)), NAT)
    kept = function("main", (ys,), lets((var("u", LIST), con(nat(0), ys)), ir.Value(nat(0))))
    run_owned(program(kept), NUMBERS)
    run_owned(program(function("main", (ys,), unused)), NUMBERS)


def test_a_cell_is_freed_on_the_paths_that_do_not_write_it() -> None:
    xs, x, t, less = var("xs", LIST), var("x"), var("t", LIST), var("l")
    inner = ir.Match(x, (ir.Arm("Zero", 0, (), ir.Value(t)), ir.Arm("Succ", 1, (less,), con(less, t))), None, LIST)
    whole = program(function("main", (xs,), on_list(xs, ir.Value(NIL), (x, t), inner, LIST)))
    assert count(own(whole), ir.FreeCell) == 1
    for head in (0, 5):
        run_owned(whole, plain_list([head, 1]))


def test_a_cell_of_another_size_is_not_written() -> None:
    xs, x, t, left = var("xs", LIST), var("x"), var("t", LIST), ir.Const(0, TREE)
    node = ir.Construct("Node", 1, (left, x, left), TREE)
    whole = program(function("main", (xs,), on_list(xs, ir.Value(left), (x, t), node, TREE)))
    assert all(each.reuse is None for each in constructs(own(whole).functions["main"]))
    run_owned(whole, NUMBERS)


def test_a_shared_cell_is_not_written_again() -> None:
    """Of a list whose first cell alone is shared, the others are."""
    xs, more, x, t = var("xs", LIST), var("ys", LIST), var("x"), var("t", LIST)
    again = on_list(xs, ir.Value(NIL), (x, t), ir.Construct("Con", 1, (more, t), LIST), LIST)
    body = lets((more, con(nat(0), xs)), again)
    assert run_owned(program(function("main", (xs,), body)), NUMBERS).allocated == 3 + 1 + 1


def test_a_record_gives_its_fields_away() -> None:
    pair, x, items = var("p", PAIR), var("x"), var("t", LIST)
    body = ir.Match(pair, (ir.Arm("Tuple", 0, (x, items), con(x, items)),), None, LIST)
    whole = program(function("main", (pair,), body))
    assert count(own(whole), ir.Dup) == 0
    run_owned(whole, (0, 1, NUMBERS))


def test_arrays_are_looked_at_without_counting() -> None:
    cells, index = var("a", CELLS), nat(1)
    old, new = var("o", LIST), var("b", CELLS)
    body = lets(
        (old, ir.Prim("arr_exchange", (cells, index, NIL), LIST)),
        (new, ir.Prim("arr_set", (cells, nat(0), old), CELLS)),
        ir.Prim("arr_get", (new, index), LIST),
    )
    whole = program(function("main", (cells,), body))
    assert count(own(whole), ir.Dup) == 0
    run_owned(whole, [NUMBERS, plain_list([7])])


def test_values_in_parallel_share_what_stays() -> None:
    xs, a, b, n, m = var("xs", LIST), var("a", LIST), var("b", LIST), var("n"), var("m")
    body = ir.Parallel((a, b), (con(nat(1), xs), con(nat(2), xs)), ir.Construct("Con", 1, (a, b), LIST))
    run_owned(program(function("main", (xs,), body)), NUMBERS)
    ys = var("ys", LIST)
    sums = tuple(ir.Call("dot", (ys, ys, nat(k)), NAT) for k in (0, 1))
    added = ir.Parallel((n, m), sums, ir.Prim("nat_add", (n, m), NAT))
    whole = program(dot(), function("main", (xs,), lets((ys, con(nat(1), xs)), added)))
    assert (count(own(whole), ir.Dup), count(own(whole), ir.Drop)) == (0, 1)
    run_owned(whole, NUMBERS)


def test_a_value_in_parallel_owns_what_it_alone_needs() -> None:
    xs, ys, a, b = var("xs", LIST), var("ys", LIST), var("a", LIST), var("b", LIST)
    calls = tuple(ir.Call("increment", (each,), LIST) for each in (xs, ys))
    body = ir.Parallel((a, b), calls, ir.Construct("Con", 1, (a, b), LIST))
    assert run_owned(program(increment(), function("main", (xs, ys), body)), NUMBERS, NUMBERS).allocated == 3 + 3 + 1


# -- the tests can fail ---------------------------------------------------------------------------------------------


def without_one(expr: ir.Expr) -> Iterator[ir.Expr]:
    """The expression without one variable of one Dup or Drop, in each possible way."""
    match expr:
        case ir.Dup(vars_, body) | ir.Drop(vars_, body):
            for index in range(len(vars_)):
                yield replace(expr, vars=vars_[:index] + vars_[index + 1 :])
            yield from (replace(expr, body=each) for each in without_one(body))
        case ir.Let(_, value, body):
            yield from (replace(expr, value=each) for each in without_one(value))
            yield from (replace(expr, body=each) for each in without_one(body))
        case ir.FreeCell(_, body):
            yield body
            yield from (replace(expr, body=each) for each in without_one(body))
        case ir.Match(arms=arms):
            for index, arm in enumerate(arms):
                for each in without_one(arm.body):
                    yield replace(expr, arms=(*arms[:index], replace(arm, body=each), *arms[index + 1 :]))


def objects(whole: ir.Program, *args: Plain) -> bool:
    """Does the model find fault with the counting?"""
    try:
        Model(whole, counted=True).run("main", *args)
    except CountingError:
        return True
    return False


def test_the_model_objects_to_every_missing_count() -> None:
    xs, x, t, less, total, twice = var("xs", LIST), var("x"), var("t", LIST), var("l"), var("n"), var("d", LIST)
    inner = ir.Match(x, (ir.Arm("Zero", 0, (), ir.Value(NIL)), ir.Arm("Succ", 1, (less,), con(less, t))), None, LIST)
    body = lets(
        (total, ir.Call("dot", (xs, xs, nat(0)), NAT)),
        (twice, con(total, xs)),
        on_list(xs, ir.Value(NIL), (x, t), inner, LIST),
    )
    owned = own(program(dot(), function("main", (xs,), body)))
    main = owned.functions["main"]
    changed = list(without_one(main.body))
    assert len(changed) >= 4
    for each in changed:
        broken = replace(owned, functions={**owned.functions, "main": replace(main, body=each)})
        assert any(objects(broken, plain_list([head, 2])) for head in (0, 1))


def test_the_model_objects_to_a_cell_of_another_size() -> None:
    xs, x, t, cell, rest = var("xs", LIST), var("x"), var("t", LIST), var("c", ANY), ir.Const(0, TREE)
    node = ir.Construct("Node", 1, (rest, x, rest), TREE, cell)
    arms = (ir.Arm("Nil", 0, (), ir.Value(rest)), ir.Arm("Con", 1, (x, t), ir.Drop((t,), node), cell))
    whole = program(function("main", (xs,), ir.Match(xs, arms, None, TREE, consumes=True)))
    with pytest.raises(CountingError, match="no cell of 3"):
        Model(whole, counted=True).run("main", NUMBERS)
