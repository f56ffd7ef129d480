"""toolchain.lock, and what its model refuses."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from bendml_cli.errors import ToolchainError, UnknownName
from bendml_cli.toolchain.lock import ANY, PLATFORMS, Kind, Scheme, current_platform, load_lock, lock_file
from bendml_cli.toolchain.setup import select

NAMES = [
    *("bend", "lean", "cuda-nvrtc", "cuda-runtime", "c-compiler"),
    *("mnist-train-images", "mnist-train-labels", "mnist-test-images", "mnist-test-labels"),
    *("gpt2-vocab", "gpt2-merges", "gpt2-weights"),
]
#: As they were read from the primary sources, written down a second time.
PINS = """
bend 2.0.35 linux-x64 63039d1a119f716767ac5a7d8fe0717cfacf219c6c253c35192148e0dade722f
bend 2.0.35 linux-arm64 09b813073241628f590f2c2fe420299ec25e4dddd6cf3fdc49c9486339989564
bend 2.0.35 darwin-arm64 2582f25057a519c330e6875798b784b727d4201f1c1f6944a105348f0eb8972e
bend 2.0.35 darwin-x64 7e59da4513e32ea7526464b342344a992a56372cdf62e0c55a30e9ce26baaeef
lean 4.34.0 linux-x64 caaa98356098c85dc0fcbbd28e1ec66f39eb6551829972b752ff20e1286b646b
lean 4.34.0 linux-arm64 40b04fdb7fb849d3c80e10c3bbeebc7b7354b6d3f07450b9168c2149b40d2a82
cuda-nvrtc 12.9.86 linux-x64 210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4
cuda-runtime 12.9.79 linux-x64 25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3
mnist-train-images 1.2.6 any ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db
mnist-train-labels 1.2.6 any 65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5
mnist-test-images 1.2.6 any 0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7
mnist-test-labels 1.2.6 any ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2
gpt2-vocab 1.1.4 any 196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783
gpt2-merges 1.1.4 any 1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5
"""
#: The hosts of releases and data. Packages come by name, from wherever pip and npm are set up to ask.
HOSTS = {"github.com", "huggingface.co", "ossci-datasets.s3.amazonaws.com"}


def test_everything_is_pinned_for_the_platforms_it_is_for() -> None:
    lock = load_lock()
    assert lock.names == NAMES
    assert {name: lock.platforms(name) for name in NAMES[:5]} == {
        "bend": ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"],
        "lean": ["linux-x64", "linux-arm64"],
        "cuda-nvrtc": ["linux-x64"],
        "cuda-runtime": ["linux-x64"],
        "c-compiler": list(PLATFORMS),
    }
    assert all(lock.platforms(name) == [ANY] for name in NAMES[5:])


def test_only_the_weights_have_no_hash_yet() -> None:
    assert [artefact.name for artefact in load_lock().artefacts if artefact.sha256 is None] == ["gpt2-weights"]


def test_the_pins() -> None:
    lock = load_lock()
    for line in PINS.strip().splitlines():
        name, version, platform_name, sha256 = line.split()
        artefact = lock.artefact(name, platform_name)
        assert (artefact.version, artefact.sha256) == (version, sha256), name


def test_packages_come_by_name_and_releases_from_where_they_are_released() -> None:
    sources = [source for artefact in load_lock().artefacts for source in artefact.sources]
    assert {urlsplit(source.at).hostname for source in sources if source.scheme is Scheme.HTTPS} == HOSTS
    assert {source.scheme for source in sources} == {Scheme.HTTPS, Scheme.PIP, Scheme.NPM}


def test_the_c_compiler_is_the_dependency() -> None:
    text = (lock_file().parent / "pyproject.toml").read_text()
    for name in PLATFORMS:
        artefact = load_lock().artefact("c-compiler", name)
        assert artefact.unpack.kind is Kind.PYTHON_PACKAGE
        assert f'"{artefact.sources[0].at.removeprefix("pip:")}"' in text


def test_an_artefact_by_name_and_platform() -> None:
    lock = load_lock()
    assert lock.artefact("lean", "linux-arm64").file == "lean-4.34.0-linux_aarch64.tar.zst"
    assert lock.artefact("gpt2-vocab", "darwin-x64").platform == ANY
    with pytest.raises(ToolchainError, match=r"^lean is not pinned for darwin-x64$") as caught:
        lock.artefact("lean", "darwin-x64")
    assert caught.value.way_out == "it is for linux-x64, linux-arm64"
    with pytest.raises(UnknownName, match="there is no artefact 'coq'"):
        lock.artefact("coq", "linux-x64")


def test_gpt2_tokenizer_names_its_two_files() -> None:
    wanted = select(load_lock(), "linux-x64", only=["gpt2-tokenizer"], skip=[])
    assert [artefact.name for artefact in wanted.artefacts] == ["gpt2-vocab", "gpt2-merges"]
    assert load_lock().groups == ["gpt2-tokenizer"]


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("Linux", "x86_64", "linux-x64"),
        ("Linux", "aarch64", "linux-arm64"),
        ("Darwin", "arm64", "darwin-arm64"),
        ("Darwin", "x86_64", "darwin-x64"),
    ],
)
def test_platforms(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, name: str) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert current_platform() == name


def test_a_platform_that_is_not_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(ToolchainError, match=r"^there is no pinned toolchain for linux-riscv64$") as caught:
        current_platform()
    assert caught.value.way_out == "supported: linux-x64, linux-arm64, darwin-x64, darwin-arm64"


def one(**changes: Any) -> dict[str, Any]:
    """A lock of one artefact, as YAML gives it."""
    artefact: dict[str, Any] = {
        "name": "tool",
        "version": "1.0",
        "platform": "any",
        "role": "a tool",
        "sources": [{"at": "https://example.org/tool.tar.gz"}],
        "file": "tool.tar.gz",
        "into": "tool",
        "sha256": "0" * 64,
        "unpack": {"kind": "tar.gz", "take": {"tool": "."}, "limit": 1000},
    }
    return {"format": "bendml-toolchain-1", "artefacts": [{**artefact, **changes}]}


def test_one_is_sound(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(yaml.safe_dump(one()))
    assert load_lock(tmp_path / "lock").names == ["tool"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"sources": [{"at": "http://example.org/a"}]}, "a source begins with https:, pip:, npm: or file:"),
        ({"sources": [{"at": "ftp://example.org/a"}]}, "a source begins with https:, pip:, npm: or file:"),
        ({"sources": [{"at": "pip:tool>=1.0"}]}, "is not pip:NAME==VERSION with an exact version"),
        ({"sources": [{"at": "pip:--index-url=x==1.0"}]}, "is not pip:NAME==VERSION"),
        ({"sources": [{"at": "npm:tool@latest", "member": "a"}]}, "is not npm:NAME@VERSION with an exact version"),
        ({"sources": [{"at": "npm:tool@1.0.0"}]}, "npm: sources, and they alone, name a member"),
        ({"sources": [{"at": "https://example.org/a", "member": "a"}]}, "npm: sources, and they alone, name a member"),
        ({"sources": [{"at": "file:here/tool"}]}, "a file: source begins with file:/"),
        ({"sources": []}, "at least 1 item"),
        ({"sha256": "0" * 63}, "should match pattern"),
        ({"platform": "windows-x64"}, "platform 'windows-x64' is none of any, linux-x64"),
        ({"into": "../tool"}, "`into` must name something inside the root"),
        ({"into": "/tool"}, "`into` must name something inside the root"),
        ({"into": "."}, "`into` must name something inside the root"),
        ({"file": "a/b"}, "`file` must be a plain file name"),
        ({"unpack": {"kind": "tar.gz", "take": {"tool": "."}}}, "a tar.gz needs `take` and `limit`"),
        ({"unpack": {"kind": "file", "limit": 1}}, "are for archives, not for kind file"),
        ({"unpack": {"kind": "tar.gz", "take": {"tool": "../up"}, "limit": 1}}, "'../up' leaves the folder"),
        ({"unpack": {"kind": "rar"}}, "unpack.kind"),
        ({"colour": "red"}, "colour"),
        ({"sha256": None}, "only a single file may come without a hash, not kind tar.gz"),
        ({"unpack": {"kind": "python-package", "record": "0" * 64}}, "its first source is pip:"),
        ({"unpack": {"kind": "python-package"}, "sources": [{"at": "pip:tool==1.0"}]}, "needs `record`"),
    ],
)
def test_what_is_refused(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    (tmp_path / "lock").write_text(yaml.safe_dump(one(**changes)))
    with pytest.raises(ToolchainError) as caught:
        load_lock(tmp_path / "lock")
    assert why in caught.value.message
    assert "\n" not in caught.value.message


def test_what_does_not_go_together(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    twice = one()
    twice["artefacts"] *= 2
    file.write_text(yaml.safe_dump(twice))
    with pytest.raises(ToolchainError, match="tool for any stands there twice"):
        load_lock(file)
    shared = one()
    shared["artefacts"] += one(name="other")["artefacts"]
    (tmp_path / "shared").write_text(yaml.safe_dump(shared))
    with pytest.raises(ToolchainError, match="tool and other share the folder tool: only wheels are merged"):
        load_lock(tmp_path / "shared")


@pytest.mark.parametrize(("text", "why"), [("a: [", "is not YAML"), ("[]", "is no lock file"), ("", "is no lock file")])
def test_what_is_no_lock_file(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "lock").write_text(text)
    with pytest.raises(ToolchainError, match=why):
        load_lock(tmp_path / "lock")
    with pytest.raises(ToolchainError, match="cannot be read: No such file"):
        load_lock(tmp_path / "none")


def test_a_lock_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"\xff\xfe\0")
    with pytest.raises(ToolchainError, match="is not YAML"):
        load_lock(tmp_path / "lock")
