"""Simplifying: lambdas and calls, by what is left of them; random programs that do the same before and after."""

from __future__ import annotations

import time

from hypothesis import given, settings

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.callgraph import call_graph
from bendml_cli.bend2.native.closures import convert_closures
from bendml_cli.bend2.native.occurrences import survey
from bendml_cli.bend2.native.ownership import own
from bendml_cli.bend2.native.simplify import simplify
from bendml_cli.bend2.native.types import (
    ANY,
    BOOL,
    FUNCTION,
    NAT,
    UNIT,
)
from tests.bend2.native.ir_build import (
    NAMES,
    NIL,
    as_any,
    con,
    count,
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
from tests.bend2.native.ir_model import Model
from tests.bend2.native.ir_programs import LIST, PAIR, programs
from tests.bend2.native.simplified import (
    FALSE,
    TRUE,
    add,
    large_body,
    main_of,
    on_bool,
    on_nat,
    on_pair,
    outcome,
    say,
    simple,
)

# -- lambdas ----------------------------------------------------------------------------------------------------------


def test_a_lambda_is_applied() -> None:
    x, a, f = var("x"), var("a"), var("f", FUNCTION)
    body = main_of((x,), (f, ir.Lambda((a,), add(a, nat(1)))), ir.Apply(f, (x,), NAT))
    assert isinstance(body, ir.Prim)


def test_a_lambda_is_applied_to_fewer_and_then_to_the_rest() -> None:
    x, a, b, f, g = var("x"), var("a"), var("b"), var("f", FUNCTION), var("g", FUNCTION)
    body = main_of(
        (x,), (f, ir.Lambda((a, b), add(a, b))), (g, ir.Apply(f, (x,), FUNCTION)), ir.Apply(g, (nat(2),), NAT)
    )
    assert isinstance(body, ir.Prim)


def test_a_lambda_is_applied_to_more() -> None:
    x, a, b, f, inner = var("x"), var("a"), var("b"), var("f", FUNCTION), var("g", FUNCTION)
    curried = ir.Lambda((a,), lets((inner, ir.Lambda((b,), add(a, b))), ir.Value(inner)))
    body = main_of((x,), (f, curried), ir.Apply(f, (x, nat(2)), NAT))
    assert isinstance(body, ir.Prim)


def test_a_lambda_moves_to_the_arm_that_takes_it() -> None:
    x, c, a, f = var("x"), var("c", BOOL), var("a"), var("f", FUNCTION)
    large = lets(*[(var("y"), add(a, nat(n))) for n in range(20)], ir.Value(a))
    whole = simple(
        function("main", (x, c), lets((f, ir.Lambda((a,), large)), on_bool(c, ir.Apply(f, (x,), NAT), ir.Value(x))))
    )
    assert count(whole, ir.Lambda) == count(whole, ir.Apply) == 0


def test_applications_one_after_the_other_become_one() -> None:
    f, x, y, g = var("f", FUNCTION), var("x"), var("y"), var("g", FUNCTION)
    body = main_of((f, x, y), (g, ir.Apply(f, (x,), FUNCTION)), ir.Apply(g, (y,), NAT))
    assert isinstance(body, ir.Apply)
    assert len(body.args) == 2


def test_applications_stay_apart_where_something_is_done_between() -> None:
    f, x, y, g = var("f", FUNCTION), var("x"), var("y"), var("g", FUNCTION)
    body = main_of((f, x, y), (g, ir.Apply(f, (x,), FUNCTION)), *say("a"), ir.Apply(g, (y,), NAT))
    assert sum(isinstance(each, ir.Apply) for each in nodes(body)) == 2


def test_a_lambda_that_only_passes_its_arguments_on_is_the_function() -> None:
    f, a, g = var("f", FUNCTION), var("a"), var("g", FUNCTION)
    body = main_of((f,), (g, ir.Lambda((a,), ir.Apply(f, (a,), NAT))), ir.Value(g))
    assert isinstance(body, ir.Value)


def test_coercions_around_an_application_cancel() -> None:
    n, xs, a, b, c = var("n"), var("xs", LIST), var("a", ANY), var("b", PAIR), var("r", PAIR)
    pair, word, f, x, t = var("p", PAIR), var("w", ANY), var("f", FUNCTION), var("x"), var("t", LIST)
    inner = lets((b, ir.Coerce(a, PAIR)), on_pair(b, (x, t), con(x, t)))
    body = main_of(
        (n, xs),
        (f, ir.Lambda((a,), inner)),
        (pair, ir.Construct("Tuple", 0, (n, xs), PAIR)),
        (word, as_any(pair)),
        (c, ir.Apply(f, (word,), LIST)),
        ir.Value(c),
    )
    assert isinstance(body, ir.Construct)
    assert body.constructor == "Con"


def test_a_result_of_another_form_is_coerced() -> None:
    x, a, f, r = var("x"), var("a"), var("f", FUNCTION), var("r", ANY)
    whole = program(
        function("main", (x,), lets((f, ir.Lambda((a,), add(a, nat(1)))), (r, ir.Apply(f, (x,), ANY)), ir.Value(r)))
    )
    body = simplify(whole, NAMES).functions["main"].body
    assert ir.rep_of(body) == ANY
    assert sum(isinstance(each, ir.Coerce) for each in nodes(body)) == 1


def test_a_call_in_the_last_place_stays_there() -> None:
    xs, word, r = var("xs", LIST), var("w", ANY), var("r", LIST)
    f = var("f", FUNCTION)
    call = lets((r, ir.Call("increment", (xs,), LIST)), ir.Coerce(r, ANY))
    apply = lets((r, ir.Apply(f, (xs,), NAT)), (word, ir.Coerce(r, ANY)), ir.Value(word))
    assert isinstance(simple(increment(), function("main", (xs,), call)).functions["main"].body, ir.Call)
    assert isinstance(main_of((xs, f), apply), ir.Apply)


def test_a_lambda_may_be_applied_while_it_is_applied() -> None:
    # f = (g, a) => g(a) + a, and f((b) => f(c => c, b + 10), 1): the inner application leaves the outer a alone.
    f, g, a, r, k, b, more, h, c, x = (var(n, FUNCTION if n in "fgkh" else NAT) for n in "fgarkbmhcx")
    first = ir.Lambda((g, a), lets((r, ir.Apply(g, (a,), NAT)), add(r, a)))
    again = ir.Lambda(
        (b,), lets((more, add(b, nat(10))), (h, ir.Lambda((c,), ir.Value(c))), ir.Apply(f, (h, more), NAT))
    )
    whole = program(function("main", (x,), lets((f, first), (k, again), ir.Apply(f, (k, x), NAT))))
    simpler = simplify(whole, NAMES)
    assert count(simpler, ir.Lambda) == 0
    assert outcome(simpler, 1) == (23, [])


def test_a_large_lambda_is_not_copied() -> None:
    c, x, a, (k, m, u, v) = var("c", BOOL), var("x"), var("a"), [var(name, FUNCTION) for name in "kmuv"]
    large = ir.Lambda((a,), large_body(a))
    arms = on_bool(c, ir.Apply(k, (x,), NAT), ir.Apply(k, (nat(1),), NAT))
    assert count(simple(function("main", (c, x), lets((k, large), arms))), ir.Prim) < 60
    takers = on_bool(c, ir.Lambda((u,), ir.Apply(u, (x,), NAT)), ir.Lambda((v,), ir.Apply(v, (nat(1),), NAT)))
    whole = simple(function("main", (c, x), lets((m, takers), (k, large), ir.Apply(m, (k,), NAT))))
    assert count(whole, ir.Prim) < 60
    assert count(whole, ir.Lambda) == 1


def test_a_match_in_an_applied_lambda_stays_in_the_last_place() -> None:
    c, x, a, f = var("c", BOOL), var("x"), var("a"), var("f", FUNCTION)
    inner = ir.Lambda((a,), on_bool(c, add(a, nat(1)), ir.Value(a)))
    assert isinstance(main_of((c, x), (f, inner), ir.Apply(f, (x,), ANY)), ir.Match)


# -- calls ------------------------------------------------------------------------------------------------------------


def test_small_functions_are_inlined_and_dropped() -> None:
    x, y, r = var("x"), var("y"), var("r")
    small = function("small", (x,), add(x, x))
    calls = lets((r, ir.Call("small", (y,), NAT)), ir.Call("small", (r,), NAT))
    assert set(simple(small, function("main", (y,), calls)).functions) == {"main"}


def test_a_large_function_is_inlined_where_it_is_called_once() -> None:
    x, y, r = var("x"), var("y"), var("r")
    large = function("large", (x,), large_body(x))
    once = simple(large, function("main", (y,), ir.Call("large", (y,), NAT)))
    twice = simple(large, function("main", (y,), lets((r, ir.Call("large", (y,), NAT)), ir.Call("large", (r,), NAT))))
    assert set(once.functions) == {"main"}
    assert count(twice, ir.Call) == 2


def test_a_large_function_is_inlined_for_the_lambda_that_it_applies() -> None:
    x, y, k, r, s, a = var("x"), var("y"), var("k", FUNCTION), var("r"), var("s"), var("a")
    large = function("large", (x, k), lets((r, large_body(x)), ir.Apply(k, (r,), NAT)))
    f, g = var("f", FUNCTION), var("g", FUNCTION)
    body = lets(
        (f, ir.Lambda((a,), add(a, nat(1)))),
        (s, ir.Call("large", (y, f), NAT)),
        (g, ir.Lambda((a,), add(a, nat(2)))),
        ir.Call("large", (s, g), NAT),
    )
    whole = simple(large, function("main", (y,), body))
    assert count(whole, ir.Lambda) == count(whole, ir.Call) == 0


def test_a_function_is_inlined_for_the_constructor_that_it_matches() -> None:
    xs, x, t, y, r = var("xs", LIST), var("x"), var("t", LIST), var("y"), var("r")
    steps = [(var("s"), add(x, nat(n))) for n in range(20)]
    head = function("head", (xs,), on_list(xs, ir.Value(nat(0)), (x, t), lets(*steps, ir.Value(x)), NAT))
    known = lets((r, ir.Call("head", (NIL,), NAT)), ir.Call("head", (NIL,), NAT))
    assert count(simple(head, function("main", (y,), known)), ir.Call) == 0
    unknown = lets((r, ir.Call("head", (xs,), NAT)), ir.Call("head", (xs,), NAT))
    assert count(simple(head, function("main", (xs,), unknown)), ir.Call) == 2


def test_a_flagged_function_is_always_inlined() -> None:
    x, y, r = var("x"), var("y"), var("r")
    large = function("large", (x,), large_body(x))
    large.inline = True
    whole = simple(large, function("main", (y,), lets((r, ir.Call("large", (y,), NAT)), ir.Call("large", (r,), NAT))))
    assert set(whole.functions) == {"main"}


def test_an_offloaded_call_stays() -> None:
    x, y = var("x"), var("y")
    whole = simple(function("f", (x,), add(x, x)), function("main", (y,), ir.Call("f", (y,), NAT, offload=True)))
    assert count(whole, ir.Call) == 1


def test_recursion_stays() -> None:
    xs = var("xs", LIST)
    whole = simple(increment(), function("main", (xs,), ir.Call("increment", (xs,), LIST)))
    assert count(whole, ir.Call) == 2
    assert outcome(whole, plain_list([1, 2])) == (plain_list([2, 3]), [])


def test_two_functions_that_call_each_other_become_one() -> None:
    n, p, m, q, k = var("n"), var("p"), var("m"), var("q"), var("k")
    even = function("even", (n,), on_nat(n, ir.Value(TRUE), p, ir.Call("odd", (p,), BOOL)))
    odd = function("odd", (m,), on_nat(m, ir.Value(FALSE), q, ir.Call("even", (q,), BOOL)))
    whole = simple(even, odd, function("main", (k,), ir.Call("even", (k,), BOOL)))
    assert len(whole.functions) == 2
    assert [outcome(whole, number)[0] for number in range(4)] == [1, 0, 1, 0]


def test_breakers_cut_every_cycle() -> None:
    def chain(key: str, *callees: str) -> ir.Fun:
        return function(key, (), lets(*[(var("r"), ir.Call(each, (), NAT)) for each in callees], ir.Value(nat(0))))

    whole = program(
        chain("a", "b", "c"), chain("b", "a", "d"), chain("c", "d", "c"), chain("d", "b"), chain("main", "a")
    )
    graph = call_graph("main", {key: survey(fun.body).calls for key, fun in whole.functions.items()})
    seen: set[str] = set()
    for key in graph.order:
        calls = {each.function for each in nodes(whole.functions[key].body) if isinstance(each, ir.Call)}
        assert calls <= seen | graph.breakers
        seen.add(key)
    assert "main" in seen - graph.breakers


# -- whole programs ---------------------------------------------------------------------------------------------------


def test_continuations_disappear() -> None:
    """`IO.bind(print, x => IO.bind(print, y => pure))` as continuation passing has it."""

    def bind_of() -> ir.Fun:
        m, f, k, inner = (var(name, FUNCTION) for name in "mfki")
        a = var("a", UNIT)
        return function(
            "bind", (m, f, k), lets((inner, ir.Lambda((a,), ir.Apply(f, (a, k), LIST))), ir.Apply(m, (inner,), LIST))
        )

    def print_of(text: str) -> ir.Lambda:
        k, done = var("k", FUNCTION), var("u", UNIT)
        first, (_, act) = say(text)
        return ir.Lambda((k,), lets(first, (done, act), ir.Apply(k, (done,), LIST)))

    m1, m2, f1, f2, k1, k2, end = (var(name, FUNCTION) for name in ("m1", "m2", "f1", "f2", "k1", "k2", "end"))
    u1, u2, u3 = (var("u", UNIT) for _ in range(3))
    finish = ir.Lambda((u2, k2), ir.Apply(k2, (u2,), LIST))
    second = ir.Lambda((u1, k1), lets((m2, print_of("b")), (f2, finish), ir.Call("bind", (m2, f2, k1), LIST)))
    body = lets(
        (m1, print_of("a")), (f1, second), (end, ir.Lambda((u3,), ir.Value(NIL))), ir.Call("bind", (m1, f1, end), LIST)
    )
    whole = simple(bind_of(), function("main", (), body))
    assert count(whole, ir.Lambda) == count(whole, ir.Apply) == count(whole, ir.Call) == 0
    assert outcome(whole) == (0, ["a\n", "b\n"])


@settings(max_examples=150, deadline=None)
@given(programs())
def test_random_programs_do_the_same(whole: ir.Program) -> None:
    expected = outcome(whole)
    simpler = simplify(whole, ir.Names(after=10**6))
    assert outcome(simpler) == expected
    owned = Model(own(convert_closures(simpler, ir.Names(after=10**7))), counted=True)
    assert (owned.run("main"), owned.output) == expected


def test_the_program_given_is_left_alone() -> None:
    xs = var("xs", LIST)
    whole = program(increment(), function("main", (xs,), ir.Call("increment", (xs,), LIST)))
    before = ir.show_program(whole)
    simplify(whole, NAMES)
    assert ir.show_program(whole) == before


def test_long_chains_of_lets_take_no_stack() -> None:
    items: list[tuple[ir.Var, ir.Atom]] = [(var("xs", LIST), NIL)]
    for _ in range(5000):
        items.append((var("xs", LIST), items[-1][0]))
    whole = program(function("main", (), lets(*[(to, con(nat(1), of)) for to, of in items], ir.Value(items[-1][0]))))
    assert count(simplify(whole, NAMES), ir.Construct) == 5001


def test_large_programs_are_fast() -> None:
    functions = []
    for number in range(300):
        x = var("x")
        previous = ir.Call(f"f{number - 1}", (x,), NAT) if number else ir.Value(x)
        r = var("r")
        functions.append(function(f"f{number}", (x,), lets((r, previous), (var("s"), large_body(r)), add(r, x))))
    y, z = var("y"), var("z")
    calls = [(var("r"), ir.Call(f"f{number}", (y,), NAT)) for number in range(300)]
    whole = program(*functions, function("main", (y, z), lets(*calls, ir.Value(z))))
    start = time.process_time()
    simplify(whole, NAMES)
    assert time.process_time() - start < 5
