"""Contests as files of pyperf, which `pyperf show`, `pyperf stats` and `pyperf compare_to` read."""

from __future__ import annotations

import importlib
import io
from datetime import UTC, datetime
from typing import Any

from bendml_cli.bench.contest import Contest, Side
from bendml_cli.errors import BendmlError


def pyperf() -> Any:
    """The module pyperf. Raises BendmlError where it is not installed."""
    try:
        return importlib.import_module("pyperf")
    except ImportError as error:
        raise BendmlError(f"pyperf cannot be imported: {error}", "pip install 'bendml[bench]' installs it") from error


def pyperf_json(*contests: Contest) -> str:
    """Contests as the text of such a file: a benchmark for each side of each, a run for each of its runs.

    Raises BendmlError without pyperf.
    """
    module = pyperf()
    date = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
    benchmarks = [
        module.Benchmark(
            [
                module.Run([seconds], metadata=_metadata(contest, side, date), collect_metadata=False)
                for seconds in side.seconds
            ]
        )
        for contest in contests
        for side in (contest.peer, *contest.sides)
    ]
    text = io.StringIO()
    module.BenchmarkSuite(benchmarks).dump(text, compact=False)
    return text.getvalue()


def _metadata(contest: Contest, side: Side, date: str) -> dict[str, str | int | float]:
    host = contest.host
    told: dict[str, str | int | float | None] = {
        "name": f"{contest.name} ({side.name})",
        "unit": "second",
        "loops": side.passes,
        "date": date,
        "description": contest.title,
        "bendml_version": contest.bendml,
        "platform": f"{host.system} {host.machine}",
        "cpu_model_name": host.cpu,
        "cpu_count": host.threads,
        "python_version": host.python,
        "load_avg_1min": host.load_average[0],
        "noise": "; ".join(contest.noise) or None,
        "operations": contest.operations,
        "operations_unit": contest.unit,
    }
    if side is not contest.peer:
        told["speed_share"] = contest.ratio(side)
        told["speed_share_of"] = contest.peer.name
        told["speed_share_required"] = side.required
    return {key: value for key, value in told.items() if value is not None}
