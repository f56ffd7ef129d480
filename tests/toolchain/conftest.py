"""The server that the tests of the toolchain download from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toolchain.made import Served, serving


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server of our own, which `requests` trusts for the time of a test."""
    with serving(tmp_path_factory.mktemp("ca")) as server:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(server.ca))
        monkeypatch.setenv("NO_PROXY", "localhost")
        yield server


@pytest.fixture
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The same over http, which nothing may be fetched by."""
    with serving(tmp_path_factory.mktemp("plain"), tls=False) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A root to install into."""
    return tmp_path / "home"
