"""Elaborated core: types known at every binder, application and match, instances of templates named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bendml_cli.bend2.api import elaborate_file
from bendml_cli.bend2.check.elaborate import Elaborated, show_elaborated
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.terms import Absurd, Ann, App, Ctr, Lam, Let, Match, Ref, Rewrite, Term
from bendml_cli.bend2.source import BendError

PROGRAM = """import Base

def twice(~f: Nat -> Nat, n: Nat) -> Nat:
  f(f(n))

def grow(xs: List<&2, Nat>, +d: Nat) -> List<&2, Nat>:
  match xs:
    case Nil{}:
      [d]
    case h <> t:
      k : Nat = twice(~Nat.double, h)
      k <> grow(t, d)

law same:
  for n: Nat
  {Nat.add(0n, n) == n : Nat}

def same(n):
  {==}
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Elaborated]:
    file = tmp_path_factory.mktemp("elaborate") / "main.bend"
    file.write_text(PROGRAM, encoding="utf-8")
    return elaborate_file(file)


def _live_parts(term: Term) -> Iterator[Term]:
    """The term and its parts that are checked against a goal or inferred (motives and annotations aside)."""
    yield term
    match term:
        case Lam(body=body):
            yield from _live_parts(body)
        case App(function=function, arguments=arguments):
            yield from _live_parts(function)
            for each in arguments:
                yield from _live_parts(each)
        case Ctr(arguments=arguments):
            for each in arguments:
                yield from _live_parts(each)
        case Match(hit=hit, miss=miss):
            yield from _live_parts(hit)
            yield from _live_parts(miss)
        case Let(values=values, body=body):
            for each in values:
                yield from _live_parts(each)
            yield from _live_parts(body)
        case Rewrite(evidence=evidence, body=body):
            yield from _live_parts(evidence)
            yield from _live_parts(body)
        case Ann(term=inner):
            yield from _live_parts(inner)


def test_every_binder_call_and_match_knows_its_type(book: dict[str, Elaborated]) -> None:
    """In the program and in all of Base."""
    seen = 0
    for definition in book.values():
        for part in _live_parts(definition.body):
            if isinstance(part, Lam | App | Match | Let | Rewrite):
                seen += 1
                assert part.typing is not None, (definition.name, part)
                types = part.typing if isinstance(part.typing, tuple) else (part.typing,)
                assert all(isinstance(each, Term | str) for each in types)
    assert seen > 1000


def test_templates_give_way_to_their_instances(book: dict[str, Elaborated]) -> None:
    assert "twice" not in book
    assert show(book["twice~0"].type, (), str) == "@n:Nat -> Nat"
    calls = [part for part in _live_parts(book["grow"].body) if isinstance(part, App)]
    names = {call.function.key for call in calls if isinstance(call.function, Ref)}
    assert names == {"twice~0", "grow"}


def test_types_are_those_of_the_rules(book: dict[str, Elaborated]) -> None:
    body = book["grow"].body
    assert isinstance(body, Match)
    assert body.constructor == "Nil"
    quantity, scrutinee, _ = body.typing
    assert (quantity, show(scrutinee, (), str)) == ("", "List<&2, Nat>")
    rest = body.miss
    assert isinstance(rest, Match)
    assert show(rest.typing[1], (), str) == "List<&2, Nat> - Nil{}"
    assert isinstance(rest.miss, Absurd), "no constructor is left"


def test_printing(book: dict[str, Elaborated]) -> None:
    assert show_elaborated(book["same"]) == "same : @n:Nat -> {Nat.add(0n, n) == n : Nat} =\n  n : Nat =>\n  {==}"
    assert "      k : Nat = {twice~0(h) : Nat}" in show_elaborated(book["grow"]).splitlines()
    for definition in book.values():
        assert show_elaborated(definition).startswith(f"{definition.name} : ")


def test_a_refused_file_has_no_elaboration(tmp_path: Path) -> None:
    file = tmp_path / "bad.bend"
    file.write_text("import Base\n\ndef f() -> Nat:\n  True{}\n", encoding="utf-8")
    with pytest.raises(BendError) as refused:
        elaborate_file(file)
    assert refused.value.category == "mismatch"
