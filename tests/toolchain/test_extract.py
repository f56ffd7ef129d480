"""Archives, of every kind and of every evil."""

from __future__ import annotations

import gzip
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from bendml_cli.errors import ArchiveError
from bendml_cli.toolchain.extract import gunzip, member_of_tar, unpack
from bendml_cli.toolchain.lock import Kind
from tests.toolchain.made import TOOL, entry, packed, sha, tar, tar_of, wheel

LIMIT = 10_000_000
KINDS = [Kind.TAR_GZ, Kind.TAR_ZST, Kind.WHEEL]


def unpacked(
    tmp_path: Path, data: bytes, kind: Kind, *, limit: int = LIMIT, take: dict[str, str] | None = None
) -> dict[str, str]:
    archive, into = tmp_path / "archive", tmp_path / "into"
    archive.write_bytes(data)
    into.mkdir()
    return unpack(archive, kind, into, take=take or {"top": "."}, limit=limit, at=lambda done: None)


def outside(tmp_path: Path) -> list[str]:
    """What there is beside the archive and the folder that it is unpacked into."""
    return sorted(path.name for path in tmp_path.iterdir() if path.name not in ("archive", "into"))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken_is_unpacked_and_hashed(tmp_path: Path, kind: Kind) -> None:
    hashes = unpacked(tmp_path, packed(TOOL, kind), kind)
    assert hashes == {"bin/tool": sha(TOOL["top/bin/tool"]), "lib/data": sha(TOOL["top/lib/data"])}
    for name in hashes:
        assert (tmp_path / "into" / name).read_bytes() == TOOL[f"top/{name}"]
    assert not (tmp_path / "into" / "README").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_folders_go_where_they_are_told(tmp_path: Path, kind: Kind) -> None:
    files = {"pkg/include/a.h": b"a", "pkg/lib/b.so.1": b"b", "pkg/other": b"c"}
    hashes = unpacked(tmp_path, packed(files, kind), kind, take={"pkg/include": "include", "pkg/lib": "lib64"})
    assert sorted(hashes) == ["include/a.h", "lib64/b.so.1"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [10, 256_000])
def test_an_archive_that_holds_more_than_was_declared(tmp_path: Path, kind: Kind, limit: int) -> None:
    with pytest.raises(ArchiveError, match=f"^more than the {limit} bytes that are expected come out of it$"):
        unpacked(tmp_path, packed(TOOL, kind), kind, limit=limit)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_is_stopped_before_it_fills_the_disk(tmp_path: Path, kind: Kind) -> None:
    bomb = packed({"top/zeros": bytes(200_000_000)}, kind)
    assert len(bomb) < 500_000
    with pytest.raises(ArchiveError, match="more than the 10000000 bytes"):
        unpacked(tmp_path, bomb, kind)
    assert sum(file.stat().st_size for file in (tmp_path / "into").rglob("*")) <= LIMIT


def test_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    bomb = wheel({"top/zeros": bytes(50_000_000)})
    small = (1000).to_bytes(4, "little")
    lying = bomb.replace((50_000_000).to_bytes(4, "little"), small)
    assert lying.count(small) == 2
    with pytest.raises(ArchiveError):
        unpacked(tmp_path, lying, Kind.WHEEL)
    assert sum(file.stat().st_size for file in (tmp_path / "into").rglob("*")) <= LIMIT


def test_a_bomb_outside_of_what_is_taken(tmp_path: Path) -> None:
    bomb = gzip.compress(tar_of({"elsewhere/zeros": bytes(50_000_000), **TOOL}))
    with pytest.raises(ArchiveError, match="more than the 10000000 bytes"):
        unpacked(tmp_path, bomb, Kind.TAR_GZ)


