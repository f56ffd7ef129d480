"""Surface syntax to canonical text: what is printed reads back as the same tree (comments are not kept).

Every statement stands on a line of its own, two columns deeper than what holds it, so that the columns and the ends of
lines that reading.md gives a meaning to never join two things that were apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.terms import COMPARE, OPERATORS

_ESCAPES = {10: "\\n", 9: "\\t", 13: "\\r", 0: "\\0", 92: "\\\\"}
_STEP = 2
# A term that starts so may stand after a space without joining the term before it.
_APART = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789'\"")


def print_term(term: s.Surface, indent: int = 0) -> str:
    """The text of a term, or of a body that starts at column `indent` + 1."""
    printer = _Printer()
    printer.term(term, indent)
    return printer.text()


def print_declaration(declaration: s.Declaration) -> str:
    """The text of a declaration, with a newline at its end."""
    printer = _Printer()
    match declaration:
        case s.TypeDecl():
            printer.type_declaration(declaration)
        case s.LawDecl():
            printer.law(declaration)
        case s.DefDecl():
            printer.definition(declaration)
    return printer.text() + "\n"


def print_import(line: s.Import) -> str:
    """The text of an import line, with a newline at its end."""
    return f"import {line.path} as {line.alias}\n" if line.path else "import Base\n"


class _Printer:
    """Collects pieces of text, so that deep terms do not copy their insides at every level."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def text(self) -> str:
        return "".join(self.pieces)

    def put(self, *pieces: str) -> None:
        self.pieces.extend(pieces)

    def line(self, indent: int) -> None:
        self.put("\n", " " * indent)

    # Terms

    def term(self, term: s.Surface, indent: int) -> None:
        _PRINTERS[type(term)](self, term, indent)

    def items(self, terms: Sequence[s.Surface], indent: int) -> None:
        for place, term in enumerate(terms):
            if place:
                self.put(", ")
            self.term(term, indent)

    def block(self, body: s.Surface, indent: int) -> None:
        """A block, on lines of its own if it has statements."""
        if isinstance(body, s.STATEMENTS):
            self.line(indent + _STEP)
            self.term(body, indent + _STEP)
        else:
            self.term(body, indent)

    def name(self, term: s.Name, indent: int) -> None:
        self.put(term.text)

    def sort(self, term: s.Sort, indent: int) -> None:
        self.put(term.word)

    def kind(self, term: s.KindOf, indent: int) -> None:
        self.put("Kind(")
        self.term(term.quantity, indent)
        self.put(")")

    def quantity(self, term: s.Quantity, indent: int) -> None:
        self.put(f"&{term.value}")

    def build(self, term: s.Build, indent: int) -> None:
        self.put(term.name, "{")
        self.items(term.items, indent)
        self.put("}")

    def nat(self, term: s.NatNumber, indent: int) -> None:
        self.put(f"{term.value}n")

    def nat_plus(self, term: s.NatPlus, indent: int) -> None:
        self.put(f"{term.value}n+")
        self.term(term.tail, indent)

    def u32(self, term: s.U32Number, indent: int) -> None:
        self.put(str(term.value))

    def f32(self, term: s.F32Number, indent: int) -> None:
        self.put(term.text)

    def character(self, term: s.Character, indent: int) -> None:
        self.put("'", _escaped(term.code, "'"), "'")

    def string(self, term: s.Text, indent: int) -> None:
        self.put('"', "".join([_escaped(code, '"') for code in term.codes]), '"')

    def dependent(self, term: s.Dependent, indent: int) -> None:
        self.put(term.sign, term.quantity, term.name, ": ")
        self.term(term.domain, indent)
        self.put(" -> ")
        self.term(term.codomain, indent)

    def marked(self, term: s.Marked, indent: int) -> None:
        self.put("+")
        self.term(term.term, indent)

    def instance(self, term: s.Instance, indent: int) -> None:
        self.put(term.name, "<")
        self.items(term.arguments, indent)
        self.put(">")

    def handler(self, term: s.Handler, indent: int) -> None:
        """Arms are on lines of their own, for a `;` after an arm could end a write in it."""
        self.put("\\{")
        for arm in term.arms:
            self.line(indent + _STEP)
            self.put(arm.name, ": ")
            self.term(arm.term, indent + _STEP)
        if term.rest is not None:
            if term.arms:
                self.put(";")
                self.line(indent + _STEP)
            self.term(term.rest, indent + _STEP)
        self.put("}")

    def reflexivity(self, term: s.Reflexivity, indent: int) -> None:
        self.put("{==}")

    def equation(self, term: s.Equation, indent: int) -> None:
        self.put("{")
        self.term(term.left, indent)
        self.put(" != " if term.negated else " == ")
        self.term(term.right, indent)
        self._typed(term.type, indent, "}")

    def annotation(self, term: s.Annotation, indent: int) -> None:
        self.put("{")
        self.term(term.term, indent)
        self._typed(term.type, indent, "}")

    def _typed(self, type_: s.Surface | None, indent: int, close: str) -> None:
        if type_ is not None:
            self.put(" : ")
            self.term(type_, indent)
        self.put(close)

    def rewrite(self, term: s.RewriteTerm, indent: int) -> None:
        """A chain of rewrites stays at one column."""
        self.put("%")
        if term.name is not None:
            self.put(term.name, "@")
        self.term(term.evidence, indent)
        self.put(" : ")
        self.term(term.motive, indent)
        self.put(";")
        self.line(indent)
        self.term(term.body, indent)

    def group(self, term: s.Group, indent: int) -> None:
        self.put("(")
        self.block(term.body, indent)
        self._typed(term.type, indent, ")")

    def tuple(self, term: s.TupleTerm, indent: int) -> None:
        self.put("(")
        self.block(term.items[0], indent)
        self.put(", ")
        self.items(term.items[1:], indent)
        self._typed(term.type, indent, ")")

    def list(self, term: s.ListTerm, indent: int) -> None:
        self.put("[")
        self.items(term.items, indent)
        self.put("]")

    def array(self, term: s.ArrayTerm, indent: int) -> None:
        self.put("[")
        self.term(term.value, indent)
        self.put(" : ")
        self.term(term.type, indent)
        self.put(term.sign)
        self.term(term.size, indent)
        self.put("]")

    def hole(self, term: s.HoleTerm, indent: int) -> None:
        self.put("?", term.name)

    def call(self, term: s.Call, indent: int) -> None:
        self.term(term.function, indent)
        self.put("(" if term.bang < 0 else "!(")
        for place, argument in enumerate(term.arguments):
            if place:
                self.put(", ")
            if place < term.tildes:
                self.put("~")
            self.term(argument, indent)
        self.put(")")

    def index(self, term: s.Index, indent: int) -> None:
        self.term(term.array, indent)
        self.put("[")
        self.term(term.index, indent)
        self.put("]")
        if term.value is not None:
            self.put(" <- ")
            self.term(term.value, indent)

    def lambda_(self, term: s.Lambda, indent: int) -> None:
        self.put("+" if term.plus else "", term.name, " => ")
        self.block(term.body, indent)

    def operation(self, term: s.Operation, indent: int, glue: str = " ") -> None:
        """`glue` stands before the sign. A comparison inside a tighter operation is glued: `a + b< c`."""
        self.term(term.left, indent)
        self.put(f"{glue}{term.sign} ")
        right = term.right
        if isinstance(right, s.Operation) and right.sign == "<" and OPERATORS[term.sign][0] >= COMPARE:
            self.operation(right, indent, "")
        else:
            self.term(right, indent)

    def do(self, term: s.Do, indent: int) -> None:
        self.put("do ", term.name, "<")
        self.items(term.arguments, indent)
        self.put(">:")
        for step in term.steps:
            self.line(indent + _STEP)
            self.step(step, indent + _STEP)

    def step(self, step: s.Step, indent: int) -> None:
        if step.what == "return":
            self.put("return ")
        elif step.type is not None:
            if step.what != "drop":
                self.put("+" if step.plus else "", step.name, " : ")
            self.term(step.type, indent)
            self.put(" = " if step.what == "let" else " <- ")
        self.term(step.value, indent)

    # Statements

    def let(self, let: s.Let, indent: int) -> None:
        if let.bindings[0].quantity == "-":
            self.put("-", " ".join([binding.name for binding in let.bindings]))
        else:
            self.put(" ".join([binding.quantity + binding.name for binding in let.bindings]))
        if let.type is not None:
            self.put(" : ")
            self.term(let.type, indent)
        self.put(" = ")
        self.spaced(let.values, indent)
        self.rest(let.body, indent)

    def destructure(self, let: s.Destructure, indent: int) -> None:
        self.term(let.target, indent)
        self.put(" = ")
        self.term(let.value, indent)
        self.rest(let.body, indent)

    def write(self, write: s.Write, indent: int) -> None:
        self.term(write.write, indent)
        self.line(indent)
        self.term(write.body, indent)

    def rest(self, body: s.Surface, indent: int) -> None:
        """What follows a let: an `&` there would join the value before it, but for a `;`."""
        end = len(self.pieces)
        self.put("")
        self.line(indent)
        begin = len(self.pieces)
        self.term(body, indent)
        first = next((piece for piece in self.pieces[begin : begin + 4] if piece), "")
        if first.startswith("&"):
            self.pieces[end] = ";"

    def spaced(self, terms: Sequence[s.Surface], indent: int) -> None:
        """Terms with white space between them: on lines of their own where a suffix could join two."""
        for place, term in enumerate(terms):
            text = print_term(term, indent)
            if place:
                if text[0] in _APART:
                    self.put(" ")
                else:
                    self.line(indent + _STEP)
            self.put(text)

    def match(self, match: s.MatchBody, indent: int) -> None:
        self.put("match ")
        self.columns(match.scrutinees, indent)
        self.put(":")
        for row in match.rows:
            self.line(indent + _STEP)
            self.put("case ")
            self.columns(row.terms, indent + _STEP)
            self.put(":")
            self.line(indent + 2 * _STEP)
            self.term(row.body, indent + 2 * _STEP)

    def columns(self, terms: Sequence[s.Surface], indent: int) -> None:
        """Scrutinees or patterns: with commas where one could join the one before it."""
        texts = [print_term(term, indent) for term in terms]
        apart = all(text[0] in _APART for text in texts[1:])
        self.put((" " if apart else ", ").join(texts))

    # Declarations

    def binders(self, binders: Sequence[s.Binder]) -> None:
        for place, binder in enumerate(binders):
            if place:
                self.put(", ")
            if binder.type is None:
                self.put(binder.name)
            else:
                self.put(binder.quantity, binder.name, ": ")
                self.term(binder.type, 0)

    def type_declaration(self, declaration: s.TypeDecl) -> None:
        self.put("type ", declaration.name)
        if declaration.parameters:
            self.put("<")
            self.binders(declaration.parameters)
            self.put(">")
        self.put(" is ")
        self.term(declaration.kind, 0)
        self.put(":")
        for constructor in declaration.constructors:
            self.line(_STEP)
            self.put(constructor.name, "{")
            self.binders(constructor.fields)
            self.put("}")

    def clause(self, clause: s.Clause) -> None:
        self.put("exs " if clause.exists else "for ", clause.quantity, clause.name, ": ")
        self.term(clause.type, _STEP)
        if clause.where is not None:
            self.put(" where ")
            self.term(clause.where, _STEP)

    def law(self, law: s.LawDecl) -> None:
        self.put("law ", law.name, ":")
        for clause in law.clauses:
            self.line(_STEP)
            self.clause(clause)
        self.line(_STEP)
        self.term(law.claim, _STEP)

    def definition(self, definition: s.DefDecl) -> None:
        self.put("@unsafe " if definition.mark == "@unsafe" else "", "def ", definition.name)
        self.put("?" if definition.mark == "?" else "", "(")
        self.binders(definition.parameters)
        self.put(")")
        if definition.result is not None:
            self.put(" -> ")
            self.term(definition.result, 0)
        self.put(":")
        for path in definition.foreign:
            self.line(_STEP)
            self.put('import "', path, '"')
        if definition.body is not None:
            self.line(_STEP)
            self.term(definition.body, _STEP)


