"""Inside a pod, without kubectl: the API server over TLS, as the pod's own service account."""

import http.client
import os
import re
import socket
import ssl
import threading
import weakref
from typing import Any, Tuple

from .client import Client, Stop, UnreachableError
from .kubectl import Config, Ran
from .plan import Limits
from .websocket import exec_path, run_over

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"      # where every pod has it: token, ca.crt, namespace
_TOKEN = re.compile(rb"[A-Za-z0-9._~+/=-]+")


def is_pod() -> bool:
    """Return whether this runs in a pod that has a service account."""
    return bool(os.environ.get("KUBERNETES_SERVICE_HOST")) and os.path.exists(os.path.join(ACCOUNT, "token"))


class PodConnection(http.client.HTTPSConnection):
    """HTTPS to the API server, as the service account. No proxy variable counts here."""

    def connect(self) -> None:
        """Open the socket, and wait no longer for that than 10 seconds: it cannot be ended meanwhile."""
        patience, self.timeout = self.timeout, min(10.0, self.timeout or 10.0)
        super().connect()
        self.sock.settimeout(patience)

    def endheaders(self, *arguments: Any, **options: Any) -> None:
        """Send the request with the token as it is now: the kubelet renews it. Raises OSError, and never with the token."""
        token = _read("token").strip()
        if not _TOKEN.fullmatch(token):
            raise OSError("%s/token holds no token" % ACCOUNT)
        self.putheader("Authorization", b"Bearer " + token)
        super().endheaders(*arguments, **options)


class InPod:
    """The pod's service account as the way to the cluster. Use as a context manager, as ``Kubectl``."""

    def __init__(self, limits: Limits, stop: Stop) -> None:
        self._limits = limits
        self._stop = stop
        self._host = os.environ["KUBERNETES_SERVICE_HOST"]
        self._port = os.environ.get("KUBERNETES_SERVICE_PORT") or "443"
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._open = weakref.WeakSet()  # type: weakref.WeakSet[PodConnection]

    def __enter__(self) -> "InPod":
        try:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)        # verifies the server's certificate and its name
            # Not create_default_context: from 3.13 on that refuses authorities without a key identifier, as clusters have them.
            self._tls.load_verify_locations(os.path.join(ACCOUNT, "ca.crt"))
            self._namespace = _read("namespace").decode("utf-8", "replace").strip()
            self._number = int(self._port)
        except (OSError, ValueError) as error:
            raise UnreachableError("the service account of this pod cannot be used: %s" % error)
        threading.Thread(target=self._end_with_the_run, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.end()

    def config(self) -> Config:
        """Return where this is; the cluster has the name that the environment variable CLUSTER_NAME gives it."""
        host = "[%s]" % self._host if ":" in self._host else self._host
        return Config(os.environ.get("CLUSTER_NAME") or "in-cluster", "", self._namespace, "", "%s:%s" % (host, self._port))

    def start(self, server_path: str) -> Client:
        """Return a client; nothing was connected yet."""
        return Client(self.connect, self._limits, self._stop)

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        """Return a connection that opens with its first request."""
        connection = PodConnection(self._host, self._number, timeout=timeout, context=self._tls)
        with self._lock:
            self._open.add(connection)
        return connection

    def exec(self, namespace: str, pod: str, container: str, argv: Tuple[str, ...]) -> Ran:
        """Run a program in a container, without a shell, terminal or input. Bounded in time and output."""
        limits = self._limits
        ran = run_over(self.connect(limits.exec_timeout), exec_path(namespace, pod, container, argv), limits.exec_timeout,
                       limits.exec_output)
        self._stop.check()
        return ran

    def heard(self) -> str:
        """Return what a login plug-in said last: here there is none."""
        return ""

    def failure(self) -> str:
        """Return why no request can be answered any more: here nothing stands between."""
        return ""

    def end(self) -> None:
        """End every read. May be called more than once, and from any thread."""
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            try:
                socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)       # not SSLSocket's, which cuts a read in two
            except (OSError, AttributeError, TypeError):
                pass        # closed, or not open yet

    def _end_with_the_run(self) -> None:
        """End all reads as soon as the run is to end: nothing else wakes a thread in a read on which nothing comes."""
        while not self._over.wait(0.05):
            if self._stop.is_set():
                self.end()


def _read(name: str) -> bytes:
    with open(os.path.join(ACCOUNT, name), "rb") as file:
        return file.read(1 << 20)
