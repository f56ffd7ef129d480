"""A term's syntax as text: what two `~` arguments must share to make one instance (judging.md, "Templates").

Binder names and marks count: `x => x` and `y => y` are two instances. Positions do not.
"""

from __future__ import annotations

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
    QuantLit,
    Ref,
    Rewrite,
    StrLit,
    Term,
    U32Lit,
    Var,
)


def syntax_key(term: Term) -> str:
    """The term as text, with every name and mark."""
    parts: list[str] = []
    _write(term, parts)
    return " ".join(parts)


def _write(term: Term, parts: list[str]) -> None:
    parts.append(type(term).__name__)
    children: tuple[Term, ...] = ()
    match term:
        case Var():
            parts.append(str(term.index))
        case Ref():
            parts.append(term.key + ("!" if term.offload else ""))
        case App():
            parts.append(str(len(term.arguments)))
            children = (term.function, *term.arguments)
        case Lam():
            parts.append(term.quantity + term.name)
            children = (term.body,)
        case Pi():
            parts.append(term.quantity + term.name)
            children = (term.domain, term.codomain)
        case Data() | Ctr():
            parts += [term.key, str(len(term.arguments))]
            children = term.arguments
        case NatLit() | U32Lit() | QuantLit():
            parts.append(str(term.value))
        case F32Lit():
            parts.append(str(term.bits))
        case StrLit():
            parts.append(str(term.codes))
        case Match():
            parts.append(term.constructor)
            children = (term.hit, term.miss)
        case Eq():
            children = (term.left, term.right, term.type)
        case Rewrite():
            parts.append(str(term.name))
            children = (term.evidence, term.motive, term.body)
        case Kind():
            children = (term.quantity,)
        case Meet():
            children = (term.left, term.right)
        case Ann():
            children = (term.term, term.type)
        case Let():
            parts += [binder.quantity + binder.name for binder in term.binders]
            children = (*term.values, term.body)
        case Hole():
            parts.append(term.name)
        case Absurd():
            pass
    for child in children:
        _write(child, parts)
