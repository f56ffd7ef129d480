"""The process in which the embedded engine compiles a program: `python -m bendml_cli.engines.build_worker REQUEST`.

REQUEST is a JSON object {path, output, timeout, cache, memory_bytes}. The exit status is 0 with the executable at
`output`, 1 for a file that is refused, 2 where it could not be made; standard error says why. The process ends when its
standard input is closed, so that it never outlives the run that started it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bendml_cli.bend2.native.build import CompilerError
from bendml_cli.bend2.native.compile import Refused
from bendml_cli.bend2.native.make import build_to
from bendml_cli.bend2.native.options import Options
from bendml_cli.diagnostics import error_lines
from bendml_cli.engines.cache import native_tools
from bendml_cli.engines.worker import end_with_parent, limit_memory


def main() -> None:
    """Compile the requested file."""
    request = json.loads(sys.argv[1])
    end_with_parent()
    limit_memory(request["memory_bytes"])
    with TemporaryDirectory(prefix="bendml-") as name:
        try:
            results = Path(request["cache"] or name)
            tools = native_tools()
            tools.mkdir(parents=True, exist_ok=True)
            status = _build(request, results, tools)
        except OSError as error:
            status = _complain(str(error), 2)
    # At once: what an abandoned evaluation may have left running is not waited for.
    sys.stderr.flush()
    os._exit(status)


def _build(request: dict[str, Any], results: Path, tools: Path) -> int:
    try:
        build_to(Path(request["output"]), Path(request["path"]), Options(), results, tools, timeout=request["timeout"])
    except Refused as refused:
        lines = ["".join(text for _, text in line).rstrip() for line in error_lines(refused.error)]
        return _complain("\n".join(lines), 1)
    except CompilerError as error:
        return _complain(error.message, 2)
    return 0


def _complain(text: str, status: int) -> int:
    print(text, file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
