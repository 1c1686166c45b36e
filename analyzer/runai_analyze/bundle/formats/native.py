"""Our own format (design of the collector, format 1): JSON Lines by kind, the manifest last."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from runai_collect import layout

from ...model import BundleInfo, Missing
from ..coverage import Coverage
from ..documents import read_json, weigh
from ..intake.format import Member
from ..limits import Limits, Problems
from ..members import Given, Members
from ..reasons import FINE, lack
from ..source import Area, Kinds, Log, Record, group_of, wanted
from .manifest import ROWS, Counts, Kind, read_manifest

_DOCUMENTS = (layout.BUNDLE, layout.MANIFEST, layout.VERSION, layout.DISCOVERY)
_FOLDERS = (layout.RESOURCES, *ROWS, layout.NODES, layout.LOGS, layout.REDACTIONS, "cluster/")
_MOST_NAME = 500  # Kubernetes takes 253 characters, and 63 for a kind
_LINE = re.compile(rb"[^\n]+")
# What stands early in every bundle of ours, also in one that lost its first members, or was unpacked and is read by name.
_SIGN = re.compile(rf"(?:^|/)(?:{layout.BUNDLE}|{layout.MANIFEST}|(?:{'|'.join((layout.RESOURCES, *ROWS))}).*\.jsonl)\Z")
_MOST_BEFORE_A_SIGN = 64
# What only our documents hold: others have files of these names too.
_OF_DOCUMENT = {layout.BUNDLE: ("collector", "clock", "scope"), layout.MANIFEST: ("steps", "members")}
_DEEPEST = 6  # folders above a document
_MOST_KEPT = 256 << 20  # bytes of documents


@dataclass
class Scan:
    """What one look at all members showed: checksums, and the documents about the bundle."""

    checksums: dict[str, str] = field(default_factory=dict)
    documents: dict[str, bytes] = field(default_factory=dict)
    partial: list[str] = field(default_factory=list)
    top: str = ""

    def below_top(self, name: str) -> str | None:
        """Return a member's name below the top folder; None for one that stands outside."""
        return name.removeprefix(self.top) if name.startswith(self.top) else None


class NotNativeError(Exception):
    """The archive holds nothing that runai-collect writes."""


