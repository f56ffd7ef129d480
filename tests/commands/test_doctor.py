"""`bendml doctor` from outside: tables, JSON and exit status, on a machine that is made up."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bendml_cli.commands import doctor as commands
from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain.doctor import Health
from bendml_cli.toolchain.lock import Lock, current_platform
from bendml_cli.toolchain.store import Folders, Installed, save_installed, write_manifest
from tests.standin import make_bend


def doctor(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the doctor where nothing is on PATH but what a test has put into `bin`."""
    return subprocess.run(
        [sys.executable, "-m", "bendml_cli", "doctor", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={
            **{name: value for name, value in os.environ.items() if name not in ("CC", "CUDA_HOME", "CUDA_PATH")},
            "BENDML_BEND": "",
            "BENDTT": "",
            "BENDML_HOME": str(root / "home"),
            "PATH": str(root / "bin"),
            "NO_COLOR": "1",
            **environment,
        },
    )


def install_bend(home: Path) -> Path:
    """The stand-in, as setup would have left it; answers the program."""
    program = make_bend(home / "bend/bin")
    (home / "manifests").mkdir()
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    write_manifest(Folders(home), "bend", {"bend/bin/bend": digest})
    entry = Installed("bend", "2.0.35", current_platform(), home / "bend", "0" * 64, "file:/mirror", datetime.now(UTC))
    save_installed(home, {"bend": entry})
    return program


def test_a_machine_with_nothing_is_good_and_says_what_installs_it(tmp_path: Path) -> None:
    done = doctor(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bend engine: bend is not installed" in done.stdout
    assert "not installed: bend, lean, " in done.stdout
    assert "(bendml setup)" in done.stdout
    assert "GPU     there is no nvidia-smi on PATH" in done.stdout
    assert "GOOD  nothing that is needed is broken" in done.stdout
    for word in ("psutil", "cores", "memory", "disk", "load", "idle", "CUDA_HOME"):
        assert f"\n{word} " in done.stdout
    assert not (tmp_path / "home").exists()


def test_json(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    smi = tmp_path / "bin/nvidia-smi"
    smi.write_text("#!/bin/sh\necho 'NVIDIA H200, 570.86.15, 143771, 4'\n")
    smi.chmod(0o755)
    done = doctor(tmp_path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["verdict"] == "good"
    assert found["gpus"]["found"][0]["driver"] == "570.86.15"
    assert found["machine"]["memory_bytes"] > 0
    assert isinstance(found["idleness"]["noise"], list)
    assert {finding["health"] for finding in found["packages"]} <= {"good", "note"}
    (bend,) = [finding for finding in found["tools"] if finding["name"] == "bend"]
    assert (bend["health"], bend["wanted"], bend["way_out"]) == ("note", "2.0.35", "bendml setup --only bend")


def test_json_of_paths_that_are_no_text(tmp_path: Path) -> None:
    done = doctor(tmp_path, "--json", BENDML_BEND="/no\udcff", CC="/no\udcff")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["engines"][0]["problem"].endswith(
        "$BENDML_BEND names '/no\\xff', which is no program"
    )


def test_a_lock_that_cannot_be_used_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged() -> Lock:
        raise ToolchainError("toolchain.lock is no lock file: file: it is empty", "reinstall bendml")

    monkeypatch.setenv("BENDML_HOME", str(tmp_path))
    monkeypatch.setattr(commands, "load_lock", damaged)
    diagnosis = commands.diagnose()
    assert diagnosis.verdict == "broken"
    assert [(finding.name, finding.health, finding.way_out) for finding in diagnosis.tools] == [
        ("toolchain.lock", Health.BROKEN, "reinstall bendml")
    ]


def test_an_installed_bend_and_its_digest(tmp_path: Path) -> None:
    program = install_bend(tmp_path / "home")
    found = json.loads(doctor(tmp_path, "--json").stdout)
    (tool,) = [finding for finding in found["tools"] if finding["name"] == "bend"]
    assert (tool["health"], tool["digest"], tool["origin"]) == ("good", "holds", "file:/mirror")
    engine, kernel = found["engines"]
    assert (engine["version"], engine["path"], engine["origin"]) == ("2.0.35", str(program), "bendml setup")
    assert kernel["problem"] == "its second kernel needs Lean 4.34.0: bendml setup --only lean"
    assert found["verdict"] == "good"
    program.write_text(program.read_text() + "# changed\n")
    done = doctor(tmp_path)
    assert done.returncode == 1
    assert (
        f"BROKEN  bend: {program} has changed (delete what has changed, and: bendml setup --only bend)" in done.stdout
    )
    assert "BROKEN  1 of the things above is broken" in done.stdout
    program.unlink()
    done = doctor(tmp_path, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "broken"


def test_a_bend_of_another_version_is_a_note(tmp_path: Path) -> None:
    make_bend(tmp_path / "bin", version="2.0.36")
    done = doctor(tmp_path)
    assert done.returncode == 0
    assert "the bend of PATH is version 2.0.36, and only 2.0.35 is driven (bendml setup --only bend)" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_damaged_record_is_broken_and_no_traceback(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/setup.json").write_text("{")
    done = doctor(tmp_path, *arguments)
    assert done.returncode == 1
    assert "is damaged" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
