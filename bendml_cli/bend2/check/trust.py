"""Which declarations rely on unsafe or foreign code (judging.md, "Trust, TODO, main"; edges.md, 45)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.check.typing import NEEDS_GOAL
from bendml_cli.bend2.core.book import spell_by_path
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
)


def untrusted(checker: Checker) -> list[str]:
    """The declarations outside Base that are unsafe or foreign, or name one that is, in declaration order, spelled by
    their file's path."""
    book = checker.book
    search = _Search(checker)
    listed: list[str] = []
    seen: set[str] = set()
    for item in book.items:
        if item.key in seen:
            continue
        seen.add(item.key)
        owner = book.datatypes[item.key] if item.what == "type" else book.definitions[item.key]
        if not owner.module.is_base and search.tainted(item.key):
            listed.append(spell_by_path(item.key))
    return listed


class _Search:
    """Reachability of unsafe and foreign code along what declarations name."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.book = checker.book
        self.edges: dict[str, set[str]] = {}
        self.answers: dict[str, bool] = {}

    def tainted(self, key: str) -> bool:
        """Does the declaration reach unsafe or foreign code? Every name reached shares a clean answer."""
        seen = {key}
        pending = [key]
        while pending:
            at = pending.pop()
            if self._is_source(at) or self.answers.get(at):
                self.answers[key] = True
                return True
            if at in self.answers:
                continue
            fresh = self._named(at) - seen
            seen |= fresh
            pending += fresh
        for at in seen:
            self.answers[at] = False
        return False

    def _is_source(self, key: str) -> bool:
        if key in self.checker.templates.bodies:
            key = key[: key.rindex("~")]  # an instance is as safe as its template
        definition = self.book.definitions.get(key)
        if definition is None:
            return False
        return definition.unsafe or (bool(definition.foreign) and not definition.module.is_base)

    def _named(self, key: str) -> set[str]:
        if key not in self.edges:
            self.edges[key] = set()
            for term in self._texts(key):
                self.edges[key].update(mentions(self.checker, term))
        return self.edges[key]

    def _texts(self, key: str) -> Iterator[Term]:
        """The terms a declaration consists of; a datatype is followed through its constructors only."""
        instance = self.checker.templates.bodies.get(key)
        if instance is not None:
            yield instance
            yield self.checker.templates.types[key]
            key = key[: key.rindex("~")]
        datatype = self.book.datatypes.get(key)
        if datatype is not None:
            for constructor in datatype.constructors:
                for field in self.book.constructors[constructor].fields:
                    yield field.type
        definition = self.book.definitions.get(key)
        if definition is not None:
            yield definition.type
            if definition.body is not None and instance is None:
                yield definition.body


def mentions(checker: Checker, term: Term) -> set[str]:
    """The keys that a checked term names. Rows never reached and substituted terms do not count; an annotation only as
    a goal, or as the type of a let's variable that is used; a template's `~` arguments through its instance."""
    found: set[str] = set()
    pending: list[Term] = [term]
    while pending:
        match pending.pop():
            case Ref(key=key, typing=typing):
                found.add(key if typing is None else typing[0])
            case App(function=function, arguments=arguments):
                pending.append(function)
                instance = function.typing if isinstance(function, Ref) else None
                pending += arguments if instance is None else arguments[instance[1] :]
            case Data(key=key, arguments=arguments):
                found.add(key)
                pending += arguments
            case Ctr(key=key, arguments=arguments):
                constructor = checker.book.constructors.get(key)
                if constructor is not None:
                    found.add(constructor.datatype)
                pending += arguments
            case Lam(body=body):
                pending.append(body)
            case Pi(domain=domain, codomain=codomain):
                pending += [domain, codomain]
            case Match(hit=hit, miss=miss, typing=typing):
                pending.append(hit)
                if typing is None or typing[3]:
                    pending.append(miss)
            case Ann(term=inner, type=type_):
                pending.append(inner)
                if isinstance(inner, NEEDS_GOAL):
                    pending.append(type_)
            case Let(values=values, body=body):
                pending += [*values, body]
                typed = {at: v.type for at, v in enumerate(values) if _only_names_a_type(v)}
                if typed:
                    pending += [typed[at] for at in _used_binders(body, len(values)) if at in typed]
            case Rewrite(evidence=evidence, motive=motive, body=body):
                pending += [evidence, motive, body]
            case Eq(left=left, right=right, type=type_):
                pending += [left, right, type_]
            case Kind(quantity=quantity):
                pending.append(quantity)
            case Meet(left=left, right=right):
                pending += [left, right]
    return found


def _only_names_a_type(value: Term) -> TypeGuard[Ann]:
    """Is this an annotation of a term that could be inferred without it?"""
    return isinstance(value, Ann) and not isinstance(value.term, NEEDS_GOAL)


def _used_binders(body: Term, count: int) -> set[int]:
    """Which of the `count` innermost variables occur in a let's body, by their place in the let."""
    used: set[int] = set()
    pending: list[tuple[Term, int]] = [(body, 0)]
    while pending:
        term, inner = pending.pop()
        match term:
            case Var(index=index):
                if inner <= index < inner + count:
                    used.add(count - 1 - (index - inner))
            case Lam():
                pending.append((term.body, inner + 1))
            case Pi():
                pending += [(term.domain, inner), (term.codomain, inner + 1)]
            case Rewrite():
                pending += [(term.evidence, inner), (term.motive, inner + 2), (term.body, inner)]
            case Let():
                pending += [(value, inner) for value in term.values]
                pending.append((term.body, inner + len(term.values)))
            case App():
                pending += [(term.function, inner), *[(each, inner) for each in term.arguments]]
            case Data() | Ctr():
                pending += [(each, inner) for each in term.arguments]
            case Match():
                pending += [(term.hit, inner), (term.miss, inner)]
            case Eq():
                pending += [(term.left, inner), (term.right, inner), (term.type, inner)]
            case Ann():
                pending += [(term.term, inner), (term.type, inner)]
            case Kind():
                pending.append((term.quantity, inner))
            case Meet():
                pending += [(term.left, inner), (term.right, inner)]
    return used
