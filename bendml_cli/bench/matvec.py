"""`bendml bench matvec`: a vector of 768 numbers times a 768x2304 matrix, a projection of GPT-2 for one token."""

from __future__ import annotations

from pathlib import Path

from bendml_cli.bench.contest import Contestant, Setup
from bendml_cli.bench.products import PEER, digest, operands, torch_measure
from bendml_cli.bench.programs import bend_program

REQUIRED = 0.8


def prepare(folder: Path) -> Setup:
    """Compile the program into a folder. It must answer the bits of the reference, whenever it is timed.

    Raises ReferenceUnavailable without PyTorch, and BendmlError when the program fails.
    """
    product = operands(1, 768, 2304)
    reference = product.reference()
    peer = torch_measure(product, reference)
    arrays = bend_program("matvec.bend", folder, "Bend, arrays", str(digest(reference)))
    return Setup(
        name="matvec",
        title="vector of 768 times a 768x2304 matrix, one thread",
        operations=product.operations,
        unit="multiply-adds",
        peer=Contestant(PEER, peer),
        contestants=[Contestant(arrays.name, arrays.measure, required=REQUIRED)],
    )
