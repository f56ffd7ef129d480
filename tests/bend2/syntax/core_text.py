"""Core terms as short text, for tests of reading: exact about structure, names and marks, silent about places."""

from __future__ import annotations

from bendml_cli.bend2.core import terms as t


def core_text(term: t.Term, names: tuple[str, ...] = ()) -> str:
    """The text of a core term under binders `names`, outermost first. Equal names are told apart by level."""

    def under(inner: t.Term, *added: str) -> str:
        return core_text(inner, names + added)

    def all_of(terms: tuple[t.Term, ...]) -> str:
        return ", ".join([core_text(item, names) for item in terms])

    match term:
        case t.Var(index=index):
            level = len(names) - 1 - index
            name = names[level]
            return name if names.count(name) == 1 else f"{name}^{level}"
        case t.Ref(key=key, offload=offload):
            return key + "!" * offload
        case t.Kind(quantity=quantity):
            return f"Kind({core_text(quantity, names)})"
        case t.Quant():
            return "Quant"
        case t.QuantLit(value=value):
            return f"&{value}"
        case t.Meet(left=left, right=right):
            return f"({core_text(left, names)} <&> {core_text(right, names)})"
        case t.Pi(quantity=quantity, name=name, domain=domain, codomain=codomain):
            return f"(@{quantity}{name}:{core_text(domain, names)} -> {under(codomain, name)})"
        case t.Lam(quantity=quantity, name=name, body=body):
            return f"({quantity}{name} => {under(body, name)})"
        case t.App(function=function, arguments=arguments):
            return f"{core_text(function, names)}({all_of(arguments)})"
        case t.Data(key=key, arguments=arguments):
            return f"{key}<{all_of(arguments)}>"
        case t.Ctr(key=key, arguments=arguments):
            return f"{key}{{{all_of(arguments)}}}"
        case t.NatLit(value=value):
            return f"{value}n"
        case t.U32Lit(value=value):
            return str(value)
        case t.F32Lit(bits=bits):
            return f"f{bits}"
        case t.StrLit(codes=codes):
            return f"str{list(codes)}"
        case t.Match(constructor=constructor, hit=hit, miss=miss):
            return f"\\{{{constructor}: {core_text(hit, names)}; {core_text(miss, names)}}}"
        case t.Absurd():
            return "\\{}"
        case t.Eq(left=left, right=right, type=type_):
            return f"{{{core_text(left, names)} == {core_text(right, names)} : {core_text(type_, names)}}}"
        case t.Refl():
            return "{==}"
        case t.Rewrite(evidence=evidence, name=name, motive=motive, body=body):
            label = name or "_"
            return f"%{label}@{core_text(evidence, names)} : {under(motive, '_', label)}; {core_text(body, names)}"
        case t.Hole(name=name):
            return f"?{name}"
        case t.Ann(term=inner, type=type_):
            return f"{{{core_text(inner, names)} : {core_text(type_, names)}}}"
        case t.Let(binders=binders, values=values, body=body):
            bound = " ".join([binder.quantity + binder.name for binder in binders])
            rest = under(body, *[binder.name for binder in binders])
            return f"{bound} = {' '.join([core_text(value, names) for value in values])}; {rest}"
        case t.BareOperator(sign=sign):
            return f"<{sign}>"
    raise AssertionError(f"no text for {type(term).__name__}")
