"""Products of matrices: the operands that the Bend programs make for themselves, the reference, and the peer.

The reference is the sum in index order in float32, each product and each sum rounded on its own: the bits of a Bend
program must be these. PyTorch sums in an order of its own, and must only come near.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from typing import Any

from bendml_cli.bench.contest import Measure
from bendml_cli.errors import BendmlError, ReferenceUnavailable
from bendml_cli.reference.pytorch import pytorch

Matrix = Any
"""A numpy array of float32. NumPy need not be installed, so its types are not known here."""
PEER = "PyTorch"
_FIRST_OF_B = 1_000_000
"""The operands' numbers begin at 0 and at this one, in bend/bench too."""
_MIX = 2246822519
_NEAR = 1e-3
"""How far PyTorch may be from the reference: sums of some hundred terms below 1, in another order."""


@dataclass(frozen=True, slots=True)
class Product:
    """Two operands of n x k and k x m numbers."""

    a: Matrix
    b: Matrix

    @property
    def operations(self) -> int:
        """Multiply-adds."""
        (n, k), (_, m) = self.a.shape, self.b.shape
        return int(n * k * m)

    def reference(self) -> Matrix:
        """The product, summed in index order."""
        np = numpy()
        total = np.zeros((self.a.shape[0], self.b.shape[1]), np.float32)
        for column, row in zip(self.a.T, self.b, strict=True):
            total += column[:, None] * row
        return total


def operands(n: int, k: int, m: int) -> Product:
    """The operands of the Bend programs of these dimensions. Raises ReferenceUnavailable without NumPy."""
    return Product(numbers(n * k, 0).reshape(n, k), numbers(k * m, _FIRST_OF_B).reshape(k, m))


def numbers(count: int, first: int) -> Matrix:
    """`number(first)` and those after it, of bend/bench/common.bend."""
    np = numpy()
    x = np.arange(first + 1, first + 1 + count, dtype=np.uint32)
    for _ in range(2):
        x = (x ^ (x >> np.uint32(15))) * np.uint32(_MIX)
    return (x >> np.uint32(8)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)


def digest(matrix: Matrix) -> int:
    """`digest` of bend/bench/common.bend: of the bits of all entries, row by row."""
    value = 2166136261
    for bits in matrix.view(numpy().uint32).ravel().tolist():
        value ^= bits
        value = ((value ^ value >> 15) * _MIX) & 0xFFFFFFFF
    return value


def torch_measure(product: Product, reference: Matrix) -> Measure:
    """PyTorch's product of the operands, on one thread.

    Raises ReferenceUnavailable without PyTorch, and BendmlError when it is not near the reference.
    """
    torch = pytorch()
    torch.set_num_threads(1)
    a, b = torch.from_numpy(product.a), torch.from_numpy(product.b)
    # One row is a vector: that is the form that PyTorch multiplies a matrix by fastest.
    left = a[0] if len(a) == 1 else a
    worst = float((torch.matmul(left, b) - torch.from_numpy(reference)).abs().max())
    if not worst <= _NEAR:
        raise BendmlError(f"PyTorch's product is {worst:g} away from the reference", "its speed would say nothing")

    def measure(passes: int) -> float:
        with torch.inference_mode():
            for _ in range(max(1, passes // 5)):
                torch.matmul(left, b)
            began = time.perf_counter()
            for _ in range(passes):
                torch.matmul(left, b)
            return time.perf_counter() - began

    return measure


def numpy() -> Any:
    """The module numpy. Raises ReferenceUnavailable where it is not installed."""
    try:
        return importlib.import_module("numpy")
    except ImportError as error:
        raise ReferenceUnavailable(
            f"NumPy cannot be imported: {error}", "pip install 'bendml[bench]' installs it"
        ) from error
