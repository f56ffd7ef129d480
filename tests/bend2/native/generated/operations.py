"""The functions of Base that generated programs call, each with its model in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tests.bend2.native.float_model import UNARY, is_nan
from tests.bend2.native.float_model import show as show_f32
from tests.bend2.native.generated.bend_types import (
    BOOL,
    CHAR,
    CMP,
    F32,
    NAT,
    STRING,
    U32,
    UNIT,
    A,
    B,
    Con,
    T,
    Value,
    action,
    array,
    fun,
    listed,
    mapped,
    maybe,
    pair,
    result,
)
from tests.bend2.native.scalar_model import NAT_MAX, SCALARS, WORD, bits_of, float_of

ANY_A = T("Var", marks=(1,), name="A")
ANY_B = T("Var", marks=(1,), name="B")
ANY_E = T("Var", marks=(1,), name="E")
NONE, DONE = Con("None"), Con("Unit")
CMPS = (Con("LT"), Con("EQ"), Con("GT"))
CANONICAL_NAN = 0x7FC00000
BITS = "bits_of"
"""The function of generated programs that gives the bits of an F32, of a NaN always the same."""
BITS_TEXT = f"def {BITS}(+x: F32) -> U32:\n  Bool.pick(U32, F32.is_eq(x, x), F32.bits(x), {CANONICAL_NAN})"


@dataclass(frozen=True)
class Operation:
    """A function: `lead` is what stands before the arguments (with {A} for a type), `closed` the arguments that are
    templates, so closed and marked ~; `run` is the model."""

    name: str
    lead: tuple[str, ...]
    params: tuple[T, ...]
    result: T
    run: Callable[..., Value]
    closed: int = 0
    is_opaque: bool = False


def _bounded(model: Callable[..., Value]) -> Callable[..., Value]:
    """A function that the checker computes in as many steps as its last argument says."""

    def go(*args: Value) -> Value:
        if args[-1] > 64:
            raise ValueError("more steps than a generated program takes")
        return model(*args)

    return go


def _scalars() -> Iterator[Operation]:
    def of(name: str, params: tuple[T, ...], answer: T, prim: str = "", is_opaque: bool = False) -> Operation:
        model = SCALARS[prim or name.replace(".", "_").lower()]
        if answer is BOOL:
            return Operation(name, (), params, answer, lambda *args: bool(model(*args)), is_opaque=is_opaque)
        if answer is CMP:
            return Operation(name, (), params, answer, lambda *args: CMPS[model(*args)])
        return Operation(name, (), params, answer, model, is_opaque=is_opaque)

    for name, type_ in (("Nat", NAT), ("U32", U32)):
        for each in ("add", "sub", "mul", "div", "mod", "min", "max"):
            yield of(f"{name}.{each}", (type_, type_), type_)
        for each in ("eq", "ne", "lt", "le", "gt", "ge"):
            yield of(f"{name}.is_{each}", (type_, type_), BOOL)
        yield of(f"{name}.cmp", (type_, type_), CMP)
    yield of("Nat.pow", (NAT, NAT), NAT)
    yield of("Nat.double", (NAT,), NAT)
    yield Operation("Nat.divmod", (), (NAT, NAT), pair(NAT, NAT), lambda a, b: divmod(a, b) if b else (0, a))
    for each in ("inc", "not", "shl", "shr"):
        yield of(f"U32.{each}", (U32,), U32)
    for each in ("and", "or", "xor"):
        yield of(f"U32.{each}", (U32, U32), U32)
    for each in ("shln", "shrn", "pow"):
        model = _bounded(SCALARS[f"u32_{each}"])
        yield Operation(f"U32.{each}", (), (U32, NAT), U32, model)
    yield of("U32.is_zero", (U32,), BOOL)
    yield of("U32.is_even", (U32,), BOOL)
    yield of("U32.log2", (U32,), NAT)
    yield of("U32.to_nat", (U32,), NAT)
    yield of("U32.from_nat", (NAT,), U32, "nat_to_u32")
    yield Operation("U32.clamp", (), (U32, U32, U32), U32, lambda x, low, high: min(max(x, low), high))

    for each in ("add", "sub", "mul", "div", "mod", "pow", "atan2"):
        yield of(f"F32.{each}", (F32, F32), F32, is_opaque=True)
    for each in ("neg", "abs", "sqrt", "floor", "ceil", "trunc", *UNARY):
        yield of(f"F32.{each}", (F32,), F32, is_opaque=True)
    for each in ("eq", "ne", "lt", "le", "gt", "ge"):
        yield of(f"F32.is_{each}", (F32, F32), BOOL, is_opaque=True)
    yield of("U32.to_f32", (U32,), F32, is_opaque=True)
    yield of("F32.to_u32", (F32,), U32, is_opaque=True)
    add, sub, mul = SCALARS["f32_add"], SCALARS["f32_sub"], SCALARS["f32_mul"]
    for derived in (
        Operation(BITS, (), (F32,), U32, lambda x: CANONICAL_NAN if is_nan(x) else x),
        Operation("F32.min", (), (F32, F32), F32, lambda a, b: a if float_of(a) < float_of(b) else b),
        Operation("F32.max", (), (F32, F32), F32, lambda a, b: b if float_of(a) < float_of(b) else a),
        Operation("F32.lerp", (), (F32, F32, F32), F32, lambda a, b, t: add(a, mul(sub(b, a), t))),
        Operation("F32.square", (), (F32,), F32, lambda a: mul(a, a)),
        Operation("F32.round", (), (F32,), F32, lambda a: SCALARS["f32_floor"](add(a, bits_of(0.5)))),
        Operation("F32.from_nat", (), (NAT,), F32, lambda n: bits_of(float(n & WORD))),
        Operation("F32.to_nat", (), (F32,), NAT, SCALARS["f32_to_u32"]),
        Operation("F32.show", (), (F32,), STRING, lambda a: tuple(map(ord, show_f32(a)))),
    ):
        yield replace(derived, is_opaque=True)

    yield Operation("Bool.not", (), (BOOL,), BOOL, lambda a: not a)
    yield Operation("Bool.and", (), (BOOL, BOOL), BOOL, lambda a, b: a and b)
    yield Operation("Bool.or", (), (BOOL, BOOL), BOOL, lambda a, b: a or b)
    yield Operation("Bool.xor", (), (BOOL, BOOL), BOOL, lambda a, b: a != b)
    yield Operation("Bool.cmp", (), (BOOL, BOOL), CMP, lambda a, b: CMPS[(a > b) - (a < b) + 1])
    yield Operation("Bool.to_u32", (), (BOOL,), U32, int)
    yield Operation("Bool.pick", ("{A}",), (BOOL, ANY_A, ANY_A), ANY_A, lambda c, a, b: a if c else b)
    for each, holds in {"lt": "LT", "eq": "EQ", "gt": "GT"}.items():
        yield Operation(f"Cmp.is_{each}", (), (CMP,), BOOL, lambda c, holds=holds: c.name == holds)
    yield Operation("Cmp.is_le", (), (CMP,), BOOL, lambda c: c.name != "GT")
    yield Operation("Cmp.is_ge", (), (CMP,), BOOL, lambda c: c.name != "LT")


# -- text -----------------------------------------------------------------------------------------------------------

_DIGITS, _UPPER, _LOWER = range(48, 58), range(65, 91), range(97, 123)
_SPACES = (32, *range(9, 14))


def _text(text: str) -> Value:
    return tuple(map(ord, text))


def _case(shift: int, of: range) -> Callable[[int], int]:
    return lambda c: (c + shift) & WORD if c in of else c


def _is_within(inner: Value, outer: Value) -> bool:
    return any(outer[at : at + len(inner)] == inner for at in range(len(outer) - len(inner) + 1))


def _read(limit: int) -> Callable[[Value], Value]:
    def read(text: Value) -> Value:
        if not text or any(each not in _DIGITS for each in text):
            return NONE
        number = int("".join(map(chr, text)))
        return Con("Some", (number,)) if number <= limit else NONE

    return read


def _split(text: Value, separator: int) -> Value:
    pieces: list[Value] = [()]
    for each in text:
        if each == separator:
            pieces.append(())
        else:
            pieces[-1] += (each,)
    return tuple(pieces)


def _join(pieces: Value, separator: Value) -> Value:
    joined: Value = ()
    for at, each in enumerate(pieces):
        joined += (separator if at else ()) + each
    return joined


def _strip(text: Value) -> Value:
    while text and text[0] in _SPACES:
        text = text[1:]
    return text


def _texts() -> Iterator[Operation]:
    def of(name: str, params: tuple[T, ...], answer: T, run: Callable[..., Value]) -> Operation:
        return Operation(name, (), params, answer, run)

    yield of("Char.to_u32", (CHAR,), U32, lambda c: c)
    yield of("Char.from_u32", (U32,), CHAR, lambda c: c)
    yield of("Char.is_eq", (CHAR, CHAR), BOOL, lambda a, b: a == b)
    classes = {"digit": _DIGITS, "upper": _UPPER, "lower": _LOWER, "alpha": (*_UPPER, *_LOWER), "space": _SPACES}
    for name, codes in classes.items():
        yield of(f"Char.is_{name}", (CHAR,), BOOL, lambda c, codes=codes: c in codes)
    cases = {"upper": _case(-32, _LOWER), "lower": _case(32, _UPPER)}
    for name, change in cases.items():
        yield of(f"Char.to_{name}", (CHAR,), CHAR, change)
        yield of(f"String.to_{name}", (STRING,), STRING, lambda s, change=change: tuple(map(change, s)))
    yield of("String.append", (STRING, STRING), STRING, lambda a, b: a + b)
    yield of("String.order", (STRING, STRING), CMP, lambda a, b: CMPS[(a > b) - (a < b) + 1])
    yield of(
        "String.cmp",
        (STRING, STRING),
        pair(pair(STRING, STRING), CMP),
        lambda a, b: ((a, b), CMPS[(a > b) - (a < b) + 1]),
    )
    yield of("String.eq", (STRING, STRING), BOOL, lambda a, b: a == b)
    yield of("String.is_lt", (STRING, STRING), BOOL, lambda a, b: a < b)
    yield of("String.is_ge", (STRING, STRING), BOOL, lambda a, b: a >= b)
    yield of("String.length", (STRING,), NAT, len)
    yield of("String.is_empty", (STRING,), BOOL, lambda s: not s)
    yield of("String.reverse", (STRING,), STRING, lambda s: s[::-1])
    yield of("String.trim_start", (STRING,), STRING, _strip)
    yield of("String.trim_end", (STRING,), STRING, lambda s: _strip(s[::-1])[::-1])
    yield of("String.trim", (STRING,), STRING, lambda s: _strip(_strip(s)[::-1])[::-1])
    yield of("String.starts_with", (STRING, STRING), BOOL, lambda s, p: s[: len(p)] == p)
    yield of("String.ends_with", (STRING, STRING), BOOL, lambda s, p: s[::-1][: len(p)] == p[::-1])
    yield of("String.contains", (STRING, STRING), BOOL, lambda s, p: _is_within(p, s))
    yield of("String.take", (STRING, NAT), STRING, lambda s, n: s[:n])
    yield of("String.drop", (STRING, NAT), STRING, lambda s, n: s[n:])
    yield of("String.get", (STRING, NAT), maybe(CHAR), lambda s, n: Con("Some", (s[n],)) if n < len(s) else NONE)
    yield of("String.to_list", (STRING,), listed(CHAR), lambda s: s)
    yield of("String.from_list", (listed(CHAR),), STRING, lambda s: s)
    yield of("String.concat", (listed(STRING),), STRING, lambda xs: _join(xs, ()))
    yield of("String.join", (listed(STRING), STRING), STRING, _join)
    yield of("String.split", (STRING, CHAR), listed(STRING), _split)
    yield of("String.lines", (STRING,), listed(STRING), lambda s: _split(s, 10))
    yield of("String.repeat", (STRING, NAT), STRING, _bounded(lambda s, n: s * n))
    yield of("Nat.show", (NAT,), STRING, lambda n: _text(str(n)))
    yield of("U32.show", (U32,), STRING, lambda n: _text(str(n)))
    yield of("Bool.show", (BOOL,), STRING, lambda b: _text(str(b)))
    yield of("Char.show", (CHAR,), STRING, lambda c: (c,))
    yield of("Nat.read", (STRING,), maybe(NAT), _read(NAT_MAX))
    yield of("U32.read", (STRING,), maybe(U32), _read(WORD))


# -- what holds values of any type ------------------------------------------------------------------------------------


def _some(values: Value) -> Value:
    return Con("Some", (values[0],)) if values else NONE


def _replaced(xs: Value, n: int, x: Value) -> Value:
    return (*xs[:n], x, *xs[n + 1 :]) if n < len(xs) else xs


def _fold_left(f: Value, xs: Value, start: Value) -> Value:
    for each in xs:
        start = f(start)(each)
    return start


def _fold_right(f: Value, xs: Value, start: Value) -> Value:
    for each in reversed(xs):
        start = f(each)(start)
    return start


def _containers(mark: int) -> Iterator[Operation]:
    one, other, error = (A, B, T("Var", marks=(2,), name="E")) if mark == 2 else (ANY_A, ANY_B, ANY_E)
    q = f"&{mark}"
    xs, m, r = listed(one, mark), maybe(one, mark), result(error, one, mark)

    yield Operation("List.append", (q, "{A}"), (xs, xs), xs, lambda a, b: a + b)
    yield Operation("List.concat", (q, "{A}"), (listed(xs, mark),), xs, lambda a: sum(a, ()))
    yield Operation("List.reverse", (q, "{A}"), (xs,), xs, lambda a: a[::-1])
    yield Operation("List.is_empty", (q, "{A}"), (xs,), BOOL, lambda a: not a)
    yield Operation("List.length", (q, "{A}"), (xs,), NAT, len)
    yield Operation("List.head", (q, "{A}"), (xs,), m, _some)
    yield Operation("List.tail", (q, "{A}"), (xs,), xs, lambda a: a[1:])
    yield Operation("List.last", (q, "{A}"), (xs,), m, lambda a: _some(a[::-1]))
    yield Operation("List.get", (q, "{A}"), (xs, NAT), m, lambda a, n: _some(a[n:]))
    yield Operation("List.set", (q, "{A}"), (xs, NAT, one), xs, _replaced)
    yield Operation("List.take", (q, "{A}"), (xs, NAT), xs, lambda a, n: a[:n])
    yield Operation("List.drop", (q, "{A}"), (xs, NAT), xs, lambda a, n: a[n:])
    yield Operation(
        "List.zip",
        (q, "{A}", q, "{B}"),
        (xs, listed(other, mark)),
        listed(pair(one, other), 1),
        lambda a, b: tuple(zip(a, b, strict=False)),
    )
    lead: tuple[str, ...] = (f"~{q}", "~{A}", "~{B}")
    yield Operation("List.foldl", lead, (fun(other, one, other), xs, other), other, _fold_left, closed=1)
    yield Operation("List.foldr", lead, (fun(one, other, other), xs, other), other, _fold_right, closed=1)
    lead = (f"~{q}", "~{A}")
    yield Operation("List.any", lead, (fun(one, BOOL), xs), BOOL, lambda f, a: any(map(f, a)), closed=1)
    yield Operation("List.all", lead, (fun(one, BOOL), xs), BOOL, lambda f, a: all(map(f, a)), closed=1)
    yield Operation("List.show", lead, (fun(one, STRING), xs), STRING, _show_list, closed=1)
    yield Operation("Maybe.show", lead, (fun(one, STRING), m), STRING, _show_maybe, closed=1)

    yield Operation("Maybe.pure", (q, "{A}"), (one,), m, lambda x: Con("Some", (x,)))
    yield Operation("Maybe.default", (q, "{A}"), (m, one), one, lambda a, d: a.fields[0] if a.fields else d)
    yield Operation("Maybe.is_some", (q, "{A}"), (m,), BOOL, lambda a: bool(a.fields))
    yield Operation("Maybe.is_none", (q, "{A}"), (m,), BOOL, lambda a: not a.fields)
    yield Operation("Maybe.or", (q, "{A}"), (m, m), m, lambda a, b: a if a.fields else b)
    lead = (q, "{A}", "{B}")
    mapped_ = maybe(other, mark)
    yield Operation("Maybe.map", lead, (fun(one, other), m), mapped_, lambda f, a: _mapped(f, a, "Some"))
    yield Operation("Maybe.bind", lead, (m, fun(one, mapped_)), mapped_, lambda a, f: _bound(a, f, "Some"))
    lead = (q, q, "{E}", "{A}")
    yield Operation("Result.pure", lead, (one,), r, lambda x: Con("Done", (x,)))
    yield Operation("Result.default", lead, (r, one), one, lambda a, d: a.fields[0] if a.name == "Done" else d)
    yield Operation("Result.is_done", lead, (r,), BOOL, lambda a: a.name == "Done")
    yield Operation("Result.is_fail", lead, (r,), BOOL, lambda a: a.name == "Fail")
    lead, changed = (*lead, "{B}"), result(error, other, mark)
    yield Operation("Result.map", lead, (fun(one, other), r), changed, lambda f, a: _mapped(f, a, "Done"))
    yield Operation("Result.bind", lead, (r, fun(one, changed)), changed, lambda a, f: _bound(a, f, "Done"))


def _mapped(f: Value, holder: Con, name: str) -> Con:
    return Con(name, (f(holder.fields[0]),)) if holder.name == name else holder


def _bound(holder: Con, f: Value, name: str) -> Value:
    return f(holder.fields[0]) if holder.name == name else holder


def _show_list(f: Value, xs: Value) -> Value:
    return (*_text("["), *_join([f(each) for each in xs], _text(", ")), *_text("]"))


def _show_maybe(f: Value, m: Con) -> Value:
    return (*_text("Some("), *f(m.fields[0]), *_text(")")) if m.fields else _text("None")


def _find(f: Value, xs: Value) -> Value:
    return _some(tuple([each for each in xs if f(each)]))


def _put(m: Value, key: Value, value: Value) -> Value:
    return tuple(sorted({**dict(m), key: value}.items()))


def _without(m: Value, key: Value) -> Value:
    return tuple([each for each in m if each[0] != key])


def _arrays_and_maps() -> Iterator[Operation]:
    xs, a, m = listed(A), array(ANY_A), mapped(A)
    copied = array(A)
    yield Operation("List.range", (), (NAT,), listed(NAT), _bounded(lambda n: tuple(range(n))))
    yield Operation("List.replicate", ("{A}",), (NAT, A), xs, lambda n, x: _bounded(lambda n: (x,) * n)(n))
    yield Operation(
        "List.filter", ("~{A}",), (fun(A, BOOL), xs), xs, lambda f, a: tuple([x for x in a if f(x)]), closed=1
    )
    yield Operation("List.find", ("~{A}",), (fun(A, BOOL), xs), maybe(A), _find, closed=1)
    yield Operation(
        "List.contains",
        ("~{A}",),
        (fun(A, A, BOOL), xs, A),
        BOOL,
        lambda f, a, x: any(f(each)(x) for each in a),
        closed=1,
    )
    yield Operation(
        "List.map",
        ("~{A}", "~{B}"),
        (fun(ANY_A, ANY_B), listed(ANY_A, 1)),
        listed(ANY_B, 1),
        lambda f, a: tuple(map(f, a)),
        closed=1,
    )
    yield Operation("Pair.fst", ("{A}", "{B}"), (pair(ANY_A, ANY_B),), ANY_A, lambda p: p[0])
    yield Operation("Pair.snd", ("{A}", "{B}"), (pair(ANY_A, ANY_B),), ANY_B, lambda p: p[1])

    yield Operation("Array.size", ("{A}",), (a,), pair(a, U32), lambda x: (x, len(x)))
    yield Operation("Array.get", ("{A}",), (copied, U32), pair(copied, A), lambda x, i: (x, x[i % len(x)]))
    yield Operation("Array.set", ("{A}",), (a, U32, ANY_A), a, lambda x, i, v: _replaced(x, i % len(x), v))
    yield Operation(
        "Array.swap",
        ("{A}",),
        (a, U32, ANY_A),
        pair(a, ANY_A),
        lambda x, i, v: (_replaced(x, i % len(x), v), x[i % len(x)]),
    )
    yield Operation("Array.clone", ("{A}",), (copied,), pair(copied, copied), lambda x: (x, x))
    yield Operation("Array.to_list", ("~{A}",), (a,), listed(ANY_A, 1), lambda x: x)
    yield Operation(
        "Array.map",
        ("~{A}", "~{B}"),
        (fun(A, B), array(A)),
        array(B),
        lambda f, x: tuple(map(f, x)),
        closed=1,
    )

    some_pairs = listed(pair(STRING, A, 2))
    yield Operation("Map.new", ("&2", "{A}"), (), m, lambda: ())
    yield Operation("Map.set", ("&2", "{A}"), (m, STRING, A), m, _put)
    yield Operation("Map.has", ("&2", "{A}"), (m, STRING), pair(m, BOOL), lambda x, k: (x, k in dict(x)))
    yield Operation("Map.get", ("{A}",), (A, m, STRING), pair(m, A), lambda d, x, k: (x, dict(x).get(k, d)))
    yield Operation(
        "Map.pop",
        ("&2", "{A}"),
        (m, STRING),
        pair(m, maybe(A)),
        lambda x, k: (_without(x, k), _some([v for key, v in x if key == k])),
    )
    yield Operation("Map.del", ("&2", "{A}"), (m, STRING), m, _without)
    yield Operation("Map.to_list", ("&2", "{A}"), (m,), some_pairs, lambda x: x)
    yield Operation("Map.keys", ("&2", "{A}"), (m,), listed(STRING), lambda x: tuple([k for k, _ in x]))
    yield Operation("Map.values", ("&2", "{A}"), (m,), xs, lambda x: tuple([v for _, v in x]))
    yield Operation("Map.from_list", ("&2", "{A}"), (some_pairs,), m, lambda x: tuple(sorted(dict(x).items())))
    yield Operation("Map.union", ("&2", "{A}"), (m, m), m, lambda x, y: tuple(sorted({**dict(x), **dict(y)}.items())))
    yield Operation("Map.size", ("&2", "{A}"), (m,), NAT, len)


def _sorts() -> Iterator[Operation]:
    orders = {"Nat.is_le": NAT, "U32.is_le": U32, "String.is_le": STRING}
    for order, type_ in orders.items():
        xs = listed(type_)
        yield Operation("List.sort", (f"~{type_}", f"~{order}"), (xs,), xs, lambda a: tuple(sorted(a)))
        down = f"~(x => y => {order}(y, x))"
        yield Operation("List.sort", (f"~{type_}", down), (xs,), xs, lambda a: tuple(sorted(a, reverse=True)))


TOLD = """def joined(-A: Type, act: IO(A)) -> IO(A):
  do IO<A>:
    +c : Chan(A) <- IO.fork(A, act)
    IO.join(A, c)

