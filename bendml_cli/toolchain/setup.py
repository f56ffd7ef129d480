"""A whole setup: what is wanted, what is there already, and installing the rest, one artefact after the other."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import TypeAdapter

from bendml_cli.errors import ToolchainError, UnknownName
from bendml_cli.toolchain.acquire import NoSource, Tried, acquire
from bendml_cli.toolchain.download import Patience
from bendml_cli.toolchain.install import install, is_whole
from bendml_cli.toolchain.lock import ANY, Artefact, Kind, Lock, Sha256
from bendml_cli.toolchain.progress import Stage, Watcher
from bendml_cli.toolchain.python_package import locate, verify_package
from bendml_cli.toolchain.store import Folders, Installed, all_installed, save_installed, write_durably


class Status(StrEnum):
    """What became of an artefact."""

    INSTALLED = "installed"
    #: It was there already.
    KEPT = "kept"
    #: It is not pinned for this platform, and was not asked for by name.
    UNAVAILABLE = "unavailable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one artefact. `problem` and `way_out` are empty unless it failed; `tried` are then the sources
    that were asked in vain."""

    name: str
    version: str
    status: Status
    entry: Installed | None = None
    seconds: float = 0.0
    problem: str = ""
    way_out: str = ""
    tried: list[Tried] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a setup is to install, what it cannot on this platform, and everything that is pinned for the platform."""

    artefacts: list[Artefact]
    unavailable: list[Outcome]
    pinned: list[Artefact]

    @property
    def number(self) -> int:
        """How many outcomes there will be."""
        return len(self.artefacts) + len(self.unavailable)


def select(lock: Lock, platform: str, *, only: Iterable[str], skip: Iterable[str]) -> Wanted:
    """The artefacts for a platform: those named in `only` (all, when none is named) without those in `skip`. A name may
    be that of a group, or the first part of several, such as `mnist` or `cuda`. One that was named and is not pinned
    for the platform has failed. Raises UnknownName."""
    named = _expand(lock, only)
    left_out = _expand(lock, skip)
    artefacts, unavailable = [], []
    for name in lock.names:
        if name in left_out or (named and name not in named):
            continue
        supported = lock.platforms(name)
        if platform in supported or ANY in supported:
            artefacts.append(lock.artefact(name, platform))
            continue
        version = next(artefact.version for artefact in lock.artefacts if artefact.name == name)
        problem = f"{name} is not pinned for {platform}, but for {', '.join(supported)}"
        status = Status.FAILED if named else Status.UNAVAILABLE
        unavailable.append(Outcome(name, version, status, problem=problem))
    pinned = [artefact for artefact in lock.artefacts if artefact.platform in (platform, ANY)]
    return Wanted(artefacts, unavailable, pinned)


def set_up(
    wanted: Wanted,
    root: Path,
    *,
    offline: Path | None,
    patience: Patience,
    watch: Watcher,
) -> Iterator[Outcome]:
    """Install what is wanted and not there yet, and answer what became of each artefact, in their order.

    Everything is done under the root's lock, one setup at a time; when nothing is to be done, nothing is written, so
    that a root that cannot be written will do. Raises ToolchainError when the root cannot be used at all.
    """
    folders = Folders(root)
    yield from wanted.unavailable
    kept = _kept(wanted.artefacts, folders)
    if len(kept) == len(wanted.artefacts) and not any(_leftovers(artefact, folders) for artefact in wanted.artefacts):
        yield from kept.values()
        return
    with _locked(folders, watch):
        # Another setup may have done some of it while we waited.
        kept = _kept(wanted.artefacts, folders)
        with _room(folders):
            for artefact in wanted.artefacts:
                if artefact.name in kept:
                    # Of a setup that was interrupted when all but this was done.
                    _give_up_leftovers(artefact, folders)
                    yield kept[artefact.name]
                else:
                    yield _one(artefact, wanted.pinned, folders, offline=offline, patience=patience, watch=watch)


def _expand(lock: Lock, names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for name in names:
        members = {
            known.name
            for known in lock.artefacts
            if name in (known.name, known.group) or known.name.startswith(f"{name}-")
        }
        if not members:
            raise UnknownName("artefact", name, [*lock.names, *lock.groups])
        found |= members
    return found


def _kept(artefacts: list[Artefact], folders: Folders) -> dict[str, Outcome]:
    """Those that are there already, by name. Raises ToolchainError."""
    entries = all_installed(folders.root)
    kept = {}
    for artefact in artefacts:
        entry = entries.get(artefact.name)
        try:
            if entry is not None and _is_there(artefact, entry, folders):
                kept[artefact.name] = Outcome(artefact.name, artefact.version, Status.KEPT, entry)
        except OSError as error:
            raise _unusable(folders, error) from None
    return kept


def _is_there(artefact: Artefact, entry: Installed, folders: Folders) -> bool:
    if artefact.unpack.kind is not Kind.PYTHON_PACKAGE:
        return is_whole(artefact, _hash_wanted(artefact, folders), entry, folders)
    try:
        # Every file was hashed when it was entered; this one is replaced by pip alone, with its version.
        return entry.sha256 == artefact.sha256 and entry.path == locate(artefact) and entry.path.is_dir()
    except ToolchainError:
        return False


def _one(
    artefact: Artefact,
    pinned: list[Artefact],
    folders: Folders,
    *,
    offline: Path | None,
    patience: Patience,
    watch: Watcher,
) -> Outcome:
    """Install one artefact; whatever goes wrong with it is told in the outcome."""
    began = time.monotonic()
    problem, way_out, tried = "", "", []
    try:
        if artefact.unpack.kind is Kind.PYTHON_PACKAGE:
            entry = _verified_package(artefact, watch)
        else:
            entry = _installed(artefact, pinned, folders, offline=offline, patience=patience, watch=watch)
        _enter(artefact, entry, folders, watch)
        return Outcome(artefact.name, artefact.version, Status.INSTALLED, entry, time.monotonic() - began)
    except NoSource as error:
        problem, way_out, tried = error.message, error.way_out, error.tried
    except ToolchainError as error:
        problem, way_out = error.message, error.way_out
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            problem = problem if "disk is full" in problem else "the disk is full"
            way_out = f"make room in {folders.root}, or name another folder with --root, and run bendml setup again"
    return Outcome(
        artefact.name,
        artefact.version,
        Status.FAILED,
        None,
        time.monotonic() - began,
        problem,
        way_out,
        tried,
    )


def _installed(
    artefact: Artefact,
    pinned: list[Artefact],
    folders: Folders,
    *,
    offline: Path | None,
    patience: Patience,
    watch: Watcher,
) -> Installed:
    others = [other for other in pinned if other.into == artefact.into and other.name != artefact.name]
    _refuse_what_is_not_ours(artefact, others, folders)
    wanted = _hash_wanted(artefact, folders)
    acquired = acquire(artefact, wanted, folders, offline=offline, patience=patience, watch=watch)
    if wanted is None:
        _record_hash(artefact, acquired.sha256, acquired.origin, folders)
    place = install(artefact, acquired, others, folders, watch)
    return _entry(artefact, place, acquired.sha256, acquired.origin)


def _refuse_what_is_not_ours(artefact: Artefact, others: list[Artefact], folders: Folders) -> None:
    """Raises ToolchainError when something stands in an artefact's place that no setup has put there."""
    place = folders.root / artefact.into
    entered = all_installed(folders.root)
    # The manifest is written first, so that of a setup that was interrupted there is one.
    ours = any(each.name in entered or folders.manifest(each.name).exists() for each in (artefact, *others))
    if os.path.lexists(place) and not ours:
        raise ToolchainError(
            f"{place} is there, and bendml setup has not put it there",
            "move it away, or name another folder with --root DIR or in $BENDML_HOME",
        )


