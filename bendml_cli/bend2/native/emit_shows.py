"""The table by which main's value is shown, in C (runtime/show.h)."""

from __future__ import annotations

from bendml_cli.bend2.native.show_table import ShowEntry


def show_tables(entries: list[ShowEntry]) -> tuple[list[str], str]:
    """The definitions of a table and of its parts, and its name."""
    lines: list[str] = []
    rows: list[str] = []
    for at, entry in enumerate(entries):
        parts = ", ".join(map(str, [*entry.parts, 0, 0][:2]))
        constructors = choice = "NULL"
        if entry.constructors:
            constructors = f"show{at}"
            made = []
            for which, each in enumerate(entry.constructors):
                fields, live = f"show{at}_fields{which}", f"show{at}_live{which}"
                if each.fields:
                    lines.append(f"static const uint32_t {fields}[] = {{{', '.join(map(str, each.fields))}}};")
                    lines.append(f"static const uint8_t {live}[] = {{{', '.join(str(int(f)) for f in each.live)}}};")
                else:
                    fields = live = "NULL"
                made.append(f"{{{c_string(each.name)}, {len(each.fields)}, {fields}, {live}}}")
            lines.append(f"static const b_show_constructor {constructors}[] = {{{', '.join(made)}}};")
        if entry.kind == "choice":
            choice = f"&show{at}"
            for name, numbers in (("path", entry.path), ("entries", entry.parts)):
                lines.append(f"static const uint32_t show{at}_{name}[] = {{{', '.join(map(str, numbers))}}};")
            counts = f"{len(entry.path)}, show{at}_path, {len(entry.parts)}, show{at}_entries"
            lines.append(f"static const b_show_choice show{at} = {{{counts}}};")
        text = c_string(entry.text)
        rows.append(f"  {{B_SHOW_{entry.kind.upper()}, {{{parts}}}, {constructors}, {choice}, {text}}},")
    return [*lines, "static const b_show_entry shows[] = {", *rows, "};"], "shows"


def c_string(text: str) -> str:
    """A C string literal of a text's UTF-8."""
    return '"' + "".join(_escaped(byte) for byte in text.encode()) + '"'


def _escaped(byte: int) -> str:
    plain = chr(byte)
    return plain if 32 <= byte < 127 and plain not in '"\\?' else f"\\{byte:03o}"
