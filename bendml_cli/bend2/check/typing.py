"""The typing rules (language.md, section 7; judging.md, "Rules, with their order" and "Refusals").

`infer` gives a term's type, `check` holds it against a goal, both under a demand: `live` code counts the uses of
variables, dead code (types, erased arguments) does not. A rule stands in the method named after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from bendml_cli.bend2.check.descent import Column, descends
from bendml_cli.bend2.check.matching import check_absurd, check_match
from bendml_cli.bend2.check.refusals import Refusals
from bendml_cli.bend2.core.convert import equal, fits
from bendml_cli.bend2.core.evaluate import argument, literal_step
from bendml_cli.bend2.core.quote import as_it_stands
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import (
    ERASED,
    PLAIN,
    REUSABLE,
    TEMPLATE,
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
)
from bendml_cli.bend2.core.values import (
    DATA,
    KIND_0,
    QUANT,
    REFL,
    TYPE,
    VF32,
    VU32,
    Env,
    Thunk,
    VCtr,
    VData,
    VEq,
    VNat,
    VPi,
    VStr,
    ready,
)
from bendml_cli.bend2.source import BendError

if TYPE_CHECKING:
    from bendml_cli.bend2.check.checker import Checker
    from bendml_cli.bend2.check.subject import Subject

# Environments are copied at each binder, so nesting binders costs the square of the depth.
MOST_BINDERS = 4000
PLUS_HINT = "+x needs Data: drop the +, or choose a type that may be copied"

_TYPE, _DATA, _KIND_0, _QUANT = ready(TYPE), ready(DATA), ready(KIND_0), ready(QUANT)
_LITERAL_TYPES: dict[type[Term], str] = {NatLit: "Nat", U32Lit: "U32", F32Lit: "F32", StrLit: "String"}
LITERAL_HINTS = {
    ("U32", "Nat"): "a Nat is written with an n: 3n",
    ("U32", "F32"): "an F32 is written with a point: 3.0",
    ("Nat", "U32"): "a U32 is written without the n: 3",
    ("Nat", "F32"): "an F32 is written with a point: 3.0",
    ("F32", "Nat"): "a Nat is written 3n",
    ("F32", "U32"): "a U32 is written without a point: 3",
}
# Terms whose type is not inferred (judging.md, "Everything else needs a goal").
NEEDS_GOAL = (Lam, Let, Ctr, NatLit, U32Lit, F32Lit, StrLit, Match, Absurd, Refl, Rewrite, Hole)
_NO_COLUMNS: tuple[Column, ...] = ()


class Typing(Refusals):
    """The typing of one subject's terms, from an empty context on."""

    def __init__(self, checker: Checker, subject: Subject, caller: Typing | None = None) -> None:
        super().__init__(checker, subject, caller)
        self.checker = checker

    # -- helpers ------------------------------------------------------------------------------------------------

    def suspend(self, term: Term) -> Thunk:
        """The term in the present context."""
        return argument(term, self.context.env)

    def wanted_kind(self, quantity: str) -> Thunk:
        """The kind that a binder of this quantity asks of its type; in an unsafe def `+` asks only Type."""
        if quantity == REUSABLE:
            return _TYPE if self.subject.unsafe else _DATA
        return _TYPE if quantity == PLAIN else _KIND_0

    def check_kind(self, type_: Term, quantity: str) -> None:
        """A binder's domain must have the kind that its quantity asks for."""
        hint = PLUS_HINT if quantity == REUSABLE else None
        self.check(type_, self.wanted_kind(quantity), False, hint=hint)

    def kind_of(self, type_: Thunk) -> Thunk:
        """The kind of a type, inferred on the type as it stands."""
        return self.infer(as_it_stands(self.machine, type_, self.context.depth), False)

    def require_copyable(self, type_: Thunk, pos: int) -> None:
        """A `+` binder needs a type of kind Data (in an unsafe def, any type)."""
        kind = self.kind_of(type_)
        wanted = self.wanted_kind(REUSABLE)
        if not fits(self.machine, kind, wanted, self.context.depth):
            message = "a + binder needs a type of kind {expected}, and this one is {observed}"
            raise self.mismatch(pos, wanted, kind, message, PLUS_HINT)

    def push(self, quantity: str, name: str, type_: Thunk, pos: int) -> Thunk:
        """Bind a variable."""
        if self.context.depth >= MOST_BINDERS:
            raise self.error("too-deep", pos, f"more than {MOST_BINDERS} binders stand around this one")
        return self.context.push(quantity, name, type_)

    def close(self, pos: int) -> None:
        """Unbind the innermost variable and hold its uses against its quantity."""
        name, quantity = self.context.names[-1], self.context.quantities[-1]
        uses = self.context.uses[-1]
        if uses and quantity != REUSABLE and (uses > 1 or quantity != PLAIN):
            if quantity == PLAIN:
                message = f"{name} is used more than once, but it may be used at most once"
                hint = f"mark it +{name} if its type is Data, or use it once"
            else:
                message = f"{name} is erased, but live code uses it"
                hint = f"drop the - of {name}, or use it only in types and erased arguments"
            raise self.error("usage", pos, message, variable=name, hint=hint)
        self.context.pop()

    # -- infer --------------------------------------------------------------------------------------------------

    def infer(self, term: Term, live: bool) -> Thunk:
        """The type of a term that says its type.

        Raises BendError, of category `cannot-infer` for a term that needs a goal.
        """
        match term:
            case Var():
                level = self.context.depth - 1 - term.index
                if level < 0:
                    raise self.not_closed(term)
                if live:
                    self.context.uses[level] += 1
                return self.context.types[level]
            case Ref():
                return self.infer_reference(term, (), live)
            case App():
                return self.infer_application(term, live)
            case Data():
                return self.infer_datatype(term, live)
            case Ann(term=inner, type=type_):
                self.check(type_, _TYPE, False)
                goal = self.suspend(type_)
                self.check(inner, goal, live)
                return goal
            case Kind(quantity=quantity):
                self.check(quantity, _QUANT, False)
                return _TYPE
            case Quant():
                return _TYPE
            case BareOperator():
                raise term.refusal()
            case QuantLit():
                return _QUANT
            case Meet(left=left, right=right):
                self.check(left, _QUANT, live)
                self.check(right, _QUANT, live)
                return _QUANT
            case Pi():
                self.check_kind(term.domain, term.quantity)
                self.push(term.quantity, term.name, self.suspend(term.domain), term.pos)
                self.check(term.codomain, _TYPE, False)
                self.context.pop()
                return _TYPE
            case Eq(left=left, right=right, type=type_):
                self.check(type_, _TYPE, False)
                goal = self.suspend(type_)
                self.check(left, goal, False)
                self.check(right, goal, False)
                return _DATA
            case Ctr() if term.key not in self.book.constructors:
                raise self.unknown(term.key, term.pos, "constructor")
        hint = "annotate it: {term : Type}, or give the let a type: x : T = .."
        raise self.error("cannot-infer", term.pos, "the type of this term cannot be inferred", hint=hint)

    def infer_reference(self, ref: Ref, arguments: tuple[Term, ...], live: bool) -> Thunk:
        """A top-level name, with the arguments applied directly around it (which descent and templates look at).

        The order: name known; live evidence; template instance; descent; bare family.
        """
        definition = self.book.definitions.get(ref.key)
        if definition is None:
            constant = self.subject.constants.get(ref.key)
            if constant is not None:
                return constant
            datatype = self.book.datatypes.get(ref.key)
            if datatype is None:
                raise self.unknown(ref.key, ref.pos, "name")
            if datatype.parameters:
                name = self.subject.module.spell(ref.key)
                hint = f"write its arguments: {name}<..>"
                raise self.error("bare-family", ref.pos, f"{name} needs its parameters", hint=hint)
            return Thunk(datatype.kind, ())
        if live:
            own = definition is self.subject.definition
            makes_instance = definition.templates > 0 and not self.subject.template_text
            if not (own or self._is_evidence(ref.key, makes_instance)):
                name = self.subject.module.spell(ref.key)
                message = f"{name} has no checked body here, so live code may not use it"
                hint = "define or fill it above this definition (mutual recursion is not possible)"
                raise self.error("open-claim", ref.pos, message, hint=hint)
            if makes_instance:
                own = self.checker.templates.instance(self, definition, ref, arguments)
            if own and not self.subject.unsafe:
                self._require_descent(ref, arguments[definition.templates :])
        return Thunk(definition.type, ())

    def _is_evidence(self, key: str, makes_instance: bool) -> bool:
        if key in self.machine.bodies:
            return True
        definition = self.book.definitions[key]
        if makes_instance:
            return False
        return bool(definition.foreign) or definition.module.is_base or self.subject.unsafe

    def _require_descent(self, ref: Ref, arguments: tuple[Term, ...]) -> None:
        context = self.context
        if not descends(arguments, context.depth, self.subject.columns, context.lets):
            name = self.subject.module.spell(ref.key)
            hint = "put the shrinking parameter first: arguments are read left to right, equal until one is smaller"
            message = f"this call of {name} by itself does not make its arguments smaller"
            raise self.error("descent", ref.pos, message, hint=hint)

    def infer_application(self, term: App, live: bool) -> Thunk:
        """`f(a, ..)`: each argument against its domain, dead where the function's quantity is `-`."""
        function = term.function
        if isinstance(function, Ref):
            type_ = self.infer_reference(function, term.arguments, live)
        else:
            type_ = self.infer(function, live)
        for each in term.arguments:
            pi = self.machine.force(type_)
            if not isinstance(pi, VPi):
                hint = "it may have been given more arguments than it takes"
                raise self.error(
                    "not-a-function", term.pos, "this is applied but is no function", observed=type_, hint=hint
                )
            try:
                self.check(each, pi.domain, live and pi.quantity not in (ERASED, TEMPLATE))
            except BendError as error:
                if error.category == "mismatch" and error.position == each.pos and error.hint is None:
                    error.hint = self._signature(function)
                raise
            type_ = pi.codomain(self.suspend(each))
        term.typing = (type_, self.context.depth)
        return type_

    def _signature(self, function: Term) -> str | None:
        """What a function takes, for one who gave it something else."""
        if not isinstance(function, Ref) or function.key not in self.book.definitions:
            return None
        type_ = self.book.definitions[function.key].type
        spell = self.subject.module.spell
        return f"{spell(function.key)} : {show(type_, (), spell)}"

    def infer_datatype(self, term: Data, live: bool) -> Thunk:
        """`D<args>`: the arguments against its parameters; the type is its declared kind."""
        datatype = self.book.datatypes.get(term.key)
        if datatype is None:
            raise self.unknown(term.key, term.pos, "datatype")
        if len(term.arguments) != len(datatype.parameters):
            name = self.subject.module.spell(term.key)
            wanted, given = len(datatype.parameters), len(term.arguments)
            raise self.error("arity", term.pos, f"{name} takes {wanted} parameters, {given} are given")
        env: Env = ()
        for parameter, each in zip(datatype.parameters, term.arguments, strict=True):
            self.check(each, Thunk(parameter.type, env), live and parameter.quantity != ERASED)
            env = (*env, self.suspend(each))
        return Thunk(datatype.kind, env)

    # -- check --------------------------------------------------------------------------------------------------

    def check(
        self,
        term: Term,
        goal: Thunk,
        live: bool,
        columns: tuple[Column, ...] = _NO_COLUMNS,
        hint: str | None = None,
    ) -> None:
        """Hold a term against a goal. `columns` are the positions of the left-hand side that are still open.

        Raises BendError.
        """
        while isinstance(term, Rewrite):
            term, goal = self.check_rewrite(term, goal, live)
            columns = _NO_COLUMNS
        match term:
            case Lam():
                self.check_lambda(term, goal, live, columns)
            case Match():
                check_match(self, term, goal, live, columns)
            case Absurd():
                check_absurd(self, term, goal, live)
            case Let():
                self.check_let(term, goal, live)
            case Ctr():
                self.check_constructor(term, goal, live)
            case NatLit() | U32Lit() | F32Lit() | StrLit():
                self.check_literal(term, goal, live)
            case Refl():
                self.check_reflexivity(term, goal)
            case Hole(name=name):
                if name != "TODO":
                    raise self.error("hole", term.pos, f"the hole ?{name} is to be filled", expected=goal)
            case _:
                observed = self.infer(term, live)
                if not fits(self.machine, observed, goal, self.context.depth):
                    raise self.mismatch(term.pos, goal, observed, hint=hint)

    def function_goal(self, term: Term, goal: Thunk, what: str) -> VPi:
        pi = self.machine.force(goal)
        if not isinstance(pi, VPi):
            raise self.error("cannot-check", term.pos, f"{what} fits no goal but a function type", expected=goal)
        return pi

    def check_lambda(self, term: Lam, goal: Thunk, live: bool, columns: tuple[Column, ...]) -> None:
        """`x => body` at `@q x:A -> B`; a `+` lambda lifts a plain arrow if A is Data."""
        pi = self.function_goal(term, goal, "a parameter too many is named here: it" if columns else "a lambda")
        quantity = pi.quantity
        if term.quantity == REUSABLE and quantity == PLAIN:
            self.require_copyable(pi.domain, term.pos)
            quantity = REUSABLE
        term.typing = (quantity, pi.domain, self.context.depth)
        level = self.context.depth
        variable = self.push(quantity, term.name, pi.domain, term.pos)
        if columns:
            columns[0].quantity = pi.quantity
            columns[0].level = level
            self.check(term.body, pi.codomain(variable), live, columns[1:])
            columns[0].level = -1
        else:
            self.check(term.body, pi.codomain(variable), live)
        self.close(term.pos)

    def check_let(self, term: Let, goal: Thunk, live: bool) -> None:
        """A parallel let: each value is inferred outside, the body sees the names with their definitions."""
        context = self.context
        types = []
        for binder, value in zip(term.binders, term.values, strict=True):
            type_ = self.infer(value, live and binder.quantity != ERASED)
            if binder.quantity == REUSABLE:
                self.require_copyable(type_, term.pos)
            else:
                self.kind_of(type_)
            types.append(type_)
        term.typing = (types, context.depth)
        outer = context.env
        for binder, value, type_ in zip(term.binders, term.values, types, strict=True):
            if context.depth >= MOST_BINDERS:
                raise self.error("too-deep", binder.pos, f"more than {MOST_BINDERS} binders stand around this one")
            context.push_let(binder.quantity, binder.name, type_, value, outer)
        self.check(term.body, goal, live)
        self._close_let(term)

    def _close_let(self, term: Let) -> None:
        """Hold the uses of a let's names against their quantities, in the order written."""
        first = self.context.depth - len(term.binders)
        for at, binder in enumerate(term.binders):
            uses = self.context.uses[first + at]
            if uses and binder.quantity != REUSABLE and (uses > 1 or binder.quantity == ERASED):
                erased = binder.quantity == ERASED
                message = "is erased, but live code uses it" if erased else "is used more than once"
                hint = "drop its -" if erased else f"mark it +{binder.name} if its type is Data"
                raise self.error("usage", term.pos, f"{binder.name} {message}", variable=binder.name, hint=hint)
        for _ in term.binders:
            self.context.pop()

    def check_constructor(self, term: Ctr, goal: Thunk, live: bool) -> None:
        """`K{fields}` at an instance of its datatype with K not removed: goal, name, count, fields."""
        data = self.machine.force(goal)
        constructor = self.book.constructors.get(term.key)
        if constructor is None:
            if isinstance(data, VData):
                raise self.unknown(term.key, term.pos, "constructor")
            name = self.subject.module.spell(term.key)
            raise self.error("cannot-check", term.pos, f"{name}{{..}} does not fit this goal", expected=goal)
        if not (isinstance(data, VData) and data.key == constructor.datatype and term.key not in data.removed):
            message = "a constructor of {observed} stands where {expected} is wanted"
            if isinstance(data, VData) and data.key == constructor.datatype:
                message = "this constructor is matched already, so it is no {expected}"
            raise self.mismatch(term.pos, goal, self.subject.module.spell(constructor.datatype), message)
        if len(term.arguments) != len(constructor.fields):
            name = self.subject.module.spell(term.key)
            wanted, given = len(constructor.fields), len(term.arguments)
            raise self.error("arity", term.pos, f"{name} has {wanted} fields, {given} are given")
        term.typing = (goal, self.context.depth)
        env = data.args
        for field, each in zip(constructor.fields, term.arguments, strict=True):
            self.check(each, Thunk(field.type, env), live and field.quantity != ERASED)
            env = (*env, self.suspend(each))

    def check_literal(self, term: Term, goal: Thunk, live: bool) -> None:
        """A literal at exactly its Base type, else as its first constructor step."""
        name = _LITERAL_TYPES[type(term)]
        data = self.machine.force(goal)
        if isinstance(data, VData) and data.key == name and not data.removed:
            datatype = self.book.datatypes[name]
            if datatype.module.is_base:
                return
        value = self.machine.whnf(term, (), (), True)
        assert isinstance(value, VNat | VU32 | VF32 | VStr)
        step = literal_step(value)
        constructor = self.book.constructors.get(step.key)
        if constructor is None or not isinstance(data, VData) or data.key != constructor.datatype:
            self._refuse_literal(term, step.key, goal)
        fields = tuple([_field_term(each, term.pos) for each in step.args])
        self.check_constructor(Ctr(step.key, fields, term.pos), goal, live)

    def _refuse_literal(self, term: Term, key: str, goal: Thunk) -> NoReturn:
        """A literal at a goal that is not its datatype."""
        name = _LITERAL_TYPES[type(term)]
        if key not in self.book.constructors:
            self.check_constructor(Ctr(key, (), term.pos), goal, False)
        datatype = self.subject.module.spell(self.book.constructors[key].datatype)
        error = self.mismatch(term.pos, goal, datatype, f"a {name} literal stands where {{expected}} is wanted")
        error.hint = LITERAL_HINTS.get((name, error.expected or ""))
        raise error

    def check_reflexivity(self, term: Refl, goal: Thunk) -> None:
        """`{==}` at an equation whose sides are equal."""
        equation = self.machine.force(goal)
        if not isinstance(equation, VEq):
            raise self.error("cannot-check", term.pos, "{==} proves only equations", expected=goal)
        if not equal(self.machine, equation.left, equation.right, self.context.depth):
            message = "{{==}} needs two equal sides, but they compute to {expected} and {observed}"
            hint = "rewrite with a lemma, or match the variable that a side is stuck on"
            raise self.mismatch(term.pos, equation.left, equation.right, message, hint)
        term.typing = (goal, self.context.depth)

    def check_rewrite(self, term: Rewrite, goal: Thunk, live: bool) -> tuple[Term, Thunk]:
        """`%e@E : P; body`: evidence, equation, motive, the motive at the right side against the goal.

        Returns the body and its goal, the motive at the left side and `{==}`.
        """
        evidence_type = self.infer(term.evidence, live)
        equation = self.machine.force(evidence_type)
        if not isinstance(equation, VEq):
            message = "a rewrite needs an equation as its evidence"
            raise self.error("not-an-equation", term.evidence.pos, message, observed=evidence_type)
        outer = self.context.env
        marker = self.push(PLAIN, "_", equation.type, term.pos)
        named = ready(VEq(equation.left, marker, equation.type))
        self.push(PLAIN, term.name or "", named, term.pos)
        self.check(term.motive, _TYPE, False)
        self.context.pop()
        self.context.pop()
        at_right = Thunk(term.motive, (*outer, equation.right, self.suspend(term.evidence)))
        if not fits(self.machine, at_right, goal, self.context.depth):
            message = "the goal is {expected}, but the motive at the evidence's right side is {observed}"
            hint = "put _ in the motive where the evidence's right side stands in the goal"
            raise self.mismatch(term.pos, goal, at_right, message, hint)
        term.typing = (evidence_type, goal, self.context.depth)
        return term.body, Thunk(term.motive, (*outer, equation.left, ready(REFL)))


def _field_term(field: Thunk, pos: int) -> Term:
    """A literal's field as a term of its own."""
    match field.full:
        case VNat(value=value):
            return NatLit(value, pos)
        case VStr(codes=codes, start=start):
            return StrLit(codes[start:], pos)
        case VU32(value=value):
            return U32Lit(value, pos)
        case VCtr(key=key, args=args):
            return Ctr(key, tuple([_field_term(arg, pos) for arg in args]), pos)
    raise AssertionError(field)
