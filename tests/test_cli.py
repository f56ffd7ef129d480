"""The command line from outside: help, exit status, one-line errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bendml_cli.engines.process import ProcessGroup
from tests.fakes import SUITE, make_project

ACCEPTED_PROGRAM = "import Base\ndef main() -> Nat: Nat.add(1n, 2n)\n"
NO_BEND = {"BENDML_BEND": "", "BENDML_HOME": "/nowhere"}
REFUSED_PROGRAM = "import Base\ndef main() -> Nat: True{}\n"


def bendml(
    *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bendml_cli", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **(env or {})},
    )


def test_help_names_every_command_and_answers_at_once() -> None:
    command = [sys.executable, "-m", "bendml_cli", "--help"]
    runs = [ProcessGroup().run(command, 60.0) for _ in range(5)]
    names = "check verify list check-file run build compile audit-laws setup doctor bench tokenizer"
    for name in names.split():
        assert f" {name} " in runs[0].stdout
    # It is meant to take under 0.3 s. Processor time: other work on the machine does not count, but slows it somewhat.
    assert min(run.cpu_seconds for run in runs) < 0.45


def test_help_loads_no_engine_and_no_schema() -> None:
    code = (
        "import sys, bendml_cli.app; print([m for m in sys.modules if m in ('pydantic', 'yaml', 'bendml_cli.bend2')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_version() -> None:
    done = bendml("--version")
    assert (done.returncode, done.stdout) == (0, "bendml 0.1.0\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "all"], "Missing option '--output'"),
        (["check", "nope", "--output", "out"], "error: there is no suite 'nope'"),
        (["check", "--output", "bend"], "error: bend exists"),
        (["check", "--output", ""], "error: . exists"),
        (["check", "--output", "/"], "error: / exists"),
        (["check", "--output", "x" * 300], "cannot be written: File name too long"),
        (["check", "all", "nope", "--output", "out"], "error: there is no suite 'nope'"),
        (["check", "--output", "out", "--engine", "other"], "Invalid value for '--engine'"),
        (["check", "--output", "out", "--engine", "bend"], "error: --engine bend: bend is not installed"),
        (["check", "--output", "out", "--engine", "both"], "error: --engine both: bend is not installed"),
        (["check", "--output", "out", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["verify", "nothing"], "error: nothing is no folder"),
        (["verify", "bend"], "error: bend is not sealed"),
        (["check-file", "nothing.bend"], "error: there is no file nothing.bend"),
        (["check-file", "bend"], "error: bend is a folder"),
        (["check-file", "/dev/null"], "error: /dev/null is no plain file"),
        (["check-file"], "Missing argument"),
        (["check-file", "--timeout", "-1", "x"], "Invalid value for '--timeout'"),
        (["audit-laws", "nothing"], "error: there is no package 'nothing'"),
        (["nonsense"], "No such command"),
    ],
)
def test_bad_use_is_one_clear_line_and_status_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = bendml(*arguments, cwd=make_project(tmp_path), env=NO_BEND | {"PATH": str(tmp_path)})
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert done.stdout == ""
    assert not list(tmp_path.glob("out*"))


def test_a_bad_suite_file_is_named_with_line_and_field(tmp_path: Path) -> None:
    make_project(tmp_path, SUITE.replace("category", "catgory"))
    for arguments in (["list"], ["check", "--output", "out"]):
        done = bendml(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert "error: suites/demo.yaml:6: checks[1].category: is missing" in done.stderr
        assert "suites/demo.yaml:9: checks[1].catgory: there is no such field" in done.stderr


def test_list(tmp_path: Path) -> None:
    done = bendml("list", cwd=make_project(tmp_path))
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["demo", "A", "demonstration", "(bend/demo)"]
    assert lines[1:] == [["demo/proofs", "proofs"], ["demo/bad", "rejects"], ["demo/kernel", "kernel"]]


def test_check_file_prints_the_verdict_and_the_reason(tmp_path: Path) -> None:
    (tmp_path / "good.bend").write_text(ACCEPTED_PROGRAM)
    (tmp_path / "bad.bend").write_text(REFUSED_PROGRAM)
    done = bendml("check-file", "good.bend", "--main", "--no-cache", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "ALL PROOFS CHECK  good.bend\nmain  3n\n")
    done = bendml("check-file", "good.bend", "bad.bend", "--no-cache", cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "ALL PROOFS CHECK  good.bend"
    assert "SOME PROOFS FAIL  bad.bend" in lines
    assert any("mismatch in main" in line and line.endswith("bad.bend:2:20") for line in lines)
    assert "  2 | def main() -> Nat: True{}" in lines
    assert "    | " + " " * 19 + "^" in lines
    assert "  expected  Nat" in lines
    assert "  observed  Bool" in lines


def test_check_file_json_uses_the_names_of_the_conformance_cases(tmp_path: Path) -> None:
    (tmp_path / "good.bend").write_text(ACCEPTED_PROGRAM)
    (tmp_path / "bad.bend").write_text(REFUSED_PROGRAM)
    done = bendml("check-file", "good.bend", "bad.bend", "--json", "--main", "--no-cache", cwd=tmp_path)
    assert done.returncode == 1
    good, bad = (json.loads(line) for line in done.stdout.splitlines())
    assert good == {"file": "good.bend", "verdict": "ALL PROOFS CHECK", "main": "3n", "error": None}
    assert (bad["file"], bad["verdict"], bad["main"]) == ("bad.bend", "SOME PROOFS FAIL", None)
    error = bad["error"]
    assert error["category"] == "mismatch"
    assert (error["definition"], error["line"], error["expected"], error["observed"]) == ("main", 2, "Nat", "Bool")
    assert error["message"]


def test_the_cache_goes_where_it_is_told_and_changes_no_answer(tmp_path: Path) -> None:
    (tmp_path / "good.bend").write_text(ACCEPTED_PROGRAM)
    env = {"BENDML_CACHE": str(tmp_path / "cache")}
    first = bendml("check-file", "good.bend", "--main", cwd=tmp_path, env=env)
    assert list((tmp_path / "cache").rglob("*"))
    assert bendml("check-file", "good.bend", "--main", cwd=tmp_path, env=env).stdout == first.stdout


def test_a_home_that_cannot_be_written_costs_only_the_cache(tmp_path: Path) -> None:
    (tmp_path / "good.bend").write_text(ACCEPTED_PROGRAM)
    (tmp_path / "file").write_text("")
    env = {"HOME": str(tmp_path / "file"), "XDG_CACHE_HOME": "", "BENDML_CACHE": ""}
    done = bendml("check-file", "good.bend", cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ALL PROOFS CHECK  good.bend\n", "")


def test_an_interrupt_ends_check_file_at_once(tmp_path: Path) -> None:
    (tmp_path / "loop.bend").write_text(
        "import Base\n"
        "@unsafe def forever(n: Nat) -> Nat: forever(1n+n)\n"
        "def stuck() -> {forever(0n) == 1n : Nat}: {==}\n"
    )
    command = [sys.executable, "-m", "bendml_cli", "check-file", "loop.bend", "--no-cache"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    assert process.poll() is None
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 3
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.bend", b"", "ALL PROOFS CHECK"),
        ("latin.bend", b"import Base\n# caf\xe9\n", "UTF-8"),
        ("missing.bend", b"import Base\nimport ./gone.bend as G\n", "gone.bend"),
        ("cycle.bend", b"import Base\nimport ./cycle.bend as C\n", "cycle"),
        ("binary.bend", bytes(range(256)), "SOME PROOFS FAIL"),
        ("deep.bend", b"import Base\ndef main() -> Nat: " + b"(" * 20_000 + b"0n" + b")" * 20_000, ""),
    ],
)
def test_odd_files_have_clear_answers(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    done = bendml("check-file", name, "--no-cache", cwd=tmp_path)
    assert done.returncode in (0, 1)
    assert message in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "good.bend").write_text(ACCEPTED_PROGRAM)
    command = [sys.executable, "-m", "bendml_cli", "check-file", "good.bend", "--no-cache"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


def test_a_closed_output_and_one_that_lacks_signs_change_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "sign.bend").write_text('import Base\ndef main() -> String: "\N{GREEK SMALL LETTER ALPHA}"\n')
    command = [sys.executable, "-m", "bendml_cli", "check-file", "sign.bend", "--main", "--no-cache"]
    closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], cwd=tmp_path, capture_output=True, check=False)
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, b"", b"")
    done = bendml(*command[3:], cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "main  " in done.stdout
    done = bendml(*command[3:], "--json", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert json.loads(done.stdout)["main"] == '"\N{GREEK SMALL LETTER ALPHA}"'


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are text there")
@pytest.mark.parametrize("name", [b"sp ace", b"[red]x[/red]", b":x:", b"-dash", b"a\xffb", b"new\nline"])
def test_any_folder_name_will_do(tmp_path: Path, name: bytes) -> None:
    root = make_project(tmp_path, SUITE.replace("Mat<3n, 5n>", "Nat").replace("Mat<4n, 5n>", "Bool"))
    output = os.fsdecode(name)
    assert bendml("check", "--output", output, cwd=root).returncode == 0
    done = bendml("verify", "--", output, cwd=root)
    assert done.returncode == 0
    shown = output.encode(errors="backslashreplace").decode()
    assert done.stdout.startswith(f"INTACT  {shown}: 9 files")


def test_a_package_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    (root / "bend/broken").mkdir()
    (root / "bend/broken/main.bend").write_text("( nonsense")
    done = bendml("audit-laws", cwd=root)
    assert done.returncode == 1
    assert "broken/main.bend cannot be read: expected a declaration" in done.stderr
    assert "proved      1 of 1 laws" in done.stdout


def test_a_whole_run_from_outside(tmp_path: Path) -> None:
    root = make_project(tmp_path, SUITE.replace("Mat<3n, 5n>", "Nat").replace("Mat<4n, 5n>", "Bool"))
    done = bendml("check", "all", "--output", "out", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED  2 of 3 checks passed" in done.stdout
    assert "evidence sealed in out" in done.stdout
    done = bendml("verify", "out", cwd=root)
    assert done.returncode == 0
    assert done.stdout.startswith("INTACT  out:")
    (root / "out/results.jsonl").chmod(0o644)
    done = bendml("verify", "out", cwd=root)
    assert done.returncode == 1
    assert "results.jsonl: has mode 0644, was sealed 0444" in done.stdout
    assert bendml("check", "all", "--output", "out", cwd=root).returncode == 2