def passed(-A: Type, x: A) -> IO(Maybe<&1, A>):
  do IO<Maybe<&1, A>>:
    +c : Chan(A) <- Chan.new(A, 1)
    Bool <- Chan.send(A, c, x)
    Chan.recv(A, c)"""
"""Functions of generated programs: an action on a thread of its own, and a value through a channel."""


def _effects() -> Iterator[Operation]:
    yield Operation("IO.pure", ("{A}",), (ANY_A,), action(ANY_A), lambda x: lambda out: x)
    yield Operation(
        "IO.bind",
        ("{A}", "{B}"),
        (action(ANY_A), fun(ANY_A, action(ANY_B))),
        action(ANY_B),
        lambda m, f: lambda out: f(m(out))(out),
    )
    yield Operation("joined", ("{A}",), (action(ANY_A),), action(ANY_A), lambda m: m)
    yield Operation("passed", ("{A}",), (ANY_A,), action(maybe(ANY_A, 1)), lambda x: lambda out: Con("Some", (x,)))
    yield Operation("IO.print", (), (STRING,), action(UNIT), lambda text: written((*text, 10)))
    yield Operation("IO.write", (), (STRING,), action(UNIT), written)
    yield Operation(
        "List.for_each",
        ("~&2", "~{A}"),
        (fun(A, action(UNIT)), listed(A)),
        action(UNIT),
        _for_each,
        closed=1,
    )


def _for_each(f: Value, xs: Value) -> Value:
    def act(out: list[int]) -> Con:
        for each in xs:
            f(each)(out)
        return DONE

    return act


def written(text: Value) -> Value:
    """The action that writes code points."""

    def act(out: list[int]) -> Con:
        out.extend(text)
        return DONE

    return act


OPERATIONS = (*_scalars(), *_texts(), *_containers(1), *_containers(2), *_arrays_and_maps(), *_sorts(), *_effects())
