"""MNIST's files, and the weights that every training of them starts from.

    python -m bendml_cli.reference.mnist_data FOLDER

writes the weights into a folder, and prints their SHA-256.
"""

from __future__ import annotations

import hashlib
import importlib
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bendml_cli.errors import BendmlError, ReferenceUnavailable

PIXELS, HIDDEN, CLASSES = 784, 128, 10
BATCH = 100
SEED = 0
TRAIN, TEST = "train", "t10k"
_IMAGES, _LABELS = 2051, 2049
"""The magic numbers of IDX files of bytes in three dimensions, and in one."""

Array = Any
"""A numpy array. NumPy need not be installed, so its types are not known here."""


@dataclass(frozen=True, slots=True)
class Digits:
    """Images, a row of 784 bytes each, and their labels."""

    images: Array
    labels: Array


def read_digits(folder: Path, name: str) -> Digits:
    """The images and labels of a folder's two files of this name (`train` or `t10k`).

    Raises ReferenceUnavailable without NumPy, and BendmlError when a file is missing or damaged.
    """
    images = _read_idx(folder / f"{name}-images-idx3-ubyte", _IMAGES, (28, 28))
    labels = _read_idx(folder / f"{name}-labels-idx1-ubyte", _LABELS, ())
    if len(images) != len(labels):
        raise BendmlError(f"{folder}: {len(images)} images of {name}, and {len(labels)} labels")
    if len(labels) and int(labels.max()) >= CLASSES:
        raise BendmlError(f"{folder}: a label of {name} is no digit")
    return Digits(images.reshape(len(images), PIXELS), labels)


def _read_idx(path: Path, magic: int, shape: tuple[int, ...]) -> Array:
    """The bytes of an IDX file as an array of many things of a shape."""
    np = numpy()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BendmlError(f"{path} cannot be read: {error.strerror}", "bendml setup --only mnist") from None
    dimensions = 1 + len(shape)
    size = 4 + 4 * dimensions
    if len(data) < size:
        raise BendmlError(f"{path} is too short for an IDX file")
    found, number, *rest = struct.unpack_from(f">{1 + dimensions}I", data)
    if found != magic or tuple(rest) != shape:
        raise BendmlError(f"{path} is no IDX file of {'images of 28 by 28' if shape else 'labels'}")
    body = np.frombuffer(data, np.uint8, offset=size)
    if len(body) != number * int(np.prod(shape, dtype=np.int64)):
        raise BendmlError(f"{path}: its size does not fit the {number} entries of its header")
    return body.reshape(number, *shape)


def initial_weights() -> dict[str, Array]:
    """w1 and w2, drawn in this order by NumPy's default generator with seed 0: uniform up to 1/sqrt(inputs), then cast
    to float32. Raises ReferenceUnavailable without NumPy."""
    np = numpy()
    rng = np.random.default_rng(SEED)
    weights = {}
    for name, shape in (("w1", (PIXELS, HIDDEN)), ("w2", (HIDDEN, CLASSES))):
        bound = 1 / np.sqrt(shape[0])
        weights[name] = rng.uniform(-bound, bound, shape).astype(np.float32)
    return weights


def write_weights(folder: Path) -> dict[str, str]:
    """Write w1.f32 and w2.f32, the numbers row by row, four bytes each, the lowest first; answer their SHA-256.

    Raises ReferenceUnavailable without NumPy, and OSError.
    """
    digests = {}
    for name, values in initial_weights().items():
        data = values.astype("<f4").tobytes()
        (folder / f"{name}.f32").write_bytes(data)
        digests[f"{name}.f32"] = hashlib.sha256(data).hexdigest()
    return digests


def read_weights(folder: Path) -> dict[str, Array]:
    """w1 and w2 as `write_weights` writes them.

    Raises ReferenceUnavailable without NumPy, and BendmlError when a file is missing or of another size.
    """
    np = numpy()
    weights = {}
    for name, shape in (("w1", (PIXELS, HIDDEN)), ("w2", (HIDDEN, CLASSES))):
        path = folder / f"{name}.f32"
        try:
            values = np.frombuffer(path.read_bytes(), "<f4")
        except (OSError, ValueError) as error:
            raise BendmlError(f"{path} cannot be read: {error}") from None
        if values.size != shape[0] * shape[1]:
            raise BendmlError(f"{path}: {values.size} numbers, and not {shape[0]} x {shape[1]}")
        weights[name] = values.reshape(shape).astype(np.float32)
    return weights


def numpy() -> Any:
    """The module numpy. Raises ReferenceUnavailable where it is not installed."""
    try:
        return importlib.import_module("numpy")
    except ImportError as error:
        raise ReferenceUnavailable(
            f"NumPy cannot be imported: {error}", "pip install 'bendml[reference]' installs it"
        ) from error


if __name__ == "__main__":
    for file, sha256 in write_weights(Path(sys.argv[1])).items():
        print(f"{sha256}  {file}")
