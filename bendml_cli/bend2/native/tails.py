"""What an expression gives while it is simplified, and the block that comes before it."""

from __future__ import annotations

from dataclasses import dataclass, field

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.occurrences import size_of
from bendml_cli.bend2.native.types import Record, Rep, is_word

SMALL_LAMBDA = 6
"""A lambda of at most so many operations is read at each of its uses."""
MOST_COPIED = 24
"""So many operations may be copied to move a consumer into the arms of a match."""
MOST_ENDS = 12
"""Matches of more ends than this keep their consumers outside."""


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

    def is_small(self) -> bool:
        """May the lambda be read more than once, with the lambdas that it would take along?"""
        room = SMALL_LAMBDA
        pending = [self]
        while pending:
            at = pending.pop()
            room -= size_of(at.body, room)
            if room < 0:
                return False
            values = (at.env.get(free) for free in ir.free_variables(at.body))
            pending += [value for value in values if isinstance(value, Delayed)]
        return True


Env = dict[ir.Var, "ir.Atom | Delayed"]
"""What variables of the source stand for."""


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
    then: list[Consumer] = field(default_factory=list)

    def ends(self) -> list[ir.Expr | ir.Const] | None:
        """The ends of the match in the source, a constant as its Const; None if there are many."""
        found: list[ir.Expr | ir.Const] = []
        ends = [arm.body for arm in self.arms]
        if self.default is not None:
            ends.append(self.default)
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
            if len(found) > MOST_ENDS:
                return None
        return found

    def takes_whole(self) -> bool:
        """Does the match come to an end in one place only, so that all that follows can stand there?"""
        ends = None if self.then else self.ends()
        return ends is not None and len(ends) == 1

    def takes(self, consumer: ir.Expr) -> bool:
        """Is it worth copying an expression that only consumes the value of the match to its ends?"""
        ends = None if self.then else self.ends()
        if ends is None:
            return False
        if isinstance(consumer, ir.Coerce):
            return True
        if not any(isinstance(end, ir.Construct | ir.Lambda | ir.Const) for end in ends):
            return False
        limit = 2 * MOST_COPIED * MOST_ENDS
        size = size_of(consumer, limit)
        total = -size
        for end in ends:
            match end, consumer:
                case ir.Construct(tag=tag) | ir.Const(value=tag), ir.Match(arms=arms, default=default):
                    chosen = next((arm.body for arm in arms if arm.tag == tag), default)
                    total += size_of(chosen, limit) if chosen is not None else 0
                case _:
                    total += size
        return total <= MOST_COPIED


Tail = ir.Expr | Delayed | Pending


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


def close(tail: ir.Expr, block: Block) -> ir.Expr:
    """An expression at the end of a block (which this uses up). A call in the last place stays there."""
    while block:
        last = block[-1]
        passed_on = _passed_on(tail, last) if isinstance(last, Bind) else None
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


def is_passed_on(var: ir.Var, body: ir.Expr) -> bool:
    """Is the body just the variable, as a word of whatever kind?"""
    match body:
        case ir.Value(atom):
            return atom is var
        case ir.Coerce(atom, rep):
            return atom is var and is_word(var.rep) and is_word(rep)
    return False


def _passed_on(tail: ir.Expr, last: Bind) -> ir.Expr | None:
    """The value of the last let, where the tail only passes it on."""
    if is_passed_on(last.var, tail):
        return last.value
    match tail, last.value:
        case ir.Coerce(atom, rep), ir.Apply(function, args) if atom is last.var and not isinstance(rep, Record):
            return ir.Apply(function, args, rep)
    return None
