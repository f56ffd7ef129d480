"""The back ends' names. Imports little: the command line needs them before it knows what it will do."""

from enum import StrEnum


class Backend(StrEnum):
    """Who does the work. Both give the same tokens."""

    AUTO = "auto"
    """The native one; where it cannot be had, the Python one, with one notice."""
    NATIVE = "native"
    PYTHON = "python"
