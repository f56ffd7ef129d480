"""The machine: its memory, cores, disk and GPUs, and whether it is idle enough to measure on."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import time
from pathlib import Path

import psutil
from pydantic import BaseModel, ConfigDict

BUSY_SHARE = 0.10
"""A process that takes more than this share of one core disturbs a measurement."""
BUSY_LOAD = 0.25
"""So does an average load of more than this for each thread of the machine."""
_GPU_FIELDS = ("name", "driver_version", "memory.total", "memory.used")
_GPU_SECONDS = 20.0


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Machine(_Model):
    """`disk_free_bytes` is what may still be written where the pinned tools are installed."""

    cores: int | None
    threads: int
    memory_bytes: int
    memory_available_bytes: int
    disk_free_bytes: int


class Gpu(_Model):
    """A GPU as nvidia-smi tells of it; a number that it does not tell is None."""

    name: str
    driver: str
    memory_bytes: int | None
    memory_used_bytes: int | None


class Gpus(_Model):
    """The GPUs, or why none can be told of."""

    found: list[Gpu]
    problem: str | None


class BusyProcess(_Model):
    """A process by its name, and the share of one core that it took: 1.34 is one core and a third."""

    pid: int
    name: str
    share: float


class Idleness(_Model):
    """How busy the machine is with other things. `noise` says what would disturb a measurement; empty when idle."""

    load_average: list[float]
    busy: list[BusyProcess]
    noise: list[str]


def machine(place: Path) -> Machine:
    """This machine; the disk is the one that a place is on, or would be."""
    there = next(folder for folder in (place, *place.parents) if folder.exists())
    memory = psutil.virtual_memory()
    return Machine(
        cores=psutil.cpu_count(logical=False),
        threads=psutil.cpu_count() or 1,
        memory_bytes=memory.total,
        memory_available_bytes=memory.available,
        disk_free_bytes=shutil.disk_usage(there).free,
    )


def gpus() -> Gpus:
    """The NVIDIA GPUs of this machine. Never raises: what goes wrong is the problem."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return Gpus(found=[], problem="there is no nvidia-smi on PATH, so no NVIDIA GPU is known")
    command = [program, f"--query-gpu={','.join(_GPU_FIELDS)}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=_GPU_SECONDS
        )
    except subprocess.TimeoutExpired:
        return Gpus(found=[], problem=f"nvidia-smi did not answer within {_GPU_SECONDS:g} s")
    except OSError as error:
        return Gpus(found=[], problem=f"nvidia-smi cannot be started: {error.strerror}")
    if done.returncode:
        said = (done.stdout.strip() or done.stderr.strip() or "nothing").splitlines()[0]
        return Gpus(found=[], problem=f"nvidia-smi failed with status {done.returncode}: {said}")
    rows = [[cell.strip() for cell in row] for row in csv.reader(done.stdout.splitlines()) if row]
    found = [_gpu(row) for row in rows if len(row) == len(_GPU_FIELDS)]
    if len(found) != len(rows):
        return Gpus(found=found, problem="nvidia-smi answered with what cannot be read")
    return Gpus(found=found, problem=None if found else "nvidia-smi knows of no GPU")


def idleness(seconds: float = 1.0) -> Idleness:
    """Watch the machine for so many seconds. bendml itself and what it has started do not count."""
    before = _times()
    began = time.perf_counter()
    time.sleep(seconds)
    after = _times()
    passed = time.perf_counter() - began
    own = {psutil.Process(), *psutil.Process().children(recursive=True)}
    busy = []
    for process, used in after.items():
        share = (used - before.get(process, used)) / passed
        if share > BUSY_SHARE and process not in own:
            try:
                busy.append(BusyProcess(pid=process.pid, name=process.name(), share=round(share, 2)))
            except psutil.Error:
                continue  # It has just ended.
    busy.sort(key=lambda process: -process.share)
    load = [round(value, 2) for value in os.getloadavg()]
    noise = [f"{process.name} takes {process.share:.0%} of a core" for process in busy]
    threads = psutil.cpu_count() or 1
    if load[0] > BUSY_LOAD * threads:
        noise.append(f"the load of the last minute is {load[0]:.2f} on {threads} threads")
    return Idleness(load_average=load, busy=busy, noise=noise)


def _times() -> dict[psutil.Process, float]:
    times = {}
    for process in psutil.process_iter():
        try:
            used = process.cpu_times()
        except psutil.Error:
            continue  # It has ended, or is not ours to look at.
        times[process] = used.user + used.system
    return times


def _gpu(row: list[str]) -> Gpu:
    name, driver, total, used = row
    return Gpu(name=name, driver=driver, memory_bytes=_mebibytes(total), memory_used_bytes=_mebibytes(used))


def _mebibytes(text: str) -> int | None:
    return int(text) << 20 if text.isdecimal() else None
