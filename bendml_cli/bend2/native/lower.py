"""Elaborated core to IR: what is erased goes, and functions are specialised on their types.

A definition becomes a function for each way in which its static parameters (types, families of types) are laid out.
Its parameters are the live ones of its whole function type, those past its text included: `f(n) -> IO(Unit)` takes its
continuation as well. Function values are used at most once in Bend, so this repeats no work.

Expected types are followed downwards as the checker does (`Goal`); where one is not known, the representation is Any
and values are coerced where they become known.
"""

from __future__ import annotations

from dataclasses import dataclass

from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.check.elaborate import Elaborator
from bendml_cli.bend2.core.book import Datatype
from bendml_cli.bend2.core.evaluate import argument, literal_step
from bendml_cli.bend2.core.quote import quote
from bendml_cli.bend2.core.terms import (
    ERASED,
    Absurd,
    Ann,
    App,
    Ctr,
    F32Lit,
    Lam,
    NatLit,
    Ref,
    Rewrite,
    StrLit,
    Term,
    U32Lit,
)
from bendml_cli.bend2.core.terms import Let as LetTerm
from bendml_cli.bend2.core.terms import Match as MatchTerm
from bendml_cli.bend2.core.terms import Var as VarTerm
from bendml_cli.bend2.core.values import Thunk, VData, VPi, ready
from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.array_map import lower_array_map
from bendml_cli.bend2.native.ir import (
    Apply,
    Arm,
    Atom,
    Call,
    Const,
    Construct,
    Expr,
    Fun,
    Lambda,
    Match,
    Names,
    Prim,
    Text,
    Unreachable,
    Value,
    Var,
)
from bendml_cli.bend2.native.natives import NATIVES, NativeDefinition
from bendml_cli.bend2.native.reps import Reps, is_live
from bendml_cli.bend2.native.scope import UNIT_VALUE, Arg, Block, Goal, Scope
from bendml_cli.bend2.native.types import Rep
from bendml_cli.bend2.source import BendError

UNKNOWN = Goal(None, types.ANY)
LITERAL_REPS: dict[type[Term], Rep] = {NatLit: types.NAT, U32Lit: types.U32_, F32Lit: types.F32_}


@dataclass(slots=True)
class Instance:
    """A definition at a layout of its static parameters: the function's key, and its type, parameter by parameter."""

    key: str
    statics: tuple[Thunk, ...]
    params: tuple[Rep, ...]
    result: Goal


