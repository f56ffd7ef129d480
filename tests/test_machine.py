"""The machine, by stand-ins for nvidia-smi and by processes that are busy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bendml_cli import machine as module
from bendml_cli.machine import gpus, idleness, machine


def nvidia_smi(folder: Path, text: str) -> None:
    path = folder / "nvidia-smi"
    path.write_text(f"#!{sys.executable} -IS\nimport sys, time\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_memory_cores_and_disk(tmp_path: Path) -> None:
    found = machine(tmp_path / "not" / "there" / "yet")
    assert found.threads >= 1
    assert 0 < found.memory_available_bytes <= found.memory_bytes
    assert found.disk_free_bytes > 0


def test_no_nvidia_smi(path: Path) -> None:
    assert gpus().found == []
    assert gpus().problem == "there is no nvidia-smi on PATH, so no NVIDIA GPU is known"


def test_gpus(path: Path) -> None:
    nvidia_smi(
        path,
        "assert sys.argv[1:] == ['--query-gpu=name,driver_version,memory.total,memory.used',"
        " '--format=csv,noheader,nounits']\n"
        "print('NVIDIA H200, 570.86.15, 143771, 4')\n"
        "print('NVIDIA Other, 570.86.15, [N/A], [N/A]')",
    )
    first, second = gpus().found
    assert gpus().problem is None
    assert (first.name, first.driver, first.memory_bytes, first.memory_used_bytes) == (
        "NVIDIA H200",
        "570.86.15",
        143771 << 20,
        4 << 20,
    )
    assert second.memory_bytes is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sys.exit(0)", "nvidia-smi knows of no GPU"),
        ("print('what?'); sys.exit(0)", "nvidia-smi answered with what cannot be read"),
        (
            "print('NVIDIA-SMI has failed because it could not talk to the driver.'); sys.exit(9)",
            "nvidia-smi failed with status 9: NVIDIA-SMI has failed because it could not talk to the driver.",
        ),
        ("time.sleep(60)", "nvidia-smi did not answer within 1 s"),
    ],
)
def test_a_broken_nvidia_smi(path: Path, monkeypatch: pytest.MonkeyPatch, text: str, problem: str) -> None:
    monkeypatch.setattr(module, "_GPU_SECONDS", 1.0)
    nvidia_smi(path, text)
    assert gpus().found == []
    assert gpus().problem == problem


def test_a_busy_process_is_named_and_what_we_started_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    burn = [sys.executable, "-c", "while True: pass"]
    # One whose parent has ended is not ours any more.
    between = f"import subprocess; print(subprocess.Popen({burn!r}, stdout=subprocess.DEVNULL).pid)"
    done = subprocess.run([sys.executable, "-c", between], stdout=subprocess.PIPE, text=True, check=True)
    other = psutil.Process(int(done.stdout))
    ours = subprocess.Popen(burn)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    # Beside other tests it may get little of the processor.
    monkeypatch.setattr(module, "BUSY_SHARE", 0.01)
    try:
        found = idleness(0.5)
    finally:
        other.kill()
        ours.kill()
        ours.wait()
    (busy,) = [process for process in found.busy if process.pid in (other.pid, ours.pid)]
    assert busy.pid == other.pid
    assert 0.01 < busy.share < 1.3
    assert any(noise.endswith("% of a core") for noise in found.noise)


def test_the_load_is_noise_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_SHARE", 1000.0)
    monkeypatch.setattr(psutil, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.9, 3.0, 3.0))
    assert idleness(0.01).noise == []
    monkeypatch.setattr(os, "getloadavg", lambda: (1.1, 0.0, 0.0))
    assert idleness(0.01).noise == ["the load of the last minute is 1.10 on 4 threads"]
