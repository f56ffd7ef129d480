"""The recorded cases whose main is closed data run natively, and print the value that Bend's checker printed.

Which cases these are is computed from the recorded normal form: a case is left out when that shows a function, a type,
a proof, or a call that proofs cannot see through. Many programs are compiled as one: the C compiler's start costs more
than most of them.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.compile import compile_c
from bendml_cli.bend2.native.options import Options

CONFORMANCE = Path(__file__).parents[2] / "conformance"
AREAS = ("base", "matching", "proofs", "quantities", "syntax", "termination")
DEBUG = Options(debug=True, level=1)
BATCHES = 12

KNOWN = {
    "base/nat_literal_largest.bend": "a Nat past the largest literal is printed as it was written, 2n+4294967294n",
    "matching/erased_dead_region.bend": "what the second part of the pair is depends on the first part's value",
}
"""Cases that a running program cannot print so, and why."""

_TEXTS = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\'\\])\'')
_SHOWS = {
    "a proof": re.compile(r"\{==\}|%"),
    "a function": re.compile(r"=>|\\\{"),
    "a type": re.compile(r"->|[<>]|&\d|\b(?:Type|Data|Quant|Empty)\b|\{[^{}]* : "),
    # A name that no brace follows, with the letters of numbers aside.
    "an opaque call": re.compile(r"(?<![\w.])(?!inf\b|nan\b)[A-Za-z_][\w.]*(?![\w.{/-])"),
}
_FILE_SCOPE = re.compile(r"^(?:static\b.*?\b(\w+)(?=\(|\[| =)|struct (\w+)|int (main)\b)", re.MULTILINE)


class Case(NamedTuple):
    """A recorded case: its name, its file, and the normal form of its main."""

    name: str
    file: Path
    main: str


def why_left_out(main: str) -> str | None:
    """What a normal form shows beside closed data, if anything."""
    plain = _TEXTS.sub(" ", main)
    return next((what for what, sign in _SHOWS.items() if sign.search(plain)), None)


def _recorded() -> list[Case]:
    cases = []
    for area in AREAS:
        for line in (CONFORMANCE / area / "expected.jsonl").read_text(encoding="utf-8").splitlines():
            expected = json.loads(line)
            if "main" in expected:
                name = f"{area}/{expected['file']}"
                cases.append(Case(name, CONFORMANCE / area / expected["file"], expected["main"]))
    return cases


CASES = [case for case in _recorded() if why_left_out(case.main) is None and case.name not in KNOWN]


def _as_one(c_texts: list[str]) -> str:
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


@pytest.mark.parametrize("batch", range(BATCHES))
def test_closed_data_is_printed_as_recorded(batch: int, tools: Path, tmp_path: Path) -> None:
    cases = CASES[batch::BATCHES]
    binary = tmp_path / "programs"
    build(_as_one([compile_c(case.file).c_text for case in cases]), binary, DEBUG, tools)
    wrong = []
    for at, case in enumerate(cases):
        done = subprocess.run([binary, str(at)], capture_output=True, encoding="utf-8", timeout=60, check=False)
        if (done.returncode, done.stdout, done.stderr) != (0, case.main + "\n", ""):
            wrong.append(f"{case.name}: {case.main}\nstatus {done.returncode}: {done.stdout}{done.stderr}")
    assert not wrong, "\n\n".join(wrong)


def test_no_case_is_left_out_unseen() -> None:
    recorded = _recorded()
    counts = Counter(why_left_out(case.main) or "run" for case in recorded)
    assert counts == {"run": 237, "a function": 31, "a proof": 47, "a type": 3, "an opaque call": 9}
    assert {case.name for case in recorded} >= KNOWN.keys()
    assert all(why_left_out(case.main) is None for case in recorded if case.name in KNOWN)
