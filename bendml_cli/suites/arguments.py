"""The arguments of the programs that checks run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bendml_cli.reference.gpt2_files import gpt2_source, write_numbers
from bendml_cli.suites.case import Place

_PACKAGE, _GPT2 = "{package}", "{gpt2}"


@contextmanager
def filled(arguments: Sequence[str], place: Place) -> Iterator[list[str]]:
    """The arguments with folders in the places of names: `{package}` is the package's, `{gpt2}` one that holds GPT-2's
    tokenizer in numbers, made for it, of files that are installed if need be.

    Raises ReferenceUnavailable, with the reason, when those cannot be had.
    """
    with tempfile.TemporaryDirectory(prefix="bendml-gpt2-") as folder:
        if any(_GPT2 in each for each in arguments):
            write_numbers(gpt2_source(), Path(folder))
        package = str(place.root / place.package)
        yield [each.replace(_PACKAGE, package).replace(_GPT2, folder) for each in arguments]
