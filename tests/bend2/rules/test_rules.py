"""Every rule of the language, one small program each (see rules.py for the format)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bend2.rules.rules import Case, differences, read_cases, run

CASES = read_cases()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder of results, so that Base is checked once."""
    return tmp_path_factory.mktemp("rules-cache")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_rule(case: Case, tmp_path: Path, cache: Path) -> None:
    assert differences(case, run(case, tmp_path, cache)) == []


def test_cases_are_told_apart() -> None:
    names = [case.id for case in CASES]
    assert len(names) == len(set(names))
