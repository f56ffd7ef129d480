"""The pinned Bend, each call a process of its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bendml_cli.bend2.report import ACCEPTED, Report
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax import surface
from bendml_cli.bend2.syntax.laws import read_surface
from bendml_cli.engines.bend_output import plain, read_report
from bendml_cli.engines.bend_program import BendProgram, bend_command, bend_environment, why_no_kernel
from bendml_cli.engines.engine import Capability, Judgement, Ran, Usage
from bendml_cli.engines.process import Finished, ProcessGroup

NAME = "bend"
_KEPT_OF_A_FLOOD = 1 << 16


class BendEngine:
    """Judges, builds and runs with Bend. `limit` bounds each call, in seconds."""

    def __init__(self, program: BendProgram, *, limit: float = 600.0) -> None:
        self.program = program
        self._limit = limit
        self._environment = bend_environment()
        self._no_kernel = why_no_kernel()
        self._processes = ProcessGroup()
        # The first recheck builds the kernel, where the others would be building it too.
        self._kernel = threading.Lock()

    @property
    def name(self) -> str:
        return NAME

    @property
    def version(self) -> str:
        return self.program.version

    def lacks(self, capability: Capability) -> str | None:
        match capability:
            case "kernel":
                return self._no_kernel

    def check(self, path: Path, *, main: bool = False) -> Judgement:
        judgement = self._judge(path, "--check-only")
        if main and judgement.report is not None and judgement.report.accepted:
            return self._with_main(judgement, judgement.report)
        return judgement

    def recheck(self, path: Path) -> Judgement:
        if self._no_kernel is not None:
            raise ValueError(self._no_kernel)
        with self._kernel:
            return self._judge(path, "--verdict")

    def build(self, path: Path, output: Path) -> Ran:
        """Compile a program to a binary, or to C or JavaScript by the ending of `output`. Never raises."""
        ran = self._ran(bend_command(self.program, path.name, "-o", str(output.absolute())), path.parent)
        if ran.failure is None and not output.exists():
            return replace(ran, failure=f"bend made no {output.name}")
        return ran

    def run(self, path: Path) -> Ran:
        """Check a program and run its main. Never raises."""
        return self._ran(bend_command(self.program, path.name), path.parent)

    def run_binary(
        self, binary: Path, *arguments: str, threads: int | None = None, stdin: str = "", gpu: str | None = None
    ) -> Ran:
        """Run what `build` made: on so many threads, with this standard input, and with the GPU `off`, `on` or bounded
        (`4GB`). Never raises."""
        options = [] if threads is None else ["--threads", str(threads)]
        options += [] if gpu is None else ["--gpu", gpu]
        own = ["--", *arguments] if arguments else []
        return self._ran([str(binary.absolute()), *options, *own], binary.parent, stdin)

    def stop(self) -> None:
        self._processes.stop()

    def _judge(self, path: Path, option: str) -> Judgement:
        done = self._call(bend_command(self.program, path.name, option), path.parent)
        transcript = _transcript(f"bend {path.name} {option}", done)
        failure = done.failure(self._limit, answers=(0, 1))
        report: Report | None = None
        note = ""
        if failure is None:
            try:
                report = read_report(path, f"{done.stdout}\n{done.stderr}", done.code)
            except ValueError as error:
                failure = str(error)
        if report is not None:
            report.seconds = done.seconds
            note = _declare_names(report)
        return Judgement(NAME, path, report, failure, _usage(done), note, transcript)

    def _with_main(self, judgement: Judgement, report: Report) -> Judgement:
        """The judgement with main's normal form, which Bend prints when it runs a main that is not IO."""
        path = judgement.file
        done = self._call(bend_command(self.program, path.name), path.parent)
        judgement = replace(
            judgement,
            usage=_sum(judgement.usage, _usage(done)),
            transcript=f"{judgement.transcript}\n{_transcript(f'bend {path.name}', done)}",
        )
        failure = done.failure(self._limit)
        if failure is not None:
            return replace(judgement, report=None, failure=f"main was not evaluated: {failure}")
        lines = [line for line in plain(done.stdout).splitlines() if line.strip() != ACCEPTED]
        report.main = "\n".join(lines).strip() or None
        return judgement

    def _ran(self, command: list[str], folder: Path, stdin: str = "") -> Ran:
        done = self._call(command, folder, stdin)
        return Ran(NAME, done.code, done.stdout, done.stderr, done.failure(self._limit), _usage(done))

    def _call(self, command: list[str], folder: Path, stdin: str = "") -> Finished:
        # From the file's own folder, and by its bare name: no path of this machine comes into what Bend writes.
        try:
            return self._processes.run(command, self._limit, self._environment, cwd=folder, watched=True, stdin=stdin)
        except OSError as error:
            # As a shell would say it.
            reason = f"{Path(command[0]).name}: {error.strerror}"
            return Finished(127, "", reason, 0.0, 0.0, timed_out=False, stopped=False)


def _declare_names(report: Report) -> str:
    """Put the names that the file declares into its report: Bend does not list them. Answers why it could not."""
    try:
        declarations = read_surface(report.file).declarations
    except (BendError, OSError, UnicodeDecodeError, RecursionError) as error:
        reason = error.message if isinstance(error, BendError) else str(error)
        return f"bendml cannot list the laws and definitions of this file: {reason}"
    report.laws = [each.name for each in declarations if isinstance(each, surface.LawDecl)]
    # One without a result fills a law, of this file or another.
    report.definitions = [each.name for each in declarations if isinstance(each, surface.DefDecl) and each.result]
    return ""


def _usage(done: Finished) -> Usage:
    return Usage(done.seconds, done.cpu_seconds, done.peak_resident_bytes, done.user_seconds, done.system_seconds)


def _sum(one: Usage, two: Usage) -> Usage:
    """Two calls as one, one after the other."""

    def add(a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else a + b

    peaks: Sequence[int] = [peak for peak in (one.peak_resident_bytes, two.peak_resident_bytes) if peak is not None]
    return Usage(
        one.seconds + two.seconds,
        add(one.cpu_seconds, two.cpu_seconds),
        max(peaks, default=None),
        add(one.user_seconds, two.user_seconds),
        add(one.system_seconds, two.system_seconds),
    )


def _transcript(call: str, done: Finished) -> str:
    """A call and all that came of it, as it came; of one that wrote without end, how it began."""
    if done.flooded:
        done = replace(done, stdout=done.stdout[:_KEPT_OF_A_FLOOD], stderr=done.stderr[:_KEPT_OF_A_FLOOD])
    end = "\n" if done.stdout and not done.stdout.endswith("\n") else ""
    errors = f"[standard error]\n{done.stderr}" if done.stderr else ""
    end_errors = "\n" if errors and not errors.endswith("\n") else ""
    return f"$ {call}\n{done.stdout}{end}{errors}{end_errors}[status {done.code}, {done.seconds:.3f} s]\n"
