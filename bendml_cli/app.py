"""The command line: arguments in, exit status out.

What a command needs is loaded when it runs, so that `bendml --help` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from bendml_cli import __version__
from bendml_cli.commands.peers import Against
from bendml_cli.commands.stages import Emit, IrStage
from bendml_cli.engines.choice import EngineChoice
from bendml_cli.tokenizer.backend import Backend

app = typer.Typer(
    name="bendml",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check machine learning packages written in Bend 2, and leave evidence.",
)
bench = typer.Typer(no_args_is_help=True, help="Measure how fast bendml is.")
app.add_typer(bench, name="bench")
tokenizer = typer.Typer(no_args_is_help=True, help="Train tokenizers, and encode and decode texts.")
app.add_typer(tokenizer, name="tokenizer")

_Timeout = Annotated[
    float, typer.Option(min=0.001, metavar="SECONDS", help="Give up on a definition that evaluates for longer.")
]


def main() -> None:
    """The console script."""
    if sys.stdout is None:
        # Closed by the caller: what is printed goes nowhere, and not into a file that is opened later.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    # Names and source lines are printed as they are; what the terminal's encoding lacks must not end the program.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    app()


def _finish(command: Callable[[], int]) -> None:
    """Run a command and end with its status: 0 all passed, 1 a check failed, 2 bad use or no answer, 130 Ctrl-C."""
    from bendml_cli.errors import BendmlError

    try:
        status = command()
    except BendmlError as error:
        print(f"error: {error.diagnostics()}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        # At once: an evaluation that will not end must not be waited for.
        os._exit(130)
    except BrokenPipeError:
        raise
    except OSError as error:
        if os.environ.get("BENDML_DEBUG"):
            raise
        # The machine said no: a full disk, a folder that may not be read.
        what = error.strerror or str(error)
        print(f"error: {error.filename}: {what}" if error.filename else f"error: {what}", file=sys.stderr)
        status = 2
    except Exception as error:
        if os.environ.get("BENDML_DEBUG"):
            raise
        print(f"error: bendml itself failed: {type(error).__name__}: {error}", file=sys.stderr)
        print("  set BENDML_DEBUG=1 to see where", file=sys.stderr)
        status = 2
    raise typer.Exit(status)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"bendml {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Check machine learning packages written in Bend 2, and leave evidence."""


@app.command()
def check(
    output: Annotated[Path, typer.Option("--output", "-o", help="The evidence folder to make; it must not exist.")],
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="SUITE|all", help="The suites to run; all of them by default.")
    ] = None,
    engine: Annotated[
        EngineChoice, typer.Option(metavar="ENGINE", help="Who judges: auto, bend, embedded or both.")
    ] = EngineChoice.AUTO,
    require_bend: Annotated[
        bool, typer.Option("--require-bend", help="Fail what only the pinned Bend toolchain can do and is skipped.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many checks run at a time.")] = (
        os.cpu_count() or 1
    ),
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Begin nothing more after a failure.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per check, then one of the run.")] = False,
) -> None:
    """Run suites of checks, and leave sealed evidence in a new folder."""

    def command() -> int:
        from bendml_cli.commands.check import CheckOptions
        from bendml_cli.commands.check import check as run

        return run(CheckOptions(suites or [], output, engine, require_bend, jobs, fail_fast, json))

    _finish(command)


@app.command()
def verify(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A sealed evidence folder.")]) -> None:
    """Re-hash sealed evidence, validate its files, and say what differs."""

    def command() -> int:
        from bendml_cli.commands.verify import verify_evidence

        return verify_evidence(folder)

    _finish(command)


@app.command("list")
def list_command() -> None:
    """List the suites and their checks."""

    def command() -> int:
        from bendml_cli.commands.listing import list_suites

        return list_suites()

    _finish(command)


@app.command()
def check_file(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Bend files.")],
    main: Annotated[bool, typer.Option("--main", help="Print the normal form of main too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per file.")] = False,
    timeout: _Timeout = 60.0,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Check everything anew, and keep nothing.")] = False,
) -> None:
    """Judge Bend files with the embedded engine."""

    def command() -> int:
        from bendml_cli.commands.check_file import CheckFileOptions, check_files

        return check_files(CheckFileOptions(files, main, json, timeout, cache=not no_cache))

    _finish(command)


@app.command("run")
def run_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Bend program.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGS]", help="The program's own arguments.", show_default=False)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many threads; the cores by default.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="With checks of the memory at the end.")] = False,
    timeout: _Timeout = 60.0,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Compile anew, and keep nothing.")] = False,
) -> None:
    """Compile a Bend program, unless that was done before, and run it; its exit status is the program's."""

    def command() -> int:
        from bendml_cli.commands.run import RunOptions
        from bendml_cli.commands.run import run as run_program

        return run_program(RunOptions(file, arguments or [], threads, debug, timeout, cache=not no_cache))

    _finish(command)


