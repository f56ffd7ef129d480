"""PyTorch, imported when it is first needed: it takes seconds, and need not be installed."""

from __future__ import annotations

import importlib
import threading
from typing import Any

from bendml_cli.errors import ReferenceUnavailable

_importing = threading.Lock()


def pytorch() -> Any:
    """The module torch.

    Raises ReferenceUnavailable when it is not installed, or cannot be loaded.
    """
    try:
        # One thread at a time: a second importer would see half a module.
        with _importing:
            return importlib.import_module("torch")
    except ImportError as error:
        raise ReferenceUnavailable(
            f"PyTorch cannot be imported: {error}", "pip install 'bendml[reference]' installs it"
        ) from error
