"""What the operations of the package tensor give, by PyTorch.

Two references for what is more than one rounding. `tensor.NAME` is PyTorch's own function on doubles, so the exact
result as far as F32 can tell; `tensor.NAME.in_order` makes PyTorch do the package's F32 operations one by one, in the
order that its README promises, and so gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bendml_cli.reference.model import Output
from bendml_cli.reference.operation import Compute, Operation, Sizes, argument

_GELU_SCALE = 0.7978846
_GELU_CUBE = 0.044715


def output(tensor: Any, scale: Any = None) -> Output:
    """A tensor as a result; `scale` is a tensor of its shape, or None."""
    scales = None if scale is None else tuple(scale.double().flatten().tolist())
    return Output(tuple(tensor.shape), tuple(tensor.double().flatten().tolist()), scales)


def once(function: str, x: Any) -> Any:
    """A function of F32 numbers as Bend does it: of doubles, rounded once."""
    return getattr(x.double(), function)().float()


# ---- One rounding for each number, or none ----


def _one(compute: Any) -> Compute:
    return lambda torch, sizes, *tensors: [output(compute(torch, sizes, *tensors))]


def _divisor(sizes: Sizes) -> Sizes:
    """r c r2 c2 with r * c = r2 * c2: r2 becomes the largest divisor of r * c up to what it is, where there is one."""
    rows, columns, new_rows, new_columns = sizes
    count = rows * columns
    if count == 0:
        return (rows, columns, new_rows, new_columns) if new_rows * new_columns == 0 else (rows, columns, new_rows, 0)
    new_rows = next(each for each in range(max(1, min(new_rows, count)), 0, -1) if count % each == 0)
    return (rows, columns, new_rows, count // new_rows)


# ---- Sums in order ----


def _sum(torch: Any, terms: Sequence[Any], like: Any) -> Any:
    """0.0 plus each term, in order; each a tensor of the shape of `like`."""
    total = torch.zeros_like(like)
    for term in terms:
        total = total + term
    return total


def _matmul_in_order(torch: Any, sizes: Sizes, a: Any, b: Any) -> list[Output]:
    terms = [a[:, p : p + 1] * b[p : p + 1, :] for p in range(a.shape[1])]
    return [output(_sum(torch, terms, torch.zeros(a.shape[0], b.shape[1])))]


def _dot_in_order(torch: Any, sizes: Sizes, a: Any, b: Any) -> list[Output]:
    return [output(_sum(torch, list(a * b), torch.zeros(())))]


def _col_sums_in_order(torch: Any, sizes: Sizes, a: Any) -> list[Output]:
    return [output(_sum(torch, list(a), torch.zeros(a.shape[1])))]


def _row_sums(torch: Any, a: Any) -> Any:
    return _sum(torch, [a[:, p : p + 1] for p in range(a.shape[1])], torch.zeros(a.shape[0], 1))


def _softmax_in_order(torch: Any, sizes: Sizes, a: Any) -> list[Output]:
    if a.numel() == 0:
        return [output(a)]
    powers = once("exp", a - a.max(dim=1, keepdim=True).values)
    return [output(powers / _row_sums(torch, powers))]


def _layernorm_in_order(torch: Any, sizes: Sizes, eps: Any, gain: Any, bias: Any, a: Any) -> list[Output]:
    count = torch.tensor(float(a.shape[1]))
    centred = a - _row_sums(torch, a) / count
    variance = _row_sums(torch, centred * centred) / count
    return [output(centred * (1.0 / once("sqrt", variance + eps)) * gain + bias)]


def _gelu_in_order(torch: Any, sizes: Sizes, x: Any) -> list[Output]:
    scale, cube = torch.tensor(_GELU_SCALE), torch.tensor(_GELU_CUBE)
    inner = scale * (x + cube * (x * x * x))
    return [output(0.5 * x * (1.0 + once("tanh", inner)))]


# ---- PyTorch's own functions, on doubles ----


def _product(torch: Any, sizes: Sizes, a: Any, b: Any) -> list[Output]:
    a, b = a.double(), b.double()
    return [output(torch.matmul(a, b), torch.matmul(a.abs(), b.abs()))]


def _col_sums(torch: Any, sizes: Sizes, a: Any) -> list[Output]:
    a = a.double()
    return [output(a.sum(dim=0), a.abs().sum(dim=0))]


def _softmax(torch: Any, sizes: Sizes, a: Any) -> list[Output]:
    return [output(torch.softmax(a.double(), dim=1))]


def _gelu(torch: Any, sizes: Sizes, x: Any) -> list[Output]:
    # For a negative x, 1 + tanh(..) cancels: the error is as large as that of 1, times x.
    return [output(torch.nn.functional.gelu(x.double(), approximate="tanh"), x.abs())]


def _layernorm(torch: Any, sizes: Sizes, eps: Any, gain: Any, bias: Any, a: Any) -> list[Output]:
    eps, gain, bias, a = (each.double() for each in (eps, gain, bias, a))
    if a.numel() == 0:
        return [output(a)]
    result = torch.nn.functional.layer_norm(a, (a.shape[1],), gain, bias, float(eps))
    spread = torch.sqrt(a.var(dim=1, unbiased=False, keepdim=True) + eps)
    sizes_of_terms = a.abs() + a.abs().mean(dim=1, keepdim=True)
    return [output(result, sizes_of_terms / spread * gain.abs() + bias.abs())]


def _operation(name: str, dims: str, arguments: str, compute: Compute, word: str = "", fit: Any = tuple) -> Operation:
    taken = tuple(argument(each) for each in arguments.split(",") if each.strip())
    return Operation(f"tensor.{name}", word or name, tuple(dims.split()), taken, compute, fit)


def _with_order(name: str, dims: str, arguments: str, own: Compute, in_order: Compute) -> list[Operation]:
    return [
        _operation(name, dims, arguments, own),
        _operation(f"{name}.in_order", dims, arguments, in_order, word=name),
    ]


_TRANSPOSED = "a: n k, b: m k"

OPERATIONS: list[Operation] = [
    _operation("relu", "", "x:", _one(lambda torch, sizes, x: torch.relu(x))),
    _operation("vec.fill", "n", "v:", _one(lambda torch, sizes, v: torch.full(sizes, float(v)))),
    _operation("vec.zeros", "n", "", _one(lambda torch, sizes: torch.zeros(sizes))),
    _operation("vec.add", "n", "a: n, b: n", _one(lambda torch, sizes, a, b: a + b)),
    _operation("vec.sub", "n", "a: n, b: n", _one(lambda torch, sizes, a, b: a - b)),
    _operation("vec.mul", "n", "a: n, b: n", _one(lambda torch, sizes, a, b: a * b)),
    _operation("vec.scale", "n", "s:, a: n", _one(lambda torch, sizes, s, a: s * a)),
    _operation("fill", "r c", "v:", _one(lambda torch, sizes, v: torch.full(sizes, float(v)))),
    _operation("zeros", "r c", "", _one(lambda torch, sizes: torch.zeros(sizes))),
    _operation("add", "r c", "a: r c, b: r c", _one(lambda torch, sizes, a, b: a + b)),
    _operation("sub", "r c", "a: r c, b: r c", _one(lambda torch, sizes, a, b: a - b)),
    _operation("mul", "r c", "a: r c, b: r c", _one(lambda torch, sizes, a, b: a * b)),
    _operation("scale", "r c", "s:, a: r c", _one(lambda torch, sizes, s, a: s * a)),
    _operation("mat.relu", "r c", "a: r c", _one(lambda torch, sizes, a: torch.relu(a))),
    _operation("transpose", "r c", "a: r c", _one(lambda torch, sizes, a: a.T)),
    _operation("add_row", "r c", "a: r c, v: c", _one(lambda torch, sizes, a, v: a + v)),
    _operation(
        "reshape", "r c r2 c2", "a: r c", _one(lambda torch, sizes, a: a.reshape(sizes[2], sizes[3])), fit=_divisor
    ),
    _operation("flatten", "r c", "a: r c", _one(lambda torch, sizes, a: a.reshape(1, a.numel()))),
    _operation("reshape_swap", "r c", "a: r c", _one(lambda torch, sizes, a: a.reshape(sizes[1], sizes[0]))),
    *_with_order("vec.dot", "n", "a: n, b: n", _product, _dot_in_order),
    *_with_order("matmul", "n k m", "a: n k, b: k m", _product, _matmul_in_order),
    *_with_order(
        "matmul_nt",
        "n k m",
        _TRANSPOSED,
        lambda torch, sizes, a, b: _product(torch, sizes, a, b.T),
        lambda torch, sizes, a, b: _matmul_in_order(torch, sizes, a, b.T),
    ),
    *_with_order(
        "matvec",
        "r c",
        "a: r c, v: c",
        _product,
        lambda torch, sizes, a, v: [
            output(_sum(torch, [a[:, p] * v[p] for p in range(a.shape[1])], torch.zeros(a.shape[0])))
        ],
    ),
    *_with_order("col_sums", "r c", "a: r c", _col_sums, _col_sums_in_order),
    *_with_order("softmax", "r c", "a: r c", _softmax, _softmax_in_order),
    *_with_order("gelu", "", "x:", _gelu, _gelu_in_order),
    *_with_order("mat.gelu", "r c", "a: r c", _gelu, _gelu_in_order),
    *_with_order("layernorm", "r c", "eps: ~, gain: c, bias: c, a: r c", _layernorm, _layernorm_in_order),
]
