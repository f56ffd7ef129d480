"""Simplifying one function: a walk that substitutes, inlines, applies lambdas and chooses arms, all at once.

The walk reads an expression under an *environment* (what the variables of the source stand for) and writes operations
to a *block*; whatever it writes has fresh variables, so that a body may be read more than once. What an expression
gives is a *tail*: an operation, a lambda that is not made yet (`Delayed`: it is read where it is applied, or made where
it is used as a value), or a match that is not written yet (`Pending`: what consumes its result can still move into its
arms). `facts` has what is known of written variables: the operation that each stands for, and inside an arm the
constructor of the matched one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.fold import fold, fold_match
from bendml_cli.bend2.native.occurrences import Uses, is_free_of_calls, size_of
from bendml_cli.bend2.native.types import FUNCTION, NAT, U32, UNIT, Any, Boxed, Char, Enum, Record, Rep, Unit, is_word

SMALL_LAMBDA = 6
"""A lambda of at most so many operations is read at each of its uses."""
SMALL_CALLEE = 14
"""A function of at most so many operations is inlined everywhere."""
LAMBDA_BONUS = 80
"""So much larger may a function be for a lambda that it applies."""
KNOWN_BONUS = 12
"""So much larger may a function be for an argument of known constructor that it matches."""
MOST_COPIED = 24
"""So many operations may be copied to move a consumer into the arms of a match."""
MOST_TAILS = 12
"""Matches of more ends than this keep their consumers outside."""
LARGEST_GROWN = 3000
"""A function past so many operations takes in only what is inlined nowhere else."""

BOOLS = ("False", "True")
UNIT_CONST = ir.Const(0, UNIT)


@dataclass(slots=True, eq=False)
class Delayed:
    """A lambda of the source that is not made yet, with the environment to read it under."""

    params: tuple[ir.Var, ...]
    body: ir.Expr
    env: Env
    entered: bool = False

    def enter(self) -> Env:
        """An environment to bind the parameters in: a copy, where the body may be read already."""
        if self.entered:
            return dict(self.env)
        self.entered = True
        return self.env


Env = dict[ir.Var, "ir.Atom | Delayed"]


@dataclass(slots=True, eq=False)
class Consumer:
    """What happens with the value of a pending match: `var` is bound to it, then `body` is read."""

    var: ir.Var
    body: ir.Expr
    env: Env


@dataclass(slots=True, eq=False)
class Pending:
    """A match of at least two cases whose arms (of the source) are not read yet, and what consumes its value."""

    scrutinee: ir.Var
    arms: list[ir.Arm]
    default: ir.Expr | None
    rep: Rep
    env: Env
    excluded: frozenset[int]
    then: list[Consumer] = field(default_factory=list)


Tail = ir.Expr | Delayed | Pending


@dataclass(slots=True, eq=False)
class Excluded:
    """A variable is none of these constructors."""

    tags: frozenset[int]


@dataclass(slots=True, eq=False)
class Rest:
    """What is to be read next."""

    body: ir.Expr


Fact = ir.Expr | ir.Const | Excluded


@dataclass(slots=True, eq=False)
class Opened:
    """A match of one case, around the rest of its block."""

    scrutinee: ir.Var
    arm: ir.Arm


@dataclass(slots=True, eq=False)
class Bind:
    """A let around the rest of its block."""

    var: ir.Var
    value: ir.Expr


@dataclass(slots=True, eq=False)
class Fork:
    """A parallel let around the rest of its block."""

    vars: tuple[ir.Var, ...]
    values: tuple[ir.Expr, ...]


Block = list[Opened | Bind | Fork]


@dataclass(slots=True, eq=False)
class Callee:
    """What the walk knows of a function that it may inline."""

    fun: ir.Fun
    size: int
    sites: int
    may_inline: bool


class Rewriter:
    """Rewrites functions of a program. `uses` counts the variables of all bodies that it reads; `changes` counts what
    it did, so that zero means there was nothing to do."""

    def __init__(self, callees: dict[str, Callee], uses: Uses, names: ir.Names) -> None:
        self.callees = callees
        self.uses = uses
        self.names = names
        self.changes = 0
        self._facts: dict[ir.Var, Fact] = {}
        self._wholes: dict[ir.Var, ir.Var] = {}
        self._trail: list[tuple[ir.Var, Fact | None]] = []
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
        mark = len(self._trail)
        block: Block = []
        written = self._close(self._feed(self._read(expr, env, block), then, block), block)
        self._forget(mark)
        return written

    def _read(self, expr: ir.Expr, env: Env, block: Block) -> Tail:
        """The tail of an expression, what comes before it written to the block."""
        while True:
            match expr:
                case ir.Let(var, value, body):
                    if _is_passed_on(var, body):
                        expr = value
                        continue
                    going = self._let(var, self._read(value, env, block), body, env, block)
                    if not isinstance(going, Rest):
                        return going
                    expr = going.body
                case ir.Value(atom):
                    value_ = self._look(atom, env)
                    return value_ if isinstance(value_, Delayed) else ir.Value(value_)
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
                case ir.Prim(name, args_, rep):
                    return self._prim(ir.Prim(name, self._atoms(args_, env, block), rep))
                case ir.Construct(constructor, tag, args_, rep):
                    fields = self._slots(self._atoms(args_, env, block), rep)
                    return self._construct(ir.Construct(constructor, tag, fields, rep))
                case ir.Coerce(atom, rep):
                    coerced = self._look(atom, env)
                    return coerced if isinstance(coerced, Delayed) else self._coerce(coerced, rep)
                case ir.Lambda(params, body):
                    return Delayed(params, body, env)
                case ir.Parallel(vars_, values, body):
                    self._parallel(vars_, values, env, block)
                    expr = body
                case ir.Text(codes):
                    return ir.Text(codes)
                case ir.Unreachable(rep):
                    return ir.Unreachable(rep)
                case _:
                    raise AssertionError(expr)

    def _let(self, var: ir.Var, tail: Tail, body: ir.Expr, env: Env, block: Block) -> Tail | Rest:
        """Bind a variable to a tail. What of `body` is to be read next, or a tail that has all of it inside."""
        while isinstance(tail, Pending):
            if self._moves_whole(tail):
                tail.then.append(Consumer(var, body, env))
                return tail
            consumer = body.value if isinstance(body, ir.Let) else body
            if self._moves(tail, var, consumer, env, block):
                self.changes += 1
                tail.then.append(Consumer(var, consumer, env))
                if not isinstance(body, ir.Let):
                    return tail
                var, body = body.var, body.body
            else:
                tail = self._write(tail)
        if isinstance(tail, ir.Unreachable):
            return tail
        self._assign(var, tail, env, block)
        return Rest(body)

    def _feed(self, tail: Tail, then: Sequence[Consumer], block: Block) -> Tail:
        """What the consumers make of a tail."""
        for at, consumer in enumerate(then):
            if isinstance(tail, Pending):
                is_last = at + 1 == len(then)
                if self._moves_whole(tail):
                    tail.then += then[at:]
                    return tail
                if is_last and self._moves(tail, consumer.var, consumer.body, consumer.env, block):
                    tail.then.append(consumer)
                    return tail
                tail = self._write(tail)
            if isinstance(tail, ir.Unreachable):
                return tail
            self._assign(consumer.var, tail, consumer.env, block)
            tail = self._read(consumer.body, consumer.env, block)
        return tail

    def _assign(self, var: ir.Var, tail: ir.Expr | Delayed, env: Env, block: Block) -> None:
        """A variable of the source stands for a tail from now on."""
        if isinstance(tail, Delayed):
            env[var] = tail if self._is_kept_delayed(var, tail) else self._make(tail, block)
        elif isinstance(tail, ir.Value):
            env[var] = self._coerced(tail.atom, var.rep, block)
        else:
            written = self._emit(tail, var, block)
            env[var] = UNIT_CONST if isinstance(var.rep, Unit) else self._coerced(written, var.rep, block)

    def _emit(self, value: ir.Expr, var: ir.Var, block: Block) -> ir.Var:
        """Write a let, with a variable like `var`; of the value's own representation where the two differ in C."""
        rep = ir.rep_of(value)
        new = self.names.fresh(var.name, var.rep if rep == var.rep or (is_word(rep) and is_word(var.rep)) else rep)
        block.append(Bind(new, value))
        if isinstance(value, ir.Construct | ir.Text | ir.Coerce | ir.Prim):
            self._facts[new] = value
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
        if isinstance(atom, ir.Const):
            return atom
        value = env.get(atom, atom)
        if isinstance(value, ir.Var):
            if isinstance(value.rep, Unit):
                return UNIT_CONST
            fact = self._facts.get(value)
            if isinstance(fact, ir.Const):
                return fact
        return value

    def _atoms(self, atoms: Iterable[ir.Atom], env: Env, block: Block) -> tuple[ir.Atom, ...]:
        return self._made([self._look(atom, env) for atom in atoms], block)

    def _made(self, values: Iterable[ir.Atom | Delayed], block: Block) -> tuple[ir.Atom, ...]:
        """The values as atoms: lambdas are made now."""
        return tuple(self._make(value, block) if isinstance(value, Delayed) else value for value in values)

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

    def _is_kept_delayed(self, var: ir.Var, delayed: Delayed) -> bool:
        return self.uses.counts.get(var, 0) <= 1 or _is_small(delayed)

    def _bind_all(self, params: Sequence[ir.Var], args: Sequence[ir.Atom | Delayed], env: Env, block: Block) -> None:
        """Parameters of the source stand for arguments from now on."""
        for param, arg in zip(params, args, strict=True):
            self._assign(param, arg if isinstance(arg, Delayed) else ir.Value(arg), env, block)

    # -- representations --------------------------------------------------------------------------------------------

    def _coerced(self, atom: ir.Atom, rep: Rep, block: Block) -> ir.Atom:
        """An atom of this representation that is the same value."""
        if atom.rep == rep:
            return atom
        coerced = self._coerce(atom, rep)
        if isinstance(coerced, ir.Value):
            return coerced.atom
        new = self.names.fresh(atom.name if isinstance(atom, ir.Var) else "c", rep)
        self._facts[new] = coerced
        block.append(Bind(new, coerced))
        return new

    def _coerce(self, atom: ir.Atom, rep: Rep) -> ir.Expr:
        """The coercion, less those that cancel each other."""
        if isinstance(rep, Unit):
            return ir.Value(UNIT_CONST)
        if atom.rep == rep:
            return ir.Value(atom)
        if isinstance(atom, ir.Const):
            same_form = (isinstance(atom.rep, Boxed) and isinstance(rep, Boxed)) or (
                isinstance(atom.rep, U32 | Char) and isinstance(rep, U32 | Char)
            )
            return ir.Value(ir.Const(atom.value, rep)) if same_form else ir.Coerce(atom, rep)
        inner = self._facts.get(atom)
        if isinstance(inner, ir.Coerce):
            if inner.atom.rep == rep:
                return ir.Value(inner.atom)
            if is_word(inner.atom.rep) and is_word(atom.rep) and is_word(rep):
                return ir.Coerce(inner.atom, rep)
        return ir.Coerce(atom, rep)

    def _slots(self, args: tuple[ir.Atom, ...], rep: Rep) -> tuple[ir.Atom, ...]:
        """The fields of a cell, with no coercion of what a slot takes as it is."""
        return args if isinstance(rep, Record) else tuple(map(self._as_slot, args))

    def _as_slot(self, atom: ir.Atom) -> ir.Atom:
        if isinstance(atom, ir.Var) and isinstance(atom.rep, Any):
            match self._facts.get(atom):
                case ir.Coerce(inner) if not isinstance(inner.rep, Record):
                    return inner
        return atom

    # -- applications and calls -------------------------------------------------------------------------------------

    def _apply(self, expr: ir.Apply, env: Env, block: Block) -> Tail | tuple[ir.Expr, Env]:
        """The tail of an application, or the body of the applied lambda to read in its place."""
        function = self._look(expr.function, env)
        args = [self._look(arg, env) for arg in expr.args]
        if not isinstance(function, Delayed):
            return self._apply_unknown(function, tuple(map(self._as_slot, self._made(args, block))), expr.rep, block)
        self.changes += 1
        params, body, inner = function.params, function.body, function.enter()
        taken = min(len(params), len(args))
        self._bind_all(params[:taken], args[:taken], inner, block)
        if taken < len(params):
            return Delayed(params[taken:], body, inner)
        if taken < len(args):
            result = self.names.fresh("f", FUNCTION)
            rest = tuple(self.names.fresh("x", FUNCTION if isinstance(a, Delayed) else a.rep) for a in args[taken:])
            outer: Env = dict(zip(rest, args[taken:], strict=True))
            for each in (result, *rest):
                self.uses.counts[each] = 1
            consumer = Consumer(result, ir.Apply(result, rest, expr.rep), outer)
            return self._feed(self._read(body, inner, block), (consumer,), block)
        rep = ir.rep_of(body)
        if rep == expr.rep or (is_word(rep) and is_word(expr.rep)):
            return body, inner
        result = self.names.fresh("r", rep)
        consumer = Consumer(result, ir.Coerce(result, expr.rep), {})
        return self._feed(self._read(body, inner, block), (consumer,), block)

    def _apply_unknown(self, function: ir.Atom, args: tuple[ir.Atom, ...], rep: Rep, block: Block) -> ir.Expr:
        """An application as written; at once with the one before it that gave just this function."""
        match block[-1] if block else None:
            case Bind(var, ir.Apply(first, before)) if var is function and var in self._used_once and var not in args:
                self.changes += 1
                block.pop()
                return ir.Apply(first, before + args, rep)
        return ir.Apply(function, args, rep)

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
                elif isinstance(arg, ir.Const) or isinstance(self._facts.get(arg), ir.Construct):
                    limit += KNOWN_BONUS
        if callee.size > min(limit, self._room):
            return False
        self._room -= callee.size
        return True

    def _prim(self, prim: ir.Prim) -> ir.Expr:
        folded = fold(prim, self._facts)
        match folded:
            case ir.Prim("nat_succ", (ir.Var() as pred,)) if pred in self._wholes and self._wholes[pred].rep == NAT:
                folded = ir.Value(self._wholes[pred])
        self.changes += folded is not prim
        return folded

    def _construct(self, made: ir.Construct) -> ir.Expr:
        """What is made of all fields of a matched variable is that variable."""
        whole = self._wholes.get(made.args[0]) if isinstance(made.args[0], ir.Var) else None
        if whole is not None and whole.rep == made.rep:
            match self._facts.get(whole):
                case ir.Construct(_, tag, fields) if tag == made.tag and fields == made.args:
                    self.changes += 1
                    return ir.Value(whole)
        return made

    # -- matches ----------------------------------------------------------------------------------------------------

    def _match(self, expr: ir.Match, env: Env, block: Block) -> ir.Expr | Pending:
        """The chosen arm to read next, its fields bound; or the match with the arms that may be chosen."""
        looked = self._look(expr.scrutinee, env)
        assert not isinstance(looked, Delayed), "a function is matched"
        scrutinee, flips = self._root(looked)
        arms = [ir.Arm(BOOLS[1 - a.tag], 1 - a.tag, (), a.body) for a in expr.arms] if flips else list(expr.arms)
        known = self._constructor(scrutinee)
        if known is not None:
            self.changes += 1
            tag, fields = known
            for arm in arms:
                if arm.tag == tag:
                    self._bind_all(arm.fields, fields, env, block)
                    return arm.body
            return expr.default if expr.default is not None else ir.Unreachable(expr.rep)
        assert isinstance(scrutinee, ir.Var)
        fact = self._facts.get(scrutinee)
        excluded = fact.tags if isinstance(fact, Excluded) else frozenset()
        default = expr.default if not isinstance(expr.default, ir.Unreachable) else None
        arms = [a for a in arms if a.tag not in excluded and not isinstance(a.body, ir.Unreachable)]
        if not arms:
            return default if default is not None else ir.Unreachable(expr.rep)
        if len(arms) > 1 or default is not None:
            return Pending(scrutinee, arms, default, expr.rep, env, excluded)
        if isinstance(scrutinee.rep, Record) and not isinstance(looked.rep, Record):
            self._open_record(scrutinee, arms[0], env, block)
        elif arms[0].fields:
            block.append(Opened(scrutinee, self._entered(scrutinee, arms[0], env)))
        else:
            self._entered(scrutinee, arms[0], env)
        return arms[0].body

    def _root(self, atom: ir.Atom) -> tuple[ir.Atom, bool]:
        """What a match of the atom can look at instead, and whether as a Bool it is the opposite."""
        flips = False
        while isinstance(atom, ir.Var):
            match self._facts.get(atom):
                case ir.Coerce(inner) if isinstance(atom.rep, Any) and isinstance(inner.rep, Boxed | Enum | Record):
                    atom = inner
                case ir.Prim("bool_not", (inner,)):
                    atom = inner
                    flips = not flips
                case _:
                    break
        return atom, flips

    def _constructor(self, atom: ir.Atom) -> tuple[int, tuple[ir.Atom, ...]] | None:
        """The tag and the fields of an atom of known constructor."""
        fact = atom if isinstance(atom, ir.Const) else self._facts.get(atom)
        match fact:
            case ir.Const(value, rep) if rep == NAT:
                return (1, (ir.Const(value - 1, NAT),)) if value else (0, ())
            case ir.Const(value):
                return value, ()
            case ir.Construct(_, tag, args):
                return tag, args
            case ir.Prim("nat_succ", (pred,)):
                return 1, (pred,)
            case ir.Text(()):
                return 0, ()
        return None

    def _open_record(self, scrutinee: ir.Var, arm: ir.Arm, env: Env, block: Block) -> None:
        """Match a Record where the source matches its form as a word, whose fields have other representations."""
        assert isinstance(scrutinee.rep, Record)
        fields = tuple(
            self.names.fresh(field.name, rep) for field, rep in zip(arm.fields, scrutinee.rep.fields, strict=True)
        )
        block.append(Opened(scrutinee, ir.Arm(arm.constructor, arm.tag, fields, ir.Value(UNIT_CONST))))
        self._learn(scrutinee, ir.Construct(arm.constructor, arm.tag, fields, scrutinee.rep))
        self._bind_all(arm.fields, fields, env, block)

    def _entered(self, scrutinee: ir.Var, arm: ir.Arm, env: Env) -> ir.Arm:
        """The arm with fresh fields (its body to be written yet); learns the scrutinee's constructor."""
        fields = tuple(self._fresh(field) for field in arm.fields)
        env.update(zip(arm.fields, fields, strict=True))
        if fields:
            self._learn(scrutinee, ir.Construct(arm.constructor, arm.tag, fields, scrutinee.rep))
            self._wholes[fields[0]] = scrutinee
        elif not isinstance(scrutinee.rep, Any | Record):
            self._learn(scrutinee, ir.Const(arm.tag, scrutinee.rep))
        return ir.Arm(arm.constructor, arm.tag, fields, ir.Value(UNIT_CONST))

    def _write(self, pending: Pending) -> ir.Expr:
        """A match as written, its arms read."""
        arms: list[ir.Arm] = []
        scrutinee = pending.scrutinee
        for source in pending.arms:
            mark = len(self._trail)
            arm = self._entered(scrutinee, source, pending.env)
            arm.body = self._branch(source.body, pending.env, pending.then)
            self._forget(mark)
            if not isinstance(arm.body, ir.Unreachable):
                arms.append(arm)
        default = None
        if pending.default is not None:
            mark = len(self._trail)
            self._learn(scrutinee, Excluded(pending.excluded | {arm.tag for arm in pending.arms}))
            default = self._branch(pending.default, pending.env, pending.then)
            self._forget(mark)
            if isinstance(default, ir.Unreachable):
                default = None
        rep = ir.rep_of(pending.then[-1].body) if pending.then else pending.rep
        if not arms:
            return default if default is not None else ir.Unreachable(rep)
        written = ir.Match(scrutinee, tuple(arms), default, rep)
        folded = fold_match(written, self._facts)
        self.changes += folded is not written
        return folded

    def _learn(self, var: ir.Var, fact: Fact) -> None:
        self._trail.append((var, self._facts.get(var)))
        self._facts[var] = fact

    def _forget(self, mark: int) -> None:
        while len(self._trail) > mark:
            var, fact = self._trail.pop()
            if fact is None:
                del self._facts[var]
            else:
                self._facts[var] = fact

    # -- moving consumers into matches ------------------------------------------------------------------------------

    def _moves_whole(self, pending: Pending) -> bool:
        """Does the match come to an end in one place only, so that all that follows can stand there?"""
        if pending.then:
            return False
        tails = _tails(pending)
        return tails is not None and len(tails) == 1

    def _moves(self, pending: Pending, var: ir.Var, consumer: ir.Expr, env: Env, block: Block) -> bool:
        """Is it worth copying a consumer to the ends of a match? Lambdas that it holds are made before."""
        match consumer:
            case ir.Match(scrutinee=opened) | ir.Apply(function=opened) | ir.Coerce(opened):
                pass
            case _:
                return False
        if opened is not var or pending.then or self.uses.counts.get(var, 1) != 1:
            return False
        tails = _tails(pending)
        if tails is None:
            return False
        if isinstance(consumer, ir.Coerce):
            return True
        if not any(isinstance(tail, ir.Construct | ir.Lambda | ir.Const) for tail in tails):
            return False
        if not self._is_cheap_copy(consumer, tails):
            return False
        for free in ir.free_variables(consumer):
            value = env.get(free)
            if isinstance(value, Delayed) and not _is_small(value):
                env[free] = self._make(value, block)
        return True

    def _is_cheap_copy(self, consumer: ir.Expr, tails: list[ir.Expr | ir.Const]) -> bool:
        size = size_of(consumer, MOST_COPIED * MOST_TAILS)
        total = -size
        for tail in tails:
            match tail, consumer:
                case ir.Construct(tag=tag) | ir.Const(value=tag), ir.Match(arms=arms, default=default):
                    chosen = next((arm.body for arm in arms if arm.tag == tag), default)
                    total += size_of(chosen, MOST_COPIED) if chosen is not None else 0
                case _:
                    total += size
        return total <= MOST_COPIED

    # -- writing ----------------------------------------------------------------------------------------------------

    def _close(self, tail: Tail, block: Block) -> ir.Expr:
        """A tail as an expression, in the lets of its block. A call in the last place stays there."""
        if isinstance(tail, Pending):
            tail = self._write(tail)
        elif isinstance(tail, Delayed):
            tail = self._lambda(tail)
        while block:
            last = block[-1]
            if not isinstance(last, Bind):
                break
            passed_on = _passed_on(tail, last)
            if passed_on is None:
                break
            tail = passed_on
            block.pop()
        rep = ir.rep_of(tail)
        for item in reversed(block):
            match item:
                case Bind(var, value):
                    tail = ir.Let(var, value, tail)
                case Fork(vars_, values):
                    tail = ir.Parallel(vars_, values, tail)
                case Opened(scrutinee, arm):
                    arm.body = tail
                    tail = ir.Match(scrutinee, (arm,), None, rep)
        return tail