class NativeBundle:
    """A bundle that runai-collect wrote (``source.Source``)."""

    def __init__(self, members: Members, limits: Limits, problems: Problems) -> None:
        self._limits, self._problems = limits, problems
        self._archive = members
        self._scan = scan(members)
        if not _is_bundle(self._scan):
            raise NotNativeError(members.given.name)
        self._changed: set[str] = set()  # documents that are not as they were written
        manifest = self._document(layout.MANIFEST)
        self._manifest, self._state = read_manifest(manifest, None), str(manifest.get("state")) if manifest else "cut"
        self._changed = {name for name in _DOCUMENTS if self._differs(name)}
        self._about = self._document(layout.BUNDLE)
        if self._about.get("scope") == layout.SCOPE_NODE or (not self._about and _holds_node(self._scan)):
            raise NotNativeError(members.given.name)
        discovery = self._document(layout.DISCOVERY) or None
        self._manifest = read_manifest(manifest, discovery)
        holder = str(self._about.get("holder") or "")[:100]  # of another tool's bundle that this one was converted from
        self._coverage = Coverage(self._manifest.steps, not manifest, discovery, holder=holder)
        for damaged, why in self._manifest.damaged:
            self._lost(damaged if damaged[0] else None, why)
        for told in self._manifest.problems:
            self._problems.add(told.member, told.message, told.effect)
        self._bad_lines: set[tuple[str, int]] = set()
        self._counted = False
        self._lost_nodes: set[str] = set()
        self._check_members()
        self._info = self._make_info(members.given)

    @property
    def info(self) -> BundleInfo:
        """The bundle as a whole, with all problems known so far."""
        return replace(self._info, problems=self._problems.all())

    @property
    def cluster_name(self) -> str:
        """The cluster's name in the customer's kubeconfig; empty when the bundle does not say."""
        cluster = self._about.get("cluster")
        name = cluster.get("name") or cluster.get("context") if isinstance(cluster, dict) else ""
        return name if isinstance(name, str) else ""

    @property
    def version(self) -> Mapping[str, Any] | Missing:
        """The body of ``/version``."""
        found = self._document(layout.VERSION)
        step = next((step for step in self._manifest.steps if step.id == "version"), None)
        what, command = "the Kubernetes version", "kubectl version -o json"
        if found or step is None or step.status in FINE:
            return found or Missing(what, "the bundle does not hold the answer of /version", command)
        return lack(what, step, command)

    @property
    def gathered(self) -> Coverage:
        """What was asked of the cluster and what came of it; known in full once all records were streamed."""
        return self._coverage

    def served(self, group: str) -> bool | None:
        """Whether the API server serves the group; None: the bundle does not say."""
        return self._coverage.served(group)

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind in the namespaces (globs; empty: all). Empty: everything there was has been collected."""
        return self._coverage.of(kind, group, namespaces)

    def records(self, kinds: Kinds | None) -> Iterator[Record]:
        """Stream the records of these kinds (None: all, and files about nodes), each once, in the order of the bundle.

        What is lacking is known in full once everything was streamed.
        """
        counts = Counts() if kinds is None and not self._counted else None
        for member in self._archive.walk():
            name = self._scan.below_top(member.name)
            if name is None:
                continue
            if name.startswith(layout.NODES):
                if kinds is None:
                    yield from self._node_file(name, member)
                continue
            area, kind = self._manifest.area(name)
            if area is not None and (kinds is None or kind is None or wanted(kinds, *kind)):
                for record in self._lines(name, member, area, kind):
                    if counts:
                        self._count(counts, record)
                    yield record
        if counts:
            self._counted = True
            self._check_counts(counts)

    def _lines(self, name: str, member: Member, area: Area, kind: Kind | None) -> Iterator[Record]:
        data = member.read()
        if not member.whole:
            data = data[: data.rfind(b"\n") + 1]  # without the line that the archive's end cut off
        number, end, bad = 1, 0, 0
        for match in _LINE.finditer(data):
            number += data.count(b"\n", end, match.start())
            end = match.end()
            line = match.group()
            if line.isspace():
                continue
            try:
                weight = weigh(line)
                body = read_json(line)
                _must_be(area, kind, body)
            except ValueError as error:
                self._bad_line(name, number, kind, str(error))
                bad += 1
                if bad >= self._limits.bad_lines:
                    self._problems.add(name, f"more than {bad} lines cannot be read; the rest of the member was passed over")
                    return
            else:
                yield Record(area, body, name, number, weight)

    def _bad_line(self, name: str, number: int, kind: Kind | None, message: str) -> None:
        if (name, number) in self._bad_lines:
            return
        self._lost(kind, f"a line of {name} cannot be read")
        if len(self._bad_lines) < self._limits.lines_told:
            self._bad_lines.add((name, number))
            what = kind[0] if kind else "anything"
            effect = f"rules that need {what} may answer unknown"
            self._problems.add(name, f"line {number} cannot be read: {message[:120]}", effect)

    def _count(self, counts: Counts, record: Record) -> None:
        counts.add(self._manifest.step_of(record.member), record.area, record.body)
        if record.area == "object" and record.body["kind"] == "Namespace" and not group_of(record.body.get("apiVersion")):
            self._coverage.namespaces.add(record.body["metadata"]["name"])

    def _check_counts(self, counts: Counts) -> None:
        for step, found in counts.short(self._manifest.steps):
            why = f"the step {step.id} got {step.objects}, and the bundle holds {found} of them"
            if found < step.objects and step.id.startswith("certificate:"):
                self._coverage.lost.setdefault(step.id, "the bundle does not hold what was read of it")
                why = f"the step {step.id} got a certificate that the bundle does not hold"
            else:
                kind = ("HelmRelease", "made") if not step.kind else (step.kind, step.group)
                self._lost(kind, why)
            self._problems.add(layout.MANIFEST, why, "rules that need it may answer unknown")

    def _node_file(self, name: str, member: Member) -> Iterator[Record]:
        node, file = self._manifest.node_of(name)
        if not node or node in self._lost_nodes:  # half of what a node answered may look like a whole answer
            return
        if file in (layout.DCGM_METRICS, layout.VALIDATOR_LOG):  # for people: source.json says what they tell
            return
        data = member.read()
        body: dict[str, Any] = {"node": node, "name": file}
        if file == layout.NODE_SOURCE:
            try:
                weigh(data)
                body["json"] = read_json(data)
            except ValueError as error:
                self._problems.add(name, f"the member is no JSON: {str(error)[:120]}")
        else:
            body["text"] = data[: self._limits.text].decode("utf-8", "replace")
            if len(data) > self._limits.text:
                self._problems.add(name, f"only the first {self._limits.text >> 20} MiB were read")
        yield Record("node_file", body, name, 0, len(data))

    def logs(self) -> Iterator[Log]:
        """Stream the collected logs, one at a time, in the order of the bundle."""
        for member in self._archive.walk():
            name = self._scan.below_top(member.name)
            place = self._manifest.log_of(name) if name is not None else None
            if name is None or place is None or self._manifest.step_of(name) in self._coverage.lost:
                continue
            data = member.read()
            if len(data) > self._limits.text:
                self._problems.add(name, f"only the first {self._limits.text >> 20} MiB were read")
            yield Log(*place, name, data[: self._limits.text])

    # --- What the bundle says about itself ----------------------------------------------------------------------------------

    def _document(self, name: str) -> dict[str, Any]:
        data = self._scan.documents.get(self._scan.top + name)
        if data is None or name in self._changed:
            return {}
        try:
            value = read_json(data)
        except ValueError as error:
            self._problems.add(name, f"the member is no JSON: {str(error)[:120]}")
            return {}
        return value if isinstance(value, dict) else {}

    def _differs(self, name: str) -> bool:
        listed, found = self._manifest.members.get(name), self._scan.checksums.get(self._scan.top + name)
        return listed is not None and found is not None and listed.get("sha256") != found

    def _check_members(self) -> None:
        """Compare the members with the manifest: what differs or is missing costs its kind the claim to be complete."""
        listed = self._manifest.members
        if not listed and not self._coverage.cut:
            self._problems.add(layout.MANIFEST, "the manifest lists no member, so none could be checked", "all were read")
        for name in self._scan.checksums:
            below = self._scan.below_top(name)
            if below is None:
                self._problems.add(name, "the member stands outside the bundle's folder, and was ignored")
            elif listed and below not in listed and below != layout.MANIFEST:
                self._problems.add(below, "the manifest does not know this member", "it was read all the same")
        for name, entry in listed.items():
            found = self._scan.checksums.get(self._scan.top + name)
            if found != entry.get("sha256"):
                what = "is missing from the archive" if found is None else "is not as it was written: its checksum differs"
                self._problems.add(name, f"the member {what}", "rules that need it may answer unknown")
                self._lose_member(name, f"the member {name} {what}")
        for name in self._scan.partial:
            below = self._scan.below_top(name)
            self._problems.add(below or name, "the archive ends in the middle of this member", "its whole lines were read")

    def _lose_member(self, name: str, why: str) -> None:
        area, kind = self._manifest.area(name)
        node, _ = self._manifest.node_of(name)
        if area is not None:
            self._lost(kind, why)
        elif name.startswith(layout.NODES) and node:
            self._lost_nodes.add(node)
            self._coverage.lost.setdefault(f"nvidia-smi:{node}", why)
        elif name.startswith(layout.LOGS) and (step := self._manifest.step_of(name)):
            self._coverage.lost.setdefault(step, why)

    def _lost(self, kind: Kind | None, why: str) -> None:
        """Note that not all of a kind could be read; of an unknown kind: of any."""
        if kind is None:
            self._coverage.all_damaged = self._coverage.all_damaged or why
        else:
            self._coverage.damaged.setdefault(kind, why)

    def _make_info(self, given: Given) -> BundleInfo:
        about, clock = self._about, self._about.get("clock")
        number = about.get("format")
        if not about:
            self._problems.add(
                layout.BUNDLE, "the member is missing or cannot be read", "when and how the bundle was made is unknown"
            )
        if isinstance(number, int) and number > layout.FORMAT:
            words = f"the bundle has format {number}, and this program knows formats up to {layout.FORMAT}"
            self._problems.add(layout.BUNDLE, words, "what is new in that format is not looked at")
        options = about.get("options")
        clock = clock if isinstance(clock, dict) else {}
        skew = clock.get("skew_seconds")
        return BundleInfo(
            file_name=given.name,
            size=given.size,
            sha256=given.sha256(),
            format=number if isinstance(number, int) else layout.FORMAT,
            collector=str(about.get("collector") or "")[:100],
            captured=_time(clock.get("server")) or _time(about.get("started")),
            state=self._state if self._state in (*layout.STATES, "cut") else "interrupted",
            steps=self._manifest.steps,
            options=tuple((str(key), str(value)[:200]) for key, value in sorted(options.items()))
            if isinstance(options, dict)
            else (),
            removed=self._manifest.removed,
            exposed=self._manifest.exposed,
            clock_skew_seconds=float(skew) if isinstance(skew, int | float) and not isinstance(skew, bool) else None,
        )


def scan(members: Members) -> Scan:
    """Look at every member once: its checksum, and what the documents about the bundle hold.

    Raises NotNativeError early where many members show no sign of such a bundle.
    """
    found, signs, kept = Scan(), False, 0
    for member in members.walk():
        signs = signs or _SIGN.search(member.name) is not None
        if not signs and len(found.checksums) > _MOST_BEFORE_A_SIGN:
            raise NotNativeError(members.given.name)
        data = member.read()
        found.checksums[member.name] = hashlib.sha256(data).hexdigest()
        if not member.whole:
            found.partial.append(member.name)
        elif member.name.endswith(_DOCUMENTS) and member.name.count("/") < _DEEPEST and kept + len(data) <= _MOST_KEPT:
            found.documents[member.name] = data
            kept += len(data)
    found.top = _top(found)
    return found


def _top(found: Scan) -> str:
    """Return the bundle's folder with its slash: that of bundle.json or manifest.json, else the first member's; may be none.

    It may lie deeper where somebody packed the bundle once more.
    """
    tops = {name.removesuffix(document) for document in (layout.BUNDLE, layout.MANIFEST) for name in found.checksums
            if name == document or name.endswith("/" + document)}
    for top in sorted(tops, key=lambda one: (one.count("/"), one)):
        if any(_is_ours(found, top, document) for document in (layout.BUNDLE, layout.MANIFEST)):
            return top
    first = next(iter(found.checksums), "")
    return "" if first.startswith(_FOLDERS) or "/" not in first else first.split("/", 1)[0] + "/"


def _is_ours(found: Scan, top: str, document: str) -> bool:
    """Tell whether a document about the bundle is there and is ours; one that cannot be read is, where ours would stand."""
    name = top + document
    if name not in found.checksums:
        return False
    try:
        value = read_json(found.documents[name]) if name in found.documents else None
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return top.count("/") < 2
    return any(key in value for key in _OF_DOCUMENT[document])


def _is_bundle(found: Scan) -> bool:
    below = [name.removeprefix(found.top) for name in found.checksums if name.startswith(found.top)]
    documents = (layout.BUNDLE, layout.MANIFEST)
    rows = any(name.startswith((layout.RESOURCES, *ROWS)) and name.endswith(".jsonl") for name in below)
    return rows or any(_is_ours(found, found.top, document) for document in documents)


def _holds_node(found: Scan) -> bool:
    return any(name.startswith(found.top + layout.NODE) for name in found.checksums)


def _must_be(area: Area, kind: Kind | None, body: Any) -> None:
    """Raise ValueError for a line that is not what its folder holds."""
    if not isinstance(body, dict):
        raise ValueError("it is no object")
    about = body if area != "object" else body.get("metadata")
    if area == "object":
        own = body.get("kind"), group_of(body.get("apiVersion"))
        if not isinstance(own[0], str) or not isinstance(about, dict) or own[1] == "made":
            raise ValueError("it is no Kubernetes object")
        if kind is not None and own != kind:
            raise ValueError(f"it is no {kind[0]}")
    if not isinstance(about, dict) or not isinstance(about.get("name"), str):
        raise ValueError("it has no name")
    if not isinstance(about.get("namespace"), str | None):
        raise ValueError("its namespace is no text")
    if max(map(len, (str(body.get("kind")), about["name"], about.get("namespace") or ""))) > _MOST_NAME:
        raise ValueError("its name is longer than a name can be")


def _time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        if moment is None:
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # in UTC it may be before the year 1, or after 9999
        return None
