"""`bendml audit-laws`: what is proved, what is tested and what is trusted."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from bendml_cli.console import print_audit, standard_output
from bendml_cli.errors import BendmlError
from bendml_cli.laws.audit import audit_package
from bendml_cli.project import find_project, select_packages
from bendml_cli.suites.schema import select_suites


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The arguments of `bendml audit-laws`."""

    packages: list[str]
    json: bool
    check_docs: bool


def audit_packages(options: AuditOptions) -> int:
    """Audit packages and print what was found. Answers 0 when all could be read and no audit has a problem, else 1.

    Raises BendmlError when a package, or a suite, cannot be found or used.
    """
    project = find_project()
    packages = select_packages(project, options.packages)
    suites = select_suites(project, [])
    console = standard_output()
    good = True
    for at, package in enumerate(packages):
        about = [suite for suite in suites if project.root / suite.place.package == package]
        try:
            audit = audit_package(package, about, check_docs=options.check_docs)
        except BendmlError as error:
            # One package that cannot be read does not hide the others.
            good = False
            print(f"error: {error.diagnostics()}", file=sys.stderr)
            continue
        good = good and not audit.problems
        if options.json:
            print(audit.model_dump_json(), flush=True)
        else:
            if at:
                console.print()
            print_audit(console, audit)
    return 0 if good else 1
