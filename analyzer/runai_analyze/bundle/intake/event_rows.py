"""Events out of the table that ``kubectl get events`` prints. When they happened is told by their age alone, so it is unknown."""

from __future__ import annotations

import re
from typing import Any

from .described import NOT_SHOWN, Described, event_name

_TIMES = re.compile(r"\(x(\d{1,9}) over ", re.ASCII)
# Kinds as kubectl writes them before the name of what an event is about.
_KINDS = {
    "pod": ("Pod", "v1"),
    "node": ("Node", "v1"),
    "namespace": ("Namespace", "v1"),
    "service": ("Service", "v1"),
    "persistentvolumeclaim": ("PersistentVolumeClaim", "v1"),
    "persistentvolume": ("PersistentVolume", "v1"),
    "deployment": ("Deployment", "apps/v1"),
    "replicaset": ("ReplicaSet", "apps/v1"),
    "statefulset": ("StatefulSet", "apps/v1"),
    "daemonset": ("DaemonSet", "apps/v1"),
    "job": ("Job", "batch/v1"),
    "cronjob": ("CronJob", "batch/v1"),
    "horizontalpodautoscaler": ("HorizontalPodAutoscaler", "autoscaling/v2"),
}


def event_of_row(row: dict[str, str] | None, namespace: str, number: int) -> Described | None:
    """Return the event of a row; None for one about a kind that is not built in, of which the table tells no group."""
    kind, slash, name = (row or {}).get("OBJECT", "").partition("/")
    if not row or not slash or "MESSAGE" not in row:
        return Described(None, number, "a row of a table of events does not stand under its titles", "Event")
    if kind not in _KINDS:
        return None
    place = row.get("NAMESPACE") or namespace or "default"
    about: dict[str, Any] = {"kind": _KINDS[kind][0], "apiVersion": _KINDS[kind][1], "name": name}
    seen = _TIMES.search(row.get("LAST SEEN", ""))
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": event_name(about["kind"], name, row.get("REASON", ""), row["MESSAGE"]), "namespace": place},
        "involvedObject": {**about, **({} if about["kind"] in ("Node", "Namespace") else {"namespace": place})},
        "type": row.get("TYPE", ""),
        "reason": row.get("REASON", ""),
        "message": row["MESSAGE"],
        "count": int(seen.group(1)) if seen else 1,
        "firstTimestamp": NOT_SHOWN,
        "lastTimestamp": NOT_SHOWN,
    }
    return Described(event, number, "", "Event")
