"""Reading characters: white space, names, keywords and literals (reading.md, "Characters and literals")."""

from __future__ import annotations

import re

from bendml_cli.bend2.core.float32 import single_bits
from bendml_cli.bend2.source import BendError, Source
from bendml_cli.bend2.syntax import surface as s

KEYWORDS = frozenset(
    (
        *("def", "type", "law", "match", "case", "do", "return", "for", "exs", "where", "is", "import"),
        *("Type", "Data", "Kind", "Quant"),
    )
)
LARGEST = 4294967295

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)+")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_NUMBER = re.compile(r"([0-9]+)(?:(n)|(\.[0-9]+(?:[eE][+-]?[0-9]+)?))?")
_STRING_RUN = re.compile(r'[^"\\]*')
_UNICODE_ESCAPE = re.compile(r"\{([0-9A-Fa-f]{1,8})\}")
_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.")
_NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
# What most often stands where a term should have gone on.
_SPACES = "an operator needs spaces around it: glued to what stands beside it, it is none"
_SUFFIX = "a call or an index starts on the line of what it applies to; between two terms, put a comma"
_HINTS = {"-": _SPACES, "+": _SPACES, "%": _SPACES, ">": _SPACES, "(": _SUFFIX, "[": _SUFFIX}
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34}


class Cursor:
    """A place in one file. `at` is the next token's offset, `end` where the token before it ended."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.start = source.start
        self.end = 0
        self.at = 0
        # An end mark saves every look-ahead a bounds check: no token starts with NUL.
        self._guarded = self.text + "\0"
        self.move(0)

    def move(self, end: int) -> None:
        """The token ends here: go to the next one, past white space and comments."""
        self.end = end
        blank = _BLANK.match(self.text, end)
        self.at = end if blank is None else blank.end()

    def peek(self) -> str:
        """The next character ("\\0" at the end of the file)."""
        return self._guarded[self.at]

    def after(self, offset: int = 1) -> str:
        """The character `offset` places after the next one, or "\\0" past the end."""
        place = self.at + offset
        return self._guarded[place] if place < len(self._guarded) else "\0"

    @property
    def glued(self) -> bool:
        """Whether no white space stands before the next token."""
        return self.at == self.end

    def same_line(self) -> bool:
        """Whether no newline stands before the next token."""
        return self.at == self.end or self.text.find("\n", self.end, self.at) < 0

    def column(self, offset: int) -> int:
        """The 1-based column of an offset; a tab counts one."""
        return offset - self.text.rfind("\n", 0, offset)

    def at_end(self) -> bool:
        return self.at >= len(self.text)

    def position(self) -> int:
        """The next token's place, valid across files."""
        return self.start + self.at

    def error(self, expected: str, offset: int | None = None, hint: str | None = None) -> BendError:
        """The syntax error that the next token (or what stands at an offset) is not what was expected."""
        place = self.at if offset is None else offset
        if hint is None and self.text.startswith("==", place):
            hint = "an equation is a type, {a == b : T}; T.is_eq(a, b) compares two values"
        elif hint is None:
            hint = _HINTS.get(self._guarded[min(place, len(self.text))])
        return BendError("syntax", self.start + place, f"expected {expected}, found {self._found(place)}", hint=hint)

    def _found(self, place: int) -> str:
        if place >= len(self.text):
            return "the end of the file"
        name = NAME.match(self.text, place)
        if name is not None:
            word = name.group()
            return f"the keyword '{word}'" if word in KEYWORDS else f"'{word}'"
        letter = self.text[place]
        if letter in "\r\n":
            return "the end of the line"
        return f"'{letter}'" if letter.isprintable() else f"the character U+{ord(letter):04X}"

    def expect(self, token: str, why: str) -> None:
        """Pass over a token that must come; `why` says what it is for."""
        if not self.text.startswith(token, self.at):
            raise self.error(f"'{token}' {why}")
        self.move(self.at + len(token))

    def take(self, token: str) -> bool:
        """Pass over a token if it comes next."""
        if self.text.startswith(token, self.at):
            self.move(self.at + len(token))
            return True
        return False

    # Names

    def word(self) -> str:
        """The name that comes next, whole, without passing over it ("" if none does).

        Raises a syntax error for a name that ends in a dot or has two dots in a row."""
        found = NAME.match(self.text, self.at)
        if found is None:
            return ""
        if self._guarded[found.end()] == ".":
            raise self.error(
                "a word after the dot of a name", found.end(), "put a space before an operator such as .&."
            )
        return found.group()

    def starts_name(self) -> bool:
        """Whether a name that is no keyword comes next."""
        if self.peek() not in _NAME_START:
            return False
        return self.word() not in KEYWORDS

    def at_keyword(self, keyword: str) -> bool:
        """Whether this keyword, as a whole name, comes next."""
        if not self.text.startswith(keyword, self.at):
            return False
        return self.after(len(keyword)) not in _NAME_CHARACTERS

    def take_keyword(self, keyword: str) -> bool:
        if self.at_keyword(keyword):
            self.move(self.at + len(keyword))
            return True
        return False

    def name(self, what: str) -> str:
        """Pass over a name that must come and is no keyword; `what` says of what."""
        word = self.word()
        if not word or word in KEYWORDS:
            raise self.error(what)
        self.move(self.at + len(word))
        return word

    # Literals

    def number(self) -> s.Surface:
        """A Nat literal (a glued `+` is left to the caller), a U32 or an F32 literal."""
        found = _NUMBER.match(self.text, self.at)
        assert found is not None
        digits, nat, fraction = found.groups()
        pos = self.start + self.at
        stop = found.end()
        if fraction is not None:
            bits = single_bits(found.group())
            if bits is None:
                raise self.error("a float literal that fits single precision, at most 3.40282356e38")
            self.move(stop)
            return s.F32Number(pos, found.group(), bits)
        following = self._guarded[stop]
        if following in _NAME_CHARACTERS:
            raise self.error(
                "the end of the number",
                stop,
                "a float is digits, a point, digits, and then an exponent if any",
            )
        value = int(digits) if len(digits.lstrip("0")) <= 10 else LARGEST + 1
        if value > LARGEST:
            raise self.error(f"a literal that is at most {LARGEST}")
        self.move(stop)
        return s.NatNumber(pos, value) if nat else s.U32Number(pos, value)

    def character(self) -> s.Character:
        """`'c'`: one code point or escape in quotes."""
        begin = self.at
        place = begin + 1
        if place >= len(self.text):
            raise self.error("a character", place)
        if self.text[place] == "\\":
            code, place = self._escape(place)
        else:
            code, place = ord(self.text[place]), place + 1
        if self._guarded[place] != "'":
            raise self.error("the closing ' of a character", place)
        self.move(place + 1)
        return s.Character(self.start + begin, code)

    def string(self) -> s.Text:
        """`"text"`; raw newlines and `#` are ordinary in it."""
        begin = self.at
        place = begin + 1
        codes: list[int] = []
        while True:
            run = _STRING_RUN.match(self.text, place)
            assert run is not None
            codes.extend(map(ord, run.group()))
            place = run.end()
            if place >= len(self.text):
                opened = self.text.count("\n", 0, begin) + 1
                hint = f"the string begins in line {opened}, column {self.column(begin)}"
                raise self.error('the closing " of a string', place, hint)
            if self.text[place] == '"':
                break
            code, place = self._escape(place)
            codes.append(code)
        self.move(place + 1)
        return s.Text(self.start + begin, tuple(codes))

    def _escape(self, place: int) -> tuple[int, int]:
        """The code of the escape at a backslash, and the offset after it."""
        letter = self.text[place + 1 : place + 2]
        if letter in _ESCAPES:
            return _ESCAPES[letter], place + 2
        if letter == "u":
            found = _UNICODE_ESCAPE.match(self.text, place + 2)
            if found is not None:
                return int(found.group(1), 16), found.end()
        raise self.error("an escape: \\n \\t \\r \\0 \\\\ \\' \\\" or \\u{h} with 1 to 8 hex digits", place)
