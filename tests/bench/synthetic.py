"""A bundle of format 1 with many nodes and pods."""

import hashlib
import io
import json
import random
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runai_collect import layout

PAGE = 500
TIME = "2026-11-30T12:00:00Z"


def node(number: int) -> dict[str, Any]:
    """A GPU node with 8 GPUs."""
    capacity = {"cpu": "128", "memory": "1056Gi", "pods": "250", "nvidia.com/gpu": "8"}
    labels = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.count": "8", "kubernetes.io/arch": "amd64"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"gpu-{number:05}", "labels": labels, "creationTimestamp": TIME},
        "spec": {},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": TIME}],
            "nodeInfo": {"kubeletVersion": "v1.35.4", "osImage": "Ubuntu 22.04.5 LTS", "architecture": "amd64",
                         "containerRuntimeVersion": "containerd://2.0.4", "operatingSystem": "linux"},
        },
    }


def pod(number: int, nodes: int, dice: random.Random) -> dict[str, Any]:
    """A pod of about 6 kB, one in a hundred not ready."""
    name = f"train-{number:06}"
    ready = dice.random() > 0.01
    state = {"running": {"startedAt": TIME}} if ready else {"waiting": {"reason": "CrashLoopBackOff"}}
    env = [{"name": f"SETTING_{index}", "value": f"value-{dice.random():.12f}-of-pod-{number}"} for index in range(40)]
    limits = {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"}
    image = f"registry.example/team/train:{number % 300}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": f"runai-team-{number % 40}", "creationTimestamp": TIME,
                     "labels": {"workloadName": name, "project": f"team-{number % 40}"}, "uid": f"{dice.getrandbits(128):032x}"},
        "spec": {
            "nodeName": f"gpu-{number % nodes:05}",
            "schedulerName": "runai-scheduler",
            "containers": [{"name": "main", "image": image, "env": env,
                            "resources": {"limits": limits, "requests": limits}}],
        },
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": TIME}],
            "containerStatuses": [{"name": "main", "ready": ready, "restartCount": 0 if ready else 7, "state": state,
                                   "image": image, "imageID": f"{dice.getrandbits(256):064x}"}],
        },
    }


def pages(objects: Iterator[dict[str, Any]], folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the member name and bytes of each page of a list."""
    page: list[bytes] = []
    number = 0
    for item in objects:
        page.append(json.dumps(item, sort_keys=True).encode() + b"\n")
        if len(page) == PAGE:
            number += 1
            yield layout.page(folder, number), b"".join(page)
            page = []
    if page:
        yield layout.page(folder, number + 1), b"".join(page)


def write_bundle(path: Path, pods: int, nodes: int) -> Path:
    """Write the bundle and return its path."""
    dice = random.Random(1)
    members: list[dict[str, Any]] = []
    opening = {"format": layout.FORMAT, "collector": "runai-collect 0.1.0", "name": "bench", "cluster": {"name": "bench"},
               "started": TIME, "options": {}, "clock": {"server": TIME, "local": TIME, "skew_seconds": 0.0}}
    version = {"major": "1", "minor": "35", "gitVersion": "v1.35.4"}
    lists = [("Node", "nodes", (node(number) for number in range(nodes))),
             ("Pod", "pods", (pod(number, nodes, dice) for number in range(pods)))]
    steps: list[dict[str, Any]] = [step("version", "/version", "", "")]
    with tarfile.open(path, "w:gz", compresslevel=3) as archive:
        add(archive, members, layout.BUNDLE, json.dumps(opening).encode(), "bundle")
        add(archive, members, layout.VERSION, json.dumps(version).encode(), "version")
        for kind, plural, objects in lists:
            name = f"list:core/v1/{plural}"
            for member, content in pages(objects, layout.resource_folder("", "v1", plural)):
                add(archive, members, member, content, name)
            steps.append(step(name, f"/api/v1/{plural}", kind, "v1"))
        closing = {"format": layout.FORMAT, "finished": TIME, "state": "complete", "steps": steps, "members": members}
        add(archive, [], layout.MANIFEST, json.dumps(closing).encode(), "")
    return path


def step(name: str, request: str, kind: str, version: str) -> dict[str, Any]:
    """One entry of the manifest."""
    asked = {"id": name, "request": request, "scope": "cluster", "kind": kind, "group": "", "version": version, "namespace": ""}
    answer = {"status": "ok", "code": 200, "message": "", "objects": 1, "pages": 1, "bytes": 1, "seconds": 0.0, "retries": 0}
    return {**asked, **answer}


def add(archive: tarfile.TarFile, members: list[dict[str, Any]], name: str, content: bytes, of: str) -> None:
    """Add one member and note it for the manifest."""
    info = tarfile.TarInfo(f"bench/{name}")
    info.size = len(content)
    archive.addfile(info, io.BytesIO(content))
    members.append({"path": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "step": of})
