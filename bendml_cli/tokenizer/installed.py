"""GPT-2's own vocabulary, as `bendml setup` installs it."""

from __future__ import annotations

from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer.files import load_files
from bendml_cli.tokenizer.vocabulary import Vocabulary
from bendml_cli.toolchain.store import installed


def gpt2_vocabulary() -> Vocabulary:
    """GPT-2's vocabulary. Raises TokenizerError where it is not installed."""
    vocab, merges = installed("gpt2-vocab"), installed("gpt2-merges")
    if vocab is None or merges is None:
        raise TokenizerError(
            "GPT-2's tokenizer is not installed", "bendml setup --only gpt2-vocab,gpt2-merges installs it"
        )
    return load_files(vocab.path, merges.path)
