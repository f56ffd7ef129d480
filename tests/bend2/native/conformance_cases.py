"""The recorded cases whose main is closed data, and the C of many of them as one program.

Which cases these are is computed from the recorded normal form: a case is left out when that shows a function, a type,
a proof, or a call that proofs cannot see through. Many programs are compiled as one: the C compiler's start costs more
than most of them.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from bendml_cli.bend2.native.compile import compile_c

CONFORMANCE = Path(__file__).parents[2] / "conformance"
AREAS = ("base", "matching", "proofs", "quantities", "syntax", "termination")
BATCHES = 12

_TEXTS = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\'\\])\'')
_SHOWS = {
    "a proof": re.compile(r"\{==\}|%"),
    "a function": re.compile(r"=>|\\\{"),
    "a type": re.compile(r"->|[<>]|&\d|\b(?:Type|Data|Quant|Empty)\b|\{[^{}]* : "),
    # A name that no brace follows, with the letters of numbers aside.
    "an opaque call": re.compile(r"(?<![\w.])(?!inf\b|nan\b)[A-Za-z_][\w.]*(?![\w.{/-])"),
}
_FILE_SCOPE = re.compile(
    r"^(?:static\b(?: __attribute__\(\(\w+\)\))?.*?\b(\w+)(?=\(|\[| =)|struct (\w+)|int (main)\b)", re.MULTILINE
)


class Case(NamedTuple):
    """A recorded case: its name, its file, and the normal form of its main."""

    name: str
    file: Path
    main: str


def why_left_out(main: str) -> str | None:
    """What a normal form shows beside closed data, if anything."""
    plain = _TEXTS.sub(" ", main)
    return next((what for what, sign in _SHOWS.items() if sign.search(plain)), None)


def recorded() -> list[Case]:
    """All recorded cases with a main."""
    cases = []
    for area in AREAS:
        for line in (CONFORMANCE / area / "expected.jsonl").read_text(encoding="utf-8").splitlines():
            expected = json.loads(line)
            if "main" in expected:
                name = f"{area}/{expected['file']}"
                cases.append(Case(name, CONFORMANCE / area / expected["file"], expected["main"]))
    return cases


CASES = [case for case in recorded() if why_left_out(case.main) is None]


def cases_of(batch: int) -> list[Case]:
    """The cases of a batch."""
    return CASES[batch::BATCHES]


def batch_c(batch: int, shared: Path) -> str:
    """The C of the cases of a batch as one program (see as_one), which takes seconds: kept in a shared folder."""
    kept = shared / f"conformance-{batch}.c"
    if not kept.exists():
        made = shared / f"conformance-{batch}-{os.getpid()}.c"
        made.write_text(as_one([compile_c(case.file).c_text for case in cases_of(batch)]), encoding="utf-8")
        made.replace(kept)
    return kept.read_text(encoding="utf-8")


def as_one(c_texts: list[str]) -> str:
    """Programs as one, that runs the one whose number is its first argument."""
    parts = []
    for at, text in enumerate(c_texts):
        names = sorted({name for found in _FILE_SCOPE.findall(text) for name in found if name})
        parts += [f"#define {name} program{at}_{name}" for name in names]
        parts.append(text)
        parts += [f"#undef {name}" for name in names]
    mains = ", ".join(f"program{at}_main" for at in range(len(c_texts)))
    parts.append("#include <stdlib.h>")
    parts.append("int main(int argc, char **argv) {")
    parts.append(f"  static int (*const mains[])(int, char **) = {{{mains}}};")
    parts.append("  return mains[atoi(argv[1])](argc - 1, argv + 1);")
    parts.append("}")
    return "\n".join(parts)
