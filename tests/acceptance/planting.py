"""Loads the plants and the controls into the test cluster, on top of whatever is there."""

import json
from collections.abc import Iterable
from pathlib import Path

from tests.cluster import Cluster
from tests.cluster.client import ApiError, Client
from tests.plant_controls import CONTROL_LOG, Control
from tests.plant_objects import (
    DRIVER_CONTAINER,
    DRIVER_POD,
    GPU_OPERATOR,
    LOG_CONTAINERS,
    LOG_POD,
    RUNAI,
    Apply,
    Log,
    NvidiaSmi,
    Object,
    Patch,
    carriers,
)
from tests.plants import Plant


def plant(cluster: Cluster, plants: Iterable[Plant], controls: Iterable[Control]) -> None:
    """Everything into the cluster; definitions first, because custom resources need theirs."""
    things = [thing for one in plants for thing in one.things]
    objects = [thing.body for thing in things if isinstance(thing, Apply)]
    for body in carriers(cluster.node_status()):
        _make(cluster.client, body)
    for body in sorted(objects, key=lambda body: bool(body["kind"] != "CustomResourceDefinition")):
        cluster.client.load(body)
    for carrier in _once(control.carrier for control in controls):
        cluster.client.load(carrier)
    for thing in things:
        if isinstance(thing, Patch):
            _patch(cluster.client, thing)
    _write_logs(cluster.kubelet_dir, [thing for thing in things if isinstance(thing, Log)])
    _write_answers(cluster.kubelet_dir, [thing for thing in things if isinstance(thing, NvidiaSmi)])


def _make(client: Client, body: Object) -> None:
    """Loads what is not there yet: what a scenario made stays as it is."""
    try:
        client.get(client.path_of(body))
    except ApiError as error:
        if error.status != 404:
            raise
        client.load(body)


def _patch(client: Client, thing: Patch) -> None:
    path = client.path_of(thing.base)
    try:
        client.get(path)
    except ApiError as error:
        if error.status != 404:
            raise
        client.create(thing.base)
    client.patch(path, thing.patch)


def _once(bodies: Iterable[Object]) -> list[Object]:
    return list({(body["kind"], body["metadata"]["name"]): body for body in bodies}.values())


def _write_logs(kubelet: Path, logs: list[Log]) -> None:
    folder = kubelet / RUNAI / LOG_POD
    folder.mkdir(parents=True, exist_ok=True)
    for container in LOG_CONTAINERS:
        for previous, suffix in ((False, ".log"), (True, ".previous.log")):
            # ordinary lines first, but where the log begins in the middle of a key
            lines = [CONTROL_LOG] if container == "text" and not previous else []
            lines += [log.text for log in logs if log.container == container and log.previous == previous]
            if lines:
                (folder / f"{container}{suffix}").write_text("".join(lines))


def _write_answers(kubelet: Path, answers: list[NvidiaSmi]) -> None:
    folder = kubelet / GPU_OPERATOR / DRIVER_POD / DRIVER_CONTAINER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "exec.json").write_text(json.dumps([{"argv": list(answer.argv), "stdout": answer.stdout} for answer in answers]))
