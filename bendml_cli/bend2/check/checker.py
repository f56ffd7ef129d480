"""Checking a book: every declaration in load order (judging.md, "Def", "Law", "Datatype")."""

from __future__ import annotations

from bendml_cli.bend2.check.descent import Column
from bendml_cli.bend2.check.subject import Subject
from bendml_cli.bend2.check.templates import Templates
from bendml_cli.bend2.check.typing import NEEDS_GOAL, Typing
from bendml_cli.bend2.core.book import Book, Constructor, Datatype, Definition, Item, Module
from bendml_cli.bend2.core.convert import fits
from bendml_cli.bend2.core.evaluate import Body, EvaluationTimeout, Machine
from bendml_cli.bend2.core.native import NATIVES
from bendml_cli.bend2.core.show import show
from bendml_cli.bend2.core.substitute import instantiate, instantiate_type
from bendml_cli.bend2.core.terms import PLAIN, TEMPLATE, App, Pi, Ref, Term
from bendml_cli.bend2.core.values import TYPE, Env, Thunk, VKind, ready
from bendml_cli.bend2.source import BendError


class Checker:
    """The state of one run over a book: the machine with the bodies checked so far, and the templates' instances.

    `native` False turns off arithmetic on literals. `trusted` names modules whose declarations were accepted before:
    their bodies unfold without being checked again.
    """

    def __init__(self, book: Book, *, timeout: float | None = None, native: bool = True) -> None:
        self.book = book
        self.timeout = timeout
        self.native = native
        self.machine = Machine()
        self.machine.nullary = {key for key, d in book.datatypes.items() if not d.parameters}
        self.templates = Templates(self)

    def check(self, trusted: frozenset[Module] = frozenset()) -> None:
        """Check every item. Raises the first BendError."""
        for item in self.book.items:
            if self._module_of(item) in trusted:
                self._open(item)
                continue
            self.machine.limit(self.timeout)
            try:
                self._check_item(item)
            except EvaluationTimeout:
                message = f"took more than {self.timeout:g} seconds of evaluation"
                hint = "dead code may loop; allow more time with --timeout SECONDS"
                raise self._given_up(item, "timeout", message, hint) from None
            except RecursionError:
                hint = "split it into smaller definitions"
                raise self._given_up(item, "too-deep", "is nested too deep to be checked", hint) from None
            self._open(item)
        self.machine.limit(None)

    def _module_of(self, item: Item) -> Module:
        if item.what == "type":
            return self.book.datatypes[item.key].module
        definition = self.book.definitions[item.key]
        return definition.fill_module or definition.module if item.what == "fill" else definition.module

    def _given_up(self, item: Item, category: str, message: str, hint: str) -> BendError:
        """The refusal of an item that could not be checked to its end."""
        name = self._module_of(item).spell(item.key)
        if item.what == "type":
            pos = self.book.datatypes[item.key].pos
        else:
            definition = self.book.definitions[item.key]
            pos = definition.fill_pos if item.what == "fill" else definition.pos
        return BendError(category, pos, f"{name} {message}", definition=name, hint=hint)

    def _check_item(self, item: Item) -> None:
        match item.what:
            case "type":
                self.check_datatype(self.book.datatypes[item.key])
            case "law":
                self.check_type(self.book.definitions[item.key])
            case "def":
                definition = self.book.definitions[item.key]
                self.check_type(definition)
                self.check_definition(definition)
            case "fill":
                definition = self.book.definitions[item.key]
                self.check_type(definition, definition.fill_module)
                self.check_definition(definition)

    def _open(self, item: Item) -> None:
        """From here on, the definition unfolds."""
        if item.what not in ("def", "fill"):
            return
        definition = self.book.definitions[item.key]
        if definition.body is not None:
            native = NATIVES.get(item.key) if self.native and definition.module.is_base else None
            self.machine.bodies[item.key] = Body(definition.arity, definition.body, native)

    def typing(self, subject: Subject, caller: Typing | None = None) -> Typing:
        """A typing of a subject, in the empty context; `caller` asks for it to check a `~` argument."""
        return Typing(self, subject, caller)

    # -- definitions --------------------------------------------------------------------------------------------

    def check_type(self, definition: Definition, module: Module | None = None) -> None:
        """A def's or a law's type is a type; a foreign def's result is literally an IO."""
        subject = Subject(definition.key, module or definition.module, definition, unsafe=definition.unsafe)
        typing = self.typing(subject)
        typing.check(definition.type, ready(TYPE), False)
        if definition.foreign:
            result: Term = definition.type
            while isinstance(result, Pi):
                result = result.codomain
            if not (isinstance(result, App) and isinstance(result.function, Ref) and result.function.key == "IO"):
                hint = "foreign code returns IO(..), written out"
                raise typing.error("mismatch", result.pos, "a foreign def must return an IO", hint=hint)

    def check_definition(self, definition: Definition) -> None:
        """A def's body against its type; a template's once, with its `~` parameters opaque."""
        subject = Subject(
            definition.key,
            definition.fill_module or definition.module,
            definition,
            unsafe=definition.unsafe,
        )
        self._check_template_names(subject, definition)
        if definition.body is None:
            return
        body, type_ = definition.body, definition.type
        if definition.templates:
            constants, subject.constants = self.templates.constants(definition)
            body, type_ = instantiate(body, constants), instantiate_type(type_, constants)
        self.check_body(subject, body, Thunk(type_, ()), definition.arity - definition.templates)

    def _check_template_names(self, subject: Subject, definition: Definition) -> None:
        names: set[str] = set()
        type_ = definition.type
        while isinstance(type_, Pi) and type_.quantity == TEMPLATE:
            if type_.name in names:
                message = f"two ~ parameters are called {type_.name}"
                raise self.typing(subject).error("template", type_.pos, message, hint="rename one of them")
            names.add(type_.name)
            type_ = type_.codomain

    def check_body(self, subject: Subject, body: Term, goal: Thunk, arity: int) -> None:
        """A body whose text names `arity` parameters, against a type."""
        subject.columns = [Column() for _ in range(arity)]
        self.typing(subject).check(body, goal, True, tuple(subject.columns))

    # -- datatypes ----------------------------------------------------------------------------------------------

    def check_datatype(self, datatype: Datatype) -> None:
        """Its signature, its kind, then each constructor's fields."""
        typing = self.typing(Subject(datatype.key, datatype.module))
        for parameter in datatype.parameters:
            typing.check_kind(parameter.type, parameter.quantity)
            typing.push(parameter.quantity, parameter.name, typing.suspend(parameter.type), parameter.pos)
        typing.check(datatype.kind, ready(TYPE), False)
        kind = typing.suspend(datatype.kind)
        if not isinstance(self.machine.force(kind), VKind):
            message = "a datatype is Data, Type or Kind(q)"
            raise typing.error("not-a-kind", datatype.kind.pos, message, observed=kind)
        for key in datatype.constructors:
            self._check_constructor(datatype, self.book.constructors[key])

    def _check_constructor(self, datatype: Datatype, constructor: Constructor) -> None:
        """A plain field's type fits the declared kind, a marked one's the kind of its mark."""
        typing = self.typing(Subject(constructor.key, datatype.module))
        env: Env = ()
        for parameter in datatype.parameters:
            type_ = Thunk(parameter.type, env)
            env = (*env, typing.push(parameter.quantity, parameter.name, type_, parameter.pos))
        declared = Thunk(datatype.kind, env)
        for field in constructor.fields:
            if field.quantity == PLAIN:
                self._check_plain_field(typing, field.type, datatype.kind, declared, len(datatype.parameters))
            else:
                typing.check_kind(field.type, field.quantity)
            typing.push(field.quantity, field.name, typing.suspend(field.type), field.pos)

    def _check_plain_field(self, typing: Typing, type_: Term, kind: Term, declared: Thunk, parameters: int) -> None:
        if isinstance(type_, NEEDS_GOAL):
            typing.check(type_, declared, False)
            return
        observed = typing.infer(type_, False)
        if not fits(self.machine, observed, declared, typing.context.depth):
            message = "a field's type must have its datatype's kind {expected}, and this one has {observed}"
            hint = "declare the datatype at a lower kind (is Type), or erase the field with -"
            error = typing.mismatch(type_.pos, declared, observed, message, hint)
            # The report shows the declared kind as it is written, not normalised.
            names = tuple(typing.context.names[:parameters])
            error.expected = show(kind, names, typing.subject.module.spell)
            raise error
