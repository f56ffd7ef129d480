"""`bendml check` on Bend, by a stand-in for it: passing, failing, giving no answer, and disagreeing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bendml_cli.evidence.verify import verify
from tests.fakes import SUITE, make_project
from tests.processes import all_end
from tests.standin import make_bend

LEAN = "print('Lean (version 4.34.0)')"
# The embedded engine, too, must refuse bad.bend for the reason given.
BOTH_SUITE = SUITE.replace("Mat<3n, 5n>", "Nat").replace("Mat<4n, 5n>", "Bool")


def check(root: Path, *arguments: str, program: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run all checks of a project with a stand-in for Bend, and one for Lean."""
    make_bend(root / "bin", program=program)
    make_bend(root / "bin", program=LEAN).rename(root / "bin/lean")
    make_bend(root / "bin", program=program)
    return subprocess.run(
        [sys.executable, "-m", "bendml_cli", "check", "all", "--output", "out", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "BENDML_BEND": str(root / "bin/bend"),
            "BENDML_HOME": str(root / "home"),
            "PATH": f"{root / 'bin'}:/usr/bin:/bin",
            "COLUMNS": "120",
            "NO_COLOR": "1",
        },
    )


def results(root: Path) -> dict[str, dict[str, Any]]:
    found = verify(root / "out")
    assert found.intact, found.differences
    lines = (root / "out/results.jsonl").read_text().splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}


@pytest.mark.parametrize("choice", ["bend", "auto"])
def test_all_pass_and_the_evidence_says_who_judged(tmp_path: Path, choice: str) -> None:
    done = check(make_project(tmp_path), "--engine", choice, "--require-bend")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED  3 of 3 checks passed" in done.stdout
    assert "verdicts by the engine: bend 2.0.35" in done.stdout
    assert "The Bend that judged is one that calls itself 2.0.35" in done.stdout
    assert "None of them is Bend's own verdict" not in done.stdout
    records = results(tmp_path)
    assert {record["status"] for record in records.values()} == {"passed"}
    for record in records.values():
        (verdict,) = record["verdicts"]
        assert verdict["engine"] == "bend"
        assert verdict["user_seconds"] + verdict["system_seconds"] == pytest.approx(verdict["cpu_seconds"], abs=1e-3)
        assert verdict["peak_resident_bytes"] > 1_000_000
    assert records["kernel"]["detail"] == "the second kernel of bend agrees"
    kept = tmp_path / "out/suites/demo"
    assert "- observed : Mat<4n, 5n>" in (kept / "bad/bend/transcript").read_text()
    assert (kept / "kernel/bend/transcript").read_text().startswith("$ bend main.bend --verdict\n")
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    (engine,) = manifest["engines"]
    assert (engine["name"], engine["version"]) == ("bend", "2.0.35")
    assert len(engine["digest"]) == 64
    assert manifest["without_bend"] is None
    for file in (tmp_path / "out").rglob("*"):
        assert file.is_dir() or str(tmp_path) not in file.read_text(), f"{file} names a path of this machine"


