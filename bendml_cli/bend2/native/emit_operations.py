"""Operations in C: expressions without parts, on atoms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bendml_cli.bend2.native.conventions import MAX_ARITY, REGISTER_ARITY, Conventions, Leaf
from bendml_cli.bend2.native.crep import CReps, block_kind, c_name, is_void, var_name
from bendml_cli.bend2.native.ir import (
    Apply,
    Atom,
    Call,
    Closure,
    Coerce,
    Construct,
    Expr,
    Fun,
    Prim,
    Program,
    Text,
    Unreachable,
    Value,
    Var,
)
from bendml_cli.bend2.native.types import ANY, F32_, U32_, Enum, Record, Rep
from bendml_cli.bend2.source import BendError

_MOST_FIELDS = 255
_TYPED_ARRAY_PRIMS = {
    # name: where its arguments hold an element
    "arr_new": 1,
    "arr_make": None,
    "arr_leaf": 0,
    "arr_get": None,
    "arr_set": 2,
    "arr_exchange": 2,
    "arr_init": 2,
    "arr_leaf_value": None,
}
_MAKES_ARRAY = {"arr_new", "arr_make", "arr_leaf"}
_GIVES_ELEMENT = {"arr_get", "arr_exchange", "arr_leaf_value"}
_WORD_ARGUMENTS = {"chan_send": 1}
_ELEMENT_REPS: dict[str, Rep] = {"f32": F32_, "u32": U32_, "u8": Enum("")}


@dataclass(frozen=True, slots=True)
class Code:
    """A C expression, and the form of its value: raw of a representation, or (`is_word`) as a word of it."""

    text: str
    rep: Rep
    is_word: bool = False


class Operations:
    """The names of a program's functions and texts, and the C code of operations."""

    def __init__(self, program: Program, reps: CReps) -> None:
        self.program = program
        self.reps = reps
        self.conventions = Conventions(program, reps)
        self.texts: dict[tuple[int, ...], str] = {}
        self._fresh = 0
        self._functions = {key: f"f{at}__{c_name(key)[:40]}" for at, key in enumerate(program.functions)}

    def fresh(self, stem: str) -> str:
        """A new C name. (Those of variables end in a number after an underscore.)"""
        self._fresh += 1
        return f"{stem}{self._fresh}"

    def function(self, key: str) -> str:
        """The C function of a function, on raw values."""
        return self._functions[key]

    def entry(self, key: str) -> str:
        """The C function that is the code of a function's closures."""
        return f"e{self._functions[key][1:]}"

    def raw_as(self, code: Code, rep: Rep) -> str:
        """The code of the same value, raw, in another representation."""
        if code.is_word:
            return self.reps.unbox(code.text, rep)
        if self.reps.type(code.rep) == self.reps.type(rep):
            return code.text
        return self.reps.unbox(self.reps.box(code.text, code.rep), rep)

    def word_of(self, code: Code) -> str:
        """The code of a value as a word."""
        return code.text if code.is_word else self.reps.box(code.text, code.rep)

    def arguments(self, atoms: tuple[Atom, ...]) -> list[str]:
        """Arguments of a known function: raw values, records by their leaves."""
        result = []
        for atom in atoms:
            result += [f"{self.reps.raw(atom)}{path}" for path, _ in self.reps.leaves(atom.rep)]
        return result

    def parameters(self, variables: tuple[Var, ...]) -> str:
        """The same of parameters, with their types."""
        return self._declared(self.conventions.leaves(variables))

    def _declared(self, leaves: list[Leaf[tuple[Var, str]]]) -> str:
        parts = [f"{self.reps.type(rep)} {leaf_name(var, path)}" for (var, path), rep in leaves]
        return ", ".join(parts) or "void"

    def head(self, fun: Fun) -> str:
        """A function's head, without what ends it."""
        inside, _ = self.conventions.split(fun, self.conventions.leaves(fun.params))
        convention = "B_CC " if self.conventions.is_jumped_to(fun) else ""
        return f"static {convention}{self.result_type(fun)} {self.function(fun.key)}({self._declared(inside)})"

    def receive(self, fun: Fun) -> list[str]:
        """The statements that a function begins with: its extra arguments, then its records."""
        _, extra = self.conventions.split(fun, self.conventions.leaves(fun.params))
        loads = [
            f"{self.reps.type(rep)} {leaf_name(var, path)} = {self.reps.unbox(f'b_extra[{at}]', rep)};"
            for at, ((var, path), rep) in enumerate(extra)
        ]
        return [*loads, *self.gather(fun.params)]

    def call(self, fun: Fun, args: list[str], emit: Callable[[str], None]) -> str:
        """A call of a function with the codes of its parameters' leaves; extra arguments are passed by statements."""
        reps = [rep for _, rep in self.conventions.leaves(fun.params)]
        inside, extra = self.conventions.split(fun, list(zip(args, reps, strict=True)))
        for at, (code, rep) in enumerate(extra):
            emit(f"b_extra[{at}] = {self.reps.box(code, rep)};")
        return f"{self.function(fun.key)}({', '.join(code for code, _ in inside)})"

    def gather(self, variables: tuple[Var, ...]) -> list[str]:
        """Statements that make parameters' leaves records again."""
        return [
            f"{self.reps.type(var.rep)} {var_name(var)} = {self._gathered(var, var.rep, '')};"
            for var in variables
            if isinstance(var.rep, Record) and not is_void(var.rep)
        ]

    def _gathered(self, var: Var, rep: Rep, path: str) -> str:
        if not isinstance(rep, Record):
            return leaf_name(var, path)
        parts = [self._gathered(var, each, f"{path}.f{at}") for at, each in enumerate(rep.fields) if not is_void(each)]
        return f"{{{', '.join(parts)}}}"

    def result_type(self, fun: Fun) -> str:
        """The C type of a function's result: closures' functions give words."""
        return "V" if fun.is_closure else self.reps.type(fun.result)

    def operation(self, expr: Expr, emit: Callable[[str], None], hole: Var | None = None) -> Code:
        """The code of an expression without parts; what must happen before is emitted as statements.

        `hole`, as an argument of a Construct, stands for a word that is written later.
        """
        reps = self.reps
        match expr:
            case Value(atom):
                return Code(reps.raw(atom), atom.rep)
            case Text(codes):
                return Code(self._text(codes), ANY)
            case Prim():
                return self._prim(expr)
            case Call(function, args):
                fun = self.program.functions[function]
                return Code(self.call(fun, self.arguments(args), emit), fun.result, fun.is_closure)
            case Apply(function, args, rep):
                return Code(self._apply(reps.word(function), args, emit), rep, is_word=True)
            case Construct(_, _, args, Record() as rep):
                fields = [reps.raw(each) for each in args if not is_void(each.rep)]
                return Code("" if is_void(rep) else f"({reps.type(rep)}){{{', '.join(fields)}}}", rep)
            case Construct():
                return Code(f"b_word({self.cell(expr, emit, hole)})", expr.rep)
            case Coerce(atom, rep):
                return Code(self.raw_as(Code(reps.raw(atom), atom.rep), rep), rep)
            case Closure(function, captured):
                return Code(self._closure(function, captured, emit), ANY)
            case Unreachable(rep):
                emit("B_NEVER();")
                return Code(_zero(reps.type(rep)), rep)
        raise AssertionError(expr)

    def cell(self, expr: Construct, emit: Callable[[str], None], hole: Var | None = None) -> str:
        """Emits the making of a cell; gives the C variable of its object."""
        name = self.fresh("o")
        n = _counted_fields(len(expr.args), f"the constructor {expr.constructor}")
        if expr.reuse is None:
            emit(f"b_obj *{name} = b_cell({expr.tag}, {n});")
        else:
            emit(f"b_obj *{name} = b_cell_in({var_name(expr.reuse)}, {expr.tag}, {n});")
        for at, each in enumerate(expr.args):
            if hole is None or each is not hole:
                emit(f"{name}->f[{at}] = {self.reps.word(each)};")
        return name

    def _apply(self, function: str, args: tuple[Atom, ...], emit: Callable[[str], None]) -> str:
        words = list(map(self.reps.word, args))
        while len(words) > MAX_ARITY:
            name = self.fresh("o")
            emit(f"V {name} = {self._apply_some(function, words[:MAX_ARITY], emit)};")
            function, words = name, words[MAX_ARITY:]
        return self._apply_some(function, words, emit)

    def _apply_some(self, function: str, words: list[str], emit: Callable[[str], None]) -> str:
        n = len(words)
        if n <= REGISTER_ARITY:
            return f"b_apply{n}({', '.join([function, *words])})"
        for at, word in enumerate(words):
            emit(f"b_extra[{at}] = {word};")
        return f"b_apply_extra({function}, {n})"

    def _closure(self, function: str, captured: tuple[Atom, ...], emit: Callable[[str], None]) -> str:
        name = self.fresh("o")
        n = _counted_fields(len(captured), "what a function value holds")
        arity = _counted_fields(len(self.program.functions[function].params) - n, "a function value", MAX_ARITY)
        emit(f"b_obj *{name} = b_closure((const void *){self.entry(function)}, {arity}, {n});")
        for at, each in enumerate(captured):
            emit(f"{name}->f[{at + 1}] = {self.reps.word(each)};")
        return f"b_word({name})"

    def _text(self, codes: tuple[int, ...]) -> str:
        if not codes:
            return "b_imm(0)"
        name = self.texts.setdefault(codes, f"text{len(self.texts)}")
        return f"b_text({name}, {len(codes)})"

    def _prim(self, prim: Prim) -> Code:
        args = prim.args
        if prim.name in _TYPED_ARRAY_PRIMS:
            return self._array_prim(prim)
        codes = [
            self.reps.word(each) if _WORD_ARGUMENTS.get(prim.name) == at else self.reps.raw(each)
            for at, each in enumerate(args)
        ]
        return Code(f"b_{prim.name}({', '.join(each for each in codes if each)})", prim.rep)

    def _array_prim(self, prim: Prim) -> Code:
        kind = block_kind(prim.rep if prim.name in _MAKES_ARRAY else prim.args[0].rep)
        codes = [
            self._element(each, kind) if _TYPED_ARRAY_PRIMS[prim.name] == at else self.reps.raw(each)
            for at, each in enumerate(prim.args)
        ]
        text = f"b_{prim.name}_{kind}({', '.join(codes)})"
        if prim.name not in _GIVES_ELEMENT:
            return Code(text, prim.rep)
        return Code(text, _ELEMENT_REPS.get(kind, prim.rep), is_word=kind not in _ELEMENT_REPS)

    def _element(self, atom: Atom, kind: str) -> str:
        """An atom as an element of a block."""
        if kind not in _ELEMENT_REPS:
            return self.reps.word(atom)
        return self.raw_as(Code(self.reps.raw(atom), atom.rep), _ELEMENT_REPS[kind])


def _counted_fields(count: int, what: str, most: int = _MOST_FIELDS) -> int:
    """The count. Raises BendError if there are more than an object's header can count."""
    if count > most:
        raise BendError("too-large", -1, f"{what} has {count} parts, and native code has room for {most}")
    return count


def leaf_name(var: Var, path: str) -> str:
    """The C parameter of a leaf of a variable."""
    return var_name(var) + path.replace(".", "")


def _zero(c_type: str) -> str:
    """Any value of a C type."""
    if c_type == "void":
        return ""
    return f"({c_type}){{0}}" if c_type.startswith("struct") else "0"
