"""A stand-in for the program `bend`: it answers as the real one is documented to, by a line of the file it is given."""

from __future__ import annotations

import sys
from pathlib import Path

REFUSAL = """\
SOME PROOFS FAIL
Error:
- expected : Mat<3n, 5n>
- observed : Mat<4n, 5n>
Context:
- a : Mat<2n, 3n>
- b : Mat<4n, 5n>
In main:
2 | def main() -> Nat: True{}
  |                    ^
"""

_PROGRAM = r"""
import json, os, re, signal, subprocess, sys, time

def end(text, code):
    sys.stdout.write(text)
    sys.stdout.flush()
    time.sleep(0.1)  # Long enough to be seen, and what it holds, beside other tests too.
    sys.exit(code)

arguments = sys.argv[1:]
if arguments == ["version"]:
    end("bend {version}\n", 0)
if arguments[:1] == ["--version"]:
    end("unknown option\n", 1)
name, options = arguments[0], arguments[1:]
text = open(name).read()
found = re.search(r"# stand-in: (\w+) ?(.*)", text)
mode, detail = (found[1], found[2]) if found else ("refuse" if name == "bad.bend" else "accept", "")
if "-o" in options:
    if mode == "refuse":
        end({refusal!r}, 1)
    out = options[options.index("-o") + 1]
    with open(out, "w") as file:
        file.write("#!/bin/sh\necho $0 $@ | sed 's,.*/,,'\n")
    os.chmod(out, 0o755)
    end("", 0)
if mode == "accept":
    main = re.search(r"# main: (.*)", text)
    end(f"{{main[1]}}\n" if main and not options else "ALL PROOFS CHECK\n", 0)
if mode == "refuse":
    end({refusal!r}, 1)
if mode == "kernel":  # the second kernel alone refuses
    end({refusal!r} if "--verdict" in options else "ALL PROOFS CHECK\n", 1 if "--verdict" in options else 0)
if mode == "crash":
    print("ALL PROOFS CHECK", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
if mode == "loop":
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    with open(detail, "w") as file:
        file.write(f"{{os.getpid()}} {{child.pid}}")
    while True:
        pass
if mode == "say":  # a status, then words
    code, _, words = detail.partition(" ")
    end(json.loads(words), int(code))
if mode == "flood":
    while True:
        print("ALL PROOFS CHECK")
if mode == "hold":
    child = subprocess.Popen([sys.executable, "-c", "import time; x = b'x' * " + detail + "; time.sleep(1)"])
    child.wait()
    end("ALL PROOFS CHECK\n", 0)
if mode == "tell":  # its surroundings
    import resource
    with open(detail, "w") as file:
        json.dump({{"env": dict(os.environ), "stack": resource.getrlimit(resource.RLIMIT_STACK)[0],
                   "arguments": arguments, "cwd": os.getcwd()}}, file)
    end("ALL PROOFS CHECK\n", 0)
"""


def make_bend(folder: Path, *, version: str = "2.0.35", program: str | None = None) -> Path:
    """Write the stand-in, or another program in its place, to a folder, and answer its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "bend"
    text = _PROGRAM.format(version=version, refusal=REFUSAL) if program is None else program
    path.write_text(f"#!{sys.executable} -IS\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return path
