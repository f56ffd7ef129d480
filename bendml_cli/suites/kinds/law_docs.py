"""`law-docs`: each law of a file stands in its README's table, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from bendml_cli.bend2.report import Report
from bendml_cli.laws.docs import differences, documented_laws
from bendml_cli.suites.case import Outcome, Place, Session
from bendml_cli.suites.judging import judge, refusal
from bendml_cli.suites.kinds.base import Check, Id, InnerPath


class LawDocsCheck(Check):
    """The laws are those that the engine found in the file."""

    kind: Literal["law-docs"]
    id: Id = "law-docs"
    readme: InnerPath = "README.md"

    def files(self) -> Iterator[tuple[str, str]]:
        yield from super().files()
        yield "readme", self.readme

    def run(self, place: Place, session: Session) -> Outcome:
        readme = place.path(self.readme)
        documented = documented_laws((place.root / readme).read_text(encoding="utf-8"))

        def assess(report: Report) -> list[str]:
            problems = [f"{readme}: {problem}" for problem in differences(report.laws, documented)]
            if problems and not report.accepted:
                problems.append(f"{report.file} is refused: {refusal(report)}")
            return problems

        documented_all = f"{len(documented)} law{'s' * (len(documented) != 1)} documented"
        return judge(session, place.root, place.path(self.file), assess, lambda _: documented_all)
