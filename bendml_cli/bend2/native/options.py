"""How C is compiled. Imports little: a cached start goes through here."""

from __future__ import annotations

from typing import NamedTuple


class Options(NamedTuple):
    """How C is compiled.

    `debug`: with symbols, every object on its own and the number of live ones checked at the end. `sanitize`: undefined
    behaviour stops the program. `native`: for this very processor. `level`: of optimisation.
    """

    debug: bool = False
    sanitize: bool = False
    native: bool = True
    level: int = 3

    def flags(self) -> list[str]:
        """The compiler's flags. No option may change what a program computes: no fast-math, no fused operations."""
        flags = ["-std=c11", f"-O{self.level}", "-ffp-contract=off", "-fno-math-errno", "-fno-strict-aliasing"]
        flags += ["-D_GNU_SOURCE", "-mcpu=native" if self.native else "-mcpu=baseline"]
        flags += ["-g", "-DB_DEBUG"] if self.debug else ["-g0"]
        if self.sanitize:
            return [*flags, "-fsanitize=undefined", "-fno-sanitize-trap=undefined"]
        return [*flags, "-fno-sanitize=undefined"]
