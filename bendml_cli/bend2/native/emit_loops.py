"""The second version of a loop over arrays (loops.py), in C.

It runs where the rounds are many, the arrays flat blocks of the kinds that their types say, those written none of the
others, and all indices of the form `base + k * stride` within their arrays. That is found out before the first round;
then the loop is a function of its own over plain C arrays, whose pointers are known not to alias, and its indices are
of 64 bits and do not wrap: what a C compiler can vectorise. It computes the parameters' last values, and the plain
version of the loop goes on from there.
"""

from __future__ import annotations

from bendml_cli.bend2.native.crep import block_kind, block_type, is_void, var_name
from bendml_cli.bend2.native.emit_body import Body, used_variables
from bendml_cli.bend2.native.emit_operations import Code, Operations
from bendml_cli.bend2.native.ir import Atom, Expr, Fun, Parallel, Prim, Var
from bendml_cli.bend2.native.loops import ZERO, Affine, ArrayLoop
from bendml_cli.bend2.native.types import F32_, NAT, U32_, Array, Enum, Nat, Rep

_FEWEST_ROUNDS = 8
_KINDS = {"f32": "B_F32", "u32": "B_U32", "u8": "B_U8", "word": "B_WORD"}
_ELEMENTS: dict[str, Rep] = {"f32": F32_, "u32": U32_, "u8": Enum(""), "word": NAT}


class FastLoop:
    """Writes the second version of a function's loop."""

    def __init__(self, operations: Operations, fun: Fun, loop: ArrayLoop) -> None:
        self.operations = operations
        self.reps = operations.reps
        self.fun = fun
        self.loop = loop
        self.name = operations.fresh("loop")
        self.results = [each for each in loop.accumulators if not is_void(each.rep)]
        used = used_variables(loop.body)
        arrays = set(loop.arrays())
        self.scalars = tuple(
            each
            for each in fun.params
            if each not in arrays
            and each is not loop.counter
            and (each in used or each in loop.accumulators)
            and not isinstance(each.rep, Array)
        )

    def function(self) -> list[str]:
        """The definition of the loop's own function."""
        body = _LoopBody(self.operations, self.fun, self.loop)
        lines = body.write_rounds()
        result = self._result_type()
        struct = [f"{result} {{", *[f"  {self.reps.type(e.rep)} {var_name(e)};" for e in self.results], "};"]
        values = ", ".join(var_name(each) for each in self.results)
        return [
            *(struct if self.results else []),
            f"static __attribute__((noinline)) {result} {self.name}({self._parameters()}) {{",
            *[f"  {line}" for line in self.operations.gather(self.scalars)],
            *lines,
            *([f"  return ({result}){{{values}}};"] if self.results else []),
            "}",
        ]

    def entry(self) -> list[str]:
        """What the function does before its plain loop."""
        loop = self.loop
        counter = var_name(loop.counter)
        call = f"{self.name}({', '.join(self._arguments())})"
        updates = [f"const {self._result_type()} last = {call};" if self.results else f"{call};"]
        updates += [f"{var_name(each)} = last.{var_name(each)};" for each in self.results]
        for param, step in loop.inductions.items():
            times = counter if isinstance(param.rep, Nat) else f"(uint32_t){counter}"
            updates.append(f"{var_name(param)} += {times} * {step};")
        updates.append(f"{counter} = 0;")
        return [
            f"  if ({' && '.join(self._conditions())}) {{",
            *[f"    {line}" for line in updates],
            "  }",
        ]

    def _result_type(self) -> str:
        return f"struct {self.name}_result" if self.results else "void"

    def _conditions(self) -> list[str]:
        loop = self.loop
        counter = var_name(loop.counter)
        arrays, written = loop.arrays(), loop.written()
        conditions = [f"{counter} >= {_FEWEST_ROUNDS} && {counter} >> 31 == 0"]
        conditions += [f"b_is_block_of({var_name(each)}, {_KINDS[block_kind(each.rep)]})" for each in arrays]
        for at, one in enumerate(arrays):
            conditions += [
                f"{var_name(one)} != {var_name(other)}"
                for other in arrays[at + 1 :]
                if one in written or other in written
            ]
        for param, step in loop.inductions.items():
            if isinstance(param.rep, Nat):
                conditions.append(f"b_nat_counts({var_name(param)}, {step}, {counter})")
        slots = dict.fromkeys((each.array, each.at) for each in loop.accesses.values() if each.at is not None)
        for array, at_ in slots:
            codes = f"{at_.base.code}, {at_.stride.code}"
            conditions.append(f"b_slots_within({var_name(array)}, {codes}, {counter})")
        return conditions

    def _parameters(self) -> str:
        written = self.loop.written()
        parts = ["const int64_t rounds", *([self.operations.parameters(self.scalars)] if self._has_scalars() else [])]
        for each in self.loop.arrays():
            const = "" if each in written else "const "
            parts.append(f"{const}{block_type(block_kind(each.rep))} *restrict {_data(each)}")
            parts.append(f"const uint64_t {_mask(each)}")
        return ", ".join(parts)

    def _arguments(self) -> list[str]:
        parts = [f"(int64_t){var_name(self.loop.counter)}", *self.operations.arguments(self.scalars)]
        for each in self.loop.arrays():
            name = var_name(each)
            parts += [f"b_data_{block_kind(each.rep)}({name})", f"b_block_of({name})->mask"]
        return parts

    def _has_scalars(self) -> bool:
        return any(self.reps.leaves(each.rep) for each in self.scalars)


