"""Stand-ins for what is timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Clockwork:
    """A contestant that always takes the same time for a pass, and logs each run as `name*passes`."""

    name: str
    per_pass: float
    log: list[str] = field(default_factory=list)

    def measure(self, passes: int) -> float:
        self.log.append(f"{self.name}*{passes}")
        return passes * self.per_pass


def encoder_saying(tokens: Sequence[int], folder: Path, *, sleep: float = 0) -> Path:
    """A script that is called as `--threads 1 -- encode FOLDER FILE..`. It prints these tokens for each file that is
    not empty, each time after so many seconds."""
    path = folder / "encoder"
    printed = " ".join(map(str, tokens))
    path.write_text(
        f"""#!/bin/sh
[ "$1 $2 $3 $4" = "--threads 1 -- encode" ] || exit 2
shift 5
for file; do
  if [ -s "$file" ]; then sleep {sleep}; echo "{printed}"; else echo; fi
done
"""
    )
    path.chmod(0o755)
    return path
