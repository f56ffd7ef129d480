"""Texts to try GPT-2's tokenizer on: of every kind that its pattern tells apart, and random ones.

Their characters were in Unicode long before GPT-2: what became a letter or a number since then is one for the newer of
two Unicode tables only, and no text to compare tokenizers by.
"""

from __future__ import annotations

import random

PROSE = {
    "English": "It was the best of times, it was the worst of times; we had everything before us, and nothing.",
    "German": "Größere Straßen führen über schöne Brücken. Übermäßig süße Äpfel schmecken dem Bär’n nicht.",
    "French": "L’été dernier, j’ai mangé des crêpes près d’un château ; « quelle idée ! », disait ma sœur.",
    "Spanish": "¿Dónde está el niño? ¡Mañana comeré piñas, jalapeños y una pequeña porción de jamón!",
    "Portuguese": "Não há pão à venda; a irmã do João põe a maçã no coração da mesa.",
    "Turkish": "İstanbul’da ışıklar söndü, çocuklar şarkı söyleyip gülüştüler.",
    "Polish": "Zażółć gęślą jaźń. Chrząszcz brzmi w trzcinie w Szczebrzeszynie.",
    "Russian": "Съешь же ещё этих мягких французских булок, да выпей чаю. Ёж бежал по тёмной тропинке.",
    "Greek": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Η θάλασσα ήταν ήσυχη κι ο ουρανός γαλάζιος.",
    "Hebrew": "דג סקרן שט בים מאוכזב ולפתע מצא חברה. שָׁלוֹם עֲלֵיכֶם, 123 פעמים!",
    "Arabic": "نص حكيم له سر قاطع وذو شأن عظيم. اَلْعَرَبِيَّةُ لُغَةٌ، ٣٤٥ كلمة؟",
    "Persian": "می‌خواهم کتاب‌های تازه بخوانم؛ سال ۱۴۰۳ است.",
    "Hindi": "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले श्रीराम। १२३ बार।",
    "Thai": "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน ๔๕๖",
    "Chinese": "语言模型读的不是字母，而是数字。二〇二四年，「你好，世界！」",
    "Japanese": "いろはにほへと ちりぬるを。コーヒーをㇰ杯ください、ｶﾀｶﾅも１２３円。",
    "Korean": "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. ㅋㅋㅋ",
    "Vietnamese": "Con sói và con cừu cùng uống nước ở một dòng suối. Tiếng Việt có nhiều dấu.",
}

CODE = {
    "Python": "def f(x, *, y=1):\n    '''It's here.'''\n    return [i**2 for i in range(10) if i % 2 == 0]  # ok\n",
    "C": '#include <stdio.h>\nint main(void)\n{\n\tprintf("%d\\n", 0x1F << 3);\n\treturn 0;\n}\n',
    "Bend": "def add(a: Nat, b: Nat) -> Nat:\n  match a:\n    case 0n:\n      b\n    case 1n+p:\n      1n+add(p, b)\n",
    "HTML": '<p class="a-b">x &amp; y<br/>\r\n\t<!-- don\'t --></p>',
    "JSON": '{"a": [1, 2.5, -3e10], "b\\u00e9": null,\n "c": {"d": true}}',
    "shell": "for f in *.txt; do echo \"$f\" | sed 's/a/b/g' >> /dev/null 2>&1; done",
    "an address": "https://example.org/a/b?c=d&e=%20f#g_h-i",
}

WORDS = {
    "nothing": "",
    "a letter": "a",
    "a space": " ",
    "an apostrophe": "'",
    "contractions": "I'm sure he's said they're late, we've won, she'll go, you'd see, don't.",
    "no contractions": "I'M HE'S 'sing 'twas 'lo 'r 'v 'l 're've'll 'q ' s ''s '''t x's'd don’t",
    "contractions at the end": "'s 't 're 've 'm 'll 'd 'r",
    "contractions after blanks": "\n's \t't  're\u00a0've '\n's",
    "numbers": "0 12 345 6789 3.14159 -17 1,000,000 1e-9 0xFF ½ ² Ⅳ ௫ ٣ ߁ 一二三 ①②③ 100% No.5",
    "letters and numbers": "abc123def456 1st 2nd x86_64 i18n B2B 4ever v1.2.3-rc4",
    "punctuation": '!?.,;:-—…()[]{}<>"“”‘’«»/\\|@#$%^&*_+=~`¡¿§¶†‡•‰№™©®°±×÷€£¥',
    "a long word": "pneumonoultramicroscopicsilicovolcanoconiosis" * 3,
    "the same letter": "a" * 70 + " " + "ab" * 30,
    "a special token": "<|endoftext|> is text here<|endoftext|>",
}

