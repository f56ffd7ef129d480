"""Counting what a declaration reads, for the `_N` names of unnamed fields (reading.md, Match compilation).

N counts each binder (also `_`), each `->` and `!=`, two for each rewrite, each undotted name that is no bound variable,
two for a bare step, and what stands in a type as often as the type was read.
"""

from __future__ import annotations

from bendml_cli.bend2.syntax import surface as s


def names_read(declaration: s.DefDecl) -> int:
    """How many names the def's parameters, result and body take."""
    return _Counter().definition(declaration)


class _Counter:
    """Counts with the names bound at the place at hand."""

    def __init__(self) -> None:
        self.bound: dict[str, int] = {}
        self.count = 0

    def definition(self, declaration: s.DefDecl) -> int:
        for binder in declaration.parameters:
            if binder.type is not None:
                self.term(binder.type)
            self.bind(binder.name)
        if declaration.result is not None:
            self.term(declaration.result)
        if declaration.body is not None:
            self.term(declaration.body)
        return self.count

    def bind(self, name: str) -> None:
        self.count += 1
        self.enter(name)

    def enter(self, name: str) -> None:
        if name != "_":
            self.bound[name] = self.bound.get(name, 0) + 1

    def leave(self, *names: str) -> None:
        for name in names:
            if name != "_":
                self.bound[name] -= 1

    def name(self, name: str) -> None:
        """A name that is looked up: it counts if it is undotted and no bound variable."""
        if "." not in name and not self.bound.get(name):
            self.count += 1

    def terms(self, terms: list[s.Surface]) -> None:
        for term in terms:
            self.term(term)

    def read(self, type_: s.Surface | None, times: int) -> None:
        """A type that was read so often."""
        if type_ is None:
            return
        before = self.count
        self.term(type_)
        self.count += (self.count - before) * (times - 1)

    def under(self, name: str, body: s.Surface) -> None:
        """A binder and what stands under it."""
        self.bind(name)
        self.term(body)
        self.leave(name)

    def term(self, term: s.Surface) -> None:
        match term:
            case s.Name(text=text):
                self.name(text)
            case s.Call(function=function, arguments=arguments):
                self.term(function)
                self.terms(arguments)
            case s.Build(items=items) | s.ListTerm(items=items):
                self.terms(items)
            case s.Operation(sign=sign, left=left, right=right):
                self.term(left)
                self.count += sign == "->"
                self.term(right)
            case s.Group(body=body, type=type_, type_reads=reads):
                self.term(body)
                self.read(type_, reads)
            case s.TupleTerm(items=items, type=type_, type_reads=reads):
                self.terms(items)
                self.read(type_, reads)
            case s.KindOf(quantity=inner) | s.NatPlus(tail=inner) | s.Marked(term=inner):
                self.term(inner)
            case s.Instance(name=name, arguments=arguments):
                self.name(name)
                self.terms(arguments)
            case s.Dependent(name=name, domain=domain, codomain=codomain):
                self.term(domain)
                self.under(name, codomain)
            case s.Handler(arms=arms, rest=rest):
                for arm in arms:
                    self.term(arm.term)
                if rest is not None:
                    self.term(rest)
            case s.Equation(left=left, right=right, type=type_, negated=negated, type_reads=reads):
                self.term(left)
                self.count += negated
                self.term(right)
                self.read(type_, reads)
            case s.Annotation(term=inner, type=type_, type_reads=reads):
                self.term(inner)
                self.read(type_, reads)
            case s.ArrayTerm(value=value, type=type_, size=size):
                self.terms([value, type_, size])
            case s.Index(array=array, index=index, value=value):
                self.terms([array, index])
                if value is not None:
                    self.term(value)
            case s.Lambda(name=name, body=body):
                self.under(name, body)
            case s.RewriteTerm():
                self._rewrite(term)
            case s.Do(arguments=arguments, steps=steps):
                self.terms(arguments)
                self._steps(steps)
            case _:
                self._statement(term)

    def _rewrite(self, term: s.RewriteTerm) -> None:
        self.term(term.evidence)
        self.count += 2
        self.bound["_"] = self.bound.get("_", 0) + 1
        self.enter(term.name or "_")
        self.term(term.motive)
        self.leave(term.name or "_")
        self.bound["_"] -= 1
        self.term(term.body)

    def _steps(self, steps: list[s.Step]) -> None:
        for step in steps:
            if step.type is not None:
                self.term(step.type)
            self.term(step.value)
            if step.what == "step":
                self.count += 2
            elif step.what in ("bind", "let", "drop"):
                self.bind(step.name)
        for step in steps:
            if step.what in ("bind", "let"):
                self.leave(step.name)

    def _statement(self, term: s.Surface) -> None:
        match term:
            case s.Let(bindings=bindings, type=type_, values=values, body=body):
                self.read(type_, 1)
                self.terms(values)
                for binding in bindings:
                    self.bind(binding.name)
                self.term(body)
                self.leave(*[binding.name for binding in bindings])
            case s.Write(name=name, write=write, body=body):
                self.term(write)
                self.under(name, body)
            case s.Destructure(target=target, value=value, body=body):
                self.term(value)
                self._under_patterns([target], body)
            case s.MatchBody(scrutinees=scrutinees, rows=rows):
                self.terms(scrutinees)
                for row in rows:
                    self._under_patterns(row.terms, row.body)

    def _under_patterns(self, patterns: list[s.Surface], body: s.Surface) -> None:
        names: list[str] = []
        for pattern in patterns:
            self._pattern(pattern, names)
        for name in names:
            self.bind(name)
        self.term(body)
        self.leave(*names)

    def _pattern(self, pattern: s.Surface, names: list[str]) -> None:
        """Collect the names that a pattern binds; a type in a group is read, and ignored."""
        match pattern:
            case s.Name(text=text):
                names.append(text)
            case s.Marked(term=inner) | s.NatPlus(tail=inner):
                self._pattern(inner, names)
            case s.Group(body=body, type=type_, type_reads=reads):
                self._pattern(body, names)
                self.read(type_, reads)
            case s.TupleTerm(items=items, type=type_, type_reads=reads):
                for item in items:
                    self._pattern(item, names)
                self.read(type_, reads)
            case s.Build(items=items) | s.ListTerm(items=items):
                for item in items:
                    self._pattern(item, names)
            case s.Operation(left=left, right=right):
                self._pattern(left, names)
                self._pattern(right, names)
