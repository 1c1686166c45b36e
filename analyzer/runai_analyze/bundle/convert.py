"""Write any bundle anew in our own format, redacted: what is whole in it stays whole, and what is missing stays missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from runai_collect import layout
from runai_collect.redact_text import redact_text
from runai_collect.writer import BundleWriter, Totals
from runai_collect.writer import Step as Entry

from ..errors import BundleError, UserError
from ..model import BundleInfo, Missing, Step
from .gathered import effective_steps
from .kinds import plural_of
from .reasons import FINE
from .several import Opened
from .source import Log, Record, group_of

_PAGE_LINES, _PAGE_BYTES = 1000, 4 << 20
_PENDING = 64 << 20  # of pages that are not full yet
_ROWS = {
    "configmap": layout.CONFIGMAPS,
    "secret": layout.SECRETS,
    "helm": layout.HELM,
    "certificate": layout.CERTIFICATES,
}
_README = """Run:ai support bundle, format %d

%s wrote this bundle from
%s

What that holds is here in the form that runai-collect writes: objects one a line under resources/, rows of Secrets without their
values, logs, what nvidia-smi said. Values that look like secrets are hidden; manifest.json says what was asked of the cluster and
what could not be read.
"""


def convert(source: Opened, path: Path, tool: str) -> tuple[Path, Totals]:
    """Write an opened bundle to ``path`` in our own format and return where it stands and what it holds.

    ``tool`` is the program with its version. Raises UserError where there is such a file already or it cannot be written, and
    BundleError when what was written looks as if it held a secret: the file is then named ``….blocked``.
    """
    if path.exists():
        raise UserError(f"{path.name} exists, and is not replaced", "give --convert the name of a new file")
    moment = source.info.captured
    try:
        writer = BundleWriter(str(path), _top(path), int(moment.timestamp()) if moment else 0)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
    try:
        _Conversion(source, writer, tool).write()
        blocked = bool(writer.hits)
        totals = writer.finish(moment.isoformat() if moment else "", source.info.state, blocked)
    except OSError as error:
        writer.abandon(remove=True)
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
    except BaseException:
        writer.abandon(remove=True)
        raise
    if blocked:
        hit = writer.hits[0]
        what = f"{hit.member} looks as if it held a secret ({hit.shape})"
        raise BundleError(f"{what}: look into {Path(writer.path).name} before anything else")
    return Path(writer.path), totals


def _top(path: Path) -> str:
    name = path.name
    for ending in (".gz", ".tgz", ".tar"):
        name = name.removesuffix(ending)
    return name or "bundle"


@dataclass
class _Pages:
    """Lines that wait until they are a page: by folder and step."""

    lines: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    sizes: Counter[tuple[str, str]] = field(default_factory=Counter)


class _Conversion:
    """One bundle on its way into a writer."""

    def __init__(self, source: Opened, writer: BundleWriter, tool: str) -> None:
        self._source, self._writer, self._tool = source, writer, tool
        self._pages = _Pages()
        self._counts: Counter[str] = Counter()  # objects by step
        self._ids = {step.id for step in source.gathered.steps}
        self._by_place = {_place(step): step for step in source.gathered.steps if step.kind}
        self._versions: dict[tuple[str, str], str] = {}
        self._plurals = {(step.kind, step.group): _plural(step) for step in source.gathered.steps if step.id.startswith("list:")}

    def write(self) -> None:
        """Write all members but the manifest, and hand the writer what stands in that."""
        self._documents()
        for record in self._source.records(None):
            self._record(record)
        for key in sorted(self._pages.lines):
            self._flush(key)
        for log in self._source.logs():
            self._log(log)
        for step in effective_steps(self._source.gathered):
            self._writer.add_step(self._entry(step))
        lost = dict(self._source.gathered.damaged) | ({("", ""): why} if (why := self._source.gathered.all_damaged) else {})
        for gap in self._source.coverage("Host", "made", ()):  # files of machines have no step that could say it
            lost.setdefault(("Host", "made"), gap.reason)
        self._writer.extra["damaged"] = [{"kind": kind, "group": group, "why": lost[kind, group]} for kind, group in sorted(lost)]
        info = self._source.info  # the problems are known in full only now
        self._writer.extra["exposed"] = [dict(vars(one)) for one in info.exposed]
        self._writer.extra["problems"] = [dict(vars(problem)) for problem in info.problems]
        if info.removed:
            self._writer.extra["removed"] = [{"members": [{"path": name} for name in info.removed]}]

    def _documents(self) -> None:
        info, source = self._source.info, self._source
        about = {**_about(info, source.cluster_name, self._tool), "holder": source.gathered.holder}
        self._writer.add_json(layout.BUNDLE, about, "bundle")
        names = "\n".join(f"* {one.file_name} ({one.collector})" for one in info.parts or (info,))
        self._writer.add(layout.README, (_README % (layout.FORMAT, self._tool, names)).encode("utf-8", "replace"), "readme")
        version, discovery = source.version, source.gathered.discovery
        if not isinstance(version, Missing):
            self._writer.add_json(layout.VERSION, dict(version), "version")
        if discovery is not None:
            self._writer.add_json(layout.DISCOVERY, dict(discovery), "discovery")

    def _record(self, record: Record) -> None:
        if record.area == "node_file":
            self._node_file(record.body)
        elif record.area == "object":
            self._object(record.body)
        else:
            folder, body = _ROWS[record.area], record.body
            step = {"secret": "secrets", "configmap": "configmaps", "helm": "helm"}.get(record.area) or _certificate(body)
            self._counts[f"{record.area}:{body.get('namespace') or ''}"] += 1
            self._line(folder, step, body)

    def _object(self, body: Mapping[str, Any]) -> None:
        kind, version = str(body.get("kind")), str(body.get("apiVersion") or "v1")
        group = group_of(version)
        number = version.rpartition("/")[2]
        self._versions.setdefault((kind, group), number)
        plural = self._plurals.get((kind, group)) or plural_of(kind)
        namespace = str(body["metadata"].get("namespace") or "")
        step = self._by_place.get((kind, group, namespace)) or self._by_place.get((kind, group, ""))
        step_id = self._id(step) if step else ""
        self._counts[step_id] += 1
        self._line(layout.resource_folder(group, number, plural), step_id, body)

    def _line(self, folder: str, step: str, body: Mapping[str, Any]) -> None:
        key = (folder, step)
        line = orjson.dumps(body, option=orjson.OPT_SORT_KEYS).decode() + "\n"
        self._pages.lines.setdefault(key, []).append(line)
        self._pages.sizes[key] += len(line)
        if len(self._pages.lines[key]) >= _PAGE_LINES or self._pages.sizes[key] >= _PAGE_BYTES:
            self._flush(key)
        elif self._pages.sizes.total() > _PENDING:
            self._flush(self._pages.sizes.most_common(1)[0][0])

    def _flush(self, key: tuple[str, str]) -> None:
        lines = self._pages.lines.pop(key, [])
        self._pages.sizes.pop(key, None)
        self._writer.add_page(key[0], lines, key[1])

    def _node_file(self, body: Mapping[str, Any]) -> None:
        node, name = str(body.get("node")), str(body.get("name"))
        text = json.dumps(body["json"]) if "json" in body else str(body.get("text") or "")
        self._text(layout.node_member(node, name), text, f"nvidia-smi:{node}")

    def _log(self, log: Log) -> None:
        name = f"log:{log.namespace}/{log.pod}/{log.container}" + (":previous" if log.previous else "")
        step = name if name in self._ids else "logs"
        member = layout.log_member(log.namespace, log.pod, log.container, log.previous)
        self._text(member, log.data.decode("utf-8", "surrogateescape"), step)

    def _text(self, member: str, text: str, step: str) -> None:
        clean, hidden = redact_text(text)
        self._writer.add(member, clean.encode("utf-8", "surrogateescape"), step)
        for number, rule in hidden:
            self._writer.add_row(layout.REDACTIONS, {"member": member, "where": f"line {number}", "rule": rule})

    # --- The steps, as runai-collect writes them ----------------------------------------------------------------------------

    def _id(self, step: Step) -> str:
        """Return a step's id in our own form: other tools leave the version out."""
        name, at, namespace = step.id.partition("@")
        if (step.kind, step.group) == ("Secret", "") and name.startswith("list:"):
            return f"secrets@{step.namespace}" if step.namespace else "secrets"
        if name.startswith("list:") and name.count("/") == 1:
            version = self._versions.get((step.kind, step.group), "v1")
            name = f"list:{step.group or 'core'}/{version}/{_plural(step)}"
        return name + at + namespace

    def _entry(self, step: Step) -> Entry:
        step_id = self._id(step)
        return Entry(
            id=step_id,
            request=step.request,
            scope=step.scope,
            status=step.status,
            code=step.code or None,
            message=step.message,
            objects=self._objects(step, step_id),
            bytes=step.size,
            seconds=step.seconds,
            kind=step.kind,
            group=step.group,
            version=self._versions.get((step.kind, step.group), ""),
            namespace=step.namespace,
        )

    def _objects(self, step: Step, step_id: str) -> int:
        """Return how many objects of a step were written, as the reader counts them again."""
        if step_id.startswith("list:"):
            return 0 if (step.kind, step.group) == ("ConfigMap", "") else self._counts[step_id]
        if step_id.startswith("secrets@"):
            return self._counts[f"secret:{step.namespace}"]
        return step.objects if step.status not in FINE or not step_id.startswith("helm") else 0


def _place(step: Step) -> tuple[str, str, str]:
    return step.kind, step.group, step.namespace


def _plural(step: Step) -> str:
    return step.id.partition("@")[0].rsplit("/", 1)[-1]


def _certificate(body: Mapping[str, Any]) -> str:
    return f"certificate:{body.get('namespace')}/{body.get('name')}"


def _about(info: BundleInfo, cluster: str, tool: str) -> dict[str, Any]:
    """Return ``bundle.json``: what the bundle was made from, and when that was."""
    about: dict[str, Any] = {
        "format": layout.FORMAT,
        "collector": f"{tool} from {info.collector}"[:100],
        "cluster": {"name": cluster},
        "options": dict(info.options),
        "converted": [
            {"file": one.file_name, "sha256": one.sha256, "collector": one.collector, "format": one.format}
            for one in info.parts or (info,)
        ],
    }
    if info.captured:
        time = info.captured.isoformat().replace("+00:00", "Z")
        about |= {"started": time, "clock": {"server": time, "local": time, "skew_seconds": info.clock_skew_seconds}}
    return about
