"""Running an executable in the foreground, as a child that gets our signals. Imports little: a cached start is here."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_FORWARDED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_ASKED_FOR = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGKILL)
"""Signals that others send; a program that ends by any other has crashed."""


def start(program: Path, name: str, arguments: Sequence[str]) -> int:
    """Run a program on our own standard streams, called `name`, and answer its exit status.

    Its end by a signal is told on standard error, and its status is then 128 and the signal's number. Signals that we
    get go on to it. Raises OSError when it cannot be started.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    # Held back until there is a child to send them to.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    ours = [each for each in _FORWARDED if signal.getsignal(each) is not signal.SIG_IGN]
    child = os.posix_spawn(
        program, [name, *arguments], os.environ, setsigmask=held, setsigdef=[*ours, signal.SIGPIPE, signal.SIGXFSZ]
    )

    def forward(number: int, _: object) -> None:
        # It may have ended in this very moment.
        with suppress(ProcessLookupError):
            os.kill(child, number)

    before = {each: signal.signal(each, forward) for each in ours}
    signal.pthread_sigmask(signal.SIG_SETMASK, held)
    _, status = os.waitpid(child, 0)
    for each, handler in before.items():
        signal.signal(each, handler)
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    number = -code
    if number != signal.SIGINT:
        told = "ended by" if number in _ASKED_FOR else "crashed:"
        print(f"{name}: {told} {signal_name(number)}", file=sys.stderr, flush=True)
    return 128 + number


def program_arguments(arguments: Sequence[str], threads: int | None) -> list[str]:
    """A program's command line: what its runtime takes, then its own arguments as they are."""
    ours = [] if threads is None else ["--threads", str(threads)]
    return [*ours, "--", *arguments] if arguments else ours


def signal_name(number: int) -> str:
    """A signal for people: `SIGSEGV (segmentation fault)`."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{name} ({(signal.strsignal(number) or name).lower()})"
