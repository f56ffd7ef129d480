"""`compare`: a program's answers to given cases, against a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bendml_cli.reference.catalogue import REFERENCES
from bendml_cli.suites.case import Outcome, Place, Session
from bendml_cli.suites.comparing import compare_cases
from bendml_cli.suites.differences import Tolerance
from bendml_cli.suites.kinds.base import Check, InnerPath
from bendml_cli.suites.kinds.fuzz import unknown_reference
from bendml_cli.suites.programs import with_program

Numbers = float | list[float] | list[list[float]]
"""An operand: a number, a vector, or a matrix as its rows."""


class GivenCase(BaseModel):
    """The dimensions and the operands of an operation, in its own order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dims: list[int] = []
    operands: list[Numbers] = []


class CompareCheck(Check):
    """The numbers may be off by `absolute`, and by `relative` times their scale."""

    kind: Literal["compare"]
    file: InnerPath
    reference: str
    cases_: list[GivenCase] = Field(alias="cases", min_length=1)
    absolute: float = Field(default=0.0, ge=0)
    relative: float = Field(default=0.0, ge=0)

    def problems(self, place: Place) -> Iterator[tuple[tuple[str | int, ...], str]]:
        yield from super().problems(place)
        unknown = list(unknown_reference(self.reference))
        yield from ((("reference",), problem) for problem in unknown)
        for index, case in enumerate(self.cases_ if not unknown else []):
            try:
                REFERENCES[self.reference].given(case.dims, [flat(each) for each in case.operands])
            except ValueError as error:
                yield ("cases", index), str(error)

    def run(self, place: Place, session: Session) -> Outcome:
        reference = REFERENCES[self.reference]
        cases = [reference.given(case.dims, [flat(each) for each in case.operands]) for case in self.cases_]
        tolerance = Tolerance(self.absolute, self.relative)
        return with_program(
            session,
            place.root,
            place.path(self.file),
            lambda program: compare_cases(program, reference, cases, tolerance),
        )


def flat(operand: Numbers) -> Sequence[float]:
    """An operand's numbers, row by row."""
    if isinstance(operand, list):
        return [x for part in operand for x in flat(part)]
    return [operand]
