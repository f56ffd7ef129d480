"""The pipeline's front door: from a Bend file to C, or to any stage before it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from bendml_cli.bend2.api import error_report, with_deep_stack
from bendml_cli.bend2.check.checker import Checker
from bendml_cli.bend2.check.elaborate import Elaborator, show_elaborated
from bendml_cli.bend2.check.verdict import judge_by
from bendml_cli.bend2.native.closures import convert_closures
from bendml_cli.bend2.native.emit import emit_c
from bendml_cli.bend2.native.entry import lower
from bendml_cli.bend2.native.ir import Names, Program, show_program
from bendml_cli.bend2.native.ownership import own
from bendml_cli.bend2.native.simplify import simplify
from bendml_cli.bend2.report import ErrorReport
from bendml_cli.bend2.source import BendError, SourceMap
from bendml_cli.bend2.syntax.laws import read_surface
from bendml_cli.bend2.syntax.modules import read_book
from bendml_cli.bend2.syntax.printer import print_declaration, print_import

Stage = Literal["lowered", "simplified", "first-order", "owned"]
STAGES: tuple[Stage, ...] = ("lowered", "simplified", "first-order", "owned")

T = TypeVar("T")


class Refused(Exception):
    """A file that is not compiled: `error` says why."""

    def __init__(self, error: ErrorReport) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program in C, and the digests of all files that it depends on (None: of one that must stay away)."""

    c_text: str
    files: dict[Path, str | None]


def compile_c(path: Path, *, timeout: float = 60.0) -> Compiled:
    """Check a file and compile its main. Raises Refused."""

    def work(sources: SourceMap) -> Compiled:
        checker = _checked(path, sources, timeout)
        c_text = emit_c(pipeline(checker, "owned"))
        files: dict[Path, str | None] = {
            each.path: hashlib.sha256(each.text.encode()).hexdigest() for each in sources.sources
        }
        laws = path.with_name("LAWS.bend")
        if path.name == "PROOF.bend" and laws not in files and not laws.exists():
            files[laws] = None
        return Compiled(c_text, files)

    return _refusing(path, work)


def pipeline(checker: Checker, until: Stage) -> Program:
    """What main of a checked book reaches, brought to a stage. Raises BendError."""
    names = Names()
    program = lower(checker, names)
    if until == "lowered":
        return program
    program = simplify(program, names)
    if until == "simplified":
        return program
    program = convert_closures(program, names)
    return program if until == "first-order" else own(program)


def show_surface(path: Path) -> str:
    """A file as it is parsed, without comments. Raises Refused."""

    def work(sources: SourceMap) -> str:
        file = read_surface(path, sources=sources)
        imports = "".join(print_import(each) for each in file.imports)
        return "\n".join([imports, *(print_declaration(each) for each in file.declarations)])

    return _refusing(path, work)


def show_core(path: Path, *, timeout: float = 60.0) -> str:
    """The definitions of a file, of its imports but Base, and the instances of templates that they make, elaborated.

    Raises Refused.
    """

    def work(sources: SourceMap) -> str:
        checker = _checked(path, sources, timeout)
        definitions = checker.book.definitions
        elaborator = Elaborator(checker)
        shown = []
        for name in elaborator.names():
            key, _, instance = name.partition("~")
            of_base = instance.startswith("base") if instance else definitions[key].module.is_base
            definition = None if of_base else elaborator.definition(name)
            if definition is not None:
                shown.append(show_elaborated(definition))
        return "\n\n".join(shown) + "\n"

    return _refusing(path, work)


def show_ir(path: Path, stage: Stage, *, timeout: float = 60.0) -> str:
    """What main reaches, in the IR of a stage. Raises Refused."""

    def work(sources: SourceMap) -> str:
        return show_program(pipeline(_checked(path, sources, timeout), stage))

    return _refusing(path, work)


def _checked(path: Path, sources: SourceMap, timeout: float) -> Checker:
    """The checker of an accepted file, which may rely on unsafe code. Raises BendError."""
    checker = Checker(read_book(path, sources=sources), timeout=timeout)
    verdict = judge_by(checker)
    if verdict.error is not None:
        raise verdict.error
    return checker


def _refusing(path: Path, work: Callable[[SourceMap], T]) -> T:
    """Run work on a file where deep recursion is possible. Raises Refused for what is refused there."""
    sources = SourceMap()
    try:
        return with_deep_stack(lambda: work(sources))
    except BendError as error:
        raise Refused(error_report(error, path, sources)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(ErrorReport("import", f"cannot read {path}: {error}", str(path))) from None
    except RecursionError:
        raise Refused(ErrorReport("too-deep", "the program is nested too deep to be compiled", str(path))) from None
    except MemoryError:
        raise Refused(ErrorReport("too-deep", "the program needs more memory than there is", str(path))) from None
