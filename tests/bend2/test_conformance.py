"""Every recorded case of tests/conformance: verdict, normal form of main, and the refusal's particulars.

The cases were recorded from Bend's own checker; README.md there says what each field means. `KNOWN` lists, with a
reason, the cases whose error is told otherwise (none at present); verdicts and normal forms admit no exception.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bendml_cli.bend2.api import check_file
from bendml_cli.bend2.report import Report

CONFORMANCE = Path(__file__).parent.parent / "conformance"
AREAS = ("base", "matching", "proofs", "quantities", "syntax", "termination")

# "area/file" -> why our category, line, definition or printed terms differ from the recorded ones.
KNOWN: dict[str, str] = {}

PARTICULARS = ("category", "line", "definition", "expected", "observed", "variable", "missing", "count")


def _cases() -> list[Any]:
    cases = []
    for area in AREAS:
        for line in (CONFORMANCE / area / "expected.jsonl").read_text(encoding="utf-8").splitlines():
            expected = json.loads(line)
            cases.append(pytest.param(area, expected, id=f"{area}/{expected['file']}"))
    return cases


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of this session, so that Base is checked once."""
    return tmp_path_factory.mktemp("cache")


def _refusal(report: Report) -> dict[str, Any] | None:
    """What the report says of an error, by the names of the recorded cases."""
    if report.error is None:
        return None
    return {name: getattr(report.error, name) for name in PARTICULARS}


@pytest.mark.parametrize(("area", "expected"), _cases())
def test_case(area: str, expected: dict[str, Any], cache: Path) -> None:
    report = check_file(CONFORMANCE / area / expected["file"], main=True, timeout=30, cache=cache)

    assert report.verdict == expected["verdict"], _refusal(report)
    assert report.main == expected.get("main")
    assert report.unsafe == expected.get("unsafe", [])
    if "error" not in expected:
        assert report.error is None
        return
    assert report.error is not None
    assert report.error.message, "a refusal says why"
    if f"{area}/{expected['file']}" in KNOWN:
        return
    refusal = _refusal(report)
    assert refusal is not None
    recorded = expected["error"]
    # A field that the record leaves out is not compared, but for the definition: its absence says "while reading".
    compared = {name for name in PARTICULARS if name in recorded} | {"definition"}
    assert {name: refusal[name] for name in compared} == {name: recorded.get(name) for name in compared}


def test_the_set_is_whole() -> None:
    """A truncated copy of the cases must not pass."""
    assert len(_cases()) == 609
    assert all(reason for reason in KNOWN.values())
    assert len(KNOWN) <= 0.03 * len(_cases())
