"""Of which cluster a bundle is: what of it no other cluster has, and whether two bundles show the same one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .source import Record, group_of

Answer = Literal["same", "different", "unknown"]

# Namespaces that live as long as their cluster does.
_LASTING = ("kube-system", "default")
_ROOT_CA = "kube-root-ca.crt"  # the ConfigMap that Kubernetes 1.20 and later put into every namespace
_SHOWN = 3
_UID = re.compile(r"[A-Za-z0-9-]{9,64}")


@dataclass
class Identity:
    """What a bundle shows of its cluster. ``lasting``: by what it is, values that a cluster keeps for its life; ``authority``: a
    digest of its certificate authority; ``uids``: of all objects; ``nodes`` and ``machines``: names of Node objects, and of
    nodes that only files tell of."""

    lasting: dict[str, str] = field(default_factory=dict)
    authority: str = ""
    uids: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    machines: set[str] = field(default_factory=set)

    def add(self, record: Record) -> None:
        """Take in what one record tells."""
        body = record.body
        if record.area == "node_file":
            self.machines.add(str(body.get("node")))
        if record.area != "object":
            return
        metadata = body.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        name, uid, kind = metadata.get("name"), metadata.get("uid"), body.get("kind")
        if is_uid(uid):
            self.uids.add(str(uid))
        for what, value in _lasting(kind, group_of(body.get("apiVersion")), metadata, body):
            self.lasting[what] = value
        if (kind, group_of(body.get("apiVersion"))) == ("Node", "") and isinstance(name, str):
            self.nodes.add(name)
        if kind == "ConfigMap" and name == _ROOT_CA:
            self._take_authority(body.get("data"))

    def _take_authority(self, data: object) -> None:
        pem = data.get("ca.crt") if isinstance(data, Mapping) else None
        if isinstance(pem, str) and "BEGIN CERTIFICATE" in pem:
            self.authority = hashlib.sha256("".join(pem.split()).encode()).hexdigest()[:16]


def is_uid(value: object) -> bool:
    """Tell a uid from what stands in its place where a writer damaged or hid it, or a text for people does not show it."""
    return isinstance(value, str) and _UID.fullmatch(value) is not None


def _lasting(kind: object, group: str, metadata: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name, uid = metadata.get("name"), metadata.get("uid")
    if (kind, group) == ("Namespace", "") and name in _LASTING and is_uid(uid):
        yield f"the uid of namespace {name}", str(uid)
    if (kind, group) == ("ClusterVersion", "config.openshift.io"):
        spec = body.get("spec")
        number = spec.get("clusterID") if isinstance(spec, Mapping) else None
        if isinstance(number, str) and number:
            yield "OpenShift's cluster ID", number


def compare(one: Identity, other: Identity) -> tuple[Answer, str]:
    """Tell whether two bundles are of one cluster, and by what: "the uid of namespace kube-system"."""
    for what in sorted(one.lasting.keys() & other.lasting.keys()):
        if one.lasting[what] != other.lasting[what]:
            return "different", f"{what} is {one.lasting[what][:60]} in one and {other.lasting[what][:60]} in the other"
        return "same", what
    if one.uids & other.uids:
        return "same", "the uids of objects"
    if one.authority and other.authority:
        same = one.authority == other.authority
        return ("same", "the certificate authority") if same else ("different", "their certificate authorities differ")
    if one.nodes and other.nodes:
        return _by_nodes(one, other)
    return _by_machines(one, other)


def _by_nodes(one: Identity, other: Identity) -> tuple[Answer, str]:
    """Nodes may share names among clusters, never uids, which have been compared before this."""
    if not one.nodes & other.nodes:
        return "different", f"they have no node in common ({_names(one.nodes)}; {_names(other.nodes)})"
    return ("unknown", "") if not one.uids or not other.uids else ("different", "nodes of the same name have other uids")


def _by_machines(one: Identity, other: Identity) -> tuple[Answer, str]:
    """Files of a node name its host, which may be the short form of the node's name. A host that is no node of the cluster may
    be the very one that cannot join it."""
    hosts, nodes = (one.machines, other.nodes | other.machines) if not one.nodes else (other.machines, one.nodes)
    known = {_short(name) for name in nodes}
    common = sorted(name for name in hosts if name in nodes or _short(name) in known)
    return ("same", f"the node {common[0]}") if common else ("unknown", "")


def _short(name: str) -> str:
    return name.partition(".")[0].lower()


def _names(names: set[str]) -> str:
    shown = sorted(names)[:_SHOWN]
    return ", ".join(shown) + (", …" if len(names) > _SHOWN else "")
