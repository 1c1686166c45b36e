"""Records and logs on their way from a foreign bundle to the facts, which read them more than once: a file without a name."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from ...errors import BundleError
from ..source import CERTIFICATES, HELM_RELEASES, Area, Kinds, Log, Record, wanted

_IN_MEMORY = 64 << 20  # beyond that the system's temporary folder takes it; the file has no name there
_MOST = 1_000_000  # a cluster with 150,000 pods has half of that
_OF_AREA = {"configmap": ("ConfigMap", ""), "secret": ("Secret", ""), "helm": HELM_RELEASES, "certificate": CERTIFICATES}


@dataclass(frozen=True, slots=True)
class _Entry:
    area: Area
    kind: str
    group: str
    member: str
    line: int
    offset: int
    size: int


class Spool:
    """Keeps records as JSON, in the order in which they were added."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - lives as long as the bundle
        self._entries: list[_Entry] = []
        self._logs: list[tuple[str, str, str, bool, str, int, int]] = []
        self._end = 0

    def add(self, area: Area, kind: str, group: str, body: dict[str, Any] | bytes, member: str, line: int = 0) -> None:
        """Add a record; ``body`` is a mapping, or its JSON."""
        data = body if isinstance(body, bytes) else orjson.dumps(body)
        self._entries.append(_Entry(area, kind, group, member, line, self._end, len(data)))
        self._write(data)

    def add_log(self, namespace: str, pod: str, container: str, previous: bool, member: str, data: bytes) -> None:
        """Add a log."""
        self._logs.append((namespace, pod, container, previous, member, self._end, len(data)))
        self._write(data)

    def records(self, kinds: Kinds | None) -> Iterator[Record]:
        """Yield the records of these kinds; None: all, and files about nodes."""
        for entry in self._entries:
            kind = _OF_AREA.get(entry.area, (entry.kind, entry.group))
            if kinds is None or (entry.area != "node_file" and wanted(kinds, *kind)):
                data = self._read(entry.offset, entry.size)
                yield Record(entry.area, orjson.loads(data), entry.member, entry.line, entry.size * 2)

    def logs(self) -> Iterator[Log]:
        """Yield the logs, one at a time."""
        for namespace, pod, container, previous, member, offset, size in self._logs:
            yield Log(namespace, pod, container, previous, member, self._read(offset, size))

    def place_logs(self, namespaces: Mapping[str, str]) -> None:
        """Give the logs that were added without a namespace the one of their pod, and drop those of pods that are not known."""
        known = [one for one in self._logs if one[0] or one[1] in namespaces]
        self._logs = [one if one[0] else (namespaces[one[1]], *one[1:]) for one in known]

    def logged(self) -> set[tuple[str, str]]:
        """Return namespace and name of the pods of whose present run there is a log."""
        return {(namespace, pod) for namespace, pod, _, previous, *_ in self._logs if not previous}

    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how many records there are by area, kind and group."""
        found: dict[tuple[str, str, str], int] = {}
        for entry in self._entries:
            key = (entry.area, entry.kind, entry.group)
            found[key] = found.get(key, 0) + 1
        return found

    def _write(self, data: bytes) -> None:
        if len(self._entries) + len(self._logs) > _MOST:
            hint = "ask for a bundle of the namespaces and nodes that matter"
            raise BundleError(f"the bundle holds more than {_MOST:,} objects and logs, and is not read further", hint)
        try:
            self._file.seek(self._end)
            self._file.write(data)
        except OSError as error:
            where = tempfile.gettempdir()
            what = f"what is read of the bundle does not fit into the temporary folder {where}: {error.strerror}"
            raise BundleError(what, "make room there, or name another folder in the variable TMPDIR") from error
        self._end += len(data)

    def _read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)
