"""What is printed reads back as the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendml_cli.bend2.source import BendError
from tests.bend2.syntax.trees import printed, shapes

ROOT = Path(__file__).parents[3]
FILES = sorted([*ROOT.glob("tests/conformance/**/*.bend"), *ROOT.glob("bendml_cli/bend2/*.bend")])


def _reads(path: Path) -> bool:
    """Is this file read by itself? Some cases probe a syntax error, or need what they import."""
    try:
        shapes(path.read_bytes().decode("utf-8"))
    except BendError:
        return False
    return True


READABLE = [path for path in FILES if _reads(path)]


def test_most_files_are_readable() -> None:
    assert len(READABLE) > 0.9 * len(FILES)


@pytest.mark.parametrize("path", READABLE, ids=[str(path.relative_to(ROOT)) for path in READABLE])
def test_files_of_this_repository(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    once = printed(text)
    assert shapes(once) == shapes(text)
    assert printed(once) == once


NAMES = st.sampled_from(["x", "y", "_", "foo.bar", "Nat"])
WORDS = st.sampled_from(["x", "y", "z1", "_w"])
SIGNS = [
    *("->", "&", "|", "||", "&&", "<", "<=", ">", ">=", "<>", "++", "<&>"),
    *(".|.", ".^.", ".&.", "<<", ">>", "+", "-", "*", "/", "%"),
]
GAP = st.sampled_from([" ", "\n ", " # c\n  "])


@st.composite
def literals(draw: st.DrawFn) -> str:
    """A literal, a name or another term without parts."""
    text = draw(st.text(st.characters(exclude_characters='\\"\0', exclude_categories=["Cs"]), max_size=3))
    return draw(
        st.sampled_from(
            [f'"{text}"', "'a'", "'\\n'", "'''", "3n", "0", "12", "1.5", "2.5e-3", "&1", "Type", "Quant", "{==}", "?h"]
        )
        | NAMES
    )


def joined(items: list[str]) -> str:
    return ", ".join(items)


def terms(depth: int) -> st.SearchStrategy[str]:
    """Source text of terms; operands are in parentheses, or bases, so that every text reads."""
    if depth == 0:
        return literals()
    inner = terms(depth - 1)
    items = st.lists(inner, max_size=3).map(joined)
    some = st.lists(inner, min_size=1, max_size=2).map(joined)
    pair = st.tuples(inner, inner)
    group = inner.map("({})".format)
    return st.one_of(
        literals(),
        group,
        pair.map(lambda p: f"({p[0]} : {p[1]})"),
        pair.map(lambda p: f"({p[0]}, {p[1]})"),
        items.map("[{}]".format),
        items.map("K{{{}}}".format),
        st.tuples(NAMES, items).map(lambda p: f"{p[0]}({p[1]})"),
        items.map("foo!({})".format),
        st.tuples(group, group, st.sampled_from(SIGNS), GAP).map(lambda p: f"{p[0]}{p[3]}{p[2]} {p[1]}"),
        st.lists(group, min_size=3, max_size=4).map(" + ".join),
        st.lists(group, min_size=3, max_size=4).map(" <> ".join),
        st.tuples(group, group, group).map(lambda p: f"{p[0]} + {p[1]}< {p[2]}"),
        st.tuples(group, some).map(lambda p: f"D<{p[0]}, {p[1]}>"),
        group.map("+D<{}>".format),
        pair.map(lambda p: f"@-x: ({p[0]}) -> {p[1]}"),
        pair.map(lambda p: f"&x: ({p[0]}) -> {p[1]}"),
        pair.map(lambda p: f"{{{p[0]} == {p[1]} : x}}"),
        pair.map(lambda p: f"{{{p[0]} != {p[1]} : x}}"),
        pair.map(lambda p: f"{{{p[0]} : {p[1]}}}"),
        pair.map(lambda p: f"\\{{K: {p[0]}; {p[1]}}}"),
        inner.map("\\{{K: {}\n L: x}}".format),
        inner.map("3n+{}".format),
        st.tuples(WORDS, bodies(depth - 1)).map(lambda p: f"{p[0]} => {p[1]}"),
        bodies(depth - 1).map("(\n  {})".format),
        st.tuples(inner, inner, bodies(depth - 1)).map(lambda p: f"%e@{p[0]} : {p[1]};\n  {p[2]}"),
        pair.map(lambda p: f"(foo)[{p[0]}] <- ({p[1]})"),
        pair.map(lambda p: f"[{p[0]} : x^{p[1]}]"),
        st.tuples(inner, group, group).map(lambda p: f"do M<{p[0]}>:\n   y : {p[1]} <- {p[2]}\n   return y"),
    )


def bodies(depth: int) -> st.SearchStrategy[str]:
    """Source text of bodies whose statements end in `;`, so that they may stand anywhere."""
    inner = terms(depth).map("({})".format)
    pair = st.tuples(inner, inner)
    return st.one_of(
        inner,
        pair.map(lambda p: f"a = {p[0]}; {p[1]}"),
        pair.map(lambda p: f"-a : ({p[0]}) = x; {p[1]}"),
        pair.map(lambda p: f"K{{b, c}} = {p[0]}; {p[1]}"),
        pair.map(lambda p: f"a +b = {p[0]} x; {p[1]}"),
        pair.map(lambda p: f"a[{p[0]}] <- x; {p[1]}"),
        pair.map(lambda p: f"match a, ({p[0]}): case 0n, [b]: {p[1]}"),
    )


@settings(max_examples=400, deadline=None)
@given(bodies(3))
def test_generated_bodies(text: str) -> None:
    source = f"def f() -> x:\n  {text}\n"
    try:
        tree = shapes(source)
    except BendError:
        return  # a lambda or do on a line with more: not every composition is a program
    once = printed(source)
    assert shapes(once) == tree, once
    assert printed(once) == once
