"""The made kind ``LogLine``: what known messages (the signatures of packs) were found in the collected logs.

Logs are read one by one and looked through in one pass for all signatures together; only lines that may match are taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from runai_collect.redact_text import redact_line

from ..bundle.source import Log
from ..model import Item, Missing, ObjectRef
from .reading import tree

_MOST_FOUND = 20_000  # of different signature, container and run
_LONGEST_LINE = 65_536  # characters of a line that are looked at
_LONGEST_SHOWN = 500
_LONGEST_KEPT = 4_000  # of a line that may be shown: a secret is not known by its first half
# The collector asks for logs with the kubelet's time before each line.
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})) ?", re.ASCII)


class Known(Protocol):
    """A signature, as far as facts name it."""

    @property
    def id(self) -> str:
        """Its name for rules."""

    @property
    def title(self) -> str:
        """What its message means."""

    @property
    def component(self) -> str:
        """Whose message it is."""


class Signatures(Protocol):
    """All signatures of the packs, ready to be laid on logs."""

    def next(self, data: bytes, start: int) -> int:
        """Return where in a log, from ``start`` on, the next line that may match has its place; -1 for none."""

    def of_line(self, line: str) -> Sequence[Known]:
        """Return the signatures that a line, without its time, matches."""


class NoSignatures:
    """Signatures for where there are no logs: objects that an author wrote."""

    def next(self, data: bytes, start: int) -> int:
        """Find nothing."""
        return -1

    def of_line(self, line: str) -> Sequence[Known]:
        """Find nothing."""
        return ()


@dataclass
class _Hits:
    """The lines of one log that one signature matches."""

    signature: Known
    log: Log
    count: int = 0
    line: int = 0
    text: str = ""
    first: str = ""
    last: str = ""

    def add(self, line: int, time: str, text: str) -> None:
        self.count += 1
        self.line, self.text, self.last = line, text, time or self.last
        self.first = self.first or time


@dataclass(frozen=True)
class Found:
    """The ``LogLine`` items; ``dropped``: there were more than are kept."""

    items: tuple[Item, ...] = ()
    dropped: bool = False


def find_lines(logs: Iterable[Log], signatures: Signatures) -> Found:
    """Return what was found in the logs, in the order of the bundle, and in a log by the ids of the signatures."""
    items: list[Item] = []
    for log in logs:
        hits = _look_through(log, signatures)
        if len(items) + len(hits) > _MOST_FOUND:
            return Found(tuple(items), dropped=True)
        items += (_item(hits[key]) for key in sorted(hits))
    return Found(tuple(items))


def _look_through(log: Log, signatures: Signatures) -> dict[str, _Hits]:
    hits: dict[str, _Hits] = {}
    data, number, counted = log.data, 1, 0
    place = signatures.next(data, 0)
    while place >= 0:
        start, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
        end = len(data) if end < 0 else end
        number, counted = number + data.count(b"\n", counted, start), start
        time, text = _apart(data[start:end].decode("utf-8", "replace")[:_LONGEST_LINE])
        for signature in signatures.of_line(text):
            hits.setdefault(signature.id, _Hits(signature, log)).add(number, time, text[:_LONGEST_KEPT])
        place = signatures.next(data, end + 1) if end < len(data) else -1
    return hits


def _apart(line: str) -> tuple[str, str]:
    """Return the time before a line, empty where there is none, and the line itself."""
    match = _TIME.match(line)
    return (match[1], line[match.end() :].rstrip("\r")) if match else ("", line.rstrip("\r"))


def _item(hits: _Hits) -> Item:
    log, signature = hits.log, hits.signature
    place_in_pod = f"/{log.container}" if log.container else ""  # some tools write all containers' lines into one file
    name = log.pod + place_in_pod + (".previous" if log.previous else "")
    body: dict[str, Any] = {
        "apiVersion": "made/v1",
        "kind": "LogLine",
        "metadata": {"namespace": log.namespace, "name": name},
        "signature": signature.id,
        "title": signature.title,
        "component": signature.component,
        "namespace": log.namespace,
        "pod": log.pod,
        "container": log.container,
        "previous": log.previous,
        "count": hits.count,
        "line": hits.line,
        "text": redact_line(hits.text)[0][:_LONGEST_SHOWN],  # logs of other tools' bundles come as they were written
        "time": hits.last or None,
        "first": hits.first or None,
        "last": hits.last or None,
    }
    place = (log.member, hits.line)
    ref = ObjectRef("LogLine", name, log.namespace, *place)
    return Item("LogLine", "made", tree(body), ref, {"": ObjectRef("Pod", log.pod, log.namespace, *place)})


NOT_SEARCHED = Missing("lines of logs", "no pack was loaded that says what to search logs for")


def not_all(found: Found) -> tuple[Missing, ...]:
    """Return the gap where more was found than is kept."""
    said = f"more than {_MOST_FOUND} different messages were found, and only the first are kept"
    return (Missing("lines of logs", said),) if found.dropped else ()
