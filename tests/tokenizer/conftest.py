"""What these tests share: the native core, compiled once into the tests' own folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bendml_cli.engines.cache import CACHE_VARIABLE
from bendml_cli.tokenizer.native import load_core


@pytest.fixture(scope="session", autouse=True)
def _core(bendml_cache: Path, tools: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(bendml_cache))
        load_core()
        yield
