"""The folder that the pinned tools are installed in, and setup.json, which says what is in it.

setup.json             what is installed: from where, with which hash, when
setup.lock             held while a setup runs
recorded-hashes.json   hashes settled by the first download
downloads/             archives on their way in, also half of one; emptied as they are installed
work/                  unpacking; whole trees leave it by rename
manifests/NAME.sha256  the hash of every installed file, as sha256sum writes them
bend/ lean/ cuda/ data/
"""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bendml_cli.errors import ToolchainError

# `installed` is asked by commands that have no use for the lock.
if TYPE_CHECKING:
    from bendml_cli.toolchain.lock import Artefact

VARIABLE = "BENDML_HOME"
SETUP_FILE = "setup.json"
FORMAT = "bendml-setup-1"


@dataclass(frozen=True, slots=True)
class Installed:
    """One installed artefact. `path` is the folder or file; `sha256` is the hash of the archive (of the file itself,
    where it is one file), `origin` the source that it came from, `when` the moment."""

    name: str
    version: str
    platform: str
    path: Path
    sha256: str
    origin: str
    when: datetime


@dataclass(frozen=True, slots=True)
class Folders:
    """Where things are in a root."""

    root: Path

    @property
    def setup_lock(self) -> Path:
        return self.root / "setup.lock"

    @property
    def recorded(self) -> Path:
        return self.root / "recorded-hashes.json"

    @property
    def downloads(self) -> Path:
        return self.root / "downloads"

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def manifests(self) -> Path:
        return self.root / "manifests"

    def manifest(self, name: str) -> Path:
        """Where the hashes of an artefact's files are."""
        return self.manifests / f"{name}.sha256"

    def download(self, artefact: Artefact) -> Path:
        """Where an artefact's archive is kept on its way in; of another version, elsewhere."""
        return self.downloads / f"{artefact.name}-{artefact.version}-{artefact.file}"


def root() -> Path:
    """The folder to install into: $BENDML_HOME, else bendml's folder in the platform's data folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("bendml")


def installed(name: str, *, root: Path | None = None) -> Installed | None:
    """What setup.json says of one artefact; None when it is not installed, or is gone from its place.

    Raises ToolchainError when setup.json cannot be read.
    """
    found = all_installed(root).get(name)
    return found if found is not None and found.path.exists() else None


def all_installed(root: Path | None = None) -> dict[str, Installed]:
    """Everything that setup.json says is installed, by name; nothing when there is no setup.json.

    Raises ToolchainError when it cannot be read.
    """
    home = home_or(root)
    file = home / SETUP_FILE
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))["installed"]
        return {entry["name"]: _from_json(home, entry) for entry in entries}
    except FileNotFoundError:
        return {}
    except OSError as error:
        way_out = "see what is there, or name another folder with --root DIR or in $BENDML_HOME"
        raise ToolchainError(f"{file} cannot be read: {error.strerror}", way_out) from None
    except (ValueError, KeyError, TypeError):
        way_out = f"delete it and run: bendml setup --root {shlex.quote(str(home))}"
        raise ToolchainError(f"{file} is damaged", way_out) from None


def save_installed(root: Path, entries: dict[str, Installed]) -> None:
    """Replace setup.json, at once and durably. Raises OSError."""
    listed = [_to_json(root, entries[name]) for name in sorted(entries)]
    write_durably(root / SETUP_FILE, json.dumps({"format": FORMAT, "installed": listed}, indent=2) + "\n")


def read_manifest(folders: Folders, name: str) -> dict[str, str]:
    """The SHA-256 of an artefact's files, by their paths from the root; empty when there is none. Of a damaged one,
    paths that do not exist. Raises OSError."""
    try:
        lines = folders.manifest(name).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    return {path: sha256 for sha256, _, path in (line.partition("  ") for line in lines)}


def write_manifest(folders: Folders, name: str, hashes: dict[str, str]) -> None:
    """Write the hashes of an artefact's files as sha256sum does, so that `sha256sum -c` in the root verifies them.
    Raises OSError."""
    lines = (f"{hashes[path]}  {path}\n" for path in sorted(hashes))
    write_durably(folders.manifest(name), "".join(lines))


def write_durably(file: Path, text: str) -> None:
    """Write a whole file so that a crash leaves the old one or the new one. Raises OSError."""
    beside = file.with_name(f".{file.name}.new")
    with beside.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(file)


def home_or(given: Path | None) -> Path:
    """A root that was given, made absolute; else the default one."""
    return given.expanduser().absolute() if given is not None else root()


def _to_json(home: Path, entry: Installed) -> dict[str, Any]:
    fields = asdict(entry)
    # From the root, so that the folder may be moved; a Python package lies outside it.
    fields["path"] = str(entry.path.relative_to(home) if entry.path.is_relative_to(home) else entry.path)
    fields["when"] = entry.when.isoformat(timespec="seconds")
    return fields


def _from_json(home: Path, fields: dict[str, Any]) -> Installed:
    return Installed(**{**fields, "path": home / fields["path"], "when": datetime.fromisoformat(fields["when"])})
