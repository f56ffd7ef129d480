"""Stand-ins for what is timed."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Clockwork:
    """A contestant that always takes the same time for a pass, and logs each run as `name*passes`."""

    name: str
    per_pass: float
    log: list[str] = field(default_factory=list)

    def measure(self, passes: int) -> float:
        self.log.append(f"{self.name}*{passes}")
        return passes * self.per_pass
