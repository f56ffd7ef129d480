"""Finding an installed Bend, and choosing engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.engines.bend import find_bend, why_unavailable
from bendml_cli.engines.choice import EngineChoice
from bendml_cli.engines.choose import choose_engines
from bendml_cli.errors import EngineUnavailable


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "bin" / "bend"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_none_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BENDML_BEND", raising=False)
    assert find_bend() is None
    assert why_unavailable() == "bend is not installed: there is none on PATH, and $BENDML_BEND is not set"
    monkeypatch.setenv("BENDML_BEND", "/nowhere/bend")
    assert why_unavailable() == "bend is not installed: $BENDML_BEND names '/nowhere/bend', which is no program"


def test_one_is_found(monkeypatch: pytest.MonkeyPatch, program: Path, tmp_path: Path) -> None:
    monkeypatch.delenv("BENDML_BEND", raising=False)
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_bend() == program
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("BENDML_BEND", str(program))
    assert find_bend() == program


def test_asking_for_bend_by_name_says_why_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BENDML_BEND", raising=False)
    for choice in (EngineChoice.BEND, EngineChoice.BOTH):
        with pytest.raises(EngineUnavailable, match="bend is not installed") as caught:
            choose_engines(choice)
        assert "--engine embedded" in caught.value.way_out


def test_auto_falls_back_and_keeps_the_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BENDML_BEND", raising=False)
    engines = choose_engines(EngineChoice.AUTO)
    assert [engine.name for engine in engines.chosen] == ["embedded"]
    assert engines.without_bend is not None
    assert "not installed" in engines.without_bend
