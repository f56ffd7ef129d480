"""Made archives, a lock of made artefacts, and a server of our own that serves them over https, well or badly."""

from __future__ import annotations

import gzip
import hashlib
import io
import ssl
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import trustme
import zstandard

from bendml_cli.toolchain.download import Patience
from bendml_cli.toolchain.lock import ANY, Artefact, Kind, Lock, Source, Unpack
from bendml_cli.toolchain.progress import Silent, Stage

HURRY = Patience(attempts=3, connect=5.0, stall=1.0, backoff=0.01)

#: What a made tool holds: its files under the folder `top`, one of them executable.
TOOL = {"top/bin/tool": b"#!/bin/sh\necho made\n", "top/lib/data": bytes(range(256)) * 1000, "README": b"not taken\n"}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def entry(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o755) -> Any:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode, info.size = kind, link, mode, len(data)
    return info, data


def tar(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for info, data in entries:
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tar_of(files: Mapping[str, bytes]) -> bytes:
    return tar(*(entry(name, data) for name, data in files.items()))


def packed(files: Mapping[str, bytes], kind: Kind) -> bytes:
    """An archive of some files."""
    match kind:
        case Kind.TAR_GZ:
            return gzip.compress(tar_of(files), mtime=0)
        case Kind.TAR_ZST:
            return zstandard.compress(tar_of(files))
        case _:
            return wheel(files)


def wheel(files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (modes or {}).get(name, 0o100755) << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def made(
    name: str,
    data: bytes,
    *sources: str | Source,
    kind: Kind = Kind.TAR_GZ,
    into: str | None = None,
    take: Mapping[str, str] | None = None,
    links: Mapping[str, str] | None = None,
    version: str = "1.0",
    sha256: str | None = "",
    size: int | None = None,
    form: Any = None,
) -> Artefact:
    """An artefact of the lock whose archive or file is `data`."""
    archive = kind is not Kind.FILE
    return Artefact(
        name=name,
        version=version,
        platform=ANY,
        role="made for a test",
        sources=[source if isinstance(source, Source) else Source(at=source) for source in sources],
        file=f"{name}.bin",
        into=into or name,
        size=size,
        sha256=sha(data) if sha256 == "" else sha256,
        unpack=Unpack(
            kind=kind,
            take=dict(take or {"top": "."}) if archive else {},
            links=dict(links or {}),
            limit=10_000_000 if archive else None,
            form=form,
        ),
    )


def lock_of(*artefacts: Artefact) -> Lock:
    return Lock(format="bendml-toolchain-1", artefacts=list(artefacts))


class Noting(Silent):
    """Remembers the stages and the notes."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, Stage]] = []
        self.notes: list[str] = []

    def stage(self, name: str, stage: Stage, detail: str = "") -> None:
        self.stages.append((name, stage))

    def note(self, text: str) -> None:
        self.notes.append(text)


class Exchange(BaseHTTPRequestHandler):
    """One request, with ways to answer it."""

    protocol_version = "HTTP/1.1"
    served: Served

    def do_GET(self) -> None:
        self.served.requests.append((self.path, self.headers.get("Range", "")))
        self.close_connection = True
        number = sum(path == self.path for path, _ in self.served.requests)
        self.served.routes.get(self.path, status(404))(self, number)

    def head(self, code: int, **headers: str | int) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


Answer = Callable[[Exchange, int], None]


def status(code: int, **headers: str | int) -> Answer:
    return lambda exchange, number: exchange.head(code, Content_Length=0, **headers)


def good(data: bytes, *, etag: str = '"1"', ranges: bool = True, pause: float = 0.0) -> Answer:
    """The whole, or the rest where a range is asked for of this very version."""

    def answer(exchange: Exchange, number: int) -> None:
        time.sleep(pause)
        asked, only_if = exchange.headers.get("Range", ""), exchange.headers.get("If-Range")
        if not ranges or not asked or (only_if is not None and only_if != etag):
            exchange.head(200, Content_Length=len(data), ETag=etag)
            exchange.wfile.write(data)
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        if start >= len(data):
            exchange.head(416, Content_Length=0)
            return
        rest = data[start:]
        content = f"bytes {start}-{len(data) - 1}/{len(data)}"
        exchange.head(206, Content_Length=len(rest), Content_Range=content, ETag=etag)
        exchange.wfile.write(rest)

    return answer


def cut(data: bytes, after: int) -> Answer:
    """Says that all of it comes, and ends early."""

    def answer(exchange: Exchange, number: int) -> None:
        exchange.head(200, Content_Length=len(data), ETag='"1"')
        exchange.wfile.write(data[:after])

    return answer


def stalled(data: bytes, after: int, seconds: float = 3.0) -> Answer:
    """Sends some of it, and then nothing."""

    def answer(exchange: Exchange, number: int) -> None:
        exchange.head(200, Content_Length=len(data), ETag='"1"')
        exchange.wfile.write(data[:after])
        exchange.wfile.flush()
        exchange.served.closing.wait(seconds)

    return answer


def in_turn(*answers: Answer) -> Answer:
    """Another answer each time; the last one for good."""
    return lambda exchange, number: answers[min(number, len(answers)) - 1](exchange, number)


@dataclass
class Served:
    """The server: what is served where, and what was asked for, with its Range."""

    url: str
    ca: Path
    routes: dict[str, Answer] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def put(self, path: str, answer: Answer | bytes) -> str:
        """Serve something, and answer its URL."""
        self.routes[path] = good(answer) if isinstance(answer, bytes) else answer
        return self.url + path


@contextmanager
def serving(folder: Path, *, tls: bool = True) -> Iterator[Served]:
    """A server on this machine; its certificate is vouched for by `ca`."""
    authority = trustme.CA()
    ca = folder / "ca.pem"
    authority.cert_pem.write_to_path(str(ca))
    handler = type("Handler", (Exchange,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    # A client that goes away is what some tests are about.
    server.handle_error = lambda *args: None  # type: ignore[method-assign]
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(context)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    served = Served(f"{'https' if tls else 'http'}://localhost:{server.server_address[1]}", ca)
    handler.served = served  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.closing.set()
        server.shutdown()
        server.server_close()
