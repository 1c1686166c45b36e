"""What is made of pods and events in a large cluster, against reading the same lines as JSON."""

import argparse
import random
import resource
import time
from collections.abc import Iterator
from typing import Any

import orjson
from runai_analyze.bundle.source import Record
from runai_analyze.facts.build import collector_off
from runai_analyze.facts.containers import containers
from runai_analyze.facts.events import EventFold, event_groups
from runai_analyze.facts.examples import ExampleSource
from runai_analyze.facts.gaps import Gaps
from runai_analyze.facts.index import object_ref
from runai_analyze.facts.traces import Traces

_HASH, _DRAWN = "bcdf456789", "bcdfghjklmnpqrstvwxz2456789"
_OF_SET, _OF_NAMESPACE = 30, 500


def main(arguments: list[str]) -> None:
    """Grow the cluster, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench made", description=__doc__)
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--events", type=int, default=100_000)
    options = parser.parse_args(arguments)
    chance = random.Random(1)
    with collector_off():
        traces, names, base, took = _remember(options.pods, chance)
        _say("traces of pods", took, base)
        fold, base, took = _fold(options.events, names, chance)
        _say("events folded once", took, base)
        gaps = Gaps(ExampleSource([], (), None))
        start = time.process_time()
        count = sum(1 for _ in event_groups(fold, traces, gaps))
        _say(f"{len(fold.folded):,} folded to {count:,} groups", time.process_time() - start, base)
        base, took = _containers(options.pods, traces, gaps, chance)
        _say("containers", took, base)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _say(what: str, took: float, base: float) -> None:
    print(f"{what:40} {took:6.2f} s, {took / base:5.2f} times reading the lines as JSON")


def _remember(count: int, chance: random.Random) -> tuple[Traces, list[tuple[str, str]], float, float]:
    traces, names, base, took = Traces(pods=True), [], 0.0, 0.0
    for number, line in enumerate(_pods(count, chance), start=1):
        start = time.process_time()
        body = orjson.loads(line)
        read = time.process_time()
        traces.add(Record("object", body, "m", number, len(line)))
        base, took = base + read - start, took + time.process_time() - read
        if body["kind"] == "Pod" and number % 3 == 0:
            names.append((body["metadata"]["namespace"], body["metadata"]["name"]))
    return traces, names, base, took


def _fold(count: int, names: list[tuple[str, str]], chance: random.Random) -> tuple[EventFold, float, float]:
    fold, base, took = EventFold(), 0.0, 0.0
    for number in range(count):
        line = orjson.dumps(_event(number, *chance.choice(names), chance))
        start = time.process_time()
        body = orjson.loads(line)
        read = time.process_time()
        fold.add(Record("object", body, "m", number, len(line)))
        base, took = base + read - start, took + time.process_time() - read
    return fold, base, took


def _containers(count: int, traces: Traces, gaps: Gaps, chance: random.Random) -> tuple[float, float]:
    base, took = 0.0, 0.0
    for number, line in enumerate(_pods(count, chance), start=1):
        start = time.process_time()
        body = orjson.loads(line)
        read = time.process_time()
        if body["kind"] == "Pod":
            record = Record("object", body, "m", number, len(line))
            for _ in containers(body, object_ref(record), traces.top_of_pod(body, gaps)):
                pass
        base, took = base + read - start, took + time.process_time() - read
    return base, took


def _pods(count: int, chance: random.Random) -> Iterator[bytes]:
    """Yield pods of ReplicaSets, and the sets themselves."""
    owner = ""
    for number in range(count):
        namespace = f"runai-p{number // _OF_NAMESPACE}"
        if number % _OF_SET == 0:
            deployment = f"web-{number // _OF_SET}"
            owner = f"{deployment}-{''.join(chance.choices(_HASH, k=10))}"
            above = {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment, "controller": True}
            metadata = {"namespace": namespace, "name": owner, "ownerReferences": [above]}
            yield orjson.dumps({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": {"replicas": 1}})
        yield orjson.dumps(_pod(number, namespace, f"{owner}-{''.join(chance.choices(_DRAWN, k=5))}", owner))


def _pod(number: int, namespace: str, name: str, owner: str) -> dict[str, Any]:
    above = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "controller": True}
    container = {
        "name": "main",
        "image": f"nvcr.io/team/app{number % 200}:1.{number % 20}",
        "env": [{"name": f"VARIABLE_{one}", "value": "x"} for one in range(10)],
        "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"nvidia.com/gpu": "1"}},
        "readinessProbe": {"httpGet": {"port": 8080, "path": "/healthz"}},
    }
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    status = {
        "phase": "Running",
        "conditions": [{"type": kind, "status": "True"} for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
        "containerStatuses": [{"name": "main", "ready": True, "restartCount": number % 3, "state": state}],
    }
    metadata = {"namespace": namespace, "name": name, "labels": {"app": owner}, "ownerReferences": [above]}
    spec = {"nodeName": f"node-{number % 5_000}", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _event(number: int, namespace: str, name: str, chance: random.Random) -> dict[str, Any]:
    address = f"10.0.{number % 255}.{number % 200}:8080"
    reason, message = chance.choice(
        (
            (
                "BackOff",
                f"Back-off restarting failed container main in pod {name}_{namespace}(8f0c5a1e-0000-4000-8000-{number:012x})",
            ),
            (
                "Failed",
                f'Failed to pull image "nvcr.io/team/app{number % 50}:1": code = NotFound desc = failed to resolve reference',
            ),
            (
                "Unhealthy",
                f'Readiness probe failed: Get "http://{address}/healthz": dial tcp {address}: connect: connection refused',
            ),
            ("FailedScheduling", f"0/{number % 5_000} nodes are available: {number % 4_000} Insufficient nvidia.com/gpu."),
        )
    )
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": namespace, "name": f"{name}.{number:x}"},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": name},
        "reason": reason,
        "message": message,
        "type": "Warning",
        "count": number % 9 + 1,
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": f"2026-01-01T{number % 24:02d}:00:00Z",
        "source": {"component": "kubelet"},
    }
