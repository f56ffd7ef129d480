"""`bendml bench mnist`: what is printed, sealed and answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bench.mnist import MnistBench
from bendml_cli.commands import bench_mnist as command
from bendml_cli.commands.bench_mnist import BenchMnistOptions, bench_mnist
from bendml_cli.errors import BendmlError, OutputError
from bendml_cli.evidence.verify import verify
from bendml_cli.project import Project
from tests.bench.mnist_made import bench

pytest.importorskip("matplotlib")
pytest.importorskip("pyperf")
Measured = Callable[[MnistBench], None]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Measured:
    def give(made: MnistBench) -> None:
        monkeypatch.setattr(command, "measure", lambda **_: made)

    return give


def options(output: Path | None, *, json: bool = False) -> BenchMnistOptions:
    return BenchMnistOptions(1, 5, 1, output, json)


def test_evidence_is_sealed_with_the_chart(
    tmp_path: Path, measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    measured(bench())
    output = tmp_path / "evidence"
    assert bench_mnist(options(output)) == 0
    printed = capsys.readouterr().out
    assert "reached" in printed
    assert "results agree" in printed
    assert "0.5204770" in printed
    assert "650 MB resident" in printed
    verification = verify(output)
    assert verification.intact
    assert verification.manifest is not None
    assert verification.manifest.verdict == "passed"
    assert {"chart.svg", "chart.png", "pyperf.json"} <= {path.name for path in output.iterdir()}
    names = {each["name"] for each in json.loads((output / "attestation.json").read_text())["subject"]}
    assert {"bend/mnist/arrays.bend", "bend/tensor-array/main.bend"} <= names


def test_what_is_missed_is_named_and_answered(
    tmp_path: Path, measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    measured(bench(seconds=2.0))
    assert bench_mnist(options(tmp_path / "evidence")) == 1
    assert "failed: epoch: 2.000 s an epoch" in capsys.readouterr().out
    assert verify(tmp_path / "evidence").intact


def test_numbers_that_differ_are_not_said_to_agree(
    tmp_path: Path, measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    measured(bench(arrays="epoch 1 loss 0.6 hits 9129 ms 400\n"))
    assert bench_mnist(options(tmp_path / "evidence")) == 1
    printed = capsys.readouterr().out
    assert "results do not agree" in printed
    assert "failed: agreement: epoch 1: loss 0.6" in printed


def test_json_is_pyperfs(tmp_path: Path, measured: Measured, capsys: pytest.CaptureFixture[str]) -> None:
    measured(bench(seconds=2.0))
    assert bench_mnist(options(tmp_path / "evidence", json=True)) == 1
    told = capsys.readouterr()
    assert len(json.loads(told.out)["benchmarks"]) == 3
    assert "failed: epoch: 2.000 s an epoch" in told.err


def test_by_default_the_folder_is_named_by_the_time(
    tmp_path: Path, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "find_project", lambda: Project(Path(__file__).parents[2]))
    monkeypatch.chdir(tmp_path)
    measured(bench())
    bench_mnist(options(None))
    (made,) = (tmp_path / "evidence").iterdir()
    assert made.name.startswith("mnist-2")


def test_a_failure_leaves_the_folder_partial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_: object) -> MnistBench:
        raise BendmlError("no data")

    monkeypatch.setattr(command, "measure", fails)
    with pytest.raises(BendmlError, match="no data"):
        bench_mnist(options(tmp_path / "evidence"))
    assert not (tmp_path / "evidence").exists()
    assert (tmp_path / "evidence.partial" / "manifest.json").exists()


def test_evidence_is_not_overwritten(tmp_path: Path, measured: Measured) -> None:
    measured(bench())
    with pytest.raises(OutputError, match="exists"):
        bench_mnist(options(tmp_path))
