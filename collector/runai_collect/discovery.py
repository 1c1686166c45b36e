"""What an API server serves, from aggregated discovery (1.26 and later) or, group by group, from the older one."""

from itertools import chain
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple

from .client import ApiError
from .plan import Kind

MOST = 50000                    # versions and kinds: each takes a kilobyte of memory, and a large cluster has some thousand
Get = Callable[[str], Dict[str, Any]]


class Discovered(NamedTuple):
    """Every listable resource in the server's order of preference (None: nothing is known), and what the bundle keeps of it."""

    served: Optional[List[Kind]]
    stale: FrozenSet[str]           # groups that did not answer
    groups: List[Dict[str, Any]]


def read_discovery(get: Get) -> Discovered:
    """Return what ``get(path)`` shows of /api and /apis. Raises ApiError when neither can be read."""
    groups, left = [], MOST  # type: List[Dict[str, Any]], int
    for entry in chain(_groups(get, "/api"), _groups(get, "/apis")):
        groups.append(entry)
        left -= 1 + len(entry["resources"])
        if left < 0:
            raise ApiError("error", "the server says that it serves more than %d kinds and versions" % MOST)
    stale = frozenset([entry["group"] for entry in groups if entry["stale"]])
    served = [Kind(entry["group"], resource["plural"], entry["version"], resource["kind"], resource["namespaced"])
              for entry in groups for resource in entry["resources"] if "list" in resource["verbs"]]
    return Discovered(served, stale, groups)


def _groups(get: Get, root: str) -> Iterator[Dict[str, Any]]:
    document = get(root)
    kind = document.get("kind")
    if kind == "APIGroupDiscoveryList":
        for item in document.get("items") or []:
            for version in item.get("versions") or []:
                stale = version.get("freshness") == "Stale"
                yield _entry((item.get("metadata") or {}).get("name", ""), version.get("version", ""), stale,
                             [(row.get("resource", ""), (row.get("responseKind") or {}).get("kind", ""),
                               row.get("scope") == "Namespaced", row.get("verbs")) for row in version.get("resources") or []])
    elif kind == "APIVersions":
        for name in document.get("versions") or []:
            yield _asked(get, "/api/" + name, "", name)
    elif kind == "APIGroupList":
        for group in document.get("groups") or []:
            preferred = (group.get("preferredVersion") or {}).get("version", "")
            names = [version.get("version", "") for version in group.get("versions") or []]
            for name in [name for name in names if name == preferred] + [name for name in names if name != preferred]:
                yield _asked(get, "/apis/%s/%s" % (group.get("name", ""), name), group.get("name", ""), name)
    else:
        raise ApiError("error", "%s answered with %s" % (root, kind or "no kind"))


def _asked(get: Get, path: str, group: str, version: str) -> Dict[str, Any]:
    try:
        rows = get(path).get("resources") or []
    except ApiError:
        # A dead aggregated API answers 503 text/plain here; the other groups are none the worse for it.
        return _entry(group, version, True, [])
    return _entry(group, version, False, [
        (row.get("name", ""), row.get("kind", ""), bool(row.get("namespaced")), row.get("verbs"))
        for row in rows if "/" not in row.get("name", "/")])


def _entry(group: str, version: str, stale: bool, rows: List[Tuple[str, str, bool, Optional[List[str]]]]) -> Dict[str, Any]:
    return {"group": group, "version": version, "stale": stale, "resources": [
        {"plural": plural, "kind": kind, "namespaced": namespaced, "verbs": sorted(verbs or [])}
        for plural, kind, namespaced, verbs in rows]}
