"""Timing in turn: who runs when, how long, and what the shares are."""

from __future__ import annotations

import json

import pytest

from bendml_cli.bench.contest import Contest, Contestant, Side, alternate, passes_for
from bendml_cli.bench.pyperf_file import pyperf, pyperf_json
from bendml_cli.console import standard_output
from bendml_cli.console_bench import print_contest, show_rate, show_seconds
from bendml_cli.errors import BendmlError
from bendml_cli.evidence.facts import host_facts
from tests.bench.fakes import Clockwork


def _contest() -> Contest:
    return Contest(
        name="demo",
        title="adding up",
        bendml="1.2.3",
        host=host_facts(),
        noise=["compiler takes 80% of a core"],
        operations=1_000_000,
        unit="additions",
        peer=Side(name="C", passes=4, seconds=[1.0, 2.0, 3.0, 2.0, 2.0]),
        sides=[
            Side(name="quick", passes=8, seconds=[0.5, 1.0, 1.5, 4.0, 1.0], required=1.5),
            Side(name="slow", passes=1, seconds=[10.0, 20.0, 20.0, 20.0, 20.0], aim=90_000.0),
            Side(name="other", passes=1, seconds=[1.0, 1.0, 1.0, 1.0, 1.0]),
        ],
    )


def test_contestants_run_in_turn_and_every_second_round_goes_backwards() -> None:
    log: list[str] = []
    first, second = Clockwork("a", 0.25, log), Clockwork("b", 0.5, log)
    rounds: list[int] = []
    sides = alternate(
        [Contestant("a", first.measure, required=0.5), Contestant("b", second.measure)],
        runs=4,
        seconds=1.0,
        told=rounds.append,
    )
    assert [side.passes for side in sides] == [4, 2]
    assert [side.seconds for side in sides] == [[0.25] * 4, [0.5] * 4]
    assert log[-8:] == ["a*4", "b*2", "b*2", "a*4", "a*4", "b*2", "b*2", "a*4"]
    assert rounds == [1, 2, 3, 4]
    assert sides[0].required == 0.5


@pytest.mark.parametrize(("per_pass", "passes"), [(3.0, 1), (0.1, 10), (1e-5, 100_000)])
def test_so_many_passes_fill_the_time(per_pass: float, passes: int) -> None:
    assert passes_for(Clockwork("a", per_pass).measure, 1.0) == pytest.approx(passes, abs=1)


def test_a_clock_that_stands_still_is_no_clock() -> None:
    with pytest.raises(BendmlError, match="take no time"):
        passes_for(lambda passes: 0.0, 1.0)


def test_shares_compare_runs_of_one_round() -> None:
    contest = _contest()
    quick, slow, other = contest.sides
    assert contest.ratios(quick) == [2.0, 2.0, 2.0, 0.5, 2.0]
    assert contest.ratio(quick) == 2.0
    assert contest.rate(slow) == 50_000.0
    assert [contest.reached(side) for side in (quick, slow, other)] == [True, False, None]


def test_the_file_is_one_of_pyperf() -> None:
    contest = _contest()
    suite = pyperf().BenchmarkSuite.loads(pyperf_json(contest))
    assert suite.get_benchmark_names() == ["demo (C)", "demo (quick)", "demo (slow)", "demo (other)"]
    quick = suite.get_benchmark("demo (quick)")
    assert list(quick.get_values()) == [0.5, 1.0, 1.5, 4.0, 1.0]
    assert quick.median() == 1.0
    metadata = quick.get_metadata()
    assert metadata["loops"] == 8
    assert (metadata["speed_share"], metadata["speed_share_of"], metadata["speed_share_required"]) == (2.0, "C", 1.5)
    assert metadata["noise"] == "compiler takes 80% of a core"
    assert json.loads(pyperf_json(contest))["version"] == "1.0"


def test_the_table_says_shares_first_and_what_disturbed(capsys: pytest.CaptureFixture[str]) -> None:
    print_contest(standard_output(), _contest())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "demo  adding up"
    assert lines[2].split() == ["quick", "2.00", "0.50-2.00", "1.50", "reached", "1", "s", "1", "M"]
    assert lines[3].split()[1:5] == ["0.10", "0.10-0.15", "90", "k/s"]
    assert lines[3].split()[5] == "missed"
    assert lines[5].split() == ["C", "1.00", "2", "s", "500", "k"]
    assert lines[-1] == "the machine is not idle: compiler takes 80% of a core"


def test_numbers_get_units() -> None:
    assert [show_seconds(each) for each in (2.5, 0.0025, 2.5e-6)] == ["2.5 s", "2.5 ms", "2.5 us"]
    assert [show_rate(each) for each in (2.34e9, 150e6, 1500.0, 12.0)] == ["2.34 G", "150 M", "1.5 k", "12"]
