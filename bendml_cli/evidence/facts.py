"""The facts that a manifest records: the machine, the checkout, the engines' code, digests of files."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from pathlib import Path

import psutil

import bendml_cli.bend2
from bendml_cli.digests import sha256_of
from bendml_cli.engines.bend import BendEngine
from bendml_cli.engines.embedded import NAME as EMBEDDED
from bendml_cli.engines.engine import Engine
from bendml_cli.evidence.models import EngineFacts, GitFacts, HostFacts


def host_facts() -> HostFacts:
    """The machine that this process runs on."""
    return HostFacts(
        system=f"{platform.system()} {platform.release()}",
        machine=platform.machine(),
        cpu=_cpu_name(),
        cores=psutil.cpu_count(logical=False),
        threads=psutil.cpu_count(),
        memory_bytes=psutil.virtual_memory().total,
        load_average=[round(value, 2) for value in os.getloadavg()],
        python=platform.python_version(),
    )


def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def git_facts(root: Path) -> GitFacts | None:
    """The commit of the checkout whose top is `root`; None where there is no git, or `root` is no checkout's top."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        # A folder inside someone else's checkout (an installed bendml, say) has no commit of its own.
        if Path(git("rev-parse", "--show-toplevel")) != root.resolve():
            return None
        return GitFacts(commit=git("rev-parse", "HEAD"), dirty=bool(git("status", "--porcelain")))
    except (OSError, subprocess.CalledProcessError):
        return None


def engine_facts(engine: Engine) -> EngineFacts:
    """An engine's name, version and the digest of its code: of the checker and its Base for the embedded one, of the
    program for Bend."""
    digest = _embedded_digest() if engine.name == EMBEDDED else None
    if isinstance(engine, BendEngine):
        digest = sha256_of(engine.program.path)
    return EngineFacts(name=engine.name, version=engine.version, digest=digest)


def _embedded_digest() -> str:
    folder = Path(bendml_cli.bend2.__file__).parent
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".py", ".bend"}):
        total.update(f"{sha256_of(path)}  {path.relative_to(folder).as_posix()}\n".encode())
    return total.hexdigest()
