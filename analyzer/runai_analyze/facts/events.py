"""The made kind ``EventGroup``: events that say the same about the same owner, folded, with how it stands at capture time.

Events are folded twice. The first pass folds those that differ in nothing but names, numbers and times about one object, of both
APIs; what is left is folded by the object's owner once all owners are known. So 100,000 events of a large cluster are held as
what differs between them, and never as objects.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from ..bundle.source import Record, group_of
from ..model import Item, Missing, ObjectRef, Unknown
from ..objects.images import parse_image
from ..objects.normal import normalise
from ..objects.times import parse_time
from .causes import IMAGE, causes_of, image_in, what_about
from .gaps import Gaps
from .kinds import api_version_of
from .owners import Key, Top, in_words
from .reading import dig, hidden, mapping, name_of, namespace_of, text, tree, unknown, whole
from .states import State
from .traces import Trace, Traces, passed_over

GROUPS = ("", "events.k8s.io")
_MOST_FOLDED = 300_000  # different events that are held
_MOST_EVENTS = 600_000  # events whose names are remembered
_MOST_TEXT = 128 << 20  # characters of their messages
_MOST_SHOWN = 50  # names of objects in one group
_MOST_COUNT = (1 << 31) - 1  # the API's counts are int32
_LONGEST_MESSAGE = 1024  # what the API server takes (validation of events.k8s.io: note up to 1 kB)
_LONGEST_WORD = 253
_IN_NO_NAMESPACE = ("Namespace", "Node", "PersistentVolume")  # whatever namespace their events name
_TIMES = ("firstTimestamp", "deprecatedFirstTimestamp", "eventTime", "lastTimestamp", "deprecatedLastTimestamp")
_normalised = lru_cache(maxsize=4096)(normalise)  # the same message comes again and again, and soon
# What must still be so for an event to be more than history, by its reason; of all others: the object is not well.
_BITS = {
    "FailedScheduling": State.UNSCHEDULED,
    "NotTriggerScaleUp": State.UNSCHEDULED,
    "Unschedulable": State.UNSCHEDULED,
    "FailedAttachVolume": State.STARTING,
    "FailedMount": State.STARTING,
    "FailedMapVolume": State.STARTING,
    "FailedCreatePodSandBox": State.STARTING,
    "NetworkNotReady": State.STARTING,
}


@dataclass(frozen=True, slots=True)
class Said:
    """What tells one folded event from another: what it is about, and what it says without what differs each time."""

    about: Key
    reason: str
    type: str
    words: str


@dataclass(slots=True)
class Folded:
    """Events that say the same about one object."""

    message: str
    component: str
    origin: tuple[str, str, str, int]  # namespace, name, member, line of the newest event
    count: int = 0
    first: datetime | None = None
    last: datetime | None = None


@dataclass
class EventFold:
    """The first fold. ``left_out``: how many events were beyond what is held."""

    folded: dict[Said, Folded] = field(default_factory=dict)
    left_out: int = 0
    _names: set[tuple[str, str]] = field(default_factory=set)
    _keys: dict[Key, Key] = field(default_factory=dict)  # one tuple, and one text, for all that are alike
    _words: dict[str, str] = field(default_factory=dict)
    _size: int = 0

    def add(self, record: Record) -> None:
        """Take in one record; both APIs show the same events, so one that was seen under its name is not counted again."""
        body = record.body
        if record.area != "object" or body.get("kind") != "Event" or group_of(body.get("apiVersion")) not in GROUPS:
            return
        name = (namespace_of(body), name_of(body))
        if name in self._names and name[1]:
            return
        said, message = self._read(body)
        found = self.folded.get(said)
        if self._full(found is None):
            self.left_out += 1
            return
        self._names.add(name)
        if found is None:
            self._size += len(message) + len(said.words)
            found = self.folded[said] = Folded(message, _component(body), (*name, record.member, record.line))
        _take(found, body, message, (*name, record.member, record.line))

    def _full(self, new: bool) -> bool:
        full = len(self.folded) >= _MOST_FOLDED or self._size >= _MOST_TEXT
        return len(self._names) >= _MOST_EVENTS or (new and full)

    def _read(self, body: Mapping[str, Any]) -> tuple[Said, str]:
        about = about_of(body)
        message = (text(body.get("message")) or text(body.get("note")))[:_LONGEST_MESSAGE]
        about = self._keys.setdefault(about, about)
        words = _normalised(message)
        words = self._words.setdefault(words, words)
        return Said(about, text(body.get("reason"))[:_LONGEST_WORD], text(body.get("type"))[:_LONGEST_WORD], words), message


def about_of(body: Mapping[str, Any]) -> Key:
    """Return what an event is about. Some controllers leave the apiVersion out: then it is the built-in kind of the name."""
    found = mapping(body.get("involvedObject")) or mapping(body.get("regarding"))
    kind = text(found.get("kind"))[:_LONGEST_WORD]
    version = text(found.get("apiVersion")) or api_version_of(kind)
    namespace = "" if kind in _IN_NO_NAMESPACE else text(found.get("namespace")) or namespace_of(body)
    return kind, group_of(version)[:_LONGEST_WORD], namespace[:_LONGEST_WORD], text(found.get("name"))[:_LONGEST_WORD]


def _take(found: Folded, body: Mapping[str, Any], message: str, origin: tuple[str, str, str, int]) -> None:
    found.count = min(found.count + count_of(body), _MOST_COUNT)
    found.component = found.component or _component(body)
    times = times_of(body)
    if not times:
        return
    if found.first is None or min(times) < found.first:
        found.first = min(times)
    if found.last is None or max(times) > found.last:
        found.last, found.message, found.origin = max(times), message, origin


def count_of(body: Mapping[str, Any]) -> int:
    """Return how often an event says that it happened: the larger of its series' count and the older count, else once."""
    counts = (whole(dig(body, "series", "count")), whole(body.get("count")), whole(body.get("deprecatedCount")))
    return min(max(1, *(count or 1 for count in counts)), _MOST_COUNT)


