"""Folders in the arguments of programs, and checks that are skipped when these cannot be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bendml_cli.engines.engine import Ran, Usage
from bendml_cli.errors import ReferenceUnavailable
from bendml_cli.project import Project
from bendml_cli.reference.gpt2_files import BYTES_FILE, MERGES_FILE, SPECIAL
from bendml_cli.suites import arguments
from bendml_cli.suites.arguments import filled
from bendml_cli.suites.case import Outcome, Place, Session, Status
from bendml_cli.suites.schema import select_suites
from bendml_cli.tokenizer.files import save
from bendml_cli.tokenizer.vocabulary import Vocabulary
from tests.fakes import FakeEngine, make_project

HEAD = "title: t\npackage: bend/demo\nchecks:\n"
RUNS = '  - {kind: runs, id: r, file: main.bend, arguments: ["{gpt2}"]}\n'
FUZZ = (
    "  - {kind: fuzz, id: f, file: main.bend, cases: 1, largest: 2, references: [bpe-tokenizer.ids_ok], "
    'arguments: ["{gpt2}", "{package}"]}\n'
)


@dataclass
class Answering(FakeEngine):
    """Builds anything; a program says that whatever it is asked holds, and its arguments are kept."""

    arguments: list[Sequence[str]] = field(default_factory=list)

    def build(self, path: Path, output: Path) -> Ran:
        return Ran(self.name, 0, "", "", None, Usage(0.5))

    def run_binary(self, binary: Path, *arguments: str, threads: int | None = None, stdin: str = "") -> Ran:
        self.arguments.append(arguments)
        return Ran(self.name, 0, "1065353216\n", "", None, Usage(0.5))


def run(root: Path, check: str, engine: FakeEngine) -> Outcome:
    (suite,) = select_suites(Project(make_project(root, HEAD + check)), [])
    (case,) = suite.cases()
    return case.run(Session((engine,)))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "installed"
    save(Vocabulary.numbered([(97, 98)], [SPECIAL]), folder)
    monkeypatch.setattr(arguments, "gpt2_source", lambda: folder)


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> Path:
        raise ReferenceUnavailable("gpt2-vocab cannot be had: no source has it", "help")

    monkeypatch.setattr(arguments, "gpt2_source", fails)


@pytest.mark.usefixtures("installed")
def test_the_tokenizer_is_there_as_long_as_it_is_needed(tmp_path: Path) -> None:
    with filled(["a", "{gpt2}", "{gpt2}/b", "{package}/c"], Place(tmp_path, Path("bend/demo"))) as found:
        first, folder, inner, package = found
        assert (first, inner, package) == ("a", f"{folder}/b", f"{tmp_path}/bend/demo/c")
        assert (Path(folder) / MERGES_FILE).read_text() == "97 98\n"
        assert len((Path(folder) / BYTES_FILE).read_text().split()) == 256
    assert not Path(folder).exists()


@pytest.mark.usefixtures("missing")
def test_it_is_only_made_where_it_is_named(tmp_path: Path) -> None:
    place = Place(tmp_path, Path("bend/demo"))
    with filled(["{package}", "gpt2"], place) as found:
        assert found == [f"{tmp_path}/bend/demo", "gpt2"]
    with pytest.raises(ReferenceUnavailable, match="gpt2-vocab cannot be had"), filled(["{gpt2}"], place):
        pass


@pytest.mark.usefixtures("missing")
@pytest.mark.parametrize("check", [RUNS, FUZZ], ids=["runs", "fuzz"])
def test_a_check_is_skipped_with_the_reason(tmp_path: Path, check: str) -> None:
    engine = Answering()
    outcome = run(tmp_path, check, engine)
    assert (outcome.status, outcome.detail) == (
        Status.SKIPPED,
        "gpt2-vocab cannot be had: no source has it: help",
    )
    assert engine.arguments == []


@pytest.mark.usefixtures("installed")
def test_a_fuzzed_program_gets_its_arguments_and_the_cases(tmp_path: Path) -> None:
    engine = Answering()
    run(tmp_path, FUZZ, engine)
    folder, package, cases = engine.arguments[0]
    assert package == str(tmp_path / "bend/demo")
    assert Path(folder).name.startswith("bendml-gpt2-")
    assert Path(cases).name == "cases"
