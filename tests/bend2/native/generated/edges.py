"""Programs that compute every operation on numbers at given values: at run time over lists, and on literals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bendml_cli.bend2.core import float32
from tests.bend2.native.float_model import is_nan
from tests.bend2.native.generated.bend_types import BOOL, F32, NAT, U32, T, Value, show_value
from tests.bend2.native.generated.operations import BITS, BITS_TEXT, CANONICAL_NAN, OPERATIONS
from tests.bend2.native.scalar_model import NAT_MAX, SCALARS, WORD, Stopped

Arguments = tuple[int, ...]
SIGN = 1 << 31
FOLDED = 2
"""How many results of each operation are of literals, which a compiler may compute."""


def literal(type_: T, value: int) -> str:
    """A closed term of a number; infinities, NaN and numbers below zero are computed."""
    if type_ != F32:
        return show_value(type_, value) if value <= WORD else _large(value)
    if is_nan(value):
        return "F32.div(0.0, 0.0)"
    magnitude = value & ~SIGN
    text = "F32.div(1.0, 0.0)" if magnitude == float32.INFINITY_BITS else float32.show(magnitude)
    return f"F32.neg({text})" if value & SIGN else text


def _large(value: int) -> str:
    """A Nat past the largest literal."""
    return f"Nat.add(Nat.mul({value >> 24}n, 16777216n), {value & 0xFFFFFF}n)"


class Case:
    """An operation of numbers: its name, the types of its arguments, its result as the tests see it."""

    def __init__(self, name: str, params: tuple[T, ...], result: T, model: Callable[..., Value]) -> None:
        self.name = name
        self.params = params
        self.result = U32 if result == F32 else result
        self._is_float = result == F32
        self._model = model

    def text(self, args: Sequence[str]) -> str:
        """The operation at arguments; floats by their bits."""
        called = f"{self.name}({', '.join(args)})"
        return f"{BITS}({called})" if self._is_float else called

    def value(self, args: Arguments) -> Value:
        """What it gives. Raises Stopped."""
        value = self._model(*args)
        return CANONICAL_NAN if self._is_float and is_nan(value) else value


def cases() -> Iterator[Case]:
    """All operations of numbers alone."""
    for each in OPERATIONS:
        if each.lead or not each.params or not all(param in (NAT, U32, F32) for param in each.params):
            continue
        prim = each.name.replace(".", "_").lower()
        if each.result in (NAT, U32, F32, BOOL) and each.name not in ("List.range", BITS):
            # Shifts and powers are bounded in `OPERATIONS`, for the checker's sake.
            model = SCALARS.get(prim, each.run) if each.result != BOOL else each.run
            yield Case(each.name, each.params, each.result, model)
        elif each.name in ("Nat.cmp", "U32.cmp"):
            yield Case(each.name, each.params, each.result, each.run)


CASES = tuple(cases())


def edge_program(arguments: Callable[[tuple[T, ...]], list[Arguments]]) -> tuple[str, str]:
    """A program that computes all operations at arguments of their types, and what it prints. Those that stop the
    program are left out."""
    parts = ["import Base", BITS_TEXT]
    inputs: dict[tuple[T, ...], list[Arguments]] = {}
    fields, values, shown = [], [], []
    for at, case in enumerate(CASES):
        if case.params not in inputs:
            inputs[case.params] = arguments(case.params)
            parts.append(_inputs(case, f"inputs.{_suffix(case)}", inputs[case.params]))
        answers = list(_answers(case, inputs[case.params]))
        name = f"inputs.{_suffix(case)}"
        if len(answers) < len(inputs[case.params]):
            name = f"inputs{at}"
            parts.append(_inputs(case, name, [args for args, _ in answers]))
        names = [f"x{number}" for number in range(len(case.params))]
        pattern = f"({', '.join(names)})" if len(names) > 1 else names[0]
        body = ["  match p:", f"    case {pattern}:", f"      {case.text(names)}"]
        parts.append("\n".join([f"def at{at}(p: ({_tuple(case)})) -> {case.result}:", *body]))
        mapped = f"List.map(~({_tuple(case)}), ~{case.result}, ~at{at}, {name})"
        parts.append(f"def list{at}() -> List<&1, {case.result}>:\n  {mapped}")
        folded = [case.text(list(map(literal, case.params, args))) for args, _ in answers[:FOLDED]]
        parts.append(f"def folded{at}() -> List<&2, {case.result}>:\n  [{', '.join(folded)}]")
        fields.append(f"l{at}: List<&1, {case.result}>, f{at}: List<&2, {case.result}>")
        values += [f"list{at}", f"folded{at}"]
        texts = [show_value(case.result, value) for _, value in answers]
        shown += [f"[{', '.join(texts)}]", f"[{', '.join(texts[:FOLDED])}]"]
    parts.append(f"type Answers is Type:\n  Answers{{{', '.join(fields)}}}")
    parts.append(f"def main() -> Answers:\n  Answers{{{', '.join(values)}}}")
    return "\n\n".join(parts) + "\n", f"Answers{{{', '.join(shown)}}}"


def _tuple(case: Case) -> str:
    return " & ".join(map(str, case.params))


def _suffix(case: Case) -> str:
    return "_".join(map(str, case.params))


def _inputs(case: Case, name: str, arguments: list[Arguments]) -> str:
    """A definition of a list of arguments."""
    items = ", ".join(f"({', '.join(map(literal, case.params, args))})" for args in arguments)
    return f"def {name}() -> List<&1, ({_tuple(case)})>:\n  [{items}]"


def _answers(case: Case, arguments: list[Arguments]) -> Iterator[tuple[Arguments, Value]]:
    for args in arguments:
        try:
            yield args, case.value(args)
        except Stopped:
            continue


OVERFLOWS = (
    ("1n+({})", (NAT_MAX,)),
    ("Nat.add({}, {})", (NAT_MAX, 1)),
    ("Nat.add({}, {})", (2**47, 2**47)),
    ("Nat.mul({}, {})", (2**24, 2**24)),
    ("Nat.mul({}, {})", (2**40, 2**40)),
    ("Nat.double({})", (2**47,)),
    ("Nat.pow({}, {})", (2, 48)),
    ("Nat.pow({}, {})", (3, 1000)),
    ("Nat.pow({}, {})", (NAT_MAX, 2)),
)
"""Operations that stop the program, each at the least of values (or at some that would wrap round)."""


def overflow_program() -> str:
    """A program whose argument says which of the operations it does; past them it prints that nothing went wrong."""
    lines = ["import Base", "", "def go(n: Nat) -> Nat:", "  match n:"]
    for at, (operation, args) in enumerate(OVERFLOWS):
        lines += [f"    case {at}n:", f"      {operation.format(*(literal(NAT, each) for each in args))}"]
    lines += [f"    case {len(OVERFLOWS)}n+p:", "      p", ""]
    lines += [
        "def pick(args: List<&1, String>) -> Nat:",
        "  match args:",
        "    case name <> number <> t:",
        "      Maybe.default(&2, Nat, Nat.read(number), 0n)",
        "    case other:",
        "      99n",
        "",
        "def main() -> IO(Unit):",
        "  do IO<Unit>:",
        "    args : List<&1, String> <- IO.args",
        "    IO.print(Nat.show(go(pick(args))))",
    ]
    return "\n".join(lines) + "\n"
