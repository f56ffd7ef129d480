"""tiktoken with a vocabulary of our own, made from GPT-2's files or trained: it downloads nothing."""

from __future__ import annotations

import importlib
from typing import Any

from bendml_cli.errors import ReferenceUnavailable
from bendml_cli.tokenizer.vocabulary import Vocabulary

TIKTOKEN_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
"""GPT-2's pattern as tiktoken has it: it cuts the same pieces, and faster."""


def tiktoken_encoding(vocabulary: Vocabulary, pattern: str = TIKTOKEN_PATTERN) -> Any:
    """tiktoken's encoding of a vocabulary. Raises ReferenceUnavailable without tiktoken."""
    try:
        tiktoken = importlib.import_module("tiktoken")
    except ImportError as error:
        raise ReferenceUnavailable(
            f"tiktoken cannot be imported: {error}", "pip install 'bendml[reference]' installs it"
        ) from error
    return tiktoken.Encoding(
        "bendml",
        pat_str=pattern,
        mergeable_ranks=dict(zip(vocabulary.spelled, vocabulary.ids, strict=True)),
        special_tokens=dict(vocabulary.specials),
    )
