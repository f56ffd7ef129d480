"""The bodies of functions in C: bindings, choices, loops.

What an expression's value is for is its *destination*: the function's result, or a variable. Tail calls of other
functions are `return f(..)`, which is a jump by the runtime's calling convention; those of the function itself assign
its parameters and go round its loop. A tail `C(.., f(..))` around a call of itself goes round too (*tail recursion
modulo a constructor*): the cell is made first, with a hole that the next round's value fills.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bendml_cli.bend2.native.crep import is_void, var_name
from bendml_cli.bend2.native.emit_operations import Code, Operations
from bendml_cli.bend2.native.ir import (
    Apply,
    Arm,
    Atom,
    Call,
    Construct,
    Drop,
    Dup,
    Expr,
    FreeCell,
    Fun,
    Let,
    Match,
    Parallel,
    Unreachable,
    Var,
    atoms_of,
    parts_of,
)
from bendml_cli.bend2.native.types import Enum, Nat, Record, Rep, is_word

ParallelWriter = Callable[[Parallel], tuple[list[str], str]]
"""Writes the functions of a parallel let: the calls that compute its values here, and the call that gives a struct of
all of them, computed on several threads."""


@dataclass(frozen=True, slots=True)
class Modulo:
    """A tail `let hole = f(args); constructs`: constructors around a call of the function itself."""

    hole: Var
    args: tuple[Atom, ...]
    before: tuple[Expr, ...]
    constructs: tuple[tuple[Var | None, Construct], ...]


class Body:
    """Writes the body of one function, or of one value of a parallel let (then `function` is None)."""

    def __init__(
        self,
        operations: Operations,
        function: Fun | None,
        result: Rep,
        result_is_word: bool,
        parallel: ParallelWriter,
    ) -> None:
        self.operations = operations
        self.reps = operations.reps
        self.function = function
        self.result = result
        self.result_is_word = result_is_word
        self.parallel = parallel
        self.lines: list[str] = []
        self.depth = 1
        self._cell_sizes: dict[Var, int] = {}
        self.used: set[Var] = set()
        self._has_hole = False

    # -- lines ----------------------------------------------------------------------------------------------------

    def emit(self, line: str) -> None:
        """Adds a line."""
        self.lines.append("  " * self.depth + line)

    def open(self, head: str) -> None:
        """Begins a block."""
        self.emit(f"{head} {{" if head else "{")
        self.depth += 1

    def close(self) -> None:
        """Ends a block."""
        self.depth -= 1
        self.emit("}")

    # -- the whole ------------------------------------------------------------------------------------------------

    def write(self, body: Expr) -> list[str]:
        """The lines of the body, without its braces."""
        calls = self_calls(body, self.function)
        self.used = used_variables(body)
        self._has_hole = calls.modulo and self._fills_holes()
        if self._has_hole:
            self.emit("V first = 0, *hole = NULL;")
        loops = calls.plain or self._has_hole
        if loops:
            self.open("for (;;)")
        self.tail(body)
        if loops:
            self.close()
        return self.lines

    def _fills_holes(self) -> bool:
        return self.result_is_word or is_word(self.result)

    # -- tails ----------------------------------------------------------------------------------------------------

    def tail(self, expr: Expr) -> None:
        """The rest of the function: it returns, or goes round the loop."""
        while True:
            match expr:
                case Let(var, value, body):
                    modulo = modulo_constructor(expr, self.function) if self._has_hole else None
                    if modulo is not None:
                        self._go_round_modulo(modulo)
                        return
                    self.bind(var, value)
                    expr = body
                case Parallel():
                    self._bind_parallel(expr)
                    expr = expr.body
                case Dup() | Drop() | FreeCell():
                    self._count(expr)
                    expr = expr.body
                case Match():
                    expr = self._tail_match(expr)
                case Call(function, args) if self.function is not None and function == self.function.key:
                    self.go_round(args)
                    return
                case Unreachable():
                    self.emit("B_NEVER();")
                    return
                case _:
                    self._return(expr)
                    return

    def _tail_match(self, match: Match) -> Expr:
        """Writes all branches but the last, each to its end; gives the last one's body, which comes after them."""
        branches = self._branches(match)
        for condition, enter, body in branches[:-1]:
            self.open(f"if ({condition})")
            enter()
            self.tail(body)
            self.close()
        _, enter, body = branches[-1]
        enter()
        return body

    def _return(self, expr: Expr) -> None:
        code = self.operation(expr)
        text = self.operations.word_of(code) if self.result_is_word else self.operations.raw_as(code, self.result)
        if self._has_hole:
            if isinstance(expr, Call | Apply):
                self.emit(f"if (!hole) return {text};")
                self.emit(f"*hole = {text};")
                self.emit("return first;")
            else:
                name = self.operations.fresh("value")
                self.emit(f"V {name} = {text};")
                self.emit(f"if (!hole) return {name};")
                self.emit(f"*hole = {name};")
                self.emit("return first;")
        elif not self.result_is_word and is_void(self.result):
            if isinstance(expr, Call) and not code.is_word:
                self.emit(f"return {text};")
                return
            if text:
                self.emit(f"{text};")
            self.emit("return;")
        else:
            self.emit(f"return {text};")

    def go_round(self, args: tuple[Atom, ...]) -> None:
        """Assigns the parameters of the next round, all at once."""
        assert self.function is not None
        self.assign_parameters(list(zip(self.function.params, args, strict=True)))
        self.emit("continue;")

    def assign_parameters(self, pairs: list[tuple[Var, Atom]]) -> None:
        """Assigns parameters, all at once."""
        changed = [
            (var_name(param), self.operations.raw_as(Code(self.reps.raw(arg), arg.rep), param.rep), param.rep)
            for param, arg in pairs
            if arg is not param and not is_void(param.rep)
        ]
        if len(changed) > 1:
            named = []
            for name, value, rep in changed:
                next_name = self.operations.fresh("next")
                self.emit(f"{self.reps.type(rep)} {next_name} = {value};")
                named.append((name, next_name, rep))
            changed = named
        for name, value, _ in changed:
            self.emit(f"{name} = {value};")

    def _go_round_modulo(self, modulo: Modulo) -> None:
        for each in modulo.before:
            self._count(each)
        outer = inner = ""
        place = 0
        hole = modulo.hole
        for var, construct in modulo.constructs:
            if hole in construct.args and not inner:
                place = construct.args.index(hole)
                inner = outer = self.operations.cell(construct, self.emit, hole)
            else:
                outer = self.operations.cell(construct, self.emit)
            if var is not None:
                self.emit(f"V {var_name(var)} = b_word({outer});")
        self.emit(f"if (hole) *hole = b_word({outer});")
        self.emit(f"else first = b_word({outer});")
        self.emit(f"hole = &{inner}->f[{place}];")
        self.go_round(modulo.args)

    # -- bindings -------------------------------------------------------------------------------------------------

    def bind(self, var: Var, value: Expr) -> None:
        """Declares a variable and computes its value."""
        declaration = self.declaration(var)
        if isinstance(value, Let | Match | Parallel | Dup | Drop | FreeCell):
            if declaration:
                self.emit(f"{declaration};")
            self._assign(value, var)
            return
        self._store(declaration, self.operations.raw_as(self.operation(value), var.rep))

    def operation(self, expr: Expr) -> Code:
        """The code of an expression without parts; what must happen before is emitted."""
        return self.operations.operation(expr, self.emit)

    def declaration(self, var: Var) -> str:
        """The declaration of a variable; empty if it has none in C."""
        return "" if is_void(var.rep) else f"{self.reps.type(var.rep)} {var_name(var)}"

    def _store(self, place: str, text: str) -> None:
        """Stores what a code gives, or only runs it if there is no place."""
        if place:
            self.emit(f"{place} = {text};")
        elif text:
            self.emit(f"{text};")

    def _assign(self, expr: Expr, var: Var) -> None:
        """Computes an expression's value into a declared variable."""
        while True:
            match expr:
                case Let(inner, value, body):
                    self.bind(inner, value)
                    expr = body
                case Parallel():
                    self._bind_parallel(expr)
                    expr = expr.body
                case Dup() | Drop() | FreeCell():
                    self._count(expr)
                    expr = expr.body
                case Match():
                    self._assign_match(expr, var)
                    return
                case Unreachable():
                    self.emit("B_NEVER();")
                    return
                case _:
                    place = var_name(var) if self.declaration(var) else ""
                    self._store(place, self.operations.raw_as(self.operation(expr), var.rep))
                    return

    def _assign_match(self, match: Match, var: Var) -> None:
        branches = self._branches(match)
        for at, (condition, enter, body) in enumerate(branches):
            self.open(f"if ({condition})" if at < len(branches) - 1 else "")
            enter()
            self._assign(body, var)
            self.depth -= 1
            self.emit("} else" if at < len(branches) - 1 else "}")

    def _bind_parallel(self, parallel: Parallel) -> None:
        here, apart = self.parallel(parallel)
        variables = [var for var in parallel.vars if not is_void(var.rep)]
        for var in variables:
            self.emit(f"{self.reps.type(var.rep)} {var_name(var)};")
        self.open("if (b_par_wanted())")
        name = self.operations.fresh("values")
        self.emit(f"{apart.replace('@', name)};")
        for var in variables:
            self.emit(f"{var_name(var)} = {name}.{var_name(var)};")
        self.depth -= 1
        self.open("} else")
        for var, call in zip(parallel.vars, here, strict=True):
            self.emit(f"{call};" if is_void(var.rep) else f"{var_name(var)} = {call};")
        self.close()

    # -- counting -------------------------------------------------------------------------------------------------

    def _count(self, expr: Expr) -> None:
        match expr:
            case Dup(variables):
                for var in variables:
                    for each in self.reps.counted(var):
                        self.emit(f"b_dup({each});")
            case Drop(variables):
                for var in variables:
                    for each in self.reps.counted(var):
                        self.emit(f"b_drop({each});")
            case FreeCell(cell):
                self.emit(f"b_free_cell_if({var_name(cell)}, {self._cell_sizes[cell]});")
            case _:
                raise AssertionError(expr)

    # -- choices --------------------------------------------------------------------------------------------------

    def _branches(self, match: Match) -> list[tuple[str, Callable[[], None], Expr]]:
        """For each branch of a match, the last one for all that is left: its condition, what binds its fields, and its
        body."""
        name = var_name(match.scrutinee)
        cells = sum(1 for arm in match.arms if arm.fields)
        if cells > 2 and not isinstance(match.scrutinee.rep, Nat | Enum | Record):
            tag = self.operations.fresh("tag")
            self.emit(f"const unsigned {tag} = b_tag({name});")
            conditions = [f"{tag} == {arm.tag}" for arm in match.arms]
        else:
            conditions = _conditions(match)

        def entering(arm: Arm) -> Callable[[], None]:
            return lambda: self._enter(match, arm)

        branches: list[tuple[str, Callable[[], None], Expr]] = [
            (condition, entering(arm), arm.body) for condition, arm in zip(conditions, match.arms, strict=True)
        ]
        if match.default is not None:
            branches.append(("", lambda: None, match.default))
        assert branches, "a match of nothing"
        return branches

    def _enter(self, match: Match, arm: Arm) -> None:
        """Binds the fields of an arm."""
        name = var_name(match.scrutinee)
        rep = match.scrutinee.rep
        if isinstance(rep, Nat):
            for field in arm.fields:
                if field in self.used:
                    self.emit(f"uint64_t {var_name(field)} = {name} - 1;")
            return
        if isinstance(rep, Record):
            for at, (field, part) in enumerate(zip(arm.fields, rep.fields, strict=True)):
                if field in self.used and not is_void(field.rep):
                    text = self.operations.raw_as(Code(f"{name}.f{at}", part), field.rep)
                    self.emit(f"{self.reps.type(field.rep)} {var_name(field)} = {text};")
            return
        if not arm.fields:
            return
        for at, field in enumerate(arm.fields):
            if field in self.used and not is_void(field.rep):
                text = self.reps.unbox(f"b_ptr({name})->f[{at}]", field.rep)
                self.emit(f"{self.reps.type(field.rep)} {var_name(field)} = {text};")
        if match.consumes:
            self._open_cell(f"b_ptr({name})", arm)

    def _open_cell(self, cell: str, arm: Arm) -> None:
        n = len(arm.fields)
        if arm.cell is None:
            self.emit(f"b_open({cell}, {n});")
        else:
            self._cell_sizes[arm.cell] = n
            self.emit(f"b_obj *{var_name(arm.cell)} = b_open_kept({cell});")


