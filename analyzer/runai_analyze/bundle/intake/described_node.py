"""A Node out of ``kubectl describe node``, which prints nearly all of it."""

from __future__ import annotations

from typing import Any

from .described import conditions_of, marks, metadata_of, pairs_of, texts_of, value_of
from .lines import Entry

KEYS = frozenset(
    (
        "Name",
        "Roles",
        "Labels",
        "Annotations",
        "CreationTimestamp",
        "Taints",
        "Unschedulable",
        "Lease",
        "Conditions",
        "Addresses",
        "Capacity",
        "Allocatable",
        "System Info",
        "PodCIDR",
        "PodCIDRs",
        "ProviderID",
        "Non-terminated Pods",
        "Allocated resources",
        "Events",
    )
)
NEEDED = frozenset(("Name", "Roles", "Labels", "Taints", "Conditions", "Capacity", "Allocatable", "System Info"))
LAST = frozenset(("PodCIDR", "ProviderID", "Non-terminated Pods", "Allocated resources", "Events"))
_INFO = {
    "Machine ID": "machineID",
    "System UUID": "systemUUID",
    "Boot ID": "bootID",
    "Kernel Version": "kernelVersion",
    "OS Image": "osImage",
    "Operating System": "operatingSystem",
    "Architecture": "architecture",
    "Container Runtime Version": "containerRuntimeVersion",
    "Kubelet Version": "kubeletVersion",
    "Kube-Proxy Version": "kubeProxyVersion",
}
_STATUS = ("images", "volumesInUse", "volumesAttached", "daemonEndpoints", "config", "runtimeHandlers", "features", "phase")


def node_of(found: dict[str, Entry]) -> dict[str, Any]:
    """Return the Node that the entries tell of."""
    spec = {
        "taints": [taint for line in texts_of(found["Taints"]) if (taint := _taint(line))],
        "unschedulable": _text(found, "Unschedulable") == "true" or None,
        "podCIDR": _text(found, "PodCIDR") or None,
        "podCIDRs": [one for one in _text(found, "PodCIDRs").split(",") if one] or None,
        "providerID": _text(found, "ProviderID") or None,
    }
    info = pairs_of(found["System Info"])
    status = {
        "addresses": [{"type": kind, "address": address} for kind, address in pairs_of(found.get("Addresses")).items()],
        "capacity": pairs_of(found["Capacity"]),
        "allocatable": pairs_of(found["Allocatable"]),
        "conditions": conditions_of(found["Conditions"]),
        "nodeInfo": {field: info[key] for key, field in _INFO.items() if info.get(key)},
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata_of(found),
        "spec": {key: value for key, value in spec.items() if value},
        "status": marks(_STATUS, status),
    }


def _text(found: dict[str, Entry], key: str) -> str:
    return value_of(found[key].value) if key in found else ""


def _taint(line: str) -> dict[str, str] | None:
    """Return a taint: ``nvidia.com/gpu=present:NoSchedule``, or without a value."""
    what, colon, effect = line.rpartition(":")
    if not colon:
        return None
    key, sign, value = what.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if sign and value else {})}
