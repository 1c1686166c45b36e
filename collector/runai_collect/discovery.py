"""What an API server serves, from aggregated discovery (1.26 and later) or, group by group, from the older one."""

from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Set

from .client import ApiError
from .plan import Kind

Get = Callable[[str], Dict[str, Any]]


class Discovered(NamedTuple):
    """Every listable resource in the server's order of preference (None: nothing is known), and what the bundle keeps of it."""

    served: Optional[List[Kind]]
    stale: FrozenSet[str]           # groups that did not answer
    complete: bool
    groups: List[Dict[str, Any]]


def read_discovery(get: Get) -> Discovered:
    """Return what ``get(path)`` shows of /api and /apis. Raises ApiError when neither can be read."""
    groups: List[Dict[str, Any]] = []
    stale: Set[str] = set()
    for root in ("/api", "/apis"):
        document = get(root)
        kind = document.get("kind")
        if kind == "APIGroupDiscoveryList":
            _aggregated(document, groups, stale)
        elif kind == "APIVersions":
            for version in document.get("versions") or []:
                _resource_list(get, "/api/" + version, "", version, groups, stale)
        elif kind == "APIGroupList":
            for group in document.get("groups") or []:
                _group(get, group, groups, stale)
        else:
            raise ApiError("error", "%s answered with %s" % (root, kind or "no kind"))
    served = [Kind(entry["group"], resource["plural"], entry["version"], resource["kind"], resource["namespaced"])
              for entry in groups for resource in entry["resources"] if "list" in resource["verbs"]]
    return Discovered(served, frozenset(stale), not stale, groups)


def _aggregated(document: Dict[str, Any], groups: List[Dict[str, Any]], stale: Set[str]) -> None:
    for item in document.get("items") or []:
        group = (item.get("metadata") or {}).get("name", "")
        for version in item.get("versions") or []:
            is_stale = version.get("freshness") == "Stale"
            if is_stale:
                stale.add(group)
            resources = [{"plural": entry.get("resource", ""), "kind": (entry.get("responseKind") or {}).get("kind", ""),
                          "namespaced": entry.get("scope") == "Namespaced", "verbs": sorted(entry.get("verbs") or [])}
                         for entry in version.get("resources") or []]
            groups.append({"group": group, "version": version.get("version", ""), "stale": is_stale, "resources": resources})


def _group(get: Get, group: Dict[str, Any], groups: List[Dict[str, Any]], stale: Set[str]) -> None:
    name = group.get("name", "")
    preferred = (group.get("preferredVersion") or {}).get("version", "")
    versions = [entry.get("version", "") for entry in group.get("versions") or []]
    for version in sorted(versions, key=lambda version: (version != preferred, versions.index(version))):
        _resource_list(get, "/apis/%s/%s" % (name, version), name, version, groups, stale)


def _resource_list(get: Get, path: str, group: str, version: str, groups: List[Dict[str, Any]], stale: Set[str]) -> None:
    resources: List[Dict[str, Any]] = []
    failed = False
    try:
        document = get(path)
    except ApiError:
        # A dead aggregated API answers 503 text/plain here; the other groups are none the worse for it.
        failed = True
        stale.add(group)
    else:
        resources = [{"plural": entry.get("name", ""), "kind": entry.get("kind", ""), "namespaced": bool(entry.get("namespaced")),
                      "verbs": sorted(entry.get("verbs") or [])}
                     for entry in document.get("resources") or [] if "/" not in entry.get("name", "/")]
    groups.append({"group": group, "version": version, "stale": failed, "resources": resources})
