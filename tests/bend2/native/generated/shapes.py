"""Definitions of a fixed shape with random parts: types that depend on values, types of any quantity, array loops."""

from __future__ import annotations

from collections.abc import Callable

from tests.bend2.native.generated.bend_types import (
    BOOL,
    CHAR,
    F32,
    NAT,
    STRING,
    U32,
    A,
    Param,
    Signature,
    T,
    Value,
    array,
    fun,
    listed,
    pair,
)
from tests.bend2.native.generated.operations import Operation
from tests.bend2.native.generated.scope import Bound, Function, Scope
from tests.bend2.native.generated.terms import Terms

VECTOR = """def {v}(-A: Data, n: Nat) -> Data:
  match n:
    case 0n:
      Unit
    case 1n+p:
      Sigma<&2, &2, A, _ => {v}(A, p)>

def {v}.fill(-A: Data, n: Nat, +x: A, f: Nat -> A) -> {v}(A, n):
  match n:
    case 0n:
      Unit{{}}
    case 1n++p:
      (f(p), {v}.fill(A, p, x, z => x))

def {v}.list(-A: Data, n: Nat, v: {v}(A, n)) -> List<&2, A>:
  match n v:
    case 0n, Unit{{}}:
      Nil{{}}
    case 1n+p, (h, t):
      h <> {v}.list(A, p, t)

def {v}.some(-A: Data, +n: Nat, +x: A, f: Nat -> A) -> &m: Nat -> {v}(A, m):
  (n, {v}.fill(A, n, x, f))

def {v}.open(-A: Data, p: &m: Nat -> {v}(A, m)) -> List<&2, A>:
  match p:
    case (n, v):
      {v}.list(A, n, v)

def {v}.through(-A: Data, n: Nat, +x: A, f: Nat -> A) -> List<&2, A>:
  {v}.open(A, {v}.some(A, n, x, f))"""


def vector(terms: Terms) -> str:
    """A type of vectors by recursion on their length, made of a value and at its first place of a function's."""
    name = terms.fresh("v")
    made = Operation(
        f"{name}.through",
        ("{A}",),
        (NAT, A, fun(NAT, A)),
        listed(A),
        lambda n, x, f: (f(n - 1), *(x,) * (n - 1)) if _is_small(n) else (),
    )
    terms.operations += [made] * 8
    return VECTOR.format(v=name)


def _is_small(number: int) -> bool:
    if number > 64:
        raise ValueError("more steps than a generated program takes")
    return number > 0


KEEP = """def {k}(a, -A: Kind(a), f: A -> A, xs: List<a, A>) -> List<a, A>:
  match xs:
    case Nil{{}}:
      Nil{{}}
    case h <> t:
      {result}"""


def of_any_quantity(terms: Terms) -> str:
    """A function of lists of any quantity."""
    name = terms.fresh("k")
    results: dict[str, Callable[[Value, Value], Value]] = {
        "f(h) <> t": lambda f, xs: (f(xs[0]), *xs[1:]) if xs else (),
        f"h <> {name}(a, A, f, t)": lambda f, xs: xs,
        "t": lambda f, xs: xs[1:],
        f"List.append(a, A, {name}(a, A, f, t), [h])": lambda f, xs: xs[::-1],
    }
    result = terms.source.choice(tuple(results))
    for mark in (1, 2):
        of = T("Var", marks=(mark,), name="A")
        xs = listed(of, mark)
        terms.operations += [Operation(name, (f"&{mark}", "{A}"), (fun(of, of), xs), xs, results[result])] * 4
    return KEEP.format(k=name, result=result)


def array_loop(terms: Terms) -> str:
    """A loop that reads and writes an array, counting down a Nat."""
    element = terms.source.choice((U32, NAT, BOOL, F32, CHAR, STRING, pair(U32, NAT, 2), listed(NAT)))
    state = terms.source.choice((U32, NAT, BOOL, element))
    name, count, array_, read, kept = terms.fresh("loop"), *(terms.fresh() for _ in range(4))
    scope = Scope((Bound(count, NAT, True), Bound(read, element, True), Bound(kept, state, True)))

    def hole(type_: T) -> Callable[[dict[str, Value]], Value]:
        term = terms.term(type_, scope, 3)
        texts.append(term.text)
        return term.run

    texts: list[str] = []
    at, new, then, next_, last = hole(U32), hole(element), hole(U32), hole(state), hole(U32)
    stored = hole(element) if terms.chance(40) else None
    arrays, answer = array(element), pair(array(element), state)
    written = f"Array.set({element}, {array_}, {texts[0]}, {texts[1]})"
    if stored is None:
        seen = f"Array.get({element}, {written}, {texts[2]})"
    else:
        seen = f"Array.swap({element}, {written}, {texts[2]}, {texts[5]})"
    text = f"""def {name}(n: Nat, p: ({arrays} & {element}), +{kept}: {state}) -> {answer}:
  match n p:
    case 0n, ({array_}, +{read}):
      +{count} : Nat = 0n
      (Array.set({element}, {array_}, {texts[4]}, {read}), {kept})
    case 1n++{count}, ({array_}, +{read}):
      {name}({count}, {seen}, {texts[3]})"""

    def run(n: int, both: Value, state_: Value) -> Value:
        items, value = list(both[0]), both[1]
        for left in range(n - 1, -1, -1):
            terms.clock.tick()
            env = {count: left, read: value, kept: state_}
            items[at(env) % len(items)] = new(env)
            place = then(env) % len(items)
            value = items[place]
            if stored is not None:
                items[place] = stored(env)
            state_ = next_(env)
        env = {count: 0, read: value, kept: state_}
        items[last(env) % len(items)] = value
        return tuple(items), state_

    params = (Param("n", NAT), Param("p", pair(arrays, element)), Param(kept, state, "+"))
    terms.functions.append(Function(Signature(name, (), params, answer, 0), run))
    return text
