"""What the manifest of a bundle says: the steps, the members, and of which kind the objects of each folder are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from runai_collect import layout

from ...model import Exposed, Problem, Step
from ..reasons import FINE, taken_out
from ..source import CERTIFICATES, HELM_RELEASES, Area

Kind = tuple[str, str]

ROWS: Mapping[str, tuple[Area, Kind]] = {
    layout.CONFIGMAPS: ("configmap", ("ConfigMap", "")),
    layout.SECRETS: ("secret", ("Secret", "")),
    layout.HELM: ("helm", HELM_RELEASES),
    layout.CERTIFICATES: ("certificate", CERTIFICATES),
}


@dataclass(frozen=True)
class Manifest:
    """The manifest, read. ``members``: the entries by path; ``kinds``: by folder below the top, from steps and discovery.
    ``removed``: the paths of the members that the customer took out of the finished bundle, in the order of their names.
    Of the bundle that this one was converted from: ``problems``, what could not be read; ``exposed``, Secrets with values;
    ``damaged``, the kinds (empty: any) of which not all could be read, and why."""

    steps: tuple[Step, ...] = ()
    members: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    exposed: tuple[Exposed, ...] = ()
    damaged: tuple[tuple[Kind, str], ...] = ()

    def area(self, name: str) -> tuple[Area | None, Kind | None]:
        """Return what the lines of a member are, and of which kind: never learned from the lines, which may be damaged."""
        if name.startswith(layout.RESOURCES):
            return "object", self.kinds.get(name.rpartition("/")[0] + "/") or self._kind_of_step(self.step_of(name))
        return next((rows for folder, rows in ROWS.items() if name.startswith(folder)), (None, None))

    def step_of(self, name: str) -> str:
        """Return the id of the step that wrote a member; of a page of a list that the manifest does not know, the list's."""
        step = self.members.get(name, {}).get("step")
        if isinstance(step, str):
            return step
        return "list:" + name.removeprefix(layout.RESOURCES).rpartition("/")[0] if name.startswith(layout.RESOURCES) else ""

    def node_of(self, name: str) -> tuple[str, str]:
        """Return the node and the file name of a member about a node; empty for what is none."""
        true_name = self.members.get(name, {}).get("name")
        parts = (true_name if isinstance(true_name, str) and true_name else name).split("/")
        return (parts[1], parts[2]) if len(parts) == 3 else ("", "")

    def log_of(self, name: str) -> tuple[str, str, str, bool] | None:
        """Return namespace, pod, container of a log, and whether it is of the run before; None for a member that is no log."""
        true_name = self.members.get(name, {}).get("name")
        parts = (true_name if isinstance(true_name, str) and true_name else name).split("/")
        if len(parts) != 4 or f"{parts[0]}/" != layout.LOGS or not parts[3].endswith(".log"):
            return None
        container = parts[3].removesuffix(".log")
        previous = container.endswith(".previous")  # no container's name has a dot
        return parts[1], parts[2], container.removesuffix(".previous"), previous

    def _kind_of_step(self, step_id: str) -> Kind | None:
        return next(((step.kind, step.group) for step in self.steps if step_id and step.id == step_id and step.kind), None)


def read_manifest(document: Mapping[str, Any], discovery: Mapping[str, Any] | None) -> Manifest:
    """Return the manifest; what has a wrong shape in it is passed over."""
    steps = tuple(_step(entry) for entry in _entries(document, "steps"))
    members = {str(entry.get("path")): entry for entry in _entries(document, "members")}
    kinds = dict(_served_kinds(discovery or {}))
    for step in reversed(steps):
        folder = step.id.partition("@")[0].removeprefix("list:")
        if step.kind and step.id.startswith("list:") and folder.count("/") == 2:
            kinds[f"{layout.RESOURCES}{folder}/"] = (step.kind, step.group)
    gone = (one.get("path") for entry in _entries(document, "removed") for one in _entries(entry, "members"))
    removed = tuple(sorted({path for path in gone if isinstance(path, str) and path}))
    told = tuple(
        Problem(*(str(entry.get(key) or "") for key in ("member", "message", "effect")))
        for entry in _entries(document, "problems")
    )
    exposed = tuple(_exposed(entry) for entry in _entries(document, "exposed"))
    damaged = tuple(
        ((str(entry.get("kind") or ""), str(entry.get("group") or "")), str(entry.get("why") or "it was damaged")[:1000])
        for entry in _entries(document, "damaged")
    )
    return Manifest(steps, members, kinds, removed, told, exposed, damaged)