@dataclass(frozen=True, slots=True)
class SelfCalls:
    """Which calls of a function itself are in its tails: plain ones, and those in a constructor."""

    plain: bool
    modulo: bool


def self_calls(body: Expr, function: Fun | None) -> SelfCalls:
    """The calls of the function itself in the tails of its body."""
    plain = modulo = False
    pending = [body] if function is not None else []
    while pending:
        match pending.pop():
            case Let(body=rest) as let:
                if modulo_constructor(let, function) is not None:
                    modulo = True
                else:
                    pending.append(rest)
            case Parallel(body=rest) | Dup(body=rest) | Drop(body=rest) | FreeCell(body=rest):
                pending.append(rest)
            case Match(arms=arms, default=default):
                pending += [arm.body for arm in arms]
                pending += [default] if default is not None else []
            case Call(key) if function is not None and key == function.key:
                plain = True
    return SelfCalls(plain, modulo)


def modulo_constructor(let: Let, function: Fun | None) -> Modulo | None:
    """A tail that constructs cells around a call of the function itself, and does nothing else."""
    call = let.value
    if function is None or not isinstance(call, Call) or call.function != function.key:
        return None
    before: list[Expr] = []
    constructs: list[tuple[Var | None, Construct]] = []
    needed: Var | None = let.var
    expr = let.body
    while True:
        match expr:
            case Dup(variables) if let.var not in variables and not constructs:
                before.append(expr)
                expr = expr.body
            case Let(var, Construct(rep=rep) as construct, body) if not isinstance(rep, Record):
                constructs.append((var, construct))
                expr = body
            case Construct(rep=rep) if not isinstance(rep, Record):
                constructs.append((None, expr))
                break
            case _:
                return None
    for name, construct in constructs:
        uses = [each for each in construct.args if each is needed]
        if len(uses) > 1:
            return None
        if uses:
            needed = name
    return Modulo(let.var, call.args, tuple(before), tuple(constructs)) if needed is None else None


