"""Unpacking archives that are not trusted to stay where they are put.

Refused are absolute names, `..`, links that leave the tree, devices and pipes, names that stand there twice, and
archives out of which more comes than was declared. Whatever is refused, the whole archive is refused.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, cast

import zstandard

from bendml_cli.errors import ArchiveError
from bendml_cli.toolchain.lock import Kind

_CHUNK = 1 << 18
_MOST_ENTRIES = 500_000
_LONGEST_TARGET = 4096


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


@dataclass(slots=True)
class _Tree:
    """What is being unpacked: where to, which folders of the archive are taken, how many bytes may be written, and what
    is there so far."""

    into: Path
    take: Mapping[PurePosixPath, PurePosixPath]
    limit: int
    hashes: dict[str, str] = field(default_factory=dict)
    links: dict[PurePosixPath, str] = field(default_factory=dict)
    entries: int = 0
    written: int = 0

    def place(self, name: str) -> PurePosixPath | None:
        """Where an entry goes, from `into`; None when it is not taken. Raises ArchiveError for a name that escapes."""
        self.entries += 1
        if self.entries > _MOST_ENTRIES:
            raise ArchiveError(f"it has more than {_MOST_ENTRIES} entries")
        path = _safe(name)
        for folder, target in self.take.items():
            if path.is_relative_to(folder):
                return target / path.relative_to(folder)
        return None

    def add_folder(self, place: PurePosixPath) -> None:
        self._path(place).mkdir(parents=True, exist_ok=True)

    def add_file(self, place: PurePosixPath, data: _Readable, mode: int) -> None:
        path = self._path(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        # `x`: a name that stands there twice is refused.
        with path.open("xb") as out:
            while chunk := data.read(_CHUNK):
                # Counted here too: a sparse file is longer than what the archive holds of it.
                self.written += len(chunk)
                if self.written > self.limit:
                    raise _too_much(self.limit)
                digest.update(chunk)
                out.write(chunk)
        # Of the permissions only "may be executed" is kept: no setuid, nothing that others may write.
        path.chmod(0o755 if mode & 0o111 else 0o644)
        self.hashes[str(place)] = digest.hexdigest()

    def add_hard_link(self, place: PurePosixPath, target: PurePosixPath | None) -> None:
        first = None if target is None else self.into / target
        if first is None or str(target) not in self.hashes:
            raise ArchiveError(f"'{place}' is a link to something that is not unpacked")
        with first.open("rb") as data:
            self.add_file(place, data, first.stat().st_mode)

    def add_link(self, place: PurePosixPath, target: str) -> None:
        """Remember a symbolic link. Links are made last, so that nothing is ever written through one."""
        if place in self.links:
            raise ArchiveError(f"'{place}' stands there twice")
        self.links[place] = _safe_link(place, target)

    def finish(self) -> None:
        """Make the links, and see where they really lead."""
        for place, target in self.links.items():
            path = self._path(place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        home = self.into.resolve()
        for place in self.links:
            path = self._path(place)
            try:
                path.stat()
            except FileNotFoundError:
                pass  # To nothing, yet perhaps to nothing outside.
            except OSError:
                raise ArchiveError(f"the link '{place}' leads nowhere") from None
            leads_to = path.resolve()
            if not leads_to.is_relative_to(home):
                raise ArchiveError(f"the link '{place}' leaves the tree")

    def _path(self, place: PurePosixPath) -> Path:
        return self.into / place


def unpack(
    archive: Path, kind: Kind, into: Path, *, take: Mapping[str, str], limit: int, at: Callable[[int], None]
) -> dict[str, str]:
    """Unpack the folders `take` of an archive into a folder that is empty, and answer the SHA-256 of each file by its
    path from there. `at` is told how many bytes of the archive are read.

    Raises ArchiveError when the archive is damaged or refused, and OSError when the disk cannot take it.
    """
    tree = _Tree(into, {PurePosixPath(folder): PurePosixPath(target) for folder, target in take.items()}, limit)
    try:
        with archive.open("rb") as raw:
            data = _Counted(raw, at)
            if kind is Kind.WHEEL:
                _unpack_zip(data, tree)
            else:
                with _decompressed(data, kind) as plain:
                    _unpack_tar(_Limited(plain, limit), tree)
        tree.finish()
    except FileExistsError as error:
        raise ArchiveError(f"'{error.filename}' stands there twice") from None
    except (NotADirectoryError, IsADirectoryError) as error:
        raise ArchiveError(f"'{error.filename}' is both a file and a folder") from None
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, gzip.BadGzipFile, zstandard.ZstdError, lzma.LZMAError):
        raise ArchiveError("it is damaged") from None
    except (EOFError, NotImplementedError, RuntimeError, UnicodeError, ValueError) as error:
        raise ArchiveError(f"it cannot be unpacked: {' '.join(str(error).split())}") from None
    if not tree.hashes:
        raise ArchiveError(f"there is nothing in it under {', '.join(take)}")
    return tree.hashes


def member_of_tar(archive: Path, member: str, to: Path, *, limit: int) -> None:
    """Take one file out of a tar.gz. Raises ArchiveError when it is damaged or has no such file, and OSError."""
    try:
        with (
            archive.open("rb") as raw,
            gzip.GzipFile(fileobj=raw) as plain,
            tarfile.open(fileobj=cast("IO[bytes]", _Limited(plain, limit)), mode="r|") as tar,
        ):
            for entry in tar:
                if entry.isreg() and str(PurePosixPath(entry.name)) == member:
                    data = tar.extractfile(entry)
                    assert data is not None, "it is a file"
                    with to.open("wb") as out:
                        while chunk := data.read(_CHUNK):
                            out.write(chunk)
                    return
    except (tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError):
        raise ArchiveError("it is damaged") from None
    raise ArchiveError(f"there is no {member} in it")


def gunzip(archive: Path, to: Path, *, limit: int) -> None:
    """Decompress a file. Raises ArchiveError when it is damaged or longer than the limit, and OSError."""
    try:
        with archive.open("rb") as raw, gzip.GzipFile(fileobj=raw) as plain, to.open("wb") as out:
            data = _Limited(plain, limit)
            while chunk := data.read(_CHUNK):
                out.write(chunk)
    except (zlib.error, gzip.BadGzipFile, EOFError):
        raise ArchiveError("it is damaged") from None


def _unpack_tar(data: _Limited, tree: _Tree) -> None:
    # tarfile parses; where an entry may go is decided here.
    with tarfile.open(fileobj=cast("IO[bytes]", data), mode="r|") as tar:
        for entry in tar:
            place = tree.place(entry.name)
            if entry.ischr() or entry.isblk() or entry.isfifo():
                raise ArchiveError(f"'{entry.name}' is a device or a pipe")
            if entry.islnk():
                target = tree.place(entry.linkname)
                if place is not None:
                    tree.add_hard_link(place, target)
            elif entry.issym():
                # Judged also when it is not taken: an archive with such a link is not what was pinned.
                _safe_link(_safe(entry.name), entry.linkname)
                if place is not None:
                    tree.add_link(place, entry.linkname)
            elif place is None:
                continue
            elif entry.isdir():
                tree.add_folder(place)
            elif entry.isreg():
                content = tar.extractfile(entry)
                assert content is not None, "it is a file"
                tree.add_file(place, content, entry.mode)
            else:
                raise ArchiveError(f"'{entry.name}' is of a kind that is not known")


def _unpack_zip(data: _Counted, tree: _Tree) -> None:
    with zipfile.ZipFile(cast("IO[bytes]", data)) as archive:
        entries = archive.infolist()
        # What the directory of a zip file declares need not be true: `tree` counts what really comes.
        if sum(entry.file_size for entry in entries) > tree.limit:
            raise _too_much(tree.limit)
        for entry in entries:
            place = tree.place(entry.filename)
            mode = entry.external_attr >> 16
            kind = stat.S_IFMT(mode)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
                raise ArchiveError(f"'{entry.filename}' is a device or a pipe")
            if kind == stat.S_IFLNK:
                with archive.open(entry) as content:
                    target = content.read(_LONGEST_TARGET).decode()
                _safe_link(_safe(entry.filename), target)
                if place is not None:
                    tree.add_link(place, target)
            elif place is None:
                continue
            elif entry.is_dir():
                tree.add_folder(place)
            else:
                with archive.open(entry) as content:
                    tree.add_file(place, content, mode)


def _too_much(limit: int) -> ArchiveError:
    return ArchiveError(f"more than the {limit} bytes that are expected come out of it")


def _safe(name: str) -> PurePosixPath:
    """An entry's name as a path from the top. Raises ArchiveError when it would lead out of there."""
    path = PurePosixPath(name)
    if path.is_absolute():
        raise ArchiveError(f"the name '{name}' is absolute")
    if ".." in path.parts:
        raise ArchiveError(f"the name '{name}' leaves the tree")
    name.encode()  # What is no text is refused as a UnicodeError.
    if "\\" in name or any(ord(sign) < ord(" ") for sign in name):
        raise ArchiveError(f"the name {name!r} is no plain path")
    return path


