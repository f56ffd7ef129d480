"""The primitive operations of the IR.

In C each is a function (or macro) of the runtime called `b_` and its name, on the raw forms of its arguments; those on
arrays have the element's block as a suffix (`b_arr_get_f32`, `_u32`, `_u8`, `_word`; for an array whose element is Any,
`_any`, which looks at the block's own kind).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bendml_cli.bend2.native.types import (
    ANY,
    BOOL,
    CMP,
    F32_,
    NAT,
    STRING,
    U32_,
    UNIT,
    Boxed,
    Handle,
    Rep,
)

Effect = Literal["pure", "fails", "reads", "acts"]
"""What an operation does besides giving its value.

- pure: nothing; it may be dropped when its value is not used, and done again;
- fails: it may stop the program with an error; it is never dropped;
- reads: it depends on what an array holds; it may be dropped, but not moved past another that acts;
- acts: it changes something; never dropped, moved or repeated.
"""


@dataclass(frozen=True, slots=True)
class PrimSpec:
    """What an operation takes and does. `owned` has a letter for each argument: `o` where it uses an argument up (as a
    call does), `b` where it only looks at it. `result` is None where it depends on the use (arrays, fields)."""

    owned: str
    result: Rep | None
    effect: Effect = "pure"


def _table() -> dict[str, PrimSpec]:
    table: dict[str, PrimSpec] = {}

    def add(names: str, owned: str, result: Rep | None, effect: Effect = "pure") -> None:
        for name in names.split():
            table[name] = PrimSpec(owned, result, effect)

    # Nat: raw uint64_t; results past 2^48 - 1 stop the program. x / 0 is 0 and x % 0 is x. nat_pred is of n > 0.
    add("nat_succ nat_double", "b", NAT, "fails")
    add("nat_add nat_mul nat_pow", "bb", NAT, "fails")
    add("nat_sub nat_div nat_mod nat_min nat_max", "bb", NAT)
    add("nat_pred", "b", NAT)
    add("nat_cmp", "bb", CMP)
    add("nat_is_eq nat_is_ne nat_is_lt nat_is_le nat_is_gt nat_is_ge", "bb", BOOL)
    add("nat_to_u32", "b", U32_)  # modulo 2^32

    # U32: wraps; x / 0 is 0, x % 0 is x; a shift by 32 or more (a Nat) gives 0. u32_shl and u32_shr are by one.
    add("u32_inc u32_not u32_shl u32_shr", "b", U32_)
    add("u32_add u32_sub u32_mul u32_div u32_mod u32_and u32_or u32_xor u32_min u32_max", "bb", U32_)
    add("u32_shln u32_shrn u32_pow", "bb", U32_)  # the second is a Nat
    add("u32_cmp", "bb", CMP)
    add("u32_is_eq u32_is_ne u32_is_lt u32_is_le u32_is_gt u32_is_ge", "bb", BOOL)
    add("u32_is_zero u32_is_even", "b", BOOL)
    add("u32_to_nat u32_log2", "b", NAT)
    add("u32_to_word", "b", Boxed("Word"))  # WCon cells of Bool, least significant first, 32 long, over WNil
    add("word_to_u32", "o", U32_)

    # F32: one IEEE operation each; the rest is the C double function, rounded once.
    add("f32_add f32_sub f32_mul f32_div f32_mod f32_pow f32_atan2", "bb", F32_)
    add(
        "f32_neg f32_abs f32_sqrt f32_exp f32_log f32_log2 f32_log10 f32_sin f32_cos f32_tan f32_asin f32_acos",
        "b",
        F32_,
    )
    add("f32_atan f32_sinh f32_cosh f32_tanh f32_floor f32_ceil f32_trunc", "b", F32_)
    add("f32_is_eq f32_is_ne f32_is_lt f32_is_le f32_is_gt f32_is_ge", "bb", BOOL)
    add("f32_bits f32_word f32_to_u32", "b", U32_)  # f32_bits gives one NaN for all, f32_word the very bits
    add("u32_to_f32 f32_of_bits", "b", F32_)
    add("f32_show", "b", STRING)
    add("f32_read", "o", Boxed("Maybe"))  # of F32

    # Enums that are the same underneath.
    add("bool_not", "b", BOOL)
    add("bool_xor", "bb", BOOL)

    # Text, natively because their plain definitions are slow (cells of SCon).
    add("nat_show u32_show", "b", STRING)

    # Arrays. arr_get looks at the array and gives its element (one owner more); arr_exchange puts a new element into an
    # array that it only looks at, and gives the old one; arr_set gives the array back.
    add("arr_new", "bo", None, "fails")  # depth (a Nat), element
    add("arr_get", "bb", None, "reads")
    add("arr_set", "obo", None, "acts")
    add("arr_exchange", "bbo", None, "acts")
    add("arr_size", "b", U32_, "reads")
    add("arr_clone", "b", None, "reads")
    add("arr_is_node", "b", BOOL, "reads")
    add("arr_is_flat", "b", BOOL, "reads")  # one block of memory, and no tree of several
    add("arr_leaf_value", "o", None)  # of an array of one slot
    add("arr_left", "b", None, "reads")  # a fresh array of the lower half's elements
    add("arr_right", "o", None)  # the upper half
    add("arr_leaf", "o", None)
    add("arr_node", "oo", None)
    add("arr_to_list", "o", None)
    add("arr_make", "b", None, "fails")  # depth (a Nat): every slot is written by arr_init before it is read
    add("arr_init", "bbo", UNIT, "acts")  # the first write of a slot of such a block
    add("arr_atomic_add arr_atomic_min arr_atomic_max arr_atomic_and arr_atomic_or arr_atomic_xor", "bbb", U32_, "acts")
    add("arr_atomic_exch", "bbb", U32_, "acts")
    add("arr_atomic_cas", "bbbb", U32_, "acts")  # array, index, expected, new
    add("arr_atomic_fadd", "bbb", F32_, "acts")
    add("arr_join", "oo", None)  # two owners of one array to one

    # Effects. Those that can fail answer a Result (Fail{(code, message)} or Done).
    result = Boxed("Result")
    add("io_print io_write io_print_err", "o", UNIT, "acts")
    add("io_get_env", "o", result, "acts")
    add("io_args", "", Boxed("List"), "acts")
    add("io_process_run", "ooobb", result, "acts")
    add("io_random_u32", "", result, "acts")
    add("io_spawn", "o", UNIT, "acts")  # an action as a closure of its continuation
    add("io_sleep", "b", UNIT, "acts")
    add("io_now", "", NAT, "acts")  # milliseconds since 1970
    add("io_thread_count", "", U32_, "acts")
    add("chan_new", "b", Handle("Chan"), "acts")
    add("chan_send", "oo", BOOL, "acts")
    add("chan_recv", "o", Boxed("Maybe"), "acts")
    add("chan_close", "o", UNIT, "acts")
    add("file_open", "oo", result, "acts")
    add("file_read file_read_bytes", "bb", result, "acts")
    add("file_read_at", "bbb", result, "acts")
    add("file_size", "b", result, "acts")
    add("file_write file_write_bytes", "bo", result, "acts")
    add("file_close", "o", UNIT, "acts")
    # A law that nothing fills: its name as a Text, printed by the error.
    add("opaque", "o", ANY, "fails")
    return table


PRIMS: dict[str, PrimSpec] = _table()
