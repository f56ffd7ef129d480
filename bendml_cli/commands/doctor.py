"""`bendml doctor`: what is there, what is wrong with it, and what helps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bendml_cli import __version__
from bendml_cli.console_doctor import print_diagnosis, working
from bendml_cli.engines.bend_program import (
    BEND_VERSION,
    LEAN_VERSION,
    find_bend,
    is_as_released,
    locate_bend,
    why_no_kernel,
)
from bendml_cli.errors import BendmlError, EngineUnavailable, ToolchainError
from bendml_cli.machine import Gpus, Idleness, Machine, gpus, idleness, machine
from bendml_cli.toolchain.doctor import (
    Finding,
    Health,
    examine_compilers,
    examine_cuda,
    examine_packages,
    examine_tools,
)
from bendml_cli.toolchain.lock import FILE_NAME, load_lock
from bendml_cli.toolchain.store import root as toolchain_root


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """The arguments of `bendml doctor`."""

    json: bool


class Diagnosis(BaseModel):
    """All that was looked at. `root` is where `bendml setup` installs. `verdict` is `broken` when something that is
    needed, or was installed, is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bendml: str
    root: str
    engines: list[Finding]
    tools: list[Finding]
    packages: list[Finding]
    compilers: list[Finding]
    cuda: Finding
    gpus: Gpus
    machine: Machine
    idleness: Idleness
    verdict: Literal["good", "broken"]


def doctor(options: DoctorOptions) -> int:
    """Look at everything and print it. Answers 0 when nothing needed is broken, else 1. Raises BendmlError."""
    with working(quiet=options.json):
        diagnosis = diagnose()
    if options.json:
        # Not by pydantic: a path may hold bytes that are no text, and these are escaped here.
        print(json.dumps(diagnosis.model_dump(), indent=2))
    else:
        print_diagnosis(diagnosis)
    return 0 if diagnosis.verdict == "good" else 1


def diagnose() -> Diagnosis:
    """Look at everything. Takes as long as it takes to hash what is installed. Raises BendmlError."""
    # First, before our own work is what disturbs.
    idle = idleness()
    engines, tools, packages, compilers = examine_engines(), _tools(), examine_packages(), examine_compilers()
    cuda = examine_cuda()
    findings = [*engines, *tools, *packages, *compilers, cuda]
    return Diagnosis(
        bendml=__version__,
        root=str(toolchain_root()),
        engines=engines,
        tools=tools,
        packages=packages,
        compilers=compilers,
        cuda=cuda,
        gpus=gpus(),
        machine=machine(toolchain_root()),
        idleness=idle,
        verdict="broken" if any(finding.health is Health.BROKEN for finding in findings) else "good",
    )


def examine_engines() -> list[Finding]:
    """Which Bend the `bend` engine drives, or why none, and whether its second kernel can work."""
    try:
        program = find_bend()
    except EngineUnavailable as error:
        note = Finding(
            name="bend engine",
            health=Health.NOTE,
            wanted=BEND_VERSION,
            problem=error.message,
            way_out=error.way_out,
        )
        try:
            path, origin = locate_bend()
        except EngineUnavailable:
            return [note]
        return [note.model_copy(update={"path": str(path), "origin": origin})]
    engine = Finding(
        name="bend engine",
        health=Health.GOOD,
        wanted=BEND_VERSION,
        version=program.version,
        path=str(program.path),
        origin=program.origin,
    )
    same = is_as_released(program)
    if same is not None:
        engine = engine.model_copy(update={"digest": "holds" if same else "broken"})
        if not same:
            # Not broken: whoever builds Bend from its source has another file of the same version.
            problem = f"it calls itself {program.version}, and is not the file that was released"
            engine = engine.model_copy(update={"health": Health.NOTE, "problem": problem})
    lack = why_no_kernel()
    kernel = Finding(name="second kernel", health=Health.NOTE if lack else Health.GOOD, wanted=f"Lean {LEAN_VERSION}")
    return [engine, kernel if lack is None else kernel.model_copy(update={"problem": lack})]


def _tools() -> list[Finding]:
    """The pinned tools; where this platform has none, or toolchain.lock cannot be used, that."""
    try:
        load_lock()
    except ToolchainError as error:
        return [Finding(name=FILE_NAME, health=Health.BROKEN, wanted="", problem=error.message, way_out=error.way_out)]
    try:
        return examine_tools()
    except BendmlError as error:
        return [Finding(name="toolchain", health=Health.NOTE, wanted="", problem=error.message, way_out=error.way_out)]
