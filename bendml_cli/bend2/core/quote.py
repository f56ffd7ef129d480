"""Reading values back into terms: full normal forms, and types as they stand."""

from __future__ import annotations

from bendml_cli.bend2.core.evaluate import Machine, delay
from bendml_cli.bend2.core.terms import (
    Absurd,
    Ann,
    App,
    Ctr,
    Data,
    Eq,
    F32Lit,
    Hole,
    Kind,
    Lam,
    Let,
    Match,
    Meet,
    NatLit,
    Pi,
    Quant,
    QuantLit,
    Refl,
    Rewrite,
    StrLit,
    Term,
    U32Lit,
    Var,
    apply,
)
from bendml_cli.bend2.core.values import (
    VF32,
    VU32,
    Env,
    Thunk,
    VAbsurd,
    Value,
    VApp,
    VCtr,
    VData,
    VEq,
    VHole,
    VKind,
    VLam,
    VMatch,
    VMeet,
    VNat,
    VPi,
    VQuant,
    VQuantLit,
    VRef,
    VRefl,
    VRewrite,
    VStr,
    VVar,
    variable,
)


def normal_form(machine: Machine, thunk: Thunk, depth: int) -> Term:
    """The full normal form of a thunk in a context of `depth` variables."""
    return quote(machine, machine.force(thunk), depth)


def quote(machine: Machine, value: Value, depth: int) -> Term:
    """The normal form of a value as a term; evaluates everywhere, stuck calls stay folded."""
    machine.tick()
    match value:
        case VCtr(key=key, args=args):
            return _quote_constructor(machine, key, args, depth)
        case VNat(value=number):
            return NatLit(number)
        case VApp(head=head, args=args):
            return apply(quote(machine, head, depth), _quote_all(machine, args, depth))
        case VVar(level=level):
            return Var(depth - 1 - level)
        case VRef(ref=ref):
            return ref
        case VData(key=key, args=args, removed=removed):
            return Data(key, _quote_all(machine, args, depth), removed)
        case VLam(term=term, env=env):
            body = machine.whnf(term.body, (*env, variable(depth)), (), True)
            return Lam(term.quantity, term.name, quote(machine, body, depth + 1))
        case VPi():
            domain = normal_form(machine, value.domain, depth)
            codomain = normal_form(machine, value.codomain(variable(depth)), depth + 1)
            return Pi(value.quantity, value.name, domain, codomain)
        case VEq(left=left, right=right, type=type_):
            parts = _quote_all(machine, (left, right, type_), depth)
            return Eq(parts[0], parts[1], parts[2])
        case VMatch(term=term, env=env):
            hit = quote(machine, machine.whnf(term.hit, env, (), True), depth)
            miss = quote(machine, machine.whnf(term.miss, env, (), True), depth)
            return Match(term.constructor, hit, miss)
        case VRewrite(term=term, env=env, evidence=evidence):
            motive_env = (*env, variable(depth), variable(depth + 1))
            motive = quote(machine, machine.whnf(term.motive, motive_env, (), True), depth + 2)
            rest = quote(machine, machine.whnf(term.body, env, (), True), depth)
            return Rewrite(normal_form(machine, evidence, depth), term.name, motive, rest)
        case VKind(quantity=quantity):
            return Kind(normal_form(machine, quantity, depth))
        case VMeet(left=left, right=right):
            return Meet(normal_form(machine, left, depth), normal_form(machine, right, depth))
        case VQuantLit(value=number):
            return QuantLit(number)
        case VU32(value=number):
            return U32Lit(number)
        case VF32(bits=bits):
            return F32Lit(bits)
        case VStr(codes=codes, start=start):
            return StrLit(codes[start:])
        case VRefl():
            return Refl()
        case VQuant():
            return Quant()
        case VAbsurd():
            return Absurd()
        case VHole(name=name):
            return Hole(name)
    raise AssertionError(value)


def _quote_all(machine: Machine, args: Env, depth: int) -> tuple[Term, ...]:
    return tuple([quote(machine, machine.force(arg), depth) for arg in args])


