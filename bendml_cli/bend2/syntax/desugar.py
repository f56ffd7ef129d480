"""Surface terms to core terms (language.md section 3; reading.md, Operators, do, Lambdas applied on the spot)."""

from __future__ import annotations

from collections.abc import Callable

from bendml_cli.bend2.core.terms import (
    PLAIN,
    REUSABLE,
    Absurd,
    Ann,
    App,
    BareOperator,
    Ctr,
    Data,
    Eq,
    F32Lit,
    Hole,
    Kind,
    Lam,
    Let,
    LetBinder,
    Match,
    Meet,
    NatLit,
    Pi,
    Quant,
    QuantLit,
    Ref,
    Refl,
    Rewrite,
    StrLit,
    Term,
    U32Lit,
    Var,
    apply,
)
from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax import surface as s
from bendml_cli.bend2.syntax.match import BodyCompiler
from bendml_cli.bend2.syntax.names import Names
from bendml_cli.bend2.syntax.scope import PendingBinder, Scope, Suspended

# The operators that are functions of the namespace of the group around them.
METHODS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "%": "mod",
    "<": "is_lt",
    "<=": "is_le",
    ">": "is_gt",
    ">=": "is_ge",
    ".&.": "and",
    ".^.": "xor",
    ".|.": "or",
    "<<": "shln",
    ">>": "shrn",
}
# The operators that are one function always.
FUNCTIONS = {"&": "Pair", "|": "Or", "&&": "Bool.and", "||": "Bool.or", "++": "String.append"}
# The functions whose arguments are in the namespace of the group around the call.
PASSING = frozenset(("Bool.and", "Bool.or", "String.append"))

_LAST_SUCC = 256  # 257n+x is an addition
# Lambdas applied on the spot copy their arguments: nested ones double at each level, and one may apply itself forever.
MOST_SUBSTITUTIONS = 200_000
_INDEX_NAMESPACE = "U32"
_U32_BITS = 32


