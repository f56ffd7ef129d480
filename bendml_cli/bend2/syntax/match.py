"""Match compilation: bodies to lambdas, one-constructor matches and lets (language.md section 4; reading.md, Match
compilation).

A body is compiled against its pending binders, in order: the parameters, then the fields that splits bring in. The case
tree is observable (it decides what is stuck), so its order is exactly that of the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bendml_cli.bend2.core.terms import (
    PLAIN,
    REUSABLE,
    Absurd,
    Ann,
    Lam,
    Let,
    LetBinder,
    Match,
    Term,
)
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.patterns import ConstructorPattern, Pattern, VariablePattern
from bendml_cli.bend2.syntax.scope import EMPTY, PendingBinder, Scope

# Linked lists, so that a match of hundreds of columns does not copy its rows at every column.
Patterns = tuple[Pattern, "Patterns"] | None
Pending = tuple[PendingBinder, "Pending"] | None
Scrutinees = tuple[s.Surface | PendingBinder, "Scrutinees"] | None


class Emitter(Protocol):
    """Makes the core terms of a body's leaves."""

    def term(self, term: s.Surface, scope: Scope, depth: int, namespace: str | None) -> Term:
        """The core term of a surface term."""

    def field_name(self) -> str:
        """The name of the next unnamed field."""


@dataclass(slots=True, eq=False)
class _Row:
    """A row that is left: its patterns for the scrutinees that are left, and its body with its scope."""

    patterns: Patterns
    scope: Scope
    body: s.Surface


@dataclass(slots=True, eq=False)
class _Closed:
    """A binder closed by a lambda, as it was then."""

    name: str
    pos: int
    plus: bool


class BodyCompiler:
    """Compiles one body with the terms that an emitter makes."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        # The binders that row marks made reusable in the branch at hand, so that the next branch can take that back.
        self._marked: list[PendingBinder] = []

    def body(self, body: s.Surface, scope: Scope, pending: Pending, depth: int, namespace: str | None) -> Term:
        """The core term of a body.

        Raises scrutinee errors. `namespace` is that of the group whose last term this body's is."""
        match body:
            case s.MatchBody():
                scrutinees: Scrutinees = None
                for scrutinee in reversed(body.scrutinees):
                    scrutinees = (scrutinee, scrutinees)
                rows = [_Row(_linked(row.patterns), scope, row.body) for row in body.rows]
                return self._match(_Split(body.pos, scope, namespace), scrutinees, rows, pending, depth)
            case s.Destructure():
                row = _Row((body.pattern, None), scope, body.body)
                return self._match(_Split(body.value.pos, scope, namespace), (body.value, None), [row], pending, depth)
        closed: list[_Closed] = []
        while pending is not None:
            binder, pending = pending
            depth = _close(binder, closed, depth)
        match body:
            case s.Let():
                inner = self._let(body, scope, depth, namespace)
            case s.Write():
                binding = s.Binding(PLAIN, body.name, body.pos)
                let = s.Let(body.pos, [binding], None, [body.write], body.body)
                inner = self._let(let, scope, depth, namespace)
            case _:
                inner = self.emitter.term(body, scope, depth, namespace)
        return _lambdas(closed, inner)

    def _let(self, let: s.Let, scope: Scope, depth: int, namespace: str | None) -> Term:
        """A let: its values stand outside its names, and the rest has only these pending."""
        values = []
        for value in let.values:
            term = self.emitter.term(value, scope, depth, None)
            if let.type is not None:
                term = Ann(term, self.emitter.term(let.type, scope, depth, None), value.pos)
            values.append(term)
        binders = []
        pending: Pending = None
        for place, binding in enumerate(let.bindings):
            binders.append(LetBinder(binding.quantity, binding.name, binding.pos))
            binder = PendingBinder(binding.name, binding.pos, is_let=True, level=depth + place)
            scope = scope.bind(binding.name, binder)
            pending = (binder, pending)
        rest = self.body(let.body, scope, pending, depth + len(binders), namespace)
        return Let(tuple(binders), tuple(values), rest, let.pos)

    def _match(self, split: _Split, scrutinees: Scrutinees, rows: list[_Row], pending: Pending, depth: int) -> Term:
        """The rest of a match: the columns of `scrutinees`, from the left."""
        closed: list[_Closed] = []
        while scrutinees is not None:
            scrutinee, rest = scrutinees
            binder = scrutinee if isinstance(scrutinee, PendingBinder) else split.binder(scrutinee, pending)
            if rows and not _splits(rows):
                for row in rows:
                    self._rename(row, binder)
                scrutinees = rest
                continue
            if binder.is_let:
                raise _refused(binder.pos, f"'{binder.name}' is bound by a let, so it cannot be matched")
            first, pending = _next(pending)
            while first is not binder:
                depth = _close(first, closed, depth)
                first, pending = _next(pending)
            if not rows:
                return _lambdas(closed, Absurd(split.pos))
            return _lambdas(closed, self._split(split, binder, rest, rows, pending, depth))
        # The first row wins; the rows below it are not read.
        chosen = rows[0]
        return _lambdas(closed, self.body(chosen.body, chosen.scope, pending, depth, split.namespace))

    def _split(
        self,
        split: _Split,
        binder: PendingBinder,
        rest: Scrutinees,
        rows: list[_Row],
        pending: Pending,
        depth: int,
    ) -> Term:
        """Split the first pending binder on the topmost constructor of the first column. `pending` follows it."""
        pattern = _topmost(rows)
        fields = [self._field(sub, binder.plus) for sub in pattern.fields()]
        hit_rows: list[_Row] = []
        miss_rows: list[_Row] = []
        for row in rows:
            assert row.patterns is not None
            head, others = row.patterns
            if isinstance(head, ConstructorPattern):
                if head.key != pattern.key:
                    miss_rows.append(row)
                    continue
                subs = head.fields()
                if len(subs) != len(fields):
                    raise BendError("pattern", head.pos, f"this pattern has {len(subs)} fields for {len(fields)}")
                hit_rows.append(_Row(_linked(subs, others), row.scope, row.body))
            else:
                assert isinstance(head, VariablePattern)
                # The name means the rebuilt constructor, and a mark on it marks the fields.
                wildcard = VariablePattern(head.pos, "_", head.plus)
                scope = row.scope.bind(head.name, binder)
                hit_rows.append(_Row(_linked([wildcard] * len(fields), others), scope, row.body))
                miss_rows.append(row)
        marks = len(self._marked)
        binder.built = (pattern.key, fields)
        hit_scrutinees, hit_pending = rest, pending
        for field in reversed(fields):
            hit_scrutinees = (field, hit_scrutinees)
            hit_pending = (field, hit_pending)
        hit = self._match(split, hit_scrutinees, hit_rows, hit_pending, depth)
        binder.built = None
        while len(self._marked) > marks:
            self._marked.pop().plus = False
        miss = self._match(split, (binder, rest), miss_rows, (binder, pending), depth)
        return Match(pattern.key, hit, miss, pattern.pos)

    def _rename(self, row: _Row, binder: PendingBinder) -> None:
        """The row's variable is the binder; its mark joins the binder's, but is lost on a let's name."""
        assert row.patterns is not None
        pattern, row.patterns = row.patterns
        assert isinstance(pattern, VariablePattern)
        row.scope = row.scope.bind(pattern.name, binder)
        if pattern.plus and not binder.plus and not binder.is_let:
            binder.plus = True
            self._marked.append(binder)

    def _field(self, pattern: Pattern, plus: bool) -> PendingBinder:
        if isinstance(pattern, VariablePattern):
            return PendingBinder(pattern.name, pattern.pos, plus)
        return PendingBinder(self.emitter.field_name(), pattern.pos, plus)


