"""What a law rests on: the declarations that its statement and its proof name, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from bendml_cli.bend2.core.book import Book, Definition
from bendml_cli.bend2.core.terms import Ctr, Data, Ref, Term


@dataclass(frozen=True, slots=True)
class Trusted:
    """What is reached and not proved: Base's laws without a proof (opaque primitives), unsafe and foreign code."""

    opaque: tuple[str, ...]
    unsafe: tuple[str, ...]
    foreign: tuple[str, ...]


def trusted_by(book: Book, keys: list[str]) -> Trusted:
    """What these declarations reach. More than Bend's own report counts: dropped code and annotations too."""
    reached = [book.definitions[key] for key in sorted(_reach(book, keys)) if key in book.definitions]
    return Trusted(
        opaque=_names(d for d in reached if d.is_law and d.body is None and not d.foreign and d.module.is_base),
        unsafe=_names(d for d in reached if d.unsafe),
        foreign=_names(d for d in reached if d.foreign),
    )


def _names(definitions: Iterable[Definition]) -> tuple[str, ...]:
    return tuple(d.module.spell(d.key) for d in definitions)


def _reach(book: Book, keys: list[str]) -> set[str]:
    seen = set(keys)
    pending = list(keys)
    while pending:
        fresh = {name for term in _texts(book, pending.pop()) for name in mentions(term)} - seen
        seen |= fresh
        pending += fresh
    return seen


def _texts(book: Book, key: str) -> list[Term]:
    """The terms of all that goes by a key: a datatype and its constructor may share one."""
    texts: list[Term] = []
    if (definition := book.definitions.get(key)) is not None:
        texts += [definition.type] if definition.body is None else [definition.type, definition.body]
    if (constructor := book.constructors.get(key)) is not None:
        texts += _texts_of_datatype(book, constructor.datatype)
    if key in book.datatypes:
        texts += _texts_of_datatype(book, key)
    return texts


def _texts_of_datatype(book: Book, key: str) -> list[Term]:
    datatype = book.datatypes[key]
    own = [parameter.type for parameter in datatype.parameters]
    return own + [field.type for name in datatype.constructors for field in book.constructors[name].fields]


def mentions(term: Term) -> set[str]:
    """The keys of definitions, datatypes and constructors in a term."""
    found: set[str] = set()
    pending: list[object] = [term]
    while pending:
        match pending.pop():
            case Ref(key=key):
                found.add(key)
            case tuple() as items:
                pending += items
            case Term() as node:
                if isinstance(node, Ctr | Data):
                    found.add(node.key)
                pending += [getattr(node, field.name) for field in fields(node)]  # type: ignore[arg-type]
    return found
