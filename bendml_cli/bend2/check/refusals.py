"""How a refusal is told: its place, the printed terms, the variables in scope, and the way out."""

from __future__ import annotations

from difflib import get_close_matches
from time import monotonic
from typing import TYPE_CHECKING

from bendml_cli.bend2.check.context import Context
from bendml_cli.bend2.core.evaluate import EvaluationTimeout
from bendml_cli.bend2.core.quote import as_it_stands, normal_form
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import Var
from bendml_cli.bend2.core.values import Thunk
from bendml_cli.bend2.source import BendError

if TYPE_CHECKING:
    from bendml_cli.bend2.check.checker import Checker
    from bendml_cli.bend2.check.subject import Subject

SECONDS_TO_PRINT = 2.0

# The constructors that only literals name without writing them.
BASE_ONLY = ("Zero", "Succ", "Chr", "SNil", "SCon")


class Refusals:
    """Makes the errors of one subject, in the context at hand.

    `caller` is set while a `~` argument is checked: what holds the variables that the argument may not use.
    """

    def __init__(self, checker: Checker, subject: Subject, caller: Refusals | None = None) -> None:
        self.book = checker.book
        self.machine = checker.machine
        self.subject = subject
        self.caller = caller
        self.context = Context()

    def show(self, thunk: Thunk, depth: int | None = None) -> str:
        """A thunk's normal form, printed as this subject's file spells names.

        `depth` is that of its context, where that is not the present one. Where the normal form takes too long or
        grows too deep (dead code may loop), the term is printed as it stands.
        """
        if depth is None:
            depth = self.context.depth
        machine = self.machine
        deadline = machine.deadline
        soon = monotonic() + SECONDS_TO_PRINT
        machine.deadline = soon if deadline is None else min(soon, deadline)
        try:
            term = normal_form(machine, thunk, depth)
        except (EvaluationTimeout, RecursionError):
            term = as_it_stands(machine, thunk, depth)
        finally:
            machine.deadline = deadline
        return show(term, tuple(self.context.names[:depth]), self.subject.module.spell)

    def error(
        self,
        category: str,
        pos: int,
        message: str,
        *,
        expected: Thunk | None = None,
        observed: Thunk | str | None = None,
        hint: str | None = None,
        variable: str | None = None,
        missing: list[str] | None = None,
    ) -> BendError:
        """A refusal at `pos`, with the context printed."""
        types = self.context.types
        context = [(name, self.show(types[at], at)) for at, name in enumerate(self.context.names)]
        return BendError(
            category,
            pos,
            message,
            expected=None if expected is None else self.show(expected),
            observed=self.show(observed) if isinstance(observed, Thunk) else observed,
            definition=self.subject.module.spell(self.subject.name),
            context=context,
            hint=hint,
            variable=variable,
            missing=missing,
        )

    def mismatch(
        self, pos: int, expected: Thunk, observed: Thunk | str, message: str = "", hint: str | None = None
    ) -> BendError:
        """The refusal of what does not fit; the message may speak of {expected} and {observed}."""
        error = self.error("mismatch", pos, "", expected=expected, observed=observed, hint=hint)
        template = message or "a term of type {observed} stands where {expected} is wanted"
        error.message = template.format(expected=error.expected, observed=error.observed)
        return error

    def unknown(self, key: str, pos: int, what: str) -> BendError:
        """The refusal of a name that nothing declares."""
        name = self.subject.module.spell(key)
        hint = None
        if key in self.book.constructors:
            hint = f"a constructor is written with braces: {name}{{..}}"
        elif name.startswith("_") and name.strip("_") == "":
            hint = "_ binds no name; name the binder to use it"
        elif key in BASE_ONLY:
            hint = "literals mean Base's constructors: import Base, or declare them"
        elif not any(module.is_base for module in self.book.modules):
            hint = "the names of Base need a line 'import Base' at the top of the file"
        else:
            hint = self._close_names(name)
        return self.error("unknown-name", pos, f"no {what} {name} is in scope", hint=hint)

    def _close_names(self, name: str) -> str | None:
        """The names in scope that a misspelled one may mean."""
        module = self.subject.module
        reachable = {"", module.namespace, *module.aliases.values()}
        keys = [*self.book.definitions, *self.book.datatypes]
        known = [module.spell(key) for key in keys if key.rpartition(":")[0] in reachable]
        close = get_close_matches(name, [*self.context.names, *known], 3)
        return f"did you mean {' or '.join(close)}?" if close else None

    def not_closed(self, variable: Var) -> BendError:
        """The refusal of a caller's variable in a `~` argument."""
        assert self.caller is not None
        names = self.caller.context.names
        name = names[len(names) - 1 - (variable.index - self.context.depth)]
        hint = f"pass {name} as an ordinary argument, or define the function at top level"
        return self.error("template", variable.pos, f"a ~ argument must be closed, but it uses {name}", hint=hint)
