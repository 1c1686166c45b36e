"""Several bundles of one cluster, read as one: of what stands in more than one of them the newest counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from runai_collect import layout

from ..errors import BundleError
from ..model import BundleInfo, Missing
from . import open_bundle
from .coverage import Coverage
from .gathered import best_steps, effective_steps
from .identity import Identity, compare
from .intake.described import NOT_SHOWN
from .intake.drafts import DESCRIPTION, TABLE
from .limits import Limits, printable
from .node_texts import SMI_NAMES
from .source import CERTIFICATES, HELM_RELEASES, Kinds, Log, Record, Source, group_of

_ALL = DESCRIPTION + 1  # an object of which nothing is left out shows more than any text
_EPOCH = datetime(1, 1, 1, tzinfo=UTC)
_ROW_KINDS = {"configmap": ("ConfigMap", ""), "secret": ("Secret", ""), "helm": HELM_RELEASES, "certificate": CERTIFICATES}
# What stays true when a newer bundle does not show it: events pass, and certificates are read one by one.
_HISTORY = (("Event", ""), ("Event", "events.k8s.io"), CERTIFICATES)

Key = tuple[str, ...]


class Opened(Source, Protocol):
    """A bundle that was opened: a source that also says what was asked for it."""

    @property
    def gathered(self) -> Coverage:
        """What was asked of the cluster and what came of it; known in full once all records were streamed."""


@dataclass
class Part:
    """One of the bundles: its name among them, what it shows of its cluster, and what stands in it."""

    source: Opened
    label: str
    identity: Identity = field(default_factory=Identity)
    keys: set[Key] = field(default_factory=set)
    logs: set[Key] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)
    shown: dict[Key, int] = field(default_factory=dict)  # of objects read from texts for people: how much of them shows

    @property
    def captured(self) -> datetime | None:
        """When it was made; None: it does not say."""
        return self.source.info.captured


def open_bundles(paths: Sequence[Path], limits: Limits = Limits()) -> Opened:  # noqa: B008 - frozen
    """Open one bundle, or several of one cluster as one.

    Raises BundleError when one cannot be read (``open_bundle``), or two of them are of different clusters.
    """
    if len(paths) == 1:
        return open_bundle(paths[0], limits)
    sources = [open_bundle(path, limits) for path in dict.fromkeys(paths)]
    return join(sources)


def join(sources: Sequence[Opened]) -> Opened:
    """Return several opened bundles as one. Raises BundleError when two of them are of different clusters."""
    labels: dict[str, int] = {}
    parts = []
    for source in {source.info.sha256 or str(id(source)): source for source in reversed(sources)}.values():
        name = source.info.file_name
        labels[name] = labels.get(name, 0) + 1
        parts.append(Part(source, name if labels[name] == 1 else f"{name} ({labels[name]})"))
    parts.reverse()
    if len(parts) == 1:
        return parts[0].source
    for part in parts:
        _look(part)
    return Joined(sorted(parts, key=lambda part: part.captured or _EPOCH, reverse=True), _unlinked(parts))


def _look(part: Part) -> None:
    """Go through a bundle once: what it shows of its cluster, and what stands in it."""
    for record in part.source.records(None):
        part.identity.add(record)
        key = _key(record)
        part.keys.add(key)
        if key[0] == "object" and record.body["metadata"].get("uid") == NOT_SHOWN:
            part.shown[key] = TABLE if record.body["metadata"].get("annotations") == NOT_SHOWN else DESCRIPTION
        if key[:3] == ("object", "Namespace", ""):
            part.namespaces.add(key[4])
    part.logs = {_log_key(log) for log in part.source.logs()}


def _unlinked(parts: Sequence[Part]) -> list[str]:
    """Return the names of the bundles of which nothing tells that they are of the others' cluster.

    Raises BundleError for two that are of different clusters.
    """
    group = {part.label: part.label for part in parts}
    for place, one in enumerate(parts):
        for other in parts[place + 1 :]:
            answer, why = compare(one.identity, other.identity)
            if answer == "different":
                raise BundleError(
                    f"{printable(one.label)} and {printable(other.label)} are of two clusters: {printable(why)}",
                    "analyze each cluster by itself",
                )
            if answer == "same":
                old, new = group[other.label], group[one.label]
                group = {label: new if of == old else of for label, of in group.items()}
    members = list(group.values())
    largest = max(members, key=lambda name: (members.count(name), -members.index(name)))
    return [label for label, of in group.items() if of != largest]


def _key(record: Record) -> Key:
    """Return what a record is about; two bundles that hold it have the same key for it."""
    body = record.body
    if record.area == "node_file":
        return (record.area, str(body.get("node")), str(body.get("name")))
    about: Any = body.get("metadata") if record.area == "object" else body
    about = about if isinstance(about, dict) else {}
    kind, group = _kind_of(record)
    return (record.area, kind, group, str(about.get("namespace") or ""), str(about.get("name")))


def _kind_of(record: Record) -> tuple[str, str]:
    if record.area == "object":
        return str(record.body.get("kind")), group_of(record.body.get("apiVersion"))
    return _ROW_KINDS.get(record.area, ("", ""))


def _log_key(log: Log) -> Key:
    return (log.namespace, log.pod, log.container, "previous" if log.previous else "")


class Joined:
    """Several bundles as one (``source.Source``). ``parts``: the newest first; those that do not say when are the oldest."""

    def __init__(self, parts: Sequence[Part], unlinked: Sequence[str]) -> None:
        self._parts = parts
        self._smi = _who_tells_of_gpus(parts)
        self._gone: dict[tuple[int, str, str, str], bool] = {}
        coverages = [part.source.gathered for part in parts]
        steps = best_steps(effective_steps(coverage) for coverage in coverages)
        discovery = next((coverage.discovery for coverage in coverages if coverage.discovery is not None), None)
        holders = {coverage.holder for coverage in coverages}
        self._coverage = Coverage(steps, False, discovery, holder="this set of bundles" if all(holders) else "")
        self._coverage.namespaces |= self._namespaces()
        self._notes = _notes(parts, unlinked)

    def _namespaces(self) -> set[str]:
        """Return the namespaces: of the newest bundle that lists them all, else of all."""
        for part in self._parts:
            if not part.source.coverage("Namespace", "", ()):
                return part.namespaces
        return {name for part in self._parts for name in (*part.namespaces, *part.source.gathered.namespaces)}

    @property
    def info(self) -> BundleInfo:
        """The bundles as one, each of them in ``parts``."""
        infos = [replace(part.source.info, file_name=part.label) for part in self._parts]
        states = [info.state for info in infos if info.state != "complete"]
        first = infos[0]
        return BundleInfo(
            file_name=", ".join(info.file_name for info in infos),
            size=sum(info.size for info in infos),
            sha256="",
            format=max(info.format for info in infos),
            collector=", ".join(dict.fromkeys(info.collector for info in infos)),
            captured=first.captured,
            state=states[0] if states else "complete",
            problems=tuple(replace(it, member=_under(info.file_name, it.member)) for info in infos for it in info.problems),
            steps=tuple(self._coverage.steps),
            options=tuple((f"{info.file_name}: {name}", value) for info in infos for name, value in info.options),
            clock_skew_seconds=first.clock_skew_seconds,
            removed=tuple(_under(info.file_name, name) for info in infos for name in info.removed),
            holder=", ".join(dict.fromkeys(info.holder for info in infos)) if all(info.holder for info in infos) else "",
            parts=tuple(infos),
            exposed=tuple(replace(it, member=_under(info.file_name, it.member)) for info in infos for it in info.exposed),
            notes=(*self._notes, *dict.fromkeys(note for info in infos for note in info.notes)),
        )

    @property
    def cluster_name(self) -> str:
        """The cluster's name in the newest bundle that has one."""
        return next((part.source.cluster_name for part in self._parts if part.source.cluster_name), "")

    @property
    def version(self) -> Mapping[str, Any] | Missing:
        """The body of ``/version``, from the newest bundle that has it."""
        found = [part.source.version for part in self._parts]
        return next((one for one in found if not isinstance(one, Missing)), found[0])

    @property
    def gathered(self) -> Coverage:
        """What was asked for all of them, of each thing the best answer."""
        return self._coverage

    def served(self, group: str) -> bool | None:
        """Whether the API server serves the group; None: no bundle says."""
        answers = [part.source.served(group) for part in self._parts]
        return True if True in answers else False if False in answers else None

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind: nothing when one of the bundles has all of it, or they have it together."""
        if any(not part.source.coverage(kind, group, namespaces) for part in self._parts):
            return ()
        return self._coverage.of(kind, group, namespaces)

    def records(self, kinds: Kinds | None) -> Iterator[Record]:
        """Stream the records, each thing once: from the newest bundle that has it. What a newer bundle, which holds all of its
        kind, has not is gone."""
        for place, part in enumerate(self._parts):
            for record in part.source.records(kinds):
                key = _key(record)
                if record.area == "node_file":
                    if self._tells(place, key):
                        yield self._named(part, record)
                elif not self._stands_in_newer(place, key) and not self._is_gone(place, record, key):
                    yield self._named(part, record)

    def logs(self) -> Iterator[Log]:
        """Stream the logs, each from the newest bundle that has it."""
        for place, part in enumerate(self._parts):
            newer = self._parts[:place]
            for log in part.source.logs():
                if not any(_log_key(log) in one.logs for one in newer):
                    yield replace(log, member=_under(part.label, log.member))

    @staticmethod
    def _named(part: Part, record: Record) -> Record:
        return replace(record, member=_under(part.label, record.member))

    def _stands_in_newer(self, place: int, key: Key) -> bool:
        """Tell whether another bundle's record counts: of two of one day the one that shows more, else the newer."""
        own = self._parts[place]
        for number, part in enumerate(self._parts):
            if part is own or key not in part.keys:
                continue
            more = part.shown.get(key, _ALL) - own.shown.get(key, _ALL) if _near(part, own) else 0
            if more > 0 or (more == 0 and number < place):
                return True
        return False

    def _is_gone(self, place: int, record: Record, key: Key) -> bool:
        kind, group = _kind_of(record)
        asked = (place, kind, group, key[3])
        if asked not in self._gone:
            own = self._parts[place].captured
            newer = [part for part in self._parts[:place] if own and part.captured and part.captured > own]
            namespaces = (key[3],) if key[3] else ()
            whole = any(not part.source.coverage(kind, group, namespaces) for part in newer)
            self._gone[asked] = whole and (kind, group) not in _HISTORY
        return self._gone[asked]

    def _tells(self, place: int, key: Key) -> bool:
        """Tell whether a file about a node is taken: those that nvidia-smi wrote, and where they come from, of one bundle."""
        _, node, name = key
        if name in (*_SMI, layout.NODE_SOURCE):
            return self._smi.get(node) == place
        return not self._stands_in_newer(place, key)


