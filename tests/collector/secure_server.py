"""A server over TLS that answers all requests alike."""

import socket
import ssl
import threading
from contextlib import AbstractContextManager
from http.server import ThreadingHTTPServer
from pathlib import Path

from tests.cluster.certificates import Certificates
from tests.collector.servers import Answer, Handler, running


class SecureServer(ThreadingHTTPServer):
    """A server over TLS that answers all alike, and keeps the Authorization headers."""

    daemon_threads = True

    def __init__(self, keys: Certificates, answer: Answer, address: str, clients: Path | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(keys.server, keys.server_key)
        if clients is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.answers, self.lock = [answer], threading.Lock()
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that refuses the certificate is no error here."""


def secure(
    keys: Certificates, answer: Answer, address: str = "127.0.0.1", clients: Path | None = None
) -> AbstractContextManager[SecureServer]:
    """`clients`: the authority of the certificates that clients must show, None where they need none."""
    return running(SecureServer(keys, answer, address, clients))
