"""Simplifying one function: a walk that substitutes, inlines, applies lambdas and chooses arms, all at once.

The walk reads an expression under an *environment* (what the variables of the source stand for) and writes operations
to a *block*; whatever it writes has fresh variables, so that a body may be read more than once. What an expression
gives is a *tail*: an operation, a lambda that is not made yet (`Delayed`: it is read where it is applied, or made where
it is used as a value), or a match that is not written yet (`Pending`: what consumes its value can still move into its
arms). `facts` has what is known of written variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.facts import UNIT_CONST, Excluded, Facts
from bendml_cli.bend2.native.fold import fold, fold_match
from bendml_cli.bend2.native.occurrences import Uses, is_free_of_calls, size_of
from bendml_cli.bend2.native.tails import (
    Bind,
    Block,
    Consumer,
    Delayed,
    Env,
    Fork,
    Opened,
    Pending,
    Tail,
    close,
    is_passed_on,
)
from bendml_cli.bend2.native.types import FUNCTION, Record, Rep, Unit, is_word

SMALL_CALLEE = 14
"""A function of at most so many operations is inlined everywhere."""
LAMBDA_BONUS = 80
"""So much larger may a function be for a lambda that it applies."""
KNOWN_BONUS = 12
"""So much larger may a function be for an argument of known constructor that it matches."""
LARGEST_GROWN = 3000
"""A function past so many operations takes in only what is inlined nowhere else."""

BOOLS = ("False", "True")


@dataclass(slots=True, eq=False)
class Callee:
    """What the walk knows of a function that it may inline."""

    fun: ir.Fun
    size: int
    sites: int
    may_inline: bool


@dataclass(slots=True, eq=False)
class _Rest:
    """What is to be read next."""

    body: ir.Expr


class Rewriter:
    """Rewrites a function of a program. `uses` counts the variables of all bodies that it reads; `changes` counts what
    it did, so that zero means there was nothing to do."""

    def __init__(self, callees: dict[str, Callee], uses: Uses, names: ir.Names) -> None:
        self.callees = callees
        self.uses = uses
        self.names = names
        self.changes = 0
        self.facts = Facts()
        self._used_once: set[ir.Var] = set()
        self._taken_in: set[str] = set()
        self._room = 0

    def function(self, fun: ir.Fun) -> ir.Fun:
        """The function with its body rewritten, over fresh variables."""
        self._room = max(LARGEST_GROWN - size_of(fun.body, LARGEST_GROWN), 0)
        params = tuple(self._fresh(param) for param in fun.params)
        body = self._branch(fun.body, dict(zip(fun.params, params, strict=True)))
        return ir.Fun(fun.key, params, fun.result, body, fun.inline, fun.is_closure, fun.captured, fun.borrowed)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _branch(self, expr: ir.Expr, env: Env, then: Sequence[Consumer] = ()) -> ir.Expr:
        """An expression (and its consumers) as an expression of its own; what it learns is forgotten after."""
        mark = self.facts.mark()
        block: Block = []
        tail = self._feed(self._read(expr, env, block), then, block)
        if isinstance(tail, Pending):
            tail = self._write(tail)
        elif isinstance(tail, Delayed):
            tail = self._lambda(tail)
        self.facts.forget(mark)
        return close(tail, block)

    def _read(self, expr: ir.Expr, env: Env, block: Block) -> Tail:
        """The tail of an expression, what comes before it written to the block."""
        while True:
            match expr:
                case ir.Let(var, value, body):
                    if is_passed_on(var, body):
                        expr = value
                        continue
                    going = self._let(var, self._read(value, env, block), body, env, block)
                    if not isinstance(going, _Rest):
                        return going
                    expr = going.body
                case ir.Match():
                    chosen = self._match(expr, env, block)
                    if isinstance(chosen, Pending):
                        return chosen
                    expr = chosen
                case ir.Call():
                    args = [self._look(arg, env) for arg in expr.args]
                    callee = self.callees[expr.function]
                    if not self._is_inlined(expr, callee, args):
                        return ir.Call(expr.function, self._made(args, block), expr.rep, expr.offload)
                    self.changes += 1
                    env = {}
                    self._bind_all(callee.fun.params, args, env, block)
                    expr = callee.fun.body
                case ir.Apply():
                    entered = self._apply(expr, env, block)
                    if not isinstance(entered, tuple):
                        return entered
                    expr, env = entered
                case ir.Parallel(vars_, values, body):
                    self._parallel(vars_, values, env, block)
                    expr = body
                case ir.Value(atom):
                    value_ = self._look(atom, env)
                    return value_ if isinstance(value_, Delayed) else ir.Value(value_)
                case ir.Prim(name, args_, rep):
                    return self._prim(ir.Prim(name, self._atoms(args_, env, block), rep))
                case ir.Construct(constructor, tag, args_, rep):
                    fields = self._atoms(args_, env, block)
                    if not isinstance(rep, Record):
                        fields = tuple(map(self.facts.as_slot, fields))
                    made = ir.Construct(constructor, tag, fields, rep)
                    whole = self.facts.whole(made)
                    return made if whole is None else ir.Value(whole)
                case ir.Coerce(atom, rep):
                    coerced = self._look(atom, env)
                    return coerced if isinstance(coerced, Delayed) else self.facts.coerce(coerced, rep)
                case ir.Lambda(params, body):
                    return Delayed(params, body, env)
                case ir.Text(codes):
                    return ir.Text(codes)
                case ir.Unreachable(rep):
                    return ir.Unreachable(rep)
                case _:
                    raise AssertionError(expr)

    def _let(self, var: ir.Var, tail: Tail, body: ir.Expr, env: Env, block: Block) -> Tail | _Rest:
        """Bind a variable to a tail. What of `body` is to be read next, or a tail that has all of it inside."""
        while isinstance(tail, Pending):
            if tail.takes_whole():
                tail.then.append(Consumer(var, body, env))
                return tail
            body = self._delay_lambdas(body, env)
            consumer = body.value if isinstance(body, ir.Let) else body
            if self._moves(tail, var, consumer, env, block):
                tail.then.append(Consumer(var, consumer, env))
                if not isinstance(body, ir.Let):
                    return tail
                var, body = body.var, body.body
            else:
                tail = self._write(tail)
        if isinstance(tail, ir.Unreachable):
            return tail
        self._assign(var, tail, env, block)
        return _Rest(body)

    def _delay_lambdas(self, body: ir.Expr, env: Env) -> ir.Expr:
        """What follows the lambdas at the start of a body; they will be made where they are used."""
        while isinstance(body, ir.Let) and isinstance(body.value, ir.Lambda) and self.uses.counts.get(body.var) == 1:
            env[body.var] = Delayed(body.value.params, body.value.body, env)
            body = body.body
        return body

    def _feed(self, tail: Tail, then: Sequence[Consumer], block: Block) -> Tail:
        """What the consumers make of a tail, one after the other."""
        for at, consumer in enumerate(then):
            if isinstance(tail, Pending):
                if tail.takes_whole():
                    tail.then += then[at:]
                    return tail
                is_last = at + 1 == len(then)
                if is_last and self._moves(tail, consumer.var, consumer.body, consumer.env, block):
                    tail.then.append(consumer)
                    return tail
                tail = self._write(tail)
            if isinstance(tail, ir.Unreachable):
                return tail
            self._assign(consumer.var, tail, consumer.env, block)
            tail = self._read(consumer.body, consumer.env, block)
        return tail

    def _moves(self, pending: Pending, var: ir.Var, consumer: ir.Expr, env: Env, block: Block) -> bool:
        """Does a consumer of `var` move into the pending match? Larger lambdas that it uses are made before."""
        match consumer:
            case ir.Match(scrutinee=consumed) | ir.Apply(function=consumed) | ir.Coerce(consumed):
                pass
            case _:
                return False
        if consumed is not var or self.uses.counts.get(var, 1) != 1 or not pending.takes(consumer):
            return False
        self.changes += 1
        for free in ir.free_variables(consumer):
            value = env.get(free)
            if isinstance(value, Delayed) and not value.is_small():
                env[free] = self._make(value, block)
        return True

    def _assign(self, var: ir.Var, tail: ir.Expr | Delayed, env: Env, block: Block) -> None:
        """A variable of the source stands for a tail from now on."""
        if isinstance(tail, Delayed):
            is_kept = self.uses.counts.get(var, 0) <= 1 or tail.is_small()
            env[var] = tail if is_kept else self._make(tail, block)
        elif isinstance(tail, ir.Value):
            env[var] = self._coerced(tail.atom, var.rep, block)
        else:
            written = self._emit(tail, var, block)
            env[var] = UNIT_CONST if isinstance(var.rep, Unit) else self._coerced(written, var.rep, block)

    def _bind_all(self, params: Sequence[ir.Var], args: Sequence[ir.Atom | Delayed], env: Env, block: Block) -> None:
        """Parameters of the source stand for arguments from now on."""
        for param, arg in zip(params, args, strict=True):
            self._assign(param, arg if isinstance(arg, Delayed) else ir.Value(arg), env, block)

    def _emit(self, value: ir.Expr, var: ir.Var, block: Block) -> ir.Var:
        """Write a let, with a variable like `var`; of the value's own representation where the two differ in C."""
        rep = ir.rep_of(value)
        new = self.names.fresh(var.name, var.rep if rep == var.rep or (is_word(rep) and is_word(var.rep)) else rep)
        block.append(Bind(new, value))
        if isinstance(value, ir.Construct | ir.Coerce | ir.Prim):
            self.facts.known[new] = value
        if self.uses.counts.get(var) == 1:
            self._used_once.add(new)
        return new

    def _parallel(self, vars_: tuple[ir.Var, ...], values: tuple[ir.Expr, ...], env: Env, block: Block) -> None:
        """Write a Parallel; only calls are worth a thread, so that with fewer than two of them it is lets in order."""
        written = [self._branch(value, env) for value in values]
        if sum(not is_free_of_calls(value) for value in written) < 2:
            self.changes += 1
            for var, value in zip(vars_, written, strict=True):
                self._assign(var, value, env, block)
            return
        news = tuple(self._fresh(var) for var in vars_)
        block.append(Fork(news, tuple(written)))
        for var, new in zip(vars_, news, strict=True):
            env[var] = UNIT_CONST if isinstance(new.rep, Unit) else new

    # -- atoms ------------------------------------------------------------------------------------------------------

    def _fresh(self, var: ir.Var) -> ir.Var:
        return self.names.fresh(var.name, var.rep)

    def _look(self, atom: ir.Atom, env: Env) -> ir.Atom | Delayed:
        """What an atom of the source stands for."""
        value = env.get(atom, atom) if isinstance(atom, ir.Var) else atom
        return self.facts.value(value) if isinstance(value, ir.Var) else value

    def _atoms(self, atoms: Iterable[ir.Atom], env: Env, block: Block) -> tuple[ir.Atom, ...]:
        return self._made([self._look(atom, env) for atom in atoms], block)

    def _made(self, values: Iterable[ir.Atom | Delayed], block: Block) -> tuple[ir.Atom, ...]:
        """The values as atoms: lambdas are made now."""
        return tuple([self._make(value, block) if isinstance(value, Delayed) else value for value in values])

    def _make(self, delayed: Delayed, block: Block) -> ir.Atom:
        """A closure of a lambda that nobody takes apart."""
        made = self._lambda(delayed)
        if isinstance(made, ir.Value):
            return made.atom
        new = self.names.fresh("f", FUNCTION)
        block.append(Bind(new, made))
        return new

    def _lambda(self, delayed: Delayed) -> ir.Lambda | ir.Value:
        """The lambda as written; just f for a lambda of x that only applies f to x."""
        env = delayed.enter()
        params = tuple(self._fresh(param) for param in delayed.params)
        env.update(zip(delayed.params, params, strict=True))
        body = self._branch(delayed.body, env)
        match body:
            case ir.Apply(ir.Var() as function, args) if args == params and function not in params:
                return ir.Value(function)
        return ir.Lambda(params, body)

    def _coerced(self, atom: ir.Atom, rep: Rep, block: Block) -> ir.Atom:
        """An atom of this representation that is the same value."""
        if atom.rep == rep:
            return atom
        coerced = self.facts.coerce(atom, rep)
        if isinstance(coerced, ir.Value):
            return coerced.atom
        new = self.names.fresh(atom.name if isinstance(atom, ir.Var) else "c", rep)
        self.facts.known[new] = coerced
        block.append(Bind(new, coerced))
        return new

    # -- operations -------------------------------------------------------------------------------------------------

    def _prim(self, prim: ir.Prim) -> ir.Expr:
        folded = fold(prim, self.facts.known)
        if prim.name == "nat_succ":
            successor = self.facts.successor(prim.args[0])
            if successor is not None:
                folded = ir.Value(successor)
        elif prim.name == "word_to_u32":
            number = self.facts.number(prim.args[0])
            if number is not None:
                folded = ir.Value(number)
        self.changes += folded is not prim
        return folded

    def _is_inlined(self, call: ir.Call, callee: Callee, args: Sequence[ir.Atom | Delayed]) -> bool:
        if not callee.may_inline or call.offload:
            return False
        if callee.fun.inline:
            return True
        if callee.sites == 1 and call.function not in self._taken_in:
            self._taken_in.add(call.function)
            return True
        limit = SMALL_CALLEE
        for param, arg in zip(callee.fun.params, args, strict=True):
            if param in self.uses.opened:
                if isinstance(arg, Delayed):
                    limit += LAMBDA_BONUS
                elif self.facts.is_constructor(arg):
                    limit += KNOWN_BONUS
        if callee.size > min(limit, self._room):
            return False
        self._room -= callee.size
        return True

    def _apply(self, expr: ir.Apply, env: Env, block: Block) -> Tail | tuple[ir.Expr, Env]:
        """The tail of an application, or the body of the applied lambda to read in its place."""
        function = self._look(expr.function, env)
        args = [self._look(arg, env) for arg in expr.args]
        if not isinstance(function, Delayed):
            slots = tuple([self.facts.as_slot(arg) for arg in self._made(args, block)])
            return self._apply_unknown(function, slots, expr.rep, block)
        self.changes += 1
        params, body, inner = function.params, function.body, function.enter()
        taken = min(len(params), len(args))
        self._bind_all(params[:taken], args[:taken], inner, block)
        if taken < len(params):
            return Delayed(params[taken:], body, inner)
        if taken < len(args):
            consumer = self._application_of_result(args[taken:], expr.rep)
            return self._feed(self._read(body, inner, block), (consumer,), block)
        rep = ir.rep_of(body)
        if rep == expr.rep or (is_word(rep) and is_word(expr.rep)):
            return body, inner
        result = self.names.fresh("r", rep)
        consumer = Consumer(result, ir.Coerce(result, expr.rep), {})
        return self._feed(self._read(body, inner, block), (consumer,), block)

    def _application_of_result(self, args: Sequence[ir.Atom | Delayed], rep: Rep) -> Consumer:
        """The application of what a lambda gives to the arguments that it did not take."""
        result = self.names.fresh("f", FUNCTION)
        rest = tuple([self.names.fresh("x", FUNCTION if isinstance(arg, Delayed) else arg.rep) for arg in args])
        for each in (result, *rest):
            self.uses.counts[each] = 1
        return Consumer(result, ir.Apply(result, rest, rep), dict(zip(rest, args, strict=True)))

    def _apply_unknown(self, function: ir.Atom, args: tuple[ir.Atom, ...], rep: Rep, block: Block) -> ir.Expr:
        """An application as written; at once with the one before it that gave just this function."""
        match block[-1] if block else None:
            case Bind(var, ir.Apply(first, before)) if var is function and var in self._used_once:
                self.changes += 1
                block.pop()
                return ir.Apply(first, before + args, rep)
        return ir.Apply(function, args, rep)

    # -- matches ----------------------------------------------------------------------------------------------------

    def _match(self, expr: ir.Match, env: Env, block: Block) -> ir.Expr | Pending:
        """The chosen arm to read next, its fields bound; or the match with the arms that may be chosen."""
        looked = self._look(expr.scrutinee, env)
        assert not isinstance(looked, Delayed), "a function is matched"
        scrutinee, flips = self.facts.root(looked)
        arms = [ir.Arm(BOOLS[1 - a.tag], 1 - a.tag, (), a.body) for a in expr.arms] if flips else list(expr.arms)
        known = self.facts.constructor(scrutinee)
        if known is not None:
            self.changes += 1
            tag, fields = known
            for arm in arms:
                if arm.tag == tag:
                    self._bind_all(arm.fields, fields, env, block)
                    return arm.body
            return expr.default if expr.default is not None else ir.Unreachable(expr.rep)
        assert isinstance(scrutinee, ir.Var)
        excluded = self.facts.excluded(scrutinee)
        default = expr.default if not isinstance(expr.default, ir.Unreachable) else None
        arms = [arm for arm in arms if arm.tag not in excluded and not isinstance(arm.body, ir.Unreachable)]
        if not arms:
            return default if default is not None else ir.Unreachable(expr.rep)
        if len(arms) > 1 or default is not None:
            return Pending(scrutinee, arms, default, expr.rep, env)
        arm = arms[0]
        if isinstance(scrutinee.rep, Record) and not isinstance(looked.rep, Record):
            self._open_record(scrutinee, arm, env, block)
        else:
            opened = self._entered(scrutinee, arm, env)
            if opened.fields:
                block.append(Opened(scrutinee, opened))
        return arm.body

    def _open_record(self, scrutinee: ir.Var, arm: ir.Arm, env: Env, block: Block) -> None:
        """Match a Record where the source matches its form as a word, whose fields have other representations."""
        assert isinstance(scrutinee.rep, Record)
        names = [field.name for field in arm.fields]
        fields = tuple([self.names.fresh(*each) for each in zip(names, scrutinee.rep.fields, strict=True)])
        opened = ir.Arm(arm.constructor, arm.tag, fields, ir.Value(UNIT_CONST))
        block.append(Opened(scrutinee, opened))
        self.facts.enter(scrutinee, opened)
        self._bind_all(arm.fields, fields, env, block)

    def _entered(self, scrutinee: ir.Var, arm: ir.Arm, env: Env) -> ir.Arm:
        """The arm with fresh fields, its body to be written yet; learns the scrutinee's constructor."""
        fields = tuple([self._fresh(field) for field in arm.fields])
        env.update(zip(arm.fields, fields, strict=True))
        entered = ir.Arm(arm.constructor, arm.tag, fields, ir.Value(UNIT_CONST))
        self.facts.enter(scrutinee, entered)
        return entered

    def _write(self, pending: Pending) -> ir.Expr:
        """A match as written, its arms read."""
        arms: list[ir.Arm] = []
        scrutinee = pending.scrutinee
        for source in pending.arms:
            mark = self.facts.mark()
            arm = self._entered(scrutinee, source, pending.env)
            arm.body = self._branch(source.body, pending.env, pending.then)
            self.facts.forget(mark)
            if not isinstance(arm.body, ir.Unreachable):
                arms.append(arm)
        default = None
        if pending.default is not None:
            mark = self.facts.mark()
            others = frozenset(arm.tag for arm in pending.arms)
            self.facts.learn(scrutinee, Excluded(self.facts.excluded(scrutinee) | others))
            default = self._branch(pending.default, pending.env, pending.then)
            self.facts.forget(mark)
            if isinstance(default, ir.Unreachable):
                default = None
        rep = ir.rep_of(pending.then[-1].body) if pending.then else pending.rep
        if not arms:
            return default if default is not None else ir.Unreachable(rep)
        written = ir.Match(scrutinee, tuple(arms), default, rep)
        folded = fold_match(written, self.facts.known)
        self.changes += folded is not written
        return folded
