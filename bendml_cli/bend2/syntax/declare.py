"""Declarations into the book: a file's reader, which resolves, compiles and registers as it reads."""

from __future__ import annotations

from bendml_cli.bend2.core.book import Book, Constructor, Datatype, Definition, Item, Module, Parameter
from bendml_cli.bend2.core.terms import PLAIN, REUSABLE, App, Lam, Pi, Quant, Ref, Term
from bendml_cli.bend2.source import BendError, Source
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.declarations import DeclarationReader, leading_templates
from bendml_cli.bend2.syntax.desugar import Desugarer
from bendml_cli.bend2.syntax.match import Pending
from bendml_cli.bend2.syntax.names import Names
from bendml_cli.bend2.syntax.scope import EMPTY, PendingBinder, Scope
from bendml_cli.bend2.syntax.unnamed import names_read


class FileReader(DeclarationReader):
    """Reads the declarations of one module into the book.

    Each one is parsed, then desugared, before the next is looked at: so errors come in source order (reading.md, Which
    error comes first).
    """

    def __init__(self, source: Source, book: Book, module: Module) -> None:
        self.names = Names(book, module)
        super().__init__(source, self.names)
        self.book = book
        self.module = module

    def new_name(self, pos: int, name: str) -> None:
        self.names.declare(name, pos)

    def new_constructor(self, pos: int, name: str) -> None:
        self.names.declare(name, pos, constructor=True)

    def read_all(self) -> None:
        """Read every declaration of the file (its imports are done)."""
        reading = True
        while reading:
            start = self.position()
            try:
                reading = self._read_one()
            except RecursionError:
                message = "this declaration is nested too deep to be read"
                raise BendError("too-deep", start, message, hint="split it into smaller ones") from None
        self.module.todos = self.todos
        self.module.todo_places = sorted(self.todo_places)

    def _read_one(self) -> bool:
        """Read the next declaration; False at the end of the file."""
        declaration = self.declaration()
        match declaration:
            case None:
                return False
            case s.TypeDecl():
                self._add_type(declaration)
            case s.LawDecl():
                self._add_law(declaration)
            case s.DefDecl():
                self._add_def(declaration)
        return True

    # Telescopes

    def _binder_type(self, binder: s.Binder, desugarer: Desugarer, scope: Scope, depth: int, first: bool) -> Term:
        """The type of a binder. Only a signature's first one is looked at for operators while reading."""
        if binder.type is None:
            return Quant(binder.pos)
        if first:
            return desugarer.term(binder.type, scope, depth)
        return desugarer.under_binder(binder.type, scope, depth)

    def _telescope(
        self, binders: list[s.Binder], desugarer: Desugarer, scope: Scope, depth: int
    ) -> tuple[list[Parameter], Scope]:
        """Binders in a row, each under the ones before it, and the scope under them all."""
        parameters = []
        for place, binder in enumerate(binders):
            type_ = self._binder_type(binder, desugarer, scope, depth + place, depth + place == 0)
            parameters.append(Parameter(binder.quantity, binder.name, type_, binder.pos))
            scope = scope.bind(binder.name, depth + place)
        return parameters, scope

    # Types

    def _add_type(self, declaration: s.TypeDecl) -> None:
        desugarer = Desugarer(self.names, _no_fields)
        parameters, scope = self._telescope(declaration.parameters, desugarer, EMPTY, 0)
        depth = len(parameters)
        if depth:
            kind = desugarer.under_binder(declaration.kind, scope, depth)
        else:
            kind = desugarer.term(declaration.kind, scope, depth)
        desugarer.raise_bare_operators()
        block = 0
        while block < depth and isinstance(parameters[block].type, Quant):
            block += 1
        key = self.names.declare(declaration.name, declaration.pos)
        datatype = Datatype(key, tuple(parameters), kind, block, [], self.module, declaration.pos)
        self.book.datatypes[key] = datatype
        self.book.items.append(Item("type", key))
        while (constructor := self.constructor()) is not None:
            declaration.constructors.append(constructor)
            fields, _ = self._telescope(constructor.fields, desugarer, scope, depth)
            desugarer.raise_bare_operators()
            own = self.names.declare(constructor.name, constructor.pos, constructor=True)
            self.book.constructors[own] = Constructor(own, key, tuple(fields), constructor.pos)
            datatype.constructors.append(own)

    # Laws

    def _add_law(self, declaration: s.LawDecl) -> None:
        key = self.names.declare(declaration.name, declaration.pos)
        desugarer = Desugarer(self.names, _no_fields)
        type_ = self._claim(declaration, 0, desugarer, EMPTY)
        desugarer.raise_bare_operators()
        definition = Definition(key, type_, 0, self.module, declaration.pos, is_law=True)
        definition.templates = leading_templates([clause.quantity for clause in declaration.clauses])
        self.book.definitions[key] = definition
        self.book.items.append(Item("law", key))

    def _claim(self, law: s.LawDecl, place: int, desugarer: Desugarer, scope: Scope) -> Term:
        """The function type of the clauses from `place` on, and the claim."""
        if place == len(law.clauses):
            if place:
                return desugarer.under_binder(law.claim, scope, place)
            return desugarer.term(law.claim, scope, place)
        clause = law.clauses[place]
        if place:
            domain = desugarer.under_binder(clause.type, scope, place)
        else:
            domain = desugarer.term(clause.type, scope, place)
        if clause.where is not None:
            condition = desugarer.under_binder(clause.where, scope.bind(clause.name, place), place + 1)
            domain = _exists(domain, clause, condition)
        rest = self._claim(law, place + 1, desugarer, scope.bind(clause.name, place))
        if clause.exists:
            return _exists(domain, clause, rest)
        return Pi(clause.quantity, clause.name, domain, rest, clause.name_pos)

    # Defs

    def _add_def(self, declaration: s.DefDecl) -> None:
        law = None
        if declaration.result is None:
            law = self.book.definitions[self.names.law_key(declaration.name)]
        desugarer = Desugarer(self.names, lambda: names_read(declaration))
        if law is None:
            definition = self._signature(declaration, desugarer)
        else:
            definition = law
            law.arity = len(declaration.parameters)
            law.fill_pos = declaration.pos
            law.fill_module = self.module
        definition.unsafe = declaration.mark != ""
        self.book.items.append(Item("def" if law is None else "fill", definition.key))
        self.def_body(declaration)
        if declaration.body is None:
            if definition.templates:
                raise BendError("template", declaration.pos, "a template cannot have a foreign body")
            definition.foreign = tuple(declaration.foreign)
            return
        definition.body = self._body(declaration, desugarer)
        desugarer.raise_bare_operators()

    def _signature(self, declaration: s.DefDecl, desugarer: Desugarer) -> Definition:
        """Declare a def by its parameters and result, so that its body may name it."""
        parameters, scope = self._telescope(declaration.parameters, desugarer, EMPTY, 0)
        depth = len(parameters)
        assert declaration.result is not None
        if depth:
            type_ = desugarer.under_binder(declaration.result, scope, depth)
        else:
            type_ = desugarer.term(declaration.result, scope, depth)
        desugarer.raise_bare_operators()
        for parameter in reversed(parameters):
            type_ = Pi(parameter.quantity, parameter.name, parameter.type, type_, parameter.pos)
        key = self.names.declare(declaration.name, declaration.pos)
        definition = Definition(key, type_, depth, self.module, declaration.pos)
        definition.templates = leading_templates([binder.quantity for binder in declaration.parameters])
        self.book.definitions[key] = definition
        return definition

    def _body(self, declaration: s.DefDecl, desugarer: Desugarer) -> Term:
        """The closed body: its parameters are the first pending binders, the template ones lambdas in front."""
        assert declaration.body is not None
        scope = EMPTY
        binders = []
        for binder in declaration.parameters:
            waiting = PendingBinder(binder.name, binder.pos, binder.quantity == REUSABLE)
            scope = scope.bind(binder.name, waiting)
            binders.append(waiting)
        pending: Pending = None
        for waiting in reversed(binders):
            pending = (waiting, pending)
        return desugarer.bodies.body(declaration.body, scope, pending, 0, None)


def _exists(domain: Term, clause: s.Clause, rest: Term) -> Term:
    return App(Ref("Exists", False, clause.pos), (domain, Lam(PLAIN, clause.name, rest, clause.name_pos)), clause.pos)


def _no_fields() -> int:
    return 0
