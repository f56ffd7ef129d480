"""Downloads from servers that are good, broken, slow, changed and hostile."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bendml_cli.errors import DownloadError
from bendml_cli.toolchain.download import Patience, download
from tests.toolchain.made import HURRY, Answer, Noting, Served, cut, good, in_turn, stalled, status

DATA = os.urandom(600_000)


def fetch(url: str, to: Path, *, size: int | None = len(DATA), pinned: bool = True) -> Noting:
    watch = Noting()
    download(url, to, size=size, pinned=pinned, patience=HURRY, watch=watch)
    assert not list(to.parent.glob("*.part*")), "nothing is left beside it"
    return watch


@pytest.mark.parametrize("size", [len(DATA), None])
def test_good(served: Served, tmp_path: Path, size: int | None) -> None:
    fetch(served.put("/a", DATA), tmp_path / "a", size=size)
    assert (tmp_path / "a").read_bytes() == DATA


@pytest.mark.parametrize(
    ("answer", "notes"),
    [
        (in_turn(status(500), status(503), good(DATA)), ["the server answered 500", "the server answered 503"]),
        (in_turn(status(429, Retry_After=0), good(DATA)), ["the server answered 429"]),
        (in_turn(cut(DATA, 250_000), good(DATA)), ["the connection broke after 250000 bytes"]),
        (in_turn(stalled(DATA, 250_000), good(DATA)), ["nothing more came after"]),
        (in_turn(stalled(DATA, 0), good(DATA)), ["no answer"]),
        (in_turn(cut(DATA, 250_000), good(DATA, ranges=False)), ["the connection broke after 250000 bytes"]),
    ],
    ids=["500 twice", "429", "truncated", "stalled", "silent", "truncated, no ranges"],
)
def test_trouble_that_passes(served: Served, tmp_path: Path, answer: Answer, notes: list[str]) -> None:
    watch = fetch(served.put("/a", answer), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == DATA
    assert len(watch.notes) == len(notes)
    assert all(said.startswith(expected) for said, expected in zip(watch.notes, notes, strict=True)), watch.notes


def test_what_broke_off_goes_on_where_it_was(served: Served, tmp_path: Path) -> None:
    fetch(served.put("/a", in_turn(cut(DATA, 250_000), good(DATA))), tmp_path / "a")
    assert served.requests == [("/a", ""), ("/a", "bytes=250000-")]


def test_a_later_run_goes_on_where_an_earlier_one_was(served: Served, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(DATA[:123_456])
    fetch(served.put("/a", DATA), tmp_path / "a")
    assert served.requests == [("/a", "bytes=123456-")]
    assert (tmp_path / "a").read_bytes() == DATA


def test_a_part_that_is_whole_is_not_fetched_again(served: Served, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(DATA)
    fetch(served.put("/a", DATA), tmp_path / "a")
    assert served.requests == []


@pytest.mark.parametrize("part", [DATA + b"!", DATA], ids=["longer than the file", "as long, its size unknown"])
def test_a_part_that_does_not_fit_is_given_up(served: Served, tmp_path: Path, part: bytes) -> None:
    (tmp_path / "a.part").write_bytes(part)
    fetch(served.put("/a", DATA), tmp_path / "a", size=None)
    assert (tmp_path / "a").read_bytes() == DATA


def test_a_file_that_changed_meanwhile_is_fetched_whole(served: Served, tmp_path: Path) -> None:
    changed = os.urandom(len(DATA))
    url = served.put("/a", in_turn(cut(DATA, 250_000), good(changed, etag='"2"')))
    fetch(url, tmp_path / "a", size=None, pinned=False)
    assert (tmp_path / "a").read_bytes() == changed


def test_nothing_unpinned_is_resumed_that_the_server_does_not_vouch_for(served: Served, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(b"who knows what this is of")
    fetch(served.put("/a", DATA), tmp_path / "a", size=None, pinned=False)
    assert served.requests == [("/a", "")]
    assert (tmp_path / "a").read_bytes() == DATA


def test_redirect(served: Served, tmp_path: Path) -> None:
    served.put("/b", DATA)
    fetch(served.put("/a", status(302, Location="/b")), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == DATA


def test_redirect_out_of_https_is_refused(served: Served, plain: Served, tmp_path: Path) -> None:
    url = served.put("/a", status(302, Location=plain.put("/b", DATA)))
    with pytest.raises(DownloadError, match="which is not https"):
        fetch(url, tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("answer", "size", "why", "requests"),
    [
        (status(404), None, "^the server answered 404 Not Found$", 1),
        (status(500), None, r"^the server answered 500 Internal Server Error \(3 times\)$", 3),
        (stalled(DATA, 0), None, r"^no answer \(3 times\)$", 3),
        (good(DATA), 1000, "^it has 600000 bytes there, and not 1000$", 1),
        (good(DATA), 700_000, "^it has 600000 bytes there, and not 700000$", 1),
        (cut(DATA, 0), None, "no connection|broke", 3),
    ],
    ids=["404", "500", "silent", "too long", "too short", "empty"],
)
def test_trouble_that_stays(
    served: Served, tmp_path: Path, answer: Answer, size: int | None, why: str, requests: int
) -> None:
    began = time.monotonic()
    with pytest.raises(DownloadError, match=why):
        fetch(served.put("/a", answer), tmp_path / "a", size=size)
    assert len(served.requests) == requests
    assert time.monotonic() - began < 10
    assert not (tmp_path / "a").exists()


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"^no connection: Connection refused"):
        fetch("https://localhost:1/a", tmp_path / "a")


def test_a_server_that_nobody_vouches_for(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(DownloadError, match="certificate does not hold"):
        fetch(served.put("/a", DATA), tmp_path / "a")


def test_no_room(served: Served, tmp_path: Path) -> None:
    def huge(exchange: object, number: int) -> None:
        exchange.head(200, Content_Length=1 << 60)  # type: ignore[attr-defined]

    with pytest.raises(OSError, match="the disk is full: 1152921504606846976 more bytes are needed"):
        fetch(served.put("/a", huge), tmp_path / "a", size=None)


def test_pauses_grow_and_do_not_run_away() -> None:
    patience = Patience(backoff=1.0, longest_pause=60.0)
    assert 0.75 <= patience.pause(1) <= 1.25
    assert 3.0 <= patience.pause(3) <= 5.0
    assert patience.pause(30) == 60.0
    assert patience.pause(1, asked_for=10_000) == 60.0
