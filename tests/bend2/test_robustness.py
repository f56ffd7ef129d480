"""Broken programs never make the engine fail: a refusal has a category, a message and a place."""

from __future__ import annotations

import random
import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bendml_cli.bend2.api import check_file

CONFORMANCE = Path(__file__).parent.parent / "conformance"
PROGRAMS = [file.read_text(encoding="utf-8") for file in sorted(CONFORMANCE.glob("*/*.bend"))]
TOKEN = re.compile(r"\s+|[A-Za-z_][\w.]*|\d+n?|[^\w\s]")
POOL = sorted({token for program in PROGRAMS for token in TOKEN.findall(program)})
PLACELESS = ("todo", "import", "too-deep")


def spoil(text: str, source: random.Random) -> str:
    """The program with a few tokens changed, dropped, added or exchanged."""
    tokens = TOKEN.findall(text)
    for _ in range(source.choice([1, 1, 2, 3, 5])):
        at, other = source.randrange(len(tokens)), source.randrange(len(tokens))
        match source.randrange(4):
            case 0:
                tokens[at] = source.choice(POOL)
            case 1 if len(tokens) > 1:
                del tokens[at]
            case 2:
                tokens.insert(at, source.choice(POOL))
            case _:
                tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=st.sampled_from(PROGRAMS), seed=st.integers(0, 2**32))
def test_spoiled_programs_are_refused_in_words(tmp_path: Path, program: str, seed: int) -> None:
    file = tmp_path / "main.bend"
    file.write_text(spoil(program, random.Random(seed)), encoding="utf-8")
    report = check_file(file, main=True, timeout=5, cache=tmp_path / "cache")
    assert report.accepted == (report.error is None and not report.unsafe)
    if report.error is not None:
        assert report.error.category
        assert report.error.message
        assert report.error.line is not None or report.error.category in PLACELESS
