"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from bendml_cli.tokenizer.whole import write_whole


def test_a_folder_is_made_and_a_file_replaced(tmp_path: Path) -> None:
    file = tmp_path / "new" / "file"
    for data in (b"some", b""):
        write_whole(file, data)
        assert file.read_bytes() == data
    assert [*file.parent.iterdir()] == [file]


@pytest.mark.parametrize("trouble", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_what_is_half_written_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: BaseException
) -> None:
    def half(file: Path, data: bytes) -> None:
        with file.open("wb") as out:
            out.write(data[:2])
        raise trouble

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(type(trouble)) as caught:
        write_whole(tmp_path / "file", b"some")
    assert [*tmp_path.iterdir()] == []
    if isinstance(caught.value, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "file"))
