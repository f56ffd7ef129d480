"""Setups that are killed, and setups that run at once, in processes of their own."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bendml_cli.toolchain.lock import Kind, Lock, Source
from tests.toolchain.made import Served, good, lock_of, made, packed, stalled, wheel

ROOT = Path(__file__).resolve().parents[2]
BIG = {"top/one": os.urandom(700_000), "top/two": b"2"}
FILE = os.urandom(600_000)
ZIPPED = os.urandom(600_000)


def started(lock: Lock, home: Path, folder: Path, moment: str = "") -> subprocess.Popen[str]:
    file = folder / "lock.json"
    file.write_text(lock.model_dump_json())
    command = [sys.executable, "-m", "tests.toolchain.worker", str(file), str(home), moment]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    out, err = process.communicate(timeout=60)
    assert not err, err
    return process.returncode, out.splitlines()


@pytest.fixture
def lock(served: Served) -> Lock:
    big, up, down = packed(BIG, Kind.TAR_GZ), wheel({"top/up": b"up"}), wheel({"top/down": b"down"})
    return lock_of(
        made("big", big, served.put("/big", big)),
        made("up", up, served.put("/up", up), kind=Kind.WHEEL, into="both"),
        made("down", down, served.put("/down", down), kind=Kind.WHEEL, into="both"),
        made("file", FILE, served.put("/file", FILE), kind=Kind.FILE),
        made(
            "zipped",
            ZIPPED,
            Source(at=served.put("/zipped.gz", gzip.compress(ZIPPED)), compressed="gz"),
            kind=Kind.FILE,
        ),
    )


def is_all_there(home: Path) -> bool:
    files = {"big/one": BIG["top/one"], "big/two": b"2", "both/up": b"up", "both/down": b"down"}
    files |= {"file": FILE, "zipped": ZIPPED}
    return all((home / name).read_bytes() == data for name, data in files.items())


MOMENTS = [
    "big:fetching",
    "big:fetching:bytes",
    "big:verifying",
    "big:verifying:bytes",
    "big:unpacking",
    "big:unpacking:bytes",
    "big:placing",
    "big:rename:1",
    "big:recording",
    "down:unpacking",
    "down:rename:1",
    "down:rename:2",
    "down:recording",
    "file:fetching:bytes",
    "file:rename:1",
    "file:recording",
    "zipped:fetching:bytes",
    "zipped:verifying",
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_the_next_run_finishes(lock: Lock, home: Path, tmp_path: Path, moment: str) -> None:
    status, _ = ended(started(lock, home, tmp_path, moment))
    assert status == -signal.SIGKILL
    status, lines = ended(started(lock, home, tmp_path))
    assert status == 0, lines
    assert is_all_there(home)
    assert not list((home / "work").iterdir())
    assert not list((home / "downloads").iterdir())


def test_killed_again_and_again_it_comes_to_an_end(lock: Lock, home: Path, tmp_path: Path) -> None:
    for moment in MOMENTS:
        assert ended(started(lock, home, tmp_path, moment))[0] in (-signal.SIGKILL, 0)
    assert ended(started(lock, home, tmp_path))[0] == 0
    assert is_all_there(home)


def test_what_was_fetched_before_the_kill_is_not_fetched_again(
    lock: Lock, home: Path, tmp_path: Path, served: Served
) -> None:
    ended(started(lock, home, tmp_path, "big:unpacking"))
    served.requests.clear()
    ended(started(lock, home, tmp_path))
    assert "/big" not in {path for path, _ in served.requests}


def test_killed_in_the_middle_of_a_download_it_goes_on_there(
    lock: Lock, home: Path, tmp_path: Path, served: Served
) -> None:
    data = packed(BIG, Kind.TAR_GZ)
    served.put("/big", stalled(data, 300_000, seconds=30))
    process = started(lock, home, tmp_path)
    part = home / "downloads/big-1.0-big.bin.part"
    until = time.monotonic() + 20
    while (not part.exists() or part.stat().st_size < 200_000) and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    ended(process)
    have = part.stat().st_size
    assert have >= 200_000
    served.put("/big", good(data))
    served.requests.clear()
    assert ended(started(lock, home, tmp_path))[0] == 0
    assert served.requests[0] == ("/big", f"bytes={have}-")
    assert is_all_there(home)


def test_two_at_once(lock: Lock, home: Path, tmp_path: Path, served: Served) -> None:
    served.put("/big", good(packed(BIG, Kind.TAR_GZ), pause=4.0))
    first = started(lock, home, tmp_path)
    until = time.monotonic() + 20
    while not served.requests and time.monotonic() < until:
        time.sleep(0.01)
    second = started(lock, home, tmp_path)
    status, lines = ended(first)
    assert (status, {line.split()[1] for line in lines}) == (0, {"installed"})
    status, lines = ended(second)
    assert lines[0] == f"note: another setup is at work in {home}; waiting for it"
    assert (status, {line.split()[1] for line in lines[1:]}) == (0, {"kept"})
    assert sorted(path for path, _ in served.requests) == sorted(["/big", "/up", "/down", "/file", "/zipped.gz"])
    assert is_all_there(home)


def test_many_at_once(lock: Lock, home: Path, tmp_path: Path, served: Served) -> None:
    runs = [started(lock, home, tmp_path) for _ in range(4)]
    results = [ended(run) for run in runs]
    assert [status for status, _ in results] == [0] * 4
    installed = [line for _, lines in results for line in lines if " installed " in line]
    assert len(installed) == 5
    assert is_all_there(home)
