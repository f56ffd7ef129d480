"""Verifying a Python package where pip has installed it: the C compiler of the embedded engine is one."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from bendml_cli.digests import sha256_of
from bendml_cli.errors import IntegrityError, ToolchainError
from bendml_cli.toolchain.lock import Artefact


def locate(artefact: Artefact) -> Path:
    """The folder of the installed package, if its version is the pinned one. Raises ToolchainError."""
    name, version = artefact.sources[0].package
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise ToolchainError(f"the Python package {name} is not installed", way_out(artefact)) from None
    if found.version != version:
        raise ToolchainError(f"{name} {found.version} is installed, and not {version}", way_out(artefact))
    return Path(str(found.locate_file(artefact.into)))


def verify_package(artefact: Artefact, at: Callable[[int], None] | None = None) -> Path:
    """Hash every file of the package and compare it with the pinned wheel's list of files; answers its folder.

    The list that pip keeps is itself held to the lock: `record` is the SHA-256 of its lines for the package's folder,
    sorted, each with a newline. Raises ToolchainError.
    """
    folder = locate(artefact)
    record = metadata.distribution(artefact.sources[0].package[0]).read_text("RECORD") or ""
    inside = artefact.into + "/"
    lines = sorted(line for line in record.splitlines() if line.startswith(inside) and ".pyc," not in line)
    if hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() != artefact.unpack.record:
        raise IntegrityError("its list of files is not that of the pinned wheel", way_out(artefact))
    done = 0
    for line in lines:
        name, digest, size = line.rsplit(",", 2)
        file = folder / name.removeprefix(inside)
        if not file.is_file() or _encoded(sha256_of(file)) != digest.removeprefix("sha256="):
            raise IntegrityError(f"{file} is not as it was installed", way_out(artefact))
        done += int(size)
        if at is not None:
            at(done)
    return folder


def way_out(artefact: Artefact) -> str:
    """The command that installs the package anew."""
    name, version = artefact.sources[0].package
    return f"run: {sys.executable} -m pip install --force-reinstall {name}=={version}"


def _encoded(sha256: str) -> str:
    """A hash in the way that lists of installed files write it."""
    return base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode().rstrip("=")
