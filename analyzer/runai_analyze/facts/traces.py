"""What the first pass remembers of every object that a pod may belong to or an event may be about: its owner and how it is."""

from __future__ import annotations

from typing import Any

from ..bundle.source import Record, group_of
from ..errors import BundleError
from ..model import ObjectRef, Unknown
from .gaps import Gaps
from .owners import Key, Top, not_there, owner_of, top_of
from .reading import name_of, namespace_of, text
from .states import State, pod_state, state_of

# Kinds that are many, own no pods and do not say how they are.
_PASSED_OVER = frozenset(
    (
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "ControllerRevision",
        "CustomResourceDefinition",
        "EndpointSlice",
        "Endpoints",
        "Event",
        "Lease",
        "NetworkPolicy",
        "PriorityClass",
        "Role",
        "RoleBinding",
        "Secret",
        "ServiceAccount",
    )
)
_MOST = 1_000_000
_MOST_TEXT = 256 << 20  # characters of their names
_POD = ("Pod", "")
Trace = tuple[State, Key | None, str, int]  # how it is, its owner, the member and line that it stands in


class Traces:
    """Traces by kind, namespace and name. ``pods`` False: of pods nothing is remembered, as they are many."""

    def __init__(self, pods: bool) -> None:
        self._pods = pods
        self._found: dict[tuple[str, str], dict[tuple[str, str], Trace]] = {}
        self._owners: dict[Key, Key] = {}  # one tuple for all pods of a ReplicaSet
        self._tops: dict[Key, Top] = {}
        self._count = self._size = 0

    def add(self, record: Record) -> None:
        """Remember an object. Raises BundleError when there are more than any cluster has."""
        if record.area != "object":
            return
        body = record.body
        kind, group = text(body.get("kind")), group_of(body.get("apiVersion"))
        if passed_over(kind, group) or ((kind, group) == _POD and not self._pods):
            return
        name = (namespace_of(body), name_of(body))
        self._count += 1
        self._size += len(name[0]) + len(name[1])
        if self._count > _MOST or self._size > _MOST_TEXT:
            raise BundleError(
                "the bundle holds more than any cluster has, and is not read further", "ask the customer to collect again"
            )
        owner = owner_of(body)
        state = pod_state(body) if (kind, group) == _POD else state_of(kind, group, body)
        shared = self._owners.setdefault(owner, owner) if owner else None
        self._found.setdefault((kind, group), {})[name] = (state, shared, record.member, record.line)

    def get(self, key: Key) -> Trace | None:
        """Return what is remembered of an object; one in no namespace may be named as if it were in its owner's."""
        found = self._found.get(key[:2])
        return (found.get(key[2:]) or found.get(("", key[3]))) if found else None

    def ref(self, key: Key) -> ObjectRef:
        """Return a reference to an object; where it is not remembered, without its place in the bundle."""
        trace = self.get(key)
        return ObjectRef(key[0], key[3], key[2], trace[2], trace[3]) if trace else ObjectRef(key[0], key[3], key[2])

    def top(self, start: Key, gaps: Gaps) -> Top:
        """Return who stands at the top of an object's owners; an object of a kind that has none is its own top."""
        if start not in self._tops:
            self._tops[start] = top_of(start, lambda key: self._owner(key, gaps))
        return self._tops[start]

    def top_of_pod(self, body: dict[str, Any], gaps: Gaps) -> Top:
        """Return the same for a pod at hand."""
        owner = owner_of(body)
        return self.top(owner, gaps) if owner else Top(("Pod", "", namespace_of(body), name_of(body)))

    def _owner(self, key: Key, gaps: Gaps) -> Key | Unknown | None:
        kind, group, namespace, _ = key
        if passed_over(kind, group):
            return None
        trace = self.get(key)
        if trace is not None:
            return trace[1]
        return gaps.of((kind, group), namespaces=(namespace,) if namespace else ()) or not_there(key)


def passed_over(kind: str, group: str) -> bool:
    """Tell whether nothing is remembered of a kind: what is named so in a group of somebody else is another kind."""
    return kind in _PASSED_OVER and ("." not in group or group.endswith(".k8s.io"))
