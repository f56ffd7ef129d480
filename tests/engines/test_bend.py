"""The engine that drives Bend, by a stand-in for it; finding it, and choosing engines."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from bendml_cli.bend2.report import ACCEPTED, REFUSED
from bendml_cli.digests import sha256_of
from bendml_cli.engines.bend import BendEngine
from bendml_cli.engines.bend_program import BEND_VERSION, LEAN_VERSION, STACK_BYTES, BendProgram, find_bend
from bendml_cli.engines.choice import EngineChoice
from bendml_cli.engines.choose import choose_engines
from bendml_cli.engines.engine import Judgement
from bendml_cli.errors import EngineUnavailable
from bendml_cli.toolchain.lock import Kind, Lock, Unpack, load_lock
from tests.processes import all_end
from tests.standin import make_bend


@pytest.fixture(autouse=True)
def nothing_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Bend and Lean, whatever this one has; answers bendml's folder on it."""
    home = tmp_path / "home"
    monkeypatch.setenv("BENDML_HOME", str(home))
    for name in ("BENDML_BEND", "BENDTT", "CUDA_HOME"):
        monkeypatch.delenv(name, raising=False)
    # Where `sed` and the like are, and no more.
    monkeypatch.setenv("PATH", os.pathsep.join(p for p in ("/usr/bin", "/bin") if not Path(p, "bend").exists()))
    return home


@pytest.fixture
def bend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = make_bend(tmp_path / "bin")
    monkeypatch.setenv("BENDML_BEND", str(path))
    return path


def install(home: Path, name: str, version: str) -> Path:
    """Make an installation as setup leaves it, with a program `name`."""
    path = make_bend(home / name / "bin").rename(home / name / "bin" / name)
    entry = {
        "name": name,
        "version": version,
        "platform": "any",
        "path": name,
        "sha256": "0" * 64,
        "origin": "test",
        "when": "2026-01-01T00:00:00+00:00",
    }
    (home / "setup.json").write_text(json.dumps({"format": "bendml-setup-1", "installed": [entry]}))
    return path


def judge(folder: Path, text: str, *, limit: float = 30.0, main: bool = False) -> Judgement:
    path = folder / "main.bend"
    path.write_text(text)
    return BendEngine(find_bend(), limit=limit).check(path, main=main)


def test_the_pinned_versions_are_those_of_the_lock() -> None:
    versions = {(a.name, a.version) for a in load_lock().artefacts if a.name in ("bend", "lean")}
    assert versions == {("bend", BEND_VERSION), ("lean", LEAN_VERSION)}


def test_none_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineUnavailable, match="bend is not installed: there is none by bendml setup") as caught:
        find_bend()
    assert caught.value.way_out == "bendml setup --only bend"
    monkeypatch.setenv("BENDML_BEND", "/nowhere/bend")
    with pytest.raises(EngineUnavailable, match="names '/nowhere/bend', which is no program"):
        find_bend()


def test_the_named_one_comes_before_the_installed_and_that_before_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nothing_is_installed: Path
) -> None:
    on_path = make_bend(tmp_path / "path")
    monkeypatch.setenv("PATH", f"{on_path.parent}:/usr/bin:/bin")
    assert find_bend() == BendProgram(on_path, "2.0.35", "PATH")
    installed = install(nothing_is_installed, "bend", "2.0.35")
    assert find_bend() == BendProgram(installed, "2.0.35", "bendml setup")
    named = make_bend(tmp_path / "named")
    monkeypatch.setenv("BENDML_BEND", str(named))
    assert find_bend() == BendProgram(named, "2.0.35", "$BENDML_BEND")


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("print('bend 2.0.36')", r"the bend of \$BENDML_BEND is version 2.0.36, and only 2.0.35 is driven"),
        ("print('bend 2.0.35-rc1')", "is version 2.0.35-rc1"),
        ("print('Bend, the language')", "`bend version` does not answer with a version"),
        ("print('bend 2.0.35'); raise SystemExit(3)", "`bend version` does not answer with a version"),
        ("import os; os.abort()", "`bend version` was ended by signal 6"),
    ],
)
def test_any_other_version_is_refused_with_the_command_that_helps(
    bend: Path, tmp_path: Path, program: str, reason: str
) -> None:
    make_bend(tmp_path / "bin", program=program)
    for choice in (EngineChoice.BEND, EngineChoice.BOTH):
        with pytest.raises(EngineUnavailable, match=reason) as caught:
            choose_engines(choice)
        assert "bendml setup --only bend" in caught.value.way_out
        assert "--engine embedded" in caught.value.way_out
    engines = choose_engines(EngineChoice.AUTO)
    assert [engine.name for engine in engines.chosen] == ["embedded"]
    assert engines.without_bend is not None
    assert str(tmp_path) not in engines.without_bend


