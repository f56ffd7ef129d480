"""What the layers of the package autograd give: values and gradients by PyTorch, on doubles, and gradients by finite
differences, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from bendml_cli.reference.model import Output
from bendml_cli.reference.operation import Operation, Sizes, argument
from bendml_cli.reference.tensor import output

Row = list[float]
Rows = list[Row]

_STEP = 1e-6


def _leaf(tensor: Any) -> Any:
    return tensor.double().requires_grad_()


def _magnitudes(torch: Any, x: Any, w: Any) -> Any:
    """The sizes of the terms that a product adds up."""
    return torch.matmul(x.double().abs(), w.double().abs())


# ---- One layer ----


def _linear(torch: Any, sizes: Sizes, w: Any, b: Any, x: Any) -> list[Output]:
    result = torch.nn.functional.linear(x.double(), w.double().T, b.double())
    return [output(result, _magnitudes(torch, x, w) + b.double().abs())]


def _layer_gradients(torch: Any, w: Any, b: Any, x: Any, dy: Any) -> list[tuple[Any, Any]]:
    """The gradients by input, weights and bias, each beside the sizes of its terms."""
    leaves = [_leaf(each) for each in (x, w, b)]
    result = torch.nn.functional.linear(leaves[0], leaves[1].T, leaves[2])
    gradients = torch.autograd.grad(result, leaves, dy.double())
    scales = (_magnitudes(torch, dy, w.T), _magnitudes(torch, x.T, dy), dy.double().abs().sum(dim=0))
    return list(zip(gradients, scales, strict=True))


def _linear_backward(torch: Any, sizes: Sizes, w: Any, b: Any, x: Any, dy: Any) -> list[Output]:
    return [output(gradient, scale) for gradient, scale in _layer_gradients(torch, w, b, x, dy)]


def _linear_sgd(torch: Any, sizes: Sizes, rate: Any, w: Any, b: Any, x: Any, dy: Any) -> list[Output]:
    _, *gradients = _layer_gradients(torch, w, b, x, dy)
    outputs = []
    for leaf, (gradient, scale) in zip((_leaf(w), _leaf(b)), gradients, strict=True):
        leaf.grad = gradient
        torch.optim.SGD([leaf], lr=float(rate)).step()
        outputs.append(output(leaf.detach(), leaf.detach().abs() + float(rate) * scale))
    return outputs


def _relu(torch: Any, sizes: Sizes, x: Any) -> list[Output]:
    return [output(torch.relu(x))]


def _relu_backward(torch: Any, sizes: Sizes, x: Any, dy: Any) -> list[Output]:
    leaf = _leaf(x)
    return [output(torch.autograd.grad(torch.relu(leaf), leaf, dy.double())[0])]


# ---- Loss ----


def _classes(sizes: Sizes) -> Sizes:
    """n c where there are classes if there are samples."""
    n, *others, classes = sizes
    return (n, *others, max(classes, min(n, 1)))


def _loss(torch: Any, ids: Any, logits: Any) -> tuple[Any, Any]:
    """The loss, and the sizes of its terms."""
    if logits.shape[0] == 0:
        nothing = torch.tensor(math.nan, dtype=torch.float64)
        return nothing, nothing
    loss = torch.nn.functional.cross_entropy(logits, ids)
    shifted = logits - logits.max(dim=1, keepdim=True).values
    terms = shifted.gather(1, ids[:, None]).abs().mean() + torch.logsumexp(shifted, dim=1).abs().mean()
    return loss, terms.detach()


def _cross_entropy(torch: Any, sizes: Sizes, ids: Any, logits: Any) -> list[Output]:
    return [output(*_loss(torch, ids, logits.double()))]


def _cross_entropy_gradient(torch: Any, sizes: Sizes, ids: Any, logits: Any) -> list[Output]:
    if logits.numel() == 0:
        return [output(logits)]
    leaf = _leaf(logits)
    gradient = torch.autograd.grad(_loss(torch, ids, leaf)[0], leaf)[0]
    # At the right class, 1 is subtracted from the softmax.
    return [output(gradient, torch.full_like(gradient, 1 / logits.shape[0]))]


# ---- Two layers under a loss ----


def _network(torch: Any, sizes: Sizes, ids: Any, w1: Any, b1: Any, w2: Any, b2: Any, x: Any) -> list[Output]:
    w1, b1, w2, b2, x = leaves = [_leaf(each) for each in (w1, b1, w2, b2, x)]
    hidden = torch.relu(x @ w1 + b1)
    logits = hidden @ w2 + b2
    loss, scale = _loss(torch, ids, logits)
    if sizes[0] == 0:
        gradients = [torch.zeros_like(leaf) for leaf in leaves]
        by_hidden = torch.zeros_like(hidden)
    else:
        *gradients, by_hidden = torch.autograd.grad(loss, [*leaves, hidden])
    by_w1, by_b1, by_w2, by_b2, by_x = gradients
    # How far rounding may move a gradient depends on all of a step: it is measured by the largest of its kind.
    found = (by_hidden, by_w2, by_b2, by_x, by_w1, by_b1)
    return [output(loss[None], scale[None]), *(output(each, _largest(torch, each)) for each in found)]


def _largest(torch: Any, gradient: Any) -> Any:
    return torch.full_like(gradient, float(gradient.abs().max()) if gradient.numel() else 0.0)


def _plain_loss(ids: Row, w1: Rows, b1: Row, w2: Rows, b2: Row, x: Rows) -> float:
    """The loss of the two layers, by their textbook formulas."""
    hidden = [[max(0.0, y) for y in row] for row in _affine(x, w1, b1)]
    total = 0.0
    for row, label in zip(_affine(hidden, w2, b2), ids, strict=True):
        largest = max(row)
        total += largest + math.log(sum(math.exp(y - largest) for y in row)) - row[int(label)]
    return total / len(ids)


def _affine(x: Rows, w: Rows, b: Row) -> Rows:
    columns = [[row[j] for row in w] for j in range(len(b))]
    return [
        [math.fsum(p * q for p, q in zip(row, column, strict=True)) + c for column, c in zip(columns, b, strict=True)]
        for row in x
    ]


def slopes(function: Callable[[], float], numbers: Row) -> Row:
    """The derivative of `function` by each of the numbers that it reads, by central differences."""
    found = []
    for at, x in enumerate(numbers):
        step = _STEP * max(1.0, abs(x))
        numbers[at] = x + step
        above = function()
        numbers[at] = x - step
        below = function()
        numbers[at] = x
        found.append((above - below) / (2 * step))
    return found


def _network_differences(sizes: Sizes, ids: Row, w1: Rows, b1: Row, w2: Rows, b2: Row, x: Rows) -> list[Output]:
    n, i, h, o = sizes

    def loss() -> float:
        return _plain_loss(ids, w1, b1, w2, b2, x)

    def by(rows: Rows, columns: int) -> Output:
        gradient = [slope for row in rows for slope in slopes(loss, row)]
        return _gradient((len(rows), columns), gradient)

    hidden = _affine(x, w1, b1)
    active = [[max(0.0, y) for y in row] for row in hidden]

    def later() -> float:
        rows = _affine(active, w2, b2)
        return sum(_row_loss(row, label) for row, label in zip(rows, ids, strict=True)) / len(ids)

    by_active = _gradient((n, h), [slope for row in active for slope in slopes(later, row)])
    return [
        Output((1,), (loss(),)),
        by_active,
        by(w2, o),
        _gradient((o,), slopes(loss, b2)),
        by(x, i),
        by(w1, h),
        _gradient((h,), slopes(loss, b1)),
    ]


def _row_loss(row: Row, label: float) -> float:
    largest = max(row)
    return largest + math.log(sum(math.exp(y - largest) for y in row)) - row[int(label)]


def _gradient(shape: tuple[int, ...], numbers: Sequence[float]) -> Output:
    largest = max(map(abs, numbers), default=0.0)
    return Output(shape, tuple(numbers), (largest,) * len(numbers))


def _at_least_one(sizes: Sizes) -> Sizes:
    return tuple(max(1, size) for size in sizes)


def _operation(name: str, dims: str, arguments: str, compute: Any, **more: Any) -> Operation:
    taken = tuple(argument(each) for each in arguments.split(","))
    fields = {"word": name, **more}
    return Operation(f"autograd.{name}", dims=tuple(dims.split()), arguments=taken, compute=compute, **fields)


_LAYER = "w: i o, b: o, x: n i"
_NETWORK = "ids: n < o, w1: i h, b1: h, w2: h o, b2: o, x: n i"

OPERATIONS: list[Operation] = [
    _operation("linear", "n i o", _LAYER, _linear),
    _operation("linear.backward", "n i o", f"{_LAYER}, dy: n o", _linear_backward),
    _operation("linear.sgd", "n i o", f"rate: ~, {_LAYER}, dy: n o", _linear_sgd),
    _operation("relu", "r c", "x: r c", _relu),
    _operation("relu.backward", "r c", "x: r c, dy: r c", _relu_backward),
    _operation("cross_entropy", "n c", "ids: n < c, x: n c", _cross_entropy, fit=_classes),
    _operation("cross_entropy.grad", "n c", "ids: n < c, x: n c", _cross_entropy_gradient, fit=_classes),
    _operation("network", "n i h o", _NETWORK, _network, fit=_classes),
    _operation(
        "network.differences",
        "n i h o",
        _NETWORK,
        _network_differences,
        word="network",
        fit=_at_least_one,
        torch=False,
    ),
]
