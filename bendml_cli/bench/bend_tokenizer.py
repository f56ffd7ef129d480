"""GPT-2's tokenizer in Bend, made native, against tiktoken.

Its encoder, which is proved, goes over a text once for each merge, so a part of the corpus is enough. Its time is that
of a process that encodes the part some times over, less that of one that encodes an empty file.
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from pathlib import Path

from bendml_cli.bench.contest import Contestant, Setup, measure_calls
from bendml_cli.bench.programs import make_native, run_program
from bendml_cli.bend2.native.start import program_arguments
from bendml_cli.errors import BendmlError
from bendml_cli.reference.gpt2_files import write_numbers
from bendml_cli.reference.tiktokens import tiktoken_encoding
from bendml_cli.tokenizer.files import load

BEND, TIKTOKEN = "Bend, 1 thread", "tiktoken"
_SOURCE = "bend/gpt2/cli.bend"
_STARTS = 3
_LEAST_SECONDS = 1e-6
"""What a run is said to take that was over as soon as one without text: a speed needs some time."""


@dataclass(frozen=True, slots=True)
class BendEncoder:
    """bend/gpt2/cli.bend as an executable, the folder of its numbers, a text, and a file that is empty."""

    program: Path
    numbers: Path
    text: Path
    empty: Path

    def tokens(self) -> array[int]:
        """The text's tokens. Raises BendmlError when the program fails or prints anything else."""
        printed, _ = self._encode([self.text])
        try:
            return array("I", map(int, printed.split()))
        except (ValueError, OverflowError) as error:
            raise BendmlError(f"{BEND}: what is printed are no tokens: {error}") from None

    def start_seconds(self) -> float:
        """What the program takes to start, read its numbers and encode nothing: the least of some runs, so that too
        little is taken off its time rather than too much. Raises BendmlError when it fails."""
        return min(self._encode([self.empty])[1] for _ in range(_STARTS))

    def measure(self, passes: int, start_seconds: float) -> float:
        """The seconds that a process takes to encode the text so many times, beyond those of its start.

        Raises BendmlError when it fails.
        """
        return max(self._encode([self.text] * passes)[1] - start_seconds, _LEAST_SECONDS)

    def _encode(self, files: list[Path]) -> tuple[str, float]:
        arguments = ["encode", str(self.numbers), *map(str, files)]
        done = run_program([str(self.program), *program_arguments(arguments, 1)], BEND)
        return done.stdout, done.seconds


def bend_against_tiktoken(source: Path, text: bytes, folder: Path) -> Setup:
    """Both on a text that is UTF-8, with the vocab.json and merges.txt in `source`; what the program needs is made in
    `folder`.

    Raises ReferenceUnavailable without tiktoken, and BendmlError when the program cannot be made, fails, or its tokens
    are not tiktoken's.
    """
    write_numbers(source, folder)
    encoder = BendEncoder(make_native(_SOURCE, folder), folder, folder / "text", folder / "empty")
    encoder.text.write_bytes(text)
    encoder.empty.touch()
    tiktoken, string = tiktoken_encoding(load(source)), text.decode()
    if encoder.tokens() != array("I", tiktoken.encode_ordinary(string)):
        raise BendmlError(f"{BEND}: the tokens are not those of {TIKTOKEN}", "different tokens are not compared")
    start = encoder.start_seconds()
    return Setup(
        name=f"tokenizer in Bend, against {TIKTOKEN}",
        title=f"GPT-2's tokens of the first {len(text)} bytes, with SHA-256 {hashlib.sha256(text).hexdigest()}",
        operations=len(text),
        unit="bytes",
        peer=Contestant(TIKTOKEN, measure_calls(lambda: tiktoken.encode_ordinary(string))),
        contestants=[Contestant(BEND, lambda passes: encoder.measure(passes, start))],
    )
