"""Nodes, pods and events out of the tables of ``kubectl get``, also ``-o wide``, for bundles that hold nothing better.

A table shows a few fields of an object; all others are unknown (``NOT_SHOWN``), so it is enough for findings, never for a pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .described import NOT_SHOWN, Described, value_of
from .described_pod import SPEC
from .event_rows import event_of_row
from .lines import Column, cells, clean, columns

_MOST_LINES = 2_000_000
_COMMAND = re.compile(r"\b(?:kubectl|oc)\b.{0,400}?(?:-n|--namespace)[ =](?P<namespace>[a-z0-9-]{1,63})(?:\s|$)", re.ASCII)
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}", re.ASCII)
_NOT_TABLE = re.compile(r"^(?:Error from server|error: |No resources found|Unable to connect)", re.ASCII)
_NO_ROW = "a row of a table does not stand under its titles, or has a name that no object can have"
# What kubectl writes into STATUS that is a phase; all other words are why a container waits or ended.
_PHASES = ("Running", "Pending", "Succeeded", "Failed", "Unknown")
_ENDED = ("Completed", "Error", "OOMKilled", "ContainerCannotRun", "DeadlineExceeded", "StartError", "ContainerStatusUnknown")
_WAITS = (
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "ContainerCreating",
    "PodInitializing",
)
_ROLE = "node-role.kubernetes.io/"
# Titles of the custom columns that support's script asks nodes for.
_CUSTOM_NODE = {"CPUs": "cpu", "RAM": "memory", "GPU-cap": "nvidia.com/gpu"}


@dataclass(frozen=True)
class Tables:
    """What the tables of a text hold: objects, what could not be read, and the titles of tables of other kinds."""

    found: tuple[Described, ...]
    others: tuple[str, ...] = ()  # the titles of tables of other kinds


def titles_of(line: str) -> list[Column]:
    """Return the columns where a line is the first of a table of ``kubectl get``; else none."""
    found = columns(line) if line.lstrip().startswith(("NAME ", "NAMESPACE ", "LAST SEEN ")) else []
    return found if len(found) > 1 and all(one.title[:1].isupper() or one.title == "..." for one in found) else []


def is_table(text: str) -> bool:
    """Tell whether a text begins with a table, or with a prompt and a table."""
    return any(titles_of(line) for line in clean(text[:4000]).split("\n")[:20])


def tables(text: str, namespace: str = "") -> Tables:
    """Return the nodes and pods in the tables of a text. ``namespace``: of pods whose table does not say it; a prompt above the
    table may."""
    found: list[Described | None] = []
    others: list[str] = []
    titles: list[Column] = []
    begun = False  # rows of the table were seen: an empty line then ends it
    for number, line in enumerate(clean(text).split("\n")[:_MOST_LINES], 1):
        if new := titles_of(line):
            titles, begun = new, False
            if not _kind(titles) and len(others) < 5:
                others.append(" ".join(one.title for one in titles)[:80])
        elif command := _COMMAND.search(line[:2000]):
            namespace, titles = command["namespace"], []
        elif line.lstrip().startswith(("$ ", "# ", "kubectl ", "oc ")):
            titles = []
        elif not line.strip():
            titles = [] if begun else titles
        elif titles and (kind := _kind(titles)) and not _NOT_TABLE.match(line) and line.strip() != "...":
            found.append(_row(kind, line, number, titles, namespace))
            begun = True
    return Tables(tuple(one for one in found if one), tuple(dict.fromkeys(others)))


def _kind(titles: list[Column]) -> str:
    names = {one.title for one in titles}
    if {"STATUS", "ROLES", "VERSION"} <= names or {"CPUs", "RAM"} <= names:
        return "Node"
    if {"READY", "STATUS", "RESTARTS"} <= names:
        return "Pod"
    return "Event" if {"TYPE", "REASON", "OBJECT", "MESSAGE"} <= names else ""


def _row(kind: str, line: str, number: int, titles: list[Column], namespace: str) -> Described | None:
    row = cells(line, titles)
    if kind == "Event":
        return event_of_row(row, namespace, number)
    name = row.get("NAME", "") if row else ""
    if not row or not _NAME.fullmatch(name.removeprefix("pod/")):
        return Described(None, number, _NO_ROW, kind)
    if kind == "Node":
        return Described(node_of_row(name, row), number, "", kind)
    place = row.get("NAMESPACE") or namespace
    if not place:
        return Described(None, number, "the table does not say of which namespace its pods are", kind)
    return Described(pod_of_row(name.removeprefix("pod/"), place, row), number, "", kind)


# --- Nodes --------------------------------------------------------------------------------------------------------------------


def node_of_row(name: str, row: dict[str, str]) -> dict[str, Any]:
    """Return a Node of what a row shows by the titles of its columns; it may be empty."""
    states = row.get("STATUS", "").split(",")
    ready = {"Ready": "True", "NotReady": "False", "Unknown": "Unknown"}.get(states[0])
    info = {
        "kubeletVersion": row.get("VERSION") or row.get("K8S"),
        "osImage": row.get("OS-IMAGE") or row.get("OS"),
        "kernelVersion": row.get("KERNEL-VERSION"),
        "containerRuntimeVersion": row.get("CONTAINER-RUNTIME") or row.get("RUNTIME"),
    }
    kinds = (("InternalIP", row.get("INTERNAL-IP", "")), ("ExternalIP", row.get("EXTERNAL-IP", "")))
    capacity = {key: value for title, key in _CUSTOM_NODE.items() if (value := value_of(row.get(title, "")))}
    free = value_of(row.get("GPU-aloc", ""))
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _metadata(name, row),
        "spec": {"taints": NOT_SHOWN, "unschedulable": ("SchedulingDisabled" in states or None) if ready else NOT_SHOWN},
        "status": {
            "conditions": [{"type": "Ready", "status": ready, "reason": NOT_SHOWN}] if ready else NOT_SHOWN,
            "addresses": [{"type": kind, "address": value} for kind, value in kinds if value_of(value)] or NOT_SHOWN,
            "nodeInfo": {key: value_of(value or "") or NOT_SHOWN for key, value in info.items()},
            "capacity": capacity or NOT_SHOWN,
            "allocatable": {"nvidia.com/gpu": free} if free else NOT_SHOWN,
            "images": NOT_SHOWN,
        },
    }


def _metadata(name: str, row: dict[str, str]) -> dict[str, Any]:
    """Return the metadata; the labels stand in the table only with --show-labels."""
    shown = row.get("LABELS")
    labels: Any = NOT_SHOWN
    if shown is not None:
        labels = {key: value for key, sign, value in (one.partition("=") for one in value_of(shown).split(",")) if sign}
    return {"name": name, "labels": labels, "annotations": NOT_SHOWN, "creationTimestamp": NOT_SHOWN, "uid": NOT_SHOWN}


# --- Pods ---------------------------------------------------------------------------------------------------------------------


def pod_of_row(name: str, namespace: str, row: dict[str, str]) -> dict[str, Any]:
    """Return a Pod of what a row shows by the titles of its columns; it may be empty."""
    state = row.get("STATUS", "")
    metadata = {**_metadata(name, row), "namespace": namespace, "ownerReferences": NOT_SHOWN}
    if state == "Terminating":
        metadata["deletionTimestamp"] = NOT_SHOWN
    ready, _, wanted = row.get("READY", "").partition("/")
    conditions = [{"type": "Ready", "status": "True" if ready == wanted else "False", "reason": NOT_SHOWN}]
    status: dict[str, Any] = {
        "phase": "Running" if state in ("CrashLoopBackOff", "NotReady") else state if state in _PHASES else NOT_SHOWN,
        "conditions": conditions if wanted else NOT_SHOWN,
        "podIP": value_of(row.get("IP", "")) or NOT_SHOWN,
        "hostIP": NOT_SHOWN,
        "reason": state if state in ("Evicted", "NodeLost", "UnexpectedAdmissionError") else NOT_SHOWN,
        **_statuses(state, row.get("RESTARTS", "")),
    }
    node = row.get("NODE")
    spec = {
        "containers": NOT_SHOWN,
        "nodeName": NOT_SHOWN if node is None else value_of(node) or None,
        **dict.fromkeys(("initContainers", "ephemeralContainers", "tolerations", "volumes", "nodeSelector"), NOT_SHOWN),
        **dict.fromkeys((*SPEC, "priority", "serviceAccountName"), NOT_SHOWN),
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _statuses(state: str, restarts: str) -> dict[str, Any]:
    """Return the one container that the word in STATUS is about: kubectl does not say which it is, nor how the others are."""
    count = re.match(r"\d{1,9}", restarts)
    of_init, reason = ("Init:" in state), state.removeprefix("Init:")
    told: dict[str, Any] = {"name": NOT_SHOWN, "ready": NOT_SHOWN, "restartCount": int(count.group()) if count else NOT_SHOWN}
    if reason in _WAITS:
        told["state"] = {"waiting": {"reason": reason}}
        told["ready"] = False
    elif reason in _ENDED:
        told["state"] = {"terminated": {"reason": reason, "exitCode": 0 if reason == "Completed" else NOT_SHOWN}}
    else:
        told["state"] = NOT_SHOWN
    return {"initContainerStatuses" if of_init else "containerStatuses": [told]}
