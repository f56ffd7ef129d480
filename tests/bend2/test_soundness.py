"""Accepted claims are true where they can be tried: mutated proofs that still check, evaluated on small values.

A mutated program may be accepted, since many changes are harmless. Then every definition outside Base whose type is an
equation over Nat, Bool, Unit and lists of Nat is evaluated at small arguments that meet its hypotheses: the two sides
must compute to the same closed term, and nothing may inhabit an empty type.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bendml_cli.bend2.api import with_deep_stack
from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.check.trust import untrusted
from bendml_cli.bend2.core.book import Book
from bendml_cli.bend2.core.convert import equal
from bendml_cli.bend2.core.evaluate import EvaluationTimeout, Machine
from bendml_cli.bend2.core.quote import normal_form
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import Absurd, Ctr, Hole, Lam, Match, NatLit, Ref, Refl, Rewrite, Term, subterms
from bendml_cli.bend2.core.values import Thunk, VData, VEq, VPi
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax.modules import read_book

CONFORMANCE = Path(__file__).parent.parent / "conformance"
PROGRAMS = [
    text
    for text in (file.read_text(encoding="utf-8") for file in sorted(CONFORMANCE.glob("*/*.bend")))
    if "==" in text and "@unsafe" not in text and "import ./" not in text
]

SWAPS = [
    *[("True{}", "False{}"), ("0n", "1n"), ("1n", "2n"), ("1n+", "2n+"), ("Nil{}", "[0n]"), ("Empty", "Unit")],
    *[("Nat.add", "Nat.mul"), ("Nat.add", "Nat.sub"), ("Bool.and", "Bool.or"), ("is_lt", "is_le"), ("is_le", "is_ge")],
    *[("for ", "for -"), ("for +", "for "), ("for -", "for +"), ("-a", "a"), ("-n", "n")],
    *[("_", "p"), ("p", "n"), ("a", "b"), ("(a, b", "(b, a"), ("t", "h"), ("{==}", "e")],
]
WORD = re.compile(r"\s+|[A-Za-z_][\w.]*|\d+n?|[^\w\s]")


def mutate(text: str, source: random.Random) -> str:
    """The program with up to three words changed, exchanged or rows dropped."""
    for _ in range(source.choice([1, 1, 1, 2, 2, 3])):
        kind = source.random()
        if kind < 0.5:
            old, new = source.choice(SWAPS + [(new, old) for old, new in SWAPS])
            places = [found.start() for found in re.finditer(re.escape(old), text)]
            if places:
                at = source.choice(places)
                text = text[:at] + new + text[at + len(old) :]
        elif kind < 0.6:
            rows = [found.span() for found in re.finditer(r"    case [^\n]*\n(?:      [^\n]*\n)+", text)]
            if rows:
                begin, end = source.choice(rows)
                text = text[:begin] + text[end:]
        else:
            words = WORD.findall(text)
            names = [at for at, word in enumerate(words) if re.match(r"\w", word)]
            one, other = source.choice(names), source.choice(names)
            words[one], words[other] = words[other], words[one] if kind > 0.85 else words[other]
            text = "".join(words)
    return text


def small_values(book: Book, machine: Machine, type_: Thunk) -> list[Term] | None:
    """A few closed terms of a type, none for a hypothesis that fails, None for a type that is not tried."""
    match machine.force(type_):
        case VData(key="Nat", removed=()):
            return [NatLit(number) for number in range(4)]
        case VData(key="Bool", removed=()):
            return [Ctr("True", ()), Ctr("False", ())]
        case VData(key="Unit", removed=()):
            return [Ctr("Unit", ())]
        case VData(key="List", args=(_, element)):
            numbers = small_values(book, machine, element)
            if not numbers or not isinstance(numbers[0], NatLit):
                return None
            empty = Ctr("Nil", ())
            return [empty, Ctr("Con", (numbers[1], empty)), Ctr("Con", (numbers[2], Ctr("Con", (numbers[0], empty))))]
        case VEq(left=left, right=right):
            return [Refl()] if equal(machine, left, right, 0) else []
    return None


def is_value(term: Term) -> bool:
    """Is nothing stuck in a normal form?"""
    pending = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, Ref | Match | Absurd | Rewrite | Lam | Hole):
            return False
        pending += [inner for inner, _ in subterms(part)]
    return True


def counterexamples(book: Book, machine: Machine, type_: Thunk, given_: tuple[Term, ...]) -> Iterator[str]:
    """Small arguments at which an inhabited type is false."""
    match machine.force(type_):
        case VPi(domain=domain, codomain=codomain):
            for value in small_values(book, machine, domain) or []:
                yield from counterexamples(book, machine, codomain(Thunk(value, ())), (*given_, value))
        case VEq(left=left, right=right):
            sides = [normal_form(machine, side, 0) for side in (left, right)]
            if all(map(is_value, sides)) and not equal(machine, left, right, 0):
                yield f"{[show(each, (), str) for each in given_]}: {[show(side, (), str) for side in sides]}"
        case VData(key=key, removed=removed):
            if all(constructor in removed for constructor in book.datatypes[key].constructors):
                yield f"{[show(each, (), str) for each in given_]}: {key} is inhabited"


def refuted(file: Path) -> list[str]:
    """What is accepted in a file and false all the same."""
    try:
        book = read_book(file)
        checker = Checker(book, timeout=3)
        checker.check(frozenset(module for module in book.modules if module.is_base))
    except BendError:
        return []
    own = [d for d in book.definitions.values() if not d.module.is_base]
    if untrusted(checker) or any(d.body is None for d in own) or any(module.todos for module in book.modules):
        return []
    found: list[str] = []
    for definition in own:
        checker.machine.limit(3)
        try:
            if definition.templates == 0:
                found += counterexamples(book, checker.machine, Thunk(definition.type, ()), ())
        except EvaluationTimeout:
            continue
    return found


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=st.sampled_from(PROGRAMS), seed=st.integers(0, 2**32))
def test_accepted_mutants_are_true_on_small_values(tmp_path: Path, program: str, seed: int) -> None:
    file = tmp_path / "main.bend"
    file.write_text(mutate(program, random.Random(seed)), encoding="utf-8")
    assert with_deep_stack(lambda: refuted(file)) == []


def test_a_false_claim_is_refuted(tmp_path: Path) -> None:
    """The search does find counterexamples: here among definitions that are accepted though false, being unsafe."""
    file = tmp_path / "main.bend"
    file.write_text(
        "import Base\n\n@unsafe\ndef f(n: Nat, b: Bool) -> {Nat.double(n) == n : Nat}:\n  f(n, b)\n", encoding="utf-8"
    )

    def work() -> list[str]:
        book = read_book(file)
        checker = Checker(book, timeout=3)
        checker.check()
        return list(counterexamples(book, checker.machine, Thunk(book.definitions["f"].type, ()), ()))

    assert with_deep_stack(work)[0] == "['1n', 'True{}']: ['2n', '1n']"
