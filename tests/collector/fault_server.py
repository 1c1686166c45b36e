"""A small API server that plays a site with Run:ai, and misbehaves on the paths where it is told to.

`Site` serves discovery, lists in pages, Secrets as tables and logs; `fault` puts an answer of one's own in their place.
`read_directly` runs the collection on it within the test, `run` the whole program through the real kubectl.
"""

import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from runai_collect import plan
from runai_collect.client import Client, Stop
from runai_collect.gather import gather
from runai_collect.kubectl import Ran
from runai_collect.progress import Progress
from runai_collect.steps import Session
from runai_collect.writer import BundleWriter

from tests.collector.servers import Answer, Handler, running
from tests.collector.test_collect import COLLECTOR, Bundle

CUSTOM = plan.Kind("run.ai", "runaiconfigs", "v1", "RunaiConfig", True)
KINDS = (*plan.KINDS, plan.NODE_LEASES, CUSTOM)
SMI = b"<nvidia_smi_log></nvidia_smi_log>\n"
TIME = "2026-01-01T00:00:00Z"
Pages = Callable[[int, int], tuple[list[bytes], bool]]  # (first, how many) → encoded objects, and whether there are more


def pod(namespace: str, name: str, container: str = "main", ready: bool = True) -> dict[str, Any]:
    status = {"name": container, "ready": ready, "restartCount": 0, "state": {"running": {"startedAt": TIME}}}
    return {
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}/{name}"},
        "spec": {"nodeName": "gpu-1", "containers": [{"name": container, "image": "x"}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def event(number: int, message: str = "Back-off restarting failed container") -> dict[str, Any]:
    return {
        "metadata": {"name": f"agent.{number:x}", "namespace": "runai", "uid": f"event-{number}"},
        "involvedObject": {"kind": "Pod", "namespace": "runai", "name": "agent-1"},
        "reason": "BackOff",
        "message": message,
        "type": "Warning",
        "lastTimestamp": TIME,
    }


def of(objects: list[Any]) -> Pages:
    """The pages of a list of objects."""
    encoded = [json.dumps(one).encode() for one in objects]
    return lambda first, count: (encoded[first : first + count], first + count < len(encoded))


class Site(ThreadingHTTPServer):
    """Keeps what was asked and when in `asked`; lists by their path in `lists`."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        gpus = {"cpu": "8", "nvidia.com/gpu": "8"}
        node = {"metadata": {"name": "gpu-1"}, "status": {"capacity": gpus, "allocatable": gpus}}
        spaces = [{"metadata": {"name": name}} for name in ("default", "gpu-operator", "runai", "team-a")]
        pods = [
            pod("gpu-operator", "driver-1", "nvidia-driver-ctr"),
            pod("runai", "agent-1"),
            pod("team-a", "training-1", ready=False),
        ]
        config = {"metadata": {"name": "runai", "namespace": "runai"}, "spec": {"version": "2.20"}}
        settings = {"metadata": {"name": "settings", "namespace": "team-a"}, "data": {"k": "v"}}
        self.lists: dict[str, Pages] = {
            "/api/v1/nodes": of([node]),
            "/api/v1/namespaces": of(spaces),
            "/api/v1/pods": of(pods),
            "/api/v1/events": of([event(number) for number in range(3)]),
            "/api/v1/configmaps": of([settings]),
            CUSTOM.path(): of([config]),
        }
        self.logs: dict[str, bytes] = {"agent-1": b"one\ntwo\n", "driver-1": b"NVRM\n", "training-1": b"failed\n"}
        self.delay = 0.0
        self.clock = 0.0  # seconds beside the true time
        self.asked: list[tuple[float, str]] = []
        self._faults: list[tuple[re.Pattern[str], Iterator[Answer | None]]] = []
        self._lock = threading.Lock()

    def fault(self, pattern: str, *answers: Answer | None, always: bool = False) -> None:
        """Answer requests whose path holds the pattern with these, None being the true one; the last one for ever if `always`."""
        last = itertools.repeat(answers[-1]) if always else ()
        self._faults.append((re.compile(pattern), itertools.chain(answers, last)))

    def answer(self, handler: "_Handler") -> None:
        with self._lock:
            self.asked.append((time.monotonic(), handler.path))
            hits = [answers for pattern, answers in self._faults if pattern.search(handler.path)]
            found = next(filter(None, (next(answers, None) for answers in hits)), None)
        time.sleep(self.delay)
        (found or self.true)(handler)

    def true(self, handler: "Handler") -> None:
        """Answer as a healthy server does."""
        address = urlsplit(handler.path)
        path, query = address.path, {name: values[0] for name, values in parse_qs(address.query).items()}
        if path in ("/api", "/apis"):
            handler.reply(200, discovery(path).encode())
        elif path.endswith("/log"):
            handler.reply(200, self.logs[path.split("/")[-2]], "text/plain")
        elif path in ("/livez", "/readyz"):
            handler.reply(200, b"ok", "text/plain")
        elif path == "/version":
            handler.reply(200, b'{"gitVersion":"v1.35.4"}')
        elif path.endswith("/secrets") and "as=Table" in handler.headers["Accept"]:
            handler.reply(200, b'{"kind":"Table","metadata":{},"columnDefinitions":[],"rows":[]}')
        elif path.endswith("/secrets"):
            handler.reply(200, b'{"kind":"PartialObjectMetadataList","metadata":{},"items":[]}')
        elif "/secrets/" in path or "limit" not in query:
            handler.reply(404, b'{"kind":"Status","message":"not found"}')
        else:
            self._page(handler, path, int(query["limit"]), int(query.get("continue", "0")))

    def _page(self, handler: Handler, path: str, limit: int, first: int) -> None:
        kind = next((kind.kind for kind in KINDS if path == kind.path() or path == kind.path(path.split("/")[-2])), "")
        items, more = self.lists[path](first, limit) if path in self.lists else ([], False)
        token = str(first + limit) if more else ""
        head = json.dumps({"kind": kind + "List", "apiVersion": "v1", "metadata": {"continue": token}})[:-1]
        handler.reply(200, head.encode() + b', "items": [' + b",".join(items) + b"]}")

    @property
    def paths(self) -> list[str]:
        return [path for _, path in self.asked]


class _Handler(Handler):
    server: Site  # type: ignore[assignment]

    def do_GET(self) -> None:  # noqa: N802 - http.server calls it
        try:
            self.server.answer(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string((timestamp or time.time()) + self.server.clock)


def discovery(root: str, stale: str = "none") -> str:
    """Return the aggregated discovery of the kinds that the collector knows; that of one group may have failed."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for kind in KINDS:
        if bool(kind.group) == (root == "/apis"):
            scope = "Namespaced" if kind.namespaced else "Cluster"
            row = {"resource": kind.plural, "responseKind": {"kind": kind.kind}, "scope": scope, "verbs": ["get", "list"]}
            groups.setdefault((kind.group, kind.version), []).append(row)
    items = [
        {
            "metadata": {"name": group} if group else {},
            "versions": [
                {"version": version, "freshness": "Stale"} if group == stale else {"version": version, "resources": resources}
            ],
        }
        for (group, version), resources in sorted(groups.items())
    ]
    return json.dumps({"kind": "APIGroupDiscoveryList", "items": items})


def site() -> AbstractContextManager[Site]:
    return running(Site())


def smi(namespace: str, pod: str, container: str, argv: tuple[str, ...]) -> Ran:
    """An exec that answers."""
    return Ran(0, SMI, b"", 0.01, False, False)


def limits(**changed: Any) -> plan.Limits:
    """The limits, quick where a test would wait."""
    return plan.Limits(requests_per_second=1000, attempts=3)._replace(**changed)


def read_directly(server: Site, folder: Path, stop: Stop | None = None, **changed: Any) -> Bundle:
    """Collect without kubectl; nvidia-smi always answers."""
    options, stop = plan.Options(limits=limits(**changed).fitted()), stop or Stop()
    client = Client(lambda timeout: HTTPConnection("127.0.0.1", server.server_port, timeout=timeout), options.limits, stop)
    writer = BundleWriter(str(folder / "b.tgz"), "top", 1, options.limits.archive)
    session = Session(client, writer, options, stop, Progress(True))
    gather(session, smi, "default")
    session.settle()
    writer.finish("2026-01-01T00:00:00Z", stop.reason or "complete")
    return Bundle(folder / "b.tgz")


# What stands before the program: other limits than the command line can give, as JSON.
_WITH_LIMITS = """
import json, sys
from runai_collect import plan
changed = json.loads(sys.argv.pop(1))
plan.Limits.__new__.__defaults__ = tuple(plan.Limits()._replace(**changed))
from runai_collect import connect
connect.LOGIN_SECONDS = min(connect.LOGIN_SECONDS, plan.Limits().request_timeout)
from runai_collect.cli import main
sys.exit(main())
"""


@dataclass
class Program:
    """The whole program on a site: its folder holds nothing but what it leaves behind."""

    server: Site
    folder: Path
    exec_script: str = "cat >&1 <<'EOF'\n" + SMI.decode() + "EOF\n"  # what stands in for `kubectl exec`
    limits: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.out = self.folder / "out"
        self.out.mkdir()
        self._config = self.folder / "kubeconfig"
        address = f"http://127.0.0.1:{self.server.server_port}"
        context = {"name": "a", "context": {"cluster": "acme"}}
        clusters = [{"name": "acme", "cluster": {"server": address}}]
        config = {"apiVersion": "v1", "kind": "Config", "clusters": clusters, "contexts": [context], "current-context": "a"}
        self._config.write_text(json.dumps(config))
        self._kubectl = self.folder / "kubectl"
        self.write_kubectl()

    def write_kubectl(self) -> None:
        """Write what stands in for kubectl: exec is the script, all else the true one."""
        self._kubectl.write_text(
            f'#!/bin/sh\nfor word; do\ncase "$word" in exec)\n{self.exec_script}\nexit $?;;\nesac\ndone\nexec kubectl "$@"\n'
        )
        self._kubectl.chmod(0o755)

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", _WITH_LIMITS, json.dumps({"requests_per_second": 200, **self.limits}), *arguments]
        command += ["--kubectl", str(self._kubectl), "--kubeconfig", str(self._config), "-o", str(self.out / "b.tgz")]
        environment = {**os.environ, "PYTHONPATH": str(COLLECTOR), "TMPDIR": str(self.out)}
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options
        )

    def run(self, *arguments: str, code: int = 0, **options: Any) -> tuple[Bundle, str]:
        """Collect; return the bundle and all that was said. Nothing else is left in the folder for files and sockets."""
        process = self.start(*arguments, **options)
        stdout, stderr = process.communicate(timeout=120)
        assert process.returncode == code, stdout + stderr
        assert [path.name for path in self.out.iterdir()] == ["b.tgz"]
        return Bundle(self.out / "b.tgz"), stdout + stderr

    def wait_for(self, pattern: str, seconds: float = 20.0) -> None:
        """Wait till the server was asked for such a path."""
        until = time.monotonic() + seconds
        while not any(re.search(pattern, path) for path in self.server.paths):
            assert time.monotonic() < until, f"nobody asked for {pattern}"
            time.sleep(0.02)