BLANKS = {
    "spaces": "a b  c   d    e",
    "spaces at the end": "the end   ",
    "spaces at the start": "   the start",
    "only spaces": "     ",
    "lines": "a\nb\n\nc\n\n\nd\n",
    "blanks mixed": "a \n b\t\tc \t d\r\n\r\n e\n  f\n\tg \n",
    "tabs": "\ta\t b \tc\t\t1\t!",
    "blanks before numbers and marks": "a  1   2\t3\n4 !  ?\t.\n,",
    "blanks of Unicode": "a\u00a0b\u00a0\u00a0c\u1680d\u2000\u2001e\u2002f\u2003 g\u2009h\u200ai\u202fj\u205fk",
    "more blanks of Unicode": "a\u3000b\u3000\u3000c \u3000d\u3000 e\u0085\u00a0f ",
    "ends of lines": "a\u0085b\u2028c\u2029d\x0be\x0cf\r\rg\u2028\u2029h",
    "no blanks, though they look so": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u180eg\x1ch\x1di\x1ej\x1fk\u2800l",
    "a blank, then a mark": " \u0301a \u0301  \u0301\n\u0301",
    "blanks to the end": "word \n\t \u3000 \u00a0",
}

SIGNS = {
    "emoji": "😀😃🎉🚀 ok 👍 ❤️ ☃︎ ⌚️",
    "emoji with modifiers": "👍🏽👩🏿‍🔬 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇯🇵 1️⃣#️⃣ 🤷🏻‍♀️",
    "combining marks": "e\u0301 a\u0308\u0323 o\u0302\u0301 n\u0303ino Z\u0351\u036b\u0343algo\u0301\u0489",
    "marks within letters": "\u0915\u094d\u0937 \u0e01\u0e33\u0e4c \u0644\u0651\u064e\u0647",
    "marks without letters": "\u0301\u0308 \u20dd1\u20de a\u20d72\u0338",
    "right to left with marks": "\u200fשלום\u200e abc \u202bمرحبا\u202c 12 \u2067ע\u2069",
    "mathematics": "∀x∈ℝ: ⌈x⌉ ≥ x, 𝐚𝑏𝒄𝟘𝟙, ∑ᵢ₌₁ⁿ i² ≠ ∞, ℵ₀ ⊂ 𝔸",
    "private use": "\ue000\ue001a\uf8ff1 \U000f0000\U0010fffd\U00100000 b",
    "never assigned": "\ufdd0\uffffa\U0001ffff1 \U0010ffff\U000dffff b\ufffe",
    "not assigned": "a\U00040000b \U000a1234 1\U000d0000 \U000e0fff!",
    "rare scripts": "ᚠᛇᚻ 𐌰𐌹 𓀀𓁐 ꦗꦮ ᏣᎳᎩ ⵜⵉⴼ ꙮ 𒀀𒐀 ꘠꘡",
    "control characters": "\x00a\x01\x02 \x07b\x1b[0m\x7f\x80\x9f",
    "compatibility": "ﬁ ﬂ ａｂｃ ＡＢＣ １２３ ㎏ ℃ ª º ǅ ʰ ˇ ˈ ′",
    "wrongly read": "CafÃ© â€œquotesâ€\x9d ï¿½ \ufffd",
}

TEXTS = {**PROSE, **CODE, **WORDS, **BLANKS, **SIGNS}
"""Texts by what they are."""

_POOLS = (
    # ASCII, also with apostrophes and blanks in plenty.
    range(0x20, 0x7F),
    [ord(char) for char in "   \n\t''stmdrevl1a."],
    # Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, kana, Chinese, Hangul.
    range(0xA0, 0x250),
    range(0x391, 0x3A2),
    range(0x400, 0x460),
    range(0x5D0, 0x5EB),
    range(0x620, 0x66A),
    range(0x900, 0x974),
    range(0xE01, 0xE3B),
    range(0x3041, 0x3097),
    range(0x4E00, 0x9FA6),
    range(0xAC00, 0xD7A4),
    # Numbers that are no digits, marks, mathematical letters and digits, emoji.
    range(0x2150, 0x2189),
    range(0x300, 0x370),
    range(0x1D400, 0x1D455),
    range(0x1D7CE, 0x1D800),
    range(0x1F300, 0x1F650),
    range(0x1F3FB, 0x1F400),
    # Blanks, and characters without width.
    [*range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000],
    [*range(0x200B, 0x2010), 0x2060, 0xFE0F, 0xFEFF, 0x180E],
    # Control characters, private use, characters that are none, and some that nobody has assigned.
    [*range(0x20), *range(0x7F, 0xA0)],
    range(0xE000, 0xF900),
    [0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF],
    range(0x40000, 0xE0000),
)


def random_text(rng: random.Random, length: int) -> str:
    """So many characters, of a few kinds, or of all kinds, also by the run."""
    pools = rng.sample(_POOLS, rng.choice((2, 4, len(_POOLS))))
    most = rng.choice((1, 3, 8))
    text = ""
    while len(text) < length:
        pool = rng.choice(pools)
        text += "".join(chr(rng.choice(pool)) for _ in range(rng.randint(1, most)))
    return text[:length]


def random_bytes(rng: random.Random, length: int) -> bytes:
    """About so many bytes that are UTF-8 in parts only: random ones, or those of a text, some of them changed."""
    if rng.random() < 0.3:
        return bytes(rng.choices(range(256), k=length))
    data = bytearray(random_text(rng, length).encode())
    for _ in range(rng.randint(1, 1 + len(data) // 8) if data else 0):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.randint(0, 2)] = bytes(rng.choices((*range(0x7F, 0x100), 0x20, 0x27), k=rng.randint(0, 2)))
    return bytes(data)
