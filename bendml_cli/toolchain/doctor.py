"""What there is of the pinned tools and of what bendml needs, and what is wrong with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bendml_cli.errors import BendmlError, ToolchainError
from bendml_cli.toolchain.integrity import damaged
from bendml_cli.toolchain.lock import Artefact, Kind, current_platform, load_lock
from bendml_cli.toolchain.python_package import locate, verify_package, way_out
from bendml_cli.toolchain.store import Installed, all_installed
from bendml_cli.toolchain.store import root as toolchain_root

CUDA_FILES = ("include/nvrtc.h", "include/cuda.h", "lib64/libnvrtc.so", "lib64/libcudart.so")
"""What Bend's GPU lane looks for in a CUDA_HOME."""
NOT_INSTALLED = "not installed"
"""The problem of what `bendml setup` would install."""
_SYSTEM_CUDA = ("/usr/local/cuda", "/opt/cuda")
_COMPILERS = ("clang", "gcc", "cc")
_VERSION_SECONDS = 20.0
_REQUIREMENT = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*\(?(?P<bounds>[^;)]*)\)?\s*"
    r"(?:;.*?(?:extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"].*)?)?$"
)


class Health(StrEnum):
    """How something is. NOTE: it is not there, or not as pinned, and nothing that runs now needs it."""

    GOOD = "good"
    NOTE = "note"
    BROKEN = "broken"


class Finding(BaseModel):
    """One thing that was looked for.

    `digest` says whether its files are those that were pinned or installed; None where no digest is known. `problem`
    says what is wrong and `way_out` what helps; both are empty when all is well.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    health: Health
    wanted: str
    version: str | None = None
    path: str | None = None
    digest: Literal["holds", "broken"] | None = None
    origin: str | None = None
    problem: str = ""
    way_out: str = ""


def examine_tools() -> list[Finding]:
    """Every pinned artefact for this platform. What setup has installed is hashed. Raises ToolchainError where there
    is no lock, or none for this platform."""
    platform = current_platform()
    lock = load_lock()
    try:
        entries = all_installed()
    except ToolchainError as error:
        home = str(toolchain_root())
        record = Finding(name="setup.json", health=Health.BROKEN, wanted="", path=home, problem=error.message)
        return [record.model_copy(update={"way_out": error.way_out})]
    findings = []
    for name in lock.names:
        try:
            artefact = lock.artefact(name, platform)
        except ToolchainError as error:
            version = next(a.version for a in lock.artefacts if a.name == name)
            findings.append(Finding(name=name, health=Health.NOTE, wanted=version, problem=error.message))
            continue
        if artefact.unpack.kind is Kind.PYTHON_PACKAGE:
            findings.append(_examine_package(artefact))
        else:
            findings.append(_examine_installed(artefact, entries.get(name)))
    return findings


def _examine_installed(artefact: Artefact, entry: Installed | None) -> Finding:
    command = f"bendml setup --only {artefact.name}"
    if entry is None:
        return Finding(
            name=artefact.name,
            health=Health.NOTE,
            wanted=artefact.version,
            problem=NOT_INSTALLED,
            way_out=command,
        )
    finding = Finding(
        name=artefact.name,
        health=Health.GOOD,
        wanted=artefact.version,
        version=entry.version,
        path=str(entry.path),
        digest="holds",
        origin=entry.origin,
    )
    if wrong := damaged(entry):
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        broken = {"health": Health.BROKEN, "digest": "broken", "problem": wrong[0] + more}
        # Setup itself only looks whether each file is there.
        help_ = f"delete what has changed, and: {command}" if wrong[0].endswith("has changed") else command
        return finding.model_copy(update={**broken, "way_out": help_})
    if entry.version != artefact.version:
        old = {"health": Health.NOTE, "problem": f"version {entry.version} is installed, and not {artefact.version}"}
        return finding.model_copy(update={**old, "way_out": command})
    return finding


def _examine_package(artefact: Artefact) -> Finding:
    """The C compiler, which pip installs."""
    finding = Finding(name=artefact.name, health=Health.GOOD, wanted=artefact.version, origin="pip")
    try:
        found = {"path": str(locate(artefact)), "version": artefact.version}
    except ToolchainError as error:
        return finding.model_copy(
            update={"health": Health.NOTE, "origin": None, "problem": error.message, "way_out": error.way_out}
        )
    try:
        verify_package(artefact)
    except ToolchainError as error:
        broken = {"health": Health.BROKEN, "digest": "broken", "problem": error.message}
        return finding.model_copy(update={**found, **broken, "way_out": way_out(artefact)})
    return finding.model_copy(update={**found, "digest": "holds"})


def examine_packages() -> list[Finding]:
    """The Python packages that bendml declares: those that it cannot do without, then those of its extras (without
    those for working on bendml itself)."""
    try:
        declared = metadata.requires("bendml") or []
    except metadata.PackageNotFoundError:
        problem = "bendml itself is not installed as a package, so its requirements are not known"
        return [
            Finding(
                name="bendml",
                health=Health.NOTE,
                wanted="",
                problem=problem,
                way_out=f"{sys.executable} -m pip install bendml",
            )
        ]
    needed = [_REQUIREMENT.match(line) for line in declared]
    found = [match for match in needed if match is not None and match["extra"] != "dev"]
    return [_examine_requirement(m["name"], m["bounds"].strip(), m["extra"]) for m in found]


def _examine_requirement(name: str, bounds: str, extra: str | None) -> Finding:
    missing = Health.BROKEN if extra is None else Health.NOTE
    # Quoted, for what `>` means to a shell.
    command = f"{sys.executable} -m pip install '{name}{bounds}'"
    finding = Finding(name=name, health=Health.GOOD, wanted=bounds or "any")
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        problem = (
            f"{name} is not there, and bendml needs it" if extra is None else f"not installed; only `{extra}` needs it"
        )
        return finding.model_copy(update={"health": missing, "problem": problem, "way_out": command})
    finding = finding.model_copy(
        update={"version": distribution.version, "path": str(distribution.locate_file("")), "origin": "pip"}
    )
    if not meets(distribution.version, bounds):
        problem = f"{name} {distribution.version} does not meet {bounds}"
        return finding.model_copy(update={"health": missing, "problem": problem, "way_out": command})
    gone = [file for file in distribution.files or [] if _counts(file) and not Path(str(file.locate())).exists()]
    if gone:
        problem = f"{len(gone)} of its files are gone, such as {gone[0]}"
        again = f"{sys.executable} -m pip install --force-reinstall '{name}{bounds}'"
        return finding.model_copy(update={"health": missing, "problem": problem, "way_out": again})
    return finding


def _counts(file: metadata.PackagePath) -> bool:
    """Is this a file that a package cannot be without? Compiled code is made anew, and scripts are not its library."""
    return file.suffix != ".pyc" and ".." not in file.parts


def meets(version: str, bounds: str) -> bool:
    """Does a version meet bounds such as `>=2.9,<3`? A bound of another form counts as met."""
    for bound in filter(None, (part.strip() for part in bounds.split(","))):
        found = re.match(r"(>=|<=|==|!=|>|<|~=)\s*([0-9][0-9.]*)(\.\*)?$", bound)
        if found is None:
            continue
        have, want = _release(version), _release(found[2])
        width = max(len(have), len(want))
        same = have[: len(want)] == want if found[3] else _padded(have, width) == _padded(want, width)
        order = (_padded(have, width) > _padded(want, width)) - (_padded(have, width) < _padded(want, width))
        holds = {
            ">=": order >= 0,
            "<=": order <= 0,
            "==": same,
            "!=": not same,
            ">": order > 0,
            "<": order < 0,
            "~=": order >= 0 and have[: len(want) - 1] == want[:-1],
        }
        if not holds[found[1]]:
            return False
    return True


def _release(version: str) -> list[int]:
    found = re.match(r"\d+(?:\.\d+)*", version)
    return [int(part) for part in found[0].split(".")] if found else []


def _padded(release: list[int], width: int) -> list[int]:
    return release + [0] * (width - len(release))


def examine_compilers() -> list[Finding]:
    """The C compilers of the system: $CC's, and those on PATH. A note when there is none."""
    wanted = "clang 14 (19 for `!`)"
    named = os.environ.get("CC")
    findings: list[Finding] = []
    for name, origin in ((named, "$CC"), *((name, "PATH") for name in _COMPILERS)):
        if not name or any(finding.name == name for finding in findings):
            continue
        path = shutil.which(name)
        if path is not None:
            version = _first_line([path, "--version"])
            health = Health.GOOD if version else Health.NOTE
            problem = "" if version else f"{name} --version gives no answer"
            findings.append(
                Finding(
                    name=name,
                    health=health,
                    wanted=wanted if "clang" in name else "",
                    version=version,
                    path=path,
                    origin=origin,
                    problem=problem,
                )
            )
        elif origin == "$CC":
            problem = f"$CC names '{name}', which is no program"
            findings.append(Finding(name=name, health=Health.NOTE, wanted="", origin=origin, problem=problem))
    if not findings:
        problem = "no C compiler of the system: `bend -o` cannot build (the embedded engine brings its own)"
        return [Finding(name="clang", health=Health.NOTE, wanted=wanted, problem=problem)]
    return findings


