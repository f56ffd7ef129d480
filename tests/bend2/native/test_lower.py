"""Lowering: what is erased, how functions are specialised, how types are laid out, what main may be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bendml_cli.bend2.api import with_deep_stack
from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.native import types
from bendml_cli.bend2.native.entry import lower
from bendml_cli.bend2.native.ir import Call, Expr, Lambda, Match, Names, Parallel, Prim, Program, parts_of
from bendml_cli.bend2.native.lower import Lowering
from bendml_cli.bend2.native.show_table import ShowEntry
from bendml_cli.bend2.native.shows import LARGEST_TABLE
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax.modules import read_book


def lowered(tmp_path: Path, text: str, *, base: bool = True) -> Program:
    """The IR of a program, Base imported."""
    path = tmp_path / "main.bend"
    path.write_text(("import Base\n" if base else "") + text, encoding="utf-8")

    def work() -> Program:
        checker = Checker(read_book(path))
        checker.check()
        return lower(checker, Names())

    return with_deep_stack(work)


def nodes(expr: Expr) -> Iterator[Expr]:
    yield expr
    for _, part in parts_of(expr):
        yield from nodes(part)


def entry(program: Program, at: int = 0) -> ShowEntry:
    return program.shows[at]


def test_erased_parameters_and_fields_are_gone(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
type Box<-n: Nat> is Data:
  Box{-m: Nat, x: U32}

def open(-n: Nat, b: Box<n>, -p: {n == n : Nat}) -> U32:
  match b:
    case Box{m, x}:
      x

def main() -> U32:
  open(3n, Box{2n, 7}, {==})
""",
    )
    assert [param.rep for param in program.functions["open"].params] == [types.U32_]


def test_a_proof_is_not_computed(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
def slow(n: Nat) -> {Nat.add(n, 0n) == n : Nat}:
  match n:
    case 0n:
      {==}
    case 1n+p:
      %slow(p) : {1n+Nat.add(p, 0n) == 1n+_ : Nat}
      {==}

def keep(x: U32, p: {Nat.add(9n, 0n) == 9n : Nat}) -> U32:
  x

def main() -> U32:
  keep(1, slow(9n))
""",
    )
    assert "slow" not in program.functions


def test_one_function_for_each_layout(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
def second(-A: Data, a: A, b: A) -> A:
  b

type Own is Data:
  One{}
  More{o: Own}

def main() -> (Nat & U32) & (Nat & Own):
  ((second(Nat, 1n, 2n), second(U32, 1, 2)), (second(Nat, 3n, 4n), second(Own, One{}, One{})))
""",
    )
    instances = sorted(key for key in program.functions if key.startswith("second"))
    assert instances == ["second[Nat]", "second[Own]", "second[U32]"]


def test_types_that_grow_in_recursion_make_few_functions(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
type Two<-A: Data> is Data:
  Two{a: A, b: A}

type Perfect<-A: Data> is Data:
  Last{x: A}
  More{p: Perfect<Two<A>>}

def size(-A: Data, p: Perfect<A>) -> Nat:
  match p:
    case Last{x}:
      1n
    case More{q}:
      Nat.double(size(Two<A>, q))

def main() -> Nat & Perfect<U32>:
  (size(U32, Last{5}), More{Last{Two{1, 2}}})
""",
    )
    assert len([key for key in program.functions if key.startswith("size")]) < 20
    assert len(program.shows) <= LARGEST_TABLE + 20


def test_types_that_double_are_told_apart_without_their_text(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
type Perfect<-A: Type> is Type:
  Last{x: A}
  More{p: Perfect<Pair(A, A)>}

def main() -> Perfect<U32>:
  More{More{Last{((1, 2), (3, 4))}}}
""",
    )
    assert len(program.shows) <= LARGEST_TABLE + 20
    assert ShowEntry("tuple", (1, 1)) in program.shows


def test_an_io_definition_takes_its_continuation(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
def loop(n: Nat) -> IO(Unit):
  match n:
    case 0n:
      IO.print("end")
    case 1n+p:
      IO.bind(Unit, Unit, IO.print("on"), done => loop(p))

def main() -> IO(Unit):
  loop(3n)
""",
    )
    (loop,) = [each for key, each in program.functions.items() if key.startswith("loop")]
    assert [param.rep for param in loop.params] == [types.NAT, types.FUNCTION]
    assert program.main_is_io


def test_a_partial_call_is_a_closure(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
def apply(f: Nat -> Nat, x: Nat) -> Nat:
  f(x)

def three(-A: Type, a: Nat, b: Nat, c: Nat) -> Nat:
  (a + b + c : Nat)

def main() -> Nat:
  apply(three(Nat, 1n, 2n), 3n)
""",
    )
    (closure,) = [each for each in nodes(program.functions["main"].body) if isinstance(each, Lambda)]
    assert len(closure.params) == 1
    (call,) = [each for each in nodes(closure.body) if isinstance(each, Call)]
    assert len(call.args) == 3


