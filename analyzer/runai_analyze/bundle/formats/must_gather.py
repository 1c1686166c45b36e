"""OpenShift's must-gather and ``oc adm inspect``: the same tree, with or without a folder for each image that gathered.

``oc adm inspect`` writes a list for each kind of a namespace that it was asked for, and single objects of all else; so a list
proves that a kind was asked for whole, and single objects prove nothing, but for the kinds that the script of
openshift/must-gather (collection-scripts/gather, 4.8 to 4.20) inspects whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..intake.format import Format, Match, Member
from ..intake.held import Held, hold
from ..intake.intake import Intake
from ..kinds import kind_of
from .insights import Archives
from .inspected import LogPlace, Place, list_kind, log_of, place_of

_HOLDER = "a must-gather"
_PRODUCT = "openshift/must-gather"
# What its script asks for by the plural alone: all objects come, each in a file of its own.
_ASKED_WHOLE = frozenset(
    (
        ("", "nodes"),
        ("", "persistentvolumes"),
        ("storage.k8s.io", "storageclasses"),
        ("storage.k8s.io", "volumeattachments"),
        ("storage.k8s.io", "csidrivers"),
        ("storage.k8s.io", "csinodes"),
        ("config.openshift.io", "clusteroperators"),
        ("config.openshift.io", "clusterversions"),
        ("certificates.k8s.io", "certificatesigningrequests"),
    )
)
# Go's time.Time.String(): "2021-08-03 12:11:56.91501602 +0200 CEST m=+1.651641915"
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)\d* ([+-]\d\d)(\d\d)\b")
_INSIGHTS = re.compile(r"(?:^|/)insights-data/(?:[^/]+/)*?([^/]+\.t(?:ar\.)?gz)/(.+)\Z")


class _Key(NamedTuple):
    namespace: str
    group: str
    plural: str


@dataclass
class _Found:
    """What was read so far: objects in lists and by themselves, and what tells whether the gathering went to its end."""

    lists: dict[_Key, int] = field(default_factory=dict)
    empty: set[_Key] = field(default_factory=set)
    singles: dict[_Key, dict[str, int]] = field(default_factory=dict)  # by image
    kinds: dict[_Key, str] = field(default_factory=dict)
    products: dict[str, str] = field(default_factory=dict)  # by image: the first line of its version
    stamps: dict[str, int] = field(default_factory=dict)  # by image: how many times stand in its timestamp
    insights: Archives = field(default_factory=Archives)


def _match(names: Sequence[str]) -> Match | None:
    """Take what has the tree in it; the more kinds of its folders, the surer. A name alone that only must-gather has, or a log
    in its place, does too: of small or cleaned ones little else is left."""
    places = [place for name in names if (place := place_of(name))]
    lists = any(not place.name for place in places)
    singles = any(place.name for place in places)
    logs = any(log_of(name) for name in names)
    own = any(name.rpartition("/")[2] in ("event-filter.html", "gather.logs", "must-gather.logs") for name in names)
    markers = 2 * lists + 2 * singles + 2 * logs + own
    return Match("", markers) if markers else None


def _take(member: Member, intake: Intake) -> None:
    found = _found(intake)
    base = member.name.rpartition("/")[2]
    image = member.name.rpartition("/")[0]
    if nested := _INSIGHTS.search(member.name):
        found.insights.add(nested[1], nested[2], member, intake)
    elif log := log_of(member.name):
        _take_log(member, log, intake)
    elif place := place_of(member.name):
        _take_objects(hold(member), place, found, intake)
    elif base == "timestamp":
        found.stamps[image] = _take_times(member, intake)
    elif base == "version":
        found.products[image] = member.read()[:200].decode("utf-8", "replace").split("\n")[0].strip()
    elif base == "watermark.txt":
        what = "it was cleaned with must-gather-clean: names and addresses in it may be aliases, and whole kinds left out"
        intake.problems.add(member.name, what, "kinds that are not in it are unknown")


def _found(intake: Intake) -> _Found:
    found = intake.notes.setdefault("must-gather", _Found())
    assert isinstance(found, _Found)
    return found


def _take_log(member: Member, log: LogPlace, intake: Intake) -> None:
    """Take a log that holds something: the tool makes the file before it asks, so an empty one may be an answer or none."""
    held = hold(member)
    if held.data.strip():
        intake.log(held, *log)


def _take_objects(held: Held, place: Place, found: _Found, intake: Intake) -> None:
    key = _Key(place.namespace, place.group, place.plural)
    taken = intake.objects(held)
    kinds = [one.kind for one in taken if one.group == place.group]
    if kinds:
        found.kinds.setdefault(key, kinds[0])
    kind = list_kind(held.data)
    if place.name or (kind is None and taken):
        by_image = found.singles.setdefault(key, {})
        by_image[place.image] = by_image.get(place.image, 0) + len(taken)
    elif kind is None:
        found.empty.add(key)
    else:
        found.lists[key] = found.lists.get(key, 0) + len(taken)
        if kind:
            found.kinds.setdefault(key, kind)
    if place.plural == "infrastructures" and taken:
        _take_address(intake.document(held), intake)


def _take_address(body: Any, intake: Intake) -> None:
    """Take the cluster's name from the address of its API server: ``https://api.NAME:6443``."""
    with suppress(AttributeError, KeyError, IndexError, TypeError, ValueError):  # of another shape than the API's
        one = body["items"][0] if "items" in body else body
        host = urlsplit(one["status"]["apiServerURL"]).hostname or ""
        intake.cluster_name = intake.cluster_name or host.removeprefix("api.")[:253]


