"""Signs of a fault in a Node, and what a warning event says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .proposal import Asked, Sign, at, maps, subject, texts
from .shaping import REMOVED

_COMMON_TAINTS = ("node-role.kubernetes.io/", "nvidia.com/gpu")  # meant to be there
_DEVICES = ("nvidia.com/", "amd.com/", "rdma/")


def node_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield a cordon, odd taints, and devices that the node has and does not offer."""
    if body.get("kind") != "Node":
        return
    if at(body, "spec", "unschedulable") is True:
        asked = Asked("spec.unschedulable", "equals", "true")
        fix = "Find out who cordoned the node and why, then uncordon it."
        healthy = (("spec.unschedulable", REMOVED),)
        yield Sign(82, "fault", asked, "it is cordoned", "A Node is cordoned", f"{subject(body)} is cordoned", healthy, fix=fix)
    for taint in maps(at(body, "spec", "taints")):
        key = texts(taint.get("key"))
        if key and not key.startswith(_COMMON_TAINTS):
            asked = Asked("spec.taints[*].key", "equals", key)
            title, message = f"A Node has the taint {key}", f"{subject(body)} has the taint {{{{ found }}}}"
            yield Sign(56, "fault", asked, f"it has the taint {key}", title, message, (("spec.taints", REMOVED),))
    yield from _devices(body)


def _devices(body: Mapping[str, Any]) -> Iterator[Sign]:
    capacity, allocatable = at(body, "status", "capacity"), at(body, "status", "allocatable")
    for name, count in sorted(capacity.items()) if isinstance(capacity, Mapping) else ():
        offered = at(allocatable, name)
        if name.startswith(_DEVICES) and str(count) != "0" and str(offered) != str(count):
            path, wanted = f'status.allocatable["{name}"]', f'status.capacity["{name}"]'
            yield Sign(
                87,
                "expect",
                Asked(path, "equals_field", wanted),
                f"{offered or 0} of {count} {name} can be used",
                f"A Node offers fewer {name} than it has",
                f"{subject(body)} offers {{{{ {path} }}}} of {{{{ {wanted} }}}} {name}",
                ((path, str(count)),),
                keep=(wanted,),
            )


def event_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield the reason of a warning event."""
    reason = texts(body.get("reason"))
    if body.get("kind") == "Event" and body.get("type") == "Warning" and reason:
        yield Sign(
            90,
            "fault",
            Asked("reason", "equals", reason),
            f"a warning with the reason {reason}",
            f"Warnings with the reason {reason}",
            "Event {{ metadata.namespace }}/{{ metadata.name }}: {{ reason }}",
            (("type", "Normal"), ("reason", "Started")),
            keep=("type", "involvedObject.kind", "involvedObject.name"),
            show=(("About", "involvedObject.name"), ("Says", "message")),
        )
