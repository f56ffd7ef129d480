"""Fetching with pip and npm, with stand-ins for them. tests/toolchain/test_real.py asks the real ones."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path

import pytest

from bendml_cli.errors import DownloadError
from bendml_cli.toolchain.clients import npm_pack, pip_download
from bendml_cli.toolchain.download import Patience
from bendml_cli.toolchain.lock import Kind, Source
from bendml_cli.toolchain.progress import Silent
from bendml_cli.toolchain.setup import select, set_up
from tests.toolchain.made import HURRY, lock_of, made, packed

IMPATIENT = Patience(stall=0.1)


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose text is what `npm` does; it is run in a folder of its own with npm's arguments."""
    tools = tmp_path / "tools"
    tools.mkdir()
    program = tools / "npm"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return program


def does(npm: Path, script: str) -> None:
    npm.write_text(f'#!/bin/sh\necho "$@" >> {npm.parent}/calls\nDEST=$4\n{script}\n')


def pack(tmp_path: Path, patience: Patience = HURRY) -> Path:
    npm_pack("set", "1.0.0", tmp_path / "to", tmp_path, patience, Silent())
    return tmp_path / "to"


def test_npm_packs_by_name_and_exact_version_and_runs_nothing(npm: Path, tmp_path: Path) -> None:
    does(npm, 'echo archive > "$DEST/set-1.0.0.tgz"')
    assert pack(tmp_path).read_text() == "archive\n"
    call = (npm.parent / "calls").read_text()
    assert call.startswith("pack set@1.0.0 --pack-destination ")
    assert "--ignore-scripts" in call
    assert not list(tmp_path.glob("npm-*")), "its folder is gone"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo npm warn >&2; echo 'npm error code E404' >&2; exit 1", "^npm says: npm error code E404$"),
        ("exit 1", "^npm says: nothing$"),
        ("exit 0", "^npm has brought 0 files, and not one$"),
        ('touch "$DEST/a.tgz" "$DEST/b.tgz"', "^npm has brought 2 files, and not one$"),
    ],
)
def test_npm_fails(npm: Path, tmp_path: Path, script: str, why: str) -> None:
    does(npm, script)
    with pytest.raises(DownloadError, match=why):
        pack(tmp_path)


def test_npm_hangs_and_is_ended_with_all_that_it_started(npm: Path, tmp_path: Path) -> None:
    does(npm, f"sh -c 'echo $$ > {tmp_path}/pid; sleep 100'")
    began = time.monotonic()
    with pytest.raises(DownloadError, match="npm has brought nothing for 0 s"):
        pack(tmp_path, IMPATIENT)
    assert time.monotonic() - began < 10
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or ") Z" in stat.read_text():
            break
        time.sleep(0.05)
    else:
        pytest.fail("what npm had started still runs")


def test_no_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DownloadError, match=r"^npm is not installed$"):
        pack(tmp_path)


def test_a_package_is_packed_once_for_all_its_members(npm: Path, tmp_path: Path) -> None:
    files = {"package/a": b"first", "package/b": b"second", "package/c": b"changed"}
    (tmp_path / "set.tgz").write_bytes(packed(files, Kind.TAR_GZ))
    does(npm, f'cp {tmp_path}/set.tgz "$DEST/set-1.0.0.tgz"')
    artefacts = [
        made(name, data, Source(at="npm:set@1.0.0", member=f"package/{name}"), kind=Kind.FILE, into=f"data/{name}")
        for name, data in {"a": b"first", "b": b"second", "c": b"third", "d": b"none"}.items()
    ]
    wanted = select(lock_of(*artefacts), "linux-x64", only=[], skip=[])
    home = tmp_path / "home"
    outcomes = list(set_up(wanted, home, offline=None, patience=HURRY, watch=Silent()))
    assert [outcome.status.value for outcome in outcomes] == ["installed", "installed", "failed", "failed"]
    assert (home / "data/b").read_bytes() == b"second"
    assert outcomes[2].tried[0].source == "npm:set@1.0.0 package/c"
    assert "its SHA-256 is" in outcomes[2].tried[0].why
    assert outcomes[3].tried[0].why == "there is no package/d in it"
    # Once, and once more for the member that was not in what had been kept.
    assert len((npm.parent / "calls").read_text().splitlines()) == 2
    assert not list((home / "downloads").iterdir())
    # Offline, from the archive as npm names it.
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "set-1.0.0.tgz").write_bytes((tmp_path / "set.tgz").read_bytes())
    outcomes = list(set_up(wanted, tmp_path / "home2", offline=folder, patience=HURRY, watch=Silent()))
    assert [outcome.status.value for outcome in outcomes] == ["installed", "installed", "failed", "failed"]


def test_pip_is_held_to_version_and_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "python"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/call\n'
        'while [ "$1" != --dest ]; do shift; done; mkdir "$2"; cp "$4" "$2/a.whl"\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    pip_download("tool", "1.0", "0" * 64, tmp_path / "to", tmp_path, HURRY, Silent())
    assert (tmp_path / "to").read_text() == f"tool==1.0 --hash=sha256:{'0' * 64}\n"
    call = (tmp_path / "call").read_text()
    assert call.startswith("-m pip download ")
    assert all(option in call for option in ("--no-deps", "--require-hashes", "--only-binary :all:", "--no-cache-dir"))


def test_pip_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho WARNING: an error of no account\necho ERROR: no such version\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(DownloadError, match=r"^pip says: ERROR: no such version$"):
        pip_download("tool", "1.0", "0" * 64, tmp_path / "to", tmp_path, HURRY, Silent())


def test_no_pip_in_this_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DownloadError, match=r"^pip is not installed$"):
        pip_download("tool", "1.0", "0" * 64, tmp_path / "to", tmp_path, HURRY, Silent())
    other = tmp_path / "pip3"
    other.write_text("#!/bin/sh\necho ERROR: it was asked\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(DownloadError, match="it was asked"):
        pip_download("tool", "1.0", "0" * 64, tmp_path / "to", tmp_path, HURRY, Silent())
