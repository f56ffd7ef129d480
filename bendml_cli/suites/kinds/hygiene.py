"""`hygiene`: no unsafe and no foreign code, nothing marked TODO, no open claim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from bendml_cli.bend2.report import Report
from bendml_cli.suites.case import Outcome, Place, Session
from bendml_cli.suites.judging import judge, refusal
from bendml_cli.suites.kinds.base import Check, Id

# A string, a character, a comment, or something to look for. Strings come first so that nothing is found inside them;
# comments are searched for their TODOs only.
_TOKEN = re.compile(
    r"""(?P<foreign>\bimport\s*"[^"\n]*")
      | (?P<string>"(?:\\.|[^"\\])*" | '(?:\\.|[^\n])')
      | (?P<comment>\#[^\n]*)
      | (?P<unsafe>@unsafe\b | \bdef\s+[\w.]+\?)
      | (?P<todo>\?TODO\b)
      | (?P<hole>\?[A-Za-z_]\w*)""",
    re.VERBOSE,
)
_NAMES = {"foreign": "foreign code", "unsafe": "unsafe code", "todo": "a TODO", "hole": "a hole"}


class HygieneCheck(Check):
    """Looks at the file's text, and asks the engines what they had to trust."""

    kind: Literal["hygiene"]
    id: Id = "hygiene"

    def run(self, place: Place, session: Session) -> Outcome:
        path = place.path(self.file)
        found = list(blemishes((place.root / path).read_text(encoding="utf-8", errors="replace")))

        def assess(report: Report) -> list[str]:
            problems = [f"{path}:{line}: {what}" for line, what in found]
            if report.unsafe:
                problems.append(f"relies on unsafe or foreign code: {', '.join(report.unsafe)}")
            if report.open_claims:
                problems.append(f"open claims: {', '.join(report.open_claims)}")
            if report.todos:
                problems.append(f"{report.todos} TODO(s)")
            if not problems and not report.accepted:
                problems.append(f"cannot be told, the file is refused: {refusal(report)}")
            return problems

        return judge(session, place.root, path, assess, lambda _: "nothing unsafe, foreign, open or to do")


def blemishes(text: str) -> Iterator[tuple[int, str]]:
    """What a Bend text should not have, as (line, what)."""
    for match in _TOKEN.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        kind = match.lastgroup
        if kind == "comment" and re.search(r"\b(TODO|FIXME|XXX)\b", match.group()):
            yield line, "a TODO in a comment"
        elif kind in _NAMES:
            yield line, f"{_NAMES[kind]}: {match.group()}"
