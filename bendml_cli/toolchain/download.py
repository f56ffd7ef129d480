"""One file over https: streamed, resumed where it broke off, retried, never waited for without end."""

from __future__ import annotations

import errno
import json
import random
import shutil
import time
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import requests
from urllib3.exceptions import HTTPError, ReadTimeoutError

from bendml_cli import __version__
from bendml_cli.errors import DownloadError
from bendml_cli.toolchain.progress import Watcher
from bendml_cli.toolchain.store import write_durably

_CHUNK = 1 << 18
_WORTH_RETRYING = {408, 425, 429, 500, 502, 503, 504}
#: However much each try brings: no server keeps us for ever.
_MOST_TRIES = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a source is given. `attempts` are those in a row that bring nothing new; `stall` is how many seconds
    may pass without a byte, `connect` without a connection; `backoff` is the first pause, doubled each time."""

    attempts: int = 4
    connect: float = 15.0
    stall: float = 45.0
    backoff: float = 1.0
    longest_pause: float = 60.0

    def pause(self, failures: int, asked_for: float = 0.0) -> float:
        """How many seconds to wait after so many failures in a row; at least what the server asked for."""
        backoff = self.backoff * 2.0 ** (failures - 1) * random.uniform(0.75, 1.25)
        return min(max(backoff, asked_for), self.longest_pause)


class _Broken(Exception):
    """A try that failed and may be made again. `pause` is what the server asked for."""

    def __init__(self, why: str, pause: float = 0.0) -> None:
        super().__init__(why)
        self.why = why
        self.pause = pause


def download(url: str, to: Path, *, size: int | None, pinned: bool, patience: Patience, watch: Watcher) -> None:
    """Fetch a URL into a file, going on from `to` with `.part` added where an earlier run left one.

    `pinned` says that a wrong mixture would be found out by its hash; a file that is not pinned is only resumed when
    the server vouches that it has not changed. Raises DownloadError, or OSError when the disk cannot take it.
    """
    part = to.with_name(to.name + ".part")
    failures = 0
    with requests.Session() as session:
        session.headers.update({"User-Agent": f"bendml/{__version__}", "Accept-Encoding": "identity"})
        for _ in range(_MOST_TRIES):
            before = _length(part)
            try:
                _try(session, url, part, size=size, pinned=pinned, patience=patience, watch=watch)
            except _Broken as broken:
                failures = 1 if _length(part) > before else failures + 1
                if failures >= patience.attempts:
                    raise DownloadError(f"{broken.why} ({failures} times)") from None
                pause = patience.pause(failures, broken.pause)
                watch.note(f"{broken.why}; trying again in {pause:.1f} s")
                time.sleep(pause)
            else:
                part.replace(to)
                _vouched_file(part).unlink(missing_ok=True)
                return
    raise DownloadError(f"it broke off {_MOST_TRIES} times")


def _try(
    session: requests.Session,
    url: str,
    part: Path,
    *,
    size: int | None,
    pinned: bool,
    patience: Patience,
    watch: Watcher,
) -> None:
    """One request. Raises _Broken, DownloadError and OSError."""
    have = _length(part)
    vouched = _vouched(part, url)
    if have and have == size:
        return
    if have and ((size is not None and have > size) or not (pinned or vouched)):
        part.unlink()
        have = 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    if have and vouched:
        headers["If-Range"] = vouched
    try:
        with session.get(url, headers=headers, stream=True, timeout=(patience.connect, patience.stall)) as response:
            for hop in (*response.history, response):
                if not hop.url.startswith("https:"):
                    raise DownloadError(f"it leads to {hop.url}, which is not https")
            if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                part.unlink(missing_ok=True)
                raise _Broken("what there was of it does not fit what the server has")
            _refuse_errors(response)
            if have and not _goes_on_from(response, have):
                have = 0
            total = _total(response, have)
            if size is not None and total is not None and total != size:
                part.unlink(missing_ok=True)
                raise DownloadError(f"it has {total} bytes there, and not {size}")
            if total is not None or size is not None:
                _refuse_without_room(part.parent, (size or total or 0) - have)
            watch.expect(size or total or 0)
            if not have:
                _remember_vouched(part, url, response)
            with part.open("ab" if have else "wb") as out:
                # `read1`: what has come is kept, also when the rest of a chunk never comes.
                while chunk := response.raw.read1(_CHUNK):
                    have += len(chunk)
                    if size is not None and have > size:
                        raise DownloadError(f"it does not end after {size} bytes")
                    out.write(chunk)
                    watch.at(have)
    except (requests.Timeout, ReadTimeoutError):
        raise _Broken("no answer" if not have else f"nothing more came after {have} bytes") from None
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError, HTTPError) as error:
        raise _Broken(_why(error, have)) from None
    except requests.RequestException as error:
        raise DownloadError(" ".join(str(error).split())) from None
    wanted = size or total
    if wanted is not None and have < wanted:
        raise _Broken(f"it broke off after {have} of {wanted} bytes")


def _refuse_errors(response: requests.Response) -> None:
    status = response.status_code
    if status < HTTPStatus.BAD_REQUEST:
        return
    what = f"the server answered {status} {response.reason or ''}".rstrip()
    if status in _WORTH_RETRYING:
        after = response.headers.get("Retry-After", "")
        raise _Broken(what, float(after) if after.isdecimal() else 0.0)
    raise DownloadError(what)


def _refuse_without_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise OSError(errno.ENOSPC, f"the disk is full: {needed} more bytes are needed and {free} are free")


def _goes_on_from(response: requests.Response, have: int) -> bool:
    """Whether an answer is the rest of a file, from just where ours ends."""
    return response.status_code == HTTPStatus.PARTIAL_CONTENT and response.headers.get("Content-Range", "").startswith(
        f"bytes {have}-"
    )


def _total(response: requests.Response, have: int) -> int | None:
    length = response.headers.get("Content-Length", "")
    return have + int(length) if length.isdecimal() else None


def _why(error: Exception, have: int) -> str:
    if isinstance(error, requests.exceptions.SSLError):
        return "the server's certificate does not hold"
    if have:
        return f"the connection broke after {have} bytes"
    cause: BaseException = error
    while cause.__cause__ is not None or cause.__context__ is not None:
        cause = cause.__cause__ or cause.__context__ or cause
    named = getattr(cause, "strerror", None)
    return f"no connection: {named}" if named else "no connection"


def _length(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _vouched_file(part: Path) -> Path:
    return part.with_name(part.name + ".from")


def _vouched(part: Path, url: str) -> str:
    """The server's mark for the version of the file that a part is of; empty when there is none."""
    try:
        known = json.loads(_vouched_file(part).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(known.get("mark", "")) if known.get("url") == url else ""


def _remember_vouched(part: Path, url: str, response: requests.Response) -> None:
    mark = response.headers.get("ETag", "")
    mark = response.headers.get("Last-Modified", "") if not mark or mark.startswith("W/") else mark
    write_durably(_vouched_file(part), json.dumps({"url": url, "mark": mark}))
