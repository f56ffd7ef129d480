"""Scopes while desugaring: what a local name stands for.

A local name is a variable, a pending or matched binder of a body, or an argument that a lambda applied on the spot was
given (reading.md, Lambdas applied on the spot). Variables have absolute levels, counted from the outermost binder of
the declaration; a term at depth d writes level l as the de Bruijn index d - 1 - l.
"""

from __future__ import annotations

from dataclasses import dataclass

from bendml_cli.bend2.syntax import surface as s


@dataclass(slots=True, eq=False)
class PendingBinder:
    """A binder of a body: a parameter, a field or a let's name.

    While a body is compiled depth first, `level` is set when a lambda closes the binder in the branch at hand, `built`
    when a split replaced it by a constructor over fields, `plus` when a mark joined it; each branch sets its own.
    """

    name: str
    pos: int
    plus: bool = False
    is_let: bool = False
    level: int = -1
    built: tuple[str, list[PendingBinder]] | None = None


@dataclass(slots=True, eq=False)
class Suspended:
    """An argument of a lambda applied on the spot, with the scope it stands in. `used` says whether it was read."""

    term: s.Surface
    scope: Scope
    used: bool = False


Local = int | PendingBinder | Suspended

_FRAME = 24


class Scope:
    """An immutable map from names to locals, kept in frames so that a chain of thousands of binders stays small."""

    __slots__ = ("_names", "_outer")

    def __init__(self, names: dict[str, Local] | None = None, outer: Scope | None = None) -> None:
        self._names: dict[str, Local] = {} if names is None else names
        self._outer = outer

    def find(self, name: str) -> Local | None:
        """What the name stands for, None if it is no local."""
        scope: Scope | None = self
        while scope is not None:
            local = scope._names.get(name)
            if local is not None:
                return local
            scope = scope._outer
        return None

    def bind(self, name: str, local: Local) -> Scope:
        """The scope with one more name; `_` binds nothing."""
        if name == "_":
            return self
        return self.bind_marker(name, local)

    def bind_marker(self, name: str, local: Local) -> Scope:
        """The scope with one more name, which may be the `_` of a rewrite's motive."""
        if len(self._names) >= _FRAME:
            return Scope({name: local}, self)
        names = self._names.copy()
        names[name] = local
        return Scope(names, self._outer)


EMPTY = Scope()
