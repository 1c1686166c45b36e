"""The recording proxy between kubectl and the API server: TLS on both sides, one JSON line for each request.

Run by its path, so it imports the standard library only:

    python proxy.py --upstream-port P --authority CA --certificate PEM --key KEY --record FILE --control FILE

It listens on a free port of 127.0.0.1 and prints it. The control file, JSON, is read again at each request:
`{"version": {…}}` is merged into the answer of /version; with `{"hold": "PATTERN"}` requests whose path has it wait until the
file says so no more, and a file `held` beside it tells that one waits. `GET /.recorded` of its own answers when no request runs.
"""

import argparse
import asyncio
import json
import re
import ssl
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

HEAD_LIMIT = 1 << 20  # bytes of a request's or answer's head
PIECE = 1 << 16
SNIFFED = 1 << 18  # bytes of an answer that are kept to look for its kind
SETTLE = 5.0  # seconds that /.recorded waits for running requests: a watch may run for ever
FIRST_KIND = re.compile(rb'^\s*\{\s*(?:"apiVersion"\s*:\s*"[^"]*"\s*,\s*)?"kind"\s*:\s*"([A-Za-z]+)"')


@dataclass(frozen=True)
class Settings:
    upstream_port: int
    record: Path
    control: Path
    upstream_tls: ssl.SSLContext


@dataclass(frozen=True)
class Head:
    """The first line and the headers of a request or an answer, as they came."""

    line: str
    headers: list[tuple[str, str]]

    def get(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    def without(self, *names: str) -> "Head":
        return Head(self.line, [(key, value) for key, value in self.headers if key.lower() not in names])

    def encode(self) -> bytes:
        lines = [self.line, *(f"{key}: {value}" for key, value in self.headers)]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@dataclass
class Entry:
    """One line of the recording. `bytes` is the answer's body without its chunk marks."""

    method: str
    path: str
    headers: dict[str, str]
    status: int = 0
    content_type: str = ""
    kind: str | None = None
    bytes: int = 0
    upgraded: bool = False
    aborted: bool = False


@dataclass
class Stream:
    """Both directions of one connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def close(self) -> None:
        self.writer.close()
        await self.closed()

    async def closed(self) -> None:
        with suppress(OSError):  # what ended it is of no interest here
            await self.writer.wait_closed()


@dataclass
class Proxy:
    settings: Settings
    running: int = 0
    idle: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of a client, with one of our own to the server."""
        client, server = Stream(reader, writer), None
        gone = asyncio.create_task(client.closed())
        try:
            while (request := await read_head(client.reader)) is not None:
                if request.line.startswith("GET /.recorded "):
                    await self._wait_and_answer(client)
                    continue
                server = server or await self._connect()
                forward = asyncio.create_task(self._forward(request, client, server))
                await asyncio.wait([forward, gone], return_when=asyncio.FIRST_COMPLETED)
                forward.cancel()  # does nothing if it is done; else the client left, as those who watch do
                if not await forward:
                    break
        except (
            OSError,
            EOFError,
            ValueError,
            asyncio.CancelledError,
        ):  # either side went away, or spoke no HTTP; the entry says "aborted"
            pass
        finally:
            for stream in (client, server):
                if stream is not None:
                    await stream.close()

    async def _connect(self) -> Stream:
        port, tls = self.settings.upstream_port, self.settings.upstream_tls
        return Stream(*await asyncio.open_connection("127.0.0.1", port, ssl=tls, limit=HEAD_LIMIT))

    async def _wait_and_answer(self, client: Stream) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._until_idle(), SETTLE)
        await client.send(b"HTTP/1.1 204 No Content\r\n\r\n")

    async def _until_idle(self) -> None:
        while self.running:
            self.idle.clear()
            await self.idle.wait()

    async def _forward(self, request: Head, client: Stream, server: Stream) -> bool:
        """Whether the connection can take another request."""
        method, path, _ = request.line.split(" ", 2)
        entry = Entry(method, path, {key: mask(key, value) for key, value in request.headers}, aborted=True)
        self.running += 1
        try:
            await self._hold(path)
            return await Exchange(request, entry, client, server, read_control(self.settings.control)).run()
        finally:
            with self.settings.record.open("a") as record:
                record.write(json.dumps(asdict(entry)) + "\n")
            self.running -= 1
            self.idle.set()

    async def _hold(self, path: str) -> None:
        while (pattern := read_control(self.settings.control).get("hold")) and re.search(pattern, path):
            self.settings.control.with_name("held").touch()
            await asyncio.sleep(0.02)


