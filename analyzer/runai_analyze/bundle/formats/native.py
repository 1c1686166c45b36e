"""Our own format (design of the collector, format 1): JSON Lines by kind, the manifest last."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runai_collect import layout

from ...model import BundleInfo, Missing, Step
from ..archive import Archive, Member
from ..coverage import Coverage
from ..documents import read_json
from ..limits import Limits, Problems
from ..sniff import refuse_archive
from ..source import CERTIFICATES, HELM_RELEASES, Area, Kinds, Record, group_of, wanted

_DOCUMENTS = (layout.BUNDLE, layout.MANIFEST, layout.VERSION, layout.DISCOVERY)
_ROWS: Mapping[str, tuple[Area, tuple[str, str]]] = {
    layout.CONFIGMAPS: ("configmap", ("ConfigMap", "")),
    layout.SECRETS: ("secret", ("Secret", "")),
    layout.HELM: ("helm", HELM_RELEASES),
    layout.CERTIFICATES: ("certificate", CERTIFICATES),
}
_FOLDERS = (layout.RESOURCES, *_ROWS, layout.NODES, layout.LOGS, layout.REDACTIONS, "cluster/")


@dataclass
class Scan:
    """What one look at all members showed: sizes and checksums, the documents about the bundle, the kind of each folder."""

    checksums: dict[str, str] = field(default_factory=dict)
    documents: dict[str, bytes] = field(default_factory=dict)
    kinds: dict[str, tuple[str, str]] = field(default_factory=dict)
    partial: list[str] = field(default_factory=list)
    top: str = ""

    def below_top(self, name: str) -> str | None:
        """Return a member's name below the top folder; None for one that stands outside."""
        return name.removeprefix(self.top) if name.startswith(self.top) else None


