"""The tree that ``oc adm inspect`` writes, which every must-gather has in it: where a file stands says what it holds.

Paths by the source of oc 4.8 to 4.19 (pkg/cli/admin/inspect): lists as ``<group>/<plural>.yaml``, single objects below
``<group>/<plural>/``, ``core`` for the group without a name, pods with their logs below ``pods/``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_CLUSTER, _NAMESPACES = "cluster-scoped-resources", "namespaces"
_ENDING = re.compile(r"\.(?:yaml|yml|json)\Z")
_LIST = re.compile(rb"""^kind: ["']?(\w*)List["']?\s*$|^\s{0,8}"kind": ?"(\w*)List",?\s*$""", re.MULTILINE)
_LOG = re.compile(r"logs/(?P<which>current|previous)(?:\.insecure)?\.log\Z|logs/rotated/[^/]+\Z")
# Trees of other tools, or of other times, in which the same folders occur.
_FOREIGN = ("sos_commands", "yamls", "cluster-resources")


class Place(NamedTuple):
    """Where a file stands: the folder of the image, namespace (empty: cluster-scoped), group and plural of what it holds, and
    the object's name (empty: a list)."""

    image: str
    namespace: str
    group: str
    plural: str
    name: str


class LogPlace(NamedTuple):
    """Whose log a file is."""

    namespace: str
    pod: str
    container: str
    previous: bool


def place_of(name: str) -> Place | None:
    """Return what a file of the tree holds; None for one that holds no objects, or stands outside."""
    found = _split(name)
    if found is None or not _ENDING.search(name):
        return None
    image, folder, rest = found
    rest = [_ENDING.sub("", part) for part in rest]  # a folder may have a file's name
    if folder == _CLUSTER:
        return Place(image, "", *_group(rest)) if 2 <= len(rest) <= 3 else None
    if len(rest) == 2 and rest[0] == rest[1]:
        return Place(image, "", "", _NAMESPACES, rest[0])
    if len(rest) == 4 and rest[1] == "pods":
        return Place(image, rest[0], "", "pods", rest[2]) if rest[2] == rest[3] else None
    return Place(image, rest[0], *_group(rest[1:])) if 3 <= len(rest) <= 4 else None


def log_of(name: str) -> LogPlace | None:
    """Return whose log a file is: ``namespaces/NS/pods/POD/CONTAINER/CONTAINER/logs/…``. What was rotated away is older lines of
    the same run."""
    found, log = _split(name), _LOG.search(name)
    if found is None or not log or found[1] != _NAMESPACES:
        return None
    rest = found[2]
    if len(rest) < 7 or rest[1] != "pods":
        return None
    return LogPlace(rest[0], rest[2], rest[4], log["which"] == "previous")


def list_kind(data: bytes) -> str | None:
    """Return the kind of which a text is a list (empty: a List of any); None when it is no list."""
    found = _LIST.search(data) if b"List" in data else None
    return (found[1] or found[2] or b"").decode() if found else None


def _split(name: str) -> tuple[str, str, list[str]] | None:
    """Return the folder of the image, which of the two folders follows, and the parts below it."""
    parts = name.split("/")
    for number, part in enumerate(parts[:4]):
        if part in _FOREIGN or part.endswith((".tar.gz", ".tgz")):
            return None
        if part in (_CLUSTER, _NAMESPACES):
            return "/".join(parts[:number]), part, parts[number + 1 :]
    return None


def _group(rest: list[str]) -> tuple[str, str, str]:
    return "" if rest[0] == "core" else rest[0], rest[1], rest[2] if len(rest) == 3 else ""
