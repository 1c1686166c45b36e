"""The cluster: etcd, kube-apiserver, fake kubelet and recording proxy, started and ended together."""

import base64
import json
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self

from tests.cluster import process
from tests.cluster.binaries import Binaries
from tests.cluster.certificates import make_certificates
from tests.cluster.client import Client, Object

USERS = ("admin", "viewer", "podreader", "collector")  # all but admin may do nothing until a test gives them a role
CLUSTER = "acme-gpu"  # the cluster's and the context's name in kubeconfigs
START_TRIES = 3  # a free port may be taken between looking and listening
READY_SECONDS = 180  # ready in 6 to 8 s alone; machines of CI are busy

Via = Literal["proxy", "direct"]


class Cluster:
    """A context manager. All in a folder of its own, all on 127.0.0.1, all ended with it.

    There are no controllers: nothing schedules pods, makes them for a Deployment or empties a namespace that is deleted.
    """

    def __init__(self, binaries: Binaries) -> None:
        self.binaries = binaries
        self._tokens = {user: secrets.token_hex(16) for user in USERS}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._clients: dict[tuple[str, Via], Client] = {}
        self._control: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="cluster-"))
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for running in self._processes.values():
            process.end(running)
        self._processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def client(self) -> Client:
        """The administrator's, straight to the API server: nothing of it is in the recording."""
        return self.client_for("admin")

    def client_for(self, user: str, via: Via = "direct") -> Client:
        if (user, via) not in self._clients:
            port = self._port if via == "direct" else self._proxy_port
            self._clients[user, via] = Client(port, self._certificates.authority, self._tokens[user])
        return self._clients[user, via]

    def token(self, user: str) -> str:
        """Random in each run, so that it can be looked for in what the programs write."""
        return self._tokens[user]

    def kubeconfig(self, user: str = "admin", via: Via = "proxy", namespace: str = "default") -> Path:
        """A file with one context, which names the namespace. `direct` leaves the proxy out."""
        path = self.folder / f"kubeconfig-{user}-{via}-{namespace}"
        if not path.exists():  # ports and tokens never change, and a client may be reading it just now
            unfinished = path.with_name(f"{path.name}.{threading.get_ident()}")
            unfinished.touch(mode=0o600)
            unfinished.write_text(json.dumps(self._kubeconfig(user, via, namespace), indent=1))
            unfinished.rename(path)
        return path

    def _kubeconfig(self, user: str, via: Via, namespace: str) -> Object:
        port = self._port if via == "direct" else self._proxy_port
        authority = base64.b64encode(self._certificates.authority.read_bytes()).decode()
        cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority-data": authority}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": CLUSTER, "cluster": cluster}],
            "users": [{"name": user, "user": {"token": self._tokens[user]}}],
            "contexts": [{"name": CLUSTER, "context": {"cluster": CLUSTER, "user": user, "namespace": namespace}}],
            "current-context": CLUSTER,
        }

    def environment(self, user: str = "admin", via: Via = "proxy", namespace: str = "default") -> dict[str, str]:
        """All that a client program needs of an environment: kubectl on the PATH, KUBECONFIG, an empty HOME, no proxies."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        path = f"{self.binaries.kubectl.parent}:/usr/local/bin:/usr/bin:/bin"
        kubeconfig = str(self.kubeconfig(user, via, namespace))
        return {"PATH": path, "KUBECONFIG": kubeconfig, "HOME": str(home), "LC_ALL": "C.UTF-8"}

    def kubectl(
        self, *arguments: str, user: str = "admin", via: Via = "proxy", check: bool = False, timeout: float = 60
    ) -> "subprocess.CompletedProcess[bytes]":
        command = [str(self.binaries.kubectl), *arguments]
        environment = self.environment(user, via)
        return subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=check, timeout=timeout
        )

    @property
    def kubelet_dir(self) -> Path:
        """What the pods answer to exec and logs, read at each request: see kubelet/exec.go and kubelet/logs.go."""
        return self.folder / "kubelet"

    def node_status(self) -> Object:
        """The part of a Node's status that brings exec and logs of its pods to the fake kubelet."""
        port = self._kubelet_port or 10250  # no kubelet: the API server finds nobody there
        return {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
        }

    def set_version(self, version: Object | None) -> None:
        """What the proxy merges into the answer of /version, None for nothing."""
        self._set_control(version=version)

    @contextmanager
    def holding(self, pattern: str, seconds: float = 60) -> Iterator[Callable[[], None]]:
        """Requests whose path matches wait in the proxy until the end of the block; what comes back waits for one that waits."""
        (self.folder / "held").unlink(missing_ok=True)
        self._set_control(hold=pattern)

        def wait() -> None:
            deadline = time.monotonic() + seconds
            while not (self.folder / "held").exists():
                assert time.monotonic() < deadline, f"no request for {pattern}"
                time.sleep(0.02)

        try:
            yield wait
        finally:
            self._set_control(hold=None)

    def compact(self) -> None:
        """Throws away all that etcd keeps of the past, as it does every five minutes: continue tokens of before are expired."""
        revision = self._ask_etcd("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        self._ask_etcd("/v3/kv/compaction", {"revision": revision, "physical": True})

    def _ask_etcd(self, path: str, body: Object) -> Object:
        request = urllib.request.Request(f"http://127.0.0.1:{self._etcd_port}{path}", json.dumps(body).encode())
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=30) as answer:
            parsed: Object = json.loads(answer.read())
        return parsed

    def _set_control(self, **values: Any) -> None:
        """The file that the proxy reads at each request; None takes an entry out."""
        self._control = {name: value for name, value in {**self._control, **values}.items() if value}
        unfinished = self.folder / "control.new"
        unfinished.write_text(json.dumps(self._control))
        unfinished.rename(self.folder / "control.json")

    def recording(self) -> list[dict[str, Any]]:
        """The requests that went through the proxy, in the order in which they ended; waits for those that still run.

        Each as in `tests.cluster.proxy.Entry`.
        """
        self.client_for("admin", "proxy").request("GET", "/.recorded")
        return _read_lines(self.folder / "recording.jsonl")

    def clear_recording(self) -> None:
        self.recording()
        (self.folder / "recording.jsonl").write_bytes(b"")

    def audit(self) -> list[Object]:
        """The API server's audit log: audit.k8s.io/v1 Events, without bodies, of every request by any way."""
        return _read_lines(self.folder / "audit.jsonl")

    def reset(self) -> None:
        """An empty cluster again, with the same ports, users and files: faster and surer than deleting objects."""
        self.stop_server()
        for name in ("etcd", "kubelet"):
            shutil.rmtree(self.folder / name)
        self.kubelet_dir.mkdir()
        self._clients.clear()  # their discovery and connections are of yesterday
        self._start_server()
        self.set_version(None)
        self.clear_recording()
        (self.folder / "audit.jsonl").write_bytes(b"")

    def stop_server(self) -> None:
        """End the API server, and etcd after it."""
        for name in ("kube-apiserver", "etcd"):
            process.end(self._processes.pop(name))

    def _start(self) -> None:
        self._certificates = make_certificates(self.folder, "cluster")
        self.kubelet_dir.mkdir()
        users = (f'{token},{user},{user},"{_group(user)}"' for user, token in self._tokens.items())
        tokens = self.folder / "tokens.csv"
        tokens.touch(mode=0o600)
        tokens.write_text("\n".join(users) + "\n")
        for attempt in range(START_TRIES):
            self._etcd_port, self._peer_port, self._port = (process.free_port() for _ in range(3))
            try:
                self._start_server()
                break
            except RuntimeError:
                if attempt == START_TRIES - 1:
                    raise
                self.stop_server()
                shutil.rmtree(self.folder / "etcd", ignore_errors=True)
                self._clients.clear()
        self._kubelet_port = self._start_kubelet()
        self._proxy_port = self._start_proxy()

    def _start_server(self) -> None:
        """Raises RuntimeError with the end of its log where one of both does not come up."""
        self._spawn("etcd", self._etcd_command())
        self._spawn("kube-apiserver", self._server_command())
        deadline = time.monotonic() + READY_SECONDS
        while not self._is_ready():
            for name in ("etcd", "kube-apiserver"):
                if self._processes[name].poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{name} does not start: {process.tail(self.folder / f'{name}.log')}")
            time.sleep(0.1)

    def _is_ready(self) -> bool:
        try:
            # the namespace comes last of what the server makes for itself and tests take for granted
            ready = [self.client.request("GET", path).status for path in ("/readyz", "/api/v1/namespaces/default")]
        except OSError:
            return False
        return ready == [200, 200]

    def _start_kubelet(self) -> int | None:
        if self.binaries.kubelet is None:
            return None
        command = [str(self.binaries.kubelet), "--dir", str(self.kubelet_dir), "--cert", str(self._certificates.server)]
        return self._spawn_listener("kubelet", [*command, "--key", str(self._certificates.server_key)])

    def _start_proxy(self) -> int:
        options = {
            "upstream-port": self._port,
            "authority": self._certificates.authority,
            "certificate": self._certificates.server,
            "key": self._certificates.server_key,
            "record": self.folder / "recording.jsonl",
            "control": self.folder / "control.json",
        }
        (self.folder / "recording.jsonl").touch()
        program = str(Path(__file__).with_name("proxy.py"))
        return self._spawn_listener("proxy", [sys.executable, "-I", program, *_flags(options)])

    def _spawn(self, name: str, command: list[str]) -> None:
        self._processes[name] = process.start(command, self.folder / f"{name}.log")

    def _spawn_listener(self, name: str, command: list[str]) -> int:
        log = self.folder / f"{name}.log"
        self._processes[name] = process.start(command, log, read_first_line=True)
        return int(process.first_line(self._processes[name], log))

    def _etcd_command(self) -> list[str]:
        client, peer = f"http://127.0.0.1:{self._etcd_port}", f"http://127.0.0.1:{self._peer_port}"
        options = {
            "data-dir": self.folder / "etcd",
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"default={peer}",
            "log-level": "error",
        }
        return [str(self.binaries.etcd), "--unsafe-no-fsync", *_flags(options)]

    def _server_command(self) -> list[str]:
        keys = self._certificates
        options = {
            "etcd-servers": f"http://127.0.0.1:{self._etcd_port}",
            "secure-port": self._port,
            "bind-address": "127.0.0.1",
            "tls-cert-file": keys.server,
            "tls-private-key-file": keys.server_key,
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": keys.service_account_key,
            "service-account-signing-key-file": keys.service_account_key,
            "token-auth-file": self.folder / "tokens.csv",
            "authorization-mode": "Node,RBAC",
            "service-cluster-ip-range": "10.0.0.0/16",
            # no controller makes service accounts or takes the taint of a new node away
            "disable-admission-plugins": "ServiceAccount,TaintNodesByCondition",
            "allow-privileged": "true",
            "kubelet-preferred-address-types": "InternalIP",
            # this machine's own address would stand in the endpoints of the service kubernetes; 192.0.2.0/24 is nobody's
            "advertise-address": "192.0.2.10",
            "audit-policy-file": Path(__file__).with_name("audit-policy.yaml"),
            "audit-log-path": self.folder / "audit.jsonl",
            "audit-log-format": "json",
        }
        return [str(self.binaries.kube_apiserver), *_flags(options)]


def _group(user: str) -> str:
    return "system:masters" if user == "admin" else "testers"


def _flags(options: dict[str, Any]) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items()]


def _read_lines(path: Path) -> list[dict[str, Any]]:
    """Whole lines only: the last one may still be on its way."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
