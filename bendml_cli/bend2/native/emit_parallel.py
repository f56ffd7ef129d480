"""Parallel lets in C: each value is a task over the variables that it needs."""

from __future__ import annotations

from collections.abc import Callable

from bendml_cli.bend2.native.crep import is_void, var_name
from bendml_cli.bend2.native.emit_operations import Operations
from bendml_cli.bend2.native.ir import Call, Expr, Parallel, Var, free_variables
from bendml_cli.bend2.native.types import Rep

ValueWriter = Callable[[Expr, Rep], list[str]]
"""Writes the body of a function that gives the value of an expression, raw."""


class Parallels:
    """The C functions of a program's parallel lets."""

    def __init__(self, operations: Operations, write_value: ValueWriter) -> None:
        self.operations = operations
        self.reps = operations.reps
        self.write_value = write_value
        self.prototypes: list[str] = []
        self.definitions: list[str] = []

    def write(self, parallel: Parallel) -> tuple[list[str], str]:
        """Writes the functions of a parallel let. Gives the calls that compute its values where it stands, and the
        statement that computes them all on several threads (into a struct called @, if there is anything in it)."""
        pairs = list(zip(parallel.vars, parallel.values, strict=True))
        needed = [_needed(value) for value in parallel.values]
        calls = [self._call(value, var.rep, captured) for (var, value), captured in zip(pairs, needed, strict=True)]
        everything = tuple(dict.fromkeys(var for captured in needed for var in captured))
        name = self.operations.fresh("parallel")
        results = [var for var in parallel.vars if not is_void(var.rep)]
        result_type = f"struct {name}" if results else "void"
        self.prototypes.append(
            f"static __attribute__((noinline)) {result_type} {name}({self.operations.parameters(everything)});"
        )
        lines = [f"struct {name} {{", *[f"  {self.reps.type(var.rep)} {var_name(var)};" for var in results], "};"]
        self.prototypes[-1:] = [*(lines if results else []), self.prototypes[-1]]
        body = []
        tasks = []
        for (var, _), call, captured in list(zip(pairs, calls, needed, strict=True))[:-1]:
            task = self._task(var, call, captured)
            tasks.append((var, task))
            fields = [f".{var_name(each)} = {var_name(each)}" for each in captured if not is_void(each.rep)]
            body.append(f"struct {task} {task}_task = {{{', '.join([f'.task.run = {task}_run', *fields])}}};")
            body.append(f"b_par_fork(&{task}_task.task);")
        last = parallel.vars[-1]
        body.append(f"{calls[-1]};" if is_void(last.rep) else f"{self.reps.type(last.rep)} last = {calls[-1]};")
        body += [f"b_par_join(&{task}_task.task);" for _, task in reversed(tasks)]
        values = [f".{var_name(var)} = {task}_task.result" for var, task in tasks if not is_void(var.rep)] + (
            [] if is_void(last.rep) else [f".{var_name(last)} = last"]
        )
        if results:
            body.append(f"return (struct {name}){{{', '.join(values)}}};")
        self.definitions += [
            f"static {result_type} {name}({self.operations.parameters(everything)}) {{",
            *[f"  {line}" for line in [*self.operations.gather(everything), *body]],
            "}",
        ]
        call_all = f"{name}({', '.join(self.operations.arguments(everything))})"
        return calls, f"const struct {name} @ = {call_all}" if results else call_all

    def _call(self, value: Expr, rep: Rep, captured: tuple[Var, ...]) -> str:
        """A call that computes a value from the variables that it needs."""
        if isinstance(value, Call) and not self._has_extra(value):
            return self.operations.raw_as(self.operations.operation(value, _no_statement), rep)
        name = self.operations.fresh("value")
        head = f"static {self.reps.type(rep)} {name}({self.operations.parameters(captured)})"
        self.prototypes.append(f"{head};")
        lines = [f"  {line}" for line in self.operations.gather(captured)]
        self.definitions += [f"{head} {{", *lines, *self.write_value(value, rep), "}"]
        return f"{name}({', '.join(self.operations.arguments(captured))})"

    def _has_extra(self, call: Call) -> bool:
        return self.operations.conventions.has_extra(self.operations.program.functions[call.function])

    def _task(self, var: Var, call: str, captured: tuple[Var, ...]) -> str:
        """The struct and the function of a task."""
        name = self.operations.fresh("task")
        fields = [each for each in captured if not is_void(each.rep)]
        self.definitions += [
            f"struct {name} {{",
            "  b_task task;",
            *[f"  {self.reps.type(each.rep)} {var_name(each)};" for each in fields],
            *([] if is_void(var.rep) else [f"  {self.reps.type(var.rep)} result;"]),
            "};",
            f"static void {name}_run(b_task *task) {{",
            f"  struct {name} *own = (struct {name} *)task;",
            *[f"  {self.reps.type(each.rep)} {var_name(each)} = own->{var_name(each)};" for each in fields],
            f"  {call};" if is_void(var.rep) else f"  own->result = {call};",
            "}",
        ]
        return name


def _needed(value: Expr) -> tuple[Var, ...]:
    return tuple(free_variables(value))


def _no_statement(line: str) -> None:
    raise AssertionError(line)