def test_record_parameters_stand_side_by_side(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
def sum(n: Nat, +i: U32, acc: F32, r: Array<F32> & F32) -> F32:
  match n r:
    case 0n, (a, x):
      acc
    case 1n+p, (a, x):
      sum(p, (i + 1 : U32), (acc + x : F32), Array.get(F32, a, (i + 1 : U32)))

def main() -> F32:
  sum(4n, 0, 0.0, Array.get(F32, [1.0 : F32^2n], 0))
""",
    )
    reps = [param.rep for param in program.functions["sum"].params]
    assert reps == [types.NAT, types.U32_, types.F32_, types.Array(types.F32_), types.F32_]


@pytest.mark.parametrize(
    ("type_", "rep"),
    [
        ("Nat", types.NAT),
        ("Char", types.CHAR),
        ("Bool", types.BOOL),
        ("Unit", types.UNIT),
        ("{1n == 1n : Nat}", types.UNIT),
        ("String", types.STRING),
        ("Array<Bool>", types.Array(types.BOOL)),
        ("Array<Pair(Nat, Nat)>", types.Array(types.ANY)),
        ("Nat & Nat", types.Record("Sigma", (types.NAT, types.NAT))),
        ("Maybe<&2, U32>", types.Boxed("Maybe", (types.U32_,))),
        ("Nat -> Nat", types.FUNCTION),
        ("Word(3n)", types.Boxed("Word.Con")),
        ("IO(Nat)", types.FUNCTION),
        ("File", types.Handle("File")),
    ],
)
def test_layouts(tmp_path: Path, type_: str, rep: types.Rep) -> None:
    text = f"def keep(x: {type_}, y: U32) -> U32:\n  y\n"
    path = tmp_path / "main.bend"
    path.write_text("import Base\n" + text, encoding="utf-8")

    def work() -> types.Rep:
        checker = Checker(read_book(path))
        checker.check()
        return Lowering(checker, Names()).instance("keep", ()).params[0]

    assert with_deep_stack(work) == rep


def test_numbers_of_a_file_without_base(tmp_path: Path) -> None:
    text = "type Peano is Data:\n  Zero{}\n  Succ{less: Peano}\n\ndef main() -> Peano:\n  3n\n"
    program = lowered(tmp_path, text, base=False)
    assert program.functions["main"].result == types.NAT
    assert entry(program).kind == "nat"


def test_a_map_over_an_array_is_a_loop(tmp_path: Path) -> None:
    text = "\ndef main() -> Array<Nat>:\n  Array.map(~Nat, ~Nat, ~Nat.double, [2n : Nat^3n])\n"
    program = lowered(tmp_path, text)
    (loop,) = [each for key, each in program.functions.items() if key.endswith(".loop")]
    assert {each.name for each in nodes(loop.body) if isinstance(each, Prim)} >= {"arr_get", "arr_init"}


def test_calls_side_by_side_may_run_at_the_same_time(tmp_path: Path) -> None:
    program = lowered(
        tmp_path,
        """
def work(n: Nat) -> Nat:
  match n:
    case 0n:
      1n
    case 1n++p:
      a b = work(p) work(p)
      (a + b : Nat)

def plain(+n: Nat) -> Nat:
  a b = Nat.double(n) Nat.double(n)
  (a + b : Nat)

def main() -> Nat & Nat:
  (work(3n), plain(2n))
""",
    )
    assert any(isinstance(each, Parallel) for each in nodes(program.functions["work"].body))
    assert not any(isinstance(each, Parallel) for each in nodes(program.functions["plain"].body))


def test_a_literal_word_is_matched_as_its_bits(tmp_path: Path) -> None:
    text = (
        "\ndef low(x: U32) -> Bool:\n  match x:\n    case U32{WCon{b, t}}:\n      b\n\ndef main() -> Bool:\n  low(5)\n"
    )
    program = lowered(tmp_path, text)
    low = program.functions["low"]
    assert any(isinstance(each, Prim) and each.name == "u32_to_word" for each in nodes(low.body))
    assert any(isinstance(each, Match) for each in nodes(low.body))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f() -> Nat:\n  1n\n", "no main"),
        ("def main() -> Nat -> Nat:\n  n => n\n", "a function"),
        ("def main() -> Type:\n  Nat\n", "a type"),
        ("def main() -> List<&1, Nat -> Nat>:\n  []\n", "a function"),
        ("def main(~n: Nat) -> Nat:\n  n\n", "template"),
    ],
)
def test_what_main_may_not_be(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BendError, match=message):
        lowered(tmp_path, text)


def test_foreign_code_is_refused(tmp_path: Path) -> None:
    (tmp_path / "e.c").write_text("", encoding="utf-8")
    text = '\ndef ask() -> IO(Nat):\n  import "./e.c"\n\ndef main() -> IO(Nat):\n  ask\n'
    with pytest.raises(BendError, match="foreign") as refusal:
        lowered(tmp_path, text)
    assert refusal.value.definition == "ask"


def test_the_table_of_a_type_that_holds_itself(tmp_path: Path) -> None:
    text = """
type Tree is Data:
  Tip{}
  Fork{-n: Nat, l: Tree, r: Tree}

def main() -> List<&2, Tree>:
  [Fork{1n, Tip{}, Tip{}}]
"""
    program = lowered(tmp_path, text)
    assert entry(program).kind == "list"
    tree = entry(program, entry(program).parts[0])
    fork = tree.constructors[1]
    assert fork.live == (False, True, True)
    assert fork.fields[1] == fork.fields[2] == entry(program).parts[0]


def test_numbers_past_the_literals_are_printed_as_main_writes_them(tmp_path: Path) -> None:
    def shows(main: str) -> list[ShowEntry]:
        return lowered(tmp_path, f"def twice(+n: Nat) -> Nat: Nat.add(n, n)\ndef main() -> Nat & Nat: {main}\n").shows

    (written,) = shows("(Succ{Succ{4294967295n}}, {1n+5n : Nat})")
    assert (written.kind, written.text) == ("text", "(2n+4294967295n, 6n)")
    assert [each.kind for each in shows("(Succ{Succ{4294967295n}}, twice(3n))")] == ["tuple", "nat"]
    proved = "&n: Nat -> {n == Succ{4294967295n} : Nat}: (Succ{4294967295n}, {==})"
    (written,) = lowered(tmp_path, f"def main() -> {proved}\n").shows
    assert (written.kind, written.text) == ("text", "(1n+4294967295n, {==})")
