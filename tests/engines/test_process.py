"""Processes: their cost, their limits, and their end."""

from __future__ import annotations

import resource
import sys
import threading
import time
from pathlib import Path

import pytest

from bendml_cli.engines.process import Finished, ProcessGroup
from bendml_cli.engines.resources import with_stack
from tests.processes import all_end


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


def test_a_watched_program_reads_what_it_is_given() -> None:
    code = "import sys; print(sys.stdin.read().upper())"
    for given in ("", "öne\n"):
        done = ProcessGroup().run([sys.executable, "-c", code], 30.0, watched=True, stdin=given)
        assert (done.code, done.stdout) == (0, f"{given.upper()}\n")


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


def watched(code: str, limit: float = 30.0) -> Finished:
    return ProcessGroup().run([sys.executable, "-c", code], limit, watched=True)


def test_the_limit_ends_what_has_left_the_session_and_lost_its_parent(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    # A child in a session of its own, and a grandchild whose parent ends at once.
    between = (
        "import subprocess, sys, time\n"
        "print(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,"
        " start_new_session=True).pid)\n"
        "time.sleep(0.7)\n"
    )
    code = (
        "import subprocess, sys\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "child = subprocess.Popen(sleep, start_new_session=True)\n"
        f"between = [sys.executable, '-c', {between!r}, *sleep]\n"
        "orphan = subprocess.run(between, stdout=subprocess.PIPE, text=True).stdout\n"
        f"open({str(told)!r}, 'w').write(f'{{child.pid}} {{orphan}}')\n"
        "while True: pass\n"
    )
    done = watched(code, limit=3.0)
    assert done.timed_out
    assert done.seconds < 6
    pids = [int(word) for word in told.read_text().split()]
    assert len(pids) == 2
    assert all_end(pids)


def test_what_a_program_leaves_behind_ends_with_it() -> None:
    code = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    for done in (python(code), watched(code)):
        assert done.code == 0
        assert all_end([done.stdout])


def test_memory_is_what_the_whole_tree_holds() -> None:
    holds = "x = bytearray(60_000_000); x[::4096] = bytes(len(x[::4096])); import time; time.sleep(1.2)"
    small = watched("import time; time.sleep(0.3)").peak_resident_bytes
    one = watched(holds).peak_resident_bytes
    two = watched(
        f"import subprocess, sys; c = subprocess.Popen([sys.executable, '-c', {holds!r}]); exec({holds!r}); c.wait()"
    ).peak_resident_bytes
    assert small is not None
    assert one is not None
    assert two is not None
    assert small < 40_000_000
    assert 60_000_000 <= one < 110_000_000
    assert 120_000_000 <= two < 200_000_000
    # Address space is not memory.
    reserved = watched("import mmap, time; x = mmap.mmap(-1, 4 << 30); time.sleep(0.3)").peak_resident_bytes
    assert reserved is not None
    assert reserved < 40_000_000


def test_user_and_system_time_count_what_was_killed_too() -> None:
    burn = "while True: pass"
    done = watched(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])", limit=2.0)
    assert done.timed_out
    assert done.user_seconds is not None
    assert done.user_seconds > 0.5
    assert done.system_seconds is not None
    assert done.cpu_seconds == done.user_seconds + done.system_seconds


def test_output_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bendml_cli.engines.process.OUTPUT_BYTES", 1 << 20)
    done = watched("while True: print('x' * 100_000)")
    assert done.flooded
    assert done.failure(30.0) == "the engine wrote more than 1 MiB"
    assert len(done.stdout) == 1 << 20


def test_a_watched_program_has_no_input() -> None:
    assert watched("import sys; print(repr(sys.stdin.read()))").stdout == "''\n"


def test_a_stack_of_a_size_or_of_what_there_may_be() -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_STACK)[0])"
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    command = with_stack([sys.executable, "-c", code], 512 << 20)
    got = int(ProcessGroup().run(command, 30.0).stdout)
    assert got in (soft, hard, 512 << 20)
    assert got == -1 or got >= min(512 << 20, hard if hard > 0 else 512 << 20)
