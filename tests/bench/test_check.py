"""`bendml bench check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.bench.check import measure_packages
from bendml_cli.errors import BendmlError
from tests.fakes import make_project


def test_each_way_is_timed(tmp_path: Path) -> None:
    package = make_project(tmp_path) / "bend/demo"
    before = (package / "main.bend").read_text()
    bench = measure_packages([package], runs=2)
    (timing,) = bench.packages
    assert timing.package == "demo"
    assert timing.definitions == 2
    assert timing.base_definitions > 300
    assert len(timing.cold.seconds) == len(timing.edited.seconds) == len(timing.unchanged.seconds) == 2
    assert timing.cold.best > 0
    assert timing.cold_rate > 0
    assert (package / "main.bend").read_text() == before


def test_a_refused_package_is_not_timed(tmp_path: Path) -> None:
    package = make_project(tmp_path) / "bend/demo"
    (package / "main.bend").write_text("import Base\ndef main() -> Nat: True{}\n")
    with pytest.raises(BendmlError, match="is not accepted"):
        measure_packages([package], runs=1)
