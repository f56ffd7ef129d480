"""The suite files: their schema, and reading them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bendml_cli.errors import SuiteError, UnknownName
from bendml_cli.project import Project
from bendml_cli.suites.case import Case, Place
from bendml_cli.suites.kinds.accepts import AcceptsCheck
from bendml_cli.suites.kinds.base import Check
from bendml_cli.suites.kinds.hygiene import HygieneCheck
from bendml_cli.suites.kinds.kernel import KernelCheck
from bendml_cli.suites.kinds.law_docs import LawDocsCheck
from bendml_cli.suites.kinds.mutants import MutantsCheck
from bendml_cli.suites.kinds.proofs import ProofsCheck
from bendml_cli.suites.kinds.rejects import RejectsCheck
from bendml_cli.suites.yaml_lines import Document, read_document

AnyCheck = Annotated[
    ProofsCheck | HygieneCheck | RejectsCheck | AcceptsCheck | MutantsCheck | LawDocsCheck | KernelCheck,
    Field(discriminator="kind"),
]


class SuiteFile(BaseModel):
    """What a suite file holds. `package` is a path from the project's root, such as `bend/tensor`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(min_length=1)
    package: str
    checks: list[AnyCheck] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite that can be run. `name` is its file's name without the ending."""

    name: str
    title: str
    place: Place
    checks: tuple[Check, ...]

    def cases(self) -> list[Case]:
        """All cases of all checks, in the order of the file."""
        return [case for check in self.checks for case in check.cases(self.name, self.place)]


def read_suite(project: Project, path: Path) -> Suite:
    """Read and validate one suite file.

    Raises SuiteError, which names each problem's file, line and field.
    """
    shown = path.relative_to(project.root) if path.is_relative_to(project.root) else path
    document = read_document(path)
    try:
        file = SuiteFile.model_validate(document.data)
    except ValidationError as error:
        raise SuiteError(shown, [_problem(document, e["loc"], e["msg"]) for e in error.errors()]) from error
    package = Path(PurePosixPath(file.package))
    place = Place(project.root, package)
    if not (project.root / package).is_dir():
        raise SuiteError(shown, [(document.line(["package"]), "package", f"there is no folder {package}")])
    problems: list[tuple[int | None, str, str]] = []
    seen: set[str] = set()
    for index, check in enumerate(file.checks):
        if check.id in seen:
            problems.append((document.line(["checks", index, "id"]), f"checks[{index}].id", f"'{check.id}' is taken"))
        seen.add(check.id)
        for loc, what in check.problems(place):
            full = ("checks", index, *loc)
            problems.append((document.line(full), field_name(full), what))
    if problems:
        raise SuiteError(shown, problems)
    return Suite(path.stem, file.title, place, tuple(file.checks))


def select_suites(project: Project, names: list[str]) -> list[Suite]:
    """The suites of these names; all of them for no name or `all`.

    Raises UnknownName for a name that is no suite's, and SuiteError.
    """
    files = {path.stem: path for path in project.suite_files}
    if not names or "all" in names:
        names = list(files)
    for name in names:
        if name not in files:
            raise UnknownName("suite", name, [*files, "all"])
    return [read_suite(project, files[name]) for name in dict.fromkeys(names)]


def field_name(loc: tuple[str | int, ...]) -> str:
    """A field as people write it: `checks[2].mutants[0].with`."""
    out = ""
    for step in loc:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else step
    return out


def _problem(document: Document, loc: tuple[str | int, ...], message: str) -> tuple[int | None, str, str]:
    # Below `checks[i]`, pydantic also names the kind that it chose; the file has no such step.
    steps = tuple(step for at, step in enumerate(loc) if not (at == 2 and loc[0] == "checks"))
    return document.line(steps), field_name(steps), message[:1].lower() + message[1:]