def _served_kinds(discovery: Mapping[str, Any]) -> Iterator[tuple[str, Kind]]:
    for entry in _entries(discovery, "groups"):
        group, version = entry.get("group"), entry.get("version")
        for one in _entries(entry, "resources"):
            plural, kind = one.get("plural"), one.get("kind")
            if all(isinstance(value, str) for value in (group, version, plural, kind)):
                yield layout.resource_folder(str(group), str(version), str(plural)), (str(kind), str(group))


class Counts:
    """Compares what steps say that they got with what was read: fewer lines than objects is a loss that nothing else shows."""

    def __init__(self) -> None:
        self._steps: Counter[str] = Counter()
        self._areas: Counter[str] = Counter()
        self._places: Counter[tuple[str, str]] = Counter()

    def add(self, step_id: str, area: Area, body: Mapping[str, Any]) -> None:
        """Count one line that was read."""
        self._areas[area] += 1
        if area == "object":
            self._steps[step_id] += 1
        elif area == "secret":
            self._places[area, str(body.get("namespace"))] += 1
        elif area == "certificate":
            self._places[area, f"{body.get('namespace')}/{body.get('name')}"] += 1

    def short(self, steps: Iterable[Step]) -> Iterator[tuple[Step, int]]:
        """Yield the steps of which less was read than they got, with the number that was read; failed ones promise nothing."""
        together: dict[str, list[Step]] = {"configmap": [], "helm": []}
        for step in steps:
            if step.status not in FINE:
                continue
            name, _, place = step.id.partition("@")
            if (step.kind, step.group) == ("ConfigMap", ""):
                together["configmap"].append(step)
            elif name == "helm":
                together["helm"].append(step)
            elif step.id.startswith("list:"):
                yield from _short(step, self._steps[step.id])
            elif name == "secrets" and place:
                yield from _short(step, self._places["secret", place])
            elif step.id.startswith("certificate:"):
                yield from _short(step, self._places["certificate", step.id.partition(":")[2]])
        for area, parts in together.items():  # their rows do not say which step they belong to
            if self._areas[area] < sum(step.objects for step in parts):
                yield parts[0], self._areas[area]


def _short(step: Step, found: int) -> Iterator[tuple[Step, int]]:
    if found < step.objects:
        yield step, found


def _entries(document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    entries = document.get(key)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _exposed(entry: Mapping[str, Any]) -> Exposed:
    namespace, name, member = (str(entry.get(key) or "")[:500] for key in ("namespace", "name", "member"))
    values = entry.get("values")
    return Exposed(namespace, name, values if isinstance(values, int) else 0, member)


def _step(entry: Mapping[str, Any]) -> Step:
    def text(key: str) -> str:
        value = entry.get(key)
        return value[:1000] if isinstance(value, str) else ""

    def number(key: str) -> int:
        value = entry.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    seconds = entry.get("seconds")
    status = text("status") if entry.get("status") in layout.STATUSES else "error"
    return Step(
        id=text("id"),
        request=text("request"),
        scope=text("scope"),
        status=status,
        message=text("message"),
        code=number("code"),
        objects=number("objects"),
        size=number("bytes"),
        seconds=float(seconds) if isinstance(seconds, int | float) and math.isfinite(seconds) else 0.0,
        kind=text("kind"),
        group=text("group"),
        namespace=text("namespace"),
        taken_out=taken_out(text("message")) if status in ("skipped", "truncated") else (),
    )
