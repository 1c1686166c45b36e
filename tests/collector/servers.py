"""A small server that misbehaves as told: the faults of real clusters that no healthy API server shows."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import TypeVar

from runai_collect.client import Client, Stop
from runai_collect.plan import Limits

Answer = Callable[["Handler"], None]
Server = TypeVar("Server", bound=HTTPServer)


class Handler(BaseHTTPRequestHandler):
    """Answers each request with the next of the server's answers, the last one again and again."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes
    server: "FaultServer"

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.paths.append(self.path)
            self.server.headers.append(dict(self.headers))
            answer = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        answer(self)

    def reply(self, status: int, body: bytes, kind: str = "application/json", length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class FaultServer(ThreadingHTTPServer):
    """Keeps what was asked in `paths` and `headers`."""

    daemon_threads = True

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()

    def client(self, stop: Stop | None = None, **limits: float) -> Client:
        bounds = Limits(requests_per_second=1000)._replace(**limits)
        return Client(lambda timeout: HTTPConnection("127.0.0.1", self.server_port, timeout=timeout), bounds, stop or Stop())


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Let a server serve in a thread of its own till the block ends."""
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def serving(*answers: Answer) -> AbstractContextManager[FaultServer]:
    return running(FaultServer(list(answers)))


def ok(body: bytes = b'{"kind":"X"}', **headers: str) -> Answer:
    return lambda handler: handler.reply(200, body, **headers)


def status(
    code: int, body: bytes = b'{"kind":"Status","message":"no"}', kind: str = "application/json", **headers: str
) -> Answer:
    return lambda handler: handler.reply(code, body, kind, **headers)


def cut(body: bytes, length: int) -> Answer:
    """Promises more than it sends, and closes."""

    def answer(handler: Handler) -> None:
        handler.reply(200, body, length=length)
        handler.close_connection = True

    return answer


def cut_chunk() -> Answer:
    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b'10\r\n{"kind":')
        handler.close_connection = True

    return answer


def drip(seconds: float, body: bytes = b'{"kind":"X"}') -> Answer:
    """Sends a byte now and then."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        for byte in body:
            time.sleep(seconds)
            try:
                handler.wfile.write(bytes([byte]))
                handler.wfile.flush()
            except OSError:
                return

    return answer


def silent(seconds: float) -> Answer:
    return lambda handler: time.sleep(seconds)
