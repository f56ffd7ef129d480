"""`bendml run`, `build` and `compile`, from outside."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bendml_cli.bend2.native import make, start
from bendml_cli.bend2.native.build import CompilerError
from bendml_cli.bend2.native.compile import Compiled
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.store import Store

GREET = """import Base
import ./name.bend as Name

def rest(args: List<String>) -> IO(Unit):
  match args:
    case self <> t:
      IO.die(Unit, 7, self ++ " " ++ String.join(texts(t), "|"))
    case Nil{}:
      IO.pure(Unit, Unit{})

def main() -> IO(Unit):
  do IO<Unit>:
    IO.print("hello " ++ Name.name())
    args : List<String> <- IO.args()
    rest(args)
"""
TEXTS = """
def texts(xs: List<String>) -> List<&2, String>:
  match xs:
    case Nil{}:
      []
    case x <> t:
      x <> texts(t)
"""
NAME = 'import Base\ndef name() -> String: "world"\n'
SLEEP = """import Base

def main() -> IO(Unit):
  do IO<Unit>:
    IO.print_err("here")
    IO.sleep(60000)
"""
DATA = 'import Base\ndef main() -> Nat & String: (Nat.add(1n, 2n), "x")\n'


@pytest.fixture
def greet(tmp_path: Path) -> Path:
    (tmp_path / "name.bend").write_text(NAME)
    file = tmp_path / "größe 1.bend"
    head, tail = GREET.split("\ndef rest")
    file.write_text(f"{head}{TEXTS}\ndef rest{tail}")
    return file


@pytest.fixture
def environment(bendml_cache: Path) -> dict[str, str]:
    return {**os.environ, "BENDML_CACHE": str(bendml_cache), "NO_COLOR": "1", "COLUMNS": "120"}


def bendml(environment: dict[str, str], *arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bendml_cli", *map(str, arguments)]
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command, capture_output=True, encoding="utf-8", env=environment, check=False, timeout=300, **options
    )


def test_run_is_the_program_with_its_arguments_and_status(greet: Path, environment: dict[str, str]) -> None:
    for arguments, told in (([], ""), (["--", "a b", "--threads", ""], "a b|--threads|")):
        done = bendml(environment, "run", greet, *arguments)
        assert (done.stdout, done.returncode) == ("hello world\n", 7)
        assert done.stderr == f"größe 1: größe 1 {told}\n"
    again = bendml(environment, "run", greet, "--threads", "2", "--", "x")
    assert (again.stdout, again.stderr) == ("hello world\n", "größe 1: größe 1 x\n")
    plain = bendml(environment, "run", greet, "x", "y")
    assert plain.stderr == "größe 1: größe 1 x|y\n"


def test_a_change_anywhere_is_seen(greet: Path, environment: dict[str, str]) -> None:
    assert bendml(environment, "run", greet).stdout == "hello world\n"
    (greet.parent / "name.bend").write_text(NAME.replace("world", "moon"))
    assert bendml(environment, "run", greet).stdout == "hello moon\n"
    greet.write_text(greet.read_text().replace("hello", "bye"))
    assert bendml(environment, "run", greet).stdout == "bye moon\n"
    (greet.parent / "name.bend").write_text(NAME.replace('"world"', "3n"))
    refused = bendml(environment, "run", greet)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "mismatch in name" in refused.stderr


def test_a_kept_program_starts_without_checker_and_compiler(greet: Path, environment: dict[str, str]) -> None:
    bendml(environment, "run", greet)
    code = (
        "import sys; from bendml_cli.quick import run_kept; status = run_kept(sys.argv[1:]);"
        "print(status, [m for m in sys.modules if 'check' in m or 'syntax' in m or m in ('typer', 'rich', 'psutil')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, greet], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "hello world\n7 []\n"


def test_a_value_is_printed_and_build_makes_a_program_of_its_own(tmp_path: Path, environment: dict[str, str]) -> None:
    file = tmp_path / "data.bend"
    file.write_text(DATA)
    assert bendml(environment, "run", file).stdout == '(3n, "x")\n'
    for options in ([], ["--debug"], ["--portable"], ["--no-cache"]):
        output = tmp_path / "out"
        output.write_text("something else")
        built = bendml(environment, "build", file, "-o", output, *options)
        assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
        assert output.stat().st_mode & stat.S_IXUSR
        done = subprocess.run([output, "--threads", "2"], capture_output=True, text=True, check=True)
        assert done.stdout == '(3n, "x")\n'
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data.bend", "out"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import Base\ndef f() -> Nat: 1n\n", "there is no main to run"),
        ("import Base\ndef main(n: Nat) -> Nat: n\n", "a function"),
        ("import Base\ndef main() -> Type: Nat\n", "a type"),
        ("import Base\ndef main() -> Nat: True{}\n", "mismatch in main"),
        ("import Base\nlaw l:\n  {1n == 1n : Nat}\ndef main() -> Nat: 1n\n", "TODO(s) found"),
        ("import Base\ndef main( -> Nat: 1n\n", "syntax"),
    ],
)
def test_what_is_refused(tmp_path: Path, environment: dict[str, str], text: str, message: str) -> None:
    file = tmp_path / "main.bend"
    file.write_text(text)
    output = tmp_path / "out"
    commands: list[list[str | Path]] = [["run", file], ["build", file, "-o", output], ["compile", file, "--emit", "c"]]
    for command in commands:
        done = bendml(environment, *command)
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    assert not output.exists()


def test_unsafe_code_may_be_run(tmp_path: Path, environment: dict[str, str]) -> None:
    file = tmp_path / "main.bend"
    file.write_text("import Base\n@unsafe def f(n: Nat) -> Nat: n\ndef main() -> Nat: f(3n)\n")
    assert bendml(environment, "run", file).stdout == "3n\n"


def test_bad_use(tmp_path: Path, environment: dict[str, str], greet: Path) -> None:
    cases: list[tuple[list[str | Path], str]] = [
        (["run", tmp_path], "is a folder"),
        (["run", tmp_path / "gone.bend"], "there is no file"),
        (["run", greet, "--threads", "0"], "Invalid value for '--threads'"),
        (["build", greet], "Missing option '--output'"),
        (["build", greet, "-o", tmp_path], "is a folder"),
        (["build", greet, "-o", tmp_path / "no" / "x"], "there is no folder"),
        (["compile", greet, "--emit", "wasm"], "Invalid value for '--emit'"),
        (["compile", greet], "Missing option '--emit'"),
    ]
    for arguments, message in cases:
        done = bendml(environment, *arguments)
        assert done.returncode == 2
        assert message in done.stderr


def test_every_stage_can_be_printed(greet: Path, environment: dict[str, str]) -> None:
    def told(*arguments: str) -> str:
        done = bendml(environment, "compile", greet, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert "def texts(xs: List<String>) -> List<&2, String>:" in told("--emit", "surface")
    assert "\n\ntexts : @xs:List<&1, String> -> List<&2, String> =\n" in "\n\n" + told("--emit", "core")
    stages = [told("--emit", "ir", "--stage", each) for each in ("lowered", "simplified", "first-order", "owned")]
    assert "lambda" in stages[0]
    assert "lambda" not in stages[2]
    assert len({stages[0], stages[1], stages[3]}) == 3
    assert '#include "bend.h"' in told("--emit", "c")


@pytest.mark.parametrize(
    ("number", "status", "message"),
    [(signal.SIGTERM, 143, "main: ended by SIGTERM (terminated)\n"), (signal.SIGINT, 130, "")],
)
def test_a_signal_goes_on_to_the_program(
    tmp_path: Path, environment: dict[str, str], number: int, status: int, message: str
) -> None:
    file = tmp_path / "main.bend"
    file.write_text(SLEEP)
    began = time.monotonic()
    command = [sys.executable, "-m", "bendml_cli", "run", str(file)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert running.stderr is not None
    assert running.stderr.readline() == "here\n"
    running.send_signal(number)
    assert running.wait(30) == status
    assert running.stderr.read() == message
    assert time.monotonic() - began < 60


def test_a_crash_is_told_with_its_signal(capfd: pytest.CaptureFixture[str]) -> None:
    assert start.start(Path("/bin/sh"), "sh", ["-c", "kill -SEGV $$"]) == 139
    assert re.fullmatch(r"sh: crashed: SIGSEGV \(segmentation fault.*\)\n", capfd.readouterr().err)
    assert start.start(Path("/bin/sh"), "sh", ["-c", "exit 3"]) == 3


def test_builds_at_the_same_time(tmp_path: Path, environment: dict[str, str], tools: Path) -> None:
    # A cache without the programs of tests that run beside this one.
    native = tmp_path / "cache" / "native"
    native.mkdir(parents=True)
    (native / "tools").symlink_to(tools)
    environment["BENDML_CACHE"] = str(native.parent)
    file = tmp_path / "main.bend"
    file.write_text("import Base\ndef main() -> Nat: 77n\n")
    command = [sys.executable, "-m", "bendml_cli", "run", str(file)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(4)]
    assert [each.communicate(timeout=300)[0] for each in running] == ["77n\n"] * 4
    kept = [each.name for each in (native / "programs").rglob("*")]
    assert kept
    assert not [name for name in kept if name.startswith(".") or name.endswith(".part")]


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, environment: dict[str, str], tools: Path
) -> None:
    file = tmp_path / "data.bend"
    file.write_text(DATA)
    nowhere = tmp_path / "file"
    nowhere.touch()
    done = bendml({**environment, "BENDML_CACHE": str(nowhere)}, "run", file)
    assert (done.returncode, done.stdout, done.stderr) == (0, '(3n, "x")\n', "")


def test_a_damaged_program_is_made_anew(tmp_path: Path, environment: dict[str, str], bendml_cache: Path) -> None:
    file = tmp_path / "damaged.bend"
    file.write_text("import Base\ndef main() -> Nat: 20261n\n")
    assert bendml(environment, "run", file).stdout == "20261n\n"
    program = Store(bendml_cache / "native" / "programs").find(file, Options())
    assert program is not None
    program.write_bytes(program.read_bytes()[:100])
    done = bendml(environment, "run", file)
    assert (done.returncode, done.stdout, done.stderr) == (0, "20261n\n", "")


def test_what_others_make_at_the_same_time_stays(tmp_path: Path) -> None:
    """Two processes that did not find a program each make one: their bytes may differ, and both are run."""
    store = Store(tmp_path)
    file = tmp_path / "main.bend"
    file.write_text("main")
    store.programs.mkdir()
    programs = []
    for text in ("one", "two"):
        made = tmp_path / "made"
        made.write_text(text)
        programs.append(store.add(Options(), "c", made))
        store.keep(file, Options(), {}, programs[0])
    assert [each.read_text() for each in programs] == ["one", "two"]
    assert store.find(file, Options()) == programs[0]
    assert store.program(Options(), "c") in programs


def test_build_does_not_replace_the_text_of_a_program(tmp_path: Path, environment: dict[str, str]) -> None:
    file = tmp_path / "data.bend"
    file.write_text(DATA)
    done = bendml(environment, "build", file, "-o", file)
    assert done.returncode == 2
    assert "is the program's own text" in done.stderr
    assert file.read_text() == DATA


def test_a_failing_compiler_says_so_and_keeps_its_log(
    tmp_path: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "compile_c", lambda *_, **__: Compiled("int main(void) { return nothing; }\n", {}))
    with pytest.raises(CompilerError) as failed:
        make.executable(tmp_path / "x.bend", Options(), tmp_path / "programs", tools)
    assert "nothing" in failed.value.message
    assert failed.value.log is not None
    assert "nothing" in failed.value.log.read_text()
    assert list((tmp_path / "programs" / "programs").iterdir()) == []


def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bendml_cli.bend2.native.store.MOST_KEPT", 3)
    store = Store(tmp_path)
    for at in range(6):
        file = tmp_path / f"{at}.bend"
        file.write_text(str(at))
        made = tmp_path / "made"
        made.write_text(str(at))
        store.programs.mkdir(exist_ok=True)
        program = store.add(Options(), str(at), made)
        os.utime(program, (at, at))
        store.keep(file, Options(), {}, program)
    found = [store.find(tmp_path / f"{at}.bend", Options()) for at in range(6)]
    assert [each is not None for each in found] == [False, False, False, True, True, True]


def test_the_transcript_in_the_readme(tmp_path: Path, environment: dict[str, str]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    transcript = readme.split("\n## Running Bend programs\n")[1].split("```\n")[1]
    program, *calls = re.split(r"^\$ ", transcript, flags=re.MULTILINE)[1:]
    (tmp_path / "total.bend").write_text(program.partition("\n")[2])
    binary = str(Path(sys.executable).with_name("bendml"))
    for call in calls:
        command, _, told = call.partition("\n")
        words = [binary if word == "bendml" else word for word in command.split()]
        done = subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.stdout + done.stderr == told
    assert len(calls) == 5
