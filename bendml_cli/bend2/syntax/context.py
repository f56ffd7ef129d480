"""What the parser asks of the one who reads: the rules that need the names declared so far.

Reading reports errors in source order, so these questions are put while parsing, where the text asks them.
"""

from __future__ import annotations

from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.patterns import Constructors, Pattern, pattern_of


class Context:
    """A context that knows no declarations and refuses nothing: enough to read one file by itself (see laws.py)."""

    constructors: Constructors | None = None

    def check_name(self, name: str, position: int) -> None:
        """Raise a name clash if the name is ambiguous (reading.md, Names)."""

    def templates_of(self, name: str) -> int:
        """How many arguments may be marked `~` at a call of this name."""
        return 1 << 30

    def open_law(self, name: str, position: int) -> int | None:
        """For `def name`: the number of `~` clauses if it fills a law, None if it declares a new name; raises a name
        clash."""
        return None

    @property
    def fills_unknown_laws(self) -> bool:
        """Whether a def without a result is taken to fill a law that is not known here."""
        return True

    def pattern(self, term: s.Surface) -> Pattern:
        """The pattern that a term stands for; raises pattern and unknown-name errors."""
        return pattern_of(term, self.constructors)

    def end_block(self, body: s.Surface) -> None:
        """A block ended: raise its scrutinee errors."""