@app.command()
def build(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Bend program.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The executable to write.")],
    debug: Annotated[bool, typer.Option("--debug", help="With symbols, and checks of the memory at the end.")] = False,
    portable: Annotated[
        bool, typer.Option("--portable", help="For any processor of this kind, not for this very one.")
    ] = False,
    timeout: _Timeout = 60.0,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Compile anew, and keep nothing.")] = False,
) -> None:
    """Compile a Bend program to an executable, which takes --threads N and, after --, its own arguments."""

    def command() -> int:
        from bendml_cli.commands.build import BuildOptions
        from bendml_cli.commands.build import build as run

        return run(BuildOptions(file, output, debug, portable, timeout, cache=not no_cache))

    _finish(command)


@app.command("compile")
def compile_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Bend program.")],
    emit: Annotated[Emit, typer.Option(metavar="WHAT", help="surface, core, ir or c.")],
    stage: Annotated[
        IrStage, typer.Option(metavar="STAGE", help="Of the ir: lowered, simplified, first-order or owned.")
    ] = IrStage.SIMPLIFIED,
    timeout: _Timeout = 60.0,
) -> None:
    """Print what the compiler makes of a program: what is parsed, checked, lowered, or the C."""

    def command() -> int:
        from bendml_cli.commands.compile import CompileOptions, compile_file

        return compile_file(CompileOptions(file, emit, stage, timeout))

    _finish(command)


@app.command()
def audit_laws(
    packages: Annotated[
        list[str] | None, typer.Argument(metavar="PACKAGE", help="Packages of bend/; all of them by default.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per package.")] = False,
    check_docs: Annotated[
        bool, typer.Option("--check-docs", help="Also compare each README's table of laws with the laws.")
    ] = False,
) -> None:
    """Say what is proved, what is tested and what is trusted: every law without its proof, and what it rests on."""

    def command() -> int:
        from bendml_cli.commands.audit import AuditOptions, audit_packages

        return audit_packages(AuditOptions(packages or [], json, check_docs))

    _finish(command)


@app.command()
def setup(
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Only these, such as bend,lean; a first part, such as cuda, and gpt2-tokenizer name several.",
        ),
    ] = None,
    skip: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="All but these.")] = None,
    no_gpt2: Annotated[bool, typer.Option("--no-gpt2", help="Leave out GPT-2's weights and tokenizer.")] = False,
    offline: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Take the archives from this folder, and nothing from a network.")
    ] = None,
    root: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to install; by default $BENDML_HOME or your data folder.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per artefact, then one of all.")] = False,
) -> None:
    """Install the pinned tools and data, verified, into one folder, without root; once all is there, do nothing."""

    def command() -> int:
        from bendml_cli.commands.setup import SetupOptions
        from bendml_cli.commands.setup import setup as run

        return run(SetupOptions(only or [], skip or [], not no_gpt2, offline, root, json))

    _finish(command)


@app.command()
def doctor(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say which tools, packages and devices are there, what is wrong with them, and whether the machine is idle."""

    def command() -> int:
        from bendml_cli.commands.doctor import DoctorOptions
        from bendml_cli.commands.doctor import doctor as run

        return run(DoctorOptions(json))

    _finish(command)


@bench.command("check")
def bench_check(
    packages: Annotated[
        list[str] | None, typer.Argument(metavar="PACKAGE", help="Packages of bend/; all of them by default.")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="How often each command is timed; the best counts.")] = 5,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A JSON file to write.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Time the embedded checker on each package, in whole processes, without and with a warm cache."""

    def command() -> int:
        from bendml_cli.commands.bench_check import BenchCheckOptions
        from bendml_cli.commands.bench_check import bench_check as run

        return run(BenchCheckOptions(packages or [], runs, output, json))

    _finish(command)


_Runs = Annotated[int, typer.Option(min=5, help="How often each side runs, in turn; medians count.")]
_Seconds = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="About how long a run lasts.")]
_Output = Annotated[Path | None, typer.Option("--output", "-o", help="A JSON file of pyperf's to write.")]
_Json = Annotated[bool, typer.Option("--json", help="Print pyperf's JSON.")]


@bench.command()
def matmul(runs: _Runs = 7, seconds: _Seconds = 0.5, output: _Output = None, json: _Json = False) -> None:
    """Time a product of matrices in Bend, on arrays and on lists, against PyTorch, on one thread."""
    _bench_native("matmul", runs, seconds, output, json)


@bench.command()
def matvec(runs: _Runs = 7, seconds: _Seconds = 0.5, output: _Output = None, json: _Json = False) -> None:
    """Time a vector by a matrix in Bend, on arrays, against PyTorch, on one thread."""
    _bench_native("matvec", runs, seconds, output, json)


@bench.command()
def lists(runs: _Runs = 7, seconds: _Seconds = 0.5, output: _Output = None, json: _Json = False) -> None:
    """Time passes over a list of 1,000,000 numbers in Bend against the same in C with malloc."""
    _bench_native("lists", runs, seconds, output, json)


