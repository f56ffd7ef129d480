"""The suite files: their schema, and reading them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from bendml_cli.errors import SuiteError, UnknownName
from bendml_cli.project import Project
from bendml_cli.suites.case import Case, Place
from bendml_cli.suites.kinds.accepts import AcceptsCheck
from bendml_cli.suites.kinds.base import NAME, Check, InnerPath
from bendml_cli.suites.kinds.compare import CompareCheck
from bendml_cli.suites.kinds.fuzz import FuzzCheck
from bendml_cli.suites.kinds.hygiene import HygieneCheck
from bendml_cli.suites.kinds.kernel import KernelCheck
from bendml_cli.suites.kinds.law_docs import LawDocsCheck
from bendml_cli.suites.kinds.mutants import MutantsCheck
from bendml_cli.suites.kinds.proofs import ProofsCheck
from bendml_cli.suites.kinds.rejects import RejectsCheck
from bendml_cli.suites.kinds.runs import RunsCheck
from bendml_cli.suites.kinds.train import TrainCheck
from bendml_cli.suites.yaml_lines import Document, read_document

AnyCheck = Annotated[
    ProofsCheck
    | HygieneCheck
    | RejectsCheck
    | AcceptsCheck
    | MutantsCheck
    | LawDocsCheck
    | KernelCheck
    | RunsCheck
    | CompareCheck
    | FuzzCheck
    | TrainCheck,
    Field(discriminator="kind"),
]


class SuiteFile(BaseModel):
    """What a suite file holds. `package` is a path from the project's root, such as `bend/tensor`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(min_length=1)
    package: InnerPath
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
    if not re.fullmatch(NAME, path.stem):
        raise SuiteError(
            shown, [(None, "", f"a suite's name has only letters, digits, '.', '_' and '-': {path.stem!r}")]
        )
    document = read_document(path, shown)
    try:
        file = SuiteFile.model_validate(document.data)
    except ValidationError as error:
        raise SuiteError(shown, [_problem(document, each) for each in error.errors()]) from error
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
    for name in names:
        if name not in files and name != "all":
            raise UnknownName("suite", name, [*files, "all"])
    chosen = files if not names or "all" in names else dict.fromkeys(names)
    return [read_suite(project, files[name]) for name in chosen]


def field_name(loc: tuple[str | int, ...]) -> str:
    """A field as people write it: `checks[2].mutants[0].with`."""
    out = ""
    for step in loc:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else step
    return out


_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "there is no such field",
    "string_type": "must be text (put a number in quotes)",
    "list_type": "must be a list",
    "model_type": "must be fields and their values",
    "model_attributes_type": "must be fields and their values",
    "union_tag_not_found": "its kind is missing",
    "union_tag_invalid": "there is no kind '{tag}'; there are: {expected_tags}",
    "value_error": "{error}",
}
"""What is wrong, in a suite author's words, by pydantic's name for it; the rest is said in pydantic's."""


def _problem(document: Document, error: ErrorDetails) -> tuple[int | None, str, str]:
    # Below `checks[i]`, pydantic also names the kind that it chose; the file has no such step.
    loc, message = error["loc"], error["msg"]
    steps = tuple(step for at, step in enumerate(loc) if not (at == 2 and loc[0] == "checks"))
    words = _WORDS.get(error["type"], message[:1].lower() + message[1:])
    if error["type"] in _WORDS:
        words = words.format(**error.get("ctx", {}))
    return document.line(steps), field_name(steps), words
