"""Templates and their instances (language.md, section 7; judging.md, "Templates"; edges.md, 47 to 49)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bendml_cli.bend2.check.subject import Instance, Subject
from bendml_cli.bend2.check.syntax_key import syntax_key
from bendml_cli.bend2.core.book import Definition
from bendml_cli.bend2.core.substitute import instantiate, instantiate_type, parameter_type
from bendml_cli.bend2.core.terms import Pi, Ref, Term
from bendml_cli.bend2.core.values import Thunk

if TYPE_CHECKING:
    from bendml_cli.bend2.check.checker import Checker
    from bendml_cli.bend2.check.typing import Typing

DEEPEST_INSTANCE = 64
LARGEST_KEY = 100_000  # characters


class Templates:
    """The instances made so far: for each template, by the syntax of its `~` arguments.

    Those that Base makes for itself are kept and numbered apart, so that a program's own are numbered the same whether
    Base was checked in this run or trusted from an earlier one.
    """

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.instances: dict[tuple[str, bool], dict[tuple[str, ...], Instance]] = {}
        self.bodies: dict[str, Term] = {}
        self.types: dict[str, Term] = {}

    def constants(self, definition: Definition) -> tuple[tuple[Term, ...], dict[str, Thunk]]:
        """The opaque constants that stand for a template's `~` parameters in its generic check, with their types.

        They are spelled `f~k`.
        """
        terms: tuple[Term, ...] = ()
        types: dict[str, Thunk] = {}
        type_ = definition.type
        for _ in range(definition.templates):
            assert isinstance(type_, Pi)
            name = f"{definition.key}~{type_.name}"
            types[name] = Thunk(parameter_type(definition.type, terms), ())
            terms = (*terms, Ref(name))
            type_ = type_.codomain
        return terms, types

    def instance(self, typing: Typing, definition: Definition, ref: Ref, arguments: tuple[Term, ...]) -> bool:
        """A live call of a template outside template text: check its `~` arguments, and its instance if that is new.

        Returns whether the call is the present instance's own. Raises BendError.
        """
        count = definition.templates
        if len(arguments) < count:
            name = typing.subject.module.spell(definition.key)
            message = f"{name} is a template and needs its {count} ~ arguments here"
            raise typing.error("template", ref.pos, message)
        given = arguments[:count]
        self._check_arguments(typing, definition, given)
        in_base = typing.subject.in_base
        known = self.instances.setdefault((definition.key, in_base), {})
        key = tuple([syntax_key(term) for term in given])
        instance = known.get(key)
        if instance is None:
            # Arguments that double at each level would need 2^64 nodes before the level is reached.
            too_large = sum(len(each) for each in key) > LARGEST_KEY and typing.subject.level > 1
            if too_large or typing.subject.level >= DEEPEST_INSTANCE:
                message = f"more than {DEEPEST_INSTANCE} instances stand inside one another"
                if too_large:
                    message = "the ~ arguments grow from instance to instance without end"
                hint = "the ~ arguments of a self-call must stay the same or settle"
                raise typing.error("template", ref.pos, message, hint=hint)
            instance = known[key] = Instance(f"{definition.key}~{'base' if in_base else ''}{len(known)}")
            self._check_instance(instance, definition, given, typing.subject)
        ref.typing = (instance.name, count)
        if instance is typing.subject.instance:
            return True
        if instance.checking:
            name = typing.subject.module.spell(instance.name)
            raise typing.error("descent", ref.pos, f"{name} is still being checked: instances may not call each other")
        return False

    def _check_arguments(self, typing: Typing, definition: Definition, given: tuple[Term, ...]) -> None:
        """`~` arguments are checked dead, in the empty context, left to right."""
        for at, term in enumerate(given):
            goal = Thunk(parameter_type(definition.type, given[:at]), ())
            self.checker.typing(typing.subject, typing).check(term, goal, False)

    def _check_instance(
        self, instance: Instance, definition: Definition, given: tuple[Term, ...], caller: Subject
    ) -> None:
        assert definition.body is not None
        module = definition.fill_module or definition.module
        subject = Subject(instance.name, module, definition, unsafe=definition.unsafe, instance=instance, caller=caller)
        body = instantiate(definition.body, given)
        type_ = instantiate_type(definition.type, given)
        self.checker.check_body(subject, body, Thunk(type_, ()), definition.arity - definition.templates)
        self.bodies[instance.name] = body
        self.types[instance.name] = type_
        instance.checking = False
