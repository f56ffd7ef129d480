"""The programs of bend/mnist, on small data of our own, and on MNIST itself."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.engines.engine import Ran
from bendml_cli.project import Project
from bendml_cli.reference.mnist_data import write_weights
from bendml_cli.reference.mnist_process import Plan, run_torch
from bendml_cli.reference.training_log import TrainingLog, parse_log
from bendml_cli.suites.case import Session, Status
from bendml_cli.suites.schema import select_suites
from bendml_cli.toolchain.store import VARIABLE
from tests.mnist_made import write_digits, write_idx

pytest.importorskip("numpy")
ROOT = Path(__file__).parents[2]
# Two programs are compiled.
pytestmark = pytest.mark.slow

Train = Callable[..., Ran]


@pytest.fixture(scope="module")
def trainers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Train]:
    """The programs by name; each takes its arguments and a number of threads."""
    engine, folder = EmbeddedEngine(), tmp_path_factory.mktemp("built")

    def trainer(name: str) -> Train:
        binary = folder / name
        built = engine.build(ROOT / "bend" / "mnist" / f"{name}.bend", binary)
        assert built.failure is None, built.stderr
        return lambda *arguments, threads=1: engine.run_binary(binary, *map(str, arguments), threads=threads)

    return {name: trainer(name) for name in ("arrays", "lists")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Small data, and the initial weights."""
    write_weights(write_digits(tmp_path))
    return tmp_path


def log(ran: Ran) -> TrainingLog:
    assert (ran.code, ran.stderr) == (0, "")
    return parse_log(ran.stdout)


def numbers(found: TrainingLog) -> tuple[list[float], list[tuple[float, int]]]:
    return found.steps, [(epoch.loss, epoch.hits) for epoch in found.epochs]


def test_arrays_and_lists_give_the_same_bits_and_pytorch_nearly(trainers: dict[str, Train], folder: Path) -> None:
    arguments = (2, 0, 0.1, folder, folder, "steps")
    arrays, lists = (log(trainers[name](*arguments)) for name in ("arrays", "lists"))
    assert numbers(arrays) == numbers(lists)
    assert (len(arrays.steps), len(arrays.epochs)) == (6, 2)
    pytest.importorskip("torch")
    torch = parse_log(run_torch(Plan(2, 0, 0.1, steps=True), folder, folder).stdout)
    assert arrays.steps == pytest.approx(torch.steps, rel=1e-5)
    assert [epoch.loss for epoch in arrays.epochs] == pytest.approx([epoch.loss for epoch in torch.epochs], rel=1e-5)
    assert [epoch.hits for epoch in arrays.epochs] == pytest.approx([epoch.hits for epoch in torch.epochs], abs=1)


def test_the_number_of_threads_changes_nothing(trainers: dict[str, Train], folder: Path) -> None:
    arguments = (1, 0, 0.1, folder, folder, "steps")
    one, two, five = (log(trainers["arrays"](*arguments, threads=threads)) for threads in (1, 2, 5))
    assert numbers(one) == numbers(two) == numbers(five)


def test_only_so_many_batches_are_trained_and_steps_are_printed_on_request(
    trainers: dict[str, Train], folder: Path
) -> None:
    few = log(trainers["arrays"](1, 2, 0.1, folder, folder, "steps"))
    everything = log(trainers["arrays"](1, 0, 0.1, folder, folder, "steps"))
    assert few.steps == everything.steps[:2]
    assert few.epochs[0].loss == pytest.approx(sum(few.steps) / 2, rel=1e-6)
    assert log(trainers["arrays"](1, 2, 0.1, folder, folder)).steps == []


