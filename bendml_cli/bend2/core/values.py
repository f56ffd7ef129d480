"""Values: terms evaluated to weak head normal form, over shared suspended arguments.

A `Thunk` is a term with its environment; it is evaluated at most once in each of the two modes (with and without
unfolding definitions) and shared by everything that holds it. Variables of values are de Bruijn *levels*: 0 is the
outermost binder, so a value needs no shifting when it moves under more binders.
"""

from __future__ import annotations

from collections.abc import Callable

from bendml_cli.bend2.core.terms import Absurd, Lam, Match, Ref, Rewrite, Term

Env = tuple["Thunk", ...]


class Value:
    """Any weak head normal form."""

    __slots__ = ()


class Thunk:
    """A suspended term. `full` and `rigid` keep its value with and without unfolding definitions.

    `level` is that of the context's variable that this thunk stands for (a let's thunk has a term as well), else -1.
    `shared` marks a datatype's argument whose lambda is not inlined where a field's type applies it.
    """

    __slots__ = ("env", "full", "level", "rigid", "shared", "term")

    def __init__(self, term: Term | None, env: Env) -> None:
        self.term = term
        self.env = env
        self.full: Value | None = None
        self.rigid: Value | None = None
        self.level = -1
        self.shared = False


def ready(value: Value) -> Thunk:
    """A thunk of a value already at hand."""
    thunk = Thunk(None, ())
    thunk.full = thunk.rigid = value
    return thunk


class VVar(Value):
    """A variable of the context."""

    __slots__ = ("level",)

    def __init__(self, level: int) -> None:
        self.level = level


def variable(level: int) -> Thunk:
    """A thunk of a context variable."""
    thunk = Thunk(None, ())
    thunk.full = thunk.rigid = VVar(level)
    thunk.level = level
    return thunk


class VRef(Value):
    """A definition that does not unfold here."""

    __slots__ = ("ref",)

    def __init__(self, ref: Ref) -> None:
        self.ref = ref


class VApp(Value):
    """A stuck spine: a head (VVar, VRef, VMatch, VAbsurd, VRewrite or VHole) and at least one argument."""

    __slots__ = ("args", "head")

    def __init__(self, head: Value, args: Env) -> None:
        self.head = head
        self.args = args


class VLam(Value):
    """A lambda with its environment."""

    __slots__ = ("env", "term")

    def __init__(self, term: Lam, env: Env) -> None:
        self.term = term
        self.env = env


class VMatch(Value):
    """A lambda-match with its environment."""

    __slots__ = ("env", "term")

    def __init__(self, term: Match, env: Env) -> None:
        self.term = term
        self.env = env


class VAbsurd(Value):
    """The lambda-match without cases."""

    __slots__ = ("term",)

    def __init__(self, term: Absurd) -> None:
        self.term = term


class VPi(Value):
    """A function type. `codomain` gives the result type at an argument; `constant` is it where it uses none."""

    __slots__ = ("codomain", "constant", "domain", "name", "quantity")

    def __init__(
        self,
        quantity: str,
        name: str,
        domain: Thunk,
        codomain: Callable[[Thunk], Thunk],
        constant: Thunk | None = None,
    ) -> None:
        self.quantity = quantity
        self.name = name
        self.domain = domain
        self.codomain = codomain
        self.constant = constant


class VData(Value):
    """A datatype instance without the removed constructors."""

    __slots__ = ("args", "key", "removed")

    def __init__(self, key: str, args: Env, removed: tuple[str, ...]) -> None:
        self.key = key
        self.args = args
        self.removed = removed


class VCtr(Value):
    """A constructor over its fields."""

    __slots__ = ("args", "key")

    def __init__(self, key: str, args: Env) -> None:
        self.key = key
        self.args = args


class VNat(Value):
    """A Nat literal."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class VU32(Value):
    """A U32 literal."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class VF32(Value):
    """An F32 literal by its bits."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits


class VStr(Value):
    """The string literal `codes[start:]`."""

    __slots__ = ("codes", "start")

    def __init__(self, codes: tuple[int, ...], start: int) -> None:
        self.codes = codes
        self.start = start


class VEq(Value):
    """An equality type."""

    __slots__ = ("left", "right", "type")

    def __init__(self, left: Thunk, right: Thunk, type_: Thunk) -> None:
        self.left = left
        self.right = right
        self.type = type_


class VRefl(Value):
    """`{==}`."""

    __slots__ = ()


class VRewrite(Value):
    """A rewrite stuck on its evidence."""

    __slots__ = ("env", "evidence", "term")

    def __init__(self, term: Rewrite, env: Env, evidence: Thunk) -> None:
        self.term = term
        self.env = env
        self.evidence = evidence


class VKind(Value):
    """`Kind(q)`."""

    __slots__ = ("quantity",)

    def __init__(self, quantity: Thunk) -> None:
        self.quantity = quantity


class VQuant(Value):
    """The type of quantities."""

    __slots__ = ()


class VQuantLit(Value):
    """`&0`, `&1` or `&2`."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class VMeet(Value):
    """A meet that neither side decides."""

    __slots__ = ("left", "right")

    def __init__(self, left: Thunk, right: Thunk) -> None:
        self.left = left
        self.right = right


class VHole(Value):
    """A hole."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


REFL = VRefl()
QUANT = VQuant()
KIND_0 = VKind(ready(VQuantLit(0)))
TYPE = VKind(ready(VQuantLit(1)))
DATA = VKind(ready(VQuantLit(2)))
