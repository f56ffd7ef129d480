"""The values of `bendml compile --emit` and `--stage`; apart, so that `bendml --help` need not load the compiler."""

from enum import StrEnum


class Emit(StrEnum):
    """What is printed: the parsed file, elaborated core, the compiler's IR, or C."""

    SURFACE = "surface"
    CORE = "core"
    IR = "ir"
    C = "c"


class IrStage(StrEnum):
    """Which IR is printed."""

    LOWERED = "lowered"
    SIMPLIFIED = "simplified"
    FIRST_ORDER = "first-order"
    OWNED = "owned"
