"""C from owned IR: the values of random programs are the model's, and nothing is left on the heap."""

from __future__ import annotations

import random
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.closures import convert_closures
from bendml_cli.bend2.native.emit import emit_c
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.ownership import own
from bendml_cli.bend2.native.types import FUNCTION, NAT, Array
from tests.bend2.native import call_programs
from tests.bend2.native.ir_build import NIL, con, function, lets, nat, on_list, program, var
from tests.bend2.native.ir_model import Model, OutOfFuel, Stopped
from tests.bend2.native.ir_programs import CONSTRUCTORS, LIST, LISTS, random_program
from tests.bend2.native.native_run import CHECKED, Constructors, merged, run_c, shown

MANY = 10_000_000
LAST_NUMBER = 1_000_000
"""No variable of a program made here has a larger one."""
PLAIN = Options()


def compiled_main(whole: ir.Program) -> str:
    """The C of a lowered program that shows one value, main's."""
    return emit_c(own(convert_closures(merged([whole], CONSTRUCTORS), ir.Names(LAST_NUMBER))))


def expected_of(programs: list[ir.Program], constructors: Constructors) -> tuple[str, str]:
    """What programs print when they run one after the other, and how their values are shown."""
    printed, values = [], []
    for whole in programs:
        model = Model(whole)
        values.append(shown(model.run("main"), whole.functions["main"].result, constructors))
        printed += model.output
    return "".join(printed), f"({', '.join(values)})\n"


def random_programs(seed: int, count: int) -> list[ir.Program]:
    """Programs that end soon."""
    programs: list[ir.Program] = []
    at = 0
    while len(programs) < count:
        at += 1
        whole = random_program(random.Random(f"{seed} {at}"), 1 + at % 4)
        model = Model(whole, fuel=20_000)
        try:
            model.run("main")
        except (OutOfFuel, Stopped):
            continue
        if len(model.output) < 200:
            programs.append(whole)
    return programs


@pytest.mark.parametrize(("seed", "options"), [(1, CHECKED), (2, CHECKED), (3, PLAIN)])
def test_random_programs_give_what_the_model_gives(seed: int, options: Options, tmp_path: Path, tools: Path) -> None:
    programs = random_programs(seed, 12)
    printed, values = expected_of(programs, CONSTRUCTORS)
    c_text = emit_c(own(convert_closures(merged(programs, CONSTRUCTORS), ir.Names(LAST_NUMBER))))
    assert run_c(c_text, tmp_path, tools, options, ["--threads", "1"]) == printed + values
    several = subprocess.run(
        [tmp_path / "program", "--threads", "4"], capture_output=True, text=True, check=True
    ).stdout
    assert sorted(several.splitlines()) == sorted((printed + values).splitlines())


@pytest.mark.parametrize("options", [CHECKED, PLAIN, Options(level=1)])
def test_calls_of_all_shapes(options: Options, tmp_path: Path, tools: Path) -> None:
    programs = [call_programs.CallGenerator(random.Random(f"jumps {at}")).jumps() for at in range(25)]
    programs += [call_programs.CallGenerator(random.Random(f"closures {at}")).closures() for at in range(25)]
    _, values = expected_of(programs, call_programs.CONSTRUCTORS)
    c_text = emit_c(own(convert_closures(merged(programs, call_programs.CONSTRUCTORS), ir.Names(LAST_NUMBER))))
    assert run_c(c_text, tmp_path, tools, options) == values


def spin() -> ir.Program:
    """Ten million closures that each make the next one and jump to it."""
    count, x, p, more, following, answer = map(var, ("n", "x", "p", "y", "f", "r"), (NAT,) * 4 + (FUNCTION, NAT))
    start, arg = var("f", FUNCTION), var("x")
    step = ir.Lambda((arg,), ir.Call("spin", (p, arg), NAT))
    succ = lets((more, ir.Prim("nat_succ", (x,), NAT)), (following, step), ir.Apply(following, (more,), NAT))
    body = ir.Match(count, (ir.Arm("Zero", 0, (), ir.Value(x)), ir.Arm("Succ", 1, (p,), succ)), None, NAT)
    first = var("x")
    made = ir.Lambda((first,), ir.Call("spin", (nat(MANY), first), NAT))
    main = lets((start, made), (answer, ir.Apply(start, (nat(5),), NAT)), ir.Value(answer))
    return program(function("spin", (count, x), body), function("main", (), main))


