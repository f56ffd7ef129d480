"""Fetching by name with the clients pip and npm, as they are set up on this machine."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bendml_cli.errors import DownloadError
from bendml_cli.toolchain.download import Patience
from bendml_cli.toolchain.progress import Watcher

#: A client finds out about a source, and unpacks, without a byte arriving: it is given longer than a connection.
_LONGER = 4


def pip_download(
    name: str, version: str, sha256: str, to: Path, work: Path, patience: Patience, watch: Watcher
) -> None:
    """Fetch one wheel of an exact version, without what it depends on, and only with this hash.

    Raises DownloadError, or OSError when the disk cannot take it.
    """
    with tempfile.TemporaryDirectory(prefix="pip-", dir=work) as folder:
        wanted, dest = Path(folder) / "wanted.txt", Path(folder) / "dest"
        wanted.write_text(f"{name}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
        command = [*_pip(), "download", "--quiet", "--disable-pip-version-check", "--no-input"]
        # Without its cache: nothing outside the root is touched.
        command += ["--no-cache-dir", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        command += ["--timeout", str(int(patience.connect)), "--dest", str(dest), "--requirement", str(wanted)]
        _run("pip", command, Path(folder), patience, watch)
        _only_file("pip", dest, "*.whl").replace(to)


def npm_pack(name: str, version: str, to: Path, work: Path, patience: Patience, watch: Watcher) -> None:
    """Fetch the archive of one npm package of an exact version; nothing of it is run.

    Raises DownloadError, or OSError when the disk cannot take it.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise DownloadError("npm is not installed")
    with tempfile.TemporaryDirectory(prefix="npm-", dir=work) as folder:
        dest = Path(folder) / "dest"
        dest.mkdir()
        command = [npm, "pack", f"{name}@{version}", "--pack-destination", str(dest), "--ignore-scripts"]
        command += ["--loglevel", "error", "--no-update-notifier", "--cache", str(Path(folder) / "cache")]
        _run("npm", command, Path(folder), patience, watch)
        _only_file("npm", dest, "*.tgz").replace(to)


def _pip() -> list[str]:
    """How to run pip: this Python's own, else, as some environments are made without it, the one on PATH."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip3") or shutil.which("pip")
    if found is None:
        raise DownloadError("pip is not installed")
    return [found]


def _run(client: str, command: list[str], folder: Path, patience: Patience, watch: Watcher) -> None:
    """Run a client in a folder that it writes everything into, and end it when nothing has grown there for too long."""
    env = {**os.environ, "TMPDIR": str(folder), "PIP_NO_CACHE_DIR": "1"}
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
        try:
            largest, since = 0, time.monotonic()
            while process.poll() is None:
                time.sleep(0.1)
                size = _largest(folder)
                if size > largest:
                    largest, since = size, time.monotonic()
                    watch.at(largest)
                elif time.monotonic() - since > patience.stall * _LONGER:
                    raise DownloadError(f"{client} has brought nothing for {patience.stall * _LONGER:.0f} s")
        finally:
            # All that it started: npm is a shell script on some machines.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode:
        raise DownloadError(f"{client} says: {_last_word(log)}")


def _largest(folder: Path) -> int:
    """The size of the largest file: a download, of which a client may make a copy."""
    largest = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                largest = max(largest, (Path(path) / name).stat().st_size)
    return largest


def _only_file(client: str, folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise DownloadError(f"{client} has brought {len(found)} files, and not one")
    return found[0]


def _last_word(log: Path) -> str:
    """The line of a client's output that says most."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() and not line.startswith("WARNING")]
    return (errors or lines or ["nothing"])[0][:300]
