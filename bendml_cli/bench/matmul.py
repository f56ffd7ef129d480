"""`bendml bench matmul`: the product of a 100x784 and a 784x128 matrix, the first layer of an MNIST batch."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.bench.contest import Contestant, Setup
from bendml_cli.bench.products import PEER, digest, operands, torch_measure
from bendml_cli.bench.programs import bend_program

ARRAYS_REQUIRED = 0.35
LISTS_AIM = 150e6


def prepare(folder: Path) -> Setup:
    """Compile the programs on arrays, on lists and of the tensor package into a folder. Each must answer the bits of
    the reference, whenever it is timed.

    Raises ReferenceUnavailable without PyTorch, and BendmlError when a program fails.
    """
    product = operands(100, 784, 128)
    reference = product.reference()
    expected = str(digest(reference))
    peer = torch_measure(product, reference)
    arrays = bend_program("matmul_arrays.bend", folder, "Bend, arrays", expected)
    lists = bend_program("matmul_lists.bend", folder, "Bend, lists", expected)
    package = bend_program("matmul_tensor.bend", folder, "Bend, tensor package", expected)
    return Setup(
        name="matmul",
        title="product of a 100x784 and a 784x128 matrix, one thread",
        operations=product.operations,
        unit="multiply-adds",
        peer=Contestant(PEER, peer),
        contestants=[
            Contestant(arrays.name, arrays.measure, required=ARRAYS_REQUIRED),
            Contestant(lists.name, lists.measure, aim=LISTS_AIM),
            Contestant(package.name, package.measure),
        ],
    )
