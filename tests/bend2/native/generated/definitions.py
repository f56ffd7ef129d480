"""Random datatypes and functions, with their models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.bend2.native.generated.bend_types import (
    BOOL,
    NAT,
    STRING,
    U32,
    UNIT,
    A,
    B,
    Con,
    Constructor,
    Datatype,
    Field,
    Param,
    Signature,
    T,
    Value,
    array,
    constructors_of,
    fun,
    listed,
    substitute,
)
from tests.bend2.native.generated.patterns import Column, Pattern, rows
from tests.bend2.native.generated.scope import Bound, Code, Env, Function, Recursion, Scope
from tests.bend2.native.generated.terms import Terms, let_env

Lines = list[str]


def datatype(terms: Terms) -> str:
    """A new datatype, which is added to those of `terms`; its text."""
    source = terms.source
    made = Datatype(terms.fresh("D"), (), True)
    shape = source.choice(("enum", "record", "variants", "list", "tree", "holder"))
    if shape != "enum" and terms.chance(40):
        made.params = (A, B)[: 1 + source.randrange(2)]
    made.is_data = shape != "holder"
    self_type = T("User", made.params, declaration=made)

    def field(at: int, type_: T, mark: str = "") -> Field:
        return Field(f"f{at}", type_, mark)

    def part() -> T:
        return terms.type_(1, data=made.is_data, variables=made.params)

    def simple(count: int) -> list[Field]:
        fields = [field(at, part()) for at in range(count)]
        if terms.chance(25):
            fields = [field(at, each.type, "+" if each.type.is_data else "") for at, each in enumerate(fields)]
        if made.is_data and terms.chance(25):
            fields.insert(source.randrange(len(fields) + 1), Field("erased", source.choice((NAT, BOOL, STRING)), "-"))
        return fields

    def constructor(fields: list[Field]) -> Constructor:
        return Constructor(terms.fresh("K"), tuple(fields))

    match shape:
        case "enum":
            constructors = [constructor([]) for _ in range(1 + source.randrange(5))]
        case "record":
            constructors = [constructor(simple(1 + source.randrange(4)))]
        case "variants":
            constructors = [constructor(simple(source.randrange(3))) for _ in range(2 + source.randrange(3))]
        case "list":
            constructors = [constructor(simple(source.randrange(2)))]
            constructors.append(constructor([*simple(1 + source.randrange(2)), Field("rest", self_type)]))
        case "tree":
            constructors = [constructor(simple(source.randrange(2)))]
            constructors.append(constructor([Field("left", self_type), *simple(1), Field("right", self_type)]))
        case _:
            function = fun(source.choice((NAT, U32)), source.choice((NAT, U32, BOOL)))
            held = [field(0, function), field(1, array(source.choice((NAT, U32, BOOL)))), field(2, NAT)]
            constructors = [constructor(held[: 1 + source.randrange(3)])]
            if terms.chance(50):
                constructors.append(constructor(simple(1)))
    made.is_recursive = shape in ("list", "tree")
    made.constructors = tuple(constructors)
    fields_ = [each for constructor_ in constructors for each in constructor_.fields if each.type != self_type]
    made.is_printable = all(
        each.mark != "-" and substitute(each.type, {"A": NAT, "B": NAT}).is_printable for each in fields_
    )
    terms.datatypes.append(made)
    return made.text()


def function(terms: Terms, *, recursive: bool) -> str:
    """A new function, which is added to those of `terms`; its text."""
    source = terms.source
    templates: tuple[Param, ...] = ()
    variables: tuple[T, ...] = ()
    match source.randrange(4):
        case 2:
            variables = (A, B)[: 1 + source.randrange(2)]
        case 3:
            some = terms.type_(1, data=True), terms.type_(1, data=True)
            templates = (Param(terms.fresh("t"), fun(*some), "~"),)
    params = [_param(terms, variables) for _ in range(source.randrange(4))]
    params += [Param(terms.fresh("a"), each, "+") for each in variables]
    fuel = None
    if recursive:
        first = _recursive_type(terms)
        fuel = len(templates) if first == NAT else None
        mark = "+" if first.is_data and terms.chance(30) else ""
        params.insert(0, Param(terms.fresh("r"), first, mark))
    if templates and not all(each.mark in ("", "~") for each in params) and terms.chance(30):
        params = [Param(each.name, each.type, "" if each.mark == "+" else each.mark) for each in params]
    related = [each.type for each in params if each.type.head not in ("Fun", "Var")]
    answer = source.choice(related) if related and terms.chance(50) else terms.type_(2, variables=variables)
    signature = Signature(terms.fresh("fn"), variables, (*templates, *params), answer, fuel)
    return _define(terms, signature, recursive=recursive)


def _param(terms: Terms, variables: tuple[T, ...]) -> Param:
    type_ = terms.type_(2, variables=variables)
    if type_.is_data and terms.chance(60):
        return Param(terms.fresh("a"), type_, "+")
    if type_.is_data and terms.chance(10):
        return Param(terms.fresh("a"), type_, "-")
    return Param(terms.fresh("a"), type_)


def _recursive_type(terms: Terms) -> T:
    choices = [NAT, listed(terms.type_(1, data=True)), STRING, listed(terms.type_(1), 1), array(U32), NAT]
    users = [each for each in terms.datatypes if each.is_recursive]
    choices += [terms.instance(each) for each in users for _ in range(2)]
    return terms.source.choice(choices)


def _define(terms: Terms, signature: Signature, *, recursive: bool) -> str:
    live = [each.name for each in signature.params if each.mark != "-"]
    body: Code | None = None

    def run(*args: Value) -> Value:
        terms.clock.tick()
        assert body is not None
        return body(dict(zip(live, args, strict=True)))

    made = Function(signature, run)
    scope = Scope(
        tuple(Bound(each.name, each.type, each.mark in ("+", "~")) for each in signature.params if each.mark != "-")
    )
    open_ = [each for each in signature.params if each.mark in ("", "+")]
    maker = _Bodies(terms, made if recursive else None)
    lines, body = maker.body(open_, signature.result, scope, 4)
    terms.functions.append(made)
    binders = [f"~{each.name}: {each.type}" for each in signature.params if each.mark == "~"]
    binders += [f"-{each}: Data" for each in signature.variables]
    binders += [f"{each.mark}{each.name}: {each.type}" for each in signature.params if each.mark != "~"]
    head = f"def {signature.name}({', '.join(binders)}) -> {signature.result}:"
    return "\n".join([head, *("  " + line for line in lines)])


class _Bodies:
    """Bodies of one function."""

    def __init__(self, terms: Terms, itself: Function | None) -> None:
        self.terms = terms
        self.itself = itself

    def body(self, params: list[Param], type_: T, scope: Scope, depth: int) -> tuple[Lines, Code]:
        """A body whose parameters can still be matched."""
        terms = self.terms
        if self.itself is not None:
            return self.rows(params, type_, scope, depth, must=True)
        if params and terms.chance(60):
            return self.rows(params, type_, scope, depth, must=False)
        return self.rest(type_, scope, depth)

    def rows(self, params: list[Param], type_: T, scope: Scope, depth: int, *, must: bool) -> tuple[Lines, Code]:
        """A match on some of the parameters, in order; `must`: on the first, into all of its constructors."""
        terms = self.terms
        chosen = [each for at, each in enumerate(params) if (must and at == 0) or terms.chance(50)]
        if not chosen:
            return self.rest(type_, scope, depth)
        columns = [Column(each.type, each.mark == "+") for each in chosen]
        found = self._split(columns) if must else rows(terms, columns, 2)
        names = {each.name for each in chosen}
        outside = tuple(each for each in scope.bound if each.name not in names)
        lines = [f"match {' '.join(each.name for each in chosen)}:"]
        arms: list[tuple[list[Pattern], Code]] = []
        for row in found:
            bounds = [bound for pattern in row for bound in pattern.bounds()]
            inner = Scope((*outside, *bounds))
            if self.itself is not None:
                inner.recursion = self._recursion(row[0], columns[0].type)
            body_lines, code = self.rest(type_, inner, depth)
            lines.append(f"  case {', '.join(each.text() for each in row)}:")
            lines += ["    " + line for line in body_lines]
            arms.append((row, code))

        def run(env: Env) -> Value:
            for row, code in arms:
                found: Env = {}
                if all(part.fits(env[each.name], found) for part, each in zip(row, chosen, strict=True)):
                    return code({**env, **found})
            raise AssertionError("rows cover all values")

        return lines, run

    def _split(self, columns: list[Column]) -> list[list[Pattern]]:
        """Rows that look into the first column at least once."""
        for _ in range(20):
            found = rows(self.terms, columns, 2)
            if found[0][0].made is not None:
                return found
        first, *others = columns
        made = [
            Pattern(
                first.type,
                made=each,
                parts=tuple(
                    Pattern(
                        part.type, bound=Bound(self.terms.fresh("p"), part.type, part.mark == "+" or first.reusable)
                    )
                    if part.mark != "-"
                    else Pattern(part.type, names_erased=self.terms.fresh("e"))
                    for part in each.fields
                ),
            )
            for each in constructors_of(first.type)
        ]
        rest = [Pattern(each.type, bound=Bound(self.terms.fresh("p"), each.type, each.reusable)) for each in others]
        return [[each, *rest] for each in made]

    def _recursion(self, pattern: Pattern, type_: T) -> Recursion | None:
        assert self.itself is not None
        smaller = [each.name for each in pattern.inner() if each.type == type_]
        if not smaller:
            return None
        return Recursion(self.itself, smaller, 1 if type_ == NAT else len(smaller))

    def rest(self, type_: T, scope: Scope, depth: int) -> tuple[Lines, Code]:
        """Lets, and the result."""
        terms = self.terms
        if type_.head in ("Maybe", "Result", "IO") and terms.chance(50):
            return self.do(type_, scope, depth)
        lines: Lines = []
        steps: list[Callable[[Env], Env]] = []
        while terms.chance(30) and len(steps) < 3:
            binders, values = terms.lets(scope, depth - 2)
            lines.append(terms.let_text(binders, values))
            steps.append(partial(let_env, binders, values))
            scope = scope.with_(*binders)
        result = terms.term(type_, scope, depth)
        lines.append(result.text)

        def run(env: Env) -> Value:
            for step in steps:
                env = step(env)
            return result.run(env)

        return lines, run

    def do(self, type_: T, scope: Scope, depth: int) -> tuple[Lines, Code]:
        """A do block over Maybe, Result or IO, one statement a line."""
        terms = self.terms
        of = type_.args[-1]
        wanted = terms.source.randrange(1, 4) + (type_.head == "IO")
        lines = [f"do {type_.head}<{''.join(f'&{mark}, ' for mark in type_.marks)}{', '.join(map(str, type_.args))}>:"]
        steps: list[tuple[str, str, Code]] = []
        for _ in range(wanted):
            part = UNIT if type_.head == "IO" and terms.chance(50) else terms.type_(1, data=2 in type_.marks)
            name, plus = terms.fresh(), terms.chance(50) and part.is_data
            kind = terms.source.choice(("bind", "let", "drop"))
            if kind == "let":
                value = terms.term(part, scope, depth - 1)
                lines.append(f"  {'+' * plus}{name} : {part} = {value.text}")
            else:
                value = terms.term(T(type_.head, (*type_.args[:-1], part), type_.marks), scope, depth - 1)
                lines.append(
                    f"  {part} <- {value.text}" if kind == "drop" else f"  {'+' * plus}{name} : {part} <- {value.text}"
                )
            steps.append((kind, name, value.run))
            if kind != "drop":
                scope = scope.with_(Bound(name, part, plus))
        if terms.chance(50):
            last = terms.term(of, scope, depth - 1)
            lines.append(f"  return {last.text}")
            steps.append(("return", "", last.run))
        else:
            last = terms.term(type_, scope, depth - 1)
            lines.append(f"  {last.text}")
            steps.append(("last", "", last.run))
        if type_.head == "IO":
            return lines, lambda env: lambda out: _act(steps, env, out)
        return lines, lambda env: _chain(steps, "Some" if type_.head == "Maybe" else "Done", env)


def _chain(steps: list[tuple[str, str, Code]], name: str, env: Env) -> Value:
    """What a do block over Maybe or Result gives."""
    for kind, bound, run in steps:
        value = run(env)
        match kind:
            case "let":
                env = {**env, bound: value}
            case "return":
                return Con(name, (value,))
            case "last":
                return value
            case _ if value.name != name:
                return value
            case _:
                env = {**env, bound: value.fields[0]}
    raise AssertionError("a do block ends with its last statement")


def _act(steps: list[tuple[str, str, Code]], env: Env, out: list[int]) -> Value:
    """What a do block over IO answers."""
    for kind, bound, run in steps:
        value = run(env)
        if kind == "return":
            return value
        if kind in ("bind", "drop", "last"):
            value = value(out)
        if kind == "last":
            return value
        env = {**env, bound: value}
    raise AssertionError("a do block ends with its last statement")
