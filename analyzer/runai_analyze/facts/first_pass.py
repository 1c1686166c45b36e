"""The first look at a bundle: the index that facts join on, and, where rules ask for what is made of them, traces and events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..bundle.source import Kinds, Record, Source, wanted
from .events import EventFold
from .images import Uses
from .index import Index, add, object_ref
from .reading import namespace_of
from .traces import Traces

MADE = "made"
_POD = ("Pod", "v1")
_KINDS = ("Container", "EventGroup", "Image")


@dataclass
class Watched:
    """What the kinds in ``kinds`` are made of; for other kinds nothing is kept here."""

    kinds: frozenset[str] = frozenset()
    traces: Traces = field(default_factory=lambda: Traces(pods=False))
    events: EventFold = field(default_factory=EventFold)
    images: Uses = field(default_factory=Uses)

    def add(self, record: Record) -> None:
        """Take in one record."""
        if self.kinds - {"Image"}:
            self.traces.add(record)
        if "EventGroup" in self.kinds:
            self.events.add(record)
        if "Image" in self.kinds and record.area == "object" and (record.body.get("kind"), record.body.get("apiVersion")) == _POD:
            self.images.add(record.body, namespace_of(record.body), lambda: object_ref(record))


def watch_for(kinds: Kinds) -> Watched:
    """Return what keeps these kinds: a container needs the owners of its pod, a group of events needs the pods too."""
    found = frozenset(kind for kind in _KINDS if wanted(kinds, kind, MADE))
    return Watched(found, Traces(pods="EventGroup" in found))


def look_through(source: Source, kinds: Kinds) -> tuple[Index, Watched]:
    """Read everything once. Every line is decoded here, also of kinds that only stream later: so that all that cannot be read is
    known before the first rule asks what is lacking."""
    return take(source.records(None), watch_for(kinds))


def take(records: Iterable[Record], watched: Watched) -> tuple[Index, Watched]:
    """Put records into an index and into what is watched."""
    index = Index()
    for record in records:
        watched.add(record)
        add(index, record)
    return index, watched
