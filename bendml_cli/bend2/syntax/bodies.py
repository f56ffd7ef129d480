"""Reading bodies: lets, writes, matches, blocks and do (reading.md, Bodies and do)."""

from __future__ import annotations

from typing import NamedTuple

from bendml_cli.bend2.core.terms import ERASED, PLAIN, REUSABLE
from bendml_cli.bend2.source import BendError, Source
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.context import Context
from bendml_cli.bend2.syntax.cursor import KEYWORDS, NAME
from bendml_cli.bend2.syntax.patterns import VariablePattern
from bendml_cli.bend2.syntax.terms import COLON, PRODUCT, TermReader


class _TypeRead(NamedTuple):
    """A `: T` that was read, by the offset of its colon."""

    colon: int
    type: s.Surface
    end: int
    at: int
    todos: int
    reads: int


class BodyReader(TermReader):
    """Reads bodies. The column of a body is what its match's first case must stand right of."""

    def __init__(self, source: Source, context: Context) -> None:
        super().__init__(source, context)
        self._type_read: _TypeRead | None = None

    def type_after_colon(self) -> tuple[s.Surface, int]:
        """Pass over `: T`: T, and how often it was read up to now.

        A body tries every `: T` after a term as a typed let. If no `=` follows, the group around reads it again, which
        shows in the count of `?TODO`s and of names (reading.md, Match compilation). We read it once and remember.
        """
        known = self._type_read
        if known is not None and known.colon == self.at:
            self.end, self.at = known.end, known.at
            self.todos += known.todos
            self._type_read = known._replace(reads=known.reads + 1)
            return known.type, known.reads + 1
        colon, todos = self.at, self.todos
        self.expect(":", "and a type")
        type_ = self.term()
        self._type_read = _TypeRead(colon, type_, self.end, self.at, self.todos - todos, 1)
        return type_, 1

    def block(self) -> s.Surface:
        """A body whose layout starts at its own first token; its scrutinee errors are raised as it ends."""
        body = self.body(self.column(self.at) - 1)
        if isinstance(body, s.STATEMENTS):
            self.context.end_block(body)
        return body

    def body(self, column: int) -> s.Surface:
        """A body inside the enclosing column."""
        if self.at_keyword("match"):
            return self._match(column)
        if self.peek() == "-":
            return self._erased_let(column)
        begin = self.at
        first = self.term()
        if self._more_terms():
            return self._parallel_let(first, column)
        if self.peek() == ":":
            end, at = self.end, self.at
            type_, _ = self.type_after_colon()
            if not self._at_equals():
                self.end, self.at = end, at
                return first
            binding = self._binding(first)
            return self._let(first.pos, [binding], type_, column)
        if self._at_equals():
            return self._pattern_let(first, column)
        if isinstance(first, s.Index) and self._rebinds(first, begin):
            self.take(";")
            assert isinstance(first.array, s.Name)
            return s.Write(first.pos, first.array.text, first, self.body(column))
        return first

    def _at_equals(self) -> bool:
        return self.peek() == "=" and self.after() not in "=>"

    def _more_terms(self) -> bool:
        """Whether the next token, on the same line, starts a further name of a parallel let."""
        if self.at == self.end and self.peek() != "+":
            return self.starts_name()
        return (self.peek() == "+" or self.starts_name()) and self.same_line()

    def _rebinds(self, write: s.Index, begin: int) -> bool:
        """Whether a write at the start of a statement is followed by another (reading.md, Bodies 4)."""
        if write.value is None or not isinstance(write.array, s.Name):
            return False
        if self.peek() == ";":
            return True
        return not self.at_end() and self.column(self.at) == self.column(begin)

    # Lets

    def _binding(self, term: s.Surface) -> s.Binding:
        """The name, or `+name`, that a parallel or typed let binds."""
        quantity, name = PLAIN, term
        if isinstance(term, s.Marked):
            quantity, name = REUSABLE, term.term
        if not isinstance(name, s.Name):
            raise BendError(
                "pattern",
                term.pos,
                "a parallel or typed let binds names only",
                hint="take the value apart in a let of its own",
            )
        if "." in name.text:
            self.dotted.add(name.text)
        return s.Binding(quantity, name.text, term.pos)

    def _let(self, pos: int, bindings: list[s.Binding], type_: s.Surface | None, column: int) -> s.Surface:
        """The rest of a let, from its `=`."""
        self.expect("=", "and the value of the let")
        values = [self.term() for _ in bindings]
        self.take(";")
        return s.Let(pos, bindings, type_, values, self.body(column))

    def _erased_let(self, column: int) -> s.Surface:
        """`-x = v`, `-x : T = v` or `-x y .. = v w ..`."""
        pos = self.position()
        self.move(self.at + 1)
        bindings: list[s.Binding] = []
        while not bindings or self.starts_name():
            bindings.append(s.Binding(ERASED, "", self.position()))
            bindings[-1].name = self.binder_name("a name after the mark - of an erased let")
        type_ = None
        if len(bindings) == 1 and self.peek() == ":":
            type_, _ = self.type_after_colon()
        if not self._at_equals():
            raise self.error("'=' and the value of an erased let")
        return self._let(pos, bindings, type_, column)

    def _parallel_let(self, first: s.Surface, column: int) -> s.Surface:
        terms = [first]
        while self._more_terms():
            terms.append(self.term())
        if not self._at_equals():
            raise self.error(
                "'=' after the names of a parallel let",
                hint="+ or - right before a name is no operator: put a space after it; statements go on own lines",
            )
        bindings = [self._binding(term) for term in terms]
        return self._let(first.pos, bindings, None, column)

    def _pattern_let(self, target: s.Surface, column: int) -> s.Surface:
        """`P = v`: a let if the pattern is a name, else a match of one row on v."""
        pattern = self.context.pattern(target)
        if isinstance(pattern, VariablePattern):
            quantity = REUSABLE if pattern.plus else PLAIN
            return self._let(target.pos, [s.Binding(quantity, pattern.name, pattern.pos)], None, column)
        self.expect("=", "and the value of the let")
        value = self.term()
        self.take(";")
        return s.Destructure(target.pos, target, pattern, value, self.body(column))

    # Matches

    def _match(self, column: int) -> s.Surface:
        pos = self.position()
        self.move(self.at + len("match"))
        scrutinees = self._terms_to_colon("a scrutinee")
        rows: list[s.Row] = []
        first_column = column + 1
        while self.at_keyword("case"):
            case_column = self.column(self.at)
            if case_column < first_column:
                break
            if not rows:
                first_column = case_column
            rows.append(self._row(len(scrutinees), case_column))
        return s.MatchBody(pos, scrutinees, rows)

    def _terms_to_colon(self, what: str) -> list[s.Surface]:
        """Whole terms with optional commas between them, up to and past a colon."""
        if self.peek() == ":":
            raise self.error(what)
        terms = [self.term()]
        while not self.take(":"):
            self.take(",")
            terms.append(self.term())
        return terms

    def _row(self, width: int, case_column: int) -> s.Row:
        pos = self.position()
        self.move(self.at + len("case"))
        terms = self._terms_to_colon("a pattern")
        patterns = [self.context.pattern(term) for term in terms]
        if len(patterns) != width:
            raise BendError(
                "pattern",
                terms[0].pos,
                f"this row has {_count(len(patterns), 'pattern')} for {_count(width, 'scrutinee')}",
                hint="a pattern followed by one in parentheses reads as a call: put a comma between them",
            )
        return s.Row(pos, terms, patterns, self.body(case_column))

    # Do

    def do_block(self) -> s.Surface:
        """`do M<..>:` and its statements, up to `return` or a final term."""
        pos = self.position()
        self.move(self.at + len("do"))
        name_pos = self.position()
        name = self.name("the name of the type after do")
        self.expect("<", "and the arguments of the type after do")
        arguments: list[s.Surface] = []
        self.rest_of_items(">", arguments)
        self.expect(":", "and the statements of the do block")
        column = self.column(self.at)
        steps: list[s.Step] = []
        while not steps or steps[-1].what not in ("return", "final"):
            steps.append(self._step(column))
        return s.Do(pos, name, name_pos, arguments, steps)

    def _step(self, column: int) -> s.Step:
        pos = self.position()
        if self.take_keyword("return"):
            return s.Step("return", pos, self.term())
        typed = self._typed_step(pos)
        if typed is not None:
            return typed
        term = self.term()
        if self.take("<-"):
            return self._ended(s.Step("drop", pos, self.term(), term))
        if self.take(";") or (not self.at_end() and self.column(self.at) == column):
            return s.Step("step", pos, term)
        return s.Step("final", pos, term)

    def _typed_step(self, pos: int) -> s.Step | None:
        """`[+]x : A <- m` or `[+]x : A = v`, if one comes next."""
        end, at = self.end, self.at
        plus = self.take("+")
        found = NAME.match(self.text, self.at)
        if found is None or found.group() in KEYWORDS or COLON.match(self.text, found.end()) is None:
            self.end, self.at = end, at
            return None
        name_pos = self.position()
        name = self.binder_name("the name that the statement binds")
        self.move(self.at + 1)
        todos = self.todos
        type_ = self.term(PRODUCT)
        if self.take("<-"):
            return self._ended(s.Step("bind", pos, self.term(), type_, name, name_pos, plus))
        if self._at_equals():
            self.move(self.at + 1)
            return self._ended(s.Step("let", pos, self.term(), type_, name, name_pos, plus))
        self.end, self.at, self.todos = end, at, todos
        return None

    def _ended(self, step: s.Step) -> s.Step:
        self.take(";")
        return step


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