def test_a_sparse_file_counts_as_long_as_it_is(tmp_path: Path) -> None:
    info, _ = entry("top/sparse")
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "top/sparse",
        "GNU.sparse.realsize": str(1 << 40),
    }
    content = b"1\n1099511627775\n1\n".ljust(512, b"\0") + b"!"
    info.size = len(content)
    with pytest.raises(ArchiveError, match="more than the 10000000 bytes"):
        unpacked(tmp_path, gzip.compress(tar((info, content))), Kind.TAR_GZ)
    assert sum(file.stat().st_size for file in (tmp_path / "into").rglob("*")) <= LIMIT


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil", "the name '../evil' leaves the tree"),
        ("top/../../evil", "the name 'top/../../evil' leaves the tree"),
        ("elsewhere/../../evil", "leaves the tree"),
        ("/evil", "the name '/evil' is absolute"),
        ("top\\..\\evil", "is no plain path"),
        ("top/a\nb", "is no plain path"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_names_that_lead_out(tmp_path: Path, kind: Kind, name: str, why: str) -> None:
    with pytest.raises(ArchiveError) as caught:
        unpacked(tmp_path, packed({"top/good": b"", name: b"evil"}, kind), kind)
    assert why in caught.value.message
    assert not outside(tmp_path)


@pytest.mark.parametrize(
    ("place", "target"),
    [
        ("top/link", "/etc/passwd"),
        ("top/link", "../../evil"),
        ("top/a/link", "../../../evil"),
        ("elsewhere/link", "../../evil"),
        ("top/link", "a/../../../evil"),
        ("top/link", ""),
    ],
)
def test_links_that_lead_out(tmp_path: Path, place: str, target: str) -> None:
    entries = entry("top/good", b"1"), entry(place, kind=tarfile.SYMTYPE, link=target)
    with pytest.raises(ArchiveError, match=r"the link '.*link' leaves the tree"):
        unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)


def test_a_link_out_of_the_installed_part_of_the_archive(tmp_path: Path) -> None:
    entries = entry("top/good", b"1"), entry("README", b"2"), entry("top/link", kind=tarfile.SYMTYPE, link="../README")
    with pytest.raises(ArchiveError, match="the link 'link' leaves the tree"):
        unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)


def test_links_that_lead_out_only_together(tmp_path: Path) -> None:
    """By its text each stays inside; `up` is the top, so `up/..` is not."""
    entries = (
        entry("top/a/b/good", b"1"),
        entry("top/a/b/up", kind=tarfile.SYMTYPE, link="../.."),
        entry("top/out", kind=tarfile.SYMTYPE, link="a/b/up/../x"),
    )
    with pytest.raises(ArchiveError, match="the link 'out' leaves the tree"):
        unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)


def test_links_in_a_circle(tmp_path: Path) -> None:
    entries = (
        entry("top/good", b"1"),
        entry("top/a", kind=tarfile.SYMTYPE, link="b"),
        entry("top/b", kind=tarfile.SYMTYPE, link="a"),
    )
    with pytest.raises(ArchiveError, match="the link 'a' leads nowhere"):
        unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    entries = entry("top/dir", kind=tarfile.SYMTYPE, link="other"), entry("top/dir/file", b"1")
    with pytest.raises(ArchiveError, match="stands there twice"):
        unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)


def test_links_inside_are_made(tmp_path: Path) -> None:
    entries = (
        entry("top/lib/x.so", kind=tarfile.SYMTYPE, link="x.so.1"),
        entry("top/lib/x.so.1", b"1"),
        entry("top/bin/same", kind=tarfile.LNKTYPE, link="top/lib/x.so.1"),
        entry("top/up", kind=tarfile.SYMTYPE, link="lib/../lib/x.so"),
    )
    hashes = unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)
    assert sorted(hashes) == ["bin/same", "lib/x.so.1"]
    assert all((tmp_path / "into" / name).read_bytes() == b"1" for name in ("lib/x.so", "bin/same", "up"))


