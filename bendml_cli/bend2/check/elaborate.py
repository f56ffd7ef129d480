"""Elaborated core: checked terms with what the checker found written in, for a second kernel and the compiler.

An elaborated term is a core term whose `typing` holds terms of the same context, as they stand (not normalised):

- `Lam`: (quantity, domain); `Let`: the values' types; `App`, `Ctr`, `Refl`: the type of the whole;
- `Match` and `Absurd`: (quantity, scrutinee's type, function type); a match whose `miss` is never reached has `\\{}`
  there;
- `Rewrite`: (the evidence's equation, the type of the whole);

A live call of a template is a call of its instance (`f~0`), without the `~` arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.core.evaluate import Machine
from bendml_cli.bend2.core.quote import as_it_stands
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import (
    Absurd,
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
    Refl,
    Rewrite,
    Term,
    apply,
)
from bendml_cli.bend2.core.values import Thunk


@dataclass(slots=True, frozen=True)
class Elaborated:
    """One checked definition or template instance: its name (`f~0` for an instance), type and elaborated body."""

    name: str
    type: Term
    body: Term
    arity: int
    unsafe: bool


class Elaborator:
    """The definitions and template instances of a checked book, elaborated one at a time when they are asked for."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._known: dict[str, Elaborated] = {}

    def names(self) -> Iterator[str]:
        """Every definition with a body in load order, then every template instance; templates are left out."""
        definitions = self._checker.book.definitions
        for key in self._checker.machine.bodies:
            if definitions[key].templates == 0 and definitions[key].body is not None:
                yield key
        yield from self._checker.templates.bodies

    def definition(self, name: str) -> Elaborated | None:
        """A definition by its key, or an instance by its name; None for what has no body (an opaque law)."""
        if name not in self._known:
            checker = self._checker
            instance = checker.templates.bodies.get(name)
            definition = checker.book.definitions[name if instance is None else name[: name.rindex("~")]]
            body = definition.body if instance is None else instance
            if body is None:
                return None
            self._known[name] = Elaborated(
                name,
                definition.type if instance is None else checker.templates.types[name],
                elaborate(checker.machine, body),
                definition.arity if instance is None else definition.arity - definition.templates,
                definition.unsafe,
            )
        return self._known[name]


def elaborate_book(checker: Checker) -> dict[str, Elaborated]:
    """All of a checked book: see `Elaborator.names`."""
    elaborator = Elaborator(checker)
    return {name: each for name in elaborator.names() if (each := elaborator.definition(name)) is not None}


def elaborate(machine: Machine, term: Term) -> Term:
    """A checked term with its types written in. What was never checked (a row past the last constructor) is dropped."""

    def deep(inner: Term) -> Term:
        return elaborate(machine, inner)

    def stand(thunk: Thunk, depth: int) -> Term:
        return as_it_stands(machine, thunk, depth)

    def several(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple([elaborate(machine, each) for each in terms])

    match term:
        case App():
            arguments = term.arguments
            if isinstance(term.function, Ref) and term.function.typing is not None:
                arguments = arguments[term.function.typing[1] :]
            result = apply(deep(term.function), several(arguments), term.pos)
            if isinstance(result, App):
                result.typing = term.typing and stand(*term.typing)
            return result
        case Ref():
            return Ref(term.key if term.typing is None else term.typing[0], term.offload, term.pos)
        case Lam():
            typing = term.typing and (term.typing[0], stand(term.typing[1], term.typing[2]))
            return Lam(term.quantity, term.name, deep(term.body), term.pos, typing)
        case Match():
            typing, miss = None, term.miss
            if term.typing is not None:
                quantity, domain, goal, reached, depth = term.typing
                typing = (quantity, stand(domain, depth), stand(goal, depth))
                miss = deep(term.miss) if reached else Absurd(term.pos)
            return Match(term.constructor, deep(term.hit), miss, term.pos, typing)
        case Absurd():
            if term.typing is None:
                return Absurd(term.pos)
            quantity, domain, goal, depth = term.typing
            return Absurd(term.pos, (quantity, stand(domain, depth), stand(goal, depth)))
        case Let():
            typing = term.typing and tuple([stand(each, term.typing[1]) for each in term.typing[0]])
            return Let(term.binders, several(term.values), deep(term.body), term.pos, typing)
        case Ctr():
            return Ctr(term.key, several(term.arguments), term.pos, term.typing and stand(*term.typing))
        case Refl():
            return Refl(term.pos, term.typing and stand(*term.typing))
        case Rewrite():
            typing = None
            if term.typing is not None:
                equation, goal, depth = term.typing
                typing = (stand(equation, depth), stand(goal, depth))
            evidence, motive = deep(term.evidence), deep(term.motive)
            return Rewrite(evidence, term.name, motive, deep(term.body), term.pos, typing)
        case Ann():
            return Ann(deep(term.term), deep(term.type), term.pos)
        case Pi():
            return Pi(term.quantity, term.name, deep(term.domain), deep(term.codomain), term.pos)
        case Data():
            return Data(term.key, several(term.arguments), term.removed, term.pos)
        case Eq():
            return Eq(deep(term.left), deep(term.right), deep(term.type), term.pos)
        case Kind():
            return Kind(deep(term.quantity), term.pos)
        case Meet():
            return Meet(deep(term.left), deep(term.right), term.pos)
    return term


def show_elaborated(definition: Elaborated, *, width: int = 2) -> str:
    """A definition for people: its type, then its body with the domain at every binder and match."""
    lines = [f"{definition.name} : {show(definition.type, (), str)} ="]
    _write(definition.body, (), width, lines)
    return "\n".join(lines)


def _write(term: Term, names: tuple[str, ...], indent: int, lines: list[str]) -> None:
    """Lambdas, matches and lets by line; other terms as one line with the type of a call."""
    pad = " " * indent
    match term:
        case Lam(name=name, body=body, typing=(quantity, domain)):
            lines.append(f"{pad}{quantity}{name} : {show(domain, names, str)} =>")
            _write(body, (*names, name), indent, lines)
        case Match(constructor=constructor, hit=hit, miss=miss, typing=(quantity, domain, _)):
            lines.append(f"{pad}case {quantity}{constructor} of {show(domain, names, str)}:")
            _write(hit, names, indent + 2, lines)
            if not isinstance(miss, Absurd):
                lines.append(f"{pad}else:")
                _write(miss, names, indent + 2, lines)
        case Let(binders=binders, values=values, body=body, typing=types) if types is not None:
            for binder, value, type_ in zip(binders, values, types, strict=True):
                text = show(value, names, str)
                lines.append(f"{pad}{binder.quantity}{binder.name} : {show(type_, names, str)} = {text}")
            _write(body, names + tuple([binder.name for binder in binders]), indent, lines)
        case App(typing=type_) if type_ is not None:
            lines.append(f"{pad}{show(term, names, str)} : {show(type_, names, str)}")
        case _:
            lines.append(pad + show(term, names, str))
