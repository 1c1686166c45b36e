"""The collector on a real API server with 2,000 nodes and 30,000 pods, against two others in the same run: the floor, which pages
the same lists through one kubectl proxy and does nothing with them, and ``kubectl get -A -o json`` of the same kinds."""

import argparse
import http.client
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.bench.generator import Grown, Size, read_sample
from tests.cluster.binaries import find_binaries
from tests.cluster.building import cache_folder
from tests.cluster.client import Client
from tests.cluster.scenario import load
from tests.cluster.server import Cluster

SIZE = Size(2_000, 30_000, 10_000, 0, 0)
WORKERS = 4  # as the collector's
CACHE = cache_folder(os.environ, "bench")
GENERATOR = Path(__file__).with_name("generator.py")
_LIST = re.compile(r"GET (/[^ ]+)(?: as Table, includeObject=None)?$")
SECRETS = "/secrets"  # read as tables, of each namespace
JSON, TABLE = "application/json", "application/json;as=Table;v=v1;g=meta.k8s.io"
_CONTINUE = re.compile(rb'"continue":"([^"]+)"')


class Took(NamedTuple):
    """What a program took: wall seconds, seconds of the processor, the largest memory of one of its processes in MB."""

    wall: float
    cpu: float
    memory: float


class LoadedCluster(Cluster):
    """The test cluster, begun from what an earlier one left in ``snapshot``, if that is there."""

    def __init__(self, snapshot: Path) -> None:
        super().__init__(find_binaries(lambda line: print(line, file=sys.stderr)))
        self._snapshot = snapshot

    def _start_server(self) -> None:
        if self._snapshot.exists():
            shutil.copytree(self._snapshot, self.folder / "etcd", dirs_exist_ok=True)
        super()._start_server()

    def keep(self) -> None:
        """End etcd and the server, keep what etcd holds for the next time, and go on with it."""
        unfinished = self._snapshot.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        self.stop_server()
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(self.folder / "etcd", unfinished)
        unfinished.rename(self._snapshot)
        super()._start_server()


