"""Native programs under AddressSanitizer and UndefinedBehaviorSanitizer.

`zig cc` comes without the library of the former, so a C compiler of the system is used where there is one: emitted C
and the runtime are C11 for any compiler. Tail calls may then take stack.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bendml_cli.bend2.native.build import RUNTIME

COMPILERS = ("gcc", "clang")
_CHECKS = ("-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
_LANGUAGE = ("-std=c11", "-D_GNU_SOURCE", "-DB_DEBUG", "-ffp-contract=off", "-fno-strict-aliasing", "-g")
_SIGNS = ("Sanitizer", "runtime error: ")

_AT_EXIT = """
/* Programs end by _exit, past the check for memory that is lost. */
void __lsan_do_leak_check(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
void __wrap__exit(int status) {
  if (status == 0) __lsan_do_leak_check();
  __real__exit(status);
}
"""
_FAULTS = {
    "use after free": "#include <stdlib.h>\nint main(void) { char *p = malloc(4); free(p); return p[1]; }",
    "overflow": "#include <limits.h>\nint main(int argc, char **argv) { (void)argv; return INT_MAX - 1 + 2 * argc; }",
    "leak": "#include <stdlib.h>\nint main(void) { void *volatile p = malloc(9); p = NULL; __wrap__exit(0); }",
}
"""Programs with one fault each, and without one but for that."""


class Sanitizers:
    """A C compiler of the system with the sanitizers, and the runtime compiled by it, kept in a folder."""

    def __init__(self, compiler: str, folder: Path) -> None:
        self._compiler = compiler
        self._runtime = folder / "runtime.o"

    def build(self, c_text: str, program: Path, *, level: int = 0) -> None:
        """Compile a program's C to an executable. Fails where the compiler does."""
        if not self._runtime.exists():
            self._runtime.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=self._runtime.parent) as name:
                made = Path(name) / "runtime.o"
                self._compile(["-r", "-nostdlib", *sorted(RUNTIME.glob("*.c"))], made, 1)
                made.replace(self._runtime)
        self._link(c_text, [self._runtime], program, level)

    def why_useless(self, folder: Path) -> str | None:
        """What the compiler cannot do, if anything: to make a program, or one that tells its fault."""
        for kind, c_text in _FAULTS.items():
            program = folder / "faulty"
            try:
                self._link(c_text, [], program, 0)
            except AssertionError as error:
                return str(error)
            if not complains(run(program)):
                return f"{self._compiler} finds no {kind}"
        return None

    def _link(self, c_text: str, objects: Sequence[Path], program: Path, level: int) -> None:
        with TemporaryDirectory(dir=program.parent) as name:
            source = Path(name) / "program.c"
            source.write_text(_AT_EXIT + c_text, encoding="utf-8")
            self._compile([source, *objects, "-Wl,--wrap=_exit", "-lm", "-lpthread"], program, level)

    def _compile(self, arguments: Sequence[Path | str], output: Path, level: int) -> None:
        options = [*_LANGUAGE, *_CHECKS, f"-O{level}", "-I", str(RUNTIME), "-o", str(output)]
        command = [self._compiler, *options, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{self._compiler}: {done.stderr[:2000]}"


def find_sanitizers(folder: Path) -> Sanitizers | str:
    """The sanitizers that work here, which keep files in a folder; or why none do."""
    why = []
    for name in COMPILERS:
        compiler = shutil.which(name)
        if compiler is None:
            continue
        found = Sanitizers(compiler, folder / name)
        with TemporaryDirectory(dir=folder) as made:
            useless = found.why_useless(Path(made))
        if useless is None:
            return found
        why.append(useless)
    return "; ".join(why) or f"no {' or '.join(COMPILERS)} is installed"


def run(program: Path, args: Sequence[str] = (), *, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program made by `Sanitizers.build`."""
    settings = {
        # Faults are the sanitizer's, so that it says where; what is too large is answered as usual.
        "ASAN_OPTIONS": "handle_segv=2:handle_sigbus=2:allocator_may_return_null=1:detect_leaks=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    return subprocess.run(
        [program, *args],
        input=given,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, **settings},
        check=False,
        timeout=120,
    )


def complains(done: subprocess.CompletedProcess[str]) -> bool:
    """Did a sanitizer find a fault?"""
    return any(sign in done.stderr for sign in _SIGNS)
