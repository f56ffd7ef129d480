"""The real packages, by the real clients: about 110 MB from the registries that pip and npm are set up for."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bendml_cli.digests import sha256_of
from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain.integrity import damaged
from bendml_cli.toolchain.lock import current_platform, load_lock
from bendml_cli.toolchain.store import Installed, all_installed

KERNEL = b"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
DATA = "mnist,gpt2-vocab,gpt2-merges"

# One group: where tests run in several processes, these share what is fetched once.
pytestmark = [pytest.mark.network, pytest.mark.xdist_group("network")]


def setup(home: Path, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    command = [sys.executable, "-m", "bendml_cli", "setup", "--root", str(home), "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with MNIST and GPT-2's tokenizer."""
    home = tmp_path_factory.mktemp("data")
    status, lines = setup(home, "--only", DATA)
    assert status == 0, lines
    return home


@pytest.fixture(scope="module")
def cuda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A root with both halves of a CUDA_HOME."""
    try:
        if current_platform() != "linux-x64":
            pytest.skip("the CUDA wheels are pinned for linux-x64")
    except ToolchainError:
        pytest.skip("no pinned platform")
    home = tmp_path_factory.mktemp("cuda")
    status, lines = setup(home, "--only", "cuda")
    assert status == 0, lines
    yield home
    # 230 MB that pytest would keep.
    subprocess.run(["rm", "-rf", str(home)], check=True)


def test_mnist_and_the_tokenizer_are_the_pinned_files(data: Path) -> None:
    lock, entries = load_lock(), all_installed(data)
    assert len(entries) == 6
    for name, entry in entries.items():
        assert sha256_of(entry.path) == entry.sha256 == lock.artefact(name, "any").sha256
        assert entry.path.stat().st_size == lock.artefact(name, "any").size
    assert (data / "data/mnist/train-images-idx3-ubyte").read_bytes()[:4] == b"\0\0\x08\x03"
    assert len(json.loads((data / "data/gpt2/vocab.json").read_text(encoding="utf-8"))) == 50257
    assert (data / "data/gpt2/merges.txt").read_text(encoding="utf-8").splitlines()[1] == "Ġ t"


def test_again_does_nothing_and_is_quick(data: Path) -> None:
    began = time.monotonic()
    status, lines = setup(data, "--only", DATA)
    seconds = time.monotonic() - began
    assert (status, lines[-1]["kept"], lines[-1]["installed"]) == (0, 6, 0)
    assert seconds < 5


def test_cuda_home_is_complete(cuda: Path) -> None:
    home = cuda / "cuda"
    for name in ("include/nvrtc.h", "include/cuda.h", "include/cuda_runtime.h", "lib64/libnvrtc-builtins.so.12.9"):
        assert (home / name).is_file()
    assert (home / "lib64/libnvrtc.so").resolve() == (home / "lib64/libnvrtc.so.12").resolve()
    assert (home / "lib64/libcudart.so").resolve() == (home / "lib64/libcudart.so.12").resolve()
    assert sorted(path.name for path in home.iterdir()) == ["include", "lib64"]
    for entry in all_installed(cuda).values():
        assert damaged(entry, root=cuda) == []


def test_what_is_changed_in_it_is_found(cuda: Path) -> None:
    header = cuda / "cuda/include/nvrtc.h"
    before, entry = header.read_bytes(), all_installed(cuda)["cuda-nvrtc"]
    header.write_bytes(before + b"\n")
    assert damaged(entry, root=cuda) == [f"{header} has changed"]
    header.write_bytes(before)
    assert damaged(entry, root=cuda) == []


def test_the_installed_nvrtc_compiles_a_kernel(cuda: Path) -> None:
    """In a process of its own, as the library stays loaded; no GPU is needed."""
    command = [sys.executable, "-m", "tests.toolchain.test_real", str(cuda / "cuda")]
    root = Path(__file__).resolve().parents[2]
    env = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ".visible .entry saxpy(" in done.stdout
    assert re.search(r"^\.target sm_80$", done.stdout, re.MULTILINE)
    assert re.search(r"fma\.rn\.f32|mul\.f32", done.stdout)
    assert "NVRTC 12.9" in done.stdout


def test_the_c_compiler_is_verified_where_pip_has_put_it(tmp_path: Path) -> None:
    status, lines = setup(tmp_path, "--only", "c-compiler")
    assert (status, lines[0]["status"]) == (0, "installed")
    assert (Path(lines[0]["path"]) / "zig").is_file()
    assert not (tmp_path / "ziglang").exists()
    (entry,) = all_installed(tmp_path).values()
    assert isinstance(entry, Installed)
    assert damaged(entry, root=tmp_path) == []


def to_ptx(home: Path, source: bytes) -> str:
    """A kernel in PTX, by the NVRTC of a CUDA_HOME."""
    nvrtc = ctypes.CDLL(str(home / "lib64/libnvrtc.so"))
    major, minor = ctypes.c_int(), ctypes.c_int()
    assert nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"saxpy.cu", 0, None, None) == 0
    options = [b"--gpu-architecture=compute_80", b"-I" + os.fsencode(home / "include")]
    answer = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    assert answer == 0, f"nvrtc answers {answer}"
    size = ctypes.c_size_t()
    assert nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
    text = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetPTX(program, text) == 0
    return f"// NVRTC {major.value}.{minor.value}\n{text.value.decode()}"


if __name__ == "__main__":
    print(to_ptx(Path(sys.argv[1]), KERNEL))
