"""Files, imports and names (reading.md, Names; language.md section 1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendml_cli.bend2.source import BendError
from bendml_cli.bend2.syntax.modules import read_book
from tests.bend2.syntax.core_text import core_text
from tests.bend2.syntax.reading import BASE, body, read, refusal

TOOL = (
    "import Base\ntype Box is Data:\n  Box{n: Nat}\ndef one() -> Nat:\n  1n\ndef Box.add(a: Box, b: Box) -> Box:\n  a\n"
)
MAIN = "import Base\nimport ./tool.bend as T\n"


@pytest.mark.parametrize(
    "line",
    [
        "import Base as B",
        "import ./tool.bend",
        "import ./tool.bend as",
        "import ./tool.bend as T.U",
        "import ./tool.bend as T x",
        "import ./tool.bend as match",
        'import "./tool.bend" as T',
        "import ././tool.bend as T",
        "import ./../tool.bend as T",
        "import ./sub/../tool.bend as T",
        "import ./tool.txt as T",
        "import ./2tool.bend as T",
        "import ./a.b.bend as T",
        "import ./.bend as T",
        "import",
        "import ./none.bend as T",
        "import ./sub.bend as T",
        "import name@1.2.3.4/file.bend as T",
    ],
)
def test_import_lines_that_are_refused(line: str) -> None:
    assert refusal(f"\n{line}\nimport Base\n", tool=TOOL).place == ("import", 2)


@pytest.mark.parametrize(
    "line",
    [
        "import ./tool.bend as T",
        "import tool.bend as T # note",
        "  import\t./tool.bend   as T#note",
        "import ./tool.bend as T\r",
        "import ./my-tools/_x1.bend as T",
    ],
)
def test_import_lines(line: str) -> None:
    book = read(f"# first\n\n{line}\nimport Base\nimport Base\n", tool=TOOL, **{"my-tools___x1": TOOL})
    assert list(book.entry.aliases) == ["T"]


def test_the_entry_may_be_empty() -> None:
    book = read("")
    assert (book.entry.namespace, book.entry.imports, book.modules) == ("", [], [book.entry])


def test_imports_end_at_the_first_other_line() -> None:
    assert refusal("import Base\ndef f() -> Nat:\n  1n\nimport Base\n").place == ("syntax", 4)


def test_an_alias_names_one_file_but_a_file_may_have_two() -> None:
    assert refusal(MAIN + "import ./tool.bend as T\n", tool=TOOL).place == ("import", 3)
    book = read(MAIN + "import tool.bend as U\n", tool=TOOL)
    assert book.entry.aliases == {"T": "tool", "U": "tool"}
    assert [module.namespace for module in book.modules] == ["", "tool", ""]
    assert [module.is_base for module in book.modules] == [True, False, False]


def test_files_load_depth_first_and_once() -> None:
    book = read(
        "import ./a.bend as A\nimport ./sub/b.bend as B\n",
        a="import ./sub/b.bend as B\ndef a() -> Type:\n  Type\n",
        sub__b="import ../c.bend as C\ndef b() -> Type:\n  Type\n",
        c="def c() -> Type:\n  Type\n",
    )
    assert [item.key for item in book.items] == ["c:c", "sub/b:b", "a:a"]


def test_a_link_is_the_file_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "tool.bend").write_text(TOOL)
    (tmp_path / "link.bend").symlink_to("tool.bend")
    (tmp_path / "main.bend").write_text(MAIN + "import ./link.bend as L\n")
    assert read_book(tmp_path / "main.bend", base=BASE).entry.aliases == {"T": "tool", "L": "tool"}


def test_files_above_the_entry_have_a_path_from_it(tmp_path: Path) -> None:
    (tmp_path / "tool.bend").write_text(TOOL)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "main.bend").write_text("import ../tool.bend as T\n")
    assert read_book(tmp_path / "sub" / "main.bend", base=BASE).entry.aliases == {"T": "../tool"}


def test_cycles() -> None:
    assert refusal("\nimport ./main.bend as M\n").place == ("import", 2)
    found = refusal("import ./a.bend as A\n", a="\nimport ./b.bend as B\n", b="\n\nimport ./a.bend as A\n")
    assert found.place == ("import", 3)
    assert "a.bend -> b.bend -> a.bend" in found.message


@pytest.mark.parametrize("content", [b"def f\xff", "def f".encode("utf-16")])
def test_a_file_that_is_not_utf8(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "main.bend"
    path.write_bytes(content)
    with pytest.raises(BendError) as caught:
        read_book(path, base=BASE)
    assert caught.value.category == "import"


def test_a_missing_entry_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.bend", tmp_path / "none" / "main.bend"):
        with pytest.raises(BendError) as caught:
            read_book(path, base=BASE)
        assert caught.value.category == "import"


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "main.bend").symlink_to("other.bend")
    (tmp_path / "other.bend").symlink_to("main.bend")
    with pytest.raises(BendError) as caught:
        read_book(tmp_path / "main.bend", base=BASE)
    assert caught.value.category == "import"


def test_hub_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("tools@1.2.3.4", "0x12ab"):
        (tmp_path / "hub" / folder).mkdir(parents=True)
        (tmp_path / "hub" / folder / "tool.bend").write_text(TOOL)
    monkeypatch.setenv("BEND_LIB", str(tmp_path / "hub"))
    (tmp_path / "main.bend").write_text(
        "import tools@1.2.3.4/tool.bend as T\nimport 0x12ab/tool.bend as U\n", encoding="utf-8"
    )
    book = read_book(tmp_path / "main.bend", base=BASE)
    assert book.entry.aliases == {"T": "tools@1.2.3.4/tool", "U": "0x12ab/tool"}


def test_a_proof_imports_the_laws_beside_it(tmp_path: Path) -> None:
    (tmp_path / "LAWS.bend").write_text("law f:\n  Type\n")
    (tmp_path / "bridge.bend").write_text("import ./LAWS.bend as L\n")
    (tmp_path / "PROOF.bend").write_text("")
    with pytest.raises(BendError) as caught:
        read_book(tmp_path / "PROOF.bend", base=BASE)
    assert caught.value.category == "import"
    (tmp_path / "PROOF.bend").write_text("import ./bridge.bend as B\n")
    read_book(tmp_path / "PROOF.bend", base=BASE)
    (tmp_path / "PROOF.bend").write_text("def f( -> Nat")
    with pytest.raises(BendError) as caught:
        read_book(tmp_path / "PROOF.bend", base=BASE)
    assert caught.value.category == "syntax"


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("T.one()", "tool:one"),
        ("T.Box{1n}", "tool:Box{1n}"),
        ("T.Box<Nat>", "tool:Box<Nat>"),
        ("T.none", "tool:none"),
        ("(x + y : T.Box)", "tool:Box.add(x, y)"),
        ("one()", "one"),
        ("Nat.double", "Nat.double"),
        ("T", "T"),
        ("do T.Box<>:\n    x", "{x : tool:Box<>}"),
        ("do T.M<Nat>:\n    return x", "tool:M.pure(Nat, x)"),
        ("\\{T.Box: n => n}", "\\{tool:Box: (n => n); \\{}}"),
    ],
)
def test_names_through_an_alias(text: str, core: str) -> None:
    main = f"import Base\nimport ./tool.bend as T\ndef f() -> Nat:\n  {text}\n"
    definition = read(main, tool=TOOL).definitions["f"]
    assert definition.body is not None
    assert core_text(definition.body) == core


def test_patterns_through_an_alias() -> None:
    text = MAIN + "def f(b: T.Box) -> Nat:\n  match b:\n    case T.Box{n}: n\n"
    definition = read(text, tool=TOOL).definitions["f"]
    assert definition.body is not None
    assert core_text(definition.body) == "\\{tool:Box: (n => n); \\{}}"
    bare = MAIN + "def f(b: T.Box) -> Nat:\n  match b:\n    case Box{n}: n\n"
    assert refusal(bare, tool=TOOL).place == ("unknown-name", 5)


def test_a_module_means_its_own_names_first_and_bases_else() -> None:
    tool = "import Base\ndef f() -> Nat:\n  g(Nat.double, later, Maybe<Nat>, Own<Nat>, Own.T<Nat>, Later.x)\n"
    tool += "type Own.T is Data:\ndef Later.x() -> Nat:\n  1n\n"
    definition = read(MAIN, tool=tool).definitions["tool:f"]
    assert definition.body is not None
    expected = "tool:g(Nat.double, tool:later, Maybe<&1, Nat>, tool:Own<Nat>, Own.T<Nat>, tool:Later.x)"
    assert core_text(definition.body) == expected


def test_a_module_without_base_sees_it_only_if_it_was_loaded_before() -> None:
    tool = "def f() -> Nat:\n  Nat.double\n"
    for main, core in ((MAIN, "Nat.double"), ("import ./tool.bend as T\nimport Base\n", "tool:Nat.double")):
        definition = read(main, tool=tool).definitions["tool:f"]
        assert definition.body is not None
        assert core_text(definition.body) == core


def test_sugar_means_names_without_a_namespace() -> None:
    tool = "type Nat is Data:\n  Zero{} Succ{p: Nat}\ndef f() -> Nat:\n  [1n+x, 300n+x, (1n, 2n)]\n"
    definition = read("import ./tool.bend as T\n", tool=tool).definitions["tool:f"]
    assert definition.body is not None
    expected = "Con{Succ{tool:x}, Con{Nat.add(300n, tool:x), Con{Tuple{1n, 2n}, Nil{}}}}"
    assert core_text(definition.body) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def T.new() -> Nat:\n  1n\n", 3),
        ("def T.one() -> Nat:\n  1n\n", 3),
        ("type T.New is Data:\n", 3),
        ("law T.new:\n  Nat\n", 3),
        ("type New is Data:\n  T.K{}\n", 4),
    ],
)
def test_an_alias_reserves_its_prefix(text: str, line: int) -> None:
    assert refusal(MAIN + text, tool=TOOL).place == ("name-clash", line)


def test_a_name_equal_to_an_alias_is_free() -> None:
    assert "T" in read(MAIN + "type T is Data:\n  K{}\n", tool=TOOL).datatypes


ALIAS = "import Base\nimport ./tool.bend as Nat\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f() -> Nat:\n  Nat.double(1n)\n", 4),
        ("def f() -> Nat:\n  (1n * 2n : Nat)\n", 4),
        ("def f(x: Nat.double) -> Nat:\n  1n\n", 3),
        ("def f(x: Nat) -> Nat:\n  match x:\n    case x: 1n\n    case y: Nat.double\n", 6),
    ],
)
def test_a_name_that_means_two_things_is_refused(text: str, line: int) -> None:
    tool = "def double() -> Type:\n  Type\ndef mul() -> Type:\n  Type\n"
    assert refusal(ALIAS + text, tool=tool).place == ("name-clash", line)


def test_an_alias_spelled_as_a_prefix_still_reaches_both() -> None:
    tool = "def own() -> Type:\n  Type\n"
    text = ALIAS + "def f(Nat.mul: Nat) -> Nat:\n  g(Nat.own, Nat.double, Nat.none, Nat.mul)\n"
    definition = read(text, tool=tool + "def mul() -> Type:\n  Type\n").definitions["f"]
    assert definition.body is not None
    assert core_text(definition.body) == "(Nat.mul => g(tool:own, Nat.double, tool:none, Nat.mul))"


@pytest.mark.parametrize(
    "tool", ["type Maybe is Data:\n", "type M is Data:\n  None{}\n", "def Nat.double() -> Type:\n  Type\n"]
)
def test_a_module_may_use_bases_names_only_if_it_loads_before(tool: str) -> None:
    read("import ./tool.bend as T\nimport Base\n", tool=tool)
    assert refusal(MAIN, tool="import Base\n" + tool).category == "name-clash"


def test_constructors_have_a_table_of_their_own() -> None:
    read("import Base\ntype T is Data:\n  f{}\ndef f() -> T:\n  f{}\n")
    core = body("type T is Data:\n  K{}\ndef f() -> T:\n  g(K, K{})\n")
    assert core == "g(K, K{})"


CLAIMS = "import Base\nlaw vanish:\n  for n: Nat\n  Nat\n"


def test_a_law_is_filled_through_an_alias_once() -> None:
    main = MAIN + "def T.vanish(n):\n  T.vanish(n)\n"
    book = read(main, tool=CLAIMS)
    definition = book.definitions["tool:vanish"]
    assert definition.fill_module is book.entry
    assert definition.module.namespace == "tool"
    assert definition.body is not None
    assert core_text(definition.body) == "(n => tool:vanish(n))"
    assert refusal(main, tool=CLAIMS + "def vanish(n):\n  n\n").place == ("name-clash", 3)
    assert refusal(MAIN + "def vanish(n):\n  n\n", tool=CLAIMS).place == ("syntax", 3)


def test_todos_are_counted_by_module() -> None:
    book = read(MAIN + "def f() -> Nat:\n  ?TODO\n", tool="def g() -> Type:\n  [?TODO, ?TODO]\n")
    assert [module.todos for module in book.modules] == [0, 2, 1]


def test_errors_come_in_the_order_of_reading() -> None:
    """A file's imports are read before it, and each declaration whole before the next."""
    assert refusal("import ./tool.bend as T\ndef f(\n", tool="\ndef g(\n").place == ("syntax", 3)
    broken = "import Base\ndef f(n: Nat) -> Nat:\n  match n:\n    case None: 1n\ndef g(\n"
    assert refusal(broken).place == ("unknown-name", 4)
    scrutinee = "import Base\ndef f(n: Nat) -> Nat:\n  match Nat.double(n):\n    case x: 1n + 1n\ndef g(\n"
    assert refusal(scrutinee).place == ("scrutinee", 3)
    in_row = "import Base\ndef f(n: Nat) -> Nat:\n  match Nat.double(n):\n    case x: (\n"
    assert refusal(in_row).place == ("syntax", 5)
    block = "import Base\ndef f(n: Nat) -> Nat:\n  [x => match x:\n    case 0n: 1n\n, ,]"
    assert refusal(block).place == ("scrutinee", 3)
    clash = "import Base\ndef Nat.double(\n"
    assert refusal(clash).place == ("name-clash", 2)
