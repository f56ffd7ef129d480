"""Vocabularies as files: vocab.json and merges.txt, as GPT-2 ships them.

vocab.json gives each token its id, merges.txt names the two parts of each merge, in the order of the merges. Both write
a byte as the character that stands for it. What vocab.json names besides the bytes and what the merges make are the
special tokens, written as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bendml_cli.diagnostics import printable
from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer.vocabulary import BYTE_CHARS, LARGEST_ID, Merge, Vocabulary
from bendml_cli.tokenizer.whole import write_whole

VOCAB_FILE = "vocab.json"
MERGES_FILE = "merges.txt"
_VERSION = "#version"


def load(folder: Path) -> Vocabulary:
    """The vocabulary whose two files are in a folder. Raises TokenizerError, with file and line, and OSError."""
    return load_files(folder / VOCAB_FILE, folder / MERGES_FILE)


def load_files(vocab: Path, merges: Path) -> Vocabulary:
    """The vocabulary of these two files. Raises TokenizerError, with file and line, and OSError."""
    numbers = _read_vocab(vocab)
    symbols = {char: byte for byte, char in enumerate(BYTE_CHARS)}
    pairs: list[Merge] = []
    lines: dict[str, int] = {}
    for number, line in _merge_lines(merges):
        left, right = line.split(" ")
        for part in (left, right):
            if part not in symbols:
                raise _bad(merges, f"'{part}' is not a byte, and no line before makes it", line=number)
        made = left + right
        if made in symbols:
            raise _bad(merges, f"'{made}' is made by line {lines[made]} already", line=number)
        if made not in numbers:
            raise _bad(merges, f"'{made}' has no id in {vocab}", line=number)
        pairs.append((symbols[left], symbols[right]))
        symbols[made] = len(symbols)
        lines[made] = number
    for byte, char in enumerate(BYTE_CHARS):
        if char not in numbers:
            raise _bad(vocab, f"the byte 0x{byte:02X} ('{char}') has no id")
    ids = [numbers[text] for text in symbols]
    return Vocabulary(pairs, ids, {text: number for text, number in numbers.items() if text not in symbols})


def save(vocabulary: Vocabulary, folder: Path) -> None:
    """Write both files into a folder, which is made if need be. Raises OSError."""
    spelled = [spell(text) for text in vocabulary.spelled]
    numbers = dict(zip(spelled, vocabulary.ids, strict=True)) | dict(vocabulary.specials)
    by_id = dict(sorted(numbers.items(), key=lambda item: item[1]))
    write_whole(folder / VOCAB_FILE, json.dumps(by_id).encode())
    lines = [f"{_VERSION}: 0.2", *(f"{spelled[left]} {spelled[right]}" for left, right in vocabulary.merges)]
    write_whole(folder / MERGES_FILE, "".join(f"{line}\n" for line in lines).encode())


def spell(token: bytes) -> str:
    """Bytes as these files write them."""
    return "".join(BYTE_CHARS[byte] for byte in token)


def _read_vocab(file: Path) -> dict[str, int]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            twice = next(text for at, (text, _) in enumerate(pairs) if text in dict(pairs[:at]))
            raise _bad(file, f"'{twice}' is there twice")
        return found

    try:
        numbers = json.loads(_read(file), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise _bad(file, f"not JSON: {error.msg}", line=error.lineno) from None
    except (ValueError, RecursionError):
        raise _bad(file, "not JSON that can be read: a number is too long, or too much is nested") from None
    if not isinstance(numbers, dict):
        raise _bad(file, "not a JSON object of tokens and their ids")
    texts: dict[int, str] = {}
    for text, number in numbers.items():
        if type(number) is not int or not 0 <= number <= LARGEST_ID:
            raise _bad(file, f"the id of '{text}' is {json.dumps(number)}, and not a number from 0 to {LARGEST_ID}")
        if number in texts:
            raise _bad(file, f"'{texts[number]}' and '{text}' have the same id, {number}")
        texts[number] = text
    if "" in numbers:
        raise _bad(file, "a token is empty")
    return numbers


def _merge_lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of two parts, with their numbers."""
    # Not splitlines: what else it takes for the end of a line could be a part of a token.
    for number, line in enumerate(_read(file).split("\n"), 1):
        line = line.removesuffix("\r")
        if not line or (number == 1 and line.startswith(_VERSION)):
            continue
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise _bad(file, f"not two parts with a space between them: '{line}'", line=number)
        yield number, line


def _read(file: Path) -> str:
    try:
        # Newlines as they are.
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        way_out = f"a tokenizer is two files, {VOCAB_FILE} and {MERGES_FILE}"
        raise TokenizerError(f"there is no {file}", way_out) from None
    except UnicodeDecodeError as error:
        raise _bad(file, f"not UTF-8 at byte {error.start}") from None


def _bad(file: Path, what: str, *, line: int | None = None) -> TokenizerError:
    what = printable(what)
    return TokenizerError(f"{file}:{line}: {what}" if line else f"{file}: {what}")
