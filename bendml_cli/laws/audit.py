"""The audit of a package: what is proved, what is tested, what is trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from bendml_cli.bend2.api import check_file, with_deep_stack
from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.core.book import Book
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax.laws import ClauseText, LawText, laws_of
from bendml_cli.bend2.syntax.modules import read_book
from bendml_cli.engines.embedded import NAME
from bendml_cli.errors import BendmlError
from bendml_cli.laws.docs import differences, documented_laws
from bendml_cli.laws.reach import trusted_by
from bendml_cli.laws.vacuity import Outcome, try_law, untried
from bendml_cli.suites.judging import refusal
from bendml_cli.suites.kinds.mutants import MutantsCheck
from bendml_cli.suites.schema import Suite

# Bend's rules take a ~ argument as dead, so a template's proof may hand the law itself on there: only a live use, whose
# instance is checked as a definition of its own, is evidence.
TEMPLATE_CAUTION = (
    "a law with ~ clauses is checked in general only: believe it where a live use makes an instance of it"
)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LawAudit(_Model):
    """One law without its proof, and what it rests on.

    `quantifiers` and `hypotheses` are its clauses, `claim` what it says of them. `opaque` are Base's laws without a
    proof that it or its proof names, `unsafe` and `foreign` such code. `vacuity` is what trying its hypotheses on
    small instances gave, and `instance` one that satisfies them, or why none is known. `mutants` counts the suites'
    edits that must break it. `caution` says what a reader should know before believing the claim, or is empty.
    """

    name: str
    quantifiers: list[str]
    hypotheses: list[str]
    claim: str
    proved: bool
    opaque: list[str]
    unsafe: list[str]
    foreign: list[str]
    vacuity: Outcome
    instance: str
    mutants: int
    caution: str


class PackageAudit(_Model):
    """One package. `refusal` says why it is refused, or is empty; `tested` counts the cases of its suites by kind;
    `problems` are what fails the audit."""

    package: str
    engine: str
    verdict: str
    refusal: str
    laws: list[LawAudit]
    definitions: int
    with_hypotheses: int
    tested: dict[str, int]
    opaque: list[str]
    unsafe: list[str]
    foreign: list[str]
    problems: list[str]


def audit_package(package: Path, suites: Sequence[Suite], *, check_docs: bool) -> PackageAudit:
    """Read and check a package's main.bend, and say what its laws are worth.

    `suites` are those about the package. With `check_docs`, its README's table of laws is compared with its laws.
    Raises BendmlError when the file cannot be read as Bend.
    """
    main = package / "main.bend"
    report = check_file(main)
    try:
        laws, book = with_deep_stack(lambda: (laws_of(main), read_book(main)))
    except BendError as error:
        raise BendmlError(f"{main} cannot be read: {error.message}", f"see: bendml check-file {main}") from error
    problems = [] if report.accepted else [refusal(report)]
    audits = with_deep_stack(lambda: _audit_laws(book, laws, suites, accepted=report.accepted))
    problems += [f"{law.name} is not proved" for law in audits if not law.proved]
    problems += [f"{law.name} may be vacuous: {law.instance}" for law in audits if law.vacuity == "never satisfied"]
    if check_docs:
        problems += _check_docs(package, [law.name for law in audits])
    own = [key for table in (book.definitions, book.datatypes) for key, d in table.items() if d.module is book.entry]
    trusted = trusted_by(book, own)
    return PackageAudit(
        package=package.name,
        engine=NAME,
        verdict=report.verdict,
        refusal="" if report.accepted else refusal(report),
        laws=audits,
        definitions=len(report.definitions),
        with_hypotheses=sum(bool(law.hypotheses) for law in audits),
        tested=dict(Counter(case.kind for suite in suites for case in suite.cases())),
        opaque=list(trusted.opaque),
        unsafe=list(trusted.unsafe),
        foreign=list(trusted.foreign),
        problems=problems,
    )


def _audit_laws(book: Book, laws: list[LawText], suites: Sequence[Suite], *, accepted: bool) -> list[LawAudit]:
    checker = Checker(book, timeout=60.0)
    if accepted:
        # All of it has just been accepted: only the bodies are wanted, to evaluate by.
        checker.check(frozenset(book.modules))
    broken = Counter(
        mutant.breaks
        for suite in suites
        for check in suite.checks
        if isinstance(check, MutantsCheck)
        for mutant in check.mutants
    )
    audits = []
    for law in laws:
        definition = book.definitions[law.name]
        vacuity = try_law(book, checker.machine, definition) if accepted else untried(book, checker.machine, definition)
        trusted = trusted_by(book, [law.name])
        audits.append(
            LawAudit(
                name=law.name,
                quantifiers=[_shown(c) for place, c in enumerate(law.clauses) if place not in vacuity.hypotheses],
                hypotheses=[_shown(c) for place, c in enumerate(law.clauses) if place in vacuity.hypotheses],
                claim=law.claim,
                proved=accepted and (definition.body is not None or bool(definition.foreign)),
                opaque=list(trusted.opaque),
                unsafe=list(trusted.unsafe),
                foreign=list(trusted.foreign),
                vacuity=vacuity.outcome,
                instance=vacuity.detail,
                mutants=broken[law.name],
                caution=TEMPLATE_CAUTION if definition.templates else "",
            )
        )
    return audits


def _shown(clause: ClauseText) -> str:
    where = "" if clause.where is None else f" where {clause.where}"
    return f"{'exs' if clause.exists else 'for'} {clause.quantity}{clause.name}: {clause.type}{where}"


def _check_docs(package: Path, laws: list[str]) -> list[str]:
    readme = package / "README.md"
    if not readme.is_file():
        return [f"{package.name} has no README.md"]
    return [f"README.md: {each}" for each in differences(laws, documented_laws(readme.read_text(encoding="utf-8")))]
