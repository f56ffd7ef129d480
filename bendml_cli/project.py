"""Where the suites and the Bend packages are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bendml_cli.errors import ProjectNotFound, UnknownName


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with `suites/` (one YAML file per suite) and the packages that they name, by paths from `root`."""

    root: Path

    @property
    def suite_files(self) -> list[Path]:
        """The suite files, by name."""
        return sorted((self.root / "suites").glob("*.yaml"))

    @property
    def packages(self) -> list[Path]:
        """The folders of `bend/` that hold a `main.bend`, by name."""
        return sorted(path.parent for path in (self.root / "bend").glob("*/main.bend"))


def find_project(start: Path | None = None) -> Project:
    """The project around a folder (the current one by default): the nearest one upwards that holds suites; else the
    packages that this bendml was installed with; else the checkout that this bendml runs from.

    Raises ProjectNotFound when there is none.
    """
    here = (start or Path.cwd()).resolve()
    package = Path(__file__).resolve().parent
    for folder in (here, *here.parents, package / "shipped", package.parent):
        project = Project(folder)
        if project.suite_files:
            return project
    raise ProjectNotFound(
        f"no suites found: neither {here} nor a folder above it holds suites/*.yaml",
        "run bendml in a folder of a checkout of the project",
    )


def select_packages(project: Project, names: list[str]) -> list[Path]:
    """The folders of the packages of these names; all of them for no name.

    Raises UnknownName for a name that is no package's.
    """
    known = {path.name: path for path in project.packages}
    for name in names:
        if name not in known:
            raise UnknownName("package", name, list(known))
    return [known[name] for name in dict.fromkeys(names or known)]
