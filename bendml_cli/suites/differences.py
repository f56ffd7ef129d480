"""What a program printed for a case, against what a reference says: the worst difference, where it stands, in ulps."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bendml_cli.reference.model import Output, bits_of, from_bits, single

_TOKEN = re.compile(r"[0-9]+|[()\[\]]| +")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A number may be off by `absolute`, and `relative` times its scale."""

    absolute: float
    relative: float

    def allows(self, error: float, scale: float) -> bool:
        return error <= self.absolute + self.relative * scale


@dataclass(frozen=True, slots=True)
class Difference:
    """A number that is not what the reference says, or as good as: `relative` is the error by the number's scale,
    `ulps` how many F32 numbers it is away from the reference's, rounded to F32."""

    position: str
    expected: float
    observed: float
    absolute: float
    relative: float
    ulps: int
    allowed: bool

    def __str__(self) -> str:
        if not math.isfinite(self.absolute):
            return f"{self.position}: {self.observed!r} for {self.expected!r}"
        ulps = f"{self.ulps} ulp{'s' * (self.ulps != 1)}"
        return (
            f"{self.position}: {self.observed!r} for {self.expected!r}"
            f" ({ulps}, absolute {self.absolute:.3g}, relative {self.relative:.3g})"
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """One case's answer. `problem` says what is wrong with it, or is None; `worst` is its worst difference, if it has
    numbers; `identical` of its `numbers` have the bits of the reference's."""

    problem: str | None
    worst: Difference | None = None
    numbers: int = 0
    identical: int = 0


def compare_answer(answer: str, expected: Sequence[Output], tolerance: Tolerance) -> Comparison:
    """Compare a printed line with what a reference gives."""
    tokens = _TOKEN.findall(answer)
    if "".join(tokens) != answer:
        return Comparison(f"an answer that cannot be read: {answer[:80]!r}")
    tokens = [token for token in tokens if not token.isspace()]
    if ["#" if token.isdigit() else token for token in tokens] != [each for out in expected for each in _form(out)]:
        return Comparison(f"an answer of another shape: {_shortened(tokens)} for {_shapes(expected)}")
    words = [int(token) for token in tokens if token.isdigit()]
    if any(word >> 32 for word in words):
        return Comparison("an answer with a number of more than 32 bits")
    observed = iter(map(from_bits, words))
    numbers = [
        _difference(_position(out, at, which if len(expected) > 1 else None), number, next(observed), scale, tolerance)
        for which, out in enumerate(expected)
        for at, (number, scale) in enumerate(zip(out.numbers, _scales(out), strict=True))
    ]
    worst = max(numbers, key=lambda each: (not each.allowed, each.relative), default=None)
    problem = None if worst is None or worst.allowed else str(worst)
    return Comparison(problem, worst, len(numbers), sum(each.ulps == 0 for each in numbers))


def ulps_between(a: float, b: float) -> int:
    """How many steps from one F32 to the next lie between two; none between NaNs, nor between zeros."""
    if math.isnan(a) and math.isnan(b):
        return 0
    return abs(_rank(a) - _rank(b))


def _rank(x: float) -> int:
    bits = bits_of(x)
    return -(bits & 0x7FFFFFFF) if bits >> 31 else bits


def _difference(position: str, expected: float, observed: float, scale: float, tolerance: Tolerance) -> Difference:
    ulps = ulps_between(observed, single(expected))
    if ulps == 0:
        # As good as an F32 can be, even where both are infinite or no numbers.
        return Difference(position, expected, observed, 0.0, 0.0, 0, allowed=True)
    error = abs(observed - expected)
    if not math.isfinite(error):
        return Difference(position, expected, observed, math.inf, math.inf, ulps, allowed=False)
    relative = error / scale if scale else math.inf
    return Difference(position, expected, observed, error, relative, ulps, tolerance.allows(error, scale))


def _scales(out: Output) -> Sequence[float]:
    return out.scales if out.scales is not None else [abs(x) for x in out.numbers]


def _form(out: Output) -> Iterator[str]:
    """A result as it is printed, with `#` for each number."""
    match out.shape:
        case ():
            yield "#"
        case (length,):
            yield from ("[", *"#" * length, "]")
        case (rows, columns):
            yield from ("(", *("[", *"#" * columns, "]") * rows, ")")


def _shapes(expected: Sequence[Output]) -> str:
    return ", ".join("x".join(map(str, out.shape)) or "a number" for out in expected)


def _shortened(tokens: list[str]) -> str:
    text = " ".join("#" if token.isdigit() else token for token in tokens)
    return repr(text if len(text) <= 60 else text[:60] + "..")


def _position(out: Output, at: int, which: int | None) -> str:
    match out.shape:
        case ():
            place = "the number"
        case (_,):
            place = f"[{at}]"
        case (_, columns):
            place = f"[{at // columns}, {at % columns}]"
        case _:
            place = str(at)
    return place if which is None else f"result {which} {place}"