@pytest.mark.parametrize("level", [1, 3])
def test_a_loop_through_closures_needs_no_stack(level: int, tmp_path: Path, tools: Path) -> None:
    build(compiled_main(spin()), tmp_path / "program", Options(level=level), tools)
    # Its stack is of what memory it may have; with a frame a step, it would need more.
    command = ["sh", "-c", 'ulimit -v 131072; exec "$0"', str(tmp_path / "program")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{MANY + 5}n\n"), done.stderr


def count_down() -> ir.Fun:
    """A list of so many numbers, built by a call within a constructor."""
    n, p, rest = var("n"), var("p"), var("r", LIST)
    built = lets((rest, ir.Call("down", (p,), LIST)), con(n, rest))
    return function(
        "down", (n,), ir.Match(n, (ir.Arm("Zero", 0, (), ir.Value(NIL)), ir.Arm("Succ", 1, (p,), built)), None, LIST)
    )


def deep_max() -> ir.Fun:
    """The largest number of a list, by a recursion as deep as it is long."""
    xs, x, rest, most, total = map(var, ("xs", "x", "t", "s", "r"), (LIST, NAT, LIST, NAT, NAT))
    body = lets((most, ir.Call("deep_max", (rest,), NAT)), (total, ir.Prim("nat_max", (x, most), NAT)), ir.Value(total))
    return function("deep_max", (xs,), on_list(xs, ir.Value(nat(0)), (x, rest), body, NAT))


def long_list(length: int) -> ir.Program:
    """A list is built, gone through and freed."""
    xs = var("xs", LIST)
    main = lets((xs, ir.Call("down", (nat(length),), LIST)), ir.Call("deep_max", (xs,), NAT))
    return program(count_down(), deep_max(), function("main", (), main))


def test_long_lists_are_built_gone_through_and_freed(tmp_path: Path, tools: Path) -> None:
    length = 2_000_000
    assert run_c(compiled_main(long_list(length)), tmp_path, tools, PLAIN) == f"{length}n\n"
    assert "*hole" in compiled_main(long_list(length))


def test_arrays_in_lists_are_freed_with_what_they_hold(tmp_path: Path, tools: Path) -> None:
    cells = Array(LIST)
    parts: list[tuple[ir.Var, ir.Expr]] = []
    rows: ir.Atom = ir.Const(0, LISTS)
    for number in range(3):
        item, row, more = var("x", LIST), var("a", cells), var("r", LISTS)
        parts += [
            (item, con(nat(number), NIL)),
            (row, ir.Prim("arr_new", (nat(2), item), cells)),
            (more, ir.Construct("Con", 1, (row, rows), LISTS)),
        ]
        rows = more
    assert isinstance(rows, ir.Var)
    first = ir.Match(rows, (ir.Arm("Nil", 0, (), ir.Value(nat(0))),), ir.Value(nat(1)), NAT)
    whole = program(function("main", (), lets(*parts, first)))
    assert run_c(compiled_main(whole), tmp_path, tools) == "1n\n"


def failing(
    program_: ir.Program, folder: Path, tools: Path, limit: Callable[[], None] | None = None
) -> tuple[int, str]:
    """The status and the complaint of a program that fails."""
    build(compiled_main(program_), folder / "program", PLAIN, tools)
    done = subprocess.run([folder / "program"], capture_output=True, text=True, check=False, preexec_fn=limit)
    return done.returncode, done.stderr


def test_a_recursion_too_deep_says_so(tmp_path: Path, tools: Path) -> None:
    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    status, complaint = failing(long_list(20_000_000), tmp_path, tools, little_memory)
    assert status == 1
    assert complaint in ("program: out of stack (recursion too deep)\n", "program: out of memory\n")


def test_natural_numbers_never_wrap(tmp_path: Path, tools: Path) -> None:
    largest = nat(2**48 - 1)
    product = var("p")
    main = lets((product, ir.Prim("nat_mul", (largest, largest), NAT)), ir.Value(product))
    status, complaint = failing(program(function("main", (), main)), tmp_path, tools)
    assert (status, complaint) == (1, "program: a natural number past 281474976710655 (2^48 - 1)\n")


def test_leaks_are_told(tmp_path: Path, tools: Path) -> None:
    whole = own(merged([long_list(3)], CONSTRUCTORS))
    for fun in whole.functions.values():
        at: ir.Expr = fun.body
        while isinstance(at, ir.Let):
            if isinstance(at.body, ir.Drop):
                at.body = at.body.body
            at = at.body
    c_text = emit_c(whole)
    build(c_text, tmp_path / "program", CHECKED, tools)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (70, "program: 3 heap objects leaked\n")
