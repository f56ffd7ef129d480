"""The typing rules of matches (judging.md, "Match and `\\{}` share premises")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bendml_cli.bend2.check.descent import Column
from bendml_cli.bend2.core.book import Constructor, spell_by_path
from bendml_cli.bend2.core.terms import ERASED, PLAIN, REUSABLE, TEMPLATE, Absurd, App, Lam, Match, Term, Var
from bendml_cli.bend2.core.values import Env, Thunk, VCtr, VData, VPi, ready

if TYPE_CHECKING:
    from bendml_cli.bend2.check.typing import Typing


def check_match(typing: Typing, term: Match, goal: Thunk, live: bool, columns: tuple[Column, ...]) -> None:
    """`\\{C: h; m}` at `@q s:D<..> -> P`: the arm at C's fields, then the rest at D without C."""
    pi, data = _scrutinised(typing, term, goal, live, "a match")
    constructor = typing.book.constructors.get(term.constructor)
    if constructor is None:
        raise typing.unknown(term.constructor, term.pos, "constructor")
    remaining = [key for key in typing.book.datatypes[data.key].constructors if key not in data.removed]
    if term.constructor not in remaining:
        name = typing.subject.module.spell(term.constructor)
        if term.constructor in data.removed:
            message = f"{name} is already matched here"
        else:
            message = f"{name} is no constructor of {typing.show(pi.domain)}"
        hint = f"the constructors left here: {', '.join(spell_by_path(key) for key in remaining) or 'none'}"
        raise typing.error("constructor", term.pos, message, hint=hint)
    context = typing.context
    before = context.uses[:]
    if _is_field_type(pi.domain):
        data = VData(data.key, tuple([_shared(each) for each in data.args]), data.removed)
    arm_goal = _arm_goal(pi, data, constructor, ())
    if columns:
        column = columns[0]
        column.quantity = pi.quantity
        column.constructor = constructor.key
        column.fields = [Column() for _ in constructor.fields]
        typing.check(term.hit, arm_goal, live, (*column.fields, *columns[1:]))
        column.constructor = None
        column.fields = []
    else:
        typing.check(term.hit, arm_goal, live)
    reached = len(remaining) > 1 or isinstance(term.miss, Match)
    term.typing = (pi.quantity, pi.domain, goal, reached, context.depth)
    if reached:
        after = context.uses
        context.uses = before
        rest = ready(VData(data.key, data.args, (*data.removed, term.constructor)))
        goal = ready(VPi(pi.quantity, pi.name, rest, pi.codomain, pi.constant))
        typing.check(term.miss, goal, live, columns)
        context.uses = [max(pair) for pair in zip(after, context.uses, strict=True)]


def _scrutinised(typing: Typing, term: Term, goal: Thunk, live: bool, what: str) -> tuple[VPi, VData]:
    """What a match and `\\{}` ask of their goal, in order: a function type, not erased in live code, over a
    datatype."""
    pi = typing.function_goal(term, goal, what)
    if live and pi.quantity in (ERASED, TEMPLATE):
        message = "an erased value cannot be matched in live code"
        raise typing.error("erased-scrutinee", term.pos, message, hint="drop the - of what is matched")
    data = typing.machine.force(pi.domain)
    if not isinstance(data, VData):
        message = f"{typing.show(pi.domain)} is no datatype here, so its value cannot be matched"
        hint = "match what its type depends on first"
        raise typing.error("not-a-datatype", term.pos, message, observed=pi.domain, hint=hint)
    return pi, data


def _arm_goal(pi: VPi, data: VData, constructor: Constructor, fields: Env) -> Thunk:
    """`@.. fields -> P[C{fields}]`, its binders named as declared: a plain field takes the scrutinee's quantity,
    a `+` field is reusable unless the scrutinee is erased, a `-` field stays erased."""
    if len(fields) == len(constructor.fields):
        return pi.constant or pi.codomain(ready(VCtr(constructor.key, fields)))
    field = constructor.fields[len(fields)]
    quantity = field.quantity
    if quantity == PLAIN or (quantity == REUSABLE and pi.quantity == ERASED):
        quantity = pi.quantity
    type_ = Thunk(field.type, data.args + fields)
    # Deep literal patterns nest arms in arms; a constant goal is handed on, not computed again through all of them.
    constant = pi.constant if len(fields) + 1 == len(constructor.fields) else None
    return ready(
        VPi(
            quantity,
            field.name,
            type_,
            lambda x: constant or _arm_goal(pi, data, constructor, (*fields, x)),
            constant,
        )
    )


def check_absurd(typing: Typing, term: Absurd, goal: Thunk, live: bool) -> None:
    """`\\{}`: no constructor is left, or a live binder in scope has an empty type."""
    pi, data = _scrutinised(typing, term, goal, live, "a match without cases")
    remaining = [key for key in typing.book.datatypes[data.key].constructors if key not in data.removed]
    if remaining and not _in_absurd_scope(typing):
        names = [spell_by_path(key) for key in remaining]
        message = f"cases are missing: {', '.join(names)}"
        hint = "add a case for each, or a last row with a variable"
        raise typing.error("coverage", term.pos, message, missing=names, observed=pi.domain, hint=hint)
    term.typing = (pi.quantity, pi.domain, goal, typing.context.depth)


def _in_absurd_scope(typing: Typing) -> bool:
    """Is some binder in scope, not erased, of a datatype with no constructor left?"""
    for quantity, type_ in zip(typing.context.quantities, typing.context.types, strict=True):
        if quantity != ERASED:
            data = typing.machine.force(type_)
            if isinstance(data, VData):
                constructors = typing.book.datatypes[data.key].constructors
                if all(key in data.removed for key in constructors):
                    return True
    return False


def _is_field_type(domain: Thunk) -> bool:
    """Is this the type of a field, as a parameter of its datatype gives it?"""
    term = domain.term.function if isinstance(domain.term, App) else domain.term
    return isinstance(term, Var) and domain.level < 0


def _shared(thunk: Thunk) -> Thunk:
    """An argument of a datatype instance that was reached through a field's type.

    Bend does not inline a lambda there when it infers the kind of a type that applies it, so that the second part of a
    pair inside a pair cannot be let or marked + (reading.md, "Match compilation", last rule).
    """
    if not isinstance(thunk.term, Lam):
        return thunk
    copy = Thunk(thunk.term, thunk.env)
    copy.shared = True
    return copy
