"""Training a network of 784, 128 and 10 numbers on MNIST with PyTorch, as a program of its own.

    python -m bendml_cli.reference.mnist EPOCHS BATCHES RATE DATA WEIGHTS [steps] [--threads N]

The arguments are those of the programs in bend/mnist, and what is printed has their form. A process of its own, so that
its memory can be measured, and its number of threads is nobody else's business.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bendml_cli.errors import BendmlError
from bendml_cli.reference.mnist_data import BATCH, TEST, TRAIN, Digits, read_digits, read_weights
from bendml_cli.reference.pytorch import pytorch
from bendml_cli.reference.training_log import Epoch

Tensor = Any
"""A tensor of PyTorch, which need not be installed."""


@dataclass(frozen=True, slots=True)
class Training:
    """What to train: `batches` is how many an epoch has, 0 for all."""

    epochs: int
    batches: int
    rate: float
    data: Path
    weights: Path
    threads: int = 1


def train(training: Training) -> Iterator[tuple[list[float], Epoch]]:
    """Train, and answer after each epoch its steps' losses and its results.

    Batches of 100 in the order of the files, mean cross-entropy, plain gradient descent, biases from zero, pixels as
    parts of 255. Raises ReferenceUnavailable without PyTorch or NumPy, and BendmlError when the data is damaged.
    """
    torch = pytorch()
    torch.set_num_threads(training.threads)
    images, labels = _tensors(read_digits(training.data, TRAIN))
    test_images, test_labels = _tensors(read_digits(training.data, TEST))
    batches = training.batches or len(images) // BATCH
    if batches * BATCH > len(images) or not batches:
        wanted = max(batches, 1)
        raise BendmlError(f"{training.data}: {len(images)} images, fewer than {wanted} batches of {BATCH}")
    weights = {name: torch.from_numpy(values) for name, values in read_weights(training.weights).items()}
    w1, w2 = weights["w1"].requires_grad_(), weights["w2"].requires_grad_()
    b1 = torch.zeros(w1.shape[1], requires_grad=True)
    b2 = torch.zeros(w2.shape[1], requires_grad=True)
    descent = torch.optim.SGD([w1, b1, w2, b2], lr=training.rate)

    def logits(x: Tensor) -> Tensor:
        return torch.relu(x @ w1 + b1) @ w2 + b2

    for _ in range(training.epochs):
        losses = []
        began = time.perf_counter()
        for at in range(0, batches * BATCH, BATCH):
            descent.zero_grad()
            loss = torch.nn.functional.cross_entropy(logits(images[at : at + BATCH]), labels[at : at + BATCH])
            loss.backward()
            descent.step()
            losses.append(loss.item())
        milliseconds = (time.perf_counter() - began) * 1000
        with torch.inference_mode():
            hits = int((logits(test_images).argmax(1) == test_labels).sum())
        yield losses, Epoch(sum(losses) / len(losses), hits, milliseconds)


def _tensors(digits: Digits) -> tuple[Tensor, Tensor]:
    torch = pytorch()
    # Copied: the bytes that were read from the file are not to be written on.
    images = torch.from_numpy(digits.images.copy()).float() / 255
    return images, torch.from_numpy(digits.labels.copy()).long()


def main(arguments: list[str]) -> int:
    """Train as the arguments say, and print; answers the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("epochs", type=int)
    parser.add_argument("batches", type=int)
    parser.add_argument("rate", type=float)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("steps", nargs="?", choices=["steps"])
    parser.add_argument("--threads", type=int, default=1)
    told = parser.parse_args(arguments)
    training = Training(told.epochs, told.batches, told.rate, told.data, told.weights, told.threads)
    number = 0
    try:
        for index, (losses, epoch) in enumerate(train(training), start=1):
            if told.steps:
                for loss in losses:
                    number += 1
                    print(f"step {number} loss {loss!r}")
            ms = f"{epoch.milliseconds:.1f}"
            print(f"epoch {index} loss {epoch.loss!r} hits {epoch.hits} ms {ms}", flush=True)
    except BendmlError as error:
        print(error.diagnostics(), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
