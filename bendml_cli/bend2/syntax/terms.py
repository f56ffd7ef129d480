"""Reading terms: operator precedence, bases and suffixes (reading.md, Newlines, Operators, Calls)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from bendml_cli.bend2.source import Source
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.context import Context
from bendml_cli.bend2.syntax.cursor import KEYWORDS, LARGEST, NAME, Cursor

WHOLE, ARROW, PRODUCT, OR, AND, COMPARE, CONS, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, FACTOR, TIGHT = range(14)

# Every operator: its level and whether it associates to the right.
OPERATORS: dict[str, tuple[int, bool]] = {
    "->": (ARROW, True),
    "&": (PRODUCT, True),
    "|": (PRODUCT, True),
    "||": (OR, False),
    "&&": (AND, False),
    "<": (COMPARE, False),
    "<=": (COMPARE, False),
    ">": (COMPARE, False),
    ">=": (COMPARE, False),
    "<>": (CONS, True),
    "++": (CONS, True),
    "<&>": (CONS, True),
    ".|.": (BIT_OR, False),
    ".^.": (BIT_XOR, False),
    ".&.": (BIT_AND, False),
    "<<": (SHIFT, False),
    ">>": (SHIFT, False),
    "+": (SUM, False),
    "-": (SUM, False),
    "*": (FACTOR, False),
    "/": (FACTOR, False),
    "%": (FACTOR, False),
}
_OPERATOR = re.compile(r"<&>|\.[|^&]\.|->|&&|\|\||<=|>=|<>|<<|>>|\+\+|<-|[&|<>+\-*/%]")
_AT_SIGN = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+@")
COLON = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+:")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_SPACE = frozenset(" \t\r\n")


class TermReader(Cursor, ABC):
    """Reads terms; bodies.py adds blocks, declarations.py what stands at top level."""

    def __init__(self, source: Source, context: Context) -> None:
        super().__init__(source)
        self.context = context
        self.todos = 0
        self.todo_places: set[int] = set()
        # Dotted names bound so far in this declaration: those are not looked up among the aliases.
        self.dotted: set[str] = set()

    # What bodies.py provides

    @abstractmethod
    def block(self) -> s.Surface:
        """A body whose layout starts at its own first token."""

    @abstractmethod
    def type_after_colon(self) -> tuple[s.Surface, int]:
        """Pass over `: T`: T and how often it was read."""

    @abstractmethod
    def do_block(self) -> s.Surface:
        """`do M<..>:` and its statements."""

    # Operators

    def term(self, level: int = WHOLE) -> s.Surface:
        """A term whose operators are all at `level` or tighter; a whole term by default."""
        left = self.base(level)
        while True:
            found = _OPERATOR.match(self.text, self.at)
            if found is None:
                return left
            sign = found.group()
            if sign == "<-":
                return left
            own, right_associative = OPERATORS[sign]
            glued = self.glued
            if own < level and not (glued and sign == "<"):
                return left
            if self._no_operator(sign, glued):
                return left
            sign_pos = self.position()
            self.move(found.end())
            if sign == "<":
                left = self._less(left, sign_pos)
            elif sign == "->":
                left = s.Operation(left.pos, sign, sign_pos, left, self.term())
            else:
                right = self.term(own if right_associative else own + 1)
                left = s.Operation(left.pos, sign, sign_pos, left, right)

    def _no_operator(self, sign: str, glued: bool) -> bool:
        """Whether gluing says that the sign is none here."""
        if sign == "+" or sign == "-":
            following = self.after()
            return following in _LETTERS or following == ">"
        if sign == "%":
            return self.after() not in _SPACE
        return glued and sign[0] == ">"

    def _less(self, left: s.Surface, sign_pos: int) -> s.Surface:
        """After `left <`: a comparison, or type arguments if `,` or `>` follows the first."""
        first = self.term(COMPARE + 1)
        if self.peek() not in ",>":
            return s.Operation(left.pos, "<", sign_pos, left, first)
        if not isinstance(left, s.Name):
            raise self.error("an operand", hint="type arguments follow a plain name; put a comparison in parentheses")
        arguments = [first]
        self.rest_of_items(">", arguments)
        return s.Instance(left.pos, left.text, arguments)

    def rest_of_items(self, close: str, items: list[s.Surface]) -> None:
        """The items after the first ones, up to and past the closing token, with optional single commas."""
        while True:
            if items:
                self.take(",")
            if self.take(close):
                return
            items.append(self.term())

    # Bases

    def base(self, level: int) -> s.Surface:
        """A base with its suffixes; a lambda too where a whole term is read."""
        pos = self.position()
        head = self._head()
        if level == WHOLE and self.text.startswith("=>", self.at):
            if isinstance(head, s.Name):
                return self._lambda(pos, False, head)
            if isinstance(head, s.Marked) and isinstance(head.term, s.Name):
                return self._lambda(pos, True, head.term)
        return self._suffixes(head)

    def _lambda(self, pos: int, plus: bool, name: s.Name) -> s.Surface:
        self.move(self.at + 2)
        if "." in name.text:
            self.dotted.add(name.text)
        return s.Lambda(pos, plus, name.text, name.pos, self.block())

    def _head(self) -> s.Surface:
        """A base without suffixes."""
        character = self.peek()
        if character in _LETTERS:
            return self._named()
        if "0" <= character <= "9":
            return self._number()
        reader = _HEADS.get(character)
        if reader is None:
            raise self.error("a term")
        return reader(self)

    def _named(self) -> s.Surface:
        word = self.word()
        pos = self.position()
        if word in KEYWORDS:
            return self._keyword(word, pos)
        self.move(self.at + len(word))
        if self.glued and self.peek() == "{":
            self.context.check_name(word, pos)
            self.move(self.at + 1)
            items: list[s.Surface] = []
            self.rest_of_items("}", items)
            return s.Build(pos, word, items)
        if "." in word and word not in self.dotted:
            self.context.check_name(word, pos)
        return s.Name(pos, word)

    def _keyword(self, word: str, pos: int) -> s.Surface:
        if word in ("Type", "Data", "Quant"):
            self.move(self.at + len(word))
            return s.Sort(pos, word)
        if word == "Kind":
            self.move(self.at + 4)
            self.expect("(", "after Kind")
            quantity = self.term()
            self.expect(")", "after the quantity of Kind")
            return s.KindOf(pos, quantity)
        if word == "do":
            return self.do_block()
        raise self.error("a term")

    def _number(self) -> s.Surface:
        number = self.number()
        if not (isinstance(number, s.NatNumber) and self.glued and self.peek() == "+"):
            return number
        self.move(self.at + 1)
        tail = self.term()
        if isinstance(tail, s.NatNumber) and number.value + tail.value <= LARGEST:
            return s.NatNumber(number.pos, number.value + tail.value)
        return s.NatPlus(number.pos, number.value, tail)

    def _dependent(self) -> s.Surface:
        """`@q x: A -> B`, `&x: A -> B`, or a quantity `&1`."""
        pos, sign = self.position(), self.peek()
        if sign == "&" and self.after() in "0123456789":
            if self.after() not in "012":
                raise self.error("&0, &1 or &2")
            value = int(self.after())
            self.move(self.at + 2)
            return s.Quantity(pos, value)
        self.move(self.at + 1)
        quantity = ""
        if sign == "@" and self.peek() in "-+":
            quantity = self.peek()
            self.move(self.at + 1)
        name_pos = self.position()
        name = self.binder_name(f"the name that {sign} binds")
        self.expect(":", f"after the name that {sign} binds")
        domain = self.term(ARROW + 1)
        self.expect("->", "after the domain")
        return s.Dependent(pos, sign, quantity, name, name_pos, domain, self.term())

    def binder_name(self, what: str) -> str:
        """A name that is bound from here on."""
        name = self.name(what)
        if "." in name:
            self.dotted.add(name)
        return name

    def _marked(self) -> s.Surface:
        pos = self.position()
        self.move(self.at + 1)
        if not self.starts_name():
            raise self.error("a name after the mark +")
        begin = self.at
        term = self.term(TIGHT)
        if not isinstance(term, s.Name | s.Instance):
            raise self.error("a name, or a type with its arguments, after the mark +", begin)
        return s.Marked(pos, term)

    def _braces(self) -> s.Surface:
        """`{==}`, `{a == b : T}`, `{a != b : T}` or `{x : T}`."""
        pos = self.position()
        self.move(self.at + 1)
        if self.take("=="):
            self.expect("}", "to close {==")
            return s.Reflexivity(pos)
        left = self.term()
        negated = self.text.startswith("!=", self.at)
        if negated or self.text.startswith("==", self.at):
            self.move(self.at + 2)
            right = self.term()
            type_, reads = self.type_after_colon()
            self.expect("}", "to close the equation")
            return s.Equation(pos, left, right, type_, negated, reads)
        type_, reads = self.type_after_colon()
        self.expect("}", "to close the annotation")
        return s.Annotation(pos, left, type_, reads)

    def _rewrite(self) -> s.Surface:
        pos = self.position()
        self.move(self.at + 1)
        name = None
        found = NAME.match(self.text, self.at)
        if found is not None and _AT_SIGN.match(self.text, found.end()) is not None:
            name = self.binder_name("a name for the equation")
            self.expect("@", "after the name of the equation")
        evidence = self.term()
        self.expect(":", "and the motive after a rewrite's evidence")
        motive = self.term()
        self.take(";")
        return s.RewriteTerm(pos, name, evidence, motive, self.block())

    def _group(self) -> s.Surface:
        pos = self.position()
        self.move(self.at + 1)
        first = self.block()
        items = [first]
        while self.take(","):
            items.append(self.term())
        type_, reads = None, 0
        if self.peek() == ":":
            type_, reads = self.type_after_colon()
        self.expect(")", "to close the parenthesis")
        if len(items) == 1:
            return s.Group(pos, first, type_, reads)
        return s.TupleTerm(pos, items, type_, reads)

    def _brackets(self) -> s.Surface:
        pos = self.position()
        self.move(self.at + 1)
        if self.take("]"):
            return s.ListTerm(pos, [])
        first = self.term()
        if self.peek() == ":":
            return self._array(pos, first)
        items = [first]
        self.rest_of_items("]", items)
        return s.ListTerm(pos, items)

    def _array(self, pos: int, value: s.Surface) -> s.Surface:
        """`[v : T^d]` or `[v : T*n]`, at the colon."""
        self.move(self.at + 1)
        type_ = self.term(TIGHT)
        sign, sign_pos = self.peek(), self.position()
        if sign not in "^*":
            raise self.error("^ and a depth, or * and a count, after the type of an array")
        self.move(self.at + 1)
        size = self.term()
        self.expect("]", "to close the array")
        return s.ArrayTerm(pos, value, type_, sign, sign_pos, size)

    def _handler(self) -> s.Surface:
        pos = self.position()
        self.move(self.at + 1)
        self.expect("{", "after \\")
        arms: list[s.Arm] = []
        while not self.take("}"):
            name = NAME.match(self.text, self.at)
            if name is None or COLON.match(self.text, name.end()) is None or name.group() in KEYWORDS:
                rest = self.term()
                self.take(";")
                self.expect("}", "after the last arm of \\{..}")
                return s.Handler(pos, arms, rest)
            arm_pos = self.position()
            self.context.check_name(name.group(), arm_pos)
            self.move(name.end())
            self.expect(":", "after a constructor of \\{..}")
            arms.append(s.Arm(name.group(), arm_pos, self.term()))
            self.take(";")
        return s.Handler(pos, arms, None)

    def _hole(self) -> s.Surface:
        pos = self.position()
        self.move(self.at + 1)
        if not self.glued:
            raise self.error("the name of the hole", self.end)
        name = self.name("the name of the hole")
        if name == "TODO":
            self.todos += 1
            self.todo_places.add(pos)
        return s.HoleTerm(pos, name)

    # Suffixes

    def _suffixes(self, head: s.Surface) -> s.Surface:
        """Any number of calls, offloaded calls and indices."""
        while True:
            character = self.peek()
            if character == "(":
                if not self.same_line():
                    return head
                head = self._call(head, -1)
            elif character == "!":
                if self.after() != "(":
                    return head
                bang = self.position()
                if not isinstance(head, s.Name):
                    raise self.error("a call of a top-level name with !")
                self.move(self.at + 1)
                head = self._call(head, bang)
            elif character == "[":
                if not self.same_line():
                    return head
                head = self._index(head)
            else:
                return head

    def _call(self, head: s.Surface, bang: int) -> s.Surface:
        self.move(self.at + 1)
        arguments: list[s.Surface] = []
        tildes = 0
        allowed = 0
        if self.peek() == "~" and isinstance(head, s.Name):
            allowed = self.context.templates_of(head.text)
        while True:
            if arguments:
                self.take(",")
            if self.take(")"):
                return s.Call(head.pos, head, arguments, tildes, bang)
            if self.peek() == "~":
                if tildes != len(arguments) or tildes >= allowed:
                    raise self.error(
                        "an argument without the mark ~",
                        hint="~ marks the leading arguments of a template that is declared above",
                    )
                tildes += 1
                self.move(self.at + 1)
            arguments.append(self.term())

    def _index(self, head: s.Surface) -> s.Surface:
        bracket = self.position()
        self.move(self.at + 1)
        index = self.term()
        self.expect("]", "to close the index")
        value = None
        if self.text.startswith("<-", self.at) and self.same_line():
            self.move(self.at + 2)
            value = self.term(PRODUCT + 1)
        return s.Index(head.pos, head, index, value, bracket)


_HEADS = {
    "'": TermReader.character,
    '"': TermReader.string,
    "@": TermReader._dependent,
    "&": TermReader._dependent,
    "+": TermReader._marked,
    "\\": TermReader._handler,
    "{": TermReader._braces,
    "%": TermReader._rewrite,
    "(": TermReader._group,
    "[": TermReader._brackets,
    "?": TermReader._hole,
}
