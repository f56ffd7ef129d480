"""The back end in C (core/), compiled by the pinned C compiler on first use, kept, and called through ctypes."""

from __future__ import annotations

import ctypes
import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import regex

from bendml_cli.bend2.digests import file_digest
from bendml_cli.bend2.native.build import CompilerError, build_library
from bendml_cli.bend2.native.options import Options
from bendml_cli.bend2.native.zig import find_zig, processor
from bendml_cli.engines.cache import native_folder, native_tools
from bendml_cli.tokenizer.classes import class_header
from bendml_cli.tokenizer.pieces import cuts
from bendml_cli.tokenizer.vocabulary import Merge, Vocabulary

_CORE = Path(__file__).parent / "core"
_LARGEST_PART, _LEAST_PART = 1 << 22, 1 << 16
"""About so many bytes are encoded by one call: for a single thread as many as may be, for several ones such that each
has some."""
_PARTS_FOR_EACH = 4


class NativeUnavailable(Exception):
    """The core cannot be compiled or loaded; says why."""


def load_core() -> ctypes.CDLL:
    """The core, compiled unless that was done before. Raises NativeUnavailable."""
    core = _loaded()
    if isinstance(core, NativeUnavailable):
        raise core
    return core


@cache
def _loaded() -> ctypes.CDLL | NativeUnavailable:
    """The core, or why there is none, which is found out once."""
    zig = find_zig()
    if zig is None:
        return NativeUnavailable("the C compiler is not installed (the Python package ziglang)")
    try:
        with ExitStack() as stack:
            try:
                library = _library(zig.version, native_folder() / "tokenizer", native_tools())
            except OSError:
                # A cache that cannot be written is done without.
                passing = Path(stack.enter_context(TemporaryDirectory(prefix="bendml-")))
                library = _library(zig.version, passing, passing / "tools")
            return _declared(ctypes.CDLL(str(library)))
    except CompilerError as error:
        return NativeUnavailable(error.message)
    except OSError as error:
        return NativeUnavailable(str(error))


def _library(compiler: str, folder: Path, tools: Path) -> Path:
    """The compiled core in a folder, its name ending with its digest: a damaged one is made anew. `tools` is for what
    the C compiler keeps. Raises CompilerError and OSError."""
    options = Options()
    sources = sorted(_CORE.glob("*.[ch]"))
    # The header of Unicode's classes is what `regex` makes of it.
    parts = [compiler, *options.flags(), processor(), regex.__version__]
    digest = hashlib.sha256("\0".join(parts).encode())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    name = digest.hexdigest()[:32]
    for kept in folder.glob(f"{name}-*.so"):
        if kept.stem == f"{name}-{file_digest(kept)}":
            return kept
        kept.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".headers-") as headers:
        (Path(headers) / "classes.h").write_text(class_header(), encoding="ascii")
        made = Path(headers) / "core.so"
        build_library([each for each in sources if each.suffix == ".c"], Path(headers), made, options, tools)
        return made.replace(folder / f"{name}-{file_digest(made)}.so")


def _declared(core: ctypes.CDLL) -> ctypes.CDLL:
    """The core with its functions' types, as in core/tokenizer.h."""
    pointer, size, signed, nothing = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, None
    for name, answer, arguments in (
        ("model_new", pointer, [pointer, size, pointer]),
        ("model_free", nothing, [pointer]),
        ("encoder_new", pointer, [pointer]),
        ("encoder_free", nothing, [pointer]),
        ("encode", signed, [pointer, ctypes.c_char_p, size, pointer, size, pointer]),
        ("ids", pointer, [pointer]),
        ("split", size, [ctypes.c_char_p, size, pointer]),
        ("trainer_new", pointer, []),
        ("trainer_free", nothing, [pointer]),
        ("trainer_add", ctypes.c_int, [pointer, ctypes.c_char_p, size]),
        ("trainer_run", signed, [pointer, size, ctypes.c_uint64]),
        ("trainer_merges", pointer, [pointer]),
    ):
        function = getattr(core, f"tokenizer_{name}")
        function.restype, function.argtypes = answer, arguments
    return core


