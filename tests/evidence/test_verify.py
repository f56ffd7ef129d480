"""Verification: an intact folder, and everything that can be done to one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bendml_cli.errors import NotEvidence
from bendml_cli.evidence.verify import verify
from tests.evidence.test_record import recorder, sealed


def write(path: Path, data: bytes) -> None:
    """Write over a read-only file and leave its mode as it was, as a forger would."""
    path.chmod(0o644)
    path.write_bytes(data)
    path.chmod(0o444)


def reseal(folder: Path) -> None:
    """Make SHA256SUMS right again after a change."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(folder).as_posix()}\n" for p in files]
    write(folder / "SHA256SUMS", "".join(lines).encode())


def change_a_byte(folder: Path) -> None:
    path = folder / "suites/s/case0/embedded/stdout"
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    write(path, bytes(data))


def remove_a_file(folder: Path) -> None:
    (folder / "suites/s/case0/embedded/stdout").unlink()


def add_a_file(folder: Path) -> None:
    (folder / "suites/s/new.txt").write_text("new")
    (folder / "suites/s/new.txt").chmod(0o444)


def change_a_permission(folder: Path) -> None:
    (folder / "results.jsonl").chmod(0o644)


def truncate_the_manifest(folder: Path) -> None:
    data = (folder / "manifest.json").read_bytes()
    write(folder / "manifest.json", data[: len(data) // 2])


def put_a_link_for_a_file(folder: Path) -> None:
    path = folder / "results.jsonl"
    path.rename(folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")


def put_a_link_for_a_folder(folder: Path) -> None:
    (folder / "suites").rename(folder.parent / "elsewhere")
    (folder / "suites").symlink_to(folder.parent / "elsewhere")


def add_an_empty_folder(folder: Path) -> None:
    (folder / "suites/new").mkdir()


def spoil_the_sums(folder: Path) -> None:
    path = folder / "SHA256SUMS"
    write(path, path.read_bytes() + b"nonsense\n")


@pytest.mark.parametrize(
    ("change", "file", "what"),
    [
        (change_a_byte, "suites/s/case0/embedded/stdout", "was changed"),
        (remove_a_file, "suites/s/case0/embedded/stdout", "is gone"),
        (add_a_file, "suites/s/new.txt", "was added"),
        (change_a_permission, "results.jsonl", "has mode 0644, was sealed 0444"),
        (truncate_the_manifest, "manifest.json", "was changed"),
        (truncate_the_manifest, "manifest.json", "is not valid"),
        (put_a_link_for_a_file, "results.jsonl", "is a symbolic link"),
        (put_a_link_for_a_folder, "suites", "is a symbolic link"),
        (spoil_the_sums, "SHA256SUMS", "is no digest and name"),
        (add_an_empty_folder, "suites/new", "is an empty folder"),
    ],
)
def test_a_change_is_found(tmp_path: Path, change: Callable[[Path], None], file: str, what: str) -> None:
    folder = sealed(tmp_path / "run")
    assert verify(folder).differences == []
    change(folder)
    found = verify(folder)
    assert not found.intact
    assert [d for d in found.differences if d.file == file and what in d.what], found.differences


def test_an_intact_folder(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "run")
    found = verify(folder)
    assert found.intact
    assert found.manifest is not None
    assert found.seal == hashlib.sha256((folder / "SHA256SUMS").read_bytes()).hexdigest()
    assert found.files == sum(path.is_file() for path in folder.rglob("*"))


def test_a_moved_folder_is_still_intact(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "run")
    folder.rename(tmp_path / "moved")
    assert verify(tmp_path / "moved").intact


def edit_json(path: Path, edit: Callable[[dict[str, object]], None]) -> None:
    data = json.loads(path.read_text())
    edit(data)
    write(path, json.dumps(data).encode())


@pytest.mark.parametrize(
    ("name", "edit", "what"),
    [
        ("manifest.json", {"verdict": "passed"}, "its verdict is 'passed', the results say 'failed'"),
        ("manifest.json", {"counts": {"passed": 4, "failed": 0, "error": 0, "skipped": 0}}, "its counts are not those"),
        ("manifest.json", {"suites": ["t"]}, "its suites are not those"),
        ("manifest.json", {"engines": [{"name": "bend", "version": "2.0.35"}]}, "its engines are not those"),
        ("manifest.json", {"ended": "2001-01-01T00:00:00Z"}, "the run does not end after it began"),
        ("manifest.json", {"started": "2001-01-01T00:00:00"}, "is not valid: started"),
        ("manifest.json", {"extra": 1}, "is not valid: extra"),
        ("manifest.json", {"format": "bendml-evidence-0"}, "is not valid: format"),
        ("attestation.json", {"_type": "https://in-toto.io/Statement/v0"}, "is not valid: _type"),
        ("attestation.json", {"subject": []}, "is not valid: subject"),
        ("suites/s/case1/embedded/report.json", {"verdict": "ALL PROOFS CHECK"}, "does not say 'SOME PROOFS FAIL'"),
    ],
)
def test_files_that_were_resealed_must_still_agree(
    tmp_path: Path, name: str, edit: dict[str, object], what: str
) -> None:
    folder = sealed(tmp_path / "run")
    edit_json(folder / name, lambda data: data.update(edit))
    reseal(folder)
    found = verify(folder)
    assert [d for d in found.differences if d.file == name and what in d.what], found.differences


def test_a_result_turned_into_a_pass_contradicts_the_attestation(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "run")
    path = folder / "results.jsonl"
    write(path, path.read_bytes().replace(b'"status":"failed"', b'"status":"passed"'))
    reseal(folder)
    found = {difference.file for difference in verify(folder).differences}
    assert found == {"manifest.json", "attestation.json", "junit.xml"}


def test_a_result_turned_in_junit_xml_alone_is_found(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "run")
    path = folder / "junit.xml"
    write(path, path.read_bytes().replace(b"<failure ", b"<skipped "))
    reseal(folder)
    assert [d.what for d in verify(folder).differences] == ["its results are not those of results.jsonl"]


def test_a_report_taken_away_or_put_in_is_found_in_spite_of_new_sums(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "run")
    (folder / "suites/s/case0").rename(folder / "suites/s/other")
    reseal(folder)
    found = {(d.file, d.what) for d in verify(folder).differences}
    assert ("suites/s/case0/embedded/report.json", "is gone") in found
    assert ("suites/s/other/embedded/report.json", "is of no check in results.jsonl") in found


@pytest.mark.parametrize("name", ["manifest.json", "results.jsonl", "attestation.json", "junit.xml"])
def test_a_file_that_was_never_there_is_missed(tmp_path: Path, name: str) -> None:
    folder = sealed(tmp_path / "run")
    (folder / name).unlink()
    reseal(folder)
    assert [d for d in verify(folder).differences if d.file == name and d.what == "is missing"]


def test_what_is_not_sealed_is_no_evidence(tmp_path: Path) -> None:
    recorder(tmp_path / "run").abandon()
    with pytest.raises(NotEvidence, match="is not sealed") as caught:
        verify(tmp_path / "run.partial")
    assert "interrupted" in caught.value.way_out
    with pytest.raises(NotEvidence, match="is no folder"):
        verify(tmp_path / "nothing")
