"""How a setup shows itself while it goes. Artefacts are installed one after the other."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol


class Stage(StrEnum):
    """Where an artefact is on its way in."""

    FETCHING = "fetching"
    VERIFYING = "verifying"
    UNPACKING = "unpacking"
    #: From the moment that what stood in its place is moved out of the way.
    PLACING = "placing"
    RECORDING = "recording"


class Watcher(Protocol):
    """Told what happens."""

    def stage(self, name: str, stage: Stage, detail: str = "") -> None:
        """An artefact has come to a stage; `detail` is the source, when it is fetched."""

    def expect(self, total: int) -> None:
        """How many bytes the stage will go through, once that is known."""

    def at(self, done: int) -> None:
        """How many bytes of the stage are done."""

    def note(self, text: str) -> None:
        """Something worth a line: a retry, a wait."""


class Silent:
    """Shows nothing."""

    def stage(self, name: str, stage: Stage, detail: str = "") -> None:
        pass

    def expect(self, total: int) -> None:
        pass

    def at(self, done: int) -> None:
        pass

    def note(self, text: str) -> None:
        pass
