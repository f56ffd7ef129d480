"""Running cases, several at a time."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from bendml_cli.suites.case import Case, CaseResult, Outcome, Session, Status

_BAD = {Status.FAILED, Status.ERROR}


def run_cases(
    cases: list[Case],
    session: Session,
    *,
    jobs: int = 1,
    fail_fast: bool = False,
    started: Callable[[Case], None] = lambda _: None,
) -> Generator[CaseResult]:
    """Run the cases, `jobs` at a time, and yield each result as it comes.

    With `fail_fast`, what has not begun when a case fails is skipped, with that reason. When the caller stops
    iterating, by an exception or otherwise, every engine's running call is ended.
    """
    waiting = iter(cases)
    running: dict[Future[CaseResult], Case] = {}
    failed: Case | None = None
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="case")
    try:
        while True:
            while len(running) < jobs and (case := next(waiting, None)) is not None:
                if failed is not None and fail_fast:
                    yield CaseResult(case, Outcome(Status.SKIPPED, f"not run: {failed.suite}/{failed.id} failed"), 0.0)
                    continue
                started(case)
                running[pool.submit(run_case, case, session)] = case
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                case = running.pop(future)
                result = future.result()
                if result.outcome.status in _BAD and failed is None:
                    failed = case
                yield result
    finally:
        if running:
            for engine in session.engines:
                engine.stop()
        pool.shutdown(wait=False, cancel_futures=True)


def run_case(case: Case, session: Session) -> CaseResult:
    """Run one case. A fault of bendml's own is that case's error, and does not end the run."""
    began = time.perf_counter()
    try:
        outcome = case.run(session)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported, and the other cases still run
        detail = f"bendml itself failed: {type(error).__name__}: {error}"
        outcome = Outcome(Status.ERROR, detail, keep={"traceback.txt": traceback.format_exc()})
    return CaseResult(case, outcome, time.perf_counter() - began)
