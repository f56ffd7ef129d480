"""Finding the pinned Bend, and the surroundings that it runs in."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.digests import sha256_of
from bendml_cli.engines.process import ProcessGroup
from bendml_cli.engines.resources import with_stack
from bendml_cli.errors import BendmlError, EngineUnavailable
from bendml_cli.toolchain.store import Installed, installed
from bendml_cli.toolchain.store import root as toolchain_root

VARIABLE = "BENDML_BEND"
BEND_VERSION = "2.0.35"
LEAN_VERSION = "4.34.0"
FIX_BEND = "bendml setup --only bend"
FIX_LEAN = "bendml setup --only lean"

STACK_BYTES = 4 << 30
"""The stack that deep proofs are given, in Bend and in Lean."""
_PROBE_SECONDS = 20.0
_VERSION_LINE = re.compile(r"^bend v?(\d+\.\d+\.\d+\S*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BendProgram:
    """A Bend of the pinned version. `origin` says who named it: `$BENDML_BEND`, `bendml setup` or `PATH`."""

    path: Path
    version: str
    origin: str


def find_bend() -> BendProgram:
    """The Bend to use: the one that $BENDML_BEND names, else the one that `bendml setup` installed, else PATH's.

    Raises EngineUnavailable, with the command that helps, when there is none, or it is not of the pinned version. The
    message names no path but what the user wrote: it stands in evidence, which others read.
    """
    path, origin = locate_bend()
    try:
        version = ask_version(path)
    except ValueError as error:
        raise EngineUnavailable(f"the bend of {origin} cannot be used: {error}", _way_out(origin)) from None
    if version != BEND_VERSION:
        raise EngineUnavailable(
            f"the bend of {origin} is version {version}, and only {BEND_VERSION} is driven", _way_out(origin)
        )
    return BendProgram(path, version, origin)


def locate_bend() -> tuple[Path, str]:
    """Where Bend is, whatever its version, and who says so. Raises EngineUnavailable when there is none."""
    if named := os.environ.get(VARIABLE):
        found = shutil.which(named)
        if found is None:
            what = f"bend is not installed: ${VARIABLE} names '{_as_text(named)}', which is no program"
            raise EngineUnavailable(what, _way_out(f"${VARIABLE}"))
        return Path(found).absolute(), f"${VARIABLE}"
    entry = _installed("bend")
    if entry is not None and os.access(entry.path / "bin/bend", os.X_OK):
        return entry.path / "bin/bend", "bendml setup"
    if found := shutil.which("bend"):
        return Path(found).absolute(), "PATH"
    raise EngineUnavailable(
        f"bend is not installed: there is none by bendml setup, none on PATH, and ${VARIABLE} is not set", FIX_BEND
    )


def ask_version(path: Path) -> str:
    """What `bend version` answers, without the word `bend`. Raises ValueError, in words, when that is no version."""
    try:
        done = ProcessGroup().run([str(path), "version"], _PROBE_SECONDS, bend_environment(), watched=True)
    except OSError as error:
        raise ValueError(f"it cannot be started: {error.strerror}") from None
    if done.timed_out:
        raise ValueError(f"`bend version` did not end within {_PROBE_SECONDS:g} s")
    if done.code < 0:
        raise ValueError(f"`bend version` was ended by signal {-done.code}")
    found = _VERSION_LINE.search(done.stdout)
    if done.code or found is None:
        raise ValueError("`bend version` does not answer with a version")
    return found[1]


def is_as_released(program: BendProgram) -> bool | None:
    """Whether a program is the very file that was released; None where the lock has no hash of it for this platform,
    or it cannot be read."""
    # Here, as commands that drive no Bend have no use for the lock.
    from bendml_cli.toolchain.lock import current_platform, load_lock

    try:
        pinned = load_lock().artefact("bend", current_platform()).unpack.checks.get("bin/bend")
        return None if pinned is None else sha256_of(program.path) == pinned
    except (BendmlError, OSError):
        return None


def lean_folder() -> Path | None:
    """The folder of the Lean that `bendml setup` installed, for PATH; None where it did not."""
    entry = _installed("lean")
    return entry.path / "bin" if entry is not None and (entry.path / "bin/lean").exists() else None


def why_no_kernel() -> str | None:
    """Why `bend --verdict` cannot work here, or None: it needs Lean, or a kernel that is built, in $BENDTT."""
    if os.environ.get("BENDTT") or lean_folder() is not None:
        return None
    lean = shutil.which("lean")
    if lean is None:
        return f"its second kernel needs Lean {LEAN_VERSION}: {FIX_LEAN}"
    try:
        done = ProcessGroup().run([lean, "--version"], _PROBE_SECONDS, bend_environment(), watched=True)
    except OSError:
        return f"the lean on PATH cannot be started, and the second kernel needs Lean {LEAN_VERSION}: {FIX_LEAN}"
    if re.search(rf"\b{re.escape(LEAN_VERSION)}\b", done.stdout) is None:
        return f"the lean on PATH is not Lean {LEAN_VERSION}, which the second kernel needs: {FIX_LEAN}"
    return None


def bend_environment() -> dict[str, str]:
    """The environment that Bend runs in: no telemetry, room for Lean's stack, and the installed CUDA and Lean."""
    environment = {**os.environ, "BEND_NO_TELEMETRY": "1", "LEAN_STACK_SIZE_KB": str(STACK_BYTES // 1024)}
    cuda = toolchain_root() / "cuda"
    if cuda.is_dir():
        environment["CUDA_HOME"] = str(cuda)
    if (lean := lean_folder()) is not None:
        environment["PATH"] = os.pathsep.join(filter(None, (str(lean), environment.get("PATH"))))
    return environment


def bend_command(program: BendProgram, *arguments: str) -> list[str]:
    """A call of Bend with the stack that deep proofs need."""
    return with_stack([str(program.path), *arguments], STACK_BYTES)


def _installed(name: str) -> Installed | None:
    """What is installed; nothing, where setup's record cannot be read: `bendml doctor` tells that."""
    try:
        return installed(name)
    except BendmlError:
        return None


def _as_text(path: str) -> str:
    """A path for a message that stands in evidence: bytes that are no text are escaped."""
    return os.fsencode(path).decode(errors="backslashreplace")


def _way_out(origin: str) -> str:
    return FIX_BEND if origin != f"${VARIABLE}" else f"unset {VARIABLE}, and: {FIX_BEND}"
