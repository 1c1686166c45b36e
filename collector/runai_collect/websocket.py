"""A program run in a container without kubectl: WebSocket (RFC 6455) with the API server's protocol v4.channel.k8s.io."""

import base64
import hashlib
import http.client
import json
import os
import socket
import threading
import time
from typing import Any, BinaryIO, Dict, Iterator

from .client import USER_AGENT
from .kubectl import STDERR_BYTES, Ran

_PROTOCOL = "v4.channel.k8s.io"
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_LARGEST = 1 << 20          # bytes of a message; API servers send 32 KiB
_STDOUT, _STDERR, _STATUS = 1, 2, 3
_CLOSE, _PING, _PONG = 8, 9, 10


def run_over(connection: http.client.HTTPConnection, path: str, timeout: float, most: int) -> Ran:
    """Run the program that an exec path names, bounded in seconds and bytes; the connection is closed after. What fails is said
    in kubectl's words, with exit code 1 as kubectl has it."""
    begin, code = time.monotonic(), None
    got = {_STDOUT: bytearray(), _STDERR: bytearray(), _STATUS: bytearray()}
    alarm = threading.Timer(timeout, shut, (connection,))
    alarm.start()
    try:
        for message in _messages(connection, _upgrade(connection, path)):
            got.get(message[0], bytearray()).extend(message[1:])
            del got[_STDERR][STDERR_BYTES:]
            if got[_STATUS] or len(got[_STDOUT]) > most:
                break
        code = _exit_code(_document(bytes(got[_STATUS]))) if len(got[_STDOUT]) <= most else None
    except (OSError, http.client.HTTPException, ValueError) as error:
        if time.monotonic() - begin < timeout:
            code = 1
            got[_STDERR] += str(error).encode("utf-8", "replace")
    alarm.cancel()
    connection.close()
    seconds, cut = time.monotonic() - begin, len(got[_STDOUT]) > most
    return Ran(code, bytes(got[_STDOUT][:most]), bytes(got[_STDERR]), seconds, code is None and not cut, cut)


def shut(connection: http.client.HTTPConnection) -> None:
    """End whatever is read from a connection now; from any thread."""
    try:
        socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)       # SSLSocket's own would cut a read in two
    except (OSError, TypeError):
        pass        # it is closed, or not open yet


def _upgrade(connection: http.client.HTTPConnection, path: str) -> BinaryIO:
    key = base64.b64encode(os.urandom(16))
    connection.putrequest("GET", path)
    for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                        ("Sec-WebSocket-Key", key.decode("ascii")), ("Sec-WebSocket-Protocol", _PROTOCOL),
                        ("User-Agent", USER_AGENT)):
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    if response.status != 101:
        told = _document(response.read1(1 << 16))
        raise OSError("Error from server (%s): %s" % (told.get("reason") or "HTTP %d" % response.status, told.get("message")))
    expected = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode("ascii")  # noqa: S324 - what RFC 6455 asks for
    if (response.getheader("Sec-WebSocket-Accept"), response.getheader("Sec-WebSocket-Protocol")) != (expected, _PROTOCOL):
        raise OSError("error: the server does not speak %s" % _PROTOCOL)
    return response.fp


def _messages(connection: http.client.HTTPConnection, stream: BinaryIO) -> Iterator[bytes]:
    """Yield whole messages, fragments joined, till the other side closes."""
    message = bytearray()
    while True:
        first, second = _take(stream, 2)
        size = int.from_bytes(_take(stream, {126: 2, 127: 8}[second]), "big") if second in (126, 127) else second
        if second > 127 or first & 0x70 or size + len(message) > _LARGEST:      # masked, extended, or too long
            raise OSError("error: the server sent what is no WebSocket frame")
        payload, kind = _take(stream, size), first & 15
        if kind in (_CLOSE, _PING):         # answered in kind, and masked, as a client must
            mask, payload = os.urandom(4), payload[:125]
            masked = bytes([byte ^ mask[place % 4] for place, byte in enumerate(payload)])
            connection.sock.sendall(bytes([0x80 | (_PONG if kind == _PING else _CLOSE), 0x80 | len(payload)]) + mask + masked)
        if kind == _CLOSE:
            return
        if kind < _CLOSE:
            message += payload
            if first & 0x80 and message:
                yield bytes(message)
                message.clear()


def _take(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise OSError("error: the connection broke before the program ended")
    return data


def _exit_code(status: Dict[str, Any]) -> int:
    """Return the program's exit code that a Status tells. Raises OSError when the program never ran."""
    causes = (status.get("details") or {}).get("causes") or []
    codes = [int(cause["message"]) for cause in causes if cause.get("reason") == "ExitCode"]
    if status.get("status") != "Success" and not codes:
        raise OSError("error: %s" % (status.get("message") or "the server did not say how the program ended"))
    return codes[0] if codes else 0


def _document(text: bytes) -> Dict[str, Any]:
    try:
        return dict(json.loads(text.decode("utf-8", "replace")))
    except (ValueError, TypeError):
        return {}
