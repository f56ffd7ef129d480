"""The suites of this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.project import Project
from bendml_cli.suites.kinds.mutants import MutantsCheck
from bendml_cli.suites.schema import Suite, select_suites

PROJECT = Project(Path(__file__).parents[2])
SUITES = select_suites(PROJECT, [])


def test_every_package_has_a_suite() -> None:
    assert {PROJECT.root / suite.place.package for suite in SUITES} >= set(PROJECT.packages)


@pytest.mark.parametrize(
    "suite",
    [suite for suite in SUITES if PROJECT.root / suite.place.package in PROJECT.packages],
    ids=lambda suite: suite.name,
)
def test_a_suite_names_every_program_of_its_package_and_every_kind(suite: Suite) -> None:
    named = {name for check in suite.checks for _, name in check.files() if name.endswith(".bend")}
    package = PROJECT.root / suite.place.package
    assert named == {path.relative_to(package).as_posix() for path in package.rglob("*.bend")}
    kinds = {case.kind for case in suite.cases()}
    assert kinds >= {"proofs", "hygiene", "law-docs", "kernel", "accepts", "rejects", "mutants"}


def test_there_are_at_least_twelve_mutants() -> None:
    mutants = [
        m for suite in SUITES for check in suite.checks if isinstance(check, MutantsCheck) for m in check.mutants
    ]
    assert len(mutants) >= 12
