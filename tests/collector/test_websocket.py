"""Exec over WebSocket against a small server that speaks as told: frames, bounds, refusals."""

import base64
import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest
from runai_collect.kubectl import Ran
from runai_collect.websocket import run_over

Talk = Callable[["Peer"], None]
PATH = "/api/v1/namespaces/gpu-operator/pods/driver-1/exec?command=nvidia-smi"


class Peer:
    """The server's side of one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.received: list[tuple[int, bytes]] = []
        self.head = b""

    def read_head(self) -> dict[str, str]:
        while b"\r\n\r\n" not in self.head:
            self.head += self.socket.recv(4096)
        lines = self.head.decode().split("\r\n")[1:-2]
        return {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}

    def accept(self, protocol: str = "v4.channel.k8s.io", key: str = "") -> None:
        given = key or self.read_head()["sec-websocket-key"]
        digest = hashlib.sha1((given + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        answer = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
        answer += [f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}", f"Sec-WebSocket-Protocol: {protocol}"]
        self.socket.sendall("\r\n".join([*answer, "", ""]).encode())

    def send(self, payload: bytes, kind: int = 2, last: bool = True) -> None:
        size = len(payload)
        length = bytes([size]) if size < 126 else b"\x7f" + size.to_bytes(8, "big")
        if 126 <= size <= 0xFFFF:
            length = b"\x7e" + size.to_bytes(2, "big")
        self.socket.sendall(bytes([kind | (0x80 if last else 0)]) + length + payload)

    def say(self, channel: int, text: bytes) -> None:
        self.send(bytes([channel]) + text)

    def status(self, **fields: object) -> None:
        self.say(3, json.dumps({"kind": "Status", **fields}).encode())

    def exit(self, code: int) -> None:
        cause = {"reason": "ExitCode", "message": str(code)}
        self.status(status="Failure", reason="NonZeroExitCode", message="command terminated", details={"causes": [cause]})

    def read_frame(self) -> tuple[int, bytes]:
        """A client's frame: its first byte and its payload, which must be masked."""
        first, second = self._exactly(2)
        assert second & 0x80
        mask, masked = self._exactly(4), self._exactly(second & 0x7F)
        return first, bytes(byte ^ mask[place % 4] for place, byte in enumerate(masked))

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "the client is gone"
            data += part
        return data


@contextmanager
def talking(talk: Talk) -> Iterator[HTTPConnection]:
    """A connection whose other end talks."""
    listener = socket.create_server(("127.0.0.1", 0))
    failed: list[BaseException] = []

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            try:
                talk(Peer(connection))
            except OSError:
                pass  # the client had enough
            except BaseException as error:
                failed.append(error)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=5)
    finally:
        thread.join(10)
        listener.close()
    assert failed == []


def run(talk: Talk, timeout: float = 5.0, most: int = 1 << 20) -> Ran:
    with talking(talk) as connection:
        return run_over(connection, PATH, timeout, most)


def test_output_error_and_exit_code_are_kept_apart() -> None:
    heads = []

    def talk(peer: Peer) -> None:
        heads.append(peer.read_head())
        peer.accept()
        for channel in (1, 2, 3):
            peer.say(channel, b"")  # as the API server begins
        peer.say(1, b"out")
        peer.say(2, b"err")
        peer.say(1, b"put")
        peer.exit(9)

    ran = run(talk)
    assert (ran.code, ran.stdout, ran.stderr, ran.timed_out, ran.cut) == (9, b"output", b"err", False, False)
    head = heads[0]
    assert (head["sec-websocket-protocol"], head["sec-websocket-version"]) == ("v4.channel.k8s.io", "13")
    assert len(base64.b64decode(head["sec-websocket-key"])) == 16
    assert head["user-agent"].startswith("runai-collect/")


def test_success_is_zero_and_the_first_bytes_may_come_with_the_head() -> None:
    def talk(peer: Peer) -> None:
        key = peer.read_head()["sec-websocket-key"]
        held: list[bytes] = []
        real, peer.socket = peer.socket, Held(held)  # type: ignore[assignment]
        peer.accept(key=key)
        peer.say(1, b"all")
        peer.status(status="Success")
        real.sendall(b"".join(held))

    ran = run(talk)
    assert (ran.code, ran.stdout) == (0, b"all")


class Held:
    """Keeps what is sent, so that it leaves in one piece."""

    def __init__(self, held: list[bytes]) -> None:
        self.held = held

    def sendall(self, data: bytes) -> None:
        self.held.append(data)


@pytest.mark.parametrize("size", [125, 126, 65535, 65536, 300_000])
def test_frames_of_every_length(size: int) -> None:
    def talk(peer: Peer) -> None:
        peer.accept()
        peer.say(1, b"x" * (size - 1))
        peer.status(status="Success")

    assert run(talk).stdout == b"x" * (size - 1)