class Desugarer:
    """Makes the core terms of one declaration."""

    def __init__(self, names: Names, first_field: Callable[[], int]) -> None:
        self.names = names
        self.bodies = BodyCompiler(self)
        # Operators without a type met so far: the first one is reported when the body ends.
        self.bare_operators: list[BendError] = []
        # Whether we are in a type under a binder, where an operator without a type is left to the checker.
        self.deferred = False
        self._first_field = first_field
        self._next_field = -1
        self._substitutions = 0

    def field_name(self) -> str:
        """The next `_N` (reading.md, Match compilation): counted on from all that the declaration reads."""
        if self._next_field < 0:
            self._next_field = self._first_field()
        self._next_field += 1
        return f"_{self._next_field - 1}"

    def raise_bare_operators(self) -> None:
        """Raise the first operator without a type that was met."""
        if self.bare_operators:
            raise min(self.bare_operators, key=lambda error: error.position)

    def under_binder(self, term: s.Surface, scope: Scope, depth: int) -> Term:
        """A type that stands under a binder."""
        before = self.deferred
        self.deferred = True
        core = self.term(term, scope, depth)
        self.deferred = before
        return core

    def term(self, term: s.Surface, scope: Scope, depth: int, namespace: str | None = None) -> Term:
        """The core term, where `namespace` is the type that the operators in it belong to, if any.

        Raises name clashes; operators without a type are kept for `raise_bare_operators`.
        """
        maker = _MAKERS.get(type(term))
        if maker is not None:
            return maker(self, term, scope, depth, namespace)
        return self.bodies.body(term, scope, None, depth, namespace)

    def terms(self, terms: list[s.Surface], scope: Scope, depth: int) -> tuple[Term, ...]:
        return tuple([self.term(term, scope, depth) for term in terms])

    # Names and calls

    def _name(self, term: s.Name, scope: Scope, depth: int, namespace: str | None) -> Term:
        local = scope.find(term.text)
        if local is None:
            return Ref(self.names.resolve(term.text, term.pos), False, term.pos)
        if isinstance(local, Suspended):
            self._count_substitution(local, term.pos)
            return self.term(local.term, local.scope, depth)
        return self._variable(local, depth, term.pos)

    def _variable(self, local: int | PendingBinder, depth: int, pos: int) -> Term:
        """A local variable, or the constructor that a matched binder was rebuilt as."""
        if isinstance(local, int):
            return Var(depth - 1 - local, pos)
        if local.built is None:
            return Var(depth - 1 - local.level, pos)
        key, fields = local.built
        return Ctr(key, tuple([self._rebuilt(field, depth, pos) for field in fields]), pos)

    def _rebuilt(self, field: PendingBinder, depth: int, pos: int) -> Term:
        """A field of a rebuilt constructor. A number of Base whose bits were all matched is its literal: a default
        below many texts would hold the bits of each character before it."""
        if field.built is not None and field.built[0] == "U32" and self.names.is_constructor_of_base("U32"):
            value, bits, tail = 0, 0, field.built[1][0]
            while tail.built is not None and tail.built[0] == "WCon":
                bit, tail = tail.built[1]
                if bit.built is None:
                    break
                value |= (bit.built[0] == "True") << bits
                bits += 1
            if bits == _U32_BITS and tail.built is not None and tail.built[0] == "WNil":
                return U32Lit(value, pos)
        return self._variable(field, depth, pos)

    def _count_substitution(self, suspended: Suspended, pos: int) -> None:
        """An argument takes the place of a name."""
        suspended.used = True
        self._substitutions += 1
        if self._substitutions > MOST_SUBSTITUTIONS:
            message = "lambdas applied on the spot are substituted here more often than can be read"
            raise BendError("too-deep", pos, message, hint="annotate the lambda, {x => .. : A -> B}, or define it")

    def _call(self, term: s.Call, scope: Scope, depth: int, namespace: str | None) -> Term:
        return self._applied(term, scope, depth, namespace, [])

    def _applied(
        self, head: s.Surface, scope: Scope, depth: int, namespace: str | None, arguments: list[Suspended]
    ) -> Term:
        """A head with arguments, outermost last: lambdas among the heads are substituted.

        `arguments` is a stack: the next argument is its last item."""
        start = head.pos
        bang = False
        around = namespace
        while True:
            if isinstance(head, s.Call):
                if head.arguments:
                    namespace = None
                arguments.extend([_suspended(argument, scope) for argument in reversed(head.arguments)])
                if head.bang >= 0:
                    bang = True
                    self._check_bang(head, scope)
                head = head.function
            elif isinstance(head, s.Group) and not isinstance(head.body, s.STATEMENTS):
                namespace = self._group_namespace(head, namespace)
                head = head.body
            elif isinstance(head, s.Handler) and not head.arms and head.rest is not None:
                head, namespace = head.rest, None
            elif isinstance(head, s.Lambda) and arguments:
                return self._substituted(head, scope, depth, arguments)
            elif isinstance(head, s.Name) and isinstance(local := scope.find(head.text), Suspended):
                self._count_substitution(local, head.pos)
                head, scope, namespace = local.term, local.scope, None
            else:
                break
        function = self.term(head, scope, depth, namespace)
        if bang and isinstance(function, Ref):
            function.offload = True
        if not arguments:
            return function
        passed = around if isinstance(function, Ref) and function.key in PASSING else None
        cores = []
        while arguments:
            given = arguments.pop()
            if given.scope is not scope:
                self._count_substitution(given, given.term.pos)
            given.used = True
            cores.append(self.term(given.term, given.scope, depth, passed))
        return apply(function, tuple(cores), start)

    def _substituted(self, head: s.Lambda, scope: Scope, depth: int, arguments: list[Suspended]) -> Term:
        """A lambda on the spot: its name stands for the argument, its mark is lost."""
        argument = arguments.pop()
        core = self._applied(head.body, scope.bind(head.name, argument), depth, None, arguments)
        if not argument.used:
            # A dropped argument must still be readable.
            argument.used = True
            self.term(argument.term, argument.scope, depth)
        return core

    def _check_bang(self, call: s.Call, scope: Scope) -> None:
        if isinstance(call.function, s.Name) and scope.find(call.function.text) is not None:
            raise BendError("syntax", call.bang, f"'{call.function.text}' is no top-level name, so it takes no !")

    # Groups and operators

    def _group(self, term: s.Group, scope: Scope, depth: int, namespace: str | None) -> Term:
        return self.term(term.body, scope, depth, self._group_namespace(term, namespace))

    def _group_namespace(self, term: s.Group | s.TupleTerm, namespace: str | None) -> str | None:
        """The namespace inside a group: the head of its type, or the one around it."""
        return namespace if term.type is None else head_name(term.type)

    def _operation(self, term: s.Operation, scope: Scope, depth: int, namespace: str | None) -> Term:
        sign = term.sign
        if sign == "->":
            domain = self.term(term.left, scope, depth)
            return Pi(PLAIN, "_", domain, self.under_binder(term.right, scope, depth + 1), term.pos)
        if sign == "<>":
            head = self.term(term.left, scope, depth)
            return Ctr("Con", (head, self.term(term.right, scope, depth)), term.pos)
        if sign == "<&>":
            left = self.term(term.left, scope, depth)
            return Meet(left, self.term(term.right, scope, depth), term.pos)
        function = FUNCTIONS.get(sign)
        inner = namespace
        if function is None:
            if namespace is None:
                head_term: Term = self._bare_operator(sign, term.sign_pos)
            else:
                key = self.names.resolve(f"{namespace}.{METHODS[sign]}", term.sign_pos)
                head_term = Ref(key, False, term.sign_pos)
        else:
            head_term = Ref(function, False, term.sign_pos)
            if function not in PASSING:
                inner = None
        left = self.term(term.left, scope, depth, inner)
        right = self.term(term.right, scope, depth, inner)
        return App(head_term, (left, right), term.pos)

    def _bare_operator(self, sign: str, position: int) -> Term:
        """The head of an operation without a type: an error of reading, or of checking in a type under a binder."""
        operator = BareOperator(sign, position)
        if not self.deferred:
            self.bare_operators.append(operator.refusal())
        return operator

    def _index(self, term: s.Index, scope: Scope, depth: int, namespace: str | None) -> Term:
        array = self.term(term.array, scope, depth)
        index = self.term(term.index, scope, depth, _INDEX_NAMESPACE)
        element = Ref(_INDEX_NAMESPACE, False, term.bracket)
        if term.value is None:
            return App(Ref("Array.get", False, term.bracket), (element, array, index), term.pos)
        value = self.term(term.value, scope, depth)
        return App(Ref("Array.set", False, term.bracket), (element, array, index, value), term.pos)

    def _array(self, term: s.ArrayTerm, scope: Scope, depth: int, namespace: str | None) -> Term:
        """`[v : T^d]` and `[v : T*n]`: the count is a Nat literal and a power of two."""
        type_ = self.term(term.type, scope, depth)
        if term.sign == "^":
            size = self.term(term.size, scope, depth)
        else:
            count = term.size.value if isinstance(term.size, s.NatNumber) else 0
            if count & (count - 1) or not count:
                self.bare_operators.append(
                    BendError(
                        "operator",
                        term.sign_pos,
                        "the count of an array is a Nat literal and a power of two",
                        hint="write *1n, *2n, *4n and so on, or ^d with a depth: 2^d elements",
                    )
                )
            size = NatLit(max(count.bit_length() - 1, 0), term.size.pos)
        value = self.term(term.value, scope, depth, head_name(term.type))
        return App(Ref("Array.new", False, term.pos), (type_, size, value), term.pos)

    # Literals

    def _nat_plus(self, term: s.NatPlus, scope: Scope, depth: int, namespace: str | None) -> Term:
        tail = self.term(term.tail, scope, depth)
        if term.value > _LAST_SUCC:
            return App(Ref("Nat.add", False, term.pos), (NatLit(term.value, term.pos), tail), term.pos)
        for _ in range(term.value):
            tail = Ctr("Succ", (tail,), term.pos)
        return tail

    # Constructors and types

    def _build(self, term: s.Build, scope: Scope, depth: int, namespace: str | None) -> Term:
        return Ctr(self.names.resolve(term.name, term.pos), self.terms(term.items, scope, depth), term.pos)

    def _list(self, term: s.ListTerm, scope: Scope, depth: int, namespace: str | None) -> Term:
        core: Term = Ctr("Nil", (), term.pos)
        for place in range(len(term.items) - 1, -1, -1):
            item = term.items[place]
            core = Ctr("Con", (self.term(item, scope, depth), core), item.pos if place else term.pos)
        return core

    def _tuple(self, term: s.TupleTerm, scope: Scope, depth: int, namespace: str | None) -> Term:
        """The type at a tuple's end is its last item's."""
        last = len(term.items) - 1
        inner = None if term.type is None else head_name(term.type)
        core = self.term(term.items[last], scope, depth, inner)
        for place in range(last - 1, -1, -1):
            item = term.items[place]
            core = Ctr("Tuple", (self.term(item, scope, depth), core), item.pos if place else term.pos)
        return core

    def _instance(self, term: s.Instance, scope: Scope, depth: int, namespace: str | None) -> Term:
        return self._data(term.name, self.terms(term.arguments, scope, depth), term.pos, 1)

    def _data(self, name: str, arguments: tuple[Term, ...], pos: int, filling: int) -> Term:
        """`D<arguments>`, its quantity block filled if it was left out and D is declared above."""
        key = self.names.type_key(name, pos)
        datatype = self.names.book.datatypes.get(key)
        if datatype is not None:
            block = datatype.quantity_block
            if block and len(arguments) == len(datatype.parameters) - block:
                arguments = tuple([QuantLit(filling, pos) for _ in range(block)]) + arguments
        return Data(key, arguments, (), pos)

    def _marked(self, term: s.Marked, scope: Scope, depth: int, namespace: str | None) -> Term:
        """`+D<..>` overwrites or fills the quantity block with `&2`; `+D` needs all parameters to be quantities."""
        inner = term.term
        assert isinstance(inner, s.Name | s.Instance)
        name = inner.text if isinstance(inner, s.Name) else inner.name
        datatype = self.names.datatype(name, inner.pos)
        block = 0 if datatype is None else datatype.quantity_block
        if isinstance(inner, s.Name):
            if datatype is None or not block:
                return Ref(f"+{name}", False, term.pos)
            return Data(datatype.key, tuple([QuantLit(2, term.pos) for _ in range(block)]), (), term.pos)
        if not block:
            raise BendError(
                "unknown-name" if datatype is None else "arity",
                term.pos,
                f"'{name}' is no type with a quantity that is declared above, so + has nothing to set",
                hint="leave the + out",
            )
        arguments = self.terms(inner.arguments, scope, depth)
        assert datatype is not None
        if len(arguments) == len(datatype.parameters):
            arguments = tuple([QuantLit(2, term.pos) for _ in range(block)]) + arguments[block:]
        return self._data(name, arguments, term.pos, 2)

    def _dependent(self, term: s.Dependent, scope: Scope, depth: int, namespace: str | None) -> Term:
        domain = self.term(term.domain, scope, depth)
        codomain = self.under_binder(term.codomain, scope.bind(term.name, depth), depth + 1)
        if term.sign == "@":
            return Pi(term.quantity, term.name, domain, codomain, term.name_pos)
        return App(Ref("Exists", False, term.pos), (domain, Lam(PLAIN, term.name, codomain, term.name_pos)), term.pos)

    def _equation(self, term: s.Equation, scope: Scope, depth: int, namespace: str | None) -> Term:
        left = self.term(term.left, scope, depth)
        right = self.term(term.right, scope, depth)
        equation = Eq(left, right, self.term(term.type, scope, depth), term.pos)
        if not term.negated:
            return equation
        return Pi(PLAIN, "_", equation, Ref("Empty", False, term.pos), term.pos)

    def _annotation(self, term: s.Annotation, scope: Scope, depth: int, namespace: str | None) -> Term:
        return Ann(self.term(term.term, scope, depth), self.term(term.type, scope, depth), term.pos)

    def _kind(self, term: s.KindOf, scope: Scope, depth: int, namespace: str | None) -> Term:
        return Kind(self.term(term.quantity, scope, depth), term.pos)

    # Functions

    def _lambda(self, term: s.Lambda, scope: Scope, depth: int, namespace: str | None) -> Term:
        body = self.term(term.body, scope.bind(term.name, depth), depth + 1)
        return Lam(REUSABLE if term.plus else PLAIN, term.name, body, term.name_pos)

    def _handler(self, term: s.Handler, scope: Scope, depth: int, namespace: str | None) -> Term:
        arms = [self.term(arm.term, scope, depth) for arm in term.arms]
        core: Term = Absurd(term.pos) if term.rest is None else self.term(term.rest, scope, depth)
        for arm, hit in zip(reversed(term.arms), reversed(arms), strict=True):
            core = Match(self.names.resolve(arm.name, arm.pos), hit, core, term.pos)
        return core

    def _rewrite(self, term: s.RewriteTerm, scope: Scope, depth: int, namespace: str | None) -> Term:
        evidence = self.term(term.evidence, scope, depth)
        inner = scope.bind_marker("_", depth)
        if term.name is not None:
            inner = inner.bind(term.name, depth + 1)
        motive = self.term(term.motive, inner, depth + 2)
        return Rewrite(evidence, term.name, motive, self.term(term.body, scope, depth), term.pos)

    # Do

    def _do(self, term: s.Do, scope: Scope, depth: int, namespace: str | None) -> Term:
        """`x : A <- m` is `M.bind(.., A, R, m, x => rest)`, `return e` is `M.pure(.., R, e)`; the final term is
        annotated with `M<..>`, or `M(..)` if M is no datatype declared above."""
        datatype = self.names.datatype(term.name, term.name_pos)
        count = len(term.arguments)
        block = 0 if datatype is None else datatype.quantity_block
        filled = block if datatype is not None and count == len(datatype.parameters) - block else 0
        return self._steps(term, 0, filled, scope, depth)

    def _monad(self, do: s.Do, filled: int, scope: Scope, depth: int) -> tuple[Term, ...]:
        """The arguments of M, with a left-out quantity block filled."""
        block: tuple[Term, ...] = tuple([QuantLit(1, do.name_pos) for _ in range(filled)])
        return block + self.terms(do.arguments, scope, depth)

    def _steps(self, do: s.Do, place: int, filled: int, scope: Scope, depth: int) -> Term:
        step = do.steps[place]
        if step.what == "let":
            assert step.type is not None
            typed = Ann(self.term(step.value, scope, depth), self.term(step.type, scope, depth), step.value.pos)
            rest = self._steps(do, place + 1, filled, scope.bind(step.name, depth), depth + 1)
            return Let((LetBinder(_plus(step.plus), step.name, step.name_pos),), (typed,), rest, step.pos)
        monad = self._monad(do, filled, scope, depth)
        if step.what == "final":
            return Ann(self.term(step.value, scope, depth), self._monad_type(do, monad), step.value.pos)
        if step.what == "return":
            pure = Ref(self.names.resolve(f"{do.name}.pure", step.pos), False, step.pos)
            return App(pure, (*monad, self.term(step.value, scope, depth)), step.pos)
        bind = Ref(self.names.resolve(f"{do.name}.bind", step.pos), False, step.pos)
        if step.type is None:
            type_: Term = Ref(self.names.resolve("Unit", step.pos), False, step.pos)
        else:
            type_ = self.term(step.type, scope, depth)
        value = self.term(step.value, scope, depth)
        rest = self._steps(do, place + 1, filled, scope.bind(step.name, depth), depth + 1)
        name_pos = step.name_pos if step.name_pos >= 0 else step.pos
        function = Lam(_plus(step.plus), step.name, rest, name_pos)
        return App(bind, (*monad[:-1], type_, *monad[-1:], value, function), step.pos)

    def _monad_type(self, do: s.Do, monad: tuple[Term, ...]) -> Term:
        datatype = self.names.datatype(do.name, do.name_pos)
        if datatype is not None:
            return Data(datatype.key, monad, (), do.name_pos)
        return apply(Ref(self.names.resolve(do.name, do.name_pos), False, do.name_pos), monad)


