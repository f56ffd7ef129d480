"""The variables in scope while a term is checked, and how often live code has used each."""

from __future__ import annotations

from bendml_cli.bend2.check.descent import Lets
from bendml_cli.bend2.core.terms import Term
from bendml_cli.bend2.core.values import Env, Thunk, variable


class Context:
    """A stack of variables. A variable is a parameter, a field, a lambda's, a let's or a motive's binder.

    `env` is what terms in this context are evaluated in: a let's variable stands for its value there. `uses` counts
    live occurrences.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.types: list[Thunk] = []
        self.quantities: list[str] = []
        self.uses: list[int] = []
        self.env: Env = ()
        self.lets: Lets = {}

    @property
    def depth(self) -> int:
        return len(self.names)

    def push(self, quantity: str, name: str, type_: Thunk) -> Thunk:
        """Bind a variable without a definition, and return it."""
        thunk = variable(len(self.names))
        self._bind(quantity, name, type_, thunk)
        return thunk

    def push_let(self, quantity: str, name: str, type_: Thunk, value: Term, env: Env) -> None:
        """Bind a let's variable: it unfolds to its value, which stands in `env`."""
        level = len(self.names)
        thunk = Thunk(value, env)
        thunk.level = level
        self.lets[level] = (value, len(env))
        self._bind(quantity, name, type_, thunk)

    def _bind(self, quantity: str, name: str, type_: Thunk, thunk: Thunk) -> None:
        self.names.append(name)
        self.types.append(type_)
        self.quantities.append(quantity)
        self.uses.append(0)
        self.env = (*self.env, thunk)

    def pop(self) -> int:
        """Unbind the innermost variable; returns how often it was used."""
        self.names.pop()
        self.types.pop()
        self.quantities.pop()
        self.env = self.env[:-1]
        self.lets.pop(len(self.names), None)
        return self.uses.pop()
