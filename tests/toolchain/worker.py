"""A setup in a process of its own, from a lock in a JSON file, that may kill itself at a given moment.

python -m tests.toolchain.worker LOCK.json ROOT [MOMENT]

MOMENT is NAME:STAGE (as that stage begins), NAME:STAGE:bytes (when some of it is done), or NAME:rename:N (before the
Nth rename of placing it: between two of them nothing is in its place).
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from bendml_cli.toolchain.download import Patience
from bendml_cli.toolchain.lock import Lock, current_platform
from bendml_cli.toolchain.progress import Silent, Stage
from bendml_cli.toolchain.setup import Status, select, set_up


class Killer(Silent):
    """Ends the process, with no chance to tidy up, at a moment."""

    def __init__(self, moment: str) -> None:
        self.moment = moment
        self.now = ""
        self.renames = 0
        rename = Path.rename

        def counted(path: Path, target: Path) -> Path:
            if self.now.endswith(f":{Stage.PLACING}"):
                self.renames += 1
                self._kill_if(self.now.replace(Stage.PLACING, f"rename:{self.renames}"))
            return rename(path, target)

        Path.rename = counted  # type: ignore[assignment, method-assign]

    def stage(self, name: str, stage: Stage, detail: str = "") -> None:
        self.now, self.renames = f"{name}:{stage}", 0
        self._kill_if(self.now)

    def at(self, done: int) -> None:
        if done:
            self._kill_if(f"{self.now}:bytes")

    def note(self, text: str) -> None:
        print(f"note: {text}", flush=True)

    def _kill_if(self, moment: str) -> None:
        if moment == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    lock = Lock.model_validate_json(Path(sys.argv[1]).read_text(encoding="utf-8"))
    watch = Killer(sys.argv[3] if len(sys.argv) > 3 else "")
    wanted = select(lock, current_platform(), only=[], skip=[])
    failed = False
    for outcome in set_up(wanted, Path(sys.argv[2]), offline=None, patience=Patience(backoff=0.01), watch=watch):
        print(outcome.name, outcome.status.value, outcome.problem, flush=True)
        failed = failed or outcome.status is Status.FAILED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
