"""What tests share: the folders of the C compiler, which takes seconds to be made ready; how Ctrl-C is taken."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

# A shell without job control starts what runs in the background (`make test &`) with SIGINT ignored, and so would
# everything that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run of the tests, the same one in all of its processes."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def bendml_cache(shared: Path) -> Path:
    """A $BENDML_CACHE for `bendml` commands."""
    return shared / "bendml-cache"


@pytest.fixture(scope="session")
def tools(bendml_cache: Path) -> Path:
    """Where the C compiler keeps what all programs share."""
    folder = bendml_cache / "native" / "tools"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