def _safe_link(place: PurePosixPath, target: str) -> str:
    """A link's target, if by its text it stays in the tree that `place` is a path from. Raises ArchiveError."""
    depth = len(place.parent.parts)
    pure = PurePosixPath(target)
    if not target or pure.is_absolute() or "\0" in target:
        raise ArchiveError(f"the link '{place}' leaves the tree")
    for part in pure.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            raise ArchiveError(f"the link '{place}' leaves the tree")
    return target


@contextmanager
def _decompressed(data: _Counted, kind: Kind) -> Iterator[_Readable]:
    raw = cast("IO[bytes]", data)
    if kind is Kind.TAR_GZ:
        with gzip.GzipFile(fileobj=raw) as plain:
            yield plain
    else:
        # A window beyond this would be a way to ask for all of the memory.
        with zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(raw, read_across_frames=True) as plain:
            yield plain


class _Counted(io.RawIOBase):
    """A file that tells how far it has been read."""

    def __init__(self, data: IO[bytes], at: Callable[[int], None]) -> None:
        self._data = data
        self._at = at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._data.seek(offset, whence)

    def tell(self) -> int:
        return self._data.tell()

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._data.read(size)
        self._at(self._data.tell())
        return chunk


class _Limited(io.RawIOBase):
    """The rest of a stream, of which only so many bytes may be read."""

    def __init__(self, data: _Readable, limit: int) -> None:
        self._data = data
        self._limit = limit
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._data.read(size)
        self._left -= len(chunk)
        if self._left < 0:
            raise _too_much(self._limit)
        return chunk
