"""GPT-2's tokenizer as the files of numbers that bend/gpt2 reads, made of vocab.json and merges.txt.

    python -m bendml_cli.reference.gpt2_files FOLDER

installs those two where they are missing, and writes merges.table and bytes.ids into the folder.
"""

from __future__ import annotations

import sys
import threading
from functools import cache
from pathlib import Path

from bendml_cli.errors import BendmlError, ReferenceUnavailable, ToolchainError
from bendml_cli.tokenizer.files import load
from bendml_cli.tokenizer.vocabulary import BYTES, Vocabulary
from bendml_cli.toolchain.data import gpt2_tokenizer_folder

MERGES_FILE = "merges.table"
BYTES_FILE = "bytes.ids"
SPECIAL = "<|endoftext|>"

_asking = threading.Lock()


def gpt2_source() -> Path:
    """The folder of vocab.json and merges.txt, installed if need be.

    It is asked for once: that a source does not answer takes a minute to find out.

    Raises ReferenceUnavailable, with the reason, when they cannot be had.
    """
    with _asking:
        found = asked()
    if isinstance(found, ToolchainError):
        raise ReferenceUnavailable(found.message, found.way_out)
    return found


@cache
def asked() -> Path | ToolchainError:
    """What asking for the folder gave."""
    try:
        return gpt2_tokenizer_folder()
    except ToolchainError as error:
        return error


def write_numbers(source: Path, folder: Path) -> None:
    """Write into `folder` what the vocab.json and merges.txt in `source` say: two numbers for each merge, a byte as
    itself and what merge k made as 256 + k; and the token id of each byte.

    The folder is made if need be. Raises TokenizerError when they are damaged, BendmlError when their ids are not as
    GPT-2's are, and OSError.
    """
    vocabulary = load(source)
    require_gpt2_ids(vocabulary)
    merges = "".join(f"{left} {right}\n" for left, right in vocabulary.merges)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MERGES_FILE).write_text(merges, encoding="ascii")
    (folder / BYTES_FILE).write_text("".join(f"{number}\n" for number in vocabulary.ids[:BYTES]), encoding="ascii")


def require_gpt2_ids(vocabulary: Vocabulary) -> None:
    """Raises BendmlError unless the bytes have the ids below 256, merge k makes the id 256 + k, and the next one is
    that of `<|endoftext|>`."""
    size = len(vocabulary.ids)
    if (
        sorted(vocabulary.ids[:BYTES]) != list(range(BYTES))
        or list(vocabulary.ids[BYTES:]) != list(range(BYTES, size))
        or dict(vocabulary.specials) != {SPECIAL: size}
    ):
        raise BendmlError("the ids are not in GPT-2's order: bytes, merges, <|endoftext|>")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m bendml_cli.reference.gpt2_files FOLDER")
    try:
        write_numbers(gpt2_source(), Path(sys.argv[1]))
    except BendmlError as error:
        sys.exit(f"{error.message}: {error.way_out}" if error.way_out else error.message)
