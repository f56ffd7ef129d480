"""The facts in a manifest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.evidence.facts import engine_facts, git_facts, host_facts
from tests.fakes import FakeEngine


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_a_checkout_is_its_commit_and_whether_it_was_changed(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-m", "one")
    facts = git_facts(tmp_path)
    assert facts is not None
    assert len(facts.commit) == 40
    assert not facts.dirty
    (tmp_path / "file").write_text("two")
    changed = git_facts(tmp_path)
    assert changed is not None
    assert changed.dirty
    # A folder inside a checkout is not that checkout.
    (tmp_path / "inner").mkdir()
    assert git_facts(tmp_path / "inner") is None


def test_no_checkout_and_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git_facts(tmp_path) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_facts(tmp_path) is None


def test_the_host_is_described_and_not_named() -> None:
    facts = host_facts()
    assert facts.memory_bytes > 0
    assert facts.cpu


def test_the_embedded_engine_is_known_by_its_code() -> None:
    digest = engine_facts(EmbeddedEngine()).digest
    assert digest is not None
    assert digest == engine_facts(EmbeddedEngine()).digest
    assert engine_facts(FakeEngine(name="bend")).digest is None
