"""Inside a pod, without kubectl: the API server over TLS, as the pod's own service account."""

import http.client
import os
import re
import ssl
import threading
import weakref
from typing import Any, Tuple
from urllib.parse import urlencode

from .client import Client, Stop, UnreachableError
from .kubectl import Config, Ran, end_with_the_run
from .plan import Limits
from .websocket import run_over, shut

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
    """The pod's service account as the way to the cluster, as ``Kubectl``. Raises UnreachableError when it is not whole."""

    heard = ""          # no login plug-in speaks here

    def __init__(self, limits: Limits, stop: Stop) -> None:
        self._limits = limits
        self._stop = stop
        self._client = Client(self._connect, limits, stop)
        self._over = threading.Event()
        self._open = weakref.WeakSet()  # type: weakref.WeakSet[PodConnection]
        self._host = os.environ["KUBERNETES_SERVICE_HOST"]
        try:
            self._port = int(os.environ.get("KUBERNETES_SERVICE_PORT") or 443)
            self._namespace = _read("namespace").decode("utf-8", "replace").strip()
            # It verifies certificate and name. Not create_default_context, which from 3.13 on refuses the authorities of many
            # clusters, because they have no key identifier.
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self._tls.load_verify_locations(os.path.join(ACCOUNT, "ca.crt"))
        except (OSError, ValueError) as error:
            raise UnreachableError("the service account of this pod cannot be used: %s" % error)

    def __enter__(self) -> "InPod":
        end_with_the_run(self._stop, self._over, self.end)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.end()

    def config(self) -> Config:
        """Return where this is; the cluster has the name that the environment variable CLUSTER_NAME gives it."""
        host = "[%s]" % self._host if ":" in self._host else self._host
        return Config(os.environ.get("CLUSTER_NAME") or "in-cluster", "", self._namespace, "", "%s:%d" % (host, self._port))

    def start(self, server_path: str) -> Client:
        """Return a client; it connects with its first request."""
        return self._client

    def exec(self, namespace: str, pod: str, container: str, argv: Tuple[str, ...]) -> Ran:
        """Run a program in a container, without a shell, terminal or input. Bounded in time and output."""
        query = [("container", container), ("stdout", "true"), ("stderr", "true")] + [("command", word) for word in argv]
        path = "/api/v1/namespaces/%s/pods/%s/exec?%s" % (namespace, pod, urlencode(query))
        self._client.pace()
        timeout = self._limits.exec_timeout
        ran = run_over(self._connect(timeout), path, timeout, self._limits.exec_output)
        self._stop.check()
        return ran

    def end(self) -> None:
        """End every read. May be called more than once, and from any thread."""
        try:
            for connection in list(self._open):
                shut(connection)
        except RuntimeError:
            pass        # one was opened at this moment; the next turn comes to it

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        connection = PodConnection(self._host, self._port, timeout=timeout, context=self._tls)
        self._open.add(connection)
        return connection


def _read(name: str) -> bytes:
    with open(os.path.join(ACCOUNT, name), "rb") as file:
        return file.read(1 << 20)