@pytest.mark.parametrize("target", ["../evil", "/etc/passwd", "top/none", "README"])
def test_hard_links_to_what_is_not_unpacked(tmp_path: Path, target: str) -> None:
    entries = entry("README", b"2"), entry("top/link", kind=tarfile.LNKTYPE, link=target)
    with pytest.raises(ArchiveError, match=r"leaves the tree|is absolute|not unpacked"):
        unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
@pytest.mark.parametrize("place", ["top/device", "elsewhere/device"])
def test_devices_in_a_tar(tmp_path: Path, kind: bytes, place: str) -> None:
    entries = entry("top/good", b"1"), entry(place, kind=kind)
    with pytest.raises(ArchiveError, match="is a device or a pipe"):
        unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)


@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_devices_in_a_wheel(tmp_path: Path, kind: int) -> None:
    with pytest.raises(ArchiveError, match="is a device or a pipe"):
        unpacked(tmp_path, wheel({"top/x": b""}, {"top/x": kind | 0o644}), Kind.WHEEL)


def test_a_link_out_of_a_wheel(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="the link 'top/x' leaves the tree"):
        unpacked(tmp_path, wheel({"top/x": b"../../evil"}, {"top/x": stat.S_IFLNK | 0o777}), Kind.WHEEL)


def test_what_stands_there_twice(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="stands there twice"):
        unpacked(tmp_path, gzip.compress(tar(entry("top/a", b"1"), entry("./top/a", b"2"))), Kind.TAR_GZ)


def test_a_file_that_is_a_folder_too(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"stands there twice|both a file and a folder"):
        unpacked(tmp_path, gzip.compress(tar(entry("top/a", b"1"), entry("top/a/b", b"2"))), Kind.TAR_GZ)


def test_permissions_are_tame(tmp_path: Path) -> None:
    entries = entry("top/run", b"1", mode=0o6777), entry("top/data", b"2", mode=0o666)
    unpacked(tmp_path, gzip.compress(tar(*entries)), Kind.TAR_GZ)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "into").iterdir()}
    assert modes == {"run": 0o755, "data": 0o644}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spoil", [lambda data: data[: len(data) // 2], lambda data: b"no archive", lambda data: b""])
def test_damaged_archives(tmp_path: Path, kind: Kind, spoil: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ArchiveError):
        unpacked(tmp_path, spoil(packed(TOOL, kind)), kind)


def test_an_archive_without_what_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="there is nothing in it under other"):
        unpacked(tmp_path, packed(TOOL, Kind.TAR_GZ), Kind.TAR_GZ, take={"other": "."})


def test_zst_of_several_frames(tmp_path: Path) -> None:
    plain = tar_of(TOOL)
    data = zstandard.compress(plain[:5000]) + zstandard.compress(plain[5000:])
    assert len(unpacked(tmp_path, data, Kind.TAR_ZST)) == 2


def test_one_member_of_a_package(tmp_path: Path) -> None:
    archive, to = tmp_path / "package.tgz", tmp_path / "to"
    archive.write_bytes(packed(TOOL, Kind.TAR_GZ))
    member_of_tar(archive, "top/lib/data", to, limit=LIMIT)
    assert to.read_bytes() == TOOL["top/lib/data"]
    with pytest.raises(ArchiveError, match="there is no top/none in it"):
        member_of_tar(archive, "top/none", to, limit=LIMIT)
    with pytest.raises(ArchiveError, match="more than the 1000 bytes"):
        member_of_tar(archive, "top/none", to, limit=1000)


def test_a_compressed_file(tmp_path: Path) -> None:
    archive, to = tmp_path / "a.gz", tmp_path / "a"
    archive.write_bytes(gzip.compress(bytes(1_000_000)))
    gunzip(archive, to, limit=1_000_000)
    assert to.read_bytes() == bytes(1_000_000)
    with pytest.raises(ArchiveError, match="more than the 999999 bytes"):
        gunzip(archive, to, limit=999_999)
    archive.write_bytes(archive.read_bytes()[:-20])
    with pytest.raises(ArchiveError, match="it is damaged"):
        gunzip(archive, to, limit=1_000_000)
