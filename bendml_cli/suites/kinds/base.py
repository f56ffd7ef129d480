"""What all kinds of check have in common."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bendml_cli.suites.case import Case, Outcome, Place, Session

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
"""What a suite or a check may be called: it is also a folder's name in the evidence."""

Id = Annotated[str, Field(pattern=f"^{NAME}$", max_length=80)]
"""The name of a check."""


def _inside(name: str) -> str:
    if name.startswith("/") or ".." in name.split("/"):
        raise ValueError("must stay inside: no '/' at the start, and no '..'")
    return name


InnerPath = Annotated[str, AfterValidator(_inside)]
"""A path from a folder that stays in it: of a package from the project's root, of a file from its package."""


class Check(BaseModel):
    """One entry of a suite's `checks`, about a file of the suite's package.

    Every kind says its `kind`, and how to `run`; one that needs only one entry has its name as the default of `id`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    id: Id
    file: InnerPath = "main.bend"

    def files(self) -> Iterator[tuple[str, str]]:
        """The package files that must exist, as (field, path from the package)."""
        yield "file", self.file

    def problems(self, place: Place) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What is wrong with this entry beyond its fields' forms, as (path of fields, what is wrong)."""
        for field, name in self.files():
            if not (place.root / place.path(name)).is_file():
                yield (field,), f"there is no file {place.path(name)}"

    def cases(self, suite: str, place: Place) -> Iterator[Case]:
        """The cases to run: one, unless a kind says otherwise."""
        yield Case(suite, self.id, self.kind, partial(self.run, place))

    def run(self, place: Place, session: Session) -> Outcome:
        """How the entry's only case turns out."""
        raise NotImplementedError
