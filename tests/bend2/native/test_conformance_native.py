"""The recorded cases whose main is closed data run natively, and print the value that Bend's checker printed."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from bendml_cli.bend2.native.build import build
from bendml_cli.bend2.native.options import Options
from tests.bend2.native.conformance_cases import BATCHES, batch_c, cases_of, recorded, why_left_out

DEBUG = Options(debug=True, level=1)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_closed_data_is_printed_as_recorded(batch: int, tools: Path, shared: Path, tmp_path: Path) -> None:
    binary = tmp_path / "programs"
    build(batch_c(batch, shared), binary, DEBUG, tools)
    wrong = []
    for at, case in enumerate(cases_of(batch)):
        done = subprocess.run([binary, str(at)], capture_output=True, encoding="utf-8", timeout=60, check=False)
        if (done.returncode, done.stdout, done.stderr) != (0, case.main + "\n", ""):
            wrong.append(f"{case.name}: {case.main}\nstatus {done.returncode}: {done.stdout}{done.stderr}")
    assert not wrong, "\n\n".join(wrong)


def test_no_case_is_left_out_unseen() -> None:
    cases = recorded()
    counts = Counter(why_left_out(case.main) or "run" for case in cases)
    assert counts == {"run": 237, "a function": 31, "a proof": 47, "a type": 3, "an opaque call": 9}
