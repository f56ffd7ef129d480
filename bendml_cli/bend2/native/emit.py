"""Owned IR to C11: one file, to be compiled and linked with the runtime."""

from __future__ import annotations

from bendml_cli.bend2.native.conventions import REGISTER_ARITY
from bendml_cli.bend2.native.crep import CReps
from bendml_cli.bend2.native.emit_body import Body
from bendml_cli.bend2.native.emit_loops import FastLoop
from bendml_cli.bend2.native.emit_operations import Operations
from bendml_cli.bend2.native.emit_parallel import Parallels
from bendml_cli.bend2.native.emit_shows import show_tables
from bendml_cli.bend2.native.ir import Expr, Fun, Program
from bendml_cli.bend2.native.loops import array_loop
from bendml_cli.bend2.native.types import Rep


def emit_c(program: Program) -> str:
    """The C text of an owned program."""
    return _Emitter(program).emit()


class _Emitter:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.reps = CReps()
        self.operations = Operations(program, self.reps)
        self.parallels = Parallels(self.operations, self._value_lines)

    def emit(self) -> str:
        bodies: list[str] = []
        for fun in self.program.functions.values():
            bodies += self._function(fun)
        main = self._main()
        prototypes = [line for fun in self.program.functions.values() for line in self._prototypes(fun)]
        texts = [
            f"static const uint32_t {name}[] = {{{', '.join(map(str, codes))}}};"
            for codes, name in self.operations.texts.items()
        ]
        sections = [
            ['#include "bend.h"', '#include "effects.h"', '#include "show.h"', '#include "text.h"'],
            self.reps.definitions,
            texts,
            prototypes,
            self.parallels.prototypes,
            self.parallels.definitions,
            bodies,
            main,
        ]
        return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"

    def _entry_head(self, fun: Fun) -> str:
        arity = len(fun.params) - fun.captured
        words = ", ".join(["V self", *[f"V a{at + 1}" for at in range(min(arity, REGISTER_ARITY))]])
        return f"static B_CC V {self.operations.entry(fun.key)}({words})"

    def _prototypes(self, fun: Fun) -> list[str]:
        return [f"{self.operations.head(fun)};", *([f"{self._entry_head(fun)};"] if fun.is_closure else [])]

    def _function(self, fun: Fun) -> list[str]:
        body = Body(self.operations, fun, fun.result, fun.is_closure, self.parallels.write)
        received = [f"  {line}" for line in self.operations.receive(fun)]
        loop = array_loop(fun)
        fast = FastLoop(self.operations, fun, loop) if loop is not None else None
        lines = [
            *(fast.function() if fast is not None else []),
            f"/* {_comment(fun.key)} */",
            f"{self.operations.head(fun)} {{",
            *received,
            *(fast.entry() if fast is not None else []),
            *body.write(fun.body),
            "}",
        ]
        return [*lines, *(self._entry(fun) if fun.is_closure else [])]

    def _entry(self, fun: Fun) -> list[str]:
        """The code of a function's closures: it opens the closure and calls the function."""
        captured, others = fun.params[: fun.captured], fun.params[fun.captured :]
        words = [f"c{at + 1}" for at in range(len(captured))] + [f"a{at + 1}" for at in range(len(others))]
        args = [
            self.reps.unbox(word, param.rep)
            for word, param in zip(words, fun.params, strict=True)
            if self.reps.leaves(param.rep)
        ]
        lines = [
            *[f"V a{at + 1} = b_extra[{at - REGISTER_ARITY}];" for at in range(REGISTER_ARITY, len(others))],
            *[f"V c{at + 1} = b_ptr(self)->f[{at + 1}];" for at in range(len(captured))],
            f"b_open_closure(b_ptr(self), {len(captured)});",
        ]
        call = self.operations.call(fun, args, lines.append)
        return [f"{self._entry_head(fun)} {{", *[f"  {line}" for line in lines], f"  return {call};", "}"]

    def _value_lines(self, value: Expr, rep: Rep) -> list[str]:
        return Body(self.operations, None, rep, False, self.parallels.write).write(value)

    def _main(self) -> list[str]:
        fun = self.program.functions[self.program.main]
        value = self.operations.function(fun.key) + "()"
        result = value if fun.is_closure else self.reps.box(value, fun.result)
        tables: list[str] = []
        shows = "NULL"
        if not self.program.main_is_io:
            tables, shows = show_tables(self.program.shows)
        return [
            *tables,
            f"static B_CC V run_main(void) {{ return {result}; }}",
            "int main(int argc, char **argv) {",
            f"  static const b_program program = {{run_main, {str(self.program.main_is_io).lower()}, {shows}}};",
            "  return b_start(argc, argv, &program);",
            "}",
        ]


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")
