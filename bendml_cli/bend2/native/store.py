"""Executables kept between runs, so that a program that was built before starts without being read.

A *manifest* is found by the entry file's place and content and by how C is compiled. It names an executable and holds
the digests of all files that the program depends on; it counts only while they all still hold. An executable's name
ends with its own digest, so that processes that make one at the same time do not change it under each other. Imports
little: a cached start goes through here.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from bendml_cli.bend2.digests import engine_digest, file_digest
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.zig import find_zig, processor

MOST_KEPT = 300
"""How many executables and manifests are kept; the ones not used for the longest time go first."""


class Store:
    """A folder of executables, in `programs`. What cannot be read there is as if it were not kept."""

    def __init__(self, folder: Path) -> None:
        self._manifests = folder / "manifests"
        self.programs = folder / "programs"

    def find(self, path: Path, options: Options) -> Path | None:
        """The executable kept for a file and options of the compiler, if nothing that it depends on has changed."""
        try:
            manifest = self._manifest(path, options)
            kept = json.loads(manifest.read_text(encoding="utf-8"))
            if any(file_digest(Path(file)) != digest for file, digest in kept["files"].items()):
                return None
            program = self.programs / str(kept["program"])
            if not _is_whole(program):
                return None
            os.utime(program)
            os.utime(manifest)
            return program
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def program(self, options: Options, c_text: str) -> Path | None:
        """The executable that was made from this C, if it is kept. Raises OSError."""
        for kept in self.programs.glob(f"{_digest(*_environment(options), c_text)}-*"):
            if _is_whole(kept):
                return kept
            kept.unlink(missing_ok=True)
        return None

    def add(self, options: Options, c_text: str, made: Path) -> Path:
        """Move the executable made from this C to where it is kept, in the same file system. Raises OSError."""
        return made.replace(self.programs / f"{_digest(*_environment(options), c_text)}-{file_digest(made)}")

    def keep(self, path: Path, options: Options, files: Mapping[Path, str | None], program: Path) -> None:
        """Note which executable a file gives, and the digests of all that it depends on. Raises OSError."""
        digests = {str(file.absolute()): digest for file, digest in files.items()}
        manifest = self._manifest(path, options)
        self._manifests.mkdir(parents=True, exist_ok=True)
        part = manifest.with_name(f"{manifest.name}.{secrets.token_hex(8)}.part")
        noted = {"program": program.name, "files": digests}
        part.write_text(json.dumps(noted), encoding="utf-8")
        part.replace(manifest)
        for folder in (self._manifests, self.programs):
            _prune(folder)

    def _manifest(self, path: Path, options: Options) -> Path:
        # The environment says where packages are imported from.
        hub = os.environ.get("BEND_LIB", "")
        name = _digest(os.path.realpath(path), str(file_digest(path)), hub, *_environment(options))
        return self._manifests / f"{name}.json"


def _is_whole(program: Path) -> bool:
    return program.name.endswith(f"-{file_digest(program)}")


def _environment(options: Options) -> list[str]:
    """What an executable depends on beside the program: the engine, the compiler, its flags, the processor."""
    zig = find_zig()
    return [engine_digest(), "" if zig is None else zig.version, *options.flags(), processor()]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def _prune(folder: Path) -> None:
    """Remove what was not used for the longest time. Another process may be doing the same."""
    ages: dict[Path, float] = {}
    for file in folder.iterdir():
        with suppress(FileNotFoundError):
            if file.is_file():
                ages[file] = file.stat().st_mtime
    for file in sorted(ages, key=ages.__getitem__, reverse=True)[MOST_KEPT:]:
        file.unlink(missing_ok=True)
