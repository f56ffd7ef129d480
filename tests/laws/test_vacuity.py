"""Laws with hypotheses, tried on small instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.bend2.api import with_deep_stack
from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.syntax.modules import read_book
from bendml_cli.laws.vacuity import Vacuity, try_law

PRELUDE = """\
import Base

type Pair2<-a: Nat> is Data:
  Pair2{x: Nat, y: Nat}

def is_even(n: Nat) -> Bool:
  match n:
    case 0n:
      True{}
    case 1n:
      False{}
    case 2n+p:
      is_even(p)

def sum(p: Pair2<0n>) -> Nat:
  match p:
    case Pair2{x, y}:
      Nat.add(x, y)

law tried:
"""


def attempt(folder: Path, law: str) -> Vacuity:
    """Try the law of these clauses."""
    file = folder / "main.bend"
    file.write_text(PRELUDE + "".join(f"  {line}\n" for line in law.strip().splitlines()))

    def work() -> Vacuity:
        book = read_book(file)
        checker = Checker(book, timeout=10.0)
        checker.check(frozenset(module for module in book.modules if module.is_base))
        return try_law(book, checker.machine, book.definitions["tried"])

    return with_deep_stack(work)


@pytest.mark.parametrize(
    ("law", "hypotheses", "instance"),
    [
        ("for n: Nat\nfor -h: {is_even(n) == True{} : Bool}\n{n == n : Nat}", (1,), "n = 0n"),
        ("for n: Nat\nfor -h: {is_even(n) == False{} : Bool}\n{n == n : Nat}", (1,), "n = 1n"),
        ("for n: Nat\nfor -h: {n != 0n : Nat}\n{n == n : Nat}", (1,), "n = 1n"),
        (
            "for -A: Data\nfor xs: List<&2, A>\nfor -h: {List.length(&2, A, xs) == 2n : Nat}\n{xs == xs : List<&2, A>}",
            (2,),
            "A = Nat, xs = [0n, 0n]",
        ),
        ("for p: Pair2<0n>\nfor -h: {sum(p) == 3n : Nat}\n{p == p : Pair2<0n>}", (1,), "p = Pair2{0n, 3n}"),
        ("for n: Nat\nfor -h: {Nat.add(n, 1n) == 43n : Nat}\n{n == n : Nat}", (1,), "n = 42n"),
        ("for n: Nat where {is_even(n) == False{} : Bool}\n{0n == 0n : Nat}", (0,), "n = (1n, {==})"),
        (
            "for a: Nat\nfor b: Nat\nfor -g: {a == b : Nat}\nfor -h: {Nat.add(a, b) == 2n : Nat}\n{a == b : Nat}",
            (2, 3),
            "a = 1n, b = 1n",
        ),
    ],
)
def test_a_hypothesis_that_can_hold(tmp_path: Path, law: str, hypotheses: tuple[int, ...], instance: str) -> None:
    found = attempt(tmp_path, law)
    assert (found.outcome, found.hypotheses, found.detail) == ("satisfied", hypotheses, instance)


@pytest.mark.parametrize(
    "law",
    [
        "for n: Nat\nfor -h: {1n+n == 0n : Nat}\n{n == 5n : Nat}",
        "for n: Nat\nfor -h: {n != n : Nat}\n{n == 5n : Nat}",
        "for n: Nat\nfor -g: {is_even(n) == True{} : Bool}\nfor -h: {is_even(n) == False{} : Bool}\n{n == 5n : Nat}",
        "for n: Nat\nfor -h: Empty\n{n == 5n : Nat}",
    ],
)
def test_a_hypothesis_that_never_holds(tmp_path: Path, law: str) -> None:
    assert attempt(tmp_path, law).outcome == "never satisfied"


@pytest.mark.parametrize(
    "law",
    [
        "for x: F32\nfor -h: {F32.add(x, 1.0) == 7.0 : F32}\n{x == x : F32}",
        "for -f: Nat -> Nat\nfor -h: {f(0n) == 1n : Nat}\nfor -g: {f(1n) == 2n : Nat}\n{f(0n) == 1n : Nat}",
    ],
)
def test_what_evaluation_does_not_decide(tmp_path: Path, law: str) -> None:
    assert attempt(tmp_path, law).outcome == "undecided"


def test_no_hypothesis_and_a_denial(tmp_path: Path) -> None:
    assert attempt(tmp_path, "for n: Nat\n{n == n : Nat}").outcome == "no hypothesis"
    # What a claim denies is not a condition of it.
    assert attempt(tmp_path, "for n: Nat\n{1n+n != 0n : Nat}").outcome == "no hypothesis"
