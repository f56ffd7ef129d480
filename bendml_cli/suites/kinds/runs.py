"""`runs`: a program is built and run; how it ends and what it writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from bendml_cli.engines.engine import Ran
from bendml_cli.errors import ReferenceUnavailable
from bendml_cli.suites.arguments import filled
from bendml_cli.suites.case import Outcome, Place, Session, Status
from bendml_cli.suites.kinds.base import Check, InnerPath
from bendml_cli.suites.programs import Found, Program, skipped, with_program

_SHOWN = 200


class RunsCheck(Check):
    """In an argument, `{package}` is the package's folder, and `{gpt2}` one with GPT-2's tokenizer in numbers: the
    check is skipped when that cannot be had. `stdin` is what the program reads.

    The exit status must be `status`; standard output must be `stdout`, or match `pattern` from end to end; something on
    standard error must match `stderr`.
    """

    kind: Literal["runs"]
    file: InnerPath
    arguments: tuple[str, ...] = ()
    stdin: str = ""
    status: int = 0
    stdout: str | None = None
    pattern: str | None = None
    stderr: str | None = None

    def problems(self, place: Place) -> Iterator[tuple[tuple[str | int, ...], str]]:
        yield from super().problems(place)
        if self.stdout is not None and self.pattern is not None:
            yield ("pattern",), "is given beside stdout: one of them says what is written"
        for field in ("pattern", "stderr"):
            try:
                re.compile(getattr(self, field) or "")
            except re.error as error:
                yield (field,), f"is no regular expression: {error}"

    def run(self, place: Place, session: Session) -> Outcome:
        def look(program: Program) -> Found:
            try:
                with filled(self.arguments, place) as arguments:
                    ran = program.run(*arguments, stdin=self.stdin)
            except ReferenceUnavailable as error:
                return skipped(error)
            problems = list(self._problems(ran))
            if not problems:
                return Found(Status.PASSED, f"ended with status {ran.code}, and wrote what it should")
            return Found(Status.FAILED, "; ".join(problems), {"output": ran.stdout, "errors": ran.stderr})

        return with_program(session, place.root, place.path(self.file), look)

    def _problems(self, ran: Ran) -> Iterator[str]:
        if ran.code != self.status:
            why = f" ({ran.failure})" if ran.failure else ""
            yield f"the exit status is {ran.code}, not {self.status}{why}"
        if self.stdout is not None and ran.stdout != self.stdout:
            yield f"standard output is {_shown(ran.stdout)}, not {_shown(self.stdout)}"
        if self.pattern is not None and not re.fullmatch(self.pattern, ran.stdout, re.DOTALL):
            yield f"standard output is {_shown(ran.stdout)}, which does not match {self.pattern!r}"
        if self.stderr is not None and not re.search(self.stderr, ran.stderr):
            yield f"standard error is {_shown(ran.stderr)}, and nothing in it matches {self.stderr!r}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..")
