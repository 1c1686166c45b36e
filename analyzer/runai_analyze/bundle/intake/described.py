"""What ``kubectl describe`` prints of every kind in the same way: labels, times, conditions, events; and what it never prints.

A field that it never prints is unknown, not absent: ``NOT_SHOWN`` stands there, which tests and facts take for hidden.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from runai_collect import layout

from .lines import Entry, entries, table

NOT_SHOWN = layout.marker("not-shown")
# kubectl cuts the values of annotations there and writes "..." (k8s.io/kubectl/pkg/describe: maxAnnotationLen, 1.20 to 1.35).
_CUT_ANNOTATION = 138
_NOTHING = ("", "<none>", "<unset>", "<nil>", "<unknown>")
_TIMES_SEEN = re.compile(r"\(x(\d{1,9}) over ", re.ASCII)
_MOST_ADDED = 1_000  # of the events of one object
# What the API calls the kinds that own pods, by the name that describe prints.
_OWNERS = {
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
    "ReplicationController": "v1",
    "Node": "v1",
}
_METADATA = ("uid", "resourceVersion", "generation", "generateName", "managedFields", "finalizers")


@dataclass(frozen=True)
class Described:
    """An object that was described, and the line on which that begins; or why it cannot be read, and its kind where it shows."""

    body: dict[str, Any] | None
    line: int
    problem: str = ""
    kind: str = ""


def value_of(text: str) -> str:
    """Return a value; empty for the words that stand for none."""
    return "" if text in _NOTHING else text


def texts_of(entry: Entry | None) -> list[str]:
    """Return the lines of a value that goes on below its first line."""
    if entry is None:
        return []
    return [line for line in (entry.value, *(line.strip() for line in entry.below)) if value_of(line)]


def labels_of(entry: Entry | None) -> dict[str, str]:
    """Return labels: ``key=value``, each on its own line."""
    return {key: value for key, sign, value in (line.partition("=") for line in texts_of(entry)) if sign}


def annotations_of(entry: Entry | None) -> dict[str, str]:
    """Return annotations. Long values stand below their key, further in, and are cut there, line by line."""
    if entry is None or not value_of(entry.value):
        return {}
    first = " " * min((len(line) - len(line.lstrip()) for line in entry.below if line.strip()), default=0) + entry.value
    found = {}
    for one in entries([first, *entry.below]):
        lines = [line.strip() for line in one.below]
        cut = any(len(line) >= _CUT_ANNOTATION and line.endswith("...") for line in lines)
        found[one.key] = NOT_SHOWN if cut else "\n".join([one.value, *lines] if one.value else lines)
    return found


def time_of(text: str) -> str | None:
    """Return a time as the API writes it: ``Tue, 15 Apr 2025 07:13:48 +0200`` in UTC; None for what is none."""
    try:
        moment = parsedate_to_datetime(text).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def metadata_of(found: dict[str, Entry]) -> dict[str, Any]:
    """Return the metadata: what is printed, and marks for what is not."""
    namespace = value_of(found["Namespace"].value) if "Namespace" in found else ""
    created = time_of(found["CreationTimestamp"].value) if "CreationTimestamp" in found else None
    return {
        "name": found["Name"].value,
        **({"namespace": namespace} if namespace else {}),
        "labels": labels_of(found.get("Labels")),
        "annotations": annotations_of(found.get("Annotations")),
        "creationTimestamp": created or NOT_SHOWN,
        **dict.fromkeys(_METADATA, NOT_SHOWN),
    }


def owners_of(entry: Entry | None) -> list[dict[str, Any]]:
    """Return who controls an object: ``ReplicaSet/runai-scheduler-5d4``."""
    kind, slash, name = entry.value.partition("/") if entry else ("", "", "")
    if not slash:
        return []
    return [{"apiVersion": _OWNERS.get(kind, NOT_SHOWN), "kind": kind, "name": name, "uid": NOT_SHOWN, "controller": True}]


def conditions_of(entry: Entry | None) -> list[dict[str, Any]]:
    """Return conditions; of those of pods kubectl prints no more than type and status."""
    return [
        {
            "type": row["Type"],
            "status": row["Status"],
            "lastHeartbeatTime": time_of(row.get("LastHeartbeatTime", "")) or NOT_SHOWN,
            "lastTransitionTime": time_of(row.get("LastTransitionTime", "")) or NOT_SHOWN,
            "reason": row.get("Reason") or NOT_SHOWN,
            "message": row.get("Message") or NOT_SHOWN,
        }
        for row in table(_below(entry))
        if "Type" in row and "Status" in row
    ]


def events_of(entry: Entry | None, kind: str, metadata: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of an object, under names that they do not have in the cluster. When they happened is told by their age
    alone, so it is unknown."""
    namespace = metadata.get("namespace", "default")
    about = {"apiVersion": "v1", "kind": kind, "name": metadata["name"], "namespace": metadata.get("namespace", "")}
    for number, row in enumerate(table(_below(entry)), 1):
        if number > _MOST_ADDED:
            return
        if not {"Type", "Reason", "Age", "Message"} <= row.keys():
            continue
        seen = _TIMES_SEEN.search(row["Age"])
        yield {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": event_name(kind, metadata["name"], row["Reason"], row["Message"]), "namespace": namespace},
            "involvedObject": {key: value for key, value in about.items() if value},
            "type": row["Type"],
            "reason": row["Reason"],
            "message": row["Message"],
            "count": int(seen.group(1)) if seen else 1,
            "source": {"component": value_of(row.get("From", "").partition(",")[0])},
            "firstTimestamp": NOT_SHOWN,
            "lastTimestamp": NOT_SHOWN,
        }


def event_name(kind: str, name: str, reason: str, message: str) -> str:
    """Return a name for an event of which a text tells no name: the same one wherever the same event is told."""
    told = "\0".join((kind, name, reason, message)).encode("utf-8", "replace")
    return f"{name[:200]}.{hashlib.sha256(told).hexdigest()[:16]}"


def pairs_of(entry: Entry | None) -> dict[str, str]:
    """Return the ``key: value`` lines below an entry."""
    return {one.key: one.value for one in entries(_below(entry))}


def marks(names: Iterable[str], told: dict[str, Any]) -> dict[str, Any]:
    """Return what is told, with a mark for each of these fields that is not."""
    return {**dict.fromkeys((name for name in names if name not in told), NOT_SHOWN), **told}


def _below(entry: Entry | None) -> Sequence[str]:
    return entry.below if entry else ()
