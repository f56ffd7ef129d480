"""`bendml setup`: install the pinned tools and data."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bendml_cli.commands.termination import termination_as_interrupt
from bendml_cli.console_setup import SetupWatcher, print_setup, setup_progress
from bendml_cli.diagnostics import printable
from bendml_cli.errors import BendmlError
from bendml_cli.toolchain.download import Patience
from bendml_cli.toolchain.lock import current_platform, load_lock
from bendml_cli.toolchain.progress import Silent
from bendml_cli.toolchain.setup import Outcome, Status, select, set_up
from bendml_cli.toolchain.store import home_or


@dataclass(frozen=True, slots=True)
class SetupOptions:
    """The arguments of `bendml setup`."""

    only: list[str]
    skip: list[str]
    gpt2: bool
    offline: Path | None
    root: Path | None
    json: bool


def setup(options: SetupOptions) -> int:
    """Install, and print what became of each artefact. Answers 0 when everything asked for is there, else 1.

    Raises BendmlError for bad use, and where the root cannot be used at all.
    """
    began = time.monotonic()
    platform = current_platform()
    root = home_or(options.root)
    if any("\udc80" <= sign <= "\udcff" for sign in str(root)):
        # npm would write beside it, and setup.json could not name it.
        raise BendmlError(f"{printable(str(root))}: the name of this folder is not UTF-8", "name another with --root")
    if options.offline is not None and not options.offline.is_dir():
        raise BendmlError(f"--offline {options.offline}: there is no such folder")
    skip = _names(options.skip) + ([] if options.gpt2 else ["gpt2"])
    wanted = select(load_lock(), platform, only=_names(options.only), skip=skip)
    if not wanted.number:
        raise BendmlError("nothing is left to set up", "leave out --skip, or name something else with --only")
    offline = options.offline.absolute() if options.offline else None
    outcomes = []
    show = nullcontext(Silent()) if options.json else setup_progress(wanted.number)
    with termination_as_interrupt(), show as watch:
        for outcome in set_up(wanted, root, offline=offline, patience=Patience(), watch=watch):
            outcomes.append(outcome)
            if isinstance(watch, SetupWatcher):
                watch.finished(outcome)
            else:
                print(json.dumps(_outcome_json(outcome)), flush=True)
    counts = Counter(outcome.status for outcome in outcomes)
    seconds = time.monotonic() - began
    if options.json:
        named = {status.value: counts[status] for status in Status}
        verdict = "failed" if counts[Status.FAILED] else "passed"
        print(json.dumps({"root": str(root), "platform": platform, "verdict": verdict, **named}), flush=True)
    else:
        print_setup(root, counts, seconds)
    return 1 if counts[Status.FAILED] else 0


def _names(given: list[str]) -> list[str]:
    """Names that may be given one by one or with commas between them. Raises BendmlError for an option without any."""
    found = [[name.strip() for name in names.split(",") if name.strip()] for names in given]
    if not all(found):
        raise BendmlError("--only and --skip need a name", "bend, for one; a first part, such as cuda, names several")
    return [name for names in found for name in names]


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    entry = outcome.entry
    return {
        "name": outcome.name,
        "version": outcome.version,
        "status": outcome.status.value,
        "path": str(entry.path) if entry else None,
        "sha256": entry.sha256 if entry else None,
        "origin": entry.origin if entry else None,
        "when": entry.when.isoformat() if entry else None,
        "seconds": round(outcome.seconds, 3),
        "problem": outcome.problem or None,
        "way_out": outcome.way_out or None,
        "tried": [asdict(tried) for tried in outcome.tried],
    }
