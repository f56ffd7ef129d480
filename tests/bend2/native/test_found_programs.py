"""Programs that random ones were reduced to: each was compiled wrong once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.bend2.native.options import Options

PROGRAMS = {
    # A function called as a value is gives a struct of three bytes: clang wrote four.
    "three_bytes": (
        """
type Three is Data:
  Three{a: Bool, b: Bool, c: Bool}

def last(n: Nat, t: Three) -> Three:
  match n t:
    case 0n, t:
      t
    case 1n+p, Three{a, b, c}:
      last(p, Three{b, c, a})

def other(n: Nat, +b: Bool) -> Three:
  match n:
    case 0n:
      last(3n, Three{b, True{}, b})
    case 1n++p:
      Bool.pick(Three, b, last(p, Three{True{}, b, b}), other(p, b))

def put(xs: List<&2, Nat>, t: Three) -> (List<&2, Nat> & String) & Three:
  ((xs, "s"), t)

def main() -> (List<&2, Nat> & String) & Three:
  put([9n], other(7n, False{}))
""",
        '(([9n], "s"), Three{False{}, True{}, False{}})',
    ),
}


@pytest.mark.parametrize("options", [Options(debug=True, sanitize=True, level=0), Options()], ids=["checked", "fast"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_found(name: str, options: Options, compiled: Callable[[Path, Options], Path], tmp_path: Path) -> None:
    text, expected = PROGRAMS[name]
    file = tmp_path / f"{name}.bend"
    file.write_text(f"import Base\n{text}", encoding="utf-8")
    for threads in ("1", "2"):
        command = [str(compiled(file, options)), "--threads", threads]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{expected}\n", "")