class NativeBundle:
    """A bundle that runai-collect wrote (``source.Source``)."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._limits, self._problems = limits, Problems(limits.problems)
        self._archive = Archive(path, limits, self._problems)
        self._scan = scan(self._archive)
        if not _is_bundle(self._scan):
            raise refuse_archive(path.name, self._scan.checksums)
        self._about = self._document(layout.BUNDLE)
        self._manifest = self._document(layout.MANIFEST)
        self._steps = tuple(_step(entry) for entry in _entries(self._manifest, "steps"))
        self._names = {
            str(entry.get("path")): str(entry.get("name")) for entry in _entries(self._manifest, "members") if entry.get("name")
        }
        discovery = self._document(layout.DISCOVERY) or None
        self._coverage = Coverage(self._steps, not self._manifest, discovery)
        self._bad_lines: set[tuple[str, int]] = set()
        self._check_members()
        self._info = self._make_info(path)

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
        step = next((step for step in self._steps if step.id == "version"), None)
        why = step.message if step and step.message else "the bundle does not hold the answer of /version"
        return found or Missing("the Kubernetes version", why, "kubectl version -o json")

    def served(self, group: str) -> bool | None:
        """Whether the API server serves the group; None: the bundle does not say."""
        return self._coverage.served(group)

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind in the namespaces (globs; empty: all). Empty: everything there was has been collected."""
        return self._coverage.of(kind, group, namespaces)

    def records(self, kinds: Kinds | None) -> Iterator[Record]:
        """Stream the records of these kinds (None: all, and files about nodes), each once, in the order of the bundle."""
        for member in self._archive.walk():
            name = self._scan.below_top(member.name)
            if name is None:
                continue
            if name.startswith(layout.NODES):
                if kinds is None:
                    yield from self._node_file(name, member)
                continue
            area, kind = self._area(name)
            if area is not None and (kinds is None or kind is None or wanted(kinds, *kind)):
                yield from self._lines(name, member, area, kind)

    def _area(self, name: str) -> tuple[Area | None, tuple[str, str] | None]:
        """Return what the lines of a member are, and their kind where it is known."""
        if name.startswith(layout.RESOURCES):
            return "object", self._scan.kinds.get(_folder(name))
        return next((rows for folder, rows in _ROWS.items() if name.startswith(folder)), (None, None))

    def _lines(self, name: str, member: Member, area: Area, kind: tuple[str, str] | None) -> Iterator[Record]:
        data = member.read()
        lines = data.split(b"\n")
        if not member.whole:
            lines.pop()  # the rest of a line that the archive's end cut off
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                body = read_json(line)
                _must_be(area, body)
            except ValueError as error:
                self._bad_line(name, number, kind, str(error))
            else:
                yield Record(area, body, name, number)

    def _bad_line(self, name: str, number: int, kind: tuple[str, str] | None, message: str) -> None:
        if (name, number) in self._bad_lines:
            return
        self._bad_lines.add((name, number))
        what = kind[0] if kind else "what stands there"
        self._problems.add(name, f"line {number} cannot be read: {message[:120]}", f"rules that need {what} may answer unknown")
        self._lost(kind, f"a line of {name} cannot be read")

    def _node_file(self, name: str, member: Member) -> Iterator[Record]:
        parts = (self._names.get(name) or name).split("/")
        if len(parts) != 3:
            return
        data = member.read()
        body: dict[str, Any] = {"node": parts[1], "name": parts[2]}
        if parts[2] == layout.NODE_SOURCE:
            try:
                body["json"] = read_json(data)
            except ValueError as error:
                self._problems.add(name, f"the member is no JSON: {str(error)[:120]}")
        else:
            body["text"] = data[: self._limits.text].decode("utf-8", "replace")
            if len(data) > self._limits.text:
                self._problems.add(name, f"only the first {self._limits.text >> 20} MiB were read")
        yield Record("node_file", body, name, 0)

    # --- What the bundle says about itself ----------------------------------------------------------------------------------

    def _document(self, name: str) -> dict[str, Any]:
        data = self._scan.documents.get(self._scan.top + name)
        if data is None:
            return {}
        try:
            value = read_json(data)
        except ValueError as error:
            self._problems.add(name, f"the member is no JSON: {str(error)[:120]}")
            return {}
        return value if isinstance(value, dict) else {}

    def _check_members(self) -> None:
        """Compare the members with the manifest: what differs or is missing costs its kind the claim to be complete."""
        listed = {str(entry.get("path")): entry for entry in _entries(self._manifest, "members")}
        for name in self._scan.checksums:
            below = self._scan.below_top(name)
            if below is None:
                self._problems.add(name, "the member stands outside the bundle's folder, and was ignored")
            elif self._manifest and below not in listed and below != layout.MANIFEST:
                self._problems.add(below, "the manifest does not know this member", "it was read all the same")
        for name, entry in listed.items():
            found = self._scan.checksums.get(self._scan.top + name)
            if found != entry.get("sha256"):
                what = "is missing from the archive" if found is None else "is not as it was written: its checksum differs"
                self._problems.add(name, f"the member {what}", "rules that need it may answer unknown")
                self._lost(self._kind_of(name, str(entry.get("step"))), f"the member {name} {what}")
        for name in self._scan.partial:
            below = self._scan.below_top(name)
            self._problems.add(below or name, "the archive ends in the middle of this member", "its whole lines were read")

    def _kind_of(self, name: str, step_id: str) -> tuple[str, str] | None:
        area, kind = self._area(name)
        if kind is not None or area is None:
            return kind
        return next(((step.kind, step.group) for step in self._steps if step.id == step_id and step.kind), None)

    def _lost(self, kind: tuple[str, str] | None, why: str) -> None:
        if kind is not None:
            self._coverage.damaged.setdefault(kind, why)

    def _make_info(self, path: Path) -> BundleInfo:
        about, clock = self._about, self._about.get("clock")
        number = about.get("format")
        if not about:
            self._problems.add(
                layout.BUNDLE, "the member is missing or cannot be read", "when and how the bundle was made is unknown"
            )
        if isinstance(number, int) and number > layout.FORMAT:
            words = f"the bundle has format {number}, and this program knows formats up to {layout.FORMAT}"
            self._problems.add(layout.BUNDLE, words, "what is new in that format is not looked at")
        state = self._manifest.get("state") if self._manifest else "cut"
        options = about.get("options")
        clock = clock if isinstance(clock, dict) else {}
        skew = clock.get("skew_seconds")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return BundleInfo(
            file_name=path.name,
            size=path.stat().st_size,
            sha256=digest,
            format=number if isinstance(number, int) else layout.FORMAT,
            collector=str(about.get("collector") or "")[:100],
            captured=_time(clock.get("server")) or _time(about.get("started")),
            state=state if state in (*layout.STATES, "cut") else "interrupted",
            steps=self._steps,
            options=tuple((str(key), str(value)[:200]) for key, value in sorted(options.items()))
            if isinstance(options, dict)
            else (),
            clock_skew_seconds=float(skew) if isinstance(skew, int | float) and not isinstance(skew, bool) else None,
        )


