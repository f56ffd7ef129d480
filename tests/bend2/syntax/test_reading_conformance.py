"""The recorded cases, as far as reading goes: what reading refuses is refused alike, and all else is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bendml_cli.bend2.source import BendError, SourceMap
from bendml_cli.bend2.syntax.modules import read_book

CONFORMANCE = Path(__file__).parents[2] / "conformance"
# Errors that reading may report; those that checking reports under the same name come with a definition.
CATEGORIES = {"syntax", "import", "name-clash", "pattern", "operator", "scrutinee", "template", "unknown-name"}


def _cases() -> list[Any]:
    cases = []
    for expected in sorted(CONFORMANCE.glob("*/expected.jsonl")):
        for line in expected.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            path = expected.parent / case["file"]
            cases.append(pytest.param(path, case.get("error", {}), id=f"{expected.parent.name}/{case['file']}"))
    return cases


@pytest.mark.parametrize(("path", "error"), _cases())
def test_case(path: Path, error: dict[str, Any]) -> None:
    refused = error.get("category") in CATEGORIES and "definition" not in error
    sources = SourceMap()
    caught = _refusal(path, sources)
    if caught is None:
        assert not refused, f"not refused: {error}"
        return
    assert refused, caught.message
    source = sources.at(caught.position)
    assert caught.category == error["category"]
    assert (source.line_of(caught.position) if source is not None else None) == error.get("line")


def _refusal(path: Path, sources: SourceMap) -> BendError | None:
    try:
        read_book(path, sources=sources)
    except BendError as caught:
        return caught
    return None
