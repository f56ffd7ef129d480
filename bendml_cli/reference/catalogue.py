"""All references, by the names that suites know them by."""

from __future__ import annotations

from bendml_cli.reference import arrays, expressions, gpt2_tokens, layers, tensor, tokens
from bendml_cli.reference.model import Reference

_ALL: list[Reference] = [
    *tensor.OPERATIONS,
    *arrays.OPERATIONS,
    *layers.OPERATIONS,
    *expressions.EXPRESSIONS,
    *tokens.OPERATIONS,
    *gpt2_tokens.OPERATIONS,
]

REFERENCES: dict[str, Reference] = {each.name: each for each in _ALL}