def scan(archive: Archive) -> Scan:
    """Look at every member once: checksum, the documents about the bundle, and the kind in the first line of each folder."""
    found = Scan()
    for member in archive.walk():
        data = member.read()
        found.checksums[member.name] = hashlib.sha256(data).hexdigest()
        if not member.whole:
            found.partial.append(member.name)
        elif member.name.endswith(_DOCUMENTS) and member.name.count("/") < 3:
            found.documents[member.name] = data
        _learn_kind(found, member.name, data)
    found.top = _top(found.checksums)
    found.kinds = {folder.removeprefix(found.top): kind for folder, kind in found.kinds.items() if folder.startswith(found.top)}
    return found


def _learn_kind(found: Scan, name: str, data: bytes) -> None:
    folder = _folder(name)
    if layout.RESOURCES not in folder or folder in found.kinds:
        return
    try:
        first = read_json(data.split(b"\n", 1)[0])
    except ValueError:
        return
    if isinstance(first, dict) and isinstance(first.get("kind"), str):
        found.kinds[folder] = (first["kind"], group_of(first.get("apiVersion")))


def _top(names: Mapping[str, str]) -> str:
    """Return the bundle's folder with its slash: that of bundle.json or manifest.json, else the first member's; may be none."""
    for document in (layout.BUNDLE, layout.MANIFEST):
        if document in names:
            return ""
        for name in names:
            if name.endswith("/" + document) and name.count("/") == 1:
                return name.removesuffix(document)
    first = next(iter(names), "")
    return "" if first.startswith(_FOLDERS) or "/" not in first else first.split("/", 1)[0] + "/"


def _is_bundle(found: Scan) -> bool:
    below = [name.removeprefix(found.top) for name in found.checksums if name.startswith(found.top)]
    return any(name in (layout.BUNDLE, layout.MANIFEST) or name.startswith((layout.RESOURCES, *_ROWS)) for name in below)


def _folder(name: str) -> str:
    return name.rpartition("/")[0] + "/"


def _must_be(area: Area, body: Any) -> None:
    """Raise ValueError for a line that is not what its folder holds."""
    if not isinstance(body, dict):
        raise ValueError("it is no object")
    if area != "object":
        if not isinstance(body.get("name"), str):
            raise ValueError("it has no name")
        return
    if (
        not isinstance(body.get("kind"), str)
        or not isinstance(body.get("metadata"), dict)
        or group_of(body.get("apiVersion")) == "made"
    ):
        raise ValueError("it is no Kubernetes object")


def _entries(document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    entries = document.get(key)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _step(entry: Mapping[str, Any]) -> Step:
    def text(key: str) -> str:
        value = entry.get(key)
        return value[:1000] if isinstance(value, str) else ""

    def number(key: str) -> int:
        value = entry.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    seconds = entry.get("seconds")
    return Step(
        id=text("id"),
        request=text("request"),
        scope=text("scope"),
        status=text("status") if entry.get("status") in layout.STATUSES else "error",
        message=text("message"),
        code=number("code"),
        objects=number("objects"),
        size=number("bytes"),
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        kind=text("kind"),
        group=text("group"),
        namespace=text("namespace"),
    )


def _time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if moment is None:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