def _near(one: Part, other: Part) -> bool:
    """Tell whether two bundles may be of one day."""
    return not one.captured or not other.captured or abs(one.captured - other.captured) < timedelta(days=1)


_SMI = (*SMI_NAMES, layout.NVIDIA_SMI_TOPO)


def _who_tells_of_gpus(parts: Sequence[Part]) -> dict[str, int]:
    """Return by node the place of the newest bundle with an output of nvidia-smi, else of the newest that says why not."""
    found: dict[str, int] = {}
    for wanted in (_SMI, (layout.NODE_SOURCE,)):
        for place, part in enumerate(parts):
            for node in sorted(key[1] for key in part.keys if key[0] == "node_file" and key[2] in wanted):
                found.setdefault(node, place)
    return found


def _under(label: str, member: str) -> str:
    return f"{label}/{member}" if member else label


def _notes(parts: Sequence[Part], unlinked: Sequence[str]) -> tuple[str, ...]:
    names = [printable(part.label, 80) for part in parts]
    counts = "Of what stands in more than one of them the newest counts."
    said = [f"{len(parts)} bundles were read as one: {', '.join(names)}. {counts}"]
    for name in unlinked:
        said.append(f"Nothing in {printable(name, 80)} tells of which cluster it is: that it is of this one is taken from you.")
    untimed = [printable(part.label, 80) for part in parts if part.captured is None]
    if untimed and len(untimed) < len(parts):
        said.append(f"When {', '.join(untimed)} was made is not known: it counts as the oldest.")
    return tuple(said)