def head_name(type_: s.Surface) -> str | None:
    """The name at the head of a group's type, through arguments; None if there is none."""
    while True:
        match type_:
            case s.Name(text=text) | s.Instance(name=text):
                return text
            case s.Marked(term=inner) | s.Group(body=inner) | s.Call(function=inner):
                type_ = inner
            case _:
                return None


def _suspended(argument: s.Surface, scope: Scope) -> Suspended:
    """An argument to come; a name of another one is that one, so that no chains grow."""
    if isinstance(argument, s.Name):
        local = scope.find(argument.text)
        if isinstance(local, Suspended):
            return local
    return Suspended(argument, scope)


def _plus(plus: bool) -> str:
    return REUSABLE if plus else PLAIN


# By class: a chain of tests would be most of the time of reading. A node that is not here is a statement.
_MAKERS: dict[type[s.Surface], Callable[..., Term]] = {
    s.Name: Desugarer._name,
    s.Call: Desugarer._call,
    s.Group: Desugarer._group,
    s.Operation: Desugarer._operation,
    s.Index: Desugarer._index,
    s.ArrayTerm: Desugarer._array,
    s.NatPlus: Desugarer._nat_plus,
    s.Build: Desugarer._build,
    s.ListTerm: Desugarer._list,
    s.TupleTerm: Desugarer._tuple,
    s.Instance: Desugarer._instance,
    s.Marked: Desugarer._marked,
    s.Dependent: Desugarer._dependent,
    s.Equation: Desugarer._equation,
    s.Lambda: Desugarer._lambda,
    s.Handler: Desugarer._handler,
    s.RewriteTerm: Desugarer._rewrite,
    s.Do: Desugarer._do,
    s.Annotation: Desugarer._annotation,
    s.KindOf: Desugarer._kind,
    s.NatNumber: lambda _, term, *rest: NatLit(term.value, term.pos),
    s.U32Number: lambda _, term, *rest: U32Lit(term.value, term.pos),
    s.F32Number: lambda _, term, *rest: F32Lit(term.bits, term.pos),
    s.Text: lambda _, term, *rest: StrLit(term.codes, term.pos),
    s.Character: lambda _, term, *rest: Ctr("Chr", (U32Lit(term.code, term.pos),), term.pos),
    s.Reflexivity: lambda _, term, *rest: Refl(term.pos),
    s.HoleTerm: lambda _, term, *rest: Hole(term.name, term.pos),
    s.Quantity: lambda _, term, *rest: QuantLit(term.value, term.pos),
    s.Sort: lambda _, term, *rest: _sort(term),
}


def _sort(term: s.Sort) -> Term:
    if term.word == "Quant":
        return Quant(term.pos)
    return Kind(QuantLit(1 if term.word == "Type" else 2, term.pos), term.pos)
