"""The audit of a package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bendml_cli.errors import BendmlError
from bendml_cli.laws.audit import PackageAudit, audit_package
from bendml_cli.project import Project
from bendml_cli.suites.schema import select_suites
from tests.fakes import README, SUITE, make_project

MUTANTS = (
    SUITE
    + """\
  - kind: mutants
    mutants:
      - {id: m, within: def id, replace: n, with: 0n, occurrence: 2, breaks: id_law}
"""
)

LAWS = """\
import Base

def half(x: F32) -> F32: (x * 0.5 : F32)

def is_zero(n: Nat) -> Bool:
  match n:
    case 0n:
      True{}
    case 1n+p:
      False{}

# A comment that is no part of the law.
law of_zero:
  for n: Nat  # any number
  for h: {is_zero(n) ==
          True{} : Bool}
  {is_zero(n) == True{} : Bool}

def of_zero(n, h): h

law halves:
  for x: F32
  exs y: F32
  {half(x) == y : F32}

def halves(x): (half(x), {==})
"""


def audit(root: Path, text: str | None = None, *, suite: str = SUITE, check_docs: bool = False) -> PackageAudit:
    project = Project(make_project(root, suite))
    if text is not None:
        (root / "bend/demo/main.bend").write_text(text)
    return audit_package(root / "bend/demo", select_suites(project, []), check_docs=check_docs)


def test_laws_are_shown_without_their_proofs(tmp_path: Path) -> None:
    found = audit(tmp_path, suite=MUTANTS, check_docs=True)
    assert (found.package, found.verdict, found.engine) == ("demo", "ALL PROOFS CHECK", "embedded")
    (law,) = found.laws
    assert (law.name, law.quantifiers, law.hypotheses) == ("id_law", ["for n: Nat"], [])
    assert law.claim == "{id(n) == n : Nat}"
    assert law.proved
    assert (law.opaque, law.mutants) == ([], 1)
    assert found.tested == {"proofs": 1, "rejects": 1, "kernel": 1, "mutants": 1}
    assert found.problems == []


def test_hypotheses_witnesses_and_opaque_laws(tmp_path: Path) -> None:
    found = audit(tmp_path, LAWS)
    assert found.refusal == ""
    of_zero, halves = found.laws
    assert of_zero.quantifiers == ["for n: Nat"]
    assert of_zero.hypotheses == ["for h: {is_zero(n) == True{} : Bool}"]
    assert (of_zero.vacuity, of_zero.instance) == ("satisfied", "n = 0n")
    assert of_zero.opaque == []
    assert halves.quantifiers == ["for x: F32", "exs y: F32"]
    assert halves.opaque == ["F32.mul"]
    assert found.with_hypotheses == 1
    assert found.opaque == ["F32.mul"]
    assert found.problems == []


def test_a_vacuous_law_is_a_problem(tmp_path: Path) -> None:
    text = (
        "import Base\nlaw never:\n  for n: Nat\n  for -h: {1n+n == 0n : Nat}\n  {n == n : Nat}\ndef never(n, h): {==}\n"
    )
    found = audit(tmp_path, text)
    assert found.laws[0].proved
    assert found.laws[0].vacuity == "never satisfied"
    assert found.problems == ["never may be vacuous: no small instance satisfies the hypotheses"]


def test_an_open_law_is_a_problem_and_not_proved(tmp_path: Path) -> None:
    found = audit(tmp_path, "import Base\nlaw open:\n  for n: Nat\n  {n == n : Nat}\n")
    assert not found.laws[0].proved
    assert "open is not proved" in found.problems
    assert found.verdict == "SOME PROOFS FAIL"


def test_a_wrong_proof_proves_nothing(tmp_path: Path) -> None:
    found = audit(tmp_path, "import Base\nlaw wrong:\n  for n: Nat\n  {n == 0n : Nat}\ndef wrong(n): {==}\n")
    assert not found.laws[0].proved
    assert "mismatch" in found.refusal
    found = audit(tmp_path, LAWS.replace("(x * 0.5 : F32)", "True{}"))
    assert found.laws[0].hypotheses == ["for h: {is_zero(n) == True{} : Bool}"]
    assert (found.laws[0].vacuity, found.laws[0].instance) == ("undecided", "the file is refused")


def test_unsafe_code_is_trusted_and_named(tmp_path: Path) -> None:
    unsafe = "@unsafe def f(n: Nat) -> Nat: f(n)\n"
    text = f"import Base\n{unsafe}law l:\n  for n: Nat\n  {{f(n) == f(n) : Nat}}\ndef l(n): {{==}}\n"
    found = audit(tmp_path, text)
    assert found.unsafe == ["f"]
    assert found.laws[0].unsafe == ["f"]
    assert not found.laws[0].proved


def test_the_documentation_is_compared_when_asked(tmp_path: Path) -> None:
    make_project(tmp_path)
    (tmp_path / "bend/demo/README.md").write_text(README.replace("id_law", "other_law"))
    project = Project(tmp_path)
    suites = select_suites(project, [])
    assert audit_package(tmp_path / "bend/demo", suites, check_docs=False).problems == []
    assert audit_package(tmp_path / "bend/demo", suites, check_docs=True).problems == [
        "README.md: id_law is not in the table",
        "README.md: line 5: there is no law other_law",
    ]
    (tmp_path / "bend/demo/README.md").unlink()
    assert audit_package(tmp_path / "bend/demo", suites, check_docs=True).problems == ["demo has no README.md"]


def test_what_is_no_bend_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BendmlError, match="cannot be read"):
        audit(tmp_path, "nonsense")


def test_the_command(tmp_path: Path) -> None:
    make_project(tmp_path, MUTANTS)
    env = {**os.environ, "NO_COLOR": "1"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bendml_cli", "audit-laws", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=env)

    done = run("--check-docs")
    assert done.returncode == 0
    assert "  law id_law  (1 mutant must break it)\n    for n: Nat\n    {id(n) == n : Nat}\n" in done.stdout
    assert "  proved      1 of 1 laws, by the embedded engine\n" in done.stdout
    assert "  trusted     by the laws: nothing but the checker\n" in done.stdout
    assert json.loads(run("demo", "--json").stdout)["laws"][0]["name"] == "id_law"
    (tmp_path / "bend/demo/README.md").unlink()
    done = run("--check-docs")
    assert done.returncode == 1
    assert "problem     demo has no README.md" in done.stdout


def test_a_law_with_template_clauses_carries_a_caution(tmp_path: Path) -> None:
    """By Bend's rules this false claim is accepted: the law is handed to a template as a dead argument, and no live
    use makes an instance of it."""
    text = """\
import Base

def call(~f: Unit -> Empty, u: Unit) -> Empty: f(u)

law no:
  for ~k: Nat
  for u: Unit
  Empty

def no(k, u): call(~(x => no(~k, x)), u)
"""
    found = audit(tmp_path, text)
    assert found.verdict == "ALL PROOFS CHECK"
    assert "live use" in found.laws[0].caution
