"""`bendml bench matmul` and its like: what is printed and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bendml_cli.bench.contest import Contest, Side
from bendml_cli.commands import bench_native as command
from bendml_cli.commands.bench_native import bench_native
from bendml_cli.commands.bench_options import BenchOptions
from bendml_cli.errors import OutputError
from bendml_cli.evidence.facts import host_facts


@pytest.fixture(autouse=True)
def _no_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    def hold(prepare: object, **_: object) -> Contest:
        return Contest(
            name="alloc",
            title="lists",
            bendml="1.2.3",
            host=host_facts(),
            noise=[],
            operations=10,
            unit="numbers",
            peer=Side(name="C", passes=1, seconds=[2.0] * 5),
            sides=[Side(name="Bend", passes=1, seconds=[1.0] * 5, required=0.67)],
        )

    monkeypatch.setattr(command, "run_contest", hold)


def test_a_table_is_printed_and_pyperfs_file_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "new" / "alloc.json"
    assert bench_native("alloc", BenchOptions(5, 0.5, output, json=False)) == 0
    assert "reached" in capsys.readouterr().out
    assert len(json.loads(output.read_text())["benchmarks"]) == 2


def test_json_is_printed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench_native("alloc", BenchOptions(5, 0.5, None, json=True)) == 0
    assert json.loads(capsys.readouterr().out)["version"] == "1.0"


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    output = tmp_path / "there.json"
    output.write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        bench_native("alloc", BenchOptions(5, 0.5, output, json=False))
    assert output.read_text() == "mine"
