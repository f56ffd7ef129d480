"""The pinned data sets, installed when they are first needed."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.errors import ToolchainError
from bendml_cli.toolchain.download import Patience
from bendml_cli.toolchain.integrity import damaged
from bendml_cli.toolchain.lock import current_platform, load_lock
from bendml_cli.toolchain.progress import Silent, Watcher
from bendml_cli.toolchain.setup import Status, select, set_up
from bendml_cli.toolchain.store import home_or


def mnist_folder(root: Path | None = None, watch: Watcher | None = None) -> Path:
    """The folder that holds MNIST's four files. What is not there yet is installed, as by `bendml setup --only mnist`.

    Raises ToolchainError, with the reason, when they cannot be had or are not the pinned ones.
    """
    return _folder("mnist", root, watch)


def gpt2_tokenizer_folder(root: Path | None = None, watch: Watcher | None = None) -> Path:
    """The folder that holds GPT-2's vocab.json and merges.txt. What is not there yet is installed, as by
    `bendml setup --only gpt2-tokenizer`.

    Raises ToolchainError, with the reason, when they cannot be had or are not the pinned ones.
    """
    return _folder("gpt2-tokenizer", root, watch)


def _folder(name: str, root: Path | None, watch: Watcher | None) -> Path:
    """The folder that all artefacts of this name are in. Raises ToolchainError."""
    wanted = select(load_lock(), current_platform(), only=[name], skip=[])
    home = home_or(root)
    folders = set()
    for outcome in set_up(wanted, home, offline=None, patience=Patience(), watch=watch or Silent()):
        if outcome.status is Status.FAILED or outcome.entry is None:
            tried = "".join(f"; {each.source}: {each.why}" for each in outcome.tried)
            raise ToolchainError(f"{outcome.name} cannot be had: {outcome.problem}{tried}", outcome.way_out)
        # A changed byte would be trained on, and end in numbers that nobody can explain.
        if problems := damaged(outcome.entry, root=home):
            way_out = f"delete it, then run bendml setup --only {outcome.name}"
            raise ToolchainError(f"{outcome.name} is not as it was installed: {'; '.join(problems)}", way_out)
        folders.add(outcome.entry.path.parent)
    (folder,) = folders
    return folder
