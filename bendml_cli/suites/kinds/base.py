"""What all kinds of check have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bendml_cli.suites.case import Case, Place

Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
"""A name that is also a folder's name in the evidence."""


def _inside(name: str) -> str:
    if name.startswith("/") or ".." in name.split("/"):
        raise ValueError("must be a path inside the package")
    return name


PackageFile = Annotated[str, AfterValidator(_inside)]
"""A file's path from its package's folder."""


class Check(BaseModel):
    """One entry of a suite's `checks`. Every kind adds `kind`, and `id` with the kind's name as its default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Id

    def files(self) -> Iterator[tuple[str, str]]:
        """The package files that must exist, as (field, path from the package)."""
        yield from ()

    def problems(self, place: Place) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What is wrong with this entry beyond its fields' forms, as (path of fields, what is wrong)."""
        for field, name in self.files():
            if not (place.root / place.path(name)).is_file():
                yield (field,), f"there is no file {place.path(name)}"

    def cases(self, suite: str, place: Place) -> Iterator[Case]:
        """The cases to run."""
        raise NotImplementedError