@dataclass
class Exchange:
    """One request and its answer."""

    request: Head
    entry: Entry
    client: Stream
    server: Stream
    control: dict[str, Any]

    async def run(self) -> bool:
        version = self.control.get("version") if self.entry.path.split("?")[0] == "/version" else None
        head = self.request.without("accept-encoding") if version else self.request
        await self.server.send(head.encode())
        async for piece, _ in body_of(self.request, is_framed(self.request), self.client.reader):
            await self.server.send(piece)
        answer = await self._answer_head()
        if self.entry.status == 101:
            await self.client.send(answer.encode())
            self.entry.upgraded, self.entry.aborted = True, False  # such a connection ends when one side closes it
            await self._relay()
            return False
        has_body = self.entry.method != "HEAD" and self.entry.status not in (204, 304)
        if version and self.entry.status == 200:
            await self._rewrite(answer, version)
        else:
            await self._pass_on(answer, has_body)
        self.entry.aborted = False
        closing = {self.request.get("connection").lower(), answer.get("connection").lower()}
        return "close" not in closing and (not has_body or is_framed(answer))

    async def _answer_head(self) -> Head:
        while True:
            answer = await read_head(self.server.reader)
            if answer is None:
                raise EOFError("the server closed the connection")
            self.entry.status = int(answer.line.split(" ")[1])
            if self.entry.status == 101 or self.entry.status >= 200:
                self.entry.content_type = answer.get("content-type")
                return answer
            await self.client.send(answer.encode())  # 100 Continue and its like

    async def _pass_on(self, answer: Head, has_body: bool) -> None:
        await self.client.send(answer.encode())
        kept = bytearray()
        async for piece, content in body_of(answer, has_body, self.server.reader):
            self.entry.bytes += len(content)
            kept += content[: SNIFFED - len(kept)]
            await self.client.send(piece)
        self.entry.kind = kind_of(answer, bytes(kept))

    async def _rewrite(self, answer: Head, merge: dict[str, Any]) -> None:
        content = b"".join([content async for _, content in body_of(answer, True, self.server.reader)])
        changed = json.dumps({**json.loads(content), **merge}, indent=2).encode()
        self.entry.bytes = len(changed)
        head = answer.without("content-length", "transfer-encoding")
        head.headers.append(("Content-Length", str(len(changed))))
        await self.client.send(head.encode() + changed)

    async def _relay(self) -> None:
        """Both directions of an upgraded connection, until one of them ends: then all that came is passed on."""
        tasks = [
            asyncio.create_task(self._pump(self.client, self.server, counted=False)),
            asyncio.create_task(self._pump(self.server, self.client, counted=True)),
        ]
        _, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _pump(self, source: Stream, target: Stream, counted: bool) -> None:
        while data := await source.reader.read(PIECE):
            if counted:
                self.entry.bytes += len(data)
            await target.send(data)


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """None: the other side closed the connection between two messages."""
    try:
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError as cut:
        if cut.partial:
            raise
        return None
    line, *rest = text[:-4].split("\r\n")
    pairs = (header.partition(":") for header in rest)
    return Head(line, [(name, value.strip()) for name, _, value in pairs])


def is_framed(head: Head) -> bool:
    return bool(head.get("content-length") or head.get("transfer-encoding"))


async def body_of(head: Head, has_body: bool, reader: asyncio.StreamReader) -> Any:
    """Pairs, as they come: the bytes to pass on, and what of them is content."""
    if not has_body:
        return
    if head.get("transfer-encoding").lower() == "chunked":
        async for pair in chunks(reader):
            yield pair
    elif head.get("content-length"):
        left = int(head.get("content-length"))
        while left:
            data = await reader.read(min(left, PIECE))
            if not data:
                raise EOFError("the body is cut")
            left -= len(data)
            yield data, data
    else:
        while data := await reader.read(PIECE):
            yield data, data


async def chunks(reader: asyncio.StreamReader) -> Any:
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        if size == 0:
            while line != b"\r\n":  # trailers, then the empty line
                yield line, b""
                line = await reader.readuntil(b"\r\n")
            yield line, b""
            return
        data = await reader.readexactly(size)
        yield line + data + await reader.readexactly(2), data


def mask(name: str, value: str) -> str:
    return "***" if name.lower() == "authorization" else value


def kind_of(answer: Head, content: bytes) -> str | None:
    """The top-level kind of a JSON answer; None: no JSON, no kind, or a long answer that names it late."""
    if not answer.get("content-type").startswith("application/json"):
        return None
    if answer.get("content-encoding") == "gzip":
        content = zlib.decompressobj(wbits=31).decompress(content, SNIFFED)
    if found := FIRST_KIND.match(content):
        return found[1].decode()
    with suppress(ValueError):
        parsed = json.loads(content)
        return parsed.get("kind") if isinstance(parsed, dict) else None
    return None


def read_control(path: Path) -> dict[str, Any]:
    try:
        control: dict[str, Any] = json.loads(path.read_bytes())
        return control
    except FileNotFoundError:
        return {}


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--upstream-port", type=int, required=True)
    for name in ("--authority", "--certificate", "--key", "--record", "--control"):
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(options.certificate, options.key)
    upstream_tls = ssl.create_default_context(cafile=options.authority)
    proxy = Proxy(Settings(options.upstream_port, options.record, options.control, upstream_tls))
    listener = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=tls, limit=HEAD_LIMIT)
    print(listener.sockets[0].getsockname()[1], flush=True)
    await listener.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