def _escaped(code: int, quote: str) -> str:
    if code in _ESCAPES:
        return _ESCAPES[code]
    if code == ord(quote):
        return "\\" + quote
    if code < 32 or code == 127 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return f"\\u{{{code:x}}}"
    return chr(code)


_PRINTERS: dict[type[s.Surface], Callable[..., None]] = {
    s.Name: _Printer.name,
    s.Sort: _Printer.sort,
    s.KindOf: _Printer.kind,
    s.Quantity: _Printer.quantity,
    s.Build: _Printer.build,
    s.NatNumber: _Printer.nat,
    s.NatPlus: _Printer.nat_plus,
    s.U32Number: _Printer.u32,
    s.F32Number: _Printer.f32,
    s.Character: _Printer.character,
    s.Text: _Printer.string,
    s.Dependent: _Printer.dependent,
    s.Marked: _Printer.marked,
    s.Instance: _Printer.instance,
    s.Handler: _Printer.handler,
    s.Reflexivity: _Printer.reflexivity,
    s.Equation: _Printer.equation,
    s.Annotation: _Printer.annotation,
    s.RewriteTerm: _Printer.rewrite,
    s.Group: _Printer.group,
    s.TupleTerm: _Printer.tuple,
    s.ListTerm: _Printer.list,
    s.ArrayTerm: _Printer.array,
    s.HoleTerm: _Printer.hole,
    s.Call: _Printer.call,
    s.Index: _Printer.index,
    s.Lambda: _Printer.lambda_,
    s.Operation: _Printer.operation,
    s.Do: _Printer.do,
    s.Let: _Printer.let,
    s.Destructure: _Printer.destructure,
    s.Write: _Printer.write,
    s.MatchBody: _Printer.match,
}
