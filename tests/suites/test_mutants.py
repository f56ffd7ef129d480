"""Mutants that cannot be applied are problems of the suite file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.errors import SuiteError
from bendml_cli.project import Project
from bendml_cli.suites.schema import select_suites
from tests.fakes import make_project


@pytest.mark.parametrize(
    ("mutant", "message"),
    [
        ("{id: m, within: def gone, replace: n, with: m, breaks: id_law}", "0 declarations start with 'def gone'"),
        ("{id: m, within: def i, replace: n, with: m, breaks: id_law}", "0 declarations start with 'def i'"),
        ("{id: m, within: def id, replace: n, with: m, breaks: id_law}", "'n' stands 2 times in 'def id': say which"),
        ("{id: m, within: def id, replace: n, with: m, occurrence: 3, breaks: id_law}", "'n' stands 2 times"),
        ("{id: m, within: def id, replace: q, with: m, breaks: id_law}", "'q' stands 0 times in 'def id'"),
        ("{id: m, within: def id, replace: Nat, with: Nat, occurrence: 1, breaks: id_law}", "is what stands there"),
        ("{id: m, within: def id, replace: id, with: m, breaks: gone}", "there is no law gone in bend/demo/main.bend"),
        ("{id: m, within: def id, replace: id, with: two words, breaks: id_law}", "should match pattern"),
    ],
)
def test_problems(tmp_path: Path, mutant: str, message: str) -> None:
    text = f"title: t\npackage: bend/demo\nchecks:\n  - kind: mutants\n    mutants:\n      - {mutant}\n"
    with pytest.raises(SuiteError) as caught:
        select_suites(Project(make_project(tmp_path, text)), [])
    assert message in caught.value.message
    assert "suites/demo.yaml:6: checks[0].mutants[0]" in caught.value.message
