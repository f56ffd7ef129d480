"""`bendml bench tokenizer`: GPT-2's tokenizer in the native core, in Python, as BPE is defined, and in tiktoken.

All encode the same corpus, and must give the same tokens. tiktoken is made from the same two files. The tokenizer in
Bend meets it on the corpus's beginning.
"""

from __future__ import annotations

import hashlib
import time
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bendml_cli import __version__
from bendml_cli.bench.bend_tokenizer import TIKTOKEN, bend_against_tiktoken
from bendml_cli.bench.contest import Contest, Contestant, Setup, Side, alternate, measure_calls
from bendml_cli.bench.corpus import Corpus, make_corpus
from bendml_cli.bench.native import run_contest
from bendml_cli.errors import BendmlError
from bendml_cli.evidence.facts import host_facts
from bendml_cli.machine import idleness
from bendml_cli.reference.tiktokens import tiktoken_encoding
from bendml_cli.tokenizer import naive
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.files import load
from bendml_cli.tokenizer.tokenizer import Tokenizer, train
from bendml_cli.tokenizer.vocabulary import Vocabulary
from bendml_cli.toolchain.data import gpt2_tokenizer_folder

NAIVE, PYTHON = "Python, as defined", "Python"
NATIVE, NATIVE_NEW, NATIVE_LIST = "native", "native, begun anew", "native, as a list"
REQUIRED_OF_NAIVE = 200.0
REQUIRED_OF_TIKTOKEN = 1.0
TRAINED_SIZE = 8192
TRAINING_SECONDS = 20.0
BEND_BYTES = 8000
_THREADS = (1, 2)

Encode = Callable[[], Iterable[int]]


@dataclass(frozen=True, slots=True)
class TokenizerBench:
    """The contests, which are of one measurement, and what it was made on. `training` are the seconds that the native
    core took to train a vocabulary of `trained_size` tokens, in each run. `of_bend` is on the corpus's beginning,
    and was measured before the others."""

    corpus: Corpus
    tokens: int
    tokens_sha256: str
    against_naive: Contest
    against_tiktoken: Contest
    of_bend: Contest
    training: list[float]
    trained_size: int = TRAINED_SIZE
    training_limit: float = TRAINING_SECONDS


def bench_tokenizer(*, runs: int, seconds: float, told: Callable[[str], None] = lambda text: None) -> TokenizerBench:
    """Encode the corpus with each side, see that the tokens are equal, and hold the contest.

    `told` hears what goes on. Raises ReferenceUnavailable without tiktoken, ToolchainError without GPT-2's files,
    TokenizerError without a native core, and BendmlError when tokens differ or the tokenizer in Bend cannot be made.
    """
    told("collecting the corpus")
    source = gpt2_tokenizer_folder()
    vocabulary, corpus = load(source), make_corpus()
    sides = _sides(vocabulary, corpus.text)
    told("comparing the tokens")
    tokens = array("I", sides[TIKTOKEN]())
    for name, encode in sides.items():
        if array("I", encode()) != tokens:
            raise BendmlError(f"{name}: the tokens are not those of {TIKTOKEN}", "different tokens are not compared")
    part = corpus.beginning(BEND_BYTES)

    def bend(folder: Path) -> Setup:
        return bend_against_tiktoken(source, part, folder)

    of_bend = run_contest(bend, runs=runs, seconds=seconds, told=lambda text: told(f"the tokenizer in Bend: {text}"))
    noise = idleness().noise
    told("measuring")
    contestants = [Contestant(name, measure_calls(encode)) for name, encode in sides.items()]
    measured = alternate(
        contestants, runs=runs, seconds=seconds, told=lambda done: told(f"measuring: {done} of {runs} rounds done")
    )
    by_name = {side.name: side for side in measured}
    told("training")
    training = [_training_seconds(corpus.text) for _ in range(runs)]

    def contest(peer: str, required: Mapping[str, float]) -> Contest:
        others = [_requiring(side, required) for name, side in by_name.items() if name != peer]
        return Contest(
            name=f"tokenizer, against {peer}",
            title=f"GPT-2's tokens of {len(corpus.text)} bytes with SHA-256 {corpus.sha256}",
            bendml=__version__,
            host=host_facts(),
            noise=noise,
            operations=len(corpus.text),
            unit="bytes",
            peer=by_name[peer],
            sides=others,
        )

    one = _native(1)
    return TokenizerBench(
        corpus=corpus,
        tokens=len(tokens),
        tokens_sha256=hashlib.sha256(tokens.tobytes()).hexdigest(),
        against_naive=contest(NAIVE, {one: REQUIRED_OF_NAIVE}),
        against_tiktoken=contest(TIKTOKEN, {one: REQUIRED_OF_TIKTOKEN, NATIVE_LIST: REQUIRED_OF_TIKTOKEN}),
        of_bend=of_bend,
        training=training,
    )


def _sides(vocabulary: Vocabulary, text: bytes) -> dict[str, Encode]:
    """Each side by its name."""
    native = Tokenizer(vocabulary, backend=Backend.NATIVE)
    string = text.decode()
    tiktoken = tiktoken_encoding(vocabulary)

    def with_threads(threads: int) -> Encode:
        return lambda: native.encode_batch([string], threads=threads)[0]

    return {
        TIKTOKEN: lambda: tiktoken.encode_ordinary(string),
        **{_native(threads): with_threads(threads) for threads in _THREADS},
        NATIVE_LIST: lambda: native.encode(string),
        # It knows no piece from before.
        NATIVE_NEW: lambda: Tokenizer(vocabulary, backend=Backend.NATIVE).encode_batch([string])[0],
        PYTHON: lambda: Tokenizer(vocabulary, backend=Backend.PYTHON).encode(string),
        NAIVE: lambda: naive.encode(vocabulary, string.encode()),
    }


def _native(threads: int) -> str:
    return f"{NATIVE}, {threads} thread{'s' * (threads > 1)}"


def _requiring(side: Side, required: Mapping[str, float]) -> Side:
    return side.model_copy(update={"required": required.get(side.name)})


def _training_seconds(text: bytes) -> float:
    began = time.perf_counter()
    train([text], TRAINED_SIZE, backend=Backend.NATIVE)
    return time.perf_counter() - began