def times_of(body: Mapping[str, Any]) -> list[datetime]:
    """Return all times of an event; that of its creation only where it has no other."""
    found = dict.fromkeys(map(text, (*map(body.get, _TIMES), dig(body, "series", "lastObservedTime"))))
    times = [time for time in map(_time, found) if time]
    created = _time(text(dig(body, "metadata", "creationTimestamp"))) if not times else None
    return [created] if created else times


@lru_cache(maxsize=4096)  # many events happen in one second
def _time(value: str) -> datetime | None:
    try:
        return parse_time(value) if value else None
    except ValueError:
        return None


def _component(body: Mapping[str, Any]) -> str:
    """Return who reports an event; ``reportingComponent`` is empty in those of the older recorder."""
    names = (
        body.get("reportingController"),
        body.get("reportingComponent"),
        dig(body, "source", "component"),
        dig(body, "deprecatedSource", "component"),
    )
    return next((name for name in map(text, names) if name), "")[:_LONGEST_WORD]


# --- The second fold --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """Folded events of one owner. ``top`` is that of the first object."""

    top: Top
    about: list[tuple[Key, Folded]] = field(default_factory=list)


def event_groups(fold: EventFold, traces: Traces, gaps: Gaps, needed: frozenset[str] | None = None) -> Iterator[Item]:
    """Yield the ``EventGroup`` items, sorted by namespace, owner, reason and message. ``needed``: as of ``build_facts``."""
    groups: dict[tuple[str, ...], _Group] = {}
    for said, folded in fold.folded.items():
        top = traces.top(said.about, gaps)
        kind, group, namespace, name = top.key
        if top.gap:  # gone: pods of one owner are alike in all but the drawn end of their names
            name = normalise(name)
        key = (namespace, kind, group, name, said.reason, said.type, said.words)
        groups.setdefault(key, _Group(top)).about.append((said.about, folded))
    for each in sorted(groups):
        yield _item(each, groups[each], traces, gaps, needed)


