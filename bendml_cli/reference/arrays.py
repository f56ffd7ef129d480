"""What the operations of the package tensor-array give, by PyTorch: the results, then the operands that it hands back.

Each product takes a last dimension, the number of times that its rows are halved, which no result may depend on. As for
tensor, NAME is PyTorch's own function on doubles and NAME.in_order its F32 operations one by one.
"""

from __future__ import annotations

from typing import Any

from bendml_cli.reference import layers, tensor
from bendml_cli.reference.model import Output
from bendml_cli.reference.operation import Compute, Operation, Sizes, argument
from bendml_cli.reference.tensor import once, output

_PREFIX = "tensor-array"
_MOST_SPLITS = 3
_KNOWN = {each.name: each for each in [*tensor.OPERATIONS, *layers.OPERATIONS]}


def _handing_back(compute: Compute, *places: int) -> Compute:
    """The same results, then the operands at these places."""
    return lambda torch, sizes, *operands: [
        *compute(torch, sizes, *operands),
        *(output(operands[place]) for place in places),
    ]


def _product(suffix: str, a_turned: bool, b_turned: bool) -> Compute:
    multiply = _KNOWN[f"tensor.matmul{suffix}"].compute

    def compute(torch: Any, sizes: Sizes, a: Any, b: Any) -> list[Output]:
        return list(multiply(torch, sizes, a.T if a_turned else a, b.T if b_turned else b))

    return _handing_back(compute, 0, 1)


def _few_splits(sizes: Sizes) -> Sizes:
    return (*sizes[:-1], min(sizes[-1], _MOST_SPLITS))


def _relu_backward(torch: Any, sizes: Sizes, h: Any, dh: Any) -> list[Output]:
    leaf = h.clone().requires_grad_()
    return [output(torch.autograd.grad(torch.relu(leaf), leaf, dh)[0])]


def _cross_entropy(torch: Any, sizes: Sizes, ids: Any, logits: Any) -> list[Output]:
    return [
        *_KNOWN["autograd.cross_entropy"].compute(torch, sizes, ids, logits),
        *_KNOWN["autograd.cross_entropy.grad"].compute(torch, sizes, ids, logits),
    ]


def _cross_entropy_in_order(torch: Any, sizes: Sizes, ids: Any, logits: Any) -> list[Output]:
    if logits.numel() == 0:
        return _cross_entropy(torch, sizes, ids, logits)
    count = torch.tensor(float(logits.shape[0]))
    shifted = logits - logits.max(dim=1, keepdim=True).values
    powers = once("exp", shifted)
    sums = torch.zeros(logits.shape[0])
    for column in range(logits.shape[1]):
        sums = sums + powers[:, column]
    total = torch.tensor(0.0)
    for term in once("log", sums) - shifted.gather(1, ids[:, None])[:, 0]:
        total = total + term
    one_hot = torch.nn.functional.one_hot(ids, logits.shape[1]).float()
    return [output(total / count), output((powers / sums[:, None] - one_hot) / count)]


def _count_correct(torch: Any, sizes: Sizes, ids: Any, logits: Any) -> list[Output]:
    if logits.numel() == 0:
        return [output(torch.tensor(0.0))]
    return [output((logits.argmax(dim=1) == ids).sum())]


def _classes(sizes: Sizes) -> Sizes:
    """n c where there are classes if there are rows."""
    rows, classes = sizes
    return rows, max(classes, min(rows, 1))


def _sgd(torch: Any, sizes: Sizes, rate: Any, w: Any, g: Any) -> list[Output]:
    return [output(w - rate * g)]


def _operation(name: str, dims: str, arguments: str, compute: Compute, fit: Any = tuple) -> Operation:
    taken = tuple(argument(each) for each in arguments.split(","))
    word = name.removesuffix(".in_order")
    return Operation(f"{_PREFIX}.{name}", word, tuple(dims.split()), taken, compute, fit)


def _products(suffix: str) -> list[Operation]:
    dims = "n k m splits"
    return [
        _operation(f"matmul{suffix}", dims, "a: n k, b: k m", _product(suffix, False, False), _few_splits),
        _operation(f"matmul_nt{suffix}", dims, "a: n k, b: m k", _product(suffix, False, True), _few_splits),
        _operation(f"matmul_tn{suffix}", dims, "a: k n, b: k m", _product(suffix, True, False), _few_splits),
    ]


def _col_sums(suffix: str) -> Operation:
    sums = _KNOWN[f"tensor.col_sums{suffix}"].compute
    return _operation(f"col_sums{suffix}", "r c", "a: r c", _handing_back(sums, 0))


_LABELLED = "ids: n < c, z: n c"

OPERATIONS: list[Operation] = [
    _operation("fill", "r c", "v:", _KNOWN["tensor.fill"].compute),
    _operation("clone", "r c", "a: r c", lambda torch, sizes, a: [output(a), output(a)]),
    *_products(""),
    *_products(".in_order"),
    _operation("add_row", "r c", "a: r c, b: c", _handing_back(_KNOWN["tensor.add_row"].compute, 1)),
    _operation("relu", "r c", "a: r c", _KNOWN["tensor.mat.relu"].compute),
    _operation("relu_bwd", "r c", "h: r c, dh: r c", _handing_back(_relu_backward, 0)),
    _col_sums(""),
    _col_sums(".in_order"),
    _operation("cross_entropy", "n c", _LABELLED, _cross_entropy, _classes),
    _operation("cross_entropy.in_order", "n c", _LABELLED, _cross_entropy_in_order, _classes),
    _operation("count_correct", "n c", _LABELLED, _handing_back(_count_correct, 1), _classes),
    _operation("sgd", "r c", "rate: ~, w: r c, g: r c", _handing_back(_sgd, 2)),
]
