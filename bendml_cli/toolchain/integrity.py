"""Whether what is installed is still as it was installed."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.digests import sha256_of
from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain.lock import Kind, current_platform, load_lock
from bendml_cli.toolchain.python_package import verify_package
from bendml_cli.toolchain.store import Folders, Installed, home_or, read_manifest


def damaged(entry: Installed, *, root: Path | None = None) -> list[str]:
    """Hash every file of an installed artefact: a line for each that is gone or changed, so nothing when all is well.
    Raises ToolchainError when the lock cannot be read."""
    folders = Folders(home_or(root))
    artefact = load_lock().artefact(entry.name, current_platform())
    if artefact.unpack.kind is Kind.PYTHON_PACKAGE:
        try:
            verify_package(artefact)
        except ToolchainError as error:
            return [error.message]
        return []
    try:
        manifest = read_manifest(folders, entry.name)
    except OSError as error:
        return [f"{folders.manifest(entry.name)} cannot be read: {error.strerror}"]
    if not manifest:
        return [f"{folders.manifest(entry.name)} is gone"]
    problems = (_problem(folders.root / path, sha256) for path, sha256 in manifest.items())
    return [problem for problem in problems if problem is not None]


def _problem(file: Path, sha256: str) -> str | None:
    try:
        return None if sha256_of(file) == sha256 else f"{file} has changed"
    except FileNotFoundError:
        return f"{file} is gone"
    except OSError as error:
        return f"{file} cannot be read: {error.strerror}"
