"""The process in which one file is judged by the embedded engine: `python -m bendml_cli.engines.worker REQUEST`.

REQUEST is a JSON object {path, timeout, main, cache, memory_bytes}. The answer, one JSON object, is all that is
written to standard output. The process ends when its standard input is closed, so that it never outlives the run that
started it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

from bendml_cli.bend2.api import check_file
from bendml_cli.engines.resources import peak_resident_bytes


def limit_memory(limit: int) -> None:
    """Let this process hold no more data than this: a runaway file then fails alone, with a clear refusal."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most == resource.RLIM_INFINITY or limit < most:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def end_with_parent() -> None:
    """End this process when its standard input is closed."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Judge the requested file and write the answer."""
    request = json.loads(sys.argv[1])
    end_with_parent()
    limit_memory(request["memory_bytes"])
    cache = request["cache"]
    report = check_file(
        Path(request["path"]),
        timeout=request["timeout"],
        main=request["main"],
        cache=Path(cache) if cache else None,
    )
    answer = {
        "report": asdict(report),
        "cpu_seconds": time.process_time(),
        "peak_resident_bytes": peak_resident_bytes(),
    }
    sys.stdout.write(json.dumps(answer, default=str))
    sys.stdout.flush()
    # The answer is out: do not wait for what an abandoned evaluation may have left running.
    os._exit(0)


if __name__ == "__main__":
    main()
