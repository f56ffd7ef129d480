"""The table of laws in a README."""

from __future__ import annotations

from bendml_cli.laws.docs import differences, documented_laws

README = """\
# p

| Function | What |
|---|---|
| `f` | not a law |

| Law | Statement | Meaning |
|---|---|---|
| `one` | a = a | with `code` |
| two | b \\| c | plain |

Between.

| Name | Statement |
|---|---|
| `three` | c = c |
"""


def test_laws_are_read_from_every_table_of_laws() -> None:
    laws = documented_laws(README)
    assert [(law.name, law.line) for law in laws] == [("one", 9), ("two", 10), ("three", 16)]
    assert laws[0].cells == ("a = a", "with code")


def test_differences_go_both_ways() -> None:
    laws = documented_laws(README)
    assert differences(["one", "two", "three"], laws) == []
    assert differences(["one", "two", "four"], laws) == [
        "four is not in the table",
        "line 16: there is no law three",
    ]
    assert differences(["one", "two", "three"], [*laws, laws[0]]) == ["line 9: one stands in the table twice"]


def test_no_table() -> None:
    assert documented_laws("# nothing\n\nhere\n") == []