def main(arguments: list[str]) -> None:
    """Load, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench collect", description=__doc__)
    parser.add_argument("--nodes", type=int, default=SIZE.nodes)
    parser.add_argument("--pods", type=int, default=SIZE.pods)
    parser.add_argument("--events", type=int, default=SIZE.events)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-kubectl", action="store_true", help="leave the minutes of kubectl get out")
    options = parser.parse_args(arguments)
    size = Size(options.nodes, options.pods, options.events, 0, 0)
    with LoadedCluster(CACHE / _key(size)) as cluster:
        _fill(cluster, size)
        _measure(cluster, options.rounds, not options.no_kubectl)


def _key(size: Size) -> str:
    return f"etcd-{size.nodes}-{size.pods}-{size.events}-{zlib.crc32(GENERATOR.read_bytes()):08x}"


def _fill(cluster: LoadedCluster, size: Size) -> None:
    if any(cluster.client.get("/api/v1/nodes?limit=1")["items"]):
        return
    print("loading (a few minutes; the next time it comes from the cache)", file=sys.stderr)
    start = time.monotonic()
    load(cluster, "healthy")
    grown = Grown(size, read_sample())
    for lines in (grown.namespace_lines(), grown.node_lines(), grown.pod_lines(), grown.event_lines()):
        _create(cluster.client, lines)
    print(f"loaded in {time.monotonic() - start:.0f} s", file=sys.stderr)
    cluster.keep()


def _create(client: Client, lines: Iterator[str]) -> None:
    with ThreadPoolExecutor(WORKERS) as pool:
        waiting = []
        for line in lines:
            waiting.append(pool.submit(_create_one, client, line))
            if len(waiting) > 1000:
                for one in waiting:
                    one.result()
                waiting.clear()
        for one in waiting:
            one.result()


def _create_one(client: Client, line: str) -> None:
    made: dict[str, Any] = json.loads(line)
    for field in ("uid", "resourceVersion", "managedFields", "generation"):
        made["metadata"].pop(field, None)
    for volume in made.get("spec", {}).get("volumes", []):
        volume.pop("projected", None)
    status = made.pop("status", None)
    answer = client.create(made)
    if status:
        fixed = {name: value for name, value in answer["status"].items() if name == "qosClass"}
        client.put({**answer, "status": {**status, **fixed}}, "status")


def _measure(cluster: LoadedCluster, rounds: int, with_kubectl: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-m", "runai_collect", "-q", "--no-exec", "--no-logs", "--deadline", "60m"]
        lists = _lists_of(cluster, program, Path(folder))
        floors, collections = [], []
        for number in range(rounds):
            floors.append(_run(cluster, [sys.executable, "-m", "tests.bench.collect", *lists]))
            target = Path(folder) / f"{number}.tgz"
            collections.append(_run(cluster, [*program, "-o", str(target)]))
        size = target.stat().st_size / 1e6
    floor, collected = (min(took, key=lambda one: one.wall) for took in (floors, collections))
    print(f"{len(lists)} lists, bundle {size:.1f} MB, {rounds} rounds, best of each; memory is the largest process's")
    for name, took in (("floor (paging alone)", floor), ("runai-collect", collected)):
        _say(name, took, floor)
    ratios = [one.wall / base.wall for one, base in zip(collections, floors, strict=True)]
    print(f"runai-collect to the floor beside it, median {statistics.median(ratios):.2f}")
    if with_kubectl:
        _say("kubectl get -A -o json", _kubectl_get(cluster, lists), floor)


def _say(name: str, took: Took, floor: Took) -> None:
    print(f"{name:24} {took.wall:7.1f} s  {took.wall / floor.wall:5.2f}   processor {took.cpu:6.1f} s   {took.memory:6.0f} MB")


def _lists_of(cluster: LoadedCluster, program: list[str], folder: Path) -> list[str]:
    """Return the paths of the lists that the collector reads, from the manifest of a first run, which also warms the server."""
    target = folder / "first.tgz"
    subprocess.run([*program, "-o", str(target)], env=_environment(cluster), check=False)
    with tarfile.open(target) as archive:
        last = archive.getmembers()[-1]
        content = archive.extractfile(last)
        assert content is not None
        steps = json.loads(content.read())["steps"]
    read = [step for step in steps if step["id"].startswith(("list:", "secrets@")) and step["status"] in ("ok", "empty")]
    paths = [_LIST.match(step["request"]) for step in read]
    return sorted({match.group(1) for match in paths if match})


def _environment(cluster: LoadedCluster) -> dict[str, str]:
    root = Path(__file__).parents[2]
    more = {"PYTHONPATH": f"{root}:{root / 'collector'}", "FLOOR_KUBECTL": str(cluster.binaries.kubectl)}
    return {**cluster.environment(via="direct"), **more}


def _run(cluster: LoadedCluster, argv: list[str]) -> Took:
    start = time.monotonic()
    process = subprocess.Popen(argv, env=_environment(cluster), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return Took(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _kubectl_get(cluster: LoadedCluster, lists: list[str]) -> Took:
    """kubectl get of each kind, one after the other, as a person or a script does it."""
    all_took = []
    for path in (path for path in lists if not path.endswith(SECRETS)):  # with their values: nobody should
        parts = path.split("/")
        kind = parts[-1] if parts[1] == "api" else f"{parts[-1]}.{parts[3]}.{parts[2]}"
        where = ["-n", parts[-2]] if "namespaces" in parts[:-1] else ["-A"]
        all_took.append(_run(cluster, [str(cluster.binaries.kubectl), "get", kind, *where, "-o", "json"]))
    return Took(sum(one.wall for one in all_took), sum(one.cpu for one in all_took), max(one.memory for one in all_took))


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def floor(lists: list[str]) -> None:
    """Page lists through one kubectl proxy, on as many connections as the collector has, and forget them."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/api.sock"
        proxy = subprocess.Popen([os.environ["FLOOR_KUBECTL"], "proxy", f"--unix-socket={path}"], stdout=subprocess.PIPE)
        try:
            assert proxy.stdout is not None
            proxy.stdout.readline()
            own = threading.local()
            with ThreadPoolExecutor(WORKERS) as pool:
                list(pool.map(lambda one: _page(own, path, one), lists))
        finally:
            proxy.terminate()
            proxy.wait()


def _page(own: threading.local, socket_path: str, path: str) -> None:
    if not hasattr(own, "connection"):
        own.connection = _UnixConnection(socket_path)
    token = b""
    while True:
        query = f"limit=500&continue={quote(token)}" if token else "limit=500"
        query += "&includeObject=None" if path.endswith(SECRETS) else ""
        own.connection.putrequest("GET", f"{path}?{query}", skip_accept_encoding=True)
        own.connection.putheader("Accept", TABLE if path.endswith(SECRETS) else JSON)
        own.connection.endheaders()
        response = own.connection.getresponse()
        head = response.read(4096)
        while response.read(1 << 18):
            pass
        found = _CONTINUE.search(head)
        if not found:
            return
        token = found.group(1)


if __name__ == "__main__":
    floor(sys.argv[1:])
