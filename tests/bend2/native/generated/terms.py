"""Random terms of a type, as text and as what they compute.

A producer that cannot go on raises `DeadEnd`, and another is tried. Variables that are not reusable are used at most
once on each path, as Bend asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from tests.bend2.native.generated.bend_types import (
    BOOL,
    NAT,
    SIMPLE,
    STRING,
    U32,
    UNIT,
    Con,
    Constructor,
    Datatype,
    T,
    Value,
    action,
    array,
    construct,
    constructors_of,
    destruct,
    fun,
    has_variables,
    is_recursive,
    listed,
    mapped,
    maybe,
    pair,
    result,
    show_value,
    substitute,
    unify,
)
from tests.bend2.native.generated.operations import OPERATIONS, Operation, written
from tests.bend2.native.generated.scope import Bound, Clock, DeadEnd, Env, Function, Scope, Term
from tests.bend2.native.scalar_model import SCALARS

NATS = (0, 1, 2, 3, 5, 8, 13, 100, 255, 256, 257, 65536, 2**31, 2**32 - 1)
WORDS = (0, 1, 2, 3, 7, 31, 32, 33, 255, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)
CODES = (97, 98, 122, 65, 90, 48, 57, 32, 10, 9, 44, 34, 39, 92, 0, 127, 233, 0x20AC, 0x1F600)
FLOATS = {
    "0.0": 0,
    "1.0": 0x3F800000,
    "0.5": 0x3F000000,
    "2.0": 0x40000000,
    "3.0": 0x40400000,
    "0.1": 0x3DCCCCCD,
    "1.5e10": 0x505F8476,
    "3.4028235e38": 0x7F7FFFFF,
    "1.0e-45": 1,
    "1.17549435e-38": 0x800000,
    "16777216.0": 0x4B800000,
}
SIGNS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", ".&.": "and", ".|.": "or", ".^.": "xor"}
TESTS = {"<": "is_lt", "<=": "is_le", ">": "is_gt", ">=": "is_ge"}


class Terms:
    """Makes terms. `opaque`: with the functions of F32, which only a compiled program computes. `acts`: with IO."""

    def __init__(self, source: Random, *, opaque: bool, acts: bool = False) -> None:
        self.source = source
        self.acts = acts
        self.clock = Clock()
        self.functions: list[Function] = []
        self.datatypes: list[Datatype] = []
        self.names = 0
        self.operations = [each for each in OPERATIONS if opaque or not each.is_opaque]
        self.opened = [each for each in self.operations if each.result.head in ("Pair", "Maybe", "Result", "List")]

    # -- choices ------------------------------------------------------------------------------------------------------

    def chance(self, percent: int) -> bool:
        """True as often as `percent` says; shrinks to False."""
        return self.source.randrange(100) >= 100 - percent

    def fresh(self, stem: str = "x") -> str:
        """A name that is not used yet."""
        self.names += 1
        return f"{stem}{self.names}"

    def type_(self, depth: int, *, data: bool = False, variables: tuple[T, ...] = ()) -> T:
        """A type; with `data`, of values that may be used more than once."""
        kinds = ["simple"] * 3
        if variables:
            kinds += ["variable"] * 2
        if depth > 0:
            kinds += ["list", "maybe", "pair", "result", "user", "user", "map"]
            kinds += [] if data else ["array", "fun", "array", "fun", "fun"]
            kinds += ["action"] * 3 if self.acts and not data else []
        kind = self.source.choice(kinds)

        def part(*, is_data: bool = data) -> T:
            return self.type_(depth - 1, data=is_data, variables=variables)

        mark = 2 if data or self.chance(60) else 1
        match kind:
            case "variable":
                return self.source.choice(variables)
            case "list":
                return listed(part(is_data=mark == 2), mark)
            case "maybe":
                return maybe(part(is_data=mark == 2), mark)
            case "pair":
                return pair(part(is_data=mark == 2), part(is_data=mark == 2), mark)
            case "result":
                return result(part(is_data=mark == 2), part(is_data=mark == 2), mark)
            case "map":
                return mapped(part(is_data=True))
            case "array":
                return array(self.type_(depth - 1, data=self.chance(80), variables=variables))
            case "fun":
                return fun(part(), part())
            case "action":
                return action(self.source.choice((UNIT, UNIT, NAT, part())))
            case "user":
                known = [each for each in self.datatypes if each.is_data or not data]
                if known:
                    return self.instance(self.source.choice(known), variables)
        return self.source.choice(SIMPLE)

    def instance(self, datatype: Datatype, variables: tuple[T, ...] = ()) -> T:
        """A datatype at some arguments."""
        args = tuple(self.type_(0, data=True, variables=variables) for _ in datatype.params)
        return T("User", args, declaration=datatype)

    # -- terms --------------------------------------------------------------------------------------------------------

    def term(self, type_: T, scope: Scope, depth: int) -> Term:
        """A term. Raises DeadEnd where there is none."""
        choices = list(self._producers(type_, scope, depth))
        while choices:
            weight = self.source.randrange(sum(each for each, _ in choices))
            at = 0
            while weight >= choices[at][0]:
                weight -= choices[at][0]
                at += 1
            _, producer = choices.pop(at)
            before = set(scope.spent)
            calls = scope.recursion.calls if scope.recursion is not None else 0
            try:
                return producer()
            except DeadEnd:
                scope.spent.clear()
                scope.spent.update(before)
                if scope.recursion is not None:
                    scope.recursion.calls = calls
        return self.literal(type_, scope)

    def _producers(self, type_: T, scope: Scope, depth: int) -> Iterable[tuple[int, Callable[[], Term]]]:
        """Ways to make a term, with weights; the first is the simplest."""
        usable = [each for each in scope.usable() if each.type == type_]
        if not usable or depth <= 0:
            yield 2, lambda: self.literal(type_, scope)
        if usable:
            yield 12, lambda: self._variable(self.source.choice(usable), scope)
        if depth <= 0:
            return
        if constructors_of(type_) and type_.head not in ("Bool", "Cmp", "Unit", "Char"):
            yield 6 if is_recursive(type_) else 4, lambda: self._construct(type_, scope, depth)
        applicable = [each for each in scope.usable() if each.type.head == "Fun" and each.type.args[1] == type_]
        if applicable:
            yield 5, lambda: self._apply(self.source.choice(applicable), scope, depth)
        yield 6, lambda: self._operation(type_, scope, depth)
        callable_ = [each for each in self.functions if unify(each.signature.result, type_, {})]
        if callable_:
            yield 7, lambda: self._call(self.source.choice(callable_), type_, scope, depth)
        if type_.head == "Fun":
            yield 6, lambda: self._lambda(type_, scope, depth)
            yield 3, lambda: self._partial(type_, scope, depth)
        if type_.head == "Array":
            yield 3, lambda: self._new_array(type_, scope, depth)
        yield 2, lambda: self._let(type_, scope, depth)
        yield 1, lambda: self._annotated(type_, scope, depth)
        yield 5, lambda: self._match(type_, scope, depth)
        if type_ == action(UNIT):
            yield 10, lambda: self._print(scope, depth)
        if type_ in (NAT, U32, BOOL):
            yield 2, lambda: self._operators(type_, scope, depth)
        recursion = scope.recursion
        if recursion is not None and recursion.calls > 0 and unify(recursion.function.signature.result, type_, {}):
            yield 25, lambda: self._recur(type_, scope, depth)

    def literal(self, type_: T, scope: Scope) -> Term:
        """The simplest kind of closed term; of a type variable, any variable of it."""
        match type_.head:
            case "Nat" | "U32" | "Char" | "String" | "Bool" | "Cmp" | "Unit":
                value = self._scalar(type_)
                return Term(show_value(type_, value), lambda env: value)
            case "F32":
                text = self.source.choice(tuple(FLOATS))
                return Term(text, lambda env: FLOATS[text])
            case "Fun":
                return self._lambda(type_, Scope(), 0)
            case "Map":
                return Term(f"Map.new(&2, {type_.args[0]})", lambda env: ())
            case "Array":
                return self._new_array(type_, scope, 0)
            case "List" if type_.args[0] in SIMPLE:
                items = [self.literal(type_.args[0], scope) for _ in range(self.source.randrange(4))]
                text = f"[{', '.join(each.text for each in items)}]"
                return Term(text, lambda env: tuple([each.run(env) for each in items]))
            case "IO" if type_.args[0] == UNIT and self.chance(80):
                return self._print(scope, 0)
            case "IO":
                pure = self.term(type_.args[0], scope, 0)
                return Term(
                    f"IO.pure({type_.args[0]}, {pure.text})", lambda env: (lambda x: lambda out: x)(pure.run(env))
                )
            case "Var":
                usable = [each for each in scope.usable() if each.type == type_]
                if not usable:
                    raise DeadEnd
                return self._variable(self.source.choice(usable), scope)
        return self._construct(type_, scope, 0)

    def _print(self, scope: Scope, depth: int) -> Term:
        text = self.term(STRING, scope, depth - 1)
        name, end = ("IO.print", (10,)) if self.chance(50) else ("IO.write", ())

        return Term(f"{name}({text.text})", lambda env: written((*text.run(env), *end)))

    def _scalar(self, type_: T) -> Value:
        match type_.head:
            case "Nat":
                return self.source.choice(NATS) if self.chance(30) else self.source.randrange(10)
            case "U32":
                return self.source.choice(WORDS) if self.chance(40) else self.source.randrange(10)
            case "Char":
                return self.source.choice(CODES)
            case "String":
                return tuple(self.source.choice(CODES) for _ in range(self.source.randrange(4)))
            case "Bool":
                return self.source.randrange(2) == 1
        return Con(self.source.choice(constructors_of(type_)).name)

    def _variable(self, bound: Bound, scope: Scope) -> Term:
        scope.use(bound)
        name = bound.name
        return Term(name, lambda env: env[name])

    def _construct(self, type_: T, scope: Scope, depth: int) -> Term:
        constructors = constructors_of(type_)
        if depth <= 0:
            simplest = [each for each in constructors if all(part.type != type_ for part in each.fields)]
            constructors = tuple(simplest)
        elif is_recursive(type_) and self.chance(60):
            constructors = constructors[-1:]
        made = self.source.choice(constructors)
        if made.name == "ANode":
            raise DeadEnd  # halves of one size: only those of new arrays are sure to be
        parts = [self.field(each.type, each.mark, scope, depth - 1) for each in made.fields]
        live = [part.run for part, each in zip(parts, made.fields, strict=True) if each.mark != "-"]
        return Term(
            self.constructor_text(made, [each.text for each in parts]),
            lambda env: construct(type_, made.name, tuple([run(env) for run in live])),
        )

    def field(self, type_: T, mark: str, scope: Scope, depth: int) -> Term:
        """An argument; one that is erased uses nothing up."""
        if mark != "-":
            return self.term(type_, scope, depth)
        return self.term(type_, Scope(scope.bound, set(scope.spent)), min(depth, 1))

    def constructor_text(self, made: Constructor, parts: list[str]) -> str:
        """A constructor over its fields, in one of the ways that there are to write it."""
        match made.name:
            case "Zero":
                return "0n"
            case "Succ" if self.chance(50):
                return f"1n+({parts[0]})"
            case "Tuple":
                return f"({', '.join(parts)})"
            case "Con" if self.chance(50):
                return f"(({parts[0]}) <> ({parts[1]}))"
            case "Nil" if self.chance(50):
                return "[]"
        return f"{made.name}{{{', '.join(parts)}}}"

    def _new_array(self, type_: T, scope: Scope, depth: int) -> Term:
        element = type_.args[0]
        if not element.is_data:
            leaf = self.term(element, scope, depth - 1)
            return Term(f"ALeaf{{{leaf.text}}}", lambda env: (leaf.run(env),))
        size = self.source.randrange(4)
        value = self.term(element, scope, depth - 1)
        form = self.source.randrange(4)
        if form == 3:
            other = self.term(element, scope, depth - 1)
            halves = ", ".join(f"Array.new({element}, {size}n, {each.text})" for each in (value, other))
            count = 2**size
            return Term(f"ANode{{{halves}}}", lambda env: (value.run(env),) * count + (other.run(env),) * count)
        text = (
            f"Array.new({element}, {size}n, {value.text})",
            f"[{value.text} : ({element})^{size}n]",
            f"[{value.text} : ({element})*{2**size}n]",
        )[form]
        return Term(text, lambda env: (value.run(env),) * 2**size)

    def _lambda(self, type_: T, scope: Scope, depth: int) -> Term:
        domain, codomain = type_.args
        name = self.fresh()
        reusable = domain.is_data and not scope.is_template and self.chance(50)
        inner = scope.with_(Bound(name, domain, reusable))
        if scope.is_template and codomain.head == "Fun":
            inner.is_template = True
            body = self._lambda(codomain, inner, depth)
        else:
            body = self.term(codomain, inner, depth - 1)

        def run(env: Env) -> Value:
            return lambda value: body.run({**env, name: value})

        return Term(f"({'+' if reusable else ''}{name} => {body.text})", run)

    def _apply(self, bound: Bound, scope: Scope, depth: int) -> Term:
        function = self._variable(bound, scope)
        argument = self.term(bound.type.args[0], scope, depth - 1)
        return Term(f"{function.text}({argument.text})", lambda env: function.run(env)(argument.run(env)))

    def _operation(self, type_: T, scope: Scope, depth: int) -> Term:
        fitting = [each for each in self.operations if unify(each.result, type_, {})]
        special = [each for each in fitting if each.result.head != "Var"]
        known = [each.type for each in scope.usable()]
        useful = [each for each in fitting if any(_takes(each, type_, of) for of in known)]
        if useful and self.chance(60):
            operation = self.source.choice(useful)
        else:
            operation = self.source.choice(special if special and self.chance(80) else fitting)
        return self._operated(operation, type_, scope, depth)

    def _operated(self, operation: Operation, type_: T, scope: Scope, depth: int) -> Term:
        types: dict[str, T] = {}
        unify(operation.result, type_, types)
        lead = self._lead(operation, types)
        params = [substitute(each, types) for each in operation.params]
        args = [self._closed(each, depth - 1) for each in params[: operation.closed]]
        args += [self.term(each, scope, depth - 1) for each in params[operation.closed :]]
        texts = [*lead, *(f"{'~' * (at < operation.closed)}{each.text}" for at, each in enumerate(args))]
        codes = [each.run for each in args]
        return Term(
            f"{operation.name}({', '.join(texts)})" if texts else operation.name,
            lambda env: operation.run(*[run(env) for run in codes]),
        )

    def _lead(self, operation: Operation, types: dict[str, T]) -> list[str]:
        """What stands before an operation's arguments; types that are still free are chosen."""
        variables = {"A", "B", "E"} & {name for each in operation.lead for name in each}
        for name in sorted(variables - set(types)):
            types[name] = self.type_(1, data=True)
        lead = [each.format(**{name: str(type_) for name, type_ in types.items()}) for each in operation.lead]
        if any(each.startswith("~") for each in lead) and any(map(has_variables, types.values())):
            raise DeadEnd  # a template takes closed types only
        return lead

    def _closed(self, type_: T, depth: int) -> Term:
        """An argument of a template: a function of no variable, by which it is replaced."""
        if has_variables(type_):
            raise DeadEnd
        if self.chance(30):
            try:
                return self._partial(type_, Scope(), 0)
            except DeadEnd:
                pass
        return self._lambda(type_, Scope(is_template=True), depth)

    def _call(self, function: Function, type_: T, scope: Scope, depth: int) -> Term:
        types: dict[str, T] = {}
        unify(function.signature.result, type_, types)
        return self._called(function, types, len(function.signature.params), scope, depth)

    def _partial(self, type_: T, scope: Scope, depth: int) -> Term:
        """A function of the program at its first arguments only, perhaps none."""
        found = []
        for each in self.functions:
            params = each.signature.params
            for count in range(len(params)):
                left = params[count:]
                whole = fun(*(param.type for param in left), each.signature.result)
                is_plain = all(param.mark == "" for param in left) and (
                    each.signature.fuel is None or each.signature.fuel < count
                )
                if is_plain and unify(whole, type_, {}):
                    found.append((each, count, whole))
        if not found:
            raise DeadEnd
        function, count, whole = self.source.choice(found)
        types: dict[str, T] = {}
        unify(whole, type_, types)
        return self._called(function, types, count, scope, depth)

    def _called(self, function: Function, types: dict[str, T], count: int, scope: Scope, depth: int) -> Term:
        """A function at its first `count` arguments."""
        signature = function.signature
        for each in signature.variables:
            if each.name not in types:
                types[each.name] = self.type_(1, data=True)
        heads, args = [str(types[each.name]) for each in signature.variables], []
        texts = []
        for at, param in enumerate(signature.params[:count]):
            type_ = substitute(param.type, types)
            if param.mark == "~":
                arg = self._closed(type_, depth - 1)
            elif at == signature.fuel:
                arg = self._fuel(scope, depth)
            else:
                arg = self.field(type_, param.mark, scope, depth - 1)
            args.append(arg)
            texts.append(f"{'~' * (param.mark == '~')}{arg.text}")
        templates = [each for each in texts if each.startswith("~")]
        texts = [*templates, *heads, *texts[len(templates) :]]
        text = f"{signature.name}({', '.join(texts)})" if texts else signature.name
        codes = [arg.run for arg, param in zip(args, signature.params, strict=False) if param.mark != "-"]
        missing = sum(param.mark != "-" for param in signature.params[count:])
        return Term(text, lambda env: _curried(function, [run(env) for run in codes], missing))

    def _fuel(self, scope: Scope, depth: int) -> Term:
        """A small Nat."""
        if depth <= 1 or self.chance(50):
            number = self.source.randrange(9)
            return Term(f"{number}n", lambda env: number)
        inner = self.term(NAT, scope, depth - 2)
        return Term(f"Nat.mod({inner.text}, 9n)", lambda env: inner.run(env) % 9)

    def _recur(self, type_: T, scope: Scope, depth: int) -> Term:
        recursion = scope.recursion
        assert recursion is not None
        signature = recursion.function.signature
        usable = [each for each in scope.usable() if each.name in recursion.smaller]
        if not usable or signature.result != type_:
            raise DeadEnd
        recursion.calls -= 1
        templates = [param for param in signature.params if param.mark == "~"]
        first = self._variable(self.source.choice(usable), scope)
        others = signature.params[len(templates) + 1 :]
        args = [first, *(self.field(param.type, param.mark, scope, depth - 1) for param in others)]
        texts = [*(f"~{param.name}" for param in templates), *(each.name for each in signature.variables)]
        codes = [first.run]
        codes += [arg.run for arg, param in zip(args[1:], others, strict=True) if param.mark != "-"]
        names = [param.name for param in templates]
        return Term(
            f"{signature.name}({', '.join([*texts, *(each.text for each in args)])})",
            lambda env: recursion.function.run(*[env[name] for name in names], *[run(env) for run in codes]),
        )

    def _let(self, type_: T, scope: Scope, depth: int) -> Term:
        binders, values = self.lets(scope, depth - 1)
        body = self.term(type_, scope.with_(*binders), depth - 1)
        return Term(
            f"({self.let_text(binders, values)}; {body.text})", lambda env: body.run(let_env(binders, values, env))
        )

    def lets(self, scope: Scope, depth: int) -> tuple[list[Bound], list[Term]]:
        """The binders and values of a let; several are computed side by side."""
        binders, values = [], []
        for _ in range(1 + self.source.randrange(3)):
            if self.functions and self.chance(50):
                type_, value = self._some_call(scope, depth)
            else:
                type_ = self.type_(1)
                value = self.term(type_, scope, depth)
            values.append(value)
            binders.append(Bound(self.fresh(), type_, type_.is_data and self.chance(70)))
        return binders, values

    def _some_call(self, scope: Scope, depth: int) -> tuple[T, Term]:
        """A call of any function, at types as they come."""
        function = self.source.choice(self.functions[-6:])
        signature = function.signature
        types = {each.name: self.type_(1, data=True) for each in signature.variables}
        type_ = substitute(signature.result, types)
        return type_, self._called(function, types, len(signature.params), scope, max(depth, 1))

    def let_text(self, binders: list[Bound], values: list[Term]) -> str:
        """A let, without its body."""
        names = [("+" if each.reusable else "") + each.name for each in binders]
        if len(binders) == 1:
            return f"{names[0]} : {binders[0].type} = {values[0].text}"
        annotated = [f"{{{value.text} : {each.type}}}" for each, value in zip(binders, values, strict=True)]
        return f"{' '.join(names)} = {' '.join(annotated)}"

    def _annotated(self, type_: T, scope: Scope, depth: int) -> Term:
        inner = self.term(type_, scope, depth - 1)
        return Term(f"{{{inner.text} : {type_}}}", inner.run)

    def _match(self, type_: T, scope: Scope, depth: int) -> Term:
        """A match as a function, applied at once."""
        known = [each.type for each in scope.usable() if constructors_of(each.type)]
        if known and self.chance(60):
            over = self.source.choice(known)
            value = self.term(over, scope, 0)
        elif self.chance(50):
            operation = self.source.choice(self.opened)
            types = {name: self.type_(1, data=True) for name in "ABE"}
            over = substitute(operation.result, types)
            value = self._operated(operation, over, scope, depth - 1)
        else:
            over = self.type_(1)
            value = self.term(over, scope, depth - 1)
        constructors = constructors_of(over)
        if not constructors:
            raise DeadEnd
        arms: dict[str, tuple[list[str], Term]] = {}
        texts = []
        before, after = set(scope.spent), set(scope.spent)
        for each in constructors:
            scope.spent.clear()
            scope.spent.update(before)
            binders = [
                Bound(self.fresh(), part.type, part.mark == "+" or (part.type.is_data and self.chance(50)))
                for part in each.fields
                if part.mark != "-"
            ]
            body = self.term(type_, scope.with_(*binders), depth - 2)
            after |= scope.spent
            names = iter(binders)
            binder_texts = []
            for part in each.fields:
                bound = None if part.mark == "-" else next(names)
                plus = "+" if bound is not None and bound.reusable else ""
                binder_texts.append(f"{plus}{self.fresh() if bound is None else bound.name} => ")
            texts.append(f"{each.name}: ({''.join(binder_texts)}{body.text})")
            arms[each.name] = ([bound.name for bound in binders], body)
        scope.spent.clear()
        scope.spent.update(after)

        def run(env: Env) -> Value:
            con = destruct(over, value.run(env))
            names, body = arms[con.name]
            return body.run({**env, **dict(zip(names, con.fields, strict=True))})

        return Term(f"{{\\{{{'; '.join(texts)}}} : ({over} -> {type_})}}({value.text})", run)

    def _operators(self, type_: T, scope: Scope, depth: int) -> Term:
        is_test = type_ == BOOL
        namespace = self.source.choice((NAT, U32)) if is_test else type_
        signs = TESTS if is_test else SIGNS
        names = [sign for sign in signs if f"{namespace}_{signs[sign]}".lower() in SCALARS]
        sign = self.source.choice(names)
        first, second = (self.term(namespace, scope, depth - 1) for _ in range(2))
        model = SCALARS[f"{namespace}_{signs[sign]}".lower()]
        text = f"(({first.text}) {sign} ({second.text}) : {namespace})"
        if is_test:
            return Term(text, lambda env: bool(model(first.run(env), second.run(env))))
        return Term(text, lambda env: model(first.run(env), second.run(env)))


def _takes(operation: Operation, type_: T, of: T) -> bool:
    """Does it take a value of the type `of`, where it gives one of `type_`?"""
    types: dict[str, T] = {}
    unify(operation.result, type_, types)
    return any(
        param.head != "Var" and unify(substitute(param, types), of, dict(types))
        for param in operation.params[operation.closed :]
    )


def let_env(binders: list[Bound], values: list[Term], env: Env) -> Env:
    """The values of variables under a let."""
    return {**env, **{each.name: value.run(env) for each, value in zip(binders, values, strict=True)}}


def _pure(value: Value) -> Value:
    return lambda out: value


def _curried(function: Function, args: list[Value], missing: int) -> Value:
    if missing == 0:
        return function.run(*args)
    return lambda value: _curried(function, [*args, value], missing - 1)
