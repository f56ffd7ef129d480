"""Whom `bendml bench mnist` can compare with: a module of its own, since the command line must know them to start."""

from __future__ import annotations

from enum import StrEnum


class Against(StrEnum):
    """The other side of a contest."""

    TORCH = "torch"
