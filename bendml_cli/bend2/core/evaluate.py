"""Evaluation by need to weak head normal form (judging.md, "Evaluation of a def call"; language.md, section 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from bendml_cli.bend2.core.terms import (
    Absurd,
    Ann,
    App,
    BareOperator,
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
    Quant,
    QuantLit,
    Ref,
    Refl,
    Rewrite,
    StrLit,
    Term,
    U32Lit,
    Var,
    uses_variable,
)
from bendml_cli.bend2.core.values import (
    QUANT,
    REFL,
    VF32,
    VU32,
    Env,
    Thunk,
    VAbsurd,
    Value,
    VApp,
    VCtr,
    VData,
    VEq,
    VHole,
    VKind,
    VLam,
    VMatch,
    VMeet,
    VNat,
    VPi,
    VQuantLit,
    VRef,
    VRefl,
    VRewrite,
    VStr,
    ready,
)

# A successor over a literal is folded into the literal, but only well below the largest literal (2^32 - 1): at the
# largest one, how a number is split between `n+` and its literal shows in print (reading.md).
FOLD_BELOW = 1 << 31

STEPS_BETWEEN_CLOCK_LOOKS = 2000

Native = Callable[["Machine", Env], "Value | None"]
State = tuple[Term, Env, Env]


class EvaluationTimeout(Exception):
    """Evaluation took longer than the limit set with Machine.limit."""


@dataclass(slots=True, eq=False)
class Body:
    """What a checked definition unfolds to: the number of parameters its text names, its closed body, and the
    arithmetic that computes it on literals, if any."""

    arity: int
    term: Term
    native: Native | None = None


def argument(term: Term, env: Env) -> Thunk:
    """Suspend a term; a variable is its environment's own thunk, so that sharing is kept."""
    return env[-1 - term.index] if term.__class__ is Var else Thunk(term, env)


def delay(terms: tuple[Term, ...], env: Env) -> Env:
    """Suspend all terms."""
    return tuple([env[-1 - t.index] if t.__class__ is Var else Thunk(t, env) for t in terms])


def word(value: int, width: int) -> Value:
    """A machine word as its constructors, least significant bit first."""
    result: Value = VCtr("WNil", ())
    for at in range(width - 1, -1, -1):
        result = VCtr("WCon", (ready(VCtr("True" if value >> at & 1 else "False", ())), ready(result)))
    return result


