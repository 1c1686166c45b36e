"""A program run in a container without kubectl: WebSocket (RFC 6455) with the API server's protocol v4.channel.k8s.io."""

import base64
import hashlib
import http.client
import json
import os
import socket
import time
from typing import Any, Iterator, Tuple
from urllib.parse import urlencode

from .client import USER_AGENT
from .kubectl import STDERR_BYTES, Ran

_PROTOCOL = "v4.channel.k8s.io"
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_FRAME = 1 << 20            # bytes of the largest frame or message that is taken; API servers send 32 KiB
_STDOUT, _STDERR, _STATUS = 1, 2, 3
_CLOSE, _PING = 8, 9


def exec_path(namespace: str, pod: str, container: str, argv: Tuple[str, ...]) -> str:
    """Return the API path that runs a program in a container."""
    query = [("container", container), ("stdout", "true"), ("stderr", "true")] + [("command", word) for word in argv]
    return "/api/v1/namespaces/%s/pods/%s/exec?%s" % (namespace, pod, urlencode(query))


def run_over(connection: http.client.HTTPConnection, path: str, timeout: float, most: int) -> Ran:
    """Run the program of an ``exec_path``, bounded in seconds and bytes; the connection is closed after. What fails is said in
    kubectl's words, with exit code 1 as kubectl has it."""
    begin = time.monotonic()
    got = {_STDOUT: bytearray(), _STDERR: bytearray(), _STATUS: bytearray()}
    timed_out, code = False, None
    try:
        for message in _messages(connection, _upgrade(connection, path), begin + timeout):
            kept = got.get(message[0] if message else 0)
            if kept is not None:
                kept += message[1:]
            del got[_STDERR][STDERR_BYTES:]
            if got[_STATUS] or len(got[_STDOUT]) > most:
                break
        if len(got[_STDOUT]) <= most:
            code = _exit_code(bytes(got[_STATUS]))
    except socket.timeout:
        timed_out = True
    except (OSError, http.client.HTTPException) as error:
        code = 1
        got[_STDERR] += str(error).encode("utf-8", "replace")
    finally:
        connection.close()
    return Ran(code, bytes(got[_STDOUT][:most]), bytes(got[_STDERR]), time.monotonic() - begin, timed_out,
               len(got[_STDOUT]) > most)


def _upgrade(connection: http.client.HTTPConnection, path: str) -> http.client.HTTPResponse:
    key = base64.b64encode(os.urandom(16))
    connection.putrequest("GET", path)
    for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                        ("Sec-WebSocket-Key", key.decode("ascii")), ("Sec-WebSocket-Protocol", _PROTOCOL),
                        ("User-Agent", USER_AGENT)):
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    if response.status != 101:
        raise OSError(_refusal(response.status, response.read1(1 << 16)))
    expected = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode("ascii")  # noqa: S324 - what RFC 6455 asks for
    if (response.getheader("Sec-WebSocket-Accept"), response.getheader("Sec-WebSocket-Protocol")) != (expected, _PROTOCOL):
        raise OSError("error: the server does not speak %s" % _PROTOCOL)
    return response


def _messages(connection: http.client.HTTPConnection, response: http.client.HTTPResponse, until: float) -> Iterator[bytes]:
    """Yield whole messages, fragments joined, till the other side closes."""
    buffer, message = bytearray(), bytearray()

    def take(count: int) -> bytes:
        while len(buffer) < count:
            connection.sock.settimeout(max(0.001, until - time.monotonic()))
            part = response.fp.read1(1 << 16) if time.monotonic() < until else None
            if part is None:
                raise socket.timeout()
            if not part:
                raise OSError("error: the connection broke before the program ended")
            buffer.extend(part)
        taken = bytes(buffer[:count])
        del buffer[:count]
        return taken

    while True:
        first, second = take(2)
        length = int.from_bytes(take({126: 2, 127: 8}[second]), "big") if second in (126, 127) else second
        if second > 127 or first & 0x70 or length + len(message) > _FRAME:      # masked, extended, or too long
            raise OSError("error: the server sent what is no WebSocket frame")
        payload, kind = take(length), first & 15
        if kind in (_CLOSE, _PING):
            _answer(connection, kind, payload[:125])
        if kind == _CLOSE:
            return
        if kind < _CLOSE:
            message += payload
            if first & 0x80:
                yield bytes(message)
                message.clear()


def _answer(connection: http.client.HTTPConnection, kind: int, payload: bytes) -> None:
    """Send a close for a close, a pong for a ping: masked, as a client must."""
    mask = os.urandom(4)
    masked = bytes([byte ^ mask[place % 4] for place, byte in enumerate(payload)])
    connection.sock.sendall(bytes([0x80 | (kind if kind == _CLOSE else kind + 1), 0x80 | len(payload)]) + mask + masked)


def _exit_code(status: bytes) -> int:
    """Return the program's exit code that a Status holds. Raises OSError when it never ran."""
    document = _status(status)
    if document.get("status") == "Success":
        return 0
    causes = (document.get("details") or {}).get("causes") or []
    codes = [str(cause.get("message")) for cause in causes if cause.get("reason") == "ExitCode"]
    if codes and codes[0].isdigit():
        return int(codes[0])
    raise OSError("error: %s" % (document.get("message") or "the server did not say how the program ended"))


def _refusal(code: int, body: bytes) -> str:
    document = _status(body)
    return "Error from server (%s): %s" % (document.get("reason") or "HTTP %d" % code, document.get("message") or "no exec")


def _status(text: bytes) -> Any:
    try:
        document = json.loads(text.decode("utf-8", "replace"))
    except ValueError:
        document = None
    return document if isinstance(document, dict) else {}
