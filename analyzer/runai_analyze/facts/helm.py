"""The made kind ``HelmRelease``: from the labels of Helm's own Secrets, and the labels that charts put on workloads.

The payload of a release is never collected, so the chart is only known where its workloads name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from ..model import Item, ObjectRef, Unknown
from ..objects.versions import parse_version
from .index import Index, Seen
from .reading import labels_of, mapping, text, tree, unknown, whole

# helm.sh/chart reads NAME-VERSION, "+" of the version written "_" (Helm's best practices for labels).
_CHART = re.compile(r"(?P<name>.{1,200}?)-v?(?P<version>\d+\.\d+\S{0,100})", re.ASCII)
_MOST_SHOWN = 20


def helm_releases(index: Index, gap: Unknown | None) -> list[Item]:
    """Return the ``HelmRelease`` items, sorted by namespace and name. ``gap``: why not all workloads were read."""
    revisions: dict[tuple[str, str], list[Seen]] = {}
    for row in index.helm:
        name = text(labels(row).get("name")) or row.name
        revisions.setdefault((row.namespace, name), []).append(row)
    workloads = _workloads(index)
    return [_item(key, rows, workloads.get(key, []), gap) for key, rows in sorted(revisions.items())]


def labels(row: Seen) -> Mapping[str, Any]:
    """Return the labels that Helm set on the Secret of one revision."""
    return mapping(row.body.get("labels"))


def _workloads(index: Index) -> dict[tuple[str, str], list[Seen]]:
    found: dict[tuple[str, str], list[Seen]] = {}
    for seen in index.workloads():
        found.setdefault(_release_of(seen), []).append(seen)
    return found


def _release_of(seen: Seen) -> tuple[str, str]:
    """Return namespace and name of the release that a workload says it belongs to: Helm's annotations, else the usual labels."""
    release = seen.body.get("release")
    if isinstance(release, tuple) and release[1]:
        return release[0] or seen.namespace, release[1]
    own = labels_of(seen.body)
    managed = own.get("app.kubernetes.io/managed-by") == "Helm"
    return (seen.namespace, text(own.get("app.kubernetes.io/instance"))) if managed else ("", "")


def _item(key: tuple[str, str], rows: list[Seen], workloads: list[Seen], gap: Unknown | None) -> Item:
    namespace, name = key
    rows = sorted(rows, key=lambda row: (whole(labels(row).get("version")) or 0, row.name))
    newest, deployed = rows[-1], [row for row in rows if labels(row).get("status") == "deployed"]
    unnoted = unknown(f"the state of Helm release {namespace}/{name}", "the labels of its Secret do not tell it")
    body = {
        "apiVersion": "made/v1",
        "kind": "HelmRelease",
        "metadata": {"namespace": namespace, "name": name},
        "revision": whole(labels(newest).get("version")) or unnoted,
        "status": text(labels(newest).get("status")) or unnoted,
        "deployed_revision": whole(labels(deployed[-1]).get("version")) if deployed else None,
        "revisions": len(rows),
        "updated": _time(labels(newest).get("modifiedAt")),
        **_chart(namespace, name, workloads, gap),
    }
    ref = ObjectRef("HelmRelease", name, namespace, newest.ref.member, newest.ref.line)
    return Item("HelmRelease", "made", tree(body), ref, {"": newest.ref})


def _chart(namespace: str, name: str, workloads: list[Seen], gap: Unknown | None) -> dict[str, Any]:
    """Return what labels tell of the chart: the one that all name, else the one that is called as the release is."""
    charts = sorted({text(labels_of(seen.body).get("helm.sh/chart")) for seen in workloads} - {""})
    read = {chart: found for chart in charts if (found := _CHART.fullmatch(chart))}
    called = [chart for chart, found in read.items() if found["name"] == name]
    chosen = next(iter(called if len(read) > 1 else read), None)
    if chosen is None or (gap and not called):
        several = f"its workloads name several: {', '.join(charts[:_MOST_SHOWN])}"
        why = several if len(read) > 1 else "none of its workloads names it in the label helm.sh/chart"
        nothing = unknown(f"the chart of Helm release {namespace}/{name}", why, f"helm list -n {namespace} --filter '^{name}$'")
        return {"charts": gap or charts, **dict.fromkeys(("chart", "chart_version", "app_version"), gap or nothing)}
    of_chart = [seen for seen in workloads if labels_of(seen.body).get("helm.sh/chart") == chosen]
    return {
        "charts": gap or charts,
        "chart": read[chosen]["name"],
        "chart_version": read[chosen]["version"].replace("_", "+"),
        "app_version": _highest(text(labels_of(seen.body).get("app.kubernetes.io/version")) for seen in of_chart),
    }


def _highest(versions: Iterable[str]) -> str | None:
    """Return the highest of some versions; of texts that are none the last by the alphabet."""
    found = sorted({version for version in versions if version})
    return max(found, key=_rank) if found else None


def _rank(version: str) -> tuple[tuple[int, ...], str]:
    try:
        return parse_version(version).numbers, version
    except ValueError:
        return (), version


def _time(value: Any) -> str | None:
    """Return a time that Helm wrote as seconds since 1970."""
    seconds = whole(value)
    if seconds is None or not 0 < seconds < 253_402_300_800:  # the year 10000
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