class Lowering:
    """The functions made so far, and those still to be made."""

    def __init__(self, checker: Checker, names: Names) -> None:
        self.checker = checker
        self.book = checker.book
        self.machine = checker.machine
        self.machine.limit(None)
        self.reps = Reps(checker.machine, checker.book)
        self.elaborator = Elaborator(checker)
        self.names = names
        self.functions: dict[str, Fun] = {}
        self._instances: dict[tuple[str, tuple[Rep | None, ...]], Instance] = {}
        self._shapes: dict[str, tuple[str, ...]] = {}
        self._pending: list[tuple[str, Instance]] = []

    # -- definitions --------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Lower every definition that was called."""
        while self._pending:
            key, instance = self._pending.pop()
            self.functions[instance.key] = self._function(key, instance)

    def type_of(self, key: str) -> Thunk:
        """The type of a definition or of a template's instance."""
        instance = self.checker.templates.types.get(key)
        return Thunk(self.book.definitions[key].type if instance is None else instance, ())

    def shape(self, key: str) -> tuple[str, ...]:
        """The parameters of a definition's whole function type: "static", "unit" (static, but passed to closures),
        "erased" or "live"."""
        known = self._shapes.get(key)
        if known is None:
            shape = []
            type_ = self.machine.force(self.type_of(key))
            while isinstance(type_, VPi):
                shape.append(self._kind_of(type_))
                type_ = self.machine.force(type_.codomain(self.reps.fresh()))
            known = self._shapes[key] = tuple(shape)
        return known

    def _kind_of(self, pi: VPi) -> str:
        if self.reps.is_static(pi.domain):
            return "unit" if is_live(pi.quantity) else "static"
        return "live" if is_live(pi.quantity) else "erased"

    def instance(self, key: str, statics: tuple[Thunk, ...]) -> Instance:
        """The function of a definition at its static arguments (as many as are known, in order)."""
        shape = self.shape(key)
        layout: list[Rep | None] = []
        params = []
        env: tuple[Thunk, ...] = ()
        type_ = self.type_of(key)
        for kind in shape:
            pi = self.machine.force(type_)
            assert isinstance(pi, VPi)
            value = self.reps.fresh()
            if kind in ("static", "unit"):
                if len(env) < len(statics):
                    value = statics[len(env)]
                env = (*env, value)
                layout.append(self.reps.family(value, pi.domain))
            elif kind == "live":
                params.append(self.reps.of(pi.domain))
            type_ = pi.codomain(value)
        known = self._instances.get((key, tuple(layout)))
        if known is None:
            told = [str(each) for each in layout if each is not None]
            name = f"{key}[{', '.join(told)}]" if told else key
            known = Instance(name, env, tuple(params), Goal(type_, self.reps.of(type_)))
            self._instances[key, tuple(layout)] = known
            self._pending.append((key, known))
        return known

    def _function(self, key: str, instance: Instance) -> Fun:
        args: list[Arg] = []
        params: list[Var] = []
        statics = list(instance.statics)
        type_ = self.type_of(key)
        for kind in self.shape(key):
            pi = self.machine.force(type_)
            assert isinstance(pi, VPi)
            value = statics.pop(0) if kind in ("static", "unit") else self.reps.fresh()
            atom: Atom | None = UNIT_VALUE if kind == "unit" else None
            if kind == "live":
                atom = self.names.fresh(pi.name.strip("_") or "x", instance.params[len(params)])
                params.append(atom)
            args.append(Arg(atom, value, pi.domain))
            type_ = pi.codomain(value)
        goal = instance.result
        native = self._native(key)
        block = Block(self.names)
        if native is not None:
            body = native.build(tuple(params), goal.rep, block)
            return Fun(instance.key, tuple(params), goal.rep, block.close(body), inline=True)
        self._refuse_foreign(key)
        definition = self.elaborator.definition(key)
        if definition is not None and key.startswith("Array.map~"):
            flat = lower_array_map(self, definition.body, instance.key, args, goal)
            return Fun(instance.key, tuple(params), goal.rep, flat)
        if definition is None:
            tail = Prim("opaque", (block.bind("name", Text(tuple(map(ord, key))), types.STRING),), types.ANY)
            return Fun(instance.key, tuple(params), goal.rep, block.close(self._as(tail, types.ANY, goal, block)))
        return Fun(instance.key, tuple(params), goal.rep, self.tail(definition.body, Scope(), args, goal))

    def _refuse_foreign(self, key: str) -> None:
        definition = self.book.definitions[key.split("~")[0]]
        if definition.foreign:
            name = definition.module.spell(definition.key)
            message = f"{name} is foreign code, which only Bend itself runs"
            raise BendError("foreign", definition.pos, message, definition=name, hint="use the engine `bend`")

    def _native(self, key: str) -> NativeDefinition | None:
        """How a definition of Base, or an instance of its templates, is built, if not from its text."""
        name = key.split("~")[0]
        definition = self.book.definitions[name]
        return NATIVES.get(name) if definition.module.is_base else None

    # -- terms --------------------------------------------------------------------------------------------------

    def goal(self, type_: Thunk) -> Goal:
        """A type as an expectation."""
        return Goal(type_, self.reps.of(type_))

    def tail(self, term: Term, scope: Scope, args: list[Arg], goal: Goal) -> Expr:
        """The term at arguments, as an expression of its own."""
        block = Block(self.names)
        return block.close(self.expr(term, scope, args, goal, block))

    def atom(self, term: Term, scope: Scope, goal: Goal, block: Block, name: str = "t") -> Atom:
        """The term's value, computed in the block."""
        if goal.rep == types.UNIT:
            return UNIT_VALUE  # whatever it is, it says nothing: a proof, a type
        return block.bind(name, self.expr(term, scope, [], goal, block), goal.rep)

    def expr(self, term: Term, scope: Scope, args: list[Arg], goal: Goal, block: Block) -> Expr:
        """The term at arguments; what comes before its last operation is put into the block."""
        match term:
            case VarTerm():
                return self._variable(term, scope, args, goal, block)
            case App():
                return self._application(term, scope, args, goal, block)
            case Ref():
                return self._call(term, [], scope, args, goal, block)
            case Lam():
                return self._lambda(term, scope, args, goal, block)
            case MatchTerm() | Absurd():
                return self._match(term, scope, args, goal, block)
            case LetTerm():
                return self.expr(term.body, self._let(term, scope, block), args, goal, block)
            case Rewrite():
                return self.expr(term.body, scope, args, goal, block)
            case Ann():
                inner = goal if args else self.goal(argument(term.type, scope.env))
                return self._as(self.expr(term.term, scope, args, inner, block), inner.rep, goal, block)
            case Ctr():
                return self._constructor(term, scope, goal, block)
            case NatLit() | U32Lit() | F32Lit() | StrLit():
                return self._literal(term, goal, block)
        return self._as(Value(UNIT_VALUE), types.UNIT, goal, block)  # types and proofs

    def _literal(self, term: NatLit | U32Lit | F32Lit | StrLit, goal: Goal, block: Block) -> Expr:
        rep = types.STRING if isinstance(term, StrLit) else LITERAL_REPS[type(term)]
        if isinstance(goal.rep, types.Boxed) and goal.rep != rep:
            # A file without Base has datatypes of its own under these names.
            value = self.machine.whnf(term, (), (), True)
            step = literal_step(value)
            fields = tuple([quote(self.machine, self.machine.force(field), 0) for field in step.args])
            return self._constructor(Ctr(step.key, fields), Scope(), goal, block)
        match term:
            case StrLit(codes=codes):
                return self._as(Text(codes) if codes else Value(Const(0, rep)), rep, goal, block)
            case F32Lit(bits=number) | NatLit(value=number) | U32Lit(value=number):
                return self._as(Value(Const(number, rep)), rep, goal, block)

    def _as(self, expr: Expr, have: Rep, goal: Goal, block: Block) -> Expr:
        """An expression of representation `have`, in the goal's."""
        if have == goal.rep:
            return expr
        return Value(block.coerce(block.bind("v", expr, have), goal.rep))

    def _variable(self, term: VarTerm, scope: Scope, args: list[Arg], goal: Goal, block: Block) -> Expr:
        atom = scope.atoms[-1 - term.index]
        if atom is None:
            return self._as(Value(UNIT_VALUE), types.UNIT, goal, block)
        return self._apply(atom, args, goal, block)

    def _apply(self, function: Atom, args: list[Arg], goal: Goal, block: Block) -> Expr:
        """A value at arguments: of those, the ones that are there at run time."""
        live = tuple([block.slot(arg.atom) for arg in args if arg.atom is not None])
        if not live:
            return Value(block.coerce(function, goal.rep))
        function = block.coerce(function, types.FUNCTION)
        slot = self.reps.slot(goal.rep)
        return self._as(Apply(function, live, slot), slot, goal, block)

    def _application(self, term: App, scope: Scope, args: list[Arg], goal: Goal, block: Block) -> Expr:
        head = term.function
        if isinstance(head, Ref):
            return self._call(head, list(term.arguments), scope, args, goal, block)
        type_ = self._type_of_head(head, scope)
        given = self._arguments(type_, term.arguments, scope, block)
        return self.expr(head, scope, given + args, goal, block)

    def _type_of_head(self, head: Term, scope: Scope) -> Thunk | None:
        match head:
            case VarTerm(index=index):
                return scope.types[-1 - index]
            case Ann(type=type_):
                return argument(type_, scope.env)
            case MatchTerm() | Absurd() if head.typing is not None:
                return argument(head.typing[2], scope.env)
        return None

    def _arguments(self, type_: Thunk | None, terms: tuple[Term, ...], scope: Scope, block: Block) -> list[Arg]:
        """Arguments of a function of that type, from left to right."""
        result = []
        for each in terms:
            thunk = argument(each, scope.env)
            pi = None if type_ is None else self.machine.force(type_)
            if not isinstance(pi, VPi):
                result.append(Arg(self.atom(each, scope, UNKNOWN, block), thunk))
                continue
            kind = self._kind_of(pi)
            atom = None
            if kind == "live":
                atom = self.atom(each, scope, self.goal(pi.domain), block, pi.name.strip("_") or "t")
            elif kind == "unit":
                atom = UNIT_VALUE
            result.append(Arg(atom, thunk, pi.domain))
            type_ = pi.codomain(thunk)
        return result

    # -- functions ----------------------------------------------------------------------------------------------

    def _lambda(self, term: Lam, scope: Scope, args: list[Arg], goal: Goal, block: Block) -> Expr:
        if not args:
            return self._closure(term, scope, goal, block)
        first, rest = args[0], args[1:]
        if term.typing is not None and first.atom is not None:
            quantity, domain = term.typing
            type_ = argument(domain, scope.env)
            atom = block.coerce(first.atom, self.reps.of(type_)) if is_live(quantity) else None
            first = Arg(atom, first.thunk, type_)
        return self.expr(term.body, scope.push(first), rest, goal, block)

    def _closure(self, term: Term, scope: Scope, goal: Goal, block: Block) -> Expr:
        """A function value: the term at as many fresh arguments as its type has parameters."""
        type_ = goal.type
        if type_ is None or not isinstance(self.machine.force(type_), VPi):
            type_ = self._type_of_function(term, scope)
        args: list[Arg] = []
        params: list[Var] = []
        pi = self.machine.force(type_)
        while isinstance(pi, VPi):
            value = self.reps.fresh()
            kind = self._kind_of(pi)
            atom: Var | None = None
            if kind in ("live", "unit"):
                rep = types.UNIT if kind == "unit" else self.reps.slot(self.reps.of(pi.domain))
                atom = self.names.fresh(pi.name.strip("_") or "x", rep)
                params.append(atom)
            args.append(Arg(atom, value, pi.domain))
            type_ = pi.codomain(value)
            pi = self.machine.force(type_)
        rep = self.reps.of(type_)
        if not params:
            return self._as(self.expr(term, scope, args, Goal(type_, rep), block), rep, goal, block)
        slot = Goal(type_, self.reps.slot(rep))
        return self._as(Lambda(tuple(params), self.tail(term, scope, args, slot)), types.FUNCTION, goal, block)

    def _type_of_function(self, term: Term, scope: Scope) -> Thunk:
        """The type of a lambda or a match whose goal does not show it, as far as its own typing tells."""
        if isinstance(term, MatchTerm | Absurd) and term.typing is not None:
            return argument(term.typing[2], scope.env)
        assert isinstance(term, Lam)
        quantity, domain = term.typing if term.typing is not None else ("", None)
        type_ = self.reps.fresh() if domain is None else argument(domain, scope.env)
        body = term.body
        inner = scope.push(Arg(None, self.reps.fresh(), type_))
        codomain = self.reps.fresh()
        if isinstance(body, Lam | MatchTerm | Absurd):
            codomain = self._type_of_function(body, inner)
        elif isinstance(body, App | Ctr) and body.typing is not None:
            codomain = argument(body.typing, inner.env)
        elif isinstance(body, VarTerm | Ann):
            codomain = self._type_of_head(body, inner) or codomain
        return ready(VPi(quantity, term.name, type_, lambda _: codomain, codomain))

    def _call(self, ref: Ref, terms: list[Term], scope: Scope, args: list[Arg], goal: Goal, block: Block) -> Expr:
        """A definition at terms, then at arguments."""
        if ref.key in self.book.datatypes:
            return self._as(Value(UNIT_VALUE), types.UNIT, goal, block)
        given = self._arguments(self.type_of(ref.key), tuple(terms), scope, block) + args
        shape = self.shape(ref.key)
        statics = tuple([arg.thunk for arg, kind in zip(given, shape, strict=False) if kind in ("static", "unit")])
        live = [arg.atom for arg, kind in zip(given, shape, strict=False) if kind == "live"]
        missing = [kind for kind in shape[len(given) :] if kind in ("live", "unit")]
        atoms = [UNIT_VALUE if atom is None else atom for atom in live]
        if not missing:
            return self._known(ref, statics, atoms, given[len(shape) :], goal, block)
        instance = self.instance(ref.key, statics)
        params = []
        inner = Block(self.names)
        for kind in missing:
            rep = types.UNIT if kind == "unit" else instance.params[len(atoms)]
            param = self.names.fresh("x", self.reps.slot(rep))
            params.append(param)
            if kind == "live":
                atoms.append(param)
        slot = Goal(None, self.reps.slot(instance.result.rep))
        body = inner.close(self._known(ref, statics, atoms, [], slot, inner))
        return self._as(Lambda(tuple(params), body), types.FUNCTION, goal, block)

    def _known(
        self, ref: Ref, statics: tuple[Thunk, ...], atoms: list[Atom], rest: list[Arg], goal: Goal, block: Block
    ) -> Expr:
        """A call with all of its live arguments, its result at the arguments that are left."""
        instance = self.instance(ref.key, statics)
        args = tuple([block.coerce(atom, rep) for atom, rep in zip(atoms, instance.params, strict=True)])
        result = instance.result.rep
        native = self._native(ref.key)
        prim = None if native is None else native.prim
        call: Expr = Call(instance.key, args, result, ref.offload) if prim is None else Prim(prim, args, result)
        if not any(arg.atom is not None for arg in rest):
            return self._as(call, result, goal, block)
        return self._apply(block.bind("f", call, result), rest, goal, block)

    # -- lets ---------------------------------------------------------------------------------------------------

    def _let(self, term: LetTerm, scope: Scope, block: Block) -> Scope:
        """The scope of a let's body; its values stand outside."""
        types_ = [argument(each, scope.env) for each in term.typing] if term.typing is not None else []
        bound: list[Arg] = []
        parallel = sum(map(self._is_work, term.values)) > 1
        variables: list[Var] = []
        values: list[Expr] = []
        for at, (binder, value) in enumerate(zip(term.binders, term.values, strict=True)):
            type_ = types_[at] if types_ else None
            goal = UNKNOWN if type_ is None else self.goal(type_)
            atom: Atom | None = None
            if binder.quantity != ERASED and goal.rep == types.UNIT:
                atom = UNIT_VALUE
            elif binder.quantity != ERASED and parallel:
                atom = self.names.fresh(binder.name.strip("_") or "x", goal.rep)
                variables.append(atom)
                values.append(self.tail(value, scope, [], goal))
            elif binder.quantity != ERASED:
                atom = self.atom(value, scope, goal, block, binder.name.strip("_") or "x")
            bound.append(Arg(atom, argument(value, scope.env), type_))
        if len(variables) > 1:
            block.bind_parallel(tuple(variables), tuple(values))
        elif variables:
            block.bind_to(variables[0], values[0])
        for arg in bound:
            scope = scope.push(arg)
        return scope

    def _is_work(self, term: Term) -> bool:
        """Is this worth a thread: a call of a definition that is no primitive?"""
        while isinstance(term, Ann):
            term = term.term
        head = term.function if isinstance(term, App) else term
        return isinstance(head, Ref) and head.key not in self.book.datatypes and self._native(head.key) is None

    # -- data ---------------------------------------------------------------------------------------------------

    def _constructor(self, term: Ctr, scope: Scope, goal: Goal, block: Block) -> Expr:
        type_ = argument(term.typing, scope.env) if term.typing is not None else goal.type
        constructor = self.book.constructors[term.key]
        data = None if type_ is None else self.machine.force(type_)
        if not isinstance(data, VData):
            datatype = self.book.datatypes[constructor.datatype]
            data = VData(datatype.key, tuple([self.reps.fresh() for _ in datatype.parameters]), ())
        rep = self.reps.of(ready(data))
        env = data.args
        atoms: list[Atom] = []
        for field, each in zip(constructor.fields, term.arguments, strict=True):
            if is_live(field.quantity) and rep != types.UNIT:
                wanted = self.goal(Thunk(field.type, env))
                atoms.append(self.atom(each, scope, wanted, block, field.name.strip("_") or "t"))
            env = (*env, argument(each, scope.env))
        return self._as(self._construct(term.key, data.key, atoms, rep, block), rep, goal, block)

    def _construct(self, key: str, datatype: str, atoms: list[Atom], rep: Rep, block: Block) -> Expr:
        match rep:
            case types.Unit():
                return Value(UNIT_VALUE)
            case types.Nat():
                if not atoms:
                    return Value(Const(0, rep))
                if isinstance(atoms[0], Const):
                    return Value(Const(atoms[0].value + 1, rep))
                return Prim("nat_succ", (atoms[0],), rep)
            case types.Char():
                return Value(block.coerce(atoms[0], rep))
            case types.U32():
                return Prim("word_to_u32", (atoms[0],), rep)
            case types.F32():
                return Prim("f32_of_bits", (block.prim("word_to_u32", (atoms[0],), types.U32_),), rep)
            case types.Array():
                if key == "ALeaf":
                    return Prim("arr_leaf", (block.coerce(atoms[0], rep.element),), rep)
                return Prim("arr_node", tuple(atoms), rep)
        tag = self.book.datatypes[datatype].constructors.index(key)
        if not atoms:
            return Value(Const(tag, rep))
        if isinstance(rep, types.Record):
            fields = tuple([block.coerce(atom, field) for atom, field in zip(atoms, rep.fields, strict=True)])
            return Construct(key, tag, fields, rep)
        return Construct(key, tag, tuple([block.slot(atom) for atom in atoms]), rep)

    def _match(self, term: MatchTerm | Absurd, scope: Scope, args: list[Arg], goal: Goal, block: Block) -> Expr:
        if not args:
            return self._closure(term, scope, goal, block)
        if isinstance(term, Absurd) or term.typing is None or args[0].atom is None:
            return Unreachable(goal.rep)
        data = self.machine.force(argument(term.typing[1], scope.env))
        assert isinstance(data, VData)
        rep = self.reps.of(ready(data))
        atom = block.coerce(args[0].atom, rep)
        scrutinee = Arg(atom, args[0].thunk, ready(data))
        arms = []
        rest: Term = term
        while isinstance(rest, MatchTerm):
            arms.append((rest.constructor, rest.hit))
            rest = rest.miss
        if rep in (types.UNIT, types.U32_, types.F32_, types.CHAR):
            key, hit = arms[0]
            fields = self._scalar_fields(key, data, atom, rep, block)
            return self.expr(hit, scope, fields + args[1:], goal, block)
        if isinstance(rep, types.Array):
            return self._match_array(dict(arms), rest, scope, scrutinee, args[1:], goal, block, rep)
        var = block.bind_variable(atom)
        datatype = self.book.datatypes[data.key]
        lowered = tuple([self._arm(key, hit, datatype, data, scope, args[1:], goal, rep) for key, hit in arms])
        default = None
        if not isinstance(rest, Absurd):
            default = self.tail(rest, scope, [Arg(var, scrutinee.thunk, scrutinee.type), *args[1:]], goal)
        return Match(var, lowered, default, goal.rep)

    def _scalar_fields(self, key: str, data: VData, atom: Atom, rep: Rep, block: Block) -> list[Arg]:
        """The fields of a constructor whose datatype is a scalar, or nothing."""
        constructor = self.book.constructors[key]
        types_ = self.reps.field_types(data, constructor)
        if rep == types.UNIT:
            return [Arg(None, self.reps.fresh(), type_) for type_ in types_]
        if rep == types.CHAR:
            value = block.coerce(atom, types.U32_)
        else:
            bits = block.prim("f32_word", (atom,), types.U32_) if rep == types.F32_ else atom
            value = block.prim("u32_to_word", (bits,), self.reps.of(types_[0]))
        return [Arg(value, self.reps.fresh(), types_[0])]

    def _arm(
        self,
        key: str,
        hit: Term,
        datatype: Datatype,
        data: VData,
        scope: Scope,
        rest: list[Arg],
        goal: Goal,
        rep: Rep,
    ) -> Arm:
        constructor = self.book.constructors[key]
        fields: list[Var] = []
        args: list[Arg] = []
        for field, type_ in zip(constructor.fields, self.reps.field_types(data, constructor), strict=True):
            atom: Var | None = None
            if is_live(field.quantity):
                own = rep.fields[len(fields)] if isinstance(rep, types.Record) else self.reps.slot(self.reps.of(type_))
                atom = self.names.fresh(field.name.strip("_") or "x", own)
                fields.append(atom)
            args.append(Arg(atom, self.reps.fresh(), type_))
        inner = Block(self.names)
        known = [
            arg if arg.atom is None else Arg(inner.coerce(arg.atom, self.reps.of(arg.type)), arg.thunk, arg.type)
            for arg in args
            if arg.type is not None
        ]
        body = inner.close(self.expr(hit, scope, known + rest, goal, inner))
        return Arm(key, datatype.constructors.index(key), tuple(fields), body)

    def _match_array(
        self,
        arms: dict[str, Term],
        default: Term,
        scope: Scope,
        scrutinee: Arg,
        rest: list[Arg],
        goal: Goal,
        block: Block,
        rep: types.Array,
    ) -> Expr:
        """A match on an array: is it a node? Then its halves become arrays of their own."""
        data = scrutinee.type
        assert data is not None
        assert scrutinee.atom is not None
        array = scrutinee.atom
        instance = self.machine.force(data)
        assert isinstance(instance, VData)

        def arm(key: str) -> Expr:
            if key not in arms:
                return self.tail(default, scope, [scrutinee, *rest], goal)
            inner = Block(self.names)
            types_ = self.reps.field_types(instance, self.book.constructors[key])
            if key == "ALeaf":
                values = [inner.prim("arr_leaf_value", (array,), rep.element)]
                values[0] = inner.coerce(values[0], self.reps.of(types_[0]))
            else:
                values = [inner.prim("arr_left", (array,), rep), inner.prim("arr_right", (array,), rep)]
            args = [Arg(value, self.reps.fresh(), type_) for value, type_ in zip(values, types_, strict=True)]
            return inner.close(self.expr(arms[key], scope, args + rest, goal, inner))

        is_node = block.bind_variable(block.prim("arr_is_node", (array,), types.BOOL))
        cases = (Arm("False", 0, (), arm("ALeaf")), Arm("True", 1, (), arm("ANode")))
        return Match(is_node, cases, None, goal.rep)
