"""`mutants`: one-word edits of a package, each of which must break the law that the suite names.

A law that no edit of the code can break says nothing about the code.
"""

from __future__ import annotations

import difflib
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from bendml_cli.bend2.report import Report
from bendml_cli.suites.case import Case, Outcome, Place, Session
from bendml_cli.suites.judging import judge, refusal
from bendml_cli.suites.kinds.base import Check, Id

# What a slip of the edit itself gives: such a refusal says nothing about the law.
_NOTHING_SAID = {"syntax", "unknown-name"}

Word = Annotated[str, Field(pattern=r"^\S+$")]


class Mutant(BaseModel):
    """Replace the word `replace` by `with`, in the declaration that starts with `within` (such as `def plus`).

    `occurrence` counts from 1 and is needed when the word stands there more than once. `breaks` names the law that
    must fail.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Id
    within: str
    replace: Word
    with_: Word = Field(alias="with")
    occurrence: int | None = Field(default=None, ge=1)
    breaks: str

    def apply(self, text: str) -> str:
        """The edited text. Raises ValueError when there is not exactly one place to edit."""
        header = re.compile(rf"^{re.escape(self.within)}(?![\w.])", re.MULTILINE)
        starts = [match.start() for match in header.finditer(text)]
        if len(starts) != 1:
            raise ValueError(f"{len(starts)} declarations start with '{self.within}'")
        following = re.compile(r"^(?:@unsafe|def|law|type)\b", re.MULTILINE).search(text, starts[0] + 1)
        end = following.start() if following else len(text)
        # A whole word: no part of a longer name, where it is a name at its ends.
        left = r"(?<![\w.])" if re.match(r"\w", self.replace) else ""
        right = r"(?![\w.])" if re.search(r"\w$", self.replace) else ""
        places = list(re.compile(left + re.escape(self.replace) + right).finditer(text, starts[0], end))
        wanted = self.occurrence or 1
        if not places or wanted > len(places) or (self.occurrence is None and len(places) > 1):
            raise ValueError(
                f"'{self.replace}' stands {len(places)} times in '{self.within}'"
                + ("" if self.occurrence else ": say which by `occurrence`" if places else "")
            )
        place = places[wanted - 1]
        return text[: place.start()] + self.with_ + text[place.end() :]


class MutantsCheck(Check):
    """One case for each of `mutants`."""

    kind: Literal["mutants"]
    id: Id = "mutants"
    mutants: list[Mutant] = Field(min_length=1)

    def problems(self, place: Place) -> Iterator[tuple[tuple[str | int, ...], str]]:
        bad_file = False
        for problem in super().problems(place):
            bad_file = True
            yield problem
        if bad_file:
            return
        text = (place.root / place.path(self.file)).read_text(encoding="utf-8", errors="replace")
        for index, mutant in enumerate(self.mutants):
            try:
                if mutant.apply(text) == text:
                    yield ("mutants", index, "with"), "is what stands there already"
            except ValueError as error:
                yield ("mutants", index, "replace"), str(error)
            if not re.search(rf"^law\s+{re.escape(mutant.breaks)}(?![\w.])", text, re.MULTILINE):
                yield ("mutants", index, "breaks"), f"there is no law {mutant.breaks} in {place.path(self.file)}"
            if mutant.id in {other.id for other in self.mutants[:index]}:
                yield ("mutants", index, "id"), f"two mutants are called {mutant.id}"

    def cases(self, suite: str, place: Place) -> Iterator[Case]:
        for mutant in self.mutants:
            yield Case(suite, f"{self.id}/{mutant.id}", self.kind, partial(self._run, place, mutant))

    def _run(self, place: Place, mutant: Mutant, session: Session) -> Outcome:
        path = place.path(self.file)
        with tempfile.TemporaryDirectory(prefix="bendml-mutant-") as folder:
            copy = Path(folder).resolve()
            _copy_bend_files(place.root, place.package.parent, copy)
            text = (copy / path).read_text(encoding="utf-8")
            edited = mutant.apply(text)
            (copy / path).write_text(edited, encoding="utf-8")
            difference = "".join(
                difflib.unified_diff(
                    text.splitlines(keepends=True), edited.splitlines(keepends=True), str(path), f"{path} ({mutant.id})"
                )
            )

            def untold(report: Report) -> str:
                if report.from_words and report.error is not None and report.error.definition is None:
                    return f"refused, as it should be, but its words do not tell whether {mutant.breaks} is what breaks"
                return ""

            def assess(report: Report) -> list[str]:
                if report.accepted:
                    return [f"every law survives '{mutant.replace}' becoming '{mutant.with_}' in {mutant.within}"]
                if untold(report):
                    return []
                if report.error is None or report.error.definition != mutant.breaks:
                    return [f"should break {mutant.breaks}, and breaks elsewhere: {refusal(report)}"]
                if report.error.category in _NOTHING_SAID:
                    return [f"breaks every law alike, for the edit makes no sense: {refusal(report)}"]
                return []

            def passed(report: Report) -> str:
                return f"breaks {mutant.breaks}"

            return judge(session, copy, path, assess, passed, untold=untold, keep={"mutant.diff": difference})


def _copy_bend_files(root: Path, folder: Path, target: Path) -> None:
    """Copy the Bend files of a package's surroundings, so that imports between packages still work."""
    for source in filter(Path.is_file, (root / folder).rglob("*.bend")):
        to = target / source.relative_to(root)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, to)
