"""Results of Sonobuoy: lists by namespace, and a protocol of what was asked, how long it took, and what failed.

Layout: result archives of v0.9, v0.10 and v0.53 and the documentation of vmware-tanzu/sonobuoy ("The Sonobuoy results tarball").
Where nothing was found there is no file; ``meta/query-time.json`` says that it was looked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson

from ...objects.times import parse_time
from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from ..kinds import groups_of, kind_of

_QUERIES, _CONFIG, _LOG = "meta/query-time.json", "meta/config.json", "meta/run.log"
_VERSION, _GROUPS = "serverversion.json", "servergroups.json"
_MARKERS = (_QUERIES, _CONFIG, _LOG, _VERSION, _GROUPS)
_TOP = re.compile(r"((?:[^/]+/){0,3}?)(?:meta/query-time\.json|resources/(?:ns/[^/]+|cluster)/[^/]+\.json)")
_LIST = re.compile(r"resources/(?:cluster|ns/(?P<namespace>[^/]+))/(?P<file>[^/]+)\.json")
_POD_LOG = re.compile(r"podlogs/([^/]+)/([^/]+)/logs/([^/]+)\.txt")
# Since v0.15 a file is named by group, version and plural; before by the plural of the kind alone, and its items tell no kind.
_FULL = re.compile(r"(?P<group>[a-z0-9.-]+)_(?P<version>v\d[a-z0-9]*)_(?P<plural>[a-z0-9]+)")
_OWN = ("sonobuoy", "heptio-sonobuoy")


def _match(names: Sequence[str]) -> Match | None:
    found = next((match for name in names if (match := _TOP.fullmatch(name))), None)
    has = set(names)
    markers = sum(found.group(1) + name in has for name in _MARKERS) if found else 0
    return Match(found.group(1), markers + 1, (_QUERIES, _CONFIG)) if found and markers else None


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    config = _json(documents.get(_CONFIG))
    filters = config.get("Filters") if isinstance(config, dict) else None
    intake.notes["some"] = bool(isinstance(filters, dict) and filters.get("LabelSelector"))
    queries = _json(documents.get(_QUERIES))
    intake.notes["queries"] = queries if isinstance(queries, list) else []
    intake.own = lambda body: body["metadata"].get("namespace") in _OWN and body["kind"] != "Secret"  # which may hold values


def _json(data: bytes | None) -> Any:
    with suppress(ValueError):
        return orjson.loads(data or b"null")
    return None


def _take(member: Member, intake: Intake) -> None:
    if found := _LIST.fullmatch(member.name):
        group, version, plural = _kind(found["file"])
        intake.objects(member, kind_of(plural, group), f"{group}/{version}" if group else version)
    elif found := _POD_LOG.fullmatch(member.name):
        if found[1] not in _OWN:
            intake.log(member, found[1], found[2], found[3])
    elif member.name == _VERSION:
        value = intake.document(member)
        intake.version = value if isinstance(value, dict) else {}
    elif member.name == _GROUPS:
        intake.discovery = _discovery(intake.document(member))
    elif member.name == _LOG:
        _time(member, intake)


def _kind(file: str) -> tuple[str, str, str]:
    """Return group, version and plural of a file's objects."""
    if found := _FULL.fullmatch(file):
        return "" if found["group"] == "core" else found["group"], found["version"], found["plural"]
    return next(iter(groups_of(file)), ""), "v1", file.lower()


def _discovery(value: Any) -> dict[str, Any] | None:
    """Return the groups that the API serves; of which kinds is not told."""
    groups = value.get("groups") if isinstance(value, dict) else None
    if not isinstance(groups, list):
        return None
    names = sorted({one["name"] for one in groups if isinstance(one, dict) and isinstance(one.get("name"), str)})
    return {"complete": False, "groups": [{"group": name, "version": "", "stale": True, "resources": []} for name in names]}


def _time(member: Member, intake: Intake) -> None:
    """The last lines of the protocol say when the last list was read."""
    for line in member.read().splitlines()[-20:]:
        value = _json(line)
        with suppress(ValueError):
            if isinstance(value, dict):
                intake.time(parse_time(value.get("time")))


def _finish(names: Sequence[str], intake: Intake) -> None:
    """Each query that ended well brought the whole list: of the cluster, or of one namespace."""
    for query in intake.notes["queries"]:
        if isinstance(query, dict) and isinstance(query.get("queryobj"), str):
            _query(query, intake)


def _query(query: Mapping[str, Any], intake: Intake) -> None:
    plural, namespace = query["queryobj"].lower(), query.get("namespace")
    namespace = namespace if isinstance(namespace, str) else ""
    for group in groups_of(plural)[:1]:
        kind = kind_of(plural, group)
        seen = sorted({of for one, of, _ in intake.seen if one == kind} or {group})
        for of in seen:
            if intake.notes["some"]:
                intake.lacks(plural, kind, of, namespace, "only objects with some labels were asked for", "truncated")
            elif query.get("error"):
                intake.lacks(plural, kind, of, namespace, _words(query["error"]))
            else:
                intake.collected(plural, kind, of, namespace)


def _words(error: Any) -> str:
    status = error.get("ErrStatus") if isinstance(error, dict) else None
    return str(status.get("message") or "it failed") if isinstance(status, dict) else str(error)[:200]


FORMAT = Format("Sonobuoy results", "a Sonobuoy archive", _match, _take, _finish, begin=_begin)
