"""The numeric checks find faults of the packages: a word is edited, the suite's own programs are built and run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bendml_cli.engines.embedded import EmbeddedEngine
from bendml_cli.project import Project
from bendml_cli.suites.case import CaseResult, Session, Status
from bendml_cli.suites.runner import run_cases
from bendml_cli.suites.schema import select_suites

ROOT = Path(__file__).parents[2]

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def found(root: Path, package: str, *edits: tuple[str, str]) -> dict[str, CaseResult]:
    """How the suite's checks of numbers turn out when each first text in the package becomes the second one."""
    for folder in ("suites", "bend"):
        shutil.copytree(ROOT / folder, root / folder)
    main = root / "bend" / package / "main.bend"
    text = main.read_text()
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    main.write_text(text)
    (suite,) = select_suites(Project(root), [package])
    cases = [case for case in suite.cases() if case.kind in ("runs", "compare", "fuzz")]
    return {result.case.id: result for result in run_cases(cases, Session((EmbeddedEngine(),)), jobs=2)}


def failed(results: dict[str, CaseResult]) -> set[str]:
    assert not [each for each in results.values() if each.outcome.status is Status.ERROR]
    return {name for name, each in results.items() if each.outcome.status is Status.FAILED}


def test_a_constant_an_order_and_a_maximum(tmp_path: Path) -> None:
    results = found(
        tmp_path,
        "tensor",
        ("0.7978846", "0.7978847"),
        ("Row.combine(t, u, Row.add_scaled(k, xs, ys))", "Row.add_scaled(k, xs, Row.combine(t, u, ys))"),
        ("Row.dot(t, u, (acc + x * y : F32))", "(Row.dot(t, u, 0.0) + (acc + x * y) : F32)"),
        ("Row.max(t, F32.max(m, x))", "Row.max(t, F32.min(m, x))"),
    )
    in_order = {"vec.dot", "matmul", "matmul_nt", "matvec", "gelu", "mat.gelu", "softmax", "layernorm"}
    assert failed(results) == {
        *(f"{check}/{name}.in_order" for check in ("in-order", "any-numbers") for name in in_order),
        "softmax-1000/softmax",
        "softmax-1000-in-order/softmax.in_order",
        "softmax-extremes",
    }
    detail = results["in-order/matmul.in_order"].outcome.detail
    # Three terms are the fewest that can be added in two orders.
    assert detail.startswith("dimensions 1 3 1: [0, 0]: ")


def test_slopes_and_gradients(tmp_path: Path) -> None:
    results = found(
        tmp_path,
        "autograd",
        ("TOne{(1.0 - y * y : F32), s}", "TOne{(1.0 - y : F32), s}"),
        ("Bool.pick(F32, F32.is_le(x, 0.0), 0.0, g)", "Bool.pick(F32, F32.is_le(x, 1.0), 0.0, g)"),
        ("(x - lr * g : F32) <> Row.sgd", "(x + lr * g : F32) <> Row.sgd"),
    )
    assert failed(results) == {
        "expressions/expr",
        "expression-differences/expr.differences",
        "layers/linear.sgd",
        "layers/relu.backward",
        "networks/network",
        "network-differences/network.differences",
    }


def test_strides_of_parts_and_ties(tmp_path: Path) -> None:
    results = found(
        tmp_path,
        "tensor-array",
        # Rows of the second part: those of a transposed operand are one slot apart.
        ("(r + ar * U32.from_nat(top) : U32)", "(r + U32.from_nat(top) : U32)"),
        ("F32.is_lt(best, x)", "F32.is_le(best, x)"),
        ("((e / s - 1.0) / n : F32)", "(e / s / n : F32)"),
        ("F32.is_le(x, 0.0), 0.0, g", "F32.is_le(x, 1.0), 0.0, g"),
        ("(x - lr * d : F32)", "(x + lr * d : F32)"),
    )
    in_order = {"matmul", "matmul_nt", "cross_entropy"}
    assert failed(results) == {
        "example",
        *(f"{check}/{name}.in_order" for check in ("in-order", "any-numbers") for name in in_order),
        "pytorch/matmul",
        "pytorch/matmul_nt",
        "pytorch/count_correct",
        "larger/matmul",
        "larger/matmul_nt",
        "losses/cross_entropy",
        "losses-of-1000/cross_entropy.in_order",
        "losses-of-1000/count_correct",
        *(f"{check}/{name}" for check in ("once-rounded", "any-numbers") for name in ("relu_bwd", "sgd")),
    }


def test_what_no_law_of_the_tokenizer_says(tmp_path: Path) -> None:
    """The laws survive these edits: which pair is joined, and which files are tables, is for the numeric checks."""
    results = found(
        tmp_path,
        "bpe-tokenizer",
        ("Some{Two{Token.of_code(a), Token.of_code(b)}}", "Some{Two{Token.of_code(b), Token.of_code(a)}}"),
        ("Nat.is_lt(b, Nat.add(256n, k))", "Nat.is_le(b, Nat.add(256n, k))"),
    )
    assert failed(results) == {
        "corpora/train",
        "corpora/encode",
        "corpora/decode",
        "larger-corpora/train",
        "larger-corpora/encode",
        "larger-corpora/decode",
        "any-tables/ids_ok",
        "train-a-file",
    }
