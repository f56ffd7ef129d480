"""The doctor's findings, by a made root: installed, damaged, missing."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pytest

from bendml_cli.toolchain import doctor
from bendml_cli.toolchain.doctor import (
    CUDA_FILES,
    Finding,
    Health,
    examine_compilers,
    examine_cuda,
    examine_packages,
    examine_tools,
    meets,
)
from bendml_cli.toolchain.store import Folders, Installed, save_installed, write_manifest

LINUX = "linux-x64"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty root, and a system without CUDA and compilers, on the platform that all is pinned for."""
    monkeypatch.setenv("BENDML_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    for name in ("CC", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(doctor, "_SYSTEM_CUDA", (str(tmp_path / "system-cuda"),))
    for module in ("doctor", "integrity"):
        monkeypatch.setattr(f"bendml_cli.toolchain.{module}.current_platform", lambda: LINUX)
    return tmp_path / "home"


def install(home: Path, files: dict[str, str], *, version: str = "2.0.35") -> None:
    """Make Bend look as setup leaves it; `files` are its files by their paths in its folder."""
    install_all(home, {"bend": (version, files)})


def install_all(home: Path, tools: dict[str, tuple[str, dict[str, str]]]) -> None:
    entries = {}
    (home / "manifests").mkdir(parents=True)
    for name, (version, files) in tools.items():
        into = "cuda" if name.startswith("cuda") else name
        hashes = {}
        for file, text in files.items():
            (home / into / file).parent.mkdir(parents=True, exist_ok=True)
            (home / into / file).write_text(text)
            hashes[f"{into}/{file}"] = hashlib.sha256(text.encode()).hexdigest()
        write_manifest(Folders(home), name, hashes)
        entries[name] = Installed(name, version, LINUX, home / into, "0" * 64, "test:", datetime.now(UTC))
    save_installed(home, entries)


def find(name: str) -> Finding:
    (finding,) = [finding for finding in examine_tools() if finding.name == name]
    return finding


def test_what_is_merely_not_installed_is_a_note_with_the_command(home: Path) -> None:
    findings = [finding for finding in examine_tools() if finding.name != "c-compiler"]
    assert len(findings) == 11
    for finding in findings:
        assert (finding.health, finding.problem, finding.version) == (Health.NOTE, "not installed", None)
        assert finding.way_out == f"bendml setup --only {finding.name}"
    assert not home.exists()


def test_what_is_as_it_was_installed_is_good(home: Path) -> None:
    install(home, {"bin/bend": "program", "bend2/base.bend": "base"})
    finding = find("bend")
    assert (finding.health, finding.wanted, finding.version, finding.digest) == (
        Health.GOOD,
        "2.0.35",
        "2.0.35",
        "holds",
    )
    assert (finding.path, finding.origin, finding.problem) == (str(home / "bend"), "test:", "")


def test_what_has_changed_since_is_broken(home: Path) -> None:
    install(home, {"bin/bend": "program", "bend2/base.bend": "base"})
    (home / "bend/bin/bend").write_text("another")
    finding = find("bend")
    assert (finding.health, finding.digest) == (Health.BROKEN, "broken")
    assert finding.problem == f"{home / 'bend/bin/bend'} has changed"
    assert finding.way_out == "delete what has changed, and: bendml setup --only bend"
    (home / "bend/bend2/base.bend").unlink()
    assert find("bend").problem.endswith(", and 1 more")


def test_what_is_gone_is_broken(home: Path) -> None:
    install(home, {"bin/bend": "program"})
    (home / "bend/bin/bend").unlink()
    finding = find("bend")
    assert (finding.health, finding.digest) == (Health.BROKEN, "broken")
    assert (finding.problem, finding.way_out) == (
        f"{home / 'bend/bin/bend'} is gone",
        "bendml setup --only bend",
    )


def test_an_older_version_is_a_note(home: Path) -> None:
    install(home, {"bin/bend": "program"}, version="2.0.34")
    finding = find("bend")
    assert (finding.health, finding.digest) == (Health.NOTE, "holds")
    assert finding.problem == "version 2.0.34 is installed, and not 2.0.35"


def test_a_record_that_cannot_be_read_is_broken(home: Path) -> None:
    home.mkdir()
    (home / "setup.json").write_text("{")
    (finding,) = examine_tools()
    assert (finding.name, finding.health) == ("setup.json", Health.BROKEN)
    assert "is damaged" in finding.problem


def test_a_platform_that_lacks_some(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bendml_cli.toolchain.doctor.current_platform", lambda: "darwin-arm64")
    finding = find("lean")
    assert (finding.health, finding.problem) == (Health.NOTE, "lean is not pinned for darwin-arm64")


def test_our_own_requirements_are_met() -> None:
    findings = {finding.name.lower(): finding for finding in examine_packages()}
    for name in ("psutil", "pydantic", "pyyaml", "typer", "rich"):
        assert (findings[name].health, findings[name].version) == (Health.GOOD, metadata.version(name))
    # Those for working on bendml are nobody else's business.
    assert "pytest" not in findings


@pytest.mark.parametrize(
    ("declared", "health", "problem"),
    [
        ("no-such-package>=1.0", Health.BROKEN, "no-such-package is not there, and bendml needs it"),
        ("psutil>=999", Health.BROKEN, "does not meet >=999"),
        ("no-such-package==2.13.0; extra == 'reference'", Health.NOTE, "not installed; only `reference` needs it"),
        ('psutil (>=6.0) ; python_version >= "3.11"', Health.GOOD, ""),
        ("psutil[all]>=6.0,!=99", Health.GOOD, ""),
    ],
)
def test_requirements(monkeypatch: pytest.MonkeyPatch, declared: str, health: Health, problem: str) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: [declared])
    (finding,) = examine_packages()
    assert finding.health is health
    assert problem in finding.problem
    assert ("-m pip install '" in finding.way_out) == (health is not Health.GOOD)


def test_a_package_with_files_gone_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half:
        def __init__(self) -> None:
            self.version = "6.1"
            names = ("psutil/nothing.py", "psutil/__pycache__/x.pyc")
            self.files = [metadata.PackagePath(name) for name in names]

        def locate_file(self, path: object) -> Path:
            return Path("/nowhere") / str(path)

    half = Half()
    for file in half.files:
        file.dist = half  # type: ignore[assignment]
    monkeypatch.setattr(metadata, "requires", lambda _: ["psutil>=6.0"])
    monkeypatch.setattr(metadata, "distribution", lambda _: half)
    (finding,) = examine_packages()
    assert (finding.health, finding.problem) == (
        Health.BROKEN,
        "1 of its files are gone, such as psutil/nothing.py",
    )


@pytest.mark.parametrize(
    ("version", "bounds", "answer"),
    [
        ("2.9", ">=2.9", True),
        ("2.10", ">=2.9", True),
        ("2.8.9", ">=2.9", False),
        ("3", ">=2.9,<3", False),
        ("2.13.0+cpu", "==2.13.0", True),
        ("2.13", "==2.13.0", True),
        ("2.13.1", "==2.13.0", False),
        ("2.13.1", "==2.13.*", True),
        ("2.13.1", "!=2.13.1", False),
        ("1.4.7", "~=1.4.2", True),
        ("1.5.0", "~=1.4.2", False),
        ("1.0", "", True),
    ],
)
def test_versions_and_bounds(version: str, bounds: str, answer: bool) -> None:
    assert meets(version, bounds) is answer


def test_compilers(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = examine_compilers()
    assert (finding.name, finding.health) == ("clang", Health.NOTE)
    (tmp_path / "path").mkdir()
    for name, text in (("clang", "echo clang version 19.1.7; echo more"), ("gcc", "exit 1")):
        (tmp_path / "path" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "path" / name).chmod(0o755)
    monkeypatch.setenv("CC", "nothing")
    cc, clang, gcc = examine_compilers()
    assert (cc.health, cc.problem) == (Health.NOTE, "$CC names 'nothing', which is no program")
    assert (clang.health, clang.version, clang.origin) == (Health.GOOD, "clang version 19.1.7", "PATH")
    assert (gcc.health, gcc.version) == (Health.NOTE, None)


def make_cuda(folder: Path, version: int = 12090) -> None:
    for name in CUDA_FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#define CUDA_VERSION {version}\n")


def test_cuda(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (examine_cuda().health, examine_cuda().problem) == (Health.NOTE, "there is none")
    make_cuda(tmp_path / "system-cuda")
    finding = examine_cuda()
    assert (finding.health, finding.version, finding.origin) == (Health.GOOD, "12.9", "system")
    make_cuda(tmp_path / "named", 13000)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "named"))
    finding = examine_cuda()
    assert (finding.health, finding.origin) == (Health.NOTE, "$CUDA_HOME")
    assert finding.problem == "this is CUDA 13.0, and Bend asks for CUDA 12"
    (tmp_path / "named/include/nvrtc.h").unlink()
    assert examine_cuda().problem == "incomplete: there is no include/nvrtc.h"


def test_a_cuda_home_of_setup_must_be_whole(home: Path) -> None:
    versions = {"cuda-nvrtc": ("12.9.86", {"include/nvrtc.h": "x"}), "cuda-runtime": ("12.9.79", {"include/a.h": "x"})}
    install_all(home, versions)
    make_cuda(home / "cuda")
    assert (examine_cuda().health, examine_cuda().origin) == (Health.GOOD, "bendml setup")
    # A link that points at nothing.
    (home / "cuda/lib64/libnvrtc.so").unlink()
    (home / "cuda/lib64/libnvrtc.so").symlink_to("libnvrtc.so.12")
    finding = examine_cuda()
    assert (finding.health, finding.problem) == (Health.BROKEN, "incomplete: there is no lib64/libnvrtc.so")
    assert finding.way_out == "bendml setup --only cuda"