class _LoopBody(Body):
    """Writes the rounds: `k` counts them up, `rounds` is how many there are."""

    def __init__(self, operations: Operations, fun: Fun, loop: ArrayLoop) -> None:
        super().__init__(operations, fun, fun.result, False, _no_parallel)
        self.loop = loop
        self._hoisted: dict[Affine, tuple[str, str]] = {}

    def write_rounds(self) -> list[str]:
        """The lines of the loop."""
        loop = self.loop
        self.used = used_variables(loop.body)
        for param in loop.inductions:
            if param in self.used:
                self.emit(f"const {self.reps.type(param.rep)} first_{var_name(param)} = {var_name(param)};")
        self.emit(f"const uint64_t {var_name(loop.counter)} = (uint64_t)rounds;")
        head = len(self.lines)
        self.open("for (int64_t k = 0; k < rounds; k++)")
        if loop.counter in self.used:
            self.emit(f"const uint64_t {var_name(loop.counter)} = (uint64_t)(rounds - k);")
        if loop.pred is not None and loop.pred in self.used:
            self.emit(f"const uint64_t {var_name(loop.pred)} = (uint64_t)(rounds - k - 1);")
        for param, step in loop.inductions.items():
            if param in self.used:
                c_type = self.reps.type(param.rep)
                self.emit(f"const {c_type} {var_name(param)} = first_{var_name(param)} + ({c_type})k * {step};")
        self.tail(loop.body)
        self.close()
        hoisted = []
        for affine, (first, stride) in self._hoisted.items():
            hoisted.append(f"  const int64_t {first} = (int64_t)({affine.base.code});")
            hoisted.append(f"  const int64_t {stride} = (int32_t)({affine.stride.code});")
        self.lines[head:head] = hoisted
        return self.lines

    def go_round(self, args: tuple[Atom, ...]) -> None:
        """Assigns the accumulators of the next round."""
        assert self.function is not None
        pairs = zip(self.function.params, args, strict=True)
        self.assign_parameters([(param, arg) for param, arg in pairs if param in self.loop.accumulators])
        self.emit("continue;")

    def bind(self, var: Var, value: Expr) -> None:
        """Declares a variable and computes its value, if it needs to be known."""
        if var not in self.loop.skipped:
            super().bind(var, value)

    def declaration(self, var: Var) -> str:
        """The declaration of a variable; arrays have none."""
        return "" if var in self.loop.roots else super().declaration(var)

    def operation(self, expr: Expr) -> Code:
        """The code of an operation, those on arrays' slots by their pointers."""
        if isinstance(expr, Prim) and expr in self.loop.accesses:
            return self._access(expr)
        if isinstance(expr, Prim) and expr.name == "arr_size":
            array = expr.args[0]
            assert isinstance(array, Var)
            return Code(f"(uint32_t)({_mask(self.loop.roots[array])} + 1)", U32_)
        code = super().operation(expr)
        is_array = isinstance(code.rep, Array)
        return Code("", code.rep) if is_array else code

    def _access(self, prim: Prim) -> Code:
        access = self.loop.accesses[prim]
        kind = block_kind(access.array.rep)
        slot = f"{_data(access.array)}[{self._index(prim, access.at)}]"
        element = Code(slot, _ELEMENTS[kind], is_word=kind == "word")
        if not access.writes:
            return element
        stored = Code(self.reps.raw(prim.args[2]), prim.args[2].rep)
        new = self.operations.word_of(stored) if kind == "word" else self.operations.raw_as(stored, element.rep)
        if prim.name in ("arr_set", "arr_init"):
            self.emit(f"{slot} = {new};")
            return Code("", prim.rep)
        old = self.operations.fresh("old")
        self.emit(f"const {block_type(kind)} {old} = {slot};")
        self.emit(f"{slot} = {new};")
        return Code(old, element.rep, element.is_word)

    def _index(self, prim: Prim, at: Affine | None) -> str:
        if at is None:
            root = self.loop.accesses[prim].array
            return f"{self.reps.raw(prim.args[1])} & {_mask(root)}"
        if at not in self._hoisted:
            self._hoisted[at] = (self.operations.fresh("base"), self.operations.fresh("stride"))
        first, stride = self._hoisted[at]
        return first if at.stride == ZERO else f"{first} + k * {stride}"


def _data(array: Var) -> str:
    return f"data_{var_name(array)}"


def _mask(array: Var) -> str:
    return f"mask_{var_name(array)}"


def _no_parallel(parallel: Parallel) -> tuple[list[str], str]:
    raise AssertionError(parallel)
