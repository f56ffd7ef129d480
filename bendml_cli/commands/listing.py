"""`bendml list`: the suites and their checks."""

from __future__ import annotations

from bendml_cli.console import print_suites, standard_output
from bendml_cli.project import find_project
from bendml_cli.suites.schema import select_suites


def list_suites() -> int:
    """Print every suite and its cases. Answers 0. Raises ProjectNotFound and SuiteError."""
    print_suites(standard_output(), select_suites(find_project(), []))
    return 0