def _verified_package(artefact: Artefact, watch: Watcher) -> Installed:
    watch.stage(artefact.name, Stage.VERIFYING)
    assert artefact.sha256 is not None, "the lock's model sees to it"
    return _entry(artefact, verify_package(artefact, watch.at), artefact.sha256, artefact.sources[0].at)


def _entry(artefact: Artefact, place: Path, sha256: str, origin: str) -> Installed:
    return Installed(
        name=artefact.name,
        version=artefact.version,
        platform=artefact.platform,
        path=place,
        sha256=sha256,
        origin=origin,
        when=datetime.now(UTC),
    )


def _enter(artefact: Artefact, entry: Installed, folders: Folders, watch: Watcher) -> None:
    """Write an artefact into setup.json; only then is its archive given up."""
    watch.stage(artefact.name, Stage.RECORDING)
    save_installed(folders.root, {**all_installed(folders.root), artefact.name: entry})
    _give_up_leftovers(artefact, folders)


def _leftovers(artefact: Artefact, folders: Folders) -> list[Path]:
    """What was fetched of an artefact and is still kept, whole or in part."""
    download = folders.download(artefact)
    return [file for file in download.parent.glob("*") if file.name.startswith(download.name)]


def _give_up_leftovers(artefact: Artefact, folders: Folders) -> None:
    for file in _leftovers(artefact, folders):
        file.unlink(missing_ok=True)


def _hash_wanted(artefact: Artefact, folders: Folders) -> str | None:
    """The hash that an artefact must have: the lock's, else the one that its first download settled; None before."""
    if artefact.sha256 is not None:
        return artefact.sha256
    found = _recorded(folders).get(artefact.name)
    return found.sha256 if found is not None and found.version == artefact.version else None


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A hash that a first download has settled."""

    version: str
    sha256: Sha256
    origin: str
    when: str


_RECORDED = TypeAdapter(dict[str, _Recorded])


def _recorded(folders: Folders) -> dict[str, _Recorded]:
    try:
        recorded = _RECORDED.validate_json(folders.recorded.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError:
        # It must not be forgotten in silence what later runs were to be held to.
        raise ToolchainError(f"{folders.recorded} is damaged", "delete it to trust the next download anew") from None
    return recorded


def _record_hash(artefact: Artefact, sha256: str, origin: str, folders: Folders) -> None:
    when = datetime.now(UTC).isoformat(timespec="seconds")
    entries = {**_recorded(folders), artefact.name: _Recorded(artefact.version, sha256, origin, when)}
    write_durably(folders.recorded, _RECORDED.dump_json(entries, indent=2).decode() + "\n")


@contextmanager
def _locked(folders: Folders, watch: Watcher) -> Iterator[None]:
    """Hold the root, made if it is not there. Raises ToolchainError when it cannot be written."""
    try:
        for folder in (folders.root, folders.downloads, folders.work, folders.manifests):
            folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folders.setup_lock)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            watch.note(f"another setup is at work in {folders.root}; waiting for it")
            lock.acquire()
    except OSError as error:
        raise _unusable(folders, error) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _room(folders: Folders) -> Iterator[None]:
    """Clear away what an interrupted setup left half done and, at the end, what was only needed meanwhile."""
    shutil.rmtree(folders.work, ignore_errors=True)
    folders.work.mkdir(exist_ok=True)
    try:
        yield
    finally:
        for file in folders.downloads.glob("*.tgz"):
            file.unlink(missing_ok=True)


def _unusable(folders: Folders, error: OSError) -> ToolchainError:
    return ToolchainError(
        f"{folders.root} cannot be used: {error.strerror or error}",
        "name a folder that you may write with --root DIR, or in $BENDML_HOME",
    )
