"""Printing core terms in surface syntax (judging.md, "Printing"; reading.md, "Printing details").

Places, loosest first: `ITEM` (the root, the body of a lambda, an argument or item), `ARM` (right of an arrow, parts of
braces, handler arms, tails) and `TIGHT` (left of an arrow, sides of a meet, the head of a call or an open list). A
lambda or a rewrite takes parentheses in ARM and TIGHT; a function type, a meet, `n+x`, an open list and a residual
datatype only in TIGHT.
"""

from __future__ import annotations

from collections.abc import Callable

from bendml_cli.bend2.core import float32
from bendml_cli.bend2.core.terms import (
    Absurd,
    Ann,
    App,
    Ctr,
    Data,
    Eq,
    F32Lit,
    Hole,
    Kind,
    Lam,
    Let,
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
)

ITEM, ARM, TIGHT = 0, 1, 2
LARGEST_LITERAL = (1 << 32) - 1


def show(term: Term, names: tuple[str, ...], spell: Callable[[str], str]) -> str:
    """Print a term that stands under the binders `names` (outermost first); `spell` writes a top-level key."""
    return _Printer(spell, len(names)).show(term, names, ITEM)


class _Printer:
    def __init__(self, spell: Callable[[str], str], context: int) -> None:
        self.spell = spell
        self.context = context

    def show(self, term: Term, names: tuple[str, ...], place: int) -> str:
        match term:
            case Var(index=index):
                return _variable(index, names)
            case Ref(key=key, offload=offload):
                return self._top(key, names) + ("!" if offload else "")
            case NatLit(value=value):
                return f"{value}n"
            case Ctr():
                return self._constructor(term, names, place)
            case App(function=function, arguments=arguments):
                return f"{self.show(function, names, TIGHT)}({self._items(arguments, names)})"
            case Data():
                return self._data(term, names, place)
            case Lam(name=name, body=body):
                return _paren(f"{name} => {self.show(body, (*names, name), ITEM)}", place >= ARM)
            case Pi(quantity=quantity, name=name, domain=domain, codomain=codomain):
                left = self.show(domain, names, TIGHT)
                right = self.show(codomain, (*names, name), ARM)
                return _paren(f"@{quantity}{name}:{left} -> {right}", place == TIGHT)
            case Eq(left=first, right=second, type=type_):
                parts = [self.show(part, names, ARM) for part in (first, second, type_)]
                return f"{{{parts[0]} == {parts[1]} : {parts[2]}}}"
            case Refl():
                return "{==}"
            case Kind(quantity=quantity):
                if isinstance(quantity, QuantLit) and quantity.value:
                    return "Type" if quantity.value == 1 else "Data"
                return f"Kind({self.show(quantity, names, ITEM)})"
            case Quant():
                return "Quant"
            case QuantLit(value=value):
                return f"&{value}"
            case Meet(left=first, right=second):
                text = f"{self.show(first, names, TIGHT)} <&> {self.show(second, names, TIGHT)}"
                return _paren(text, place == TIGHT)
            case U32Lit(value=value):
                return str(value)
            case F32Lit(bits=bits):
                return float32.show(bits)
            case StrLit(codes=codes):
                return quoted(codes, '"')
            case Match() | Absurd():
                return self._match(term, names)
            case Rewrite(evidence=evidence, name=name, motive=motive, body=body):
                mark = "%" if name is None else f"%{name}@"
                inner = (*names, "_", name or "")
                text = (
                    f"{mark}{self.show(evidence, names, ARM)} : {self.show(motive, inner, ARM)}; "
                    f"{self.show(body, names, ITEM)}"
                )
                return _paren(text, place >= ARM)
            case Hole(name=name):
                return f"?{name}"
            case Ann(term=inner_term, type=type_):
                return f"{{{self.show(inner_term, names, ARM)} : {self.show(type_, names, ARM)}}}"
            case Let(binders=binders, values=values, body=body):
                left = " ".join(b.quantity + b.name for b in binders)
                right = " ".join(self.show(value, names, ITEM) for value in values)
                inner = names + tuple(b.name for b in binders)
                return _paren(f"{left} = {right}; {self.show(body, inner, ITEM)}", place >= ARM)
        raise AssertionError(term)

    def _items(self, items: tuple[Term, ...], names: tuple[str, ...]) -> str:
        return ", ".join([self.show(item, names, ITEM) for item in items])

    def _top(self, key: str, names: tuple[str, ...]) -> str:
        """A top-level name, marked where a printed binder of that name (not the context's) hides it."""
        name = self.spell(key)
        return name + "^" if name in names[self.context :] else name

    def _data(self, term: Data, names: tuple[str, ...], place: int) -> str:
        text = self._top(term.key, names)
        if term.arguments or term.removed:
            text += f"<{self._items(term.arguments, names)}>"
        for key in term.removed:
            text += f" - {self.spell(key)}{{}}"
        return _paren(text, bool(term.removed) and place == TIGHT)

    def _match(self, term: Term, names: tuple[str, ...]) -> str:
        arms = []
        while isinstance(term, Match):
            arms.append(f"{self.spell(term.constructor)}: {self.show(term.hit, names, ARM)}")
            term = term.miss
        if not isinstance(term, Absurd):
            arms.append(self.show(term, names, ARM))
        return f"\\{{{'; '.join(arms)}}}"

    def _constructor(self, term: Ctr, names: tuple[str, ...], place: int) -> str:
        match term.key, term.arguments:
            case "Zero", ():
                return "0n"
            case "Succ", (_,):
                return self._successors(term, names, place)
            case "Nil", ():
                return "[]"
            case "Con", (_, _):
                return self._list(term, names, place)
            case "Tuple", (_, _):
                return f"({self._items(_tuple_items(term), names)})"
            case "Chr", (_,):
                code = _char_code(term)
                if code is not None:
                    return quoted((code,), "'")
            case "SNil", ():
                return '""'
            case "SCon", (_, _):
                return self._string(term, names)
            case ("ALeaf", (_,)) | ("ANode", (_, _)):
                leaves = _array_leaves(term)
                if leaves is not None:
                    return f"[{self._items(tuple(leaves), names)}]"
            case (("U32" | "F32"), (data,)):
                bits = _word_value(data)
                if bits is not None:
                    return str(bits) if term.key == "U32" else float32.show(bits)
        return f"{self.spell(term.key)}{{{self._items(term.arguments, names)}}}"

    def _successors(self, term: Term, names: tuple[str, ...], place: int) -> str:
        count = 0
        while isinstance(term, Ctr) and term.key == "Succ" and len(term.arguments) == 1:
            count += 1
            term = term.arguments[0]
        if isinstance(term, Ctr) and term.key == "Zero":
            return f"{count}n"
        if isinstance(term, NatLit) and count + term.value <= LARGEST_LITERAL:
            return f"{count + term.value}n"
        return _paren(f"{count}n+{self.show(term, names, ARM)}", place == TIGHT)

    def _list(self, term: Term, names: tuple[str, ...], place: int) -> str:
        items = []
        while isinstance(term, Ctr) and term.key == "Con" and len(term.arguments) == 2:
            items.append(term.arguments[0])
            term = term.arguments[1]
        if isinstance(term, Ctr) and term.key == "Nil" and not term.arguments:
            return f"[{self._items(tuple(items), names)}]"
        heads = [self.show(item, names, TIGHT) for item in items]
        return _paren(" <> ".join([*heads, self.show(term, names, ARM)]), place == TIGHT)

    def _string(self, term: Term, names: tuple[str, ...]) -> str:
        chars = []
        while isinstance(term, Ctr) and term.key == "SCon" and len(term.arguments) == 2:
            chars.append(term.arguments[0])
            term = term.arguments[1]
        codes = [_char_code(char) for char in chars]
        rest = _string_end(term)
        if rest is not None and None not in codes:
            return quoted((*(code for code in codes if code is not None), *rest), '"')
        text = self.show(term, names, ITEM)
        for char in reversed(chars):
            text = f"SCon{{{self.show(char, names, ITEM)}, {text}}}"
        return text


