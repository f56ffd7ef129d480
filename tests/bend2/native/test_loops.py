"""Loops over arrays: found where they are, right in all cases, and vectorised."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.build import RUNTIME, build
from bendml_cli.bend2.native.emit import emit_c
from bendml_cli.bend2.native.loops import array_loop
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.ownership import own
from bendml_cli.bend2.native.types import F32_, NAT, U32_, Array
from bendml_cli.bend2.native.zig import find_zig
from tests.bend2.native.ir_build import lets, nat, program, var
from tests.bend2.native.ir_model import Model
from tests.bend2.native.loop_programs import CONSTRUCTORS, RESULT, LoopGenerator, word
from tests.bend2.native.native_run import CHECKED, merged, run_owned, shown

FLOATS, WORDS = Array(F32_), Array(U32_)


@pytest.mark.parametrize(("seed", "options"), [(1, CHECKED), (2, Options()), (3, Options(level=1))])
def test_random_loops_are_what_the_model_says(seed: int, options: Options, tmp_path: Path, tools: Path) -> None:
    programs = [LoopGenerator(random.Random(f"{seed} {at}")).program() for at in range(60)]
    expected = [shown(Model(each).run("main"), RESULT, CONSTRUCTORS) for each in programs]
    whole = own(merged(programs, CONSTRUCTORS))
    loops = [array_loop(each) for each in whole.functions.values() if each.key.endswith(".loop")]
    assert sum(each is not None for each in loops) > len(loops) // 2
    assert run_owned(whole, tmp_path, tools, options) == f"({', '.join(expected)})\n"


def counting(first: int) -> ir.Program:
    """Twenty rounds that write to an array from its end on and count a Nat up; its last value is shown."""
    n, p, m, more, index = var("n"), var("p"), var("m"), var("m"), var("i", U32_)
    a, written = var("a", WORDS), var("a", WORDS)
    succ = lets(
        (more, ir.Prim("nat_succ", (m,), NAT)),
        (index, ir.Prim("nat_to_u32", (p,), U32_)),
        (written, ir.Prim("arr_set", (a, index, word(7)), WORDS)),
        ir.Call("count", (p, more, written), NAT),
    )
    arms = (ir.Arm("Zero", 0, (), ir.Value(m)), ir.Arm("Succ", 1, (p,), succ))
    made, last = var("a", WORDS), var("r")
    main = lets(
        (made, ir.Prim("arr_new", (nat(5), word(0)), WORDS)),
        (last, ir.Call("count", (nat(20), nat(first), made), NAT)),
        ir.Value(last),
    )
    loop = ir.Fun("count", (n, m, a), NAT, ir.Match(n, arms, None, NAT))
    assert array_loop(loop) is not None
    return own(merged([program(loop, ir.Fun("main", (), NAT, main))], CONSTRUCTORS))


def test_an_array_is_written_from_its_end_on(tmp_path: Path, tools: Path) -> None:
    n, p, i, more, index, next_ = var("n"), var("p"), var("i", U32_), var("i", U32_), var("k", U32_), var("k", U32_)
    a, one, two = var("a", WORDS), var("a", WORDS), var("a", WORDS)
    succ = lets(
        (index, ir.Prim("nat_to_u32", (p,), U32_)),
        (one, ir.Prim("arr_set", (a, index, i), WORDS)),
        (next_, ir.Prim("nat_to_u32", (n,), U32_)),
        (two, ir.Prim("arr_set", (one, next_, word(9)), WORDS)),
        (more, ir.Prim("u32_inc", (i,), U32_)),
        ir.Call("down", (p, more, two), WORDS),
    )
    arms = (ir.Arm("Zero", 0, (), ir.Value(a)), ir.Arm("Succ", 1, (p,), succ))
    loop = ir.Fun("down", (n, i, a), WORDS, ir.Match(n, arms, None, WORDS))
    assert array_loop(loop) is not None
    made = var("a", WORDS)
    new = ir.Prim("arr_new", (nat(4), word(5)), WORDS)
    main = ir.Fun("main", (), WORDS, lets((made, new), ir.Call("down", (nat(12), word(100), made), WORDS)))
    whole = own(merged([program(loop, main)], CONSTRUCTORS))
    assert run_owned(whole, tmp_path, tools) == "[111, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 5, 5, 5]\n"


def test_counting_up_in_a_loop_never_wraps(tmp_path: Path, tools: Path) -> None:
    most = 2**48 - 1
    assert run_owned(counting(most - 20), tmp_path, tools) == f"{most}n\n"
    build(emit_c(counting(most - 19)), tmp_path / "program", CHECKED, tools)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "a natural number past" in done.stderr


def add_rows(streams: int) -> ir.Fun:
    """y[j + k] += a0 * x[i + k] + a1 * x[i + w + k] + .., one after the other."""
    n, p = var("n"), var("p")
    i, j, w = var("i", U32_), var("j", U32_), var("w", U32_)
    x, y, written = var("x", FLOATS), var("y", FLOATS), var("y", FLOATS)
    factors = [var("a", F32_) for _ in range(streams)]
    total: ir.Atom = var("s", F32_)
    assert isinstance(total, ir.Var)
    parts: list[tuple[ir.Var, ir.Expr]] = [(total, ir.Prim("arr_get", (y, j), F32_))]
    for at, factor in enumerate(factors):
        distance, index, got = var("d", U32_), var("k", U32_), var("g", F32_)
        product, more = var("m", F32_), var("s", F32_)
        parts += [
            (distance, ir.Prim("u32_mul", (w, word(at)), U32_)),
            (index, ir.Prim("u32_add", (i, distance), U32_)),
            (got, ir.Prim("arr_get", (x, index), F32_)),
            (product, ir.Prim("f32_mul", (factor, got), F32_)),
            (more, ir.Prim("f32_add", (total, product), F32_)),
        ]
        total = more
    next_i, next_j = var("i", U32_), var("j", U32_)
    parts += [
        (next_i, ir.Prim("u32_inc", (i,), U32_)),
        (next_j, ir.Prim("u32_add", (j, word(1)), U32_)),
        (written, ir.Prim("arr_set", (y, j, total), FLOATS)),
    ]
    again = ir.Call("rows", (p, next_i, next_j, w, *factors, x, written), FLOATS)
    arms = (ir.Arm("Zero", 0, (), ir.Value(y)), ir.Arm("Succ", 1, (p,), lets(*parts, again)))
    return ir.Fun("rows", (n, i, j, w, *factors, x, y), FLOATS, ir.Match(n, arms, None, FLOATS))


def assembly(whole: ir.Program, folder: Path) -> str:
    """What the C compiler makes of a program for a processor with AVX2."""
    zig = find_zig()
    assert zig is not None
    source, output = folder / "program.c", folder / "program.s"
    source.write_text(emit_c(own(whole)), encoding="utf-8")
    flags = [*Options(native=False).flags(), "-target", "x86_64-linux-gnu", "-mcpu=x86_64_v3"]
    command = [str(zig.program), "cc", *flags, "-I", str(RUNTIME), "-S", str(source), "-o", str(output)]
    subprocess.run(command, check=True, capture_output=True)
    return output.read_text(encoding="utf-8")


@pytest.mark.parametrize("streams", [1, 2, 4, 8])
def test_products_of_rows_are_computed_many_at_a_time(streams: int, tmp_path: Path) -> None:
    x, y = var("x", FLOATS), var("y", FLOATS)
    factors = (ir.Const(1, F32_),) * streams
    call = ir.Call("rows", (nat(100), word(0), word(0), word(100), *factors, x, y), FLOATS)
    new = ir.Prim("arr_new", (nat(10), ir.Const(0, F32_)), FLOATS)
    main = ir.Fun("main", (), FLOATS, lets((x, new), (y, new), call))
    text = assembly(program(add_rows(streams), main), tmp_path)
    assert len(re.findall(r"vmulps\s.*%ymm", text)) >= streams
    assert len(re.findall(r"vaddps\s.*%ymm", text)) >= streams
    assert "fmadd" not in text


def test_loops_are_found_only_where_they_are() -> None:
    loop = array_loop(add_rows(2))
    assert loop is not None
    assert [each.name for each in loop.inductions] == ["i", "j"]
    assert not loop.accumulators
    assert [each.name for each in loop.written()] == ["y"]
    assert all(each.at is not None and each.at.stride.known == 1 for each in loop.accesses.values())

    swapped = add_rows(1)
    match swapped.body:
        case ir.Match(arms=(_, ir.Arm(body=body))):
            while isinstance(body, ir.Let):
                body = body.body
            assert isinstance(body, ir.Call)
            body.args = (*body.args[:-2], body.args[-1], body.args[-2])
    assert array_loop(swapped) is None