def examine_cuda() -> Finding:
    """The CUDA_HOME that Bend would use: setup's where there is one, else the first of those that Bend looks at."""
    own = toolchain_root() / "cuda"
    command = "bendml setup --only cuda"
    for folder, origin in _cuda_folders(own):
        if not folder.is_dir():
            continue
        # A link that points at nothing does not exist.
        missing = [name for name in CUDA_FILES if not (folder / name).exists()]
        version = _cuda_version(folder / "include/cuda.h")
        finding = Finding(
            name="CUDA_HOME", health=Health.GOOD, wanted="12", version=version, path=str(folder), origin=origin
        )
        if not missing and (version is None or version.startswith("12.")):
            return finding
        if not missing:
            old = {"health": Health.NOTE, "problem": f"this is CUDA {version}, and Bend asks for CUDA 12"}
            return finding.model_copy(update={**old, "way_out": command})
        # What setup has put there must be whole; what it was never asked for need not be there.
        broken = folder == own and _setup_has("cuda-nvrtc") and _setup_has("cuda-runtime")
        health = Health.BROKEN if broken else Health.NOTE
        problem = f"incomplete: there is no {', '.join(missing)}"
        return finding.model_copy(update={"health": health, "problem": problem, "way_out": command})
    return Finding(name="CUDA_HOME", health=Health.NOTE, wanted="12", problem="there is none", way_out=command)


def _cuda_folders(own: Path) -> Iterator[tuple[Path, str]]:
    yield own, "bendml setup"
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if named := os.environ.get(variable):
            yield Path(named), f"${variable}"
    for place in _SYSTEM_CUDA:
        yield Path(place), "system"


def _cuda_version(header: Path) -> str | None:
    """The version that a cuda.h defines: 12090 is 12.9."""
    try:
        found = re.search(r"^#define\s+CUDA_VERSION\s+(\d+)", header.read_text(errors="replace"), re.MULTILINE)
    except OSError:
        return None
    return f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}" if found else None


def _setup_has(name: str) -> bool:
    try:
        return name in all_installed()
    except BendmlError:
        return False


def _first_line(command: list[str]) -> str | None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=_VERSION_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0].strip() if lines and not done.returncode else None