class Machine:
    """The evaluator. `bodies` are the definitions that unfold, by key; `nullary` the datatypes without parameters.

    With `unfolding` False no definition unfolds; beta steps, matches, lets and rewrites still happen.
    """

    def __init__(self) -> None:
        self.bodies: dict[str, Body] = {}
        self.nullary: set[str] = set()
        self.deadline: float | None = None
        self._steps = STEPS_BETWEEN_CLOCK_LOOKS

    def limit(self, seconds: float | None) -> None:
        """From now on, raise EvaluationTimeout once this many seconds have passed (None: never)."""
        self.deadline = None if seconds is None else monotonic() + seconds

    def tick(self) -> None:
        """Count a step, and look at the clock once in a while."""
        self._steps -= 1
        if self._steps <= 0:
            self._steps = STEPS_BETWEEN_CLOCK_LOOKS
            if self.deadline is not None and monotonic() > self.deadline:
                raise EvaluationTimeout

    def force(self, thunk: Thunk, unfolding: bool = True) -> Value:
        """The value of a thunk, evaluated at most once in each mode."""
        if unfolding:
            value = thunk.full
            if value is None:
                assert thunk.term is not None
                value = thunk.full = self.whnf(thunk.term, thunk.env, (), True)
            return value
        value = thunk.rigid
        if value is None:
            assert thunk.term is not None
            value = thunk.rigid = self.whnf(thunk.term, thunk.env, (), False)
        return value

    def apply(self, value: Value, args: Env, unfolding: bool = True) -> Value:
        """Apply a value to arguments."""
        if not args:
            return value
        state = self._resume(value, args)
        if isinstance(state, Value):
            return state
        term, env, spine = state
        return self.whnf(term, env, spine, unfolding)

    def _resume(self, value: Value, spine: Env) -> Value | State:
        """How evaluation goes on when a value meets arguments."""
        cls = value.__class__
        if cls is VLam:
            return value.term.body, (*value.env, spine[0]), spine[1:]  # type: ignore[attr-defined]
        if cls is VMatch:
            return value.term, value.env, spine  # type: ignore[attr-defined]
        if cls is VRef:
            return value.ref, (), spine  # type: ignore[attr-defined]
        if cls is VApp:
            head = value.head  # type: ignore[attr-defined]
            spine = value.args + spine  # type: ignore[attr-defined]
            if head.__class__ is VRef:
                return head.ref, (), spine
            return VApp(head, spine)
        return VApp(value, spine)

    def whnf(self, term: Term, env: Env, spine: Env, unfolding: bool) -> Value:
        """Evaluate `term(spine)`; the term stands in `env`."""
        chain: Match | None = None  # where a run of misses began
        while True:
            cls = term.__class__
            if cls is App:
                spine = delay(term.arguments, env) + spine  # type: ignore[attr-defined]
                term = term.function  # type: ignore[attr-defined]
            elif cls is Var:
                thunk = env[-1 - term.index]  # type: ignore[attr-defined]
                value = thunk.full if unfolding else thunk.rigid
                if value is None:
                    value = self.force(thunk, unfolding)
                if not spine:
                    return value
                state = self._resume(value, spine)
                if isinstance(state, Value):
                    return state
                term, env, spine = state
            elif cls is Ref:
                state = self._call(term, spine, unfolding)  # type: ignore[arg-type]
                if isinstance(state, Value):
                    return state
                term, env, spine = state
            elif cls is Lam:
                if not spine:
                    return VLam(term, env)  # type: ignore[arg-type]
                self.tick()  # dead code may loop by lambdas alone
                env = (*env, spine[0])
                spine = spine[1:]
                term = term.body  # type: ignore[attr-defined]
            elif cls is Match:
                if not spine:
                    return VMatch(term, env)  # type: ignore[arg-type]
                fields = self._hit(spine[0], term.constructor, unfolding)  # type: ignore[attr-defined]
                if fields is None:
                    return VApp(VMatch(term, env), spine)  # type: ignore[arg-type]
                if fields is MISS:
                    chain = chain or term  # type: ignore[assignment]
                    term = term.miss  # type: ignore[attr-defined]
                    if term.__class__ is Absurd and chain is not None:
                        return VApp(VMatch(chain, env), spine)  # no case fits: the lambda-match as a whole is stuck
                    if term.__class__ is not Match:
                        chain = None
                else:
                    chain = None
                    term = term.hit  # type: ignore[attr-defined]
                    spine = fields + spine[1:]
            elif cls is Let:
                env += delay(term.values, env)  # type: ignore[attr-defined]
                term = term.body  # type: ignore[attr-defined]
            elif cls is Ann:
                term = term.term  # type: ignore[attr-defined]
            elif cls is Rewrite:
                evidence = argument(term.evidence, env)  # type: ignore[attr-defined]
                if self.force(evidence, unfolding).__class__ is not VRefl:
                    stuck = VRewrite(term, env, evidence)  # type: ignore[arg-type]
                    return VApp(stuck, spine) if spine else stuck
                term = term.body  # type: ignore[attr-defined]
            else:
                value = self._plain(term, env, unfolding)
                return VApp(value, spine) if spine else value

    def _plain(self, term: Term, env: Env, unfolding: bool) -> Value:
        """The terms that are values of themselves."""
        match term:
            case Ctr(key, arguments):
                args = delay(arguments, env)
                if key == "Succ" and len(args) == 1:
                    return self._successor(args[0])
                return VCtr(key, args)
            case NatLit(value):
                return VNat(value)
            case Data(key, arguments, removed):
                return VData(key, delay(arguments, env), removed)
            case U32Lit(value):
                return VU32(value)
            case F32Lit(bits):
                return VF32(bits)
            case StrLit(codes):
                return VStr(codes, 0)
            case Pi():
                return self._function_type(term, env)
            case Eq(left, right, type_):
                return VEq(argument(left, env), argument(right, env), argument(type_, env))
            case Kind(quantity):
                return VKind(argument(quantity, env))
            case Meet(left, right):
                return self._meet(argument(left, env), argument(right, env), unfolding)
            case Absurd():
                return VAbsurd(term)
            case Refl():
                return REFL
            case Quant():
                return QUANT
            case QuantLit(value):
                return VQuantLit(value)
            case Hole(name):
                return VHole(name)
            case BareOperator():
                raise term.refusal()
        raise AssertionError(term)

    @staticmethod
    def _function_type(term: Pi, env: Env) -> Value:
        domain, codomain = argument(term.domain, env), term.codomain
        if term.dependent is None:
            term.dependent = uses_variable(codomain, 0)
        if term.dependent:
            return VPi(term.quantity, term.name, domain, lambda x: Thunk(codomain, (*env, x)))
        constant = Thunk(codomain, (*env, domain))  # what stands for the variable is never looked at
        return VPi(term.quantity, term.name, domain, lambda _: constant, constant)

    @staticmethod
    def _successor(field: Thunk) -> Value:
        known = field.full
        if known is None and field.term.__class__ is NatLit:
            known = VNat(field.term.value)
        if known.__class__ is VNat and known.value < FOLD_BELOW:
            return VNat(known.value + 1)
        return VCtr("Succ", (field,))

    def _meet(self, left: Thunk, right: Thunk, unfolding: bool) -> Value:
        """`&2 <&> q` is q and `&0 <&> q` is `&0`, from either side; two literals give the lower."""
        first = self.force(left, unfolding)
        if isinstance(first, VQuantLit) and first.value != 1:
            return self.force(right, unfolding) if first.value == 2 else first
        second = self.force(right, unfolding)
        if isinstance(second, VQuantLit):
            if second.value == 2:
                return first
            if second.value == 0 or isinstance(first, VQuantLit):
                return second
        return VMeet(left, right)

    def _hit(self, scrutinee: Thunk, constructor: str, unfolding: bool) -> Env | None:
        """The fields if the scrutinee is that constructor, MISS if it is another one, None if it is stuck."""
        value = scrutinee.full if unfolding else scrutinee.rigid
        if value is None:
            value = self.force(scrutinee, unfolding)
        cls = value.__class__
        if cls is not VCtr:
            if cls is VNat:
                number = value.value  # type: ignore[attr-defined]
                if constructor == "Succ":
                    return (ready(VNat(number - 1)),) if number else MISS
                if constructor == "Zero":
                    return MISS if number else ()
                return MISS
            if cls is not VStr and cls is not VU32 and cls is not VF32:
                return None
            value = literal_step(value)
        if value.key == constructor:  # type: ignore[attr-defined]
            return value.args  # type: ignore[attr-defined, no-any-return]
        return MISS

    def _call(self, ref: Ref, spine: Env, unfolding: bool) -> Value | State:
        """A reference applied to a spine: its case tree runs if it has all its arguments and a body.

        Returns the state in which evaluation goes on once the right-hand side is committed, else the stuck value.
        """
        key = ref.key
        body = self.bodies.get(key) if unfolding else None
        if body is None or len(spine) < body.arity:
            if spine:
                return VApp(VRef(ref), spine)
            return VData(key, (), ()) if key in self.nullary else VRef(ref)
        self.tick()
        if body.native is not None:
            computed = body.native(self, spine)
            if computed is not None:
                rest = spine[body.arity :]
                return self.apply(computed, rest) if rest else computed
        term = body.term
        env: Env = ()
        queue = spine
        count = body.arity
        while True:
            cls = term.__class__
            if cls is Lam:
                if count == 0 or not queue:
                    return term, env, queue
                count -= 1
                env = (*env, queue[0])
                queue = queue[1:]
                term = term.body  # type: ignore[attr-defined]
            elif cls is Match:
                if not queue:
                    return VMatch(term, env)  # type: ignore[arg-type]
                fields = self._hit(queue[0], term.constructor, True)  # type: ignore[attr-defined]
                if fields is None:
                    return self._folded(ref, body, spine, count)
                if fields is MISS:
                    term = term.miss  # type: ignore[attr-defined]
                else:
                    count += len(fields) - 1
                    queue = fields + queue[1:]
                    term = term.hit  # type: ignore[attr-defined]
            elif cls is Let:
                env += delay(term.values, env)  # type: ignore[attr-defined]
                term = term.body  # type: ignore[attr-defined]
            elif cls is Absurd:
                if count > 0:
                    return VApp(VRef(ref), spine)
                return term, env, queue
            else:
                return term, env, queue

    def _folded(self, ref: Ref, body: Body, spine: Env, count: int) -> Value:
        """A call whose case tree is stuck before it is committed: the call itself.

        Stuck past its parameters (the count of open columns is used up), what is stuck is the value of the call at
        its parameters, applied to the rest; a def without parameters stays by name.
        """
        arity = body.arity
        if count > 0 or arity == 0 or len(spine) == arity:
            return VApp(VRef(ref), spine)
        head = self.whnf(ref, (), spine[:arity], True)
        if head.__class__ is VApp:
            return VApp(head.head, head.args + spine[arity:])
        return VApp(head, spine[arity:])


# The answer of Machine._hit for another constructor; told from a real tuple of fields by identity.
MISS: Env = (ready(REFL),)


def literal_step(value: Value) -> VCtr:
    """A literal by its first constructor (language.md, section 5)."""
    match value:
        case VNat():
            return VCtr("Succ", (ready(VNat(value.value - 1)),)) if value.value else VCtr("Zero", ())
        case VStr():
            if value.start == len(value.codes):
                return VCtr("SNil", ())
            char = VCtr("Chr", (ready(VU32(value.codes[value.start])),))
            return VCtr("SCon", (ready(char), ready(VStr(value.codes, value.start + 1))))
        case VU32():
            return VCtr("U32", (ready(word(value.value, 32)),))
        case VF32():
            return VCtr("F32", (ready(word(value.bits, 32)),))
    raise AssertionError(value)
