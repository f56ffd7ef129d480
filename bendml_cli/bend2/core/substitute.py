"""Putting terms in place of variables, with lambdas that this applies on the spot inlined (edges.md, 14 and 15)."""

from __future__ import annotations

from dataclasses import dataclass

from bendml_cli.bend2.core.terms import (
    Ann,
    App,
    Ctr,
    Data,
    Eq,
    Kind,
    Lam,
    Let,
    Match,
    Meet,
    Pi,
    Ref,
    Rewrite,
    Term,
    Var,
    apply,
)


@dataclass(slots=True)
class Suspended:
    """A term to stand for a variable, with what its own variables stand for."""

    term: Term
    env: Entries


# What each variable in scope becomes: a variable of the result, by level, or a term.
Entries = tuple["int | Suspended", ...]


def instantiate(body: Term, arguments: tuple[Term, ...]) -> Term:
    """A closed function term applied to closed arguments, its leading lambdas substituted away.

    An argument that meets no lambda (a body that splits on its parameter) stays applied.
    """
    entries: Entries = ()
    for at, _ in enumerate(arguments):
        if not isinstance(body, Lam):
            return apply(_build(body, entries, 0), arguments[at:], body.pos)
        entries = (*entries, Suspended(arguments[at], ()))
        body = body.body
    return _build(body, entries, 0)


def instantiate_type(type_: Term, arguments: tuple[Term, ...]) -> Term:
    """What a closed function type leaves when its first parameters are these closed arguments."""
    entries: Entries = ()
    for argument in arguments:
        assert isinstance(type_, Pi)
        entries = (*entries, Suspended(argument, ()))
        type_ = type_.codomain
    return _build(type_, entries, 0)


def parameter_type(type_: Term, arguments: tuple[Term, ...]) -> Term:
    """The type of the next parameter of a closed function type after these closed arguments."""
    entries: Entries = ()
    for argument in arguments:
        assert isinstance(type_, Pi)
        entries = (*entries, Suspended(argument, ()))
        type_ = type_.codomain
    assert isinstance(type_, Pi)
    return _build(type_.domain, entries, 0)


def _build(term: Term, entries: Entries, depth: int) -> Term:
    """The term at `depth`, its variables replaced. Every node is made anew, so that no two uses share one."""

    def part(inner: Term) -> Term:
        return _build(inner, entries, depth)

    def parts(inner: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple([_build(each, entries, depth) for each in inner])

    match term:
        case Var(index=index, pos=pos):
            entry = entries[-1 - index]
            if isinstance(entry, Suspended):
                if isinstance(entry.term, Ref) and entry.term.pos < 0:
                    return Ref(entry.term.key, pos=pos)  # a template's own constant stands where it is used
                return _build(entry.term, entry.env, depth)
            return Var(depth - 1 - entry, pos)
        case App():
            return _build_application(term, entries, depth)
        case Lam():
            return Lam(term.quantity, term.name, _build(term.body, (*entries, depth), depth + 1), term.pos)
        case Pi():
            codomain = _build(term.codomain, (*entries, depth), depth + 1)
            return Pi(term.quantity, term.name, part(term.domain), codomain, term.pos)
        case Ref():
            return Ref(term.key, term.offload, term.pos)
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
            motive = _build(term.motive, (*entries, depth, depth + 1), depth + 2)
            return Rewrite(part(term.evidence), term.name, motive, part(term.body), term.pos)
        case Ann():
            return Ann(part(term.term), part(term.type), term.pos)
        case Let():
            count = len(term.values)
            body = _build(term.body, entries + tuple(range(depth, depth + count)), depth + count)
            return Let(term.binders, parts(term.values), body, term.pos)
    return term


def _build_application(term: App, entries: Entries, depth: int) -> Term:
    """A spine. While its head is a variable that became a lambda, the lambda takes the next argument in place."""
    head: Term = term.function
    scope = entries
    queue = [Suspended(argument, entries) for argument in term.arguments]
    while isinstance(head, Var):
        entry = scope[-1 - head.index]
        if not isinstance(entry, Suspended):
            break
        head, scope = entry.term, entry.env
        if isinstance(head, App):
            queue = [Suspended(argument, scope) for argument in head.arguments] + queue
            head = head.function
        while isinstance(head, Lam) and queue:
            scope = (*scope, queue.pop(0))
            head = head.body
            if isinstance(head, App):
                queue = [Suspended(argument, scope) for argument in head.arguments] + queue
                head = head.function
    arguments = tuple([_build(each.term, each.env, depth) for each in queue])
    return apply(_build(head, scope, depth), arguments, term.pos)