def test_a_program_that_cannot_be_started_or_never_answers(
    bend: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_bend(tmp_path / "bin", program="while True: pass")
    monkeypatch.setattr("bendml_cli.engines.bend_program._PROBE_SECONDS", 0.5)
    with pytest.raises(EngineUnavailable, match=r"`bend version` did not end within 0.5 s"):
        find_bend()
    bend.write_text("#!/nowhere/interpreter\n")
    with pytest.raises(EngineUnavailable, match="it cannot be started: No such file"):
        find_bend()


def test_choices(bend: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for choice, names in (
        (EngineChoice.AUTO, ["bend"]),
        (EngineChoice.BEND, ["bend"]),
        (EngineChoice.BOTH, ["bend", "embedded"]),
    ):
        engines = choose_engines(choice)
        assert [engine.name for engine in engines.chosen] == names
        assert engines.without_bend is None
        assert engines.with_bend is not None
        assert engines.with_bend.startswith("one that calls itself 2.0.35")
        assert engines.with_bend.endswith(", of $BENDML_BEND")
    engines = choose_engines(EngineChoice.EMBEDDED)
    assert [engine.name for engine in engines.chosen] == ["embedded"]
    assert engines.without_bend == "--engine embedded leaves it out"
    monkeypatch.delenv("BENDML_BEND")
    engines = choose_engines(EngineChoice.AUTO)
    assert [engine.name for engine in engines.chosen] == ["embedded"]
    assert engines.without_bend is not None
    assert "bend is not installed" in engines.without_bend


def test_accepted(bend: Path, tmp_path: Path) -> None:
    text = "import Base\n\ndef id(n: Nat) -> Nat: n\n\nlaw l:\n  for n: Nat\n  {id(n) == n : Nat}\n\ndef l(n): {==}\n"
    judgement = judge(tmp_path, text)
    assert (judgement.engine, judgement.failure) == ("bend", None)
    assert judgement.report is not None
    assert judgement.report.verdict == ACCEPTED
    assert (judgement.report.laws, judgement.report.definitions) == (["l"], ["id"])
    assert judgement.transcript.startswith("$ bend main.bend --check-only\nALL PROOFS CHECK\n[status 0, ")
    usage = judgement.usage
    assert usage.user_seconds is not None
    assert usage.system_seconds is not None
    assert usage.cpu_seconds == usage.user_seconds + usage.system_seconds
    assert usage.peak_resident_bytes is not None
    assert 1_000_000 < usage.peak_resident_bytes < 60_000_000


def test_refused(bend: Path, tmp_path: Path) -> None:
    judgement = judge(tmp_path, "# stand-in: refuse\ndef main() -> Nat: True{}\n")
    report = judgement.report
    assert report is not None
    assert report.verdict == REFUSED
    assert report.error is not None
    error = report.error
    assert (error.expected, error.observed) == ("Mat<3n, 5n>", "Mat<4n, 5n>")
    assert (error.definition, error.line, error.file) == ("main", 2, str(tmp_path / "main.bend"))
    assert "- expected : Mat<3n, 5n>" in judgement.transcript


def test_main_is_what_a_run_prints(bend: Path, tmp_path: Path) -> None:
    judgement = judge(tmp_path, "# main: [1n, 2n]\n", main=True)
    assert judgement.report is not None
    assert judgement.report.main == "[1n, 2n]"
    assert "$ bend main.bend\n[1n, 2n]\n" in judgement.transcript
    report = judge(tmp_path, "# no main\n", main=True).report
    assert report is not None
    assert report.main is None
    refused = judge(tmp_path, "# stand-in: refuse\n", main=True)
    assert "$ bend main.bend\n" not in refused.transcript


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ("# stand-in: crash", "the engine was ended by SIGSEGV"),
        ('# stand-in: say 0 "\\u0000 \\ufffd garbage\\n"', "no verdict stands in Bend's output"),
        ('# stand-in: say 0 ""', "no verdict stands in Bend's output (status 0): nothing"),
        ('# stand-in: say 1 "Error: disk full\\n"', "no verdict"),
        ('# stand-in: say 1 "ALL PROOFS CHECK\\n"', "Bend says ALL PROOFS CHECK, and ended with status 1"),
        ('# stand-in: say 0 "SOME PROOFS FAIL\\n"', "Bend says SOME PROOFS FAIL, and ended with status 0"),
        ('# stand-in: say 3 "SOME PROOFS FAIL\\n"', "the engine failed with status 3"),
        ('# stand-in: say 0 "ALL PROOFS CHECK\\nSOME PROOFS FAIL\\n"', "both verdicts"),
    ],
)
def test_what_is_no_verdict_is_a_failure(bend: Path, tmp_path: Path, line: str, failure: str) -> None:
    judgement = judge(tmp_path, f"{line}\n")
    assert judgement.report is None
    assert judgement.failure is not None
    assert failure in judgement.failure
    assert judgement.transcript.startswith("$ bend main.bend --check-only\n")


