"""`fuzz`: a program's answers to random cases, against a reference."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import partial
from typing import Literal

from pydantic import Field

from bendml_cli.errors import ReferenceUnavailable
from bendml_cli.reference.catalogue import REFERENCES
from bendml_cli.reference.model import Reference
from bendml_cli.reference.operation import Operation
from bendml_cli.suites.arguments import filled
from bendml_cli.suites.case import Case, Outcome, Place, Session
from bendml_cli.suites.comparing import compare_cases
from bendml_cli.suites.differences import Tolerance
from bendml_cli.suites.kinds.base import Check, InnerPath
from bendml_cli.suites.programs import Found, Program, skipped, with_program

EVERYTHING = (-math.inf, math.inf)


class FuzzCheck(Check):
    """One case for each of `references`: so many random `cases` of it, in one run of the program.

    The program gets `arguments`, in which names stand for folders as in those of `runs`, and a file of the cases.
    `seed` makes the same cases in every run. Dimensions go up to `largest`, numbers lie in `range`: from -infinity to
    infinity, they are any F32, NaN too. A case that differs by more than the tolerances is shrunk, and kept in the
    evidence.
    """

    kind: Literal["fuzz"]
    file: InnerPath
    references: list[str] = Field(min_length=1)
    cases_: int = Field(alias="cases", ge=1, le=100_000)
    arguments: tuple[str, ...] = ()
    seed: int = 0
    largest: int = Field(default=8, ge=0, le=10_000)
    range: tuple[float, float] = (-2.0, 2.0)
    absolute: float = Field(default=0.0, ge=0)
    relative: float = Field(default=0.0, ge=0)

    def problems(self, place: Place) -> Iterator[tuple[tuple[str | int, ...], str]]:
        yield from super().problems(place)
        for index, name in enumerate(self.references):
            yield from ((("references", index), problem) for problem in unknown_reference(name))
            if name in self.references[:index]:
                yield ("references", index), f"'{name}' is named twice"
        low, high = self.range
        if not low <= high:
            yield ("range",), "the first number must not be above the second"
        elif (low, high) == EVERYTHING:
            for index, name in enumerate(self.references):
                if name in REFERENCES and not isinstance(REFERENCES[name], Operation):
                    yield ("references", index), f"{name} takes numbers from a finite range only"
        elif not math.isfinite(high - low):
            yield ("range",), "both numbers must be finite, or the range [-.inf, .inf]"

    def cases(self, suite: str, place: Place) -> Iterator[Case]:
        for name in self.references:
            # Without the package, which the suite is about.
            yield Case(
                suite, f"{self.id}/{name.partition('.')[2]}", self.kind, partial(self._run, place, REFERENCES[name])
            )

    def _run(self, place: Place, reference: Reference, session: Session) -> Outcome:
        tolerance = Tolerance(self.absolute, self.relative)
        rng = random.Random(f"{reference.name} {self.seed}")
        cases = [reference.sample(rng, index, self.largest, *self.range) for index in range(self.cases_)]
        drawn = {"seed": self.seed, "largest": self.largest, "range": self.range}

        def look(program: Program) -> Found:
            try:
                with filled(self.arguments, place) as arguments:
                    return compare_cases(program, reference, cases, tolerance, arguments=arguments, drawn=drawn)
            except ReferenceUnavailable as error:
                return skipped(error)

        return with_program(session, place.root, place.path(self.file), look)


def unknown_reference(name: str) -> Iterator[str]:
    """What is wrong with a reference's name, if anything."""
    if name not in REFERENCES:
        package = name.partition(".")[0]
        near = [each for each in REFERENCES if each.startswith(f"{package}.")] or list(REFERENCES)
        yield f"there is no reference '{name}'; there are: {', '.join(near)}"
