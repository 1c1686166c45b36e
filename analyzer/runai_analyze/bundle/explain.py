"""What a bundle is, what is in it and what is missing, without running a rule: for a person, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..model import BundleInfo, Missing, Problem
from .limits import printable
from .node_texts import SMI_NAMES, is_host_text
from .several import Opened
from .source import Kinds, Record, group_of

_MADE = (("HelmRelease", "made"), ("Certificate", "made"), ("LogLine", "made"))
_WORDS = {"HelmRelease": "Helm releases", "Certificate": "certificates", "LogLine": "logs of pods"}
_ROWS = {"configmap": "ConfigMap", "secret": "Secret", "helm": "Helm release", "certificate": "Secret with certificates"}
_GPUS = "nvidia.com/gpu"
_LISTED = 40  # names in one line
_GET = re.compile(r"kubectl get (?P<what>[a-z0-9.-]+)(?P<how>(?: -A)?(?: -o yaml)?)")


@dataclass(frozen=True)
class Gap:
    """Things that the bundle lacks for one reason, and the commands that would supply them."""

    what: tuple[str, ...]
    why: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """One bundle: the name of its file, what it is and who wrote it, when (ISO 8601; empty: it does not say), its size in bytes,
    and how it ended (``BundleInfo.state``)."""

    file: str
    what: str
    collector: str
    captured: str
    size: int
    state: str


@dataclass
class Explanation:
    """All that ``--explain-bundle`` says. ``kinds``: objects by kind, with the group where that is not Kubernetes' own."""

    cluster: str
    kubernetes: str
    parts: tuple[Part, ...]
    kinds: dict[str, int] = field(default_factory=dict)
    namespaces: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    nvidia_smi: list[str] = field(default_factory=list)  # names of nodes with an output of it
    machines: list[str] = field(default_factory=list)  # names of those whose own files are there: kernel log, modules …
    logs: int = 0
    pods_with_logs: int = 0
    missing: tuple[Gap, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def explain(source: Opened, kinds: Kinds) -> Explanation:
    """Return what an opened bundle is and holds, and what it lacks of ``kinds``, those that rules ask for."""
    version = source.version
    found = Explanation(
        source.cluster_name,
        str(version.get("gitVersion") or "") if isinstance(version, Mapping) else "",
        tuple(_part(info) for info in source.info.parts or (source.info,)),
    )
    seen = _Seen()
    for record in source.records(None):
        seen.add(record)
    pods = set()
    for log in source.logs():
        found.logs += 1
        pods.add((log.namespace, log.pod))
    found.pods_with_logs = len(pods)
    found.kinds, found.nodes, found.nvidia_smi = dict(sorted(seen.kinds.items())), sorted(seen.nodes), sorted(seen.smi)
    found.namespaces, found.machines = sorted(seen.namespaces), sorted(seen.machines)
    found.missing = tuple(_gaps(_missing(source, kinds, sorted(seen.gpu_nodes))))
    info = source.info  # the problems are known in full only now
    found.problems, found.notes = info.problems, info.notes
    return found


def _part(info: BundleInfo) -> Part:
    what = info.holder or f"a bundle of runai-collect, format {info.format}"
    captured = info.captured.isoformat().replace("+00:00", "Z") if info.captured else ""
    return Part(info.file_name, what, info.collector, captured, info.size, info.state)


class _Seen:
    """What the records of a bundle show."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self.namespaces: set[str] = set()
        self.nodes: set[str] = set()
        self.gpu_nodes: set[str] = set()
        self.smi: set[str] = set()
        self.machines: set[str] = set()
        self._configmaps: set[tuple[str, str]] = set()  # some stand in a bundle twice: as a row, and whole

    def add(self, record: Record) -> None:
        body = record.body
        if record.area == "node_file":
            if body.get("name") in SMI_NAMES:
                self.smi.add(str(body.get("node")))
            if is_host_text(str(body.get("name"))):
                self.machines.add(str(body.get("node")))
            return
        kind, about = _kind(record)
        name, namespace = str(about.get("name")), str(about.get("namespace") or "")
        if kind == "ConfigMap" and (namespace, name) in self._configmaps:
            return
        if kind == "ConfigMap":
            self._configmaps.add((namespace, name))
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        self.namespaces.add(name if kind == "Namespace" else namespace)
        self.namespaces.discard("")
        if kind == "Node":
            self.nodes.add(name)
            capacity = (body.get("status") or {}).get("capacity")
            if isinstance(capacity, dict) and _GPUS in capacity:
                self.gpu_nodes.add(name)


def _kind(record: Record) -> tuple[str, Mapping[str, Any]]:
    if record.area != "object":
        return _ROWS.get(record.area, record.area), record.body
    group, about = group_of(record.body.get("apiVersion")), record.body.get("metadata")
    kind = str(record.body.get("kind"))
    own = "." not in group or group.endswith(".k8s.io")
    return kind if own else f"{kind} ({group})", about if isinstance(about, dict) else {}


def _missing(source: Opened, kinds: Kinds, gpu_nodes: Sequence[str]) -> Iterator[tuple[str, Missing]]:
    real = sorted((kind, group or "") for kind, group in kinds if group != "made" and kind[:1].isupper())
    for kind, group in dict.fromkeys(real):
        asked = group if (kind, group) in kinds else None
        yield from ((kind, gap) for gap in source.coverage(kind, asked, ())[:1])
    for kind, group in _MADE:
        yield from ((_WORDS[kind], gap) for gap in source.coverage(kind, group, ())[:1])
    for node in gpu_nodes:
        yield from ((f"nvidia-smi of node {node}", gap) for gap in source.coverage("NvidiaSmi", "made", (node,)))


def _gaps(found: Iterator[tuple[str, Missing]]) -> Iterator[Gap]:
    """Fold what is missing for the same reason."""
    by_reason: dict[str, dict[str, str]] = {}
    for what, missing in found:
        by_reason.setdefault(missing.reason, {}).setdefault(what, missing.command)
    for why, wanted in sorted(by_reason.items(), key=lambda one: (-len(one[1]), one[0])):
        yield Gap(tuple(sorted(wanted)), why, _together({command for command in wanted.values() if command}))


def _together(commands: set[str]) -> tuple[str, ...]:
    """Return commands, those that get lists of the same sort as one."""
    lists: dict[str, list[str]] = {}
    others = []
    for command in sorted(commands):
        found = _GET.fullmatch(command)
        if found:
            lists.setdefault(found["how"], []).append(found["what"])
        else:
            others.append(command)
    return (*(f"kubectl get {','.join(names)}{how}" for how, names in sorted(lists.items())), *others)


def as_json(found: Explanation) -> str:
    """Return an explanation as JSON."""
    return json.dumps(asdict(found), ensure_ascii=False, indent=1) + "\n"


def lines_of(found: Explanation) -> Iterator[str]:
    """Yield the lines for a terminal; whatever a bundle may have put into them is visible text."""
    for part in found.parts:
        yield from _lines_of_part(part)
    named = f"cluster {printable(found.cluster)}" if found.cluster else "the cluster's name is not in it"
    yield f"{named}; {f'Kubernetes {printable(found.kubernetes)}' if found.kubernetes else 'Kubernetes of an unknown version'}"
    yield from (f"note: {printable(note, 500)}" for note in found.notes)
    yield "What is in it:"
    yield from (f"  {count:>8,}  {printable(kind)}" for kind, count in found.kinds.items())
    if not found.kinds:
        yield "  no objects"
    yield f"  {found.logs:>8,}  {'log' if found.logs == 1 else 'logs'} of {found.pods_with_logs:,} pods"
    yield f"  namespaces: {_listed(found.namespaces)}"
    yield f"  nvidia-smi of: {_listed(found.nvidia_smi)}"
    if found.machines:
        yield f"  kernel and settings of: {_listed(found.machines)}"
    yield "What is missing:" if found.missing else "Nothing that rules ask for is missing."
    for gap in found.missing:
        yield f"  {_listed(gap.what)}: {printable(gap.why, 400)}"
        yield from (f"      {printable(command, 400)}" for command in gap.commands)
    if found.problems:
        yield "What could not be read:"
    for problem in found.problems:
        effect = f" ({problem.effect})" if problem.effect else ""
        yield f"  {f'{problem.member}: ' if problem.member else ''}{problem.message}{effect}"


def _lines_of_part(part: Part) -> Iterator[str]:
    ended = "" if part.state == "complete" else f"; not whole: {part.state}"
    when = f"made {part.captured}" if part.captured else "when it was made is not in it"
    yield f"{printable(part.file)}: {part.what} ({printable(part.collector)}), {when}, {part.size:,} bytes{ended}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(printable(name) for name in names[:_LISTED]) + more if names else "none"
