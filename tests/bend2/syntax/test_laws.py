"""The laws of a file as text."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.bend2.syntax.laws import ClauseText, laws_of

TEXT = """import ./other.bend as O
# a law with everything
law  everything :
  for ~f: Nat->Nat  for -n: Nat where {f(n)==n:Nat}
  exs m : O.Box
  k = n; {k == m : Nat}
law plain: Type
def plain(): Nat
"""


def test_laws_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "LAWS.bend"
    path.write_text(TEXT)
    everything, plain = laws_of(path)
    assert (everything.name, everything.line) == ("everything", 3)
    assert everything.clauses == (
        ClauseText(False, "~", "f", "Nat -> Nat", None),
        ClauseText(False, "-", "n", "Nat", "{f(n) == n : Nat}"),
        ClauseText(True, "", "m", "O.Box", None),
    )
    assert everything.claim == "k = n\n{k == m : Nat}"
    assert (plain.clauses, plain.claim, plain.line) == ((), "Type", 7)