@dataclass(slots=True, eq=False)
class _Split:
    """What all branches of one match share. `pos` is the `match`, or a destructuring let's value."""

    pos: int
    scope: Scope
    namespace: str | None

    def binder(self, scrutinee: s.Surface, pending: Pending) -> PendingBinder:
        """The pending binder that a written scrutinee names; raises a scrutinee error."""
        term = scrutinee
        while isinstance(term, s.Group):
            term = term.body
        if not isinstance(term, s.Name):
            raise _refused(
                scrutinee.pos,
                "a match takes parameters and fields apart, and this is a computed value",
                "write a def that takes the value as a parameter and matches that",
            )
        local = self.scope.find(term.text)
        if not isinstance(local, PendingBinder):
            raise _refused(scrutinee.pos, f"'{term.text}' is no parameter or field here, so it cannot be matched")
        if local.built is not None:
            raise _refused(self.pos, f"'{term.text}' is matched already", "match its fields instead")
        if not _holds(pending, local):
            raise _refused(
                scrutinee.pos,
                f"'{term.text}' cannot be matched any more: a let, or a match on a later parameter, stands before",
                "match in the order of the parameters, before any let",
            )
        return local


def check_block(body: s.Surface) -> None:
    """Raise the scrutinee errors of a block: it is compiled with no pending binders."""
    statement: s.Surface = body
    while isinstance(statement, s.Let | s.Write):
        statement = statement.body
    if isinstance(statement, s.STATEMENTS):
        BodyCompiler(_NoTerms()).body(body, EMPTY, None, 0, None)


class _NoTerms:
    """An emitter for looking at the scrutinees only."""

    def term(self, term: s.Surface, scope: Scope, depth: int, namespace: str | None) -> Term:
        return _NOTHING

    def field_name(self) -> str:
        return "_"


_NOTHING = Absurd()


def _linked(patterns: Sequence[Pattern], rest: Patterns = None) -> Patterns:
    for pattern in reversed(patterns):
        rest = (pattern, rest)
    return rest


def _splits(rows: list[_Row]) -> bool:
    """Whether a row has a constructor in the first column."""
    return any(row.patterns is not None and isinstance(row.patterns[0], ConstructorPattern) for row in rows)


def _topmost(rows: list[_Row]) -> ConstructorPattern:
    for row in rows:
        if row.patterns is not None and isinstance(row.patterns[0], ConstructorPattern):
            return row.patterns[0]
    raise AssertionError("a column that splits has a constructor")


def _close(binder: PendingBinder, closed: list[_Closed], depth: int) -> int:
    """Close a pending binder as a lambda (a let's name has its place already): the depth after it."""
    if binder.is_let:
        return depth
    binder.level = depth
    closed.append(_Closed(binder.name, binder.pos, binder.plus))
    return depth + 1


def _lambdas(closed: list[_Closed], body: Term) -> Term:
    for binder in reversed(closed):
        body = Lam(REUSABLE if binder.plus else PLAIN, binder.name, body, binder.pos)
    return body


def _holds(pending: Pending, binder: PendingBinder) -> bool:
    while pending is not None:
        if pending[0] is binder:
            return True
        pending = pending[1]
    return False


def _next(pending: Pending) -> tuple[PendingBinder, Pending]:
    assert pending is not None
    return pending


def _refused(position: int, message: str, hint: str | None = None) -> BendError:
    return BendError("scrutinee", position, message, hint=hint)
