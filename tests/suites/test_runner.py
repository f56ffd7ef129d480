"""The runner: order, concurrency, failing fast, faults of bendml's own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing

import pytest

from bendml_cli.suites.case import Case, Outcome, Session, Status
from bendml_cli.suites.runner import run_cases
from tests.fakes import FakeEngine

PASS = Outcome(Status.PASSED, "fine")
FAIL = Outcome(Status.FAILED, "bad")


def case(name: str, run: Callable[[Session], Outcome] = lambda _: PASS) -> Case:
    return Case("s", name, "k", run)


def test_every_case_has_a_result() -> None:
    cases = [case("a"), case("b", lambda _: FAIL), case("c")]
    results = list(run_cases(cases, Session(())))
    assert [(r.case.id, r.outcome.status) for r in results] == [
        ("a", Status.PASSED),
        ("b", Status.FAILED),
        ("c", Status.PASSED),
    ]


def test_fail_fast_skips_the_rest_with_the_reason() -> None:
    cases = [case("a", lambda _: FAIL), case("b"), case("c")]
    results = list(run_cases(cases, Session(()), fail_fast=True))
    assert [r.outcome.status for r in results] == [Status.FAILED, Status.SKIPPED, Status.SKIPPED]
    assert results[1].outcome.detail == "not run: s/a failed"


def test_a_fault_of_our_own_is_an_error_of_that_case_alone() -> None:
    def broken(_: Session) -> Outcome:
        raise ZeroDivisionError("oops")

    results = list(run_cases([case("a", broken), case("b")], Session(())))
    assert [r.outcome.status for r in results] == [Status.ERROR, Status.PASSED]
    assert "bendml itself failed: ZeroDivisionError: oops" in results[0].outcome.detail
    assert "Traceback" in results[0].outcome.keep["traceback.txt"]


def test_jobs_run_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=10)

    def meet(_: Session) -> Outcome:
        together.wait()
        return PASS

    results = list(run_cases([case("a", meet), case("b", meet)], Session(()), jobs=2))
    assert [r.outcome.status for r in results] == [Status.PASSED, Status.PASSED]


def test_stopping_ends_what_the_engines_are_doing() -> None:
    engine = FakeEngine()

    def hang(_: Session) -> Outcome:
        assert engine.stopped.wait(10)
        return FAIL

    def use() -> None:
        with closing(run_cases([case("a"), case("b", hang)], Session((engine,)), jobs=2)) as results:
            next(results)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        use()
    assert engine.stopped.is_set()
