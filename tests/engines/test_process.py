"""Processes: their cost, their limits, and their end."""

from __future__ import annotations

import sys
import threading
import time

from bendml_cli.engines.process import Finished, ProcessGroup


def python(code: str, limit: float = 30.0, group: ProcessGroup | None = None) -> Finished:
    return (group or ProcessGroup()).run([sys.executable, "-c", code], limit)


def test_output_status_and_cost() -> None:
    done = python("import sys; print('out'); print('err', file=sys.stderr); sum(range(10**6)); sys.exit(3)")
    assert (done.code, done.stdout, done.stderr) == (3, "out\n", "err\n")
    assert 0 < done.cpu_seconds <= done.seconds + 0.5
    assert not done.timed_out
    assert not done.stopped


def test_a_lot_of_output_does_not_block() -> None:
    assert len(python("print('x' * 10_000_000)").stdout) == 10_000_001


def test_the_limit_ends_a_process() -> None:
    began = time.perf_counter()
    done = python("while True: pass", limit=0.5)
    assert done.timed_out
    assert time.perf_counter() - began < 5


def test_stop_ends_all_and_refuses_more() -> None:
    group = ProcessGroup()
    done: list[Finished] = []
    threads = [
        threading.Thread(target=lambda: done.append(python("import time; time.sleep(60)", 120, group))) for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    group.stop()
    for thread in threads:
        thread.join(10)
    assert [d.stopped for d in done] == [True, True]
    assert python("print(1)", group=group).stopped
