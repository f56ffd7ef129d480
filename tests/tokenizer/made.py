"""Texts and vocabularies to try things on."""

from __future__ import annotations

from hypothesis import strategies as st

from bendml_cli.tokenizer import naive
from bendml_cli.tokenizer.vocabulary import BYTES, Merge, Vocabulary

CORPUS = (
    "The quick brown fox doesn't jump over the lazy dog; it'll sleep, they've said. We're 12345 in 2024!\n"
    "def quick(fox: int) -> str:\n    return 'the lazy dog' * fox  # jump, jump, jump\n\n\n"
    "Être ou ne pas être, là est la question: où êtes-vous, élève? Привет, мир! Привет, привет. 你好，世界。你好！\n"
    "שלום עולם مرحبا بالعالم 👩‍👩‍👧‍👦 👍🏽👍🏽 e\u0301e\u0301 ½ Ⅷ ٣٤٥"
    " \u00a0\u2003\u3000 \t\r\n aaaaaaaaaaaaaaaa ======== --------\n"
) * 3

_CHARACTERS = "abct s'lrvemdn 01²٣éйя你👍🏽\u0301\u200d\u00a0\u3000\u0085\t\n\r.!-_<|>\0\x7f\ue000\U000e0001\U0010ffff"

ordinary = st.text(alphabet=st.sampled_from(_CHARACTERS), max_size=60)
strings = ordinary | st.text(max_size=40)
"""Strings that are UTF-8."""
byte_texts = st.lists(strings.map(str.encode) | st.binary(max_size=6), max_size=5).map(b"".join)
"""Any bytes, mostly such as could be texts."""


@st.composite
def vocabularies(draw: st.DrawFn, alphabet: bytes = b"ab ", most: int = 24) -> Vocabulary:
    """Vocabularies of any merges of a few bytes, trained or not: also with tokens that no text has."""
    symbols = list(alphabet)
    spelled = {symbol: bytes([symbol]) for symbol in symbols}
    merges: list[Merge] = []
    for _ in range(draw(st.integers(0, most))):
        pair = draw(st.sampled_from(symbols)), draw(st.sampled_from(symbols))
        made = spelled[pair[0]] + spelled[pair[1]]
        if made not in spelled.values() and len(made) < 40:
            symbols.append(BYTES + len(merges))
            spelled[symbols[-1]] = made
            merges.append(pair)
    ids = draw(st.permutations(range(BYTES + len(merges)))) if draw(st.booleans()) else range(BYTES + len(merges))
    return Vocabulary(merges, ids, {})


def trained(size: int = 400, specials: tuple[str, ...] = ()) -> Vocabulary:
    """A vocabulary trained on the corpus, as the definition has it."""
    merges = naive.train([CORPUS.encode()], size - BYTES - len(specials), 2)
    return Vocabulary.numbered(merges, specials)