def test_fragments_are_joined_also_around_a_ping_that_is_answered() -> None:
    answers = []

    def talk(peer: Peer) -> None:
        peer.accept()
        peer.send(b"\x01one ", last=False)
        peer.send(b"are you there", kind=9)
        answers.append(peer.read_frame())
        peer.send(b"two ", kind=0, last=False)
        peer.send(b"three", kind=0)
        peer.send(b"unasked", kind=10)
        peer.status(status="Success")

    assert run(talk).stdout == b"one two three"
    assert answers == [(0x8A, b"are you there")]


def test_a_close_is_answered_and_is_no_success() -> None:
    answers = []

    def talk(peer: Peer) -> None:
        peer.accept()
        peer.say(1, b"half")
        peer.send((1001).to_bytes(2, "big") + b"going away", kind=8)
        answers.append(peer.read_frame())

    ran = run(talk)
    assert (ran.code, ran.stdout, ran.timed_out) == (1, b"half", False)
    assert ran.stderr == b"error: the server did not say how the program ended"
    assert answers == [(0x88, (1001).to_bytes(2, "big") + b"going away")]


def test_a_broken_connection_is_no_success() -> None:
    ran = run(lambda peer: (peer.accept(), peer.say(1, b"half"))[0])
    assert (ran.code, ran.stderr) == (1, b"error: the connection broke before the program ended")


def test_a_program_that_could_not_be_started_is_kubectls_error() -> None:
    def talk(peer: Peer) -> None:
        peer.accept()
        peer.status(status="Failure", reason="InternalError", message="Internal error occurred: no such container")

    ran = run(talk)
    assert (ran.code, ran.stderr) == (1, b"error: Internal error occurred: no such container")


@pytest.mark.parametrize("bad", [b"\x82\x85mask12345", b"\xc2\x02xx", b"\x82\x7f" + b"\x00\x00\x00\x7f\xff\xff\xff\xff"])
def test_masked_extended_and_endless_frames_are_refused(bad: bytes) -> None:
    ran = run(lambda peer: (peer.accept(), peer.socket.sendall(bad + b"x" * 100))[0])
    assert (ran.code, ran.stderr) == (1, b"error: the server sent what is no WebSocket frame")


def test_what_prints_without_end_is_ended() -> None:
    def talk(peer: Peer) -> None:
        peer.accept()
        while True:
            peer.say(1, b"x" * 30000)

    ran = run(talk, most=100_000)
    assert (ran.code, ran.cut, len(ran.stdout), ran.timed_out) == (None, True, 100_000, False)


def test_errors_are_bounded_too() -> None:
    def talk(peer: Peer) -> None:
        peer.accept()
        for _ in range(10):
            peer.say(2, b"e" * 30000)
        peer.exit(3)

    ran = run(talk)
    assert (ran.code, len(ran.stderr)) == (3, 64 << 10)


@pytest.mark.parametrize("talk", ["silent", "after the head", "dripping", "pinging"])
def test_what_hangs_is_ended_in_time(talk: str) -> None:
    def speak(peer: Peer) -> None:
        peer.read_head()
        if talk != "silent":
            peer.accept()
        until = time.monotonic() + 6
        while time.monotonic() < until:
            if talk == "dripping":
                peer.socket.sendall(b"\x82\x7e\xff\xff" if peer.received == [] else b"x")
                peer.received.append((0, b""))
            if talk == "pinging":
                peer.send(b"?", kind=9)
            peer.socket.settimeout(0.1)
            try:
                if not peer.socket.recv(1000):
                    return
            except TimeoutError:
                pass

    begin = time.monotonic()
    with talking(speak) as connection:
        connection.timeout = 1.0
        ran = run_over(connection, PATH, 1.0, 1000)
        assert time.monotonic() - begin < 3
    assert (ran.code, ran.timed_out) == (None, True)


def test_a_server_of_another_protocol_is_told() -> None:
    ran = run(lambda peer: peer.accept("v5.channel.k8s.io"))
    assert (ran.code, ran.stderr) == (1, b"error: the server does not speak v4.channel.k8s.io")
    ran = run(lambda peer: (peer.read_head(), peer.accept(key="another"))[0])
    assert (ran.code, ran.stderr) == (1, b"error: the server does not speak v4.channel.k8s.io")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            b'HTTP/1.1 403 Forbidden\r\nContent-Length: 55\r\n\r\n{"reason":"Forbidden","message":"pods p is forbidden"}  ',
            b"Error from server (Forbidden): pods p is forbidden",
        ),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>", b"Error from server (HTTP 502): None"),
    ],
)
def test_a_refusal_is_said_as_kubectl_says_it(answer: bytes, said: bytes) -> None:
    ran = run(lambda peer: (peer.read_head(), peer.socket.sendall(answer))[0])
    assert (ran.code, ran.stderr) == (1, said)