def _quote_constructor(machine: Machine, key: str, args: Env, depth: int) -> Term:
    """A constructor's normal form. Chains in the last field (lists, strings, successors) are followed by a loop, so
    that a long list needs no deep recursion."""
    chain: list[tuple[str, tuple[Term, ...]]] = []
    while True:
        if not args:
            result: Term = Ctr(key, ())
            break
        chain.append((key, _quote_all(machine, args[:-1], depth)))
        last = machine.force(args[-1])
        if last.__class__ is not VCtr:
            result = quote(machine, last, depth)
            break
        machine.tick()
        key, args = last.key, last.args
    for name, front in reversed(chain):
        result = Ctr(name, (*front, result))
    return result


def as_it_stands(machine: Machine, thunk: Thunk, depth: int) -> Term:
    """A thunk as an unevaluated term over the context: its environment is put in place of its variables.

    Kinds are inferred on types as they stand (judging.md, "Let"); a context's variable, let-bound ones included, stays
    a variable.
    """
    if thunk.level >= 0:
        return Var(depth - 1 - thunk.level)
    if thunk.term is None:
        assert thunk.full is not None
        return _stand(machine, thunk.full, depth)
    return _close(machine, thunk.term, thunk.env, depth)


def _stand(machine: Machine, value: Value, depth: int) -> Term:
    """A value made by the checker, one layer deep, its parts as they stand."""
    match value:
        case VPi():
            domain = as_it_stands(machine, value.domain, depth)
            codomain = as_it_stands(machine, value.codomain(variable(depth)), depth + 1)
            return Pi(value.quantity, value.name, domain, codomain)
        case VData(key=key, args=args, removed=removed):
            return Data(key, tuple([as_it_stands(machine, a, depth) for a in args]), removed)
        case VCtr(key=key, args=args):
            return Ctr(key, tuple([as_it_stands(machine, a, depth) for a in args]))
        case VEq(left=left, right=right, type=type_):
            parts = [as_it_stands(machine, a, depth) for a in (left, right, type_)]
            return Eq(parts[0], parts[1], parts[2])
    return quote(machine, value, depth)


def _close(machine: Machine, term: Term, env: Env, depth: int) -> Term:
    """Put `env` in place of the variables of `term`."""

    def part(inner: Term) -> Term:
        return _close(machine, inner, env, depth)

    def parts(inner: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple([_close(machine, each, env, depth) for each in inner])

    def under(inner: Term, binders: int = 1) -> Term:
        fresh = tuple([variable(depth + at) for at in range(binders)])
        return _close(machine, inner, env + fresh, depth + binders)

    match term:
        case Var(index=index, pos=pos):
            outer = as_it_stands(machine, env[-1 - index], depth)
            return Var(outer.index, pos) if isinstance(outer, Var) else outer
        case App():
            return _close_application(machine, term, env, depth)
        case Lam():
            return Lam(term.quantity, term.name, under(term.body), term.pos)
        case Pi():
            return Pi(term.quantity, term.name, part(term.domain), under(term.codomain), term.pos)
        case Data():
            return Data(term.key, parts(term.arguments), term.removed, term.pos)
        case Ctr():
            return Ctr(term.key, parts(term.arguments), term.pos)
        case Kind():
            return Kind(part(term.quantity), term.pos)
        case Meet():
            return Meet(part(term.left), part(term.right), term.pos)
        case Eq():
            return Eq(part(term.left), part(term.right), part(term.type), term.pos)
        case Match():
            return Match(term.constructor, part(term.hit), part(term.miss), term.pos)
        case Rewrite():
            return Rewrite(part(term.evidence), term.name, under(term.motive, 2), part(term.body), term.pos)
        case Ann():
            return Ann(part(term.term), part(term.type), term.pos)
        case Let():
            return Let(term.binders, parts(term.values), under(term.body, len(term.values)), term.pos)
    return term


def _close_application(machine: Machine, term: App, env: Env, depth: int) -> Term:
    """A spine. A lambda put at its head takes the argument in place, as whenever a substitution makes such a redex;
    but not one that was shared before (see Thunk.shared)."""
    head, scope, arguments = term.function, env, list(delay(term.arguments, env))
    while arguments and isinstance(head, Var):
        thunk = scope[-1 - head.index]
        if thunk.level >= 0 or thunk.shared or not isinstance(thunk.term, Lam):
            break
        head, scope = thunk.term.body, (*thunk.env, arguments.pop(0))
    rest = tuple([as_it_stands(machine, each, depth) for each in arguments])
    return apply(_close(machine, head, scope, depth), rest, term.pos)