def _conditions(match: Match) -> list[str]:
    """The C condition of each arm, given that those before it do not hold."""
    name = var_name(match.scrutinee)
    arms = match.arms
    if isinstance(match.scrutinee.rep, Nat):
        return [f"{name} == 0" if arm.tag == 0 else f"{name} != 0" for arm in arms]
    if isinstance(match.scrutinee.rep, Enum):
        return [f"{name} == {arm.tag}" for arm in arms]
    cells = sum(1 for arm in arms if arm.fields)
    conditions = []
    for arm in arms:
        if match.default is None and 0 < cells < len(arms) and (cells if arm.fields else len(arms) - cells) == 1:
            conditions.append(f"!b_is_imm({name})" if arm.fields else f"b_is_imm({name})")
        elif not arm.fields:
            conditions.append(f"{name} == b_imm({arm.tag})")
        elif match.default is None and cells == len(arms):
            conditions.append(f"b_ptr({name})->tag == {arm.tag}")
        else:
            conditions.append(f"!b_is_imm({name}) && b_ptr({name})->tag == {arm.tag}")
    return conditions


def used_variables(expr: Expr) -> set[Var]:
    """All variables that are named in an expression other than where they are bound."""
    used: set[Var] = set()
    pending = [expr]
    while pending:
        at = pending.pop()
        used.update(atom for atom in atoms_of(at) if isinstance(atom, Var))
        pending += [part for _, part in parts_of(at)]
    return used
