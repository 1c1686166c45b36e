"""Nodes and pods out of what ``kubectl describe`` prints, for bundles that hold nothing better, and the events under them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import described_node, described_pod
from .described import Described, events_of
from .lines import Entry, clean, entries

_MOST_LINES = 2_000_000
_NAME = "Name:"


@dataclass(frozen=True)
class _Kind:
    kind: str
    told_by: frozenset[str]  # keys that only this kind has
    keys: frozenset[str]
    needed: frozenset[str]
    make: Callable[[dict[str, Entry]], dict[str, Any]]


_KINDS = (
    _Kind("Node", frozenset(("Roles", "Taints")), described_node.KEYS, described_node.NEEDED, described_node.node_of),
    _Kind("Pod", frozenset(("Node", "Containers", "QoS Class")), described_pod.KEYS, described_pod.NEEDED, described_pod.pod_of),
)
# Keys that no node or pod has, and other described kinds begin with: they are passed over.
_OTHERS = {
    "Selector": "a workload",
    "Pod Template": "a workload",
    "StorageClass": "a claim",
    "Type": "a service or a Secret",
    "Rules": "an ingress or a role",
    "Data": "a ConfigMap",
    "API Version": "a custom object",
    "Replicas": "a workload",
}


def is_description(text: str) -> bool:
    """Tell whether a text is what describe prints: its first line at the left edge, but for prompts, is a name."""
    return any(line.startswith(_NAME) for line in text[:4000].splitlines())


def describe(text: str) -> Iterator[Described]:
    """Yield the nodes and pods that a text describes, and for each its events; what cannot be read is a problem."""
    lines = clean(text).split("\n")[:-1]  # a last line without an end may be half of one
    if len(lines) > _MOST_LINES:
        yield Described(None, 1, f"it has more than {_MOST_LINES} lines")
        return
    starts = [number for number, line in enumerate(lines) if line.startswith(_NAME) and _begins(lines, number)]
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(lines)
        yield from _one(lines[start:end], start + 1)


def _begins(lines: list[str], number: int) -> bool:
    """Tell whether an object begins in a line: kubectl puts two empty lines between them, and people a prompt or a title."""
    following = next((line for line in lines[number + 1 : number + 3] if line.strip()), "")
    return following.partition(":")[0] in ("Namespace", "Roles", "Labels", "Priority") or number == 0


def _one(lines: list[str], line: int) -> Iterator[Described]:
    keys = {one.partition(":")[0] for one in lines if one[:1].isalpha()}
    kind = next((one for one in _KINDS if keys & one.told_by and not keys & _OTHERS.keys() - one.keys), None)
    if kind is None:
        what = next((words for key, words in _OTHERS.items() if key in keys), "an object of a kind that this program cannot tell")
        yield Described(None, line, f"it describes {what}; of descriptions only those of nodes and pods are read")
        return
    found = {entry.key: entry for entry in entries(lines, line, kind.keys)}
    lacking = sorted(kind.needed - found.keys()) or _no_end(kind.kind, found)
    if lacking:
        yield Described(None, line, f"the description lacks {lacking[0]}: it was cut, or changed by hand", kind.kind)
        return
    body = kind.make(found)
    yield Described(body, line, "", kind.kind)
    yield from _events(found, kind.kind, body["metadata"])


def _no_end(kind: str, found: Mapping[str, Entry]) -> list[str]:
    """Return what is lacking of a node of which nothing follows the last part that matters: it may have been cut there."""
    return ["what follows System Info"] if kind == "Node" and not found.keys() & described_node.LAST else []


def _events(found: Mapping[str, Entry], kind: str, metadata: dict[str, Any]) -> Iterator[Described]:
    entry = found.get("Events")
    for body in events_of(entry, kind, metadata):
        yield Described(body, entry.line if entry else 1, "", "Event")