def _item(
    key: tuple[str, ...], group: _Group, traces: Traces, gaps: Gaps, needed: frozenset[str] | None
) -> Item:
    namespace, kind, _, name, reason, type_, words = key
    newest = max(group.about, key=lambda pair: (pair[1].last is not None, pair[1].last, pair[1].origin))[1]
    objects = list(dict.fromkeys(about for about, _ in group.about))
    title = f"{kind}/{name}/{reason} {hashlib.sha256(words.encode()).hexdigest()[:6]}"
    body: dict[str, Any] = {
        "apiVersion": "made/v1",
        "kind": "EventGroup",
        "metadata": {"namespace": namespace or None, "name": title},
        "reason": reason,
        "type": type_ or None,
        "message": newest.message,
        "component": newest.component or None,
        "count": min(sum(one.count for _, one in group.about), _MOST_COUNT),
        "first": _shown(min((one.first for _, one in group.about if one.first), default=None)),
        "last": _shown(newest.last),
        "objects": sorted(map(in_words, objects))[:_MOST_SHOWN],
        "object_count": len(objects),
        "owner": {"kind": group.top.gap or kind, "name": group.top.gap or group.top.key[3], "namespace": namespace or None},
        **_causes(reason, newest.message),
        **_image(reason, newest.message),
    }
    event_namespace, event_name, member, line = newest.origin
    origins = {"": ObjectRef("Event", event_name, event_namespace, member, line), "owner": traces.ref(group.top.key)}
    if needed is None or needed:
        body["facts"] = facts = facts_now(objects, reason, newest.message, traces, gaps)
        worst = next((key for key in objects if in_words(key) in facts["failing_objects"][:1]), objects[0])
        origins["facts"] = traces.ref(worst)
    return Item("EventGroup", "made", tree(body), ObjectRef("EventGroup", title, namespace, member, line), origins)


def _shown(time: datetime | None) -> str | None:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z") if time else None


def _causes(reason: str, message: str) -> dict[str, Any]:
    causes = causes_of(reason, message)
    if not causes and hidden(message):
        unclear = unknown("what the message says is wrong", "a part of it was hidden by redaction")
        return {"cause": unclear, "causes": unclear}
    return {"cause": causes[0] if causes else None, "causes": causes}


def _image(reason: str, message: str) -> dict[str, Any]:
    image = image_in(message) if what_about(reason, message) == IMAGE else ""
    return {"image": image or None, "registry": registry_of(image) if image else None}


def registry_of(image: str) -> str | Unknown:
    """Return the registry of an image; Unknown for what no runtime takes as a reference."""
    try:
        return parse_image(image).registry
    except ValueError as error:
        return unknown(f"the registry of {image[:100]}", str(error))


# --- Still failing or recovered ---------------------------------------------------------------------------------------------


def facts_now(objects: Iterable[Key], reason: str, message: str, traces: Traces, gaps: Gaps) -> dict[str, Any]:
    """Return how the objects of a group are at capture time: one that fails beats one that nobody can tell of."""
    bit = bit_of(reason, message)
    states = {key: state_now(key, bit, traces, gaps) for key in objects}
    failing = sorted(in_words(key) for key, state in states.items() if state == "failing")
    untold = next((state for state in states.values() if isinstance(state, Unknown)), None)
    state = "failing" if failing else untold or ("well" if "well" in states.values() else "gone")
    still = {"failing": "yes"}.get(state, "no") if isinstance(state, str) else state
    return {"still_failing": still, "state": state, "failing_objects": failing[:_MOST_SHOWN]}


def bit_of(reason: str, message: str) -> State:
    """Return what of an object's state an event is about."""
    return _BITS.get(reason) or (State.PULLING if what_about(reason, message) == IMAGE else State.FAILING)


def state_now(key: Key, bit: State, traces: Traces, gaps: Gaps) -> str | Unknown:
    """Return ``failing``, ``well`` or ``gone``; Unknown where its kind was not collected, or says nothing about how it is."""
    kind, group, namespace, _ = key
    trace = traces.get(key)
    if trace is not None and not trace[0] & State.UNTOLD:
        fails = trace[0] & (bit if key[0] == "Pod" else State.FAILING) and not _made_up_for(trace, traces)
        return "failing" if fails else "well"
    if trace is not None or passed_over(kind, group):
        return unknown(f"how {in_words(key)} is", f"no field of a {kind or 'nameless kind'} says whether it is well")
    return gaps.of((kind, group), namespaces=(namespace,) if namespace else ()) or "gone"


def _made_up_for(trace: Trace, traces: Traces) -> bool:
    """Tell whether other pods have taken the place of one that has failed: its owner is well, a Job that is complete or a
    ReplicaSet with all its replicas. Such pods lie about, evicted or given up, until somebody removes them."""
    owner = traces.get(trace[1]) if trace[0] & State.ENDED and trace[1] else None
    return owner is not None and not owner[0] & (State.FAILING | State.UNTOLD)


def left_out(fold: EventFold) -> tuple[Missing, ...]:
    """Return what is lacking of the groups because the bundle holds more different events than are kept."""
    if not fold.left_out:
        return ()
    why = f"the bundle holds more events than are looked at: {fold.left_out:,} were left out"
    return (Missing("events", why),)
