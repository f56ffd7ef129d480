"""MNIST's files, the initial weights, and PyTorch's training, on small data."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.errors import BendmlError
from bendml_cli.reference import mnist
from bendml_cli.reference.mnist_data import initial_weights, read_digits, read_weights, write_weights
from bendml_cli.reference.mnist_process import Plan, run_torch
from bendml_cli.reference.training_log import parse_log
from tests.mnist_made import write_digits, write_idx

np = pytest.importorskip("numpy")


def test_files_are_read(tmp_path: Path) -> None:
    digits = read_digits(write_digits(tmp_path, train=3, test=2), "train")
    assert digits.images.shape == (3, 784)
    raw = (tmp_path / "train-images-idx3-ubyte").read_bytes()
    assert digits.images.tobytes() == raw[16:]
    assert digits.labels.tolist() == list((tmp_path / "train-labels-idx1-ubyte").read_bytes()[8:])


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("train-images-idx3-ubyte", None, "cannot be read"),
        ("train-images-idx3-ubyte", b"\0\0\x08", "too short"),
        ("train-images-idx3-ubyte", b"\0\0\x08\x01" + bytes(12), "no IDX file of images"),
        ("train-images-idx3-ubyte", b"\0\0\x08\x03\0\0\0\x03\0\0\0\x1c\0\0\0\x1c" + bytes(7), "does not fit the 3"),
        ("train-labels-idx1-ubyte", b"\0\0\x08\x01\0\0\0\x02\1\2", "3 images of train, and 2 labels"),
        ("train-labels-idx1-ubyte", b"\0\0\x08\x01\0\0\0\x03\1\2\x0a", "is no digit"),
    ],
)
def test_damaged_files_are_told_of(tmp_path: Path, name: str, data: bytes | None, problem: str) -> None:
    write_digits(tmp_path, train=3, test=2)
    path = tmp_path / name
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(BendmlError, match=problem):
        read_digits(tmp_path, "train")


def test_the_weights_are_those_of_the_published_run(tmp_path: Path) -> None:
    assert write_weights(tmp_path) == {
        "w1.f32": "08885054e61e7df165ed1a5bb2352a90dab23c93f8ea0743adacaf8cc440e659",
        "w2.f32": "823b5318cdd5bf9d957ffceba9d5b4f9a8b01b887787fea71b7a14bc9ffccfca",
    }
    weights, drawn = read_weights(tmp_path), initial_weights()
    assert all(np.array_equal(weights[name], drawn[name]) for name in ("w1", "w2"))
    assert weights["w1"].shape == (784, 128)
    assert abs(weights["w1"]).max() <= 1 / 28


def test_weights_of_another_size_are_refused(tmp_path: Path) -> None:
    write_weights(tmp_path)
    (tmp_path / "w2.f32").write_bytes(bytes(4))
    with pytest.raises(BendmlError, match="1 numbers, and not 128 x 10"):
        read_weights(tmp_path)


def test_pytorch_trains_step_by_step_as_written_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    data = write_digits(tmp_path / "data")
    write_weights(tmp_path)
    assert mnist.main(["2", "0", "0.1", str(data), str(tmp_path), "steps"]) == 0
    log = parse_log(capsys.readouterr().out)
    assert (len(log.steps), len(log.epochs)) == (6, 2)
    expected = _by_hand(data, tmp_path, epochs=2)
    assert log.steps == pytest.approx(expected, rel=1e-5)
    assert [epoch.loss for epoch in log.epochs] == pytest.approx([sum(expected[:3]) / 3, sum(expected[3:]) / 3])


def _by_hand(data: Path, weights: Path, *, epochs: int) -> list[float]:
    """The losses of all steps, with the gradients written out, in doubles."""
    digits, start = read_digits(data, "train"), read_weights(weights)
    w1, w2 = start["w1"].astype(float), start["w2"].astype(float)
    b1, b2 = np.zeros(128), np.zeros(10)
    losses = []
    for _ in range(epochs):
        for at in range(0, len(digits.images), 100):
            x, labels = digits.images[at : at + 100] / 255, digits.labels[at : at + 100]
            h = np.maximum(x @ w1 + b1, 0)
            z = h @ w2 + b2
            p = np.exp(z - z.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            losses.append(float(-np.log(p[np.arange(100), labels]).mean()))
            dz = (p - np.eye(10)[labels]) / 100
            dh = dz @ w2.T * (h > 0)
            w2, b2 = w2 - 0.1 * h.T @ dz, b2 - 0.1 * dz.sum(axis=0)
            w1, b1 = w1 - 0.1 * x.T @ dh, b1 - 0.1 * dh.sum(axis=0)
    return losses


def test_too_few_images_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    write_idx(write_digits(tmp_path) / "train-labels-idx1-ubyte", bytes(300), (300,))
    write_weights(tmp_path)
    assert mnist.main(["1", "4", "0.1", str(tmp_path), str(tmp_path)]) == 1
    assert "fewer than 4 batches of 100" in capsys.readouterr().err
    write_digits(tmp_path, train=50, test=100)
    assert mnist.main(["1", "0", "0.1", str(tmp_path), str(tmp_path)]) == 1
    assert "50 images, fewer than 1 batches of 100" in capsys.readouterr().err


def test_a_process_trains_and_its_memory_is_known(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    data = write_digits(tmp_path)
    write_weights(tmp_path)
    done = run_torch(Plan(1, 1), data, tmp_path)
    assert len(parse_log(done.stdout).epochs) == 1
    assert done.peak_resident_bytes is not None
    assert done.peak_resident_bytes > 10_000_000
    with pytest.raises(BendmlError, match=r"training with PyTorch failed: .*fewer than 9 batches|failed with status 1"):
        run_torch(Plan(1, 9), data, tmp_path)
