"""From C to an executable or a library, with the pinned `zig cc`.

The runtime is compiled once per set of flags and kept as one object file; a program's own C is compiled and linked with
it by one call of the compiler.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.zig import Zig, find_zig, processor

RUNTIME = Path(__file__).parent / "runtime"
_SHOWN_LINES = 12


class CompilerError(Exception):
    """The C compiler is not there or failed. `log` is the file with all that it said, next to the C text."""

    def __init__(self, message: str, log: Path | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.log = log


def build(c_text: str, output: Path, options: Options, tools: Path) -> None:
    """Compile a program's C to the executable `output`, which appears whole or not at all.

    `tools` is a folder for the compiled runtime and for what the compiler keeps for itself. Raises CompilerError, and
    OSError when a file cannot be written.
    """
    zig = _compiler()
    runtime = _runtime_object(zig, options, tools)
    with TemporaryDirectory(dir=output.parent, prefix=".build-") as name:
        folder = Path(name)
        source, made = folder / "program.c", folder / "program"
        source.write_text(c_text, encoding="utf-8")
        # A pattern of a large literal is a match in a match, and so on.
        arguments = ["-fbracket-depth=100000", "-I", str(RUNTIME), str(source), str(runtime)]
        arguments += ["-o", str(made), "-lm", "-lpthread"]
        _compile(zig, [*options.flags(), *arguments], folder, tools, c_text)
        made.replace(output)


def build_library(sources: list[Path], headers: Path, output: Path, options: Options, tools: Path) -> None:
    """Compile C files, which find generated headers in a folder, to the shared library `output`, which appears whole or
    not at all.

    Raises CompilerError, and OSError when a file cannot be written.
    """
    zig = _compiler()
    with TemporaryDirectory(dir=output.parent, prefix=".build-") as name:
        made = Path(name) / "library"
        arguments = ["-shared", "-fPIC", "-I", str(headers), *map(str, sources), "-o", str(made)]
        _compile(zig, [*options.flags(), *arguments], Path(name), tools, "")
        made.replace(output)


def _compiler() -> Zig:
    """The C compiler. Raises CompilerError where it is not installed."""
    zig = find_zig()
    if zig is None:
        raise CompilerError("the C compiler is not installed: the Python package ziglang, at the version bendml needs")
    return zig


def _runtime_object(zig: Zig, options: Options, tools: Path) -> Path:
    """The runtime compiled with these options, made when it is not there."""
    digest = hashlib.sha256("\0".join([zig.version, *options.flags(), processor()]).encode())
    for file in sorted(RUNTIME.glob("*.[ch]")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    kept = tools / "runtime" / f"{digest.hexdigest()[:32]}.o"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent, prefix=".build-") as name:
            made = Path(name) / "runtime.o"
            sources = [str(file) for file in sorted(RUNTIME.glob("*.c"))]
            _compile(zig, [*options.flags(), "-r", *sources, "-o", str(made)], Path(name), tools, "")
            made.replace(kept)
    return kept


def _compile(zig: Zig, arguments: list[str], folder: Path, tools: Path, c_text: str) -> None:
    """Run the compiler. Raises CompilerError with what it said first, and keeps all of it."""
    # What it keeps of this very call goes with the folder; what all calls share, such as the C library's parts, stays.
    places = {"ZIG_GLOBAL_CACHE_DIR": str(tools / "zig"), "ZIG_LOCAL_CACHE_DIR": str(folder / "zig")}
    command = [str(zig.program), "cc", *arguments]
    done = subprocess.run(
        command, env={**os.environ, **places}, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode == 0:
        return
    said = (done.stdout + done.stderr).decode(errors="replace").strip() or f"it ended with status {done.returncode}"
    failed = tools / "failed" / hashlib.sha256(f"{c_text}{said}".encode()).hexdigest()[:16]
    failed.mkdir(parents=True, exist_ok=True)
    (failed / "program.c").write_text(c_text, encoding="utf-8")
    log = failed / "log"
    log.write_text(f"{' '.join(command)}\n\n{said}\n", encoding="utf-8")
    raise CompilerError("\n".join(["the C compiler failed", *said.splitlines()[:_SHOWN_LINES]]), log)
