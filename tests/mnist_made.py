"""Small data in MNIST's form."""

from __future__ import annotations

import random
import struct
from pathlib import Path


def write_idx(path: Path, numbers: bytes, shape: tuple[int, ...]) -> None:
    """An IDX file of bytes."""
    path.write_bytes(struct.pack(f">{2 + len(shape) - 1}I", 0x800 + len(shape), *shape) + numbers)


def write_digits(folder: Path, *, train: int = 300, test: int = 100, seed: int = 0) -> Path:
    """The four files, with so many images: each has a bright stripe where its label says, and some noise."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    for name, count in (("train", train), ("t10k", test)):
        labels = bytes(rng.randrange(10) for _ in range(count))
        images = b"".join(_image(rng, label) for label in labels)
        write_idx(folder / f"{name}-images-idx3-ubyte", images, (count, 28, 28))
        write_idx(folder / f"{name}-labels-idx1-ubyte", labels, (count,))
    return folder


def _image(rng: random.Random, label: int) -> bytes:
    pixels = bytearray(rng.randrange(40) for _ in range(784))
    first = 56 * label + 14 * 28 % 784
    for at in range(first, first + 56):
        pixels[at % 784] = rng.randrange(120, 256)
    return bytes(pixels)
