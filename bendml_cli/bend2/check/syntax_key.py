"""A term's syntax as text: what two `~` arguments must share to make one instance (judging.md, "Templates").

Binder names and marks count: `x => x` and `y => y` are two instances. Positions do not.
"""

from __future__ import annotations

from bendml_cli.bend2.core.terms import (
    Ctr,
    Data,
    F32Lit,
    Hole,
    Lam,
    Let,
    Match,
    NatLit,
    Pi,
    QuantLit,
    Ref,
    Rewrite,
    StrLit,
    Term,
    U32Lit,
    Var,
    subterms,
)


def syntax_key(term: Term) -> str:
    """The term as text, with every name and mark: its nodes in the order written, each with the number of its parts."""
    words: list[str] = []
    pending = [term]
    while pending:
        at = pending.pop()
        parts = [part for part, _ in subterms(at)]
        words.append(f"{type(at).__name__}/{len(parts)} {_own(at)}")
        pending += reversed(parts)
    return " ".join(words)


def _own(term: Term) -> str:
    """What a node says itself, without its parts."""
    match term:
        case Var(index=index):
            return str(index)
        case Ref(key=key, offload=offload):
            return f"{key}{'!' if offload else ''}"
        case Lam(quantity=quantity, name=name) | Pi(quantity=quantity, name=name):
            return f"{quantity}{name}"
        case Data(key=key) | Ctr(key=key) | Match(constructor=key):
            return key
        case NatLit(value=value) | U32Lit(value=value) | QuantLit(value=value) | F32Lit(bits=value):
            return str(value)
        case StrLit(codes=codes):
            return str(codes)
        case Rewrite(name=name):
            return str(name)
        case Let(binders=binders):
            return " ".join([binder.quantity + binder.name for binder in binders])
        case Hole(name=name):
            return name
    return ""
