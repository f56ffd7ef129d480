"""From a verified archive to what is installed: unpacked aside, checked, and put into its place by rename."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath

from bendml_cli.digests import sha256_of
from bendml_cli.errors import ArchiveError, IntegrityError
from bendml_cli.toolchain.acquire import Acquired
from bendml_cli.toolchain.extract import unpack
from bendml_cli.toolchain.lock import Artefact, Kind
from bendml_cli.toolchain.progress import Stage, Watcher
from bendml_cli.toolchain.store import Folders, Installed, read_manifest, write_manifest


def is_whole(artefact: Artefact, sha256: str | None, entry: Installed | None, folders: Folders) -> bool:
    """Whether what is installed is what is pinned, and none of its files is gone. Nothing is hashed: that is the
    doctor's work. Raises OSError."""
    if entry is None or entry.version != artefact.version or (sha256 is not None and entry.sha256 != sha256):
        return False
    manifest = read_manifest(folders, artefact.name)
    links = (folders.root / artefact.into / link for link in artefact.unpack.links)
    return (
        bool(manifest)
        and all((folders.root / path).is_file() for path in manifest)
        and all(link.exists() for link in links)
    )


def install(artefact: Artefact, acquired: Acquired, others: list[Artefact], folders: Folders, watch: Watcher) -> Path:
    """Put a verified artefact into its place, and answer the place. `others` are installed artefacts that share its
    folder.

    Raises ArchiveError and IntegrityError when the archive cannot be used, and OSError when the disk cannot take it.
    What was there before stays until the new tree is complete.
    """
    with tempfile.TemporaryDirectory(prefix=f"{artefact.name}-", dir=folders.work, ignore_cleanup_errors=True) as aside:
        staged, old = Path(aside) / "new", Path(aside) / "old"
        if artefact.unpack.kind is Kind.FILE:
            # A copy costs as much as what it saves: the file itself moves, and its hash is known.
            hashes = {"": acquired.sha256}
            staged = acquired.file
            staged.chmod(0o644)
            _sync(staged)
        else:
            staged.mkdir()
            hashes = _unpacked(artefact, acquired, staged, watch)
            for other in others:
                _bring_along(artefact, other, staged, folders)
            # What the rename makes visible must be on the disk before it, should the power fail. All of the disk: one
            # by one, the many small files of a tree would take minutes.
            os.sync()
        place = folders.root / artefact.into
        into = PurePosixPath(artefact.into)
        place.parent.mkdir(parents=True, exist_ok=True)
        watch.stage(artefact.name, Stage.PLACING)
        write_manifest(folders, artefact.name, {str(into / path): sha for path, sha in hashes.items()})
        if place.is_dir() and not place.is_symlink():
            place.rename(old)
        elif staged.is_dir():
            place.unlink(missing_ok=True)
        staged.rename(place)
    return place


def _sync(file: Path) -> None:
    with file.open("rb+") as data:
        os.fsync(data.fileno())


def _unpacked(artefact: Artefact, acquired: Acquired, staged: Path, watch: Watcher) -> dict[str, str]:
    """Unpack into an empty folder; answers the hash of each file. Raises as `install` does."""
    how = artefact.unpack
    assert how.limit is not None, "the lock's model sees to it"
    watch.stage(artefact.name, Stage.UNPACKING)
    watch.expect(acquired.file.stat().st_size)
    hashes = unpack(acquired.file, how.kind, staged, take=how.take, limit=how.limit, at=watch.at)
    for path, sha256 in how.checks.items():
        if hashes.get(path) != sha256:
            raise IntegrityError(f"{path} in {artefact.file} has SHA-256 {hashes.get(path)}, and not {sha256}")
    for link, target in how.links.items():
        place = staged / link
        with suppress(FileNotFoundError):
            place.unlink()
        place.symlink_to(target)
        if not place.exists():
            raise ArchiveError(f"there is no {target} in {artefact.file}")
    return hashes


def _bring_along(artefact: Artefact, other: Artefact, staged: Path, folders: Folders) -> None:
    """Put what another artefact has in the same folder into the new tree too: the two are one tree, and change hands at
    once. Raises ArchiveError when both have the same file, and OSError."""
    place = folders.root / artefact.into
    for name in read_manifest(folders, other.name):
        path = PurePosixPath(name).relative_to(artefact.into)
        _carry(place / path, staged / path, other.name)
    for link, target in other.unpack.links.items():
        if (staged / link).parent.is_dir() and not os.path.lexists(staged / link):
            (staged / link).symlink_to(target)


def _carry(old: Path, new: Path, other: str) -> None:
    if not old.is_file():
        return  # Damaged: it is installed anew in its turn.
    if new.exists():
        if sha256_of(new) == sha256_of(old):
            return
        raise ArchiveError(f"{new.name} is in it and in {other}, and they differ")
    new.parent.mkdir(parents=True, exist_ok=True)
    try:
        new.hardlink_to(old)
    except OSError:
        shutil.copy2(old, new)
