"""``kubectl cluster-info dump``: into a folder, or all of it into one file.

Seen with kubectl 1.32 and 1.35: of each namespace seven lists in the order of ``_ORDER``, then the pods' logs, all containers of
a pod in one text between marks. It stops at the first list that it may not read, so namespaces may lack, and which is not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...model import Step
from ..intake.format import Format, Match, Member
from ..intake.held import Held, hold
from ..intake.intake import Intake
from .inspected import list_kind

_HOLDER = "kubectl cluster-info dump"
# The names of the files, and what they list.
_LISTS = {
    "events": ("events", "Event", ""),
    "replication-controllers": ("replicationcontrollers", "ReplicationController", ""),
    "services": ("services", "Service", ""),
    "daemonsets": ("daemonsets", "DaemonSet", "apps"),
    "deployments": ("deployments", "Deployment", "apps"),
    "replicasets": ("replicasets", "ReplicaSet", "apps"),
    "pods": ("pods", "Pod", ""),
}
_BY_KIND = {what[1]: what for what in _LISTS.values()}
_ENDING = re.compile(r"\.(?:json|yaml)\Z")
_MARK = re.compile(
    rb"(?:^==== (?P<start>START)|==== END) logs for container (?P<container>[^\s/]{1,253})"
    rb" of pod (?P<namespace>[^\s/]{1,253})/(?P<pod>[^\s/]{1,253}) ====(?:\n|\Z)",
    re.MULTILINE,
)
# What can follow the end of a log: the log itself may hold lines that look like its end.
_AFTER = re.compile(rb"\s*(?:==== START logs for container |\{|---|apiVersion:|\Z)")
_FAILED = b"Request log error: "
# Where a document of a stream begins: kubectl indents all else.
_DOCUMENT = re.compile(rb"^(?:\{|---|apiVersion:)", re.MULTILINE)


@dataclass
class _Found:
    """The lists of a folder, by namespace (empty: nodes), and whether they hold a list."""

    lists: dict[tuple[str, str], bool] = field(default_factory=dict)


def _match(names: Sequence[str]) -> Match | None:
    """Take a folder of namespaces with the seven lists, and ``nodes`` beside them: of the lists' names one is this tool's own."""
    tops = {top for name in names if (top := _top(name)) is not None}
    top = min(tops, key=len) if tops else None
    if top is None:
        return None
    nodes = any(f"{top}nodes{ending}" in names for ending in (".json", ".yaml"))
    return Match(top, 6 if nodes else 3)


def _top(name: str) -> str | None:
    parts = name.split("/")
    own = _ENDING.sub("", parts[-1]) == "replication-controllers" and parts[-1] != "replication-controllers"
    return "".join(f"{part}/" for part in parts[:-2]) if own and 2 <= len(parts) <= 5 else None


def _take(member: Member, intake: Intake) -> None:
    parts = member.name.split("/")
    if len(parts) == 3 and parts[2] == "logs.txt":
        _take_blocks(hold(member), intake)
    elif len(parts) == 2 and _ENDING.search(parts[1]):
        name = _ENDING.sub("", parts[1])
        if name in _LISTS:
            _take_list(member, parts[0], name, intake)
    elif len(parts) == 1 and _ENDING.sub("", parts[0]) == "nodes":
        _take_list(member, "", "nodes", intake)


def _take_list(member: Member, namespace: str, name: str, intake: Intake) -> None:
    held = hold(member)
    intake.objects(held)
    _found(intake).lists[(namespace, name)] = list_kind(held.data) is not None


def _found(intake: Intake) -> _Found:
    found = intake.notes.setdefault("dump", _Found())
    assert isinstance(found, _Found)
    return found


class _Block(NamedTuple):
    """The log of one container: where it stands in the text, with its marks and without."""

    namespace: str
    pod: str
    container: str
    span: tuple[int, int]
    text: tuple[int, int]


def _blocks(data: bytes) -> Iterator[_Block]:
    """Yield the logs in a text; the last one may have lost its end."""
    start: re.Match[bytes] | None = None
    for mark in _MARK.finditer(data):
        if start is None:
            start = mark if mark["start"] else None
        elif not mark["start"] and _place(mark) == _place(start) and _AFTER.match(data, mark.end()):
            yield _Block(*_place(start), (start.start(), mark.end()), (start.end(), mark.start()))
            start = None
    if start is not None:
        yield _Block(*_place(start), (start.start(), len(data)), (start.end(), len(data)))


def _place(mark: re.Match[bytes]) -> tuple[str, str, str]:
    namespace, pod, container = (mark[name].decode("utf-8", "replace") for name in ("namespace", "pod", "container"))
    return namespace, pod, container


def _take_blocks(held: Held, intake: Intake) -> list[_Block]:
    """Take the logs between the marks of a text; one that could not be read has a line in its place that says why."""
    blocks = list(_blocks(held.data))
    for block in blocks:
        text = held.data[slice(*block.text)]
        if text.startswith(_FAILED) and text.count(b"\n") <= 1:
            what = text.decode("utf-8", "replace").strip().removeprefix(_FAILED.decode())
            name = f"log:{block.namespace}/{block.pod}/{block.container}"
            intake.steps.append(Step(name, "log", block.namespace, "error", what[:300], namespace=block.namespace))
        else:
            intake.log(Held(held.name, text, held.whole), *block[:3])
    return blocks


def _finish(names: Sequence[str], intake: Intake) -> None:
    found = _found(intake).lists
    namespaces = sorted({namespace for namespace, _ in found if namespace})
    if found.get(("", "nodes")):
        intake.collected("nodes", "Node")
    for namespace in namespaces:
        for name, (plural, kind, group) in _LISTS.items():
            _tell(plural, kind, group, namespace, found.get((namespace, name)), intake)
    _tell_namespaces(intake)


def _tell(plural: str, kind: str, group: str, namespace: str, whole: bool | None, intake: Intake) -> None:
    if whole:
        intake.collected(plural, kind, group, namespace)
    else:
        why = "the dump stopped before it" if whole is None else "its file is no list"
        intake.lacks(plural, kind, group, namespace, why)


def _tell_namespaces(intake: Intake) -> None:
    why = "it does not list them, and stops at the first list that it may not read"
    intake.lacks("namespaces", "Namespace", message=why, status="truncated")


# --- One file ----------------------------------------------------------------------------------------------------------------


def is_stream(data: bytes) -> bool:
    """Tell whether a text is a dump that went into one file: lists of nodes and of what a namespace has."""
    return b"NodeList" in data[:4_000_000] and b"ReplicationControllerList" in data and list_kind(data) is not None


def take_stream(held: Held, intake: Intake) -> None:
    """Take a dump that went into one file: lists one after the other, with the logs of a namespace after its pods."""
    text = _without(held.data, [block.span for block in _take_blocks(held, intake)])
    group: list[str] = []
    namespace = ""
    for part, lines in _parts(text):
        kind = list_kind(part)
        taken = intake.objects(Held(held.name, part, held.whole), skipped=lines)
        if kind == "Node":
            intake.collected("nodes", "Node")
        elif kind in _BY_KIND:
            namespace = namespace or next((one.namespace for one in taken if one.namespace), "")
            group.append(kind)
            if kind == "Pod":
                _tell_group(group, namespace, intake)
                group, namespace = [], ""
    _tell_group(group, namespace, intake)
    _tell_namespaces(intake)


def _without(data: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """Return a text with empty lines in place of its logs."""
    kept, seen = [], 0
    for start, end in spans:
        kept += [data[seen:start], b"\n" * data.count(b"\n", start, end)]
        seen = end
    return b"".join((*kept, data[seen:]))


def _parts(text: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the documents of a stream, each with the number of lines before it."""
    starts = [match.start() for match in _DOCUMENT.finditer(text)]
    starts = [start for place, start in enumerate(starts) if not place or not _is_first_key(text, starts[place - 1], start)]
    lines, seen = 0, 0
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(text)
        lines += text.count(b"\n", seen, start)
        seen = start
        yield text[start:end], lines


def _is_first_key(text: bytes, before: int, start: int) -> bool:
    """Tell whether an ``apiVersion:`` belongs to the document that the dashes right before it begin."""
    return text[before:start].strip() == b"---"


def _tell_group(kinds: Sequence[str], namespace: str, intake: Intake) -> None:
    """Say which of the lists of a namespace came; one in which nothing is has no name, and nothing is said of it."""
    if namespace:
        for plural, kind, group in _LISTS.values():
            _tell(plural, kind, group, namespace, True if kind in kinds else None, intake)


FORMAT = Format("kubectl cluster-info dump", _HOLDER, _match, _take, _finish)
