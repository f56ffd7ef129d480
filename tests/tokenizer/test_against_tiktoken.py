"""The same tokens as tiktoken, made of the same vocabulary."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given, settings

from bendml_cli.reference.tiktokens import tiktoken_encoding
from bendml_cli.tokenizer.backend import Backend
from bendml_cli.tokenizer.files import load, save
from bendml_cli.tokenizer.tokenizer import Tokenizer
from bendml_cli.tokenizer.vocabulary import Vocabulary
from bendml_cli.toolchain.data import gpt2_tokenizer_folder
from bendml_cli.toolchain.store import VARIABLE
from tests.tokenizer.made import CORPUS, ordinary, trained

pytest.importorskip("tiktoken")
TEXTS = [
    CORPUS,
    "He said: \"It's the cat's; they'll've gone, I'd bet we're late.\" I'M, YOU'LL, can't, o'clock, 'twas, ''s",
    "  leading, trailing  \n\n\ttabs\tand\r\nlines\r\r \u00a0\u2003\u2028\u3000\u1680 end   ",
    "class A:\n    def f(self, x):\n        return {x: [1, 2.5e-3, 0xFF]}  # ok?\n\n\n",
    "1234567890 3.14159 1,000,000 ½ ¼ ² ³ ① Ⅻ ٣٤٥ ४५६ 一二三 12th 2nd",
    "Le garçon a mangé une crêpe à l'œuf où l'été brûlait. L'année dernière, c'était déjà Noël.",
    "Ärzte, Öl, Übermut: Straßenbahnhaltestellenhäuschen, größtenteils weiß.",
    "¿Dónde está el niño? ¡Ahí! Mañana comeré piñones.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "我能吞下玻璃而不伤身体。他说：“你好，世界！”",
    "いろはにほへと ちりぬるを。カタカナ、ﾊﾝｶｸ、漢字。",
    "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.",
    "أنا قادر على أكل الزجاج و هذا لا يؤلمني. שלום, מה שלומך?",
    "मैं काँच खा सकता हूँ और मुझे उससे कोई चोट नहीं पहुंचती.",
    "ฉันกินกระจกได้ แต่มันไม่ทำให้ฉันเจ็บ",
    "👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️ ☕️ 🙂🙃 \ufe0f\u200d",
    "e\u0301a\u0300\u0301 Z̷͎̆a̶lgo n\u0303\u0323",
    "\ue000\uf8ff\U000f0000\U0010fffd \u0378\u0380 \ufffe\uffff \U0001fffe",
    "\0\x01\x1b[0m\x7f\x80\x85\x9f\u200b\u200e\u202e\u2066\ufeff",
    "=" * 100 + "-" * 77 + " " * 50 + "a" * 120 + "\n" * 40,
]


Settle = Callable[[str], str]


@pytest.fixture(scope="module")
def settled() -> Settle:
    """Takes characters out of a text that are in another class in tiktoken's version of Unicode than in ours, such as
    new letters."""
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    alone = Vocabulary.numbered([])
    disputed: set[str] = set()
    for kind in (r"\p{L}", r"\p{N}", r"\s"):
        encoding = tiktoken_encoding(alone, pattern=kind)
        theirs = set(Tokenizer(alone, backend=Backend.PYTHON).decode(encoding.encode_ordinary(everything)))
        disputed |= theirs ^ set(regex.findall(kind, everything))
    return lambda text: "".join(char for char in text if char not in disputed)


@pytest.fixture(scope="module")
def small() -> tuple[list[Tokenizer], Any]:
    """A trained vocabulary, in both back ends and in tiktoken."""
    return _three(trained())


def _three(vocabulary: Vocabulary) -> tuple[list[Tokenizer], Any]:
    ours = [Tokenizer(vocabulary, backend=backend) for backend in (Backend.NATIVE, Backend.PYTHON)]
    return ours, tiktoken_encoding(vocabulary)


@settings(deadline=None)
@given(ordinary)
def test_a_trained_vocabulary(small: tuple[list[Tokenizer], Any], settled: Settle, text: str) -> None:
    ours, theirs = small
    text = settled(text)
    expected = theirs.encode_ordinary(text)
    assert [each.encode(text) for each in ours] == [expected, expected]


@pytest.mark.parametrize("text", TEXTS)
def test_texts(small: tuple[list[Tokenizer], Any], text: str) -> None:
    ours, theirs = small
    expected = theirs.encode_ordinary(text)
    assert [each.encode(text) for each in ours] == [expected, expected]


@pytest.mark.network
@pytest.mark.xdist_group("network")
def test_gpt_2_itself(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, settled: Settle
) -> None:
    if VARIABLE not in os.environ:
        monkeypatch.setenv(VARIABLE, str(tmp_path_factory.mktemp("home")))
    folder = gpt2_tokenizer_folder()
    vocabulary = load(folder)
    ours, theirs = _three(vocabulary)
    assert ours[0].encode("Hello, world!<|endoftext|>", specials=True) == [15496, 11, 995, 0, 50256]
    draw = random.Random(11)
    everything = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    drawn = [settled("".join(draw.choices(everything, k=60))) for _ in range(30)]
    for text in [*TEXTS, *drawn]:
        expected = theirs.encode_ordinary(text)
        for each in ours:
            assert each.encode(text) == expected
            assert each.decode(expected) == text
    saved = tmp_path_factory.mktemp("saved")
    save(vocabulary, saved)
    assert load(saved) == vocabulary
    merges = (Path(folder) / "merges.txt").read_text(encoding="utf-8")
    assert (saved / "merges.txt").read_text(encoding="utf-8") == merges
