"""Whole setups of made artefacts, from a server of our own."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bendml_cli.errors import ToolchainError, UnknownName
from bendml_cli.toolchain import extract
from bendml_cli.toolchain.lock import Artefact, Kind, Lock, Source
from bendml_cli.toolchain.progress import Stage
from bendml_cli.toolchain.setup import Outcome, Status, select, set_up
from bendml_cli.toolchain.store import all_installed, installed
from tests.toolchain.made import HURRY, TOOL, Noting, Served, cut, lock_of, made, packed, sha, status, wheel

PLATFORM = "linux-x64"
FILE = b"some data\n" * 5000
UP = {"top/include/up.h": b"up", "top/lib/libup.so.1": b"\x7fELF up"}
DOWN = {"top/include/down.h": b"down", "top/lib/libdown.so.2": b"\x7fELF down"}
HALVES = {"top/include": "include", "top/lib": "lib64"}


def run(
    lock: Lock, home: Path, *, only: tuple[str, ...] = (), offline: Path | None = None, watch: Noting | None = None
) -> dict[str, Outcome]:
    wanted = select(lock, PLATFORM, only=only, skip=())
    outcomes = set_up(wanted, home, offline=offline, patience=HURRY, watch=watch or Noting())
    return {outcome.name: outcome for outcome in outcomes}


def statuses(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {name: outcome.status.value for name, outcome in outcomes.items()}


def clean(home: Path) -> bool:
    """Whether nothing half done is left."""
    return not list((home / "work").iterdir()) and not list((home / "downloads").iterdir())


def holds(home: Path) -> bool:
    """Whether sha256sum itself finds every installed file as it should be."""
    listed = "".join(file.read_text() for file in (home / "manifests").iterdir())
    return (
        subprocess.run(["sha256sum", "-c", "--quiet"], input=listed, text=True, cwd=home, check=False).returncode == 0
    )


@pytest.fixture
def lock(served: Served) -> Lock:
    """A tar.gz, a tar.zst, two wheels in one folder, and one file."""
    gz, zst = packed(TOOL, Kind.TAR_GZ), packed(TOOL, Kind.TAR_ZST)
    up, down = wheel(UP), wheel(DOWN)
    return lock_of(
        made("tool", gz, served.put("/tool.tar.gz", gz)),
        made("other", zst, served.put("/other.tar.zst", zst), kind=Kind.TAR_ZST),
        made(
            "half-up",
            up,
            served.put("/up.whl", up),
            kind=Kind.WHEEL,
            into="halves",
            take=HALVES,
            links={"lib64/libup.so": "libup.so.1"},
        ),
        made(
            "half-down",
            down,
            served.put("/down.whl", down),
            kind=Kind.WHEEL,
            into="halves",
            take=HALVES,
            links={"lib64/libdown.so": "libdown.so.2"},
        ),
        made("data", FILE, served.put("/data", FILE), kind=Kind.FILE, into="data/set/file"),
    )


def changed(lock: Lock, name: str, **fields: object) -> Lock:
    """The lock with something else said of one artefact."""
    artefacts = [a.model_copy(update=fields) if a.name == name else a for a in lock.artefacts]
    return lock.model_copy(update={"artefacts": artefacts})


def test_everything_is_installed(lock: Lock, home: Path) -> None:
    outcomes = run(lock, home)
    assert set(statuses(outcomes).values()) == {"installed"}
    assert (home / "tool/bin/tool").read_bytes() == TOOL["top/bin/tool"]
    assert os.access(home / "tool/bin/tool", os.X_OK)
    assert (home / "other/lib/data").read_bytes() == TOOL["top/lib/data"]
    assert (home / "data/set/file").read_bytes() == FILE
    assert sorted(path.name for path in (home / "halves/lib64").iterdir()) == [
        "libdown.so",
        "libdown.so.2",
        "libup.so",
        "libup.so.1",
    ]
    assert (home / "halves/lib64/libup.so").read_bytes() == UP["top/lib/libup.so.1"]
    assert sorted(path.name for path in (home / "halves/include").iterdir()) == ["down.h", "up.h"]
    assert clean(home)
    assert holds(home)


def test_setup_json_says_what_came_from_where(lock: Lock, home: Path) -> None:
    run(lock, home)
    written = json.loads((home / "setup.json").read_text())
    assert written["format"] == "bendml-setup-1"
    for artefact in lock.artefacts:
        entry = installed(artefact.name, root=home)
        assert entry is not None
        assert (entry.version, entry.sha256) == (artefact.version, artefact.sha256)
        assert (entry.path, entry.origin) == (home / artefact.into, artefact.sources[0].at)
        assert entry.when.tzinfo is not None
    assert all(not entry["path"].startswith("/") for entry in written["installed"])


def test_again_does_nothing(lock: Lock, home: Path, served: Served) -> None:
    run(lock, home)
    before = {path: path.lstat().st_mtime_ns for path in home.rglob("*")}
    served.requests.clear()
    assert set(statuses(run(lock, home)).values()) == {"kept"}
    assert served.requests == []
    assert {path: path.lstat().st_mtime_ns for path in home.rglob("*")} == before


def test_what_an_interrupted_setup_left_when_all_was_done_is_cleared_away(lock: Lock, home: Path) -> None:
    run(lock, home)
    for name in ("tool-1.0-tool.bin", "tool-1.0-tool.bin.origin"):
        (home / "downloads" / name).touch()
    assert set(statuses(run(lock, home)).values()) == {"kept"}
    assert clean(home)


def test_a_root_may_be_moved(lock: Lock, home: Path, tmp_path: Path) -> None:
    run(lock, home)
    home.rename(tmp_path / "moved")
    assert set(statuses(run(lock, tmp_path / "moved")).values()) == {"kept"}


@pytest.mark.parametrize("gone", ["tool", "tool/lib/data", "halves/lib64/libup.so", "halves", "setup.json"])
def test_what_is_gone_is_installed_anew_and_the_rest_kept(lock: Lock, home: Path, gone: str) -> None:
    run(lock, home)
    path = home / gone
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    outcomes = run(lock, home)
    again = {"tool": {"tool"}, "halves": {"half-up", "half-down"}, "setup.json": set(outcomes)}
    expected = again.get(gone, {"half-up"} if "up" in gone else {"tool"})
    assert {name for name, outcome in outcomes.items() if outcome.status is Status.INSTALLED} == expected
    assert holds(home)
    assert (home / "halves/lib64/libdown.so").exists()
    assert (home / "halves/lib64/libup.so").exists()


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"garbage"])
def test_what_has_lost_its_manifest_is_installed_anew(lock: Lock, home: Path, damage: bytes) -> None:
    run(lock, home)
    (home / "manifests/tool.sha256").write_bytes(damage)
    assert statuses(run(lock, home))["tool"] == "installed"
    assert holds(home)


def test_what_setup_has_not_put_there_is_left_alone(lock: Lock, home: Path) -> None:
    (home / "tool").mkdir(parents=True)
    (home / "tool/mine").write_text("mine")
    (home / "data/set").mkdir(parents=True)
    (home / "data/set/file").write_text("mine too")
    outcomes = run(lock, home)
    assert statuses(outcomes) | {"tool": "failed", "data": "failed"} == statuses(outcomes)
    assert outcomes["tool"].problem == f"{home}/tool is there, and bendml setup has not put it there"
    assert outcomes["tool"].way_out.startswith("move it away, or name another folder with --root DIR")
    assert statuses(outcomes)["other"] == "installed"
    assert (home / "tool/mine").read_text() == "mine"
    assert (home / "data/set/file").read_text() == "mine too"


def test_another_version_replaces_the_old_one(lock: Lock, home: Path, served: Served) -> None:
    run(lock, home)
    data = packed({"top/bin/new": b"new"}, Kind.TAR_GZ)
    url = served.put("/tool-2.tar.gz", data)
    newer = changed(lock, "tool", version="2.0", sha256=sha(data), sources=[Source(at=url)])
    assert statuses(run(newer, home))["tool"] == "installed"
    assert [path.name for path in (home / "tool/bin").iterdir()] == ["new"]
    entry = installed("tool", root=home)
    assert entry is not None
    assert entry.version == "2.0"
    assert clean(home)


def test_one_half_alone_keeps_the_other(lock: Lock, home: Path, served: Served) -> None:
    assert list(run(lock, home, only=("half-up",))) == ["half-up"]
    assert not (home / "halves/lib64/libdown.so").exists()
    assert list(run(lock, home, only=("half-down",))) == ["half-down"]
    assert (home / "halves/lib64/libup.so").exists()
    assert statuses(run(lock, home, only=("half",))) == {"half-up": "kept", "half-down": "kept"}


def test_halves_that_disagree(lock: Lock, home: Path, served: Served) -> None:
    data = wheel({**DOWN, "top/include/up.h": b"another"})
    url = served.put("/down-2.whl", data)
    bad = changed(lock, "half-down", sha256=sha(data), sources=[Source(at=url)])
    outcomes = run(bad, home)
    assert outcomes["half-down"].problem == "up.h is in it and in half-up, and they differ"
    assert (home / "halves/include/up.h").read_bytes() == b"up"


def test_a_wrong_hash_is_refused_before_unpacking_and_the_rest_goes_on(lock: Lock, home: Path, served: Served) -> None:
    served.put("/tool.tar.gz", packed({"top/evil": b"evil"}, Kind.TAR_GZ))
    watch = Noting()
    outcomes = run(lock, home, watch=watch)
    assert ("tool", Stage.UNPACKING) not in watch.stages
    assert not (home / "tool").exists()
    assert statuses(outcomes) == {**dict.fromkeys(outcomes, "installed"), "tool": "failed"}
    (tried,) = outcomes["tool"].tried
    assert tried.source == served.url + "/tool.tar.gz"
    assert tried.why.startswith("its SHA-256 is ")
    assert clean(home)


def test_what_to_do_by_hand(lock: Lock, home: Path, served: Served, tmp_path: Path) -> None:
    served.put("/tool.tar.gz", status(404))
    outcome = run(lock, home)["tool"]
    assert outcome.problem == "none of its sources has delivered it"
    assert [tried.why for tried in outcome.tried] == ["the server answered 404 Not Found"]
    artefact = lock.artefact("tool", PLATFORM)
    assert outcome.way_out == (
        f"put the file tool.bin with SHA-256 {artefact.sha256} into a folder DIR, and run: "
        f"bendml setup --root {home} --only tool --offline DIR"
    )
    # And it is told the truth.
    (tmp_path / "tool.bin").write_bytes(packed(TOOL, Kind.TAR_GZ))
    assert statuses(run(lock, home, only=("tool",), offline=tmp_path)) == {"tool": "installed"}


def test_other_sources_are_tried_in_turn(home: Path, served: Served, tmp_path: Path) -> None:
    data = packed(TOOL, Kind.TAR_GZ)
    mirror = tmp_path / "mirror of mine"
    mirror.mkdir()
    (mirror / "tool.tar.gz").write_bytes(data)
    sources = [
        served.put("/gone", status(404)),
        served.put("/wrong", b"something else"),
        served.put("/short", cut(data, 100)),
        f"file:{tmp_path}/none",
        (mirror / "tool.tar.gz").as_uri(),
    ]
    outcome = run(lock_of(made("tool", data, *sources)), home)["tool"]
    assert outcome.status is Status.INSTALLED
    assert outcome.entry is not None
    assert outcome.entry.origin == sources[-1]
    assert {path for path, _ in served.requests} == {"/gone", "/wrong", "/short"}


def test_all_that_was_tried_is_told(home: Path, served: Served, tmp_path: Path) -> None:
    data = packed(TOOL, Kind.TAR_GZ)
    sources = [served.put("/gone", status(404)), served.put("/wrong", b"else"), f"file:{tmp_path}/none"]
    outcome = run(lock_of(made("tool", data, *sources, size=len(data))), home)["tool"]
    assert [(tried.source, tried.why) for tried in outcome.tried] == [
        (sources[0], "the server answered 404 Not Found"),
        (sources[1], f"it has 4 bytes there, and not {len(data)}"),
        (sources[2], "there is no such file"),
    ]


def test_what_an_earlier_run_left_and_does_not_fit_is_fetched_whole(lock: Lock, home: Path, served: Served) -> None:
    (home / "downloads").mkdir(parents=True)
    (home / "downloads/tool-1.0-tool.bin.part").write_bytes(b"some other beginning")
    watch = Noting()
    assert statuses(run(lock, home, only=("tool",), watch=watch)) == {"tool": "installed"}
    assert [asked for _, asked in served.requests] == ["bytes=20-", ""]
    assert watch.notes == ["tool: what an earlier run left does not fit; fetching it whole"]


def test_a_compressed_file(home: Path, served: Served, tmp_path: Path) -> None:
    url = served.put("/data.gz", gzip.compress(FILE))
    lock = lock_of(made("data", FILE, Source(at=url, compressed="gz"), kind=Kind.FILE, size=len(FILE)))
    assert statuses(run(lock, home)) == {"data": "installed"}
    assert (home / "data").read_bytes() == FILE
    (tmp_path / "data.bin.gz").write_bytes(gzip.compress(FILE))
    assert statuses(run(lock, tmp_path / "home2", offline=tmp_path)) == {"data": "installed"}
    bomb = served.put("/bomb.gz", gzip.compress(bytes(10_000_000)))
    lock = lock_of(made("data", FILE, Source(at=bomb, compressed="gz"), kind=Kind.FILE, size=len(FILE)))
    (tried,) = run(lock, tmp_path / "home3")["data"].tried
    assert tried.why == "more than the 50000 bytes that are expected come out of it"


# Offline


def test_offline_takes_files_by_name_and_asks_nobody(lock: Lock, home: Path, served: Served, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "tool.bin").write_bytes(packed(TOOL, Kind.TAR_GZ))
    (folder / "data.bin").write_bytes(b"not it")
    outcomes = run(lock, home, offline=folder)
    assert served.requests == []
    assert outcomes["tool"].status is Status.INSTALLED
    assert outcomes["tool"].entry is not None
    assert outcomes["tool"].entry.origin == f"file:{folder}/tool.bin"
    assert [tried.why for tried in outcomes["other"].tried] == ["there is no such file"]
    assert outcomes["data"].tried[0].why.startswith("its SHA-256 is")
    assert (folder / "tool.bin").exists()


# A file that is not pinned yet


def safetensors(value: bytes) -> bytes:
    header = json.dumps({"w": {"dtype": "U8", "shape": [len(value)], "data_offsets": [0, len(value)]}}).encode()
    return len(header).to_bytes(8, "little") + header + value


def test_the_first_download_settles_the_hash(home: Path, served: Served) -> None:
    first, second = safetensors(b"first"), safetensors(b"other")
    url = served.put("/weights", first)
    lock = lock_of(made("weights", first, url, kind=Kind.FILE, sha256=None, form="safetensors"))
    assert statuses(run(lock, home)) == {"weights": "installed"}
    recorded = json.loads((home / "recorded-hashes.json").read_text())["weights"]
    assert (recorded["version"], recorded["sha256"], recorded["origin"]) == ("1.0", sha(first), url)
    (home / "weights").unlink()
    served.put("/weights", second)
    outcome = run(lock, home)["weights"]
    assert outcome.tried[0].why == f"its SHA-256 is {sha(second)}, and not {sha(first)}"
    assert f"with SHA-256 {sha(first)}" in outcome.way_out
    served.put("/weights", first)
    assert statuses(run(lock, home)) == {"weights": "installed"}


@pytest.mark.parametrize(
    "wrong",
    [
        b"<html>Please sign in</html>",
        b"",
        safetensors(b"first")[:-1],
        safetensors(b"first") + b"!",
        b"\x02" + b"\0" * 9,
    ],
)
def test_no_error_page_is_taken_for_the_file(home: Path, served: Served, wrong: bytes) -> None:
    url = served.put("/weights", wrong)
    lock = lock_of(made("weights", b"", url, kind=Kind.FILE, sha256=None, form="safetensors"))
    assert statuses(run(lock, home)) == {"weights": "failed"}
    assert not (home / "recorded-hashes.json").exists()


@pytest.mark.parametrize("record", ["{", "[]", '{"weights": 5}', '{"weights": {"version": "1.0"}}'])
def test_a_damaged_record_of_hashes_is_not_forgotten(home: Path, served: Served, record: str) -> None:
    data = safetensors(b"first")
    lock = lock_of(made("weights", data, served.put("/w", data), kind=Kind.FILE, sha256=None, form="safetensors"))
    home.mkdir()
    (home / "recorded-hashes.json").write_text(record)
    outcome = run(lock, home)["weights"]
    assert outcome.problem == f"{home}/recorded-hashes.json is damaged"
    assert outcome.way_out == "delete it to trust the next download anew"


# Selection


def with_platform(artefact: Artefact, platform: str) -> Artefact:
    return artefact.model_copy(update={"platform": platform})


def test_what_is_not_for_this_platform(lock: Lock, home: Path) -> None:
    lock = changed(lock, "tool", platform="darwin-arm64")
    outcome = run(lock, home)["tool"]
    assert outcome.status is Status.UNAVAILABLE
    assert outcome.problem == "tool is not pinned for linux-x64, but for darwin-arm64"
    assert statuses(run(lock, home, only=("tool",))) == {"tool": "failed"}


def test_selection(lock: Lock) -> None:
    both = [
        each.model_copy(update={"group": "both"}) if each.name in ("tool", "data") else each for each in lock.artefacts
    ]
    lock = lock.model_copy(update={"artefacts": both})

    def names(*only: str, skip: tuple[str, ...] = ()) -> list[str]:
        return [artefact.name for artefact in select(lock, PLATFORM, only=only, skip=skip).artefacts]

    assert names() == ["tool", "other", "half-up", "half-down", "data"]
    assert names("data", "tool") == ["tool", "data"]
    assert names("half") == ["half-up", "half-down"]
    assert names(skip=("half", "tool")) == ["other", "data"]
    assert names("half", skip=("half-up",)) == ["half-down"]
    assert names("both") == ["tool", "data"]
    assert names(skip=("both",)) == ["other", "half-up", "half-down"]
    with pytest.raises(UnknownName, match="there is no artefact 'hal'"):
        names("hal")


# A disk that is full, and a root that cannot be written


def test_a_write_error_while_unpacking(lock: Lock, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_file = extract._Tree.add_file

    def failing(self: extract._Tree, place: Path, *rest: object) -> None:
        if place.name == "data":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        add_file(self, place, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(extract._Tree, "add_file", failing)
    outcomes = run(lock, home)
    assert statuses(outcomes) == {**dict.fromkeys(outcomes, "installed"), "tool": "failed", "other": "failed"}
    assert outcomes["tool"].problem == "the disk is full"
    assert outcomes["tool"].way_out.startswith(f"make room in {home}")
    assert not (home / "tool").exists()
    assert not list((home / "work").iterdir())
    monkeypatch.undo()
    os.environ["REQUESTS_CA_BUNDLE"] = "/none, as what was fetched is still there"
    try:
        assert statuses(run(lock, home, only=("tool",))) == {"tool": "installed"}
    finally:
        del os.environ["REQUESTS_CA_BUNDLE"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 kB, where mounting is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("told", [True, False], ids=["its size is known", "its size is not known"])
def test_a_full_disk(served: Served, small_disk: Path, told: bool) -> None:
    big = os.urandom(1_000_000)
    small = packed({"top/a": b"a"}, Kind.TAR_GZ)

    def unmeasured(exchange: object, number: int) -> None:
        exchange.head(200)  # type: ignore[attr-defined]
        exchange.wfile.write(big)  # type: ignore[attr-defined]

    url = served.put("/big", big if told else unmeasured)
    lock = lock_of(
        made("big", big, url, kind=Kind.FILE, into="big"),
        made("small", small, served.put("/small", small)),
    )
    home = small_disk / "home"
    outcomes = run(lock, home)
    assert "the disk is full" in outcomes["big"].problem
    assert not (home / "big").exists()
    if told:
        assert outcomes["small"].status is Status.INSTALLED


@pytest.fixture
def read_only(home: Path) -> Iterator[Path]:
    """Makes `home` read-only, also for root."""
    yield home
    subprocess.run(["umount", str(home)], check=False, capture_output=True)
    home.chmod(0o755)


def make_read_only(home: Path) -> None:
    if os.getuid():
        home.chmod(0o555)
        return
    for command in (["mount", "--bind", str(home), str(home)], ["mount", "-o", "remount,ro,bind", str(home)]):
        if subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip("nothing may be mounted here")


def test_a_root_that_cannot_be_written(lock: Lock, read_only: Path) -> None:
    read_only.mkdir()
    make_read_only(read_only)
    with pytest.raises(ToolchainError, match=f"^{read_only} cannot be used: "):
        run(lock, read_only)


def test_a_root_that_cannot_be_written_and_need_not_be(lock: Lock, read_only: Path) -> None:
    run(lock, read_only)
    make_read_only(read_only)
    assert set(statuses(run(lock, read_only)).values()) == {"kept"}


def test_a_root_that_is_a_file(lock: Lock, home: Path) -> None:
    home.write_text("")
    with pytest.raises(ToolchainError, match="cannot be"):
        run(lock, home)


def test_a_damaged_setup_json(lock: Lock, home: Path) -> None:
    home.mkdir()
    (home / "setup.json").write_text("{")
    with pytest.raises(ToolchainError, match=r"setup\.json is damaged"):
        run(lock, home)
    with pytest.raises(ToolchainError, match=r"setup\.json is damaged"):
        all_installed(home)
