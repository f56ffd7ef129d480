"""`bendml tokenizer`: train, encode and decode files, or what comes by standard input."""

from __future__ import annotations

import sys
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.console_tokenizer import encode_progress, notices, say, train_progress
from bendml_cli.engines.cache import encoded_corpora
from bendml_cli.errors import OutputError, TokenizerError
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.corpora import encode_cached, ids_bytes, ids_of_bytes
from bendml_cli.tokenizer.files import MERGES_FILE, VOCAB_FILE, save
from bendml_cli.tokenizer.tokenizer import Tokenizer, train
from bendml_cli.tokenizer.vocabulary import BYTES
from bendml_cli.tokenizer.whole import write_whole
from bendml_cli.toolchain.data import gpt2_tokenizer_folder

_STANDARD_INPUT = Path("-")
_IDS_ON_A_LINE = 16
_DIGITS_AND_SPACE = b"0123456789 \t\n\r\v\f"
_MOST_DIGITS = 1000
"""No id has as many; Python reads no number of some thousands."""


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """The arguments of `bendml tokenizer train`. `output` is the folder for the two files."""

    files: list[Path]
    output: Path
    size: int
    specials: list[str]
    least: int
    backend: Backend


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """The arguments of `bendml tokenizer encode`. `tokenizer` is a folder, or None for GPT-2's; `output` a file, or
    None for the standard output; `cache` says whether what is encoded is kept."""

    file: Path
    tokenizer: Path | None
    output: Path | None
    specials: bool
    binary: bool
    threads: int
    backend: Backend
    cache: bool


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """The arguments of `bendml tokenizer decode`, as those of `encode`."""

    file: Path
    tokenizer: Path | None
    output: Path | None
    binary: bool


def train_tokenizer(options: TrainOptions) -> int:
    """Train on the files and write the tokenizer. Answers 0. Raises BendmlError and OSError."""
    for name in (VOCAB_FILE, MERGES_FILE):
        if (options.output / name).exists():
            raise OutputError(f"{options.output / name} exists", "name another folder")
    texts = [_read(file) for file in options.files]
    total = sum(map(len, texts))
    began = time.monotonic()
    merges = max(0, options.size - BYTES - len(options.specials))
    with notices(), train_progress(total, merges) as (counted, merged):
        vocabulary = train(
            texts,
            options.size,
            specials=options.specials,
            least=options.least,
            backend=options.backend,
            counted=counted,
            merged=merged,
        )
    save(vocabulary, options.output)
    say(
        f"{vocabulary.size} tokens from {total} bytes in {time.monotonic() - began:.1f} s; they are in"
        f" {options.output / VOCAB_FILE} and {options.output / MERGES_FILE}"
    )
    if vocabulary.size < options.size:
        say(f"note: no pair of tokens is left that comes {options.least} times, so there are fewer than {options.size}")
    return 0


def encode_file(options: EncodeOptions) -> int:
    """Encode a file and write its ids. Answers 0. Raises BendmlError and OSError."""
    _refuse_to_replace(options.output)
    with notices():
        tokenizer = _tokenizer(options.tokenizer, options.backend)
    text = _read(options.file)
    with encode_progress(len(text)) as told:
        if options.cache:
            folder = encoded_corpora()
            with notices():
                ids = encode_cached(
                    tokenizer, text, folder, specials=options.specials, threads=options.threads, told=told
                )
        else:
            (ids,) = tokenizer.encode_batch([text], specials=options.specials, threads=options.threads, told=told)
    _write(options.output, ids_bytes(ids) if options.binary else _ids_text(ids))
    return 0


def decode_file(options: DecodeOptions) -> int:
    """Decode a file of ids and write the text's bytes. Answers 0. Raises BendmlError and OSError."""
    _refuse_to_replace(options.output)
    # Decoding is a look-up, for which the Python back end is fast enough.
    tokenizer = _tokenizer(options.tokenizer, Backend.PYTHON)
    ids = _read_ids(options.file, binary=options.binary)
    _write(options.output, tokenizer.decode_bytes(ids))
    return 0


def _tokenizer(folder: Path | None, backend: Backend) -> Tokenizer:
    return Tokenizer.load(gpt2_tokenizer_folder() if folder is None else folder, backend=backend)


def _read_ids(file: Path, *, binary: bool) -> Sequence[int]:
    data = _read(file)
    if binary:
        try:
            return ids_of_bytes(data)
        except ValueError:
            raise TokenizerError(f"{file}: {len(data)} bytes are no whole number of 32-bit ids") from None
    words = data.split()
    if data.translate(None, _DIGITS_AND_SPACE) or max(map(len, words), default=0) > _MOST_DIGITS:
        at, word = next((at, word) for at, word in enumerate(words) if not word.isdigit() or len(word) > _MOST_DIGITS)
        shown = word[:32].decode("utf-8", "backslashreplace")
        raise TokenizerError(
            f"{file}: '{shown}', word {at + 1}, is not an id",
            "ids are decimal numbers with white space between them; --binary reads 32-bit numbers",
        )
    return [int(word) for word in words]


def _ids_text(ids: array[int]) -> bytes:
    lines = (ids[at : at + _IDS_ON_A_LINE] for at in range(0, len(ids), _IDS_ON_A_LINE))
    return "".join(f"{' '.join(map(str, line))}\n" for line in lines).encode()


def _read(file: Path) -> bytes:
    return sys.stdin.buffer.read() if file == _STANDARD_INPUT else file.read_bytes()


def _refuse_to_replace(output: Path | None) -> None:
    if output is not None and output.exists():
        raise OutputError(f"{output} exists", "name another file")


def _write(output: Path | None, data: bytes) -> None:
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_whole(output, data)
