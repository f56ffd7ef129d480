"""Which declarations rely on unsafe or foreign code (judging.md, "Trust, TODO, main"; edges.md, 45)."""

from __future__ import annotations

from collections.abc import Iterator

from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.check.typing import NEEDS_GOAL
from bendml_cli.bend2.core.book import spell_by_path
from bendml_cli.bend2.core.terms import Ann, App, Ctr, Data, Let, Match, Ref, Term, subterms, uses_variable


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
        at = pending.pop()
        match at:
            case Ref(key=key, typing=typing):
                found.add(key if typing is None else typing[0])
            case App(function=Ref(typing=(_, skipped)) as function, arguments=arguments):
                pending += [function, *arguments[skipped:]]
            case Match(hit=hit, typing=typing) if typing is not None and not typing[3]:
                pending.append(hit)
            case Ann(term=inner) if not isinstance(inner, NEEDS_GOAL):
                pending.append(inner)
            case _:
                pending += [part for part, _ in subterms(at)]
        match at:
            case Data(key=key):
                found.add(key)
            case Ctr(key=key) if key in checker.book.constructors:
                found.add(checker.book.constructors[key].datatype)
            case Let(values=values, body=body):
                for place, value in enumerate(values):
                    if isinstance(value, Ann) and uses_variable(body, len(values) - 1 - place):
                        pending.append(value.type)
    return found
