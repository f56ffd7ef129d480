"""`bendml setup` from outside: what it prints, its exit status, and that it needs no network to say what is wrong."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bendml_cli.commands.setup import SetupOptions, setup
from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain.lock import Kind, load_lock
from tests.toolchain.made import packed

BEND = load_lock().artefact("bend", "linux-x64")

pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="the messages name linux-x64's files"
)


def bendml_setup(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bendml_cli", "setup", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **(env or {})}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A folder to take archives from, with nothing in it."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def test_what_could_not_be_installed_is_said_and_what_to_do(tmp_path: Path, empty: Path) -> None:
    home = tmp_path / "home"
    done = bendml_setup("--only", "bend,lean", "--offline", empty, "--root", home)
    assert done.returncode == 1
    assert not done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "failed      bend 2.0.35  none of its sources has delivered it" in lines
    assert f"tried file:{empty}/{BEND.file}: there is no such file" in lines
    assert (
        f"put the file {BEND.file} with SHA-256 {BEND.sha256} into a folder DIR, and run: "
        f"bendml setup --root {home} --only bend --offline DIR"
    ) in lines
    assert any(line.startswith("INCOMPLETE  0 installed, 0 there already, 2 failed in ") for line in lines)


def test_a_wrong_archive_is_refused(tmp_path: Path, empty: Path) -> None:
    (empty / BEND.file).write_bytes(packed({"bend/bin/bend": b"evil"}, Kind.TAR_GZ))
    home = tmp_path / "home"
    done = bendml_setup("--only", "bend", "--offline", empty, "--root", home)
    assert done.returncode == 1
    assert "its SHA-256 is " in done.stdout
    assert not (home / "bend").exists()
    assert not (home / "setup.json").exists()


def test_json(tmp_path: Path, empty: Path) -> None:
    done = bendml_setup("--only", "bend", "--offline", empty, "--json", env={"BENDML_HOME": str(tmp_path / "there")})
    assert (done.returncode, done.stderr) == (1, "")
    one, run = (json.loads(line) for line in done.stdout.splitlines())
    assert (one["name"], one["version"], one["status"], one["path"]) == ("bend", "2.0.35", "failed", None)
    assert one["tried"] == [{"source": f"file:{empty}/{BEND.file}", "why": "there is no such file"}]
    assert run["root"] == str(tmp_path / "there")
    assert (run["platform"], run["verdict"], run["failed"], run["installed"]) == ("linux-x64", "failed", 1, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "coq"], "error: there is no artefact 'coq'\n  known: bend, lean, cuda-nvrtc, "),
        (["--skip", "coq"], "error: there is no artefact 'coq'\n  known: bend, lean, cuda-nvrtc, "),
        (["--only", "gpt2", "--no-gpt2"], "error: nothing is left to set up\n"),
        (["--offline", "/nowhere"], "error: --offline /nowhere: there is no such folder\n"),
        (["--root", "/dev/null/home"], "error: /dev/null/home"),
        (["--only", ""], "error: --only and --skip need a name\n  bend, for one"),
        (["--only", "bend", "--skip", ", "], "error: --only and --skip need a name\n"),
        (["--root", "/tmp/\udcff"], "error: /tmp/\\udcff: the name of this folder is not UTF-8\n"),
    ],
)
def test_bad_use_is_one_line_and_the_way_out(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = bendml_setup(*arguments, env={"BENDML_HOME": str(tmp_path / "home")})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "home").exists()


def test_a_platform_that_is_not_supported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Plan9")
    with pytest.raises(ToolchainError, match=r"^there is no pinned toolchain for plan9-x64$"):
        setup(SetupOptions([], [], gpt2=True, offline=None, root=tmp_path / "home", json=False))
    assert not (tmp_path / "home").exists()


def test_the_c_compiler_is_found_where_pip_has_put_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = bendml_setup("--only", "c-compiler", "--root", home)
    assert done.returncode == 0, done.stdout
    assert "READY  1 installed, 0 there already, 0 failed in " in done.stdout
    done = bendml_setup("--only", "c-compiler", "--root", home)
    assert done.returncode == 0
    assert f"nothing to do: 1 of 1 are there already, in {home}" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_it_leaves_no_traceback_and_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    program = tmp_path / "npm"
    program.write_text("#!/bin/sh\nsleep 100\n")
    program.chmod(0o755)
    home = tmp_path / "home"
    command = [sys.executable, "-m", "bendml_cli", "setup", "--only", "gpt2-vocab", "--root", str(home)]
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 20
    while not list(home.glob("work/npm-*/log")) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "interrupted\n")
    assert not list(home.glob("work/*"))
