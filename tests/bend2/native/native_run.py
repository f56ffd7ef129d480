"""Running IR natively in tests: several programs in one executable, and what they print."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.emit import emit_c
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.show_table import ShowConstructor, ShowEntry
from bendml_cli.bend2.native.types import ANY, CHAR, F32_, NAT, U32_, UNIT, Array, Boxed, Record, Rep
from tests.bend2.native.ir_model import Plain
from tests.bend2.native.scalar_model import float_of

CHECKED = Options(debug=True, sanitize=True, level=1)
"""Every object on its own, none left at the end, no undefined behaviour."""

Constructors = dict[Rep, tuple[tuple[str, tuple[Rep, ...]], ...]]
_ALL = Boxed("All")


def run_c(c_text: str, folder: Path, tools: Path, options: Options = CHECKED, args: Sequence[str] = ()) -> str:
    """What a program prints. Fails where it does not end well."""
    program = folder / "program"
    build(c_text, program, options, tools)
    done = subprocess.run([program, *args], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_owned(program: ir.Program, folder: Path, tools: Path, options: Options = CHECKED) -> str:
    """What an owned program prints."""
    return run_c(emit_c(program), folder, tools, options)


def merged(programs: Sequence[ir.Program], constructors: Constructors) -> ir.Program:
    """A lowered program that shows the values of all of the programs' mains, in one tuple."""
    functions: dict[str, ir.Fun] = {}
    shows = _Shows(constructors)
    names = ir.Names()
    lets: list[tuple[ir.Var, ir.Expr]] = []
    results: list[tuple[ir.Atom, int]] = []
    for number, each in enumerate(programs):
        for fun in each.functions.values():
            key = f"{number}.{fun.key}"
            functions[key] = _renamed(fun, key, number)
        main = functions[f"{number}.{each.main}"]
        value: ir.Var = names.fresh("all", main.result)
        lets.append((value, ir.Call(main.key, (), main.result)))
        if isinstance(main.result, Record):
            word = names.fresh("all", ANY)
            lets.append((word, ir.Coerce(value, ANY)))
            value = word
        results.append((value, shows.entry(main.result)))
    end, entry = results.pop()
    for first, which in reversed(results):
        pair = names.fresh("all", _ALL)
        lets.append((pair, ir.Construct("Tuple", 0, (first, end), _ALL)))
        end, entry = pair, shows.add(ShowEntry("tuple", (which, entry)))
    shows.entries[0] = shows.entries[entry]
    body: ir.Expr = ir.Value(end)
    for var, expr in reversed(lets):
        body = ir.Let(var, expr, body)
    functions["all"] = ir.Fun("all", (), end.rep, body)
    return ir.Program(functions, "all", False, list(shows.entries))


def _renamed(fun: ir.Fun, key: str, number: int) -> ir.Fun:
    fun.key = key
    pending = [fun.body]
    while pending:
        at = pending.pop()
        if isinstance(at, ir.Call):
            at.function = f"{number}.{at.function}"
        pending += [part for _, part in ir.parts_of(at)]
    return fun


class _Shows:
    """A table of how values are shown, which grows. Its first entry is for main's type."""

    def __init__(self, constructors: Constructors) -> None:
        self.entries = [ShowEntry("text")]
        self._constructors = constructors
        self._known: dict[Rep, int] = {}

    def add(self, entry: ShowEntry) -> int:
        """A new entry."""
        self.entries.append(entry)
        return len(self.entries) - 1

    def entry(self, rep: Rep) -> int:
        """The entry of a representation."""
        known = self._known.get(rep)
        if known is not None:
            return known
        at = self._known[rep] = self.add(ShowEntry("text"))
        if rep in (NAT, U32_, F32_, CHAR):
            self.entries[at] = ShowEntry({NAT: "nat", U32_: "u32", F32_: "f32", CHAR: "char"}[rep])  # type: ignore[arg-type]
        elif rep == UNIT:
            self.entries[at] = ShowEntry("text", text="()")
        elif isinstance(rep, Array):
            self.entries[at] = ShowEntry("array", (self.entry(rep.element),))
        else:
            made = [
                ShowConstructor(name, tuple(map(self.entry, fields)), (True,) * len(fields))
                for name, fields in self._constructors[rep]
            ]
            self.entries[at] = ShowEntry("data", constructors=tuple(made))
        return at


def shown(value: Plain, rep: Rep, constructors: Constructors) -> str:
    """How a value of the model is shown (of floats: those that are short both in C and in Python)."""
    if isinstance(value, list):
        assert isinstance(rep, Array)
        return f"[{', '.join(shown(each, rep.element, constructors) for each in value)}]"
    if rep == NAT:
        return f"{value}n"
    if rep == U32_:
        return str(value)
    if rep == F32_:
        assert isinstance(value, int)
        return str(float_of(value))
    tag, *fields = (value,) if isinstance(value, int) else value
    assert isinstance(tag, int)
    name, reps = constructors[rep][tag]
    return f"{name}{{{', '.join(shown(each, of, constructors) for each, of in zip(fields, reps, strict=True))}}}"