def _paren(text: str, wanted: bool) -> str:
    return f"({text})" if wanted else text


def _variable(index: int, names: tuple[str, ...]) -> str:
    """Bare where the innermost binder of its name is its own, else with its level."""
    level = len(names) - 1 - index
    name = names[level]
    return f"{name}^{level}" if name in names[level + 1 :] else name


def _tuple_items(term: Term) -> tuple[Term, ...]:
    items = []
    while isinstance(term, Ctr) and term.key == "Tuple" and len(term.arguments) == 2:
        items.append(term.arguments[0])
        term = term.arguments[1]
    return (*items, term)


def _array_leaves(term: Term) -> list[Term] | None:
    """The slots of an array whose tree is known to its leaves, else None."""
    leaves: list[Term] = []
    pending = [term]
    while pending:
        part = pending.pop()
        match part:
            case Ctr(key="ALeaf", arguments=(value,)):
                leaves.append(value)
            case Ctr(key="ANode", arguments=(left, right)):
                pending += [right, left]
            case _:
                return None
    return leaves


def _word_value(term: Term) -> int | None:
    """The number that a closed chain of bits spells, least significant first, else None."""
    value = 0
    for at in range(33):
        match term:
            case Ctr(key="WCon", arguments=(Ctr(key="True" | "False", arguments=()) as bit, rest)):
                value |= (bit.key == "True") << at
                term = rest
            case Ctr(key="WNil", arguments=()):
                return value
            case _:
                return None
    return None


def _char_code(term: Term) -> int | None:
    match term:
        case Ctr(key="Chr", arguments=(U32Lit(value=code),)):
            return code
        case Ctr(key="Chr", arguments=(Ctr(key="U32", arguments=(data,)),)):
            return _word_value(data)
    return None


def _string_end(term: Term) -> tuple[int, ...] | None:
    match term:
        case StrLit(codes=codes):
            return codes
        case Ctr(key="SNil", arguments=()):
            return ()
    return None


_ESCAPES = {10: "\\n", 9: "\\t", 13: "\\r", 0: "\\0", 92: "\\\\"}


def quoted(codes: tuple[int, ...], quote: str) -> str:
    """A character or string literal: the few escapes by letter, what is unprintable as `\\u{..}`."""
    parts = [quote]
    for code in codes:
        if code in _ESCAPES:
            parts.append(_ESCAPES[code])
        elif code == ord(quote):
            parts.append("\\" + quote)
        elif code < 32 or code == 127 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
            parts.append(f"\\u{{{code:x}}}")
        else:
            parts.append(chr(code))
    return "".join([*parts, quote])