def _take_times(member: Member, intake: Intake) -> int:
    """Take the times of a ``timestamp`` file, and return how many there are: each run writes one at its start and its end."""
    stamps = _STAMP.findall(member.read()[:100_000].decode("utf-8", "replace"))
    for day, clock, hours, minutes in stamps:
        with suppress(ValueError, OverflowError):
            intake.time(datetime.fromisoformat(f"{day}T{clock}{hours}:{minutes}"))
    return len(stamps)


def _finish(names: Sequence[str], intake: Intake) -> None:
    found = _found(intake)
    found.insights.take_in(intake)
    namespaces = _Key("", "", "namespaces")
    for key in sorted({*found.lists, *found.empty, *found.singles}):
        kind = found.kinds.get(key) or kind_of(key.plural, key.group)
        if kind:
            _tell(key, kind, found, intake)
    if namespaces not in found.lists and namespaces not in found.singles and intake.namespaces():
        intake.lacks("namespaces", "Namespace", message="it names only those that were gathered", status="truncated")


def _tell(key: _Key, kind: str, found: _Found, intake: Intake) -> None:
    """Say of a kind, in its namespace or in the cluster, whether all of it is here."""
    singles = found.singles.get(key, {})
    asked = (key.plural, kind, key.group, key.namespace)
    if key in found.lists and not found.lists[key] and any(singles.values()):
        intake.lacks(*asked, "its list is empty, and there are single objects", "truncated")
    elif key in found.lists or any(_asked_whole(key, image, found) for image in singles):
        intake.collected(*asked)
    elif key in found.empty and not singles:
        intake.lacks(*asked, "its file is empty", "error")
    else:
        intake.lacks(*asked, "single objects, and no list that tells whether they are all", "truncated")


def _asked_whole(key: _Key, image: str, found: _Found) -> bool:
    """Tell whether an image's script asked for all objects of a kind, and every run of the inspection came to its end."""
    stamps = found.stamps.get(image, 0)
    whole = (key.group, key.plural) in _ASKED_WHOLE and not key.namespace
    return whole and found.products.get(image) == _PRODUCT and stamps > 1 and stamps % 2 == 0


FORMAT = Format("OpenShift must-gather", _HOLDER, _match, _take, _finish, supply="oc adm inspect ns/{}")
