"""The verdict on a book (language.md, section 8)."""

from __future__ import annotations

from dataclasses import dataclass, field

from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.check.trust import untrusted
from bendml_cli.bend2.core.book import Book, Module, spell_by_path
from bendml_cli.bend2.core.evaluate import EvaluationTimeout
from bendml_cli.bend2.core.quote import normal_form
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import App, Ref
from bendml_cli.bend2.core.values import Thunk
from bendml_cli.bend2.source import BendError


@dataclass(slots=True)
class Verdict:
    """What checking a whole book gave. It is accepted when `error` is None and `unsafe` is empty."""

    error: BendError | None = None
    unsafe: list[str] = field(default_factory=list)
    open_claims: list[str] = field(default_factory=list)
    todos: int = 0
    main: str | None = None


def judge(
    book: Book,
    *,
    timeout: float | None = None,
    main: bool = False,
    trusted: frozenset[Module] = frozenset(),
) -> Verdict:
    """Check a book: see `judge_by`."""
    return judge_by(Checker(book, timeout=timeout), main=main, trusted=trusted)


def judge_by(checker: Checker, *, main: bool = False, trusted: frozenset[Module] = frozenset()) -> Verdict:
    """Check the book of a fresh checker, which the caller keeps: every declaration, then open claims and `?TODO`s,
    then trust; with `main`, its normal form."""
    book = checker.book
    verdict = Verdict()
    verdict.open_claims = [
        spell_by_path(key)
        for key, definition in book.definitions.items()
        if definition.is_law and definition.body is None and not definition.foreign and not definition.module.is_base
    ]
    verdict.todos = sum(module.todos for module in book.modules if not module.is_base)
    try:
        checker.check(trusted)
        count = verdict.todos + len(verdict.open_claims)
        if count:
            raise _unfinished(book, verdict, count)
        verdict.unsafe = untrusted(checker)
        if main:
            verdict.main = normal_main(checker)
    except BendError as error:
        verdict.error = error
    return verdict


def _unfinished(book: Book, verdict: Verdict, count: int) -> BendError:
    """The refusal of a book with open claims or `?TODO`s, that says where they are."""
    message = f"{count} TODO(s) found: {verdict.todos} ?TODO, {len(verdict.open_claims)} law(s) without a proof"
    parts = []
    if verdict.open_claims:
        parts.append("open: " + ", ".join(verdict.open_claims))
    places = []
    for module in book.modules:
        for pos in module.todo_places:
            source = book.sources.at(pos)
            if source is not None and not module.is_base:
                places.append(f"{module.path.name}:{source.line_of(pos)}")
    if places:
        parts.append("?TODO at " + ", ".join(places))
    return BendError("todo", -1, message, count=count, hint="; ".join(parts))


def normal_main(checker: Checker) -> str | None:
    """The printed normal form of the entry's main; None without one, or if its declared type is literally an IO."""
    definition = checker.book.definitions.get("main")
    if definition is None or definition.body is None:
        return None
    if isinstance(definition.type, App):
        head = definition.type.function
        if isinstance(head, Ref) and head.key == "IO":
            return None
    checker.machine.limit(checker.timeout)
    try:
        term = normal_form(checker.machine, Thunk(Ref("main"), ()), 0)
    except EvaluationTimeout:
        message = f"gave up on the normal form of main after {checker.timeout:g} seconds"
        raise BendError("timeout", definition.pos, message, definition="main") from None
    finally:
        checker.machine.limit(None)
    return show(term, (), spell_by_path)