def _is_passed_on(var: ir.Var, body: ir.Expr) -> bool:
    """Is the body just the variable, as a word of whatever kind?"""
    match body:
        case ir.Value(atom):
            return atom is var
        case ir.Coerce(atom, rep):
            return atom is var and is_word(var.rep) and is_word(rep)
    return False


def _is_small(delayed: Delayed) -> bool:
    """May the lambda be read more than once, with the lambdas that it would take along?"""
    room = SMALL_LAMBDA
    pending = [delayed]
    while pending:
        at = pending.pop()
        room -= size_of(at.body, room)
        if room < 0:
            return False
        values = (at.env.get(free) for free in ir.free_variables(at.body))
        pending += [value for value in values if isinstance(value, Delayed)]
    return True


def _passed_on(tail: ir.Expr, last: Bind) -> ir.Expr | None:
    """The value of the last let, where the tail only passes it on."""
    if _is_passed_on(last.var, tail):
        return last.value
    match tail, last.value:
        case ir.Coerce(atom, rep), ir.Apply(function, args) if atom is last.var and not isinstance(rep, Record):
            return ir.Apply(function, args, rep)
    return None


def _tails(pending: Pending) -> list[ir.Expr | ir.Const] | None:
    """The ends of a match of the source, a bare constructor as its Const; None if there are many."""
    found: list[ir.Expr | ir.Const] = []
    ends = [arm.body for arm in pending.arms]
    if pending.default is not None:
        ends.append(pending.default)
    while ends:
        end = ends.pop()
        while isinstance(end, ir.Let | ir.Parallel):
            end = end.body
        match end:
            case ir.Match(arms=arms, default=default):
                ends += [arm.body for arm in arms]
                if default is not None:
                    ends.append(default)
            case ir.Unreachable():
                continue
            case ir.Value(ir.Const() as const):
                found.append(const)
            case _:
                found.append(end)
        if len(found) > MOST_TAILS:
            return None
    return found
