"""Signs of a fault in a Node, and what a warning event says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .proposal import Asked, Sign, at, maps, subject, texts
from .shaping import REMOVED

_COMMON_TAINTS = ("node-role.kubernetes.io/", "nvidia.com/gpu")  # meant to be there
_LONGEST_MESSAGE = 200
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
    """Yield the reason of a warning event, and what it says: of all events that say the same, not of this one alone."""
    reason, message = texts(body.get("reason")), " ".join(texts(body.get("message")).split())
    if body.get("kind") != "Event" or body.get("type") != "Warning":
        return
    if reason:
        words = f"a warning with the reason {reason}"
        yield _event_sign(90, Asked("reason", "equals", reason), words, f"Warnings with the reason {reason}")
    if 20 <= len(message) <= _LONGEST_MESSAGE:
        asked = Asked("message", "similar_to", message)
        yield _event_sign(84, asked, f"it says: {message}", f"A warning says: {message[:60].rstrip()}")


def _event_sign(score: int, asked: Asked, words: str, title: str) -> Sign:
    about = ("involvedObject.kind", "involvedObject.name", "involvedObject.namespace")
    return Sign(
        score,
        "fault",
        asked,
        words,
        title,
        "{{ metadata.name }}: {{ found }}",
        (("type", "Normal"), ("reason", "Started"), ("message", "Started container")),
        keep=("type", "reason", "message", *about),
        show=(("About", "objects"), ("Says", "message"), ("Times", "count"), ("Still failing", "facts.still_failing")),
        fix="Describe what the event is about: its other events and its conditions say what it lacks.",
        made="EventGroup",
    )