def test_both_engines_that_agree(tmp_path: Path) -> None:
    root = make_project(tmp_path, BOTH_SUITE)
    refusal = "SOME PROOFS FAIL\\nError:\\n- expected : Nat\\n- observed : Bool\\n"
    program = (
        "import sys\n"
        "if sys.argv[1] == 'version': print('bend 2.0.35')\n"
        f"elif sys.argv[1] == 'bad.bend': print('{refusal}'); sys.exit(1)\n"
        "else: print('ALL PROOFS CHECK')\n"
    )
    done = check(root, "--engine", "both", program=program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdicts by the engine: bend 2.0.35, embedded 0.1.0" in done.stdout
    records = results(root)
    assert [v["engine"] for v in records["bad"]["verdicts"]] == ["bend", "embedded"]
    assert records["bad"]["engine"] == "bend+embedded"
    assert records["kernel"]["engine"] == "bend"
    assert (root / "out/suites/demo/bad/embedded/report.json").exists()


def test_both_engines_that_disagree_fail_the_check_and_both_reports_are_shown(tmp_path: Path) -> None:
    root = make_project(tmp_path, BOTH_SUITE)
    main = root / "bend/demo/main.bend"
    main.write_text("# stand-in: refuse\n" + main.read_text())
    done = check(root, "--engine", "both")
    assert done.returncode == 1
    (line,) = {line for line in done.stdout.splitlines() if line.startswith("failed  demo/proofs")}
    assert "the engines disagree: bend: SOME PROOFS FAIL (bend/demo/main.bend:2: mismatch in main" in line
    assert "expected Mat<3n, 5n>, observed Mat<4n, 5n>), embedded: ALL PROOFS CHECK" in line
    record = results(root)["proofs"]
    assert record["status"] == "failed"
    assert [(v["engine"], v["verdict"]) for v in record["verdicts"]] == [
        ("bend", "SOME PROOFS FAIL"),
        ("embedded", "ALL PROOFS CHECK"),
    ]
    shown = (root / "out/suites/demo/proofs/disagreement.txt").read_text()
    assert "[bend]\nSOME PROOFS FAIL" in shown
    assert "[embedded]\nALL PROOFS CHECK" in shown


@pytest.mark.parametrize("choice", ["bend", "both"])
@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("# stand-in: crash", "bend: the engine was ended by SIGSEGV"),
        ('# stand-in: say 0 "garbage"', "bend: no verdict stands in Bend's output (status 0): garbage"),
        ('# stand-in: say 1 "garbage"', "bend: no verdict stands in Bend's output (status 1): garbage"),
    ],
)
def test_no_answer_is_an_error_for_every_kind_of_check(tmp_path: Path, choice: str, line: str, detail: str) -> None:
    root = make_project(tmp_path, BOTH_SUITE)
    for file in (root / "bend/demo/main.bend", root / "bend/demo/tests/bad.bend"):
        file.write_text(f"{line}\n{file.read_text()}")
    done = check(root, "--engine", choice)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    for record in results(root).values():
        assert (record["status"], record["detail"]) == ("error", detail)
        assert record["verdicts"][0]["verdict"] is None
    assert (root / "out/suites/demo/bad/bend/transcript").exists()


def test_what_bend_writes_does_not_steer_the_terminal(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    main = root / "bend/demo/main.bend"
    main.write_text('# stand-in: say 0 "a\\u0007b\\u009b2J"\n' + main.read_text())
    done = check(root, "--engine", "bend")
    assert "no verdict stands in Bend's output (status 0): a\\x07b\\x9b2J" in done.stdout
    assert not {"\x07", "\x9b"} & set(done.stdout)


def test_the_second_kernel_alone_can_fail(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    main = root / "bend/demo/main.bend"
    main.write_text("# stand-in: kernel\n" + main.read_text())
    assert check(root, "--engine", "bend").returncode == 1
    records = results(root)
    assert {name: record["status"] for name, record in records.items()} == {
        "proofs": "passed",
        "bad": "passed",
        "kernel": "failed",
    }
    assert records["kernel"]["verdicts"][0]["verdict"] == "SOME PROOFS FAIL"


def test_an_interrupt_ends_bend_and_its_children(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    pids = tmp_path / "pids"
    main = root / "bend/demo/main.bend"
    main.write_text(f"# stand-in: loop {pids}\n{main.read_text()}")
    code = (
        "import os, signal, sys, threading, time\n"
        "def interrupt():\n"
        f"    pids = {str(pids)!r}\n"
        "    while not (os.path.exists(pids) and len(open(pids).read().split()) == 2): time.sleep(0.02)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        "sys.argv = ['bendml', 'check', 'all', '--output', 'out', '--engine', 'bend']\n"
        "from bendml_cli.app import main\n"
        "main()\n"
    )
    bend = make_bend(root / "bin")
    environment = {**os.environ, "BENDML_BEND": str(bend), "BENDML_HOME": str(root / "home")}
    checkout = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment | {"PYTHONPATH": checkout},
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert all_end(pids.read_text().split())
