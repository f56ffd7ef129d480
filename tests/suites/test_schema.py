"""Suite files: what is read, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.errors import SuiteError, UnknownName
from bendml_cli.project import Project
from bendml_cli.suites.schema import Suite, select_suites
from tests.fakes import SUITE, make_project


def read(root: Path, suite: str) -> Suite:
    return select_suites(Project(make_project(root, suite)), ["demo"])[0]


def problem_of(root: Path, suite: str) -> str:
    with pytest.raises(SuiteError) as caught:
        read(root, suite)
    return caught.value.message


def test_cases_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    suite = read(tmp_path, SUITE)
    assert [case.id for case in suite.cases()] == ["proofs", "bad", "kernel"]
    assert suite.title == "A demonstration"
    assert suite.name == "demo"


def test_all_and_no_name_select_every_suite(tmp_path: Path) -> None:
    make_project(tmp_path)
    project = Project(make_project(tmp_path, name="second"))
    for names in ([], ["all"], ["second", "demo", "second"]):
        assert {suite.name for suite in select_suites(project, names)} == {"demo", "second"}


def test_an_unknown_suite_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="there is no suite 'nope'") as caught:
        select_suites(Project(make_project(tmp_path)), ["nope"])
    assert "demo" in caught.value.way_out
    with pytest.raises(UnknownName, match="there is no suite 'nope'"):
        select_suites(Project(make_project(tmp_path)), ["all", "nope"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: A demonstration\n", "", "suites/demo.yaml:1: title: is missing"),
        (
            "kind: kernel",
            "kind: kernal",
            "suites/demo.yaml:12: checks[2]: there is no kind 'kernal'; there are: 'pr",
        ),
        ("category: mismatch", "catgory: mismatch", "suites/demo.yaml:9: checks[1].catgory: there is no such field"),
        ("category: mismatch", "catgory: mismatch", "suites/demo.yaml:6: checks[1].category: is missing"),
        ("[id_law]", "id_law", "suites/demo.yaml:5: checks[0].laws: must be a list"),
        ("[id_law]", "[1]", "suites/demo.yaml:5: checks[0].laws[0]: must be text (put a number in quotes)"),
        (
            "tests/bad.bend",
            "tests/gone.bend",
            "suites/demo.yaml:8: checks[1].file: there is no file bend/demo/tests/gone",
        ),
        ("tests/bad.bend", "../bad.bend", "suites/demo.yaml:8: checks[1].file: must stay inside"),
        ("id: bad", "id: proofs", "suites/demo.yaml:7: checks[1].id: 'proofs' is taken"),
        ("id: bad", "id: a/b", "suites/demo.yaml:7: checks[1].id: string should match pattern"),
        ("bend/demo", "bend/gone", "suites/demo.yaml:2: package: there is no folder bend/gone"),
        ("    id: bad", "    id: bad\n    id: worse", "demo.yaml:8: id: is written twice"),
        ("checks:", "checks: }", "demo.yaml:3: is not valid YAML"),
        ("  - kind: kernel", "  - id: kernel", "suites/demo.yaml:12: checks[2]: its kind is missing"),
        ("  - kind: kernel", "  - kernel", "suites/demo.yaml:12: checks[2]: must be fields and their values"),
        ("  - kind: kernel", "\t- kind: kernel", "suites/demo.yaml:12: is not valid YAML: found character '\\t'"),
        ("package: bend/demo", "package: /etc", "suites/demo.yaml:2: package: must stay inside"),
        ("package: bend/demo", "package: ../x", "suites/demo.yaml:2: package: must stay inside"),
        ("title: A", "title: &t [*t]  #", "suites/demo.yaml: is nested too deep, or in itself"),
    ],
)
def test_a_problem_is_named_by_file_line_and_field(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SUITE
    assert message in problem_of(tmp_path, SUITE.replace(old, new))


def test_an_empty_file_and_a_list_are_refused(tmp_path: Path) -> None:
    assert problem_of(tmp_path, "") == "suites/demo.yaml: is empty"
    assert "nested too deep" in problem_of(tmp_path, "[" * 10_000)
    assert "demo.yaml:1:" in problem_of(tmp_path, "- a\n- b\n")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    (root / "suites/demo.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SuiteError, match=r"^suites/demo\.yaml: cannot be read: it is not UTF-8 text"):
        select_suites(Project(root), [])


def test_a_suite_whose_name_is_no_folder_name_of_evidence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="a suite's name has only letters"):
        select_suites(Project(make_project(tmp_path, name="two\nlines")), [])
