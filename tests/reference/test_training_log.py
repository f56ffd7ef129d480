"""Reading what training programs print."""

from __future__ import annotations

import pytest

from bendml_cli.reference.training_log import Epoch, TrainingLog, parse_log


def test_steps_and_epochs_are_read() -> None:
    text = "step 1 loss 2.25\nstep 2 loss 1.0e-7\nepoch 1 loss 1.125 hits 7829 ms 35\nepoch 2 loss 1 hits 8 ms 3.5\n"
    log = parse_log(text)
    assert log == TrainingLog([2.25, 1e-7], [Epoch(1.125, 7829, 35.0), Epoch(1.0, 8, 3.5)])
    assert log.milliseconds == 19.25


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no epoch"),
        ("step 1 loss 2\n", "no epoch"),
        ("hello\n", "of no step and of no epoch"),
        ("epoch 2 loss 1.0 hits 1 ms 1\n", "number 1 was to come"),
        ("step 1 loss 1\nstep 3 loss 1\nepoch 1 loss 1.0 hits 1 ms 1\n", "number 2 was to come"),
        ("epoch 1 loss nan hits 1 ms 1\n", "of no step"),
        ("epoch 1 loss 1e999 hits 1 ms 1\n", "not finite"),
    ],
)
def test_other_lines_are_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_log(text)