@bench.command()
def alloc(runs: _Runs = 7, seconds: _Seconds = 0.5, output: _Output = None, json: _Json = False) -> None:
    """Time building and folding a list of 10,000,000 numbers in Bend against the same in C with malloc."""
    _bench_native("alloc", runs, seconds, output, json)


@bench.command()
def mnist(
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="How many epochs a run trains.")] = 3,
    runs: _Runs = 5,
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="How many threads each side has.")] = 1,
    against: Annotated[
        Against, typer.Option(metavar="PEER", help="Whom Bend is compared with: torch.")
    ] = Against.TORCH,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The evidence folder to make; evidence/mnist-TIME by default.")
    ] = None,
    json: _Json = False,
) -> None:
    """Train on MNIST in Bend and in PyTorch, in turn: losses, hits, times, memory, a chart, and sealed evidence."""

    def command() -> int:
        from bendml_cli.commands.bench_mnist import BenchMnistOptions
        from bendml_cli.commands.bench_mnist import bench_mnist as run

        # PyTorch is the only peer that `against` can name.
        return run(BenchMnistOptions(epochs, runs, threads, output, json))

    _finish(command)


@bench.command("tokenizer")
def tokenizer_bench(runs: _Runs = 5, seconds: _Seconds = 0.5, output: _Output = None, json: _Json = False) -> None:
    """Time GPT-2's tokenizer in the native core and in Python against tiktoken, and against BPE as it is defined; and
    in Bend, on a part of the text, against tiktoken."""

    def command() -> int:
        from bendml_cli.commands.bench_options import BenchOptions
        from bendml_cli.commands.bench_tokenizer import bench_tokenizer

        return bench_tokenizer(BenchOptions(runs, seconds, output, json))

    _finish(command)


def _bench_native(name: str, runs: int, seconds: float, output: Path | None, json: bool) -> None:
    def command() -> int:
        from bendml_cli.commands.bench_native import bench_native
        from bendml_cli.commands.bench_options import BenchOptions

        return bench_native(name, BenchOptions(runs, seconds, output, json))

    _finish(command)


_File = Annotated[Path, typer.Argument(metavar="FILE", help="A file; - is the standard input.")]
_Tokenizer = Annotated[
    Path | None,
    typer.Option(
        "--tokenizer", "-t", metavar="DIR", help="A folder with vocab.json and merges.txt; GPT-2's by default."
    ),
]
_OutputFile = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="OUT", help="A file to write; by default the standard output.")
]
_Binary = Annotated[bool, typer.Option("--binary", help="Ids are little-endian 32-bit numbers, and no text.")]
_Backend = Annotated[Backend, typer.Option(metavar="BACKEND", help="Who does the work: auto, native or python.")]


@tokenizer.command("train")
def tokenizer_train(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Texts; - is the standard input.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for vocab.json and merges.txt.")
    ],
    size: Annotated[int, typer.Option(metavar="N", help="How many tokens there may be.")] = 8192,
    specials: Annotated[
        list[str] | None, typer.Option("--special", metavar="TEXT", help="A special token; may be given several times.")
    ] = None,
    least: Annotated[int, typer.Option(min=1, metavar="N", help="Merge what comes so often, and nothing rarer.")] = 2,
    backend: _Backend = Backend.AUTO,
) -> None:
    """Train a byte-level BPE tokenizer with GPT-2's way to cut texts."""

    def command() -> int:
        from bendml_cli.commands.tokenizer import TrainOptions, train_tokenizer

        return train_tokenizer(TrainOptions(files, output, size, specials or [], least, backend))

    _finish(command)


@tokenizer.command("encode")
def tokenizer_encode(
    file: _File = Path("-"),
    folder: _Tokenizer = None,
    output: _OutputFile = None,
    specials: Annotated[
        bool, typer.Option("--specials", help="The texts of special tokens become those tokens.")
    ] = False,
    binary: _Binary = False,
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="How many threads the native back end uses.")] = 1,
    backend: _Backend = Backend.AUTO,
    cache: Annotated[bool, typer.Option("--cache", help="Keep the ids, and take them when they were kept.")] = False,
) -> None:
    """Encode a text, of any bytes, and write its ids."""

    def command() -> int:
        from bendml_cli.commands.tokenizer import EncodeOptions, encode_file

        return encode_file(EncodeOptions(file, folder, output, specials, binary, threads, backend, cache))

    _finish(command)


@tokenizer.command("decode")
def tokenizer_decode(
    file: _File = Path("-"), folder: _Tokenizer = None, output: _OutputFile = None, binary: _Binary = False
) -> None:
    """Decode ids, and write the bytes that were encoded."""

    def command() -> int:
        from bendml_cli.commands.tokenizer import DecodeOptions, decode_file

        return decode_file(DecodeOptions(file, folder, output, binary))

    _finish(command)