USAGE = "usage: PROGRAM EPOCHS BATCHES RATE DATA WEIGHTS [steps]"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], USAGE),
        (["1", "0", "0.1", "{data}", "{data}", "stepps"], USAGE),
        (["1", "0", "0.1", "{data}", "{data}", "steps", "more"], USAGE),
        (["one", "0", "0.1", "{data}", "{data}"], "EPOCHS is no number: one"),
        (["1", "-1", "0.1", "{data}", "{data}"], "BATCHES is no number: -1"),
        (["1", "0", "x", "{data}", "{data}"], "RATE is no number: x"),
        (["1", "0", "0", "{data}", "{data}"], "RATE must be above 0 and below 1000000: 0"),
        (["1", "0", "1e6", "{data}", "{data}"], "RATE must be above 0 and below 1000000: 1e6"),
        (["1", "4", "0.1", "{data}", "{data}"], "fewer than the 4 batches of 100 images that are asked for"),
        # A hundred times as many is no Nat of the compiler's.
        (["1", str(2**48 - 1), "0.1", "{data}", "{data}"], "fewer than the 281474976710655 batches of 100 images"),
        (["1", "0", "0.1", "{data}/none", "{data}"], "/none/train-images-idx3-ubyte: No such file or directory"),
        (["1", "0", "0.1", "{data}", "{data}/none"], "/none/w1.f32: No such file or directory"),
    ],
)
def test_wrong_arguments_are_one_line_and_status_1(
    trainers: dict[str, Train], folder: Path, arguments: list[str], line: str
) -> None:
    ran = trainers["arrays"](*(each.replace("{data}", str(folder)) for each in arguments))
    assert (ran.code, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert line in ran.stderr


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("name", "damage", "line"),
    [
        ("train-images-idx3-ubyte", Path.unlink, "No such file or directory"),
        ("train-images-idx3-ubyte", cut, "235215 bytes do not fit the 300 images of its header"),
        ("train-images-idx3-ubyte", lambda path: path.write_bytes(b"\0\0"), "too short for an IDX file of images"),
        (
            "train-images-idx3-ubyte",
            lambda path: path.write_bytes(bytes(16)),
            "no IDX file of images: it does not begin with 0, 0, 8, 3",
        ),
        (
            "train-images-idx3-ubyte",
            lambda path: write_idx(path, bytes(300), (300, 1, 1)),
            "its images are not 28 by 28",
        ),
        ("train-images-idx3-ubyte", lambda path: write_idx(path, bytes(784), (1, 28, 28)), "fewer than 100 images"),
        ("train-labels-idx1-ubyte", cut, "307 bytes do not fit the 300 labels of its header"),
        ("train-labels-idx1-ubyte", lambda path: path.write_bytes(b""), "too short for an IDX file of labels"),
        (
            "train-labels-idx1-ubyte",
            lambda path: write_idx(path, bytes(200), (200,)),
            "not as many labels as there are images",
        ),
        ("train-labels-idx1-ubyte", lambda path: write_idx(path, b"\x0a" * 300, (300,)), "a label is no digit"),
        ("t10k-labels-idx1-ubyte", Path.unlink, "No such file or directory"),
        ("w1.f32", cut, "401407 bytes, and not those of 100352 numbers"),
        ("w2.f32", lambda path: path.write_bytes(struct.pack("<f", float("nan")) * 1280), "not finite"),
        ("w2.f32", lambda path: path.write_bytes(struct.pack("<f", float("-inf")) * 1280), "not finite"),
    ],
)
def test_damaged_files_are_one_line_and_status_1(
    trainers: dict[str, Train], folder: Path, name: str, damage: Callable[[Path], object], line: str
) -> None:
    damage(folder / name)
    ran = trainers["arrays"](1, 0, 0.1, folder, folder)
    assert (ran.code, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert f"{name}: " in ran.stderr
    assert line in ran.stderr


@pytest.mark.network
def test_mnist_itself_comes_to_the_published_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    if VARIABLE not in os.environ:
        monkeypatch.setenv(VARIABLE, str(tmp_path))
    (suite,) = select_suites(Project(ROOT), ["mnist"])
    session = Session((EmbeddedEngine(),))
    for case in suite.cases():
        if case.id in ("fifty-batches", "one-epoch"):
            outcome = case.run(session)
            assert outcome.status is Status.PASSED, outcome.detail