class NativeEncoder:
    """Encodes with the core. May be called from several threads at once. Raises NativeUnavailable when it is made."""

    name = "native"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._core = load_core()
        merges = array("I", chain.from_iterable(vocabulary.merges))
        ids = array("I", vocabulary.ids)
        self._idle: list[int] = []
        self._model = self._core.tokenizer_model_new(_address(merges), len(vocabulary.merges), _address(ids))
        if not self._model:
            raise MemoryError

    def __del__(self) -> None:
        for encoder in getattr(self, "_idle", ()):
            self._core.tokenizer_encoder_free(encoder)
        if model := getattr(self, "_model", None):
            self._core.tokenizer_model_free(model)

    def encode(self, texts: Sequence[bytes], threads: int, told: Callable[[int], None]) -> list[array[int]]:
        """The ids of each text. Parts of texts are encoded by so many threads; `told` hears of bytes done."""
        data = texts[0] if len(texts) == 1 else b"".join(texts)
        fair = len(data) // (threads * _PARTS_FOR_EACH) if threads > 1 else _LARGEST_PART
        parts, runs = _plan(texts, max(_LEAST_PART, min(fair, _LARGEST_PART)))

        def encode_run(run: tuple[int, array[int]]) -> tuple[array[int], array[int]]:
            start, ends = run
            done = self._encode_run(data, start, ends)
            told(ends[-1] - start)
            return done

        if threads > 1 and len(runs) > 1:
            with ThreadPoolExecutor(threads) as pool:
                results = list(pool.map(encode_run, runs))
        else:
            results = [encode_run(run) for run in runs]
        return _per_text(parts, results)

    def _encode_run(self, data: bytes, start: int, ends: array[int]) -> tuple[array[int], array[int]]:
        """The ids of the parts from `start` on, which end at `ends`, and how many each has."""
        encoder = self._idle.pop() if self._idle else self._core.tokenizer_encoder_new(self._model)
        if not encoder:
            raise MemoryError
        try:
            counts = array("Q", bytes(8 * len(ends)))
            found = self._core.tokenizer_encode(encoder, data, start, _address(ends), len(ends), _address(counts))
            if found < 0:
                raise MemoryError
            return _numbers("I", self._core.tokenizer_ids(encoder), found), counts
        finally:
            self._idle.append(encoder)


class NativeTrainer:
    """Trains with the core. Raises NativeUnavailable when it is made."""

    name = "native"

    def __init__(self) -> None:
        self._core = load_core()
        self._trainer = self._core.tokenizer_trainer_new()
        if not self._trainer:
            raise MemoryError
        self._made = 0

    def __del__(self) -> None:
        if trainer := getattr(self, "_trainer", None):
            self._core.tokenizer_trainer_free(trainer)

    def add(self, text: bytes) -> None:
        """Count the pieces of a text; all texts come before the first `run`."""
        if self._core.tokenizer_trainer_add(self._trainer, text, len(text)):
            raise MemoryError

    def run(self, count: int, least: int) -> int:
        """Merge until there are `count` merges, or no pair comes `least` times. Answers how many there are."""
        made: int = self._core.tokenizer_trainer_run(self._trainer, count, least)
        if made < 0:
            raise MemoryError
        self._made = made
        return made

    @property
    def merges(self) -> list[Merge]:
        """The merges so far."""
        symbols = _numbers("I", self._core.tokenizer_trainer_merges(self._trainer), 2 * self._made)
        return list(zip(symbols[::2], symbols[1::2], strict=True))


def split(text: bytes) -> list[bytes]:
    """The pieces of a text, as the core cuts it. Raises NativeUnavailable."""
    ends = array("Q", bytes(8 * len(text)))
    count = load_core().tokenizer_split(text, len(text), _address(ends))
    return [text[start:end] for start, end in pairwise([0, *ends[:count]])]


def _plan(texts: Sequence[bytes], size: int) -> tuple[list[int], list[tuple[int, array[int]]]]:
    """How many parts each text is cut into; and the runs to encode, of about so many bytes, as where each starts and
    where its parts end, in all texts after one another."""
    parts: list[int] = []
    runs: list[tuple[int, array[int]]] = []
    start = offset = 0
    ends = array("Q")
    for text in texts:
        parts.append(0)
        for cut in cuts(text, size):
            parts[-1] += 1
            ends.append(offset + cut)
            if ends[-1] - start >= size:
                runs.append((start, ends))
                start, ends = ends[-1], array("Q")
        offset += len(text)
    if ends:
        runs.append((start, ends))
    return parts, runs


def _per_text(parts: list[int], results: list[tuple[array[int], array[int]]]) -> list[array[int]]:
    """The ids of each text, from those of the runs."""

    def each_part() -> Iterator[array[int]]:
        for ids, counts in results:
            if len(counts) == 1:
                yield ids
                continue
            start = 0
            for count in counts:
                yield ids[start : start + count]
                start += count

    rest = each_part()
    texts = []
    for number in parts:
        text = next(rest)
        for _ in range(number - 1):
            text.extend(next(rest))
        texts.append(text)
    return texts


def _address(numbers: array[int]) -> int:
    return numbers.buffer_info()[0]


def _numbers(kind: str, address: int | None, count: int) -> array[int]:
    """A copy of so many numbers that are at an address."""
    numbers = array(kind)
    if count and address is not None:
        numbers.frombytes((ctypes.c_char * (count * numbers.itemsize)).from_address(address))
    return numbers
