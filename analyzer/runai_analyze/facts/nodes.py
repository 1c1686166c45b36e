"""Facts about nodes: roles, readiness, operating system, container runtime."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Unknown
from .gaps import Gaps
from .index import Seen
from .reading import dig, hidden, labels_of, mappings, name_of, text, tree, unknown

_CONTROL_PLANE = tuple(f"node-role.kubernetes.io/{role}" for role in ("control-plane", "master", "controlplane"))
_SYSTEM = "node-role.kubernetes.io/runai-system"
_NUMBER = re.compile(r"\d+(?:\.\d+)*", re.ASCII)
# The start of status.nodeInfo.osImage, longest first where one is the start of another.
_OS_FAMILIES = (
    ("Red Hat Enterprise Linux CoreOS", "rhcos"),
    ("Red Hat Enterprise Linux", "rhel"),
    ("Ubuntu", "ubuntu"),
    ("Container-Optimized OS", "cos"),
    ("Amazon Linux", "amazon-linux"),
    ("Bottlerocket", "bottlerocket"),
    ("Oracle Linux", "oracle-linux"),
    ("SUSE Linux", "sles"),
    ("SLE", "sles"),
    ("openSUSE", "sles"),
    ("Debian", "debian"),
    ("Flatcar", "flatcar"),
    ("Windows", "windows"),
    ("Talos", "talos"),
)


@dataclass(frozen=True)
class Roles:
    """What a node's facts need to know of the others. ``system_known`` is false when not all nodes were seen."""

    gpu: frozenset[str]
    system: frozenset[str]
    system_known: bool


def roles_of(nodes: Iterable[Seen], gpu: frozenset[str], gaps: Gaps) -> Roles:
    """Find the Run:ai system nodes: those with the label; where none has it, the schedulable ones that are neither GPU nor
    control-plane nodes; where there are none of those, every schedulable one."""
    bodies = [seen.body for seen in nodes]
    labelled = frozenset(name_of(body) for body in bodies if _SYSTEM in labels_of(body))
    known = gaps.of(("Node", "")) is None
    if labelled:
        return Roles(gpu, labelled, known)
    free = frozenset(name_of(body) for body in bodies if schedulable(body))
    plain = frozenset(name_of(body) for body in bodies if name_of(body) in free - gpu and not is_control_plane(body))
    return Roles(gpu, plain or free, known)


def node_facts(body: Mapping[str, Any], roles: Roles) -> dict[str, Any]:
    """Return the ``facts`` of a Node that are about what it is."""
    return tree({name: make(body, roles) for name, make in NODE_FACTS.items()})


def is_system_node(body: Mapping[str, Any], roles: Roles) -> bool | Unknown:
    """Tell whether a node is for Run:ai's services; Unknown where other nodes may bear the label, and were not collected."""
    if _SYSTEM in labels_of(body):
        return True
    if not roles.system_known:
        return unknown("which nodes are Run:ai system nodes", "not all nodes were collected", "kubectl get nodes -o json")
    return name_of(body) in roles.system


def is_worker(body: Mapping[str, Any]) -> bool:
    """Tell whether a node is no control plane, or takes pods all the same."""
    return not is_control_plane(body) or schedulable(body)


def is_control_plane(body: Mapping[str, Any]) -> bool:
    """Tell whether a node carries a control-plane role label."""
    return any(label in labels_of(body) for label in _CONTROL_PLANE)


def schedulable(body: Mapping[str, Any]) -> bool:
    """Tell whether pods without tolerations may run on a node; taints of conditions (``node.kubernetes.io/…``) come and go."""
    taints = mappings(dig(body, "spec", "taints"))
    kept_off = any(
        taint.get("effect") in ("NoSchedule", "NoExecute") and not text(taint.get("key")).startswith("node.kubernetes.io/")
        for taint in taints
    )
    return not kept_off and dig(body, "spec", "unschedulable") is not True


def is_ready(body: Mapping[str, Any]) -> bool:
    """Tell whether the condition Ready is True."""
    return condition(body, "Ready") == "True"


def condition(body: Mapping[str, Any], kind: str) -> str:
    """Return the status of one of an object's conditions; empty when it has none of that type."""
    return next((text(one.get("status")) for one in mappings(dig(body, "status", "conditions")) if one.get("type") == kind), "")


def os_family_of(body: Mapping[str, Any]) -> str | None:
    """Return the family of a node's operating system; None when the node does not name it."""
    image = text(dig(body, "status", "nodeInfo", "osImage"))
    return os_family(image) if image else None


def os_version_of(body: Mapping[str, Any]) -> str | None:
    """Return the version of a node's operating system; None when its name holds none."""
    match = _NUMBER.search(text(dig(body, "status", "nodeInfo", "osImage")))
    return match.group() if match else None


def os_family(image: str) -> str:
    """Return the family of ``status.nodeInfo.osImage``: ``ubuntu`` for ``Ubuntu 22.04.4 LTS``, ``other`` if in no list."""
    return next((family for start, family in _OS_FAMILIES if image.startswith(start)), "other")


def runtime(value: Any) -> dict[str, Any] | None:
    """Split ``containerd://1.7.13`` into name and version; None when the node does not say."""
    name, separator, rest = text(value).partition("://")
    if not separator:
        return None
    match = _NUMBER.search(rest)
    return {"name": name, "version": match.group() if match else None}


def _by_labels(make: Callable[[Mapping[str, Any], Roles], Any]) -> Callable[[Mapping[str, Any], Roles], Any]:
    """Return a fact that is unknown where the bundle shows no labels of the node, as tables do not."""
    return lambda body, roles: (
        unknown(f"the labels of node {name_of(body)}", "the bundle does not show them", "kubectl get nodes -o yaml")
        if hidden(dig(body, "metadata", "labels"))
        else make(body, roles)
    )


NODE_FACTS: Mapping[str, Callable[[Mapping[str, Any], Roles], Any]] = {
    "gpu": lambda body, roles: name_of(body) in roles.gpu or _by_labels(lambda *_: False)(body, roles),
    "control_plane": _by_labels(lambda body, _: is_control_plane(body)),
    "runai_system": _by_labels(is_system_node),
    "worker": _by_labels(lambda body, _: is_worker(body)),
    "ready": lambda body, _: is_ready(body),
    "os_family": lambda body, _: os_family_of(body),
    "os_version": lambda body, _: os_version_of(body),
    "runtime": lambda body, _: runtime(dig(body, "status", "nodeInfo", "containerRuntimeVersion")),
}
