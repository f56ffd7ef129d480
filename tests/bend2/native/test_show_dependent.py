"""Printing main's value where a field's type depends on an earlier field: as the checker prints it, or refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.native.compile import Refused, compile_c
from bendml_cli.bend2.native.options import Options

CODES = """
type Ty is Data:
  TNat{}
  TText{}
  TNone{}
  TPair{}
  TList{of: Bool}

def El(t: Ty) -> Type:
  match t:
    case TNat{}:
      Nat
    case TText{}:
      String
    case TNone{}:
      Empty
    case TPair{}:
      Nat & U32
    case TList{True{}}:
      List<&1, Nat>
    case TList{False{}}:
      Bool
"""

SHAPES = {
    "universe": (
        f"""{CODES}
type Dyn is Type:
  Dyn{{tag: Ty, value: El(tag)}}
""",
        "Dyn",
        [
            "Dyn{TNat{}, 3n}",
            'Dyn{TText{}, "a"}',
            "Dyn{TPair{}, (1n, 2)}",
            "Dyn{TList{True{}}, [1n]}",
            "Dyn{TList{False{}}, True{}}",
        ],
    ),
    "tuples": (
        CODES,
        "Nat & Sigma<&1, &1, Ty, t => El(t)>",
        ["(1n, (TPair{}, (3n, 4)))", "(2n, (TNat{}, 5n))"],
    ),
    "match": (
        "",
        "Sigma<&1, &1, Bool, \\{True: Nat & Nat; False: String}>",
        ["(True{}, (3n, 4n))", '(False{}, "b")'],
    ),
    "numbers": (
        """
def Deep(n: Nat) -> Type:
  match n:
    case 0n:
      Unit
    case 1n:
      Nat & Char
    case 2n+p:
      F32

type Num is Type:
  Num{n: Nat, value: Deep(n)}
  Other{x: U32, n: Nat, b: Bool, value: Deep(Nat.add(Nat.sub(n, 1n), 1n))}
""",
        "Num",
        [
            "Num{0n, Unit{}}",
            "Num{1n, (2n, 'c')}",
            "Num{Nat.add(4294967295n, 1n), 1.5}",
            "Other{1, 1n, True{}, (1n, 'x')}",
            "Other{1, 2n, True{}, 0.5}",
        ],
    ),
    "depends_on_dependent": (
        """
def El(b: Bool) -> Data:
  match b:
    case True{}:
      Nat
    case False{}:
      String

def Then(b: Bool, x: El(b)) -> Type:
  match b x:
    case True{}, 0n:
      Bool
    case True{}, 1n+p:
      Nat & Nat
    case False{}, s:
      {1n == 1n : Nat}

type Three is Type:
  Three{+b: Bool, +x: El(b), y: Then(b, x)}
""",
        "Three",
        ["Three{True{}, 0n, True{}}", "Three{True{}, 5n, (1n, 2n)}", 'Three{False{}, "a", {==}}'],
    ),
    "fields_of_fields": (
        """
def So(b: Bool) -> Type:
  match b:
    case True{}:
      Unit
    case False{}:
      Empty

def Both(p: Bool & Bool) -> Type:
  match p:
    case (True{}, True{}):
      U32
    case (a, False{}):
      Nat & Nat
    case (False{}, True{}):
      Char

def Starts(s: List<&2, Nat>) -> Type:
  match s:
    case []:
      Nat
    case Con{0n, t}:
      Bool
    case Con{1n+p, t}:
      So(List.is_empty(&2, Nat, t))

type In<-k: Nat, b: Bool> is Type:
  In{p: Bool & Bool, value: Both(p), known: So(b), -e: Nat, s: List<&2, Nat>, start: Starts(s)}
""",
        "In<2n, True{}>",
        [
            "In{(True{}, True{}), 7, Unit{}, 0n, [], 4n}",
            "In{(True{}, False{}), (1n, 2n), Unit{}, 0n, [0n, 1n], True{}}",
            "In{(False{}, True{}), 'c', Unit{}, 0n, [3n], Unit{}}",
        ],
    ),
}


def program(declarations: str, type_: str, values: list[str]) -> str:
    return f"import Base\n{declarations}\ndef main() -> List<&1, {type_}>:\n  [{', '.join(values)}]\n"


@pytest.mark.parametrize("name", SHAPES)
def test_printed_as_the_checker_prints_it(name: str, compiled: Callable[[Path, Options], Path], tmp_path: Path) -> None:
    file = tmp_path / f"{name}.bend"
    file.write_text(program(*SHAPES[name]), encoding="utf-8")
    report = check_file(file, main=True)
    assert report.main is not None, report.error
    binary = compiled(file, Options(debug=True, sanitize=True, level=0))
    done = subprocess.run([binary], capture_output=True, text=True, check=False, timeout=60)
    # Of what is erased, here always 0n, nothing but `_` is left.
    assert (done.returncode, done.stdout.replace("_, ", "0n, "), done.stderr) == (0, report.main + "\n", "")


def test_numbers_of_a_file_without_base(compiled: Callable[[Path], Path], tmp_path: Path) -> None:
    file = tmp_path / "peano.bend"
    text = """
type Peano is Data:
  Zero{}
  Succ{less: Peano}

type Yes is Data:
  Yes{}

def F(n: Peano) -> Type:
  match n:
    case Succ{Zero{}}:
      Peano
    case m:
      Yes

type Box is Type:
  Box{n: Peano, v: F(n)}

type Two is Type:
  Two{a: Box, b: Box}

def main() -> Two:
  Two{Box{1n, 7n}, Box{2n, Yes{}}}
"""
    file.write_text(text, encoding="utf-8")
    done = subprocess.run([compiled(file)], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Two{Box{1n, 7n}, Box{2n, Yes{}}}\n", "")


CHOICE = """
def Pick(b: Bool) -> Type:
  match b:
    case True{}:
      Nat
    case False{}:
      String
"""
REFUSED = {
    "erased": (CHOICE + "\ntype Er is Type:\n  Er{-t: Bool, v: Pick(t)}\n", "Er", "Er{True{}, 2n}"),
    "a word": (CHOICE, "Sigma<&1, &1, U32, n => Pick(U32.is_eq(n, 1))>", "(1, 2n)"),
    "of a datatype around it": (
        CHOICE + "\ntype In<t: Bool> is Type:\n  In{v: Pick(t)}\n",
        "Sigma<&1, &1, Bool, t => In<t>>",
        "(True{}, In{2n})",
    ),
    "without end": (
        "\ndef F(n: Nat) -> Type:\n  match n:\n    case 0n:\n      Nat\n    case 1n+p:\n      F(p)\n",
        "Sigma<&1, &1, Nat, n => F(n)>",
        "(1n, 2n)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_what_is_not_seen_is_refused(name: str, tmp_path: Path) -> None:
    declarations, type_, value = REFUSED[name]
    file = tmp_path / "main.bend"
    file.write_text(program(declarations, type_, [value]), encoding="utf-8")
    assert check_file(file).accepted
    with pytest.raises(Refused, match="of a type that is not known"):
        compile_c(file)