def test_an_endless_loop_ends_at_the_limit_with_its_children(bend: Path, tmp_path: Path) -> None:
    began = time.perf_counter()
    judgement = judge(tmp_path, f"# stand-in: loop {tmp_path / 'pids'}\n", limit=2.0)
    assert time.perf_counter() - began < 8
    assert (judgement.report, judgement.failure) == (None, "no answer within 2 s")
    assert judgement.usage.cpu_seconds is not None
    assert judgement.usage.cpu_seconds > 0.2
    assert all_end((tmp_path / "pids").read_text().split())


def test_of_output_without_end_only_the_beginning_is_kept(
    bend: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bendml_cli.engines.process.OUTPUT_BYTES", 1 << 20)
    judgement = judge(tmp_path, "# stand-in: flood\n")
    assert judgement.failure == "the engine wrote more than 1 MiB"
    assert len(judgement.transcript) < 70_000


@pytest.mark.parametrize(
    ("released", "told"),
    [
        (True, "the pinned 2.0.35, as it was released, of $BENDML_BEND"),
        (False, "one that calls itself 2.0.35 and is not the file that was released, of $BENDML_BEND"),
        (None, "one that calls itself 2.0.35, of $BENDML_BEND"),
    ],
)
def test_only_the_released_file_is_called_the_pinned_one(
    bend: Path, monkeypatch: pytest.MonkeyPatch, released: bool | None, told: str
) -> None:
    hashed = "0" * 64 if released is False else sha256_of(bend)
    unpack = Unpack(
        kind=Kind.TAR_GZ, take={"bend": "."}, limit=1, checks={} if released is None else {"bin/bend": hashed}
    )
    artefact = load_lock().artefacts[0].model_copy(update={"platform": "any", "unpack": unpack})
    monkeypatch.setattr(
        "bendml_cli.toolchain.lock.load_lock", lambda: Lock(format="bendml-toolchain-1", artefacts=[artefact])
    )
    assert choose_engines(EngineChoice.BEND).with_bend == told


def test_stop_ends_a_call_and_its_children(bend: Path, tmp_path: Path) -> None:
    (tmp_path / "main.bend").write_text(f"# stand-in: loop {tmp_path / 'pids'}\n")
    engine = BendEngine(find_bend())
    answers: list[Judgement] = []
    thread = threading.Thread(target=lambda: answers.append(engine.check(tmp_path / "main.bend")))
    thread.start()
    while not (tmp_path / "pids").exists() or len((tmp_path / "pids").read_text().split()) < 2:
        time.sleep(0.02)
    engine.stop()
    thread.join(10)
    assert answers[0].failure == "stopped"
    assert all_end((tmp_path / "pids").read_text().split())


def test_memory_is_that_of_the_child_that_allocates(bend: Path, tmp_path: Path) -> None:
    peak = judge(tmp_path, "# stand-in: hold 150_000_000\n").usage.peak_resident_bytes
    assert peak is not None
    assert 150_000_000 <= peak < 220_000_000


def test_its_surroundings(
    bend: Path, tmp_path: Path, nothing_is_installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (nothing_is_installed / "cuda").mkdir(parents=True)
    lean = install(nothing_is_installed, "lean", "4.34.0")
    judge(tmp_path, f"# stand-in: tell {tmp_path / 'told'}\n")
    told = json.loads((tmp_path / "told").read_text())
    environment = told["env"]
    assert environment["BEND_NO_TELEMETRY"] == "1"
    assert environment["LEAN_STACK_SIZE_KB"] == "4194304"
    assert environment["CUDA_HOME"] == str(nothing_is_installed / "cuda")
    assert environment["PATH"].split(os.pathsep)[0] == str(lean.parent)
    assert told["arguments"] == ["main.bend", "--check-only"]
    assert told["cwd"] == str(tmp_path)
    # As large as wanted, or as large as this user may have it.
    import resource

    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    assert told["stack"] == -1 or told["stack"] >= (STACK_BYTES if hard < 0 else min(STACK_BYTES, hard))


def test_the_second_kernel_needs_lean(
    bend: Path, tmp_path: Path, nothing_is_installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "main.bend"
    path.write_text("# stand-in: kernel\n")
    engine = BendEngine(find_bend())
    assert engine.lacks("kernel") == "its second kernel needs Lean 4.34.0: bendml setup --only lean"
    with pytest.raises(ValueError, match="needs Lean"):
        engine.recheck(path)
    wrong = make_bend(tmp_path / "lean", program="print('Lean (version 4.9.0, x86_64)')").rename(tmp_path / "lean/lean")
    monkeypatch.setenv("PATH", f"{wrong.parent}:/usr/bin:/bin")
    lack = BendEngine(find_bend()).lacks("kernel")
    assert lack == "the lean on PATH is not Lean 4.34.0, which the second kernel needs: bendml setup --only lean"
    wrong.write_text(wrong.read_text().replace("4.9.0", "4.34.0"))
    assert BendEngine(find_bend()).lacks("kernel") is None
    install(nothing_is_installed, "lean", "4.34.0")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    engine = BendEngine(find_bend())
    assert engine.lacks("kernel") is None
    judgement = engine.recheck(path)
    assert judgement.report is not None
    assert not judgement.report.accepted
    assert judgement.transcript.startswith("$ bend main.bend --verdict\n")
    first = engine.check(path).report
    assert first is not None
    assert first.accepted


def test_build_and_run(bend: Path, tmp_path: Path) -> None:
    path = tmp_path / "main.bend"
    path.write_text("# main: 42n\n")
    engine = BendEngine(find_bend())
    ran = engine.run(path)
    assert (ran.failure, ran.code, ran.stdout) == (None, 0, "42n\n")
    built = engine.build(path, tmp_path / "out")
    assert built.failure is None
    ran = engine.run_binary(tmp_path / "out", "a", "b", threads=4, gpu="off")
    assert (ran.failure, ran.stdout) == (None, "out --threads 4 --gpu off -- a b\n")
    path.write_text("# stand-in: refuse\n")
    assert engine.build(path, tmp_path / "out2").failure is not None
    path.write_text('# stand-in: say 0 ""\n')
    assert "status 127: nothing: No such file" in (engine.run_binary(tmp_path / "nothing").failure or "")
