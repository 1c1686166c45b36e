"""Support bundles of troubleshoot (``kubectl support-bundle``, ``preflight``), of every generation since 2021.

Layout and quirks: source of replicatedhq/troubleshoot v0.133.0 (pkg/collect, pkg/constants) and bundles that it wrote. Every list
of a namespace is a file of its own; what could not be listed stands in ``<type>-errors.json``, and a list of the cluster that
failed is an empty file besides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ...model import Exposed
from ..intake.clock import Clock
from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from ..intake.machines import read_text, smi_text
from ..intake.parse import objects_of
from ..intake.secrets import exposed
from ..limits import printable
from ..node_texts import smi_name
from .troubleshoot_lists import CUSTOM, LISTS, List, custom_resources, discovery_of, helm_releases

_RESOURCES = "cluster-resources/"
_ROOT_FILES = ("version.yaml", "analysis.json", "execution-data/summary.txt", "skipped-collectors.json")
_VERSION, _ANALYSIS = "cluster-info/cluster_version.json", "analysis.json"
_TOP = re.compile(rf"((?:[^/]+/){{0,4}}?)(?:{_RESOURCES}(?:[^/]+\.json|pods/.*|{CUSTOM}.*)|{_VERSION}|analysis\.json)")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)_(\d\d)_(\d\d)")
_LOG = re.compile(r"cluster-resources/pods/logs/([^/]+)/([^/]+)/([^/]+?)(-previous)?\.log")
# Before v0.48.0 logs stood below the name of their collector, and nothing told the namespace.
_LOOSE_LOG = re.compile(r"[^/]+/([^/]+)/([^/]+?)(-previous)?\.log")
_HELM = re.compile(r"helm/([^/]+)(?:/[^/]+)?\.json")
# Where collectors that run a command in a pod, copy from one, or run on every node leave what came of it.
_FROM_POD = re.compile(r"(?:.+/)?(?P<namespace>[^/]+)/(?P<pod>[^/]+)/[^/]+-stdout\.txt")
_COPIED = re.compile(r"[^/]+/(?P<namespace>[^/]+)/(?P<pod>[^/]+)/[^/]+/(?:.+/)?[^/]*nvidia-?_?smi[^/]*")
_FROM_NODE = re.compile(r"(?:host-collectors/(?P<host>[^/]+)/run-host/[^/]+\.txt|[^/]+/(?P<node>[^/]+)\.log)")
_OF_NVIDIA = re.compile(r"nvidia|gpu|dcgm")  # other pods have only the GPUs that they were given
_MOST_NAMED = 5
_MOST_OUTPUTS, _LONGEST_OUTPUT = 5000, 2 << 20
_LINK = "the member is a symbolic link, and was ignored"
_OWN_LABEL = ("app.kubernetes.io/managed-by", "troubleshoot.sh")
_OWN_ROLE = "troubleshoot-role"


@dataclass
class _Notes:
    """What is remembered from one file to the next."""

    clock: Clock = field(default_factory=Clock)
    nodes: set[str] = field(default_factory=set)
    node_of: dict[tuple[str, str], str] = field(default_factory=dict)  # by namespace and name of a pod
    outputs: list[tuple[str, str, str, str]] = field(default_factory=list)  # of nvidia-smi: namespace, pod or node, text, member
    namespaces: set[str] = field(default_factory=set)  # all that the cluster has; empty: nobody knows
    crds: list[str] = field(default_factory=list)
    custom_errors: dict[str, str] = field(default_factory=dict)
    groups: Any = None
    resources: Any = None


def _match(names: Sequence[str]) -> Match | None:
    found = next((match for name in names if (match := _TOP.fullmatch(name))), None)
    if not found:
        return None
    top = found.group(1)
    has = set(names)
    told = [top + name in has for name in (*_ROOT_FILES, _VERSION)]
    return Match(top, sum(told) + 2 * any(name.startswith(top + _RESOURCES) for name in names))


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    notes = intake.notes["troubleshoot"] = _Notes()
    intake.own = partial(_look, notes)


def _look(notes: _Notes, body: dict[str, Any]) -> bool:
    """Note what an object tells of pods, nodes and the time; return whether the tool itself made the object."""
    metadata = body["metadata"]
    labels = metadata.get("labels")
    if isinstance(labels, dict) and (labels.get(_OWN_LABEL[0]) == _OWN_LABEL[1] or _OWN_ROLE in labels):
        return True
    notes.clock.look(body)
    if body["kind"] == "Node":
        notes.nodes.add(metadata["name"])
    elif body["kind"] == "Pod" and isinstance(body.get("spec"), dict):
        notes.node_of[str(metadata.get("namespace")), metadata["name"]] = str(body["spec"].get("nodeName") or "")
    return False


# --- One file -----------------------------------------------------------------------------------------------------------------


def _take(member: Member, intake: Intake) -> None:
    name, notes = member.name, intake.notes["troubleshoot"]
    if name.startswith(_RESOURCES):
        _resource(member, name.removeprefix(_RESOURCES), intake, notes)
    elif name == _VERSION:
        _version(member, intake)
    elif name == _ANALYSIS:
        _analysis(member, intake)
    elif name.startswith("secrets/") and name.endswith(".json"):
        _secret(member, intake)
    elif name.startswith("configmaps/") and name.endswith(".json"):
        _configmap(member, intake)
    elif (helm := _HELM.fullmatch(name)) and helm[1] != "errors":
        helm_releases(member, helm[1], intake, whole=name.count("/") == 1)
    elif found := _FROM_POD.fullmatch(name) or _COPIED.fullmatch(name):
        _output(member, intake, notes, found["namespace"], found["pod"])
    elif found := _FROM_NODE.fullmatch(name):
        _output(member, intake, notes, "", found["host"] or found["node"])
    elif log := _LOOSE_LOG.fullmatch(name):
        intake.log(member, "", log[1], log[2], bool(log[3]))


def _resource(member: Member, name: str, intake: Intake, notes: _Notes) -> None:
    folder, _, file = name.rpartition("/")
    stem = file.removesuffix(".json")
    if log := _LOG.fullmatch(member.name):
        if not log[3].endswith("-logs-errors"):
            intake.log(member, log[1], log[2], log[3], bool(log[4]))
    elif name == "namespaces.json":
        _namespaces(member, intake, notes)
    elif name == "groups.json":
        notes.groups = intake.document(member)
    elif name == "resources.json":
        notes.resources = intake.document(member)
    elif folder.split("/")[0] == CUSTOM:
        _custom(member, file, intake, notes)
    elif folder in LISTS and not LISTS[folder].of_cluster:
        _list(member, LISTS[folder], stem, intake)
    elif not folder and stem.endswith("-errors"):
        _errors(member, LISTS.get(stem.removesuffix("-errors")), intake)
    elif not folder and stem in LISTS and LISTS[stem].of_cluster:
        _list(member, LISTS[stem], "", intake, notes)


def _list(member: Member, one: List, namespace: str, intake: Intake, notes: _Notes | None = None) -> None:
    """Take one list; an empty file is none, and the file of errors beside it says why."""
    if not member.size:
        if not namespace:
            intake.notes.setdefault("empty", []).append(one)
        return
    taken = intake.objects(member, one.kind, one.api_version)
    if notes and one.kind == "CustomResourceDefinition":
        notes.crds.extend(found.name for found in taken)
    for group in sorted({found.group for found in taken if found.kind == one.kind} or {one.group}):
        intake.collected(one.plural, one.kind, group, namespace)


def _errors(member: Member, one: List | None, intake: Intake) -> None:
    """Take what could not be listed: texts of a list of the cluster, texts by namespace of the others."""
    told = intake.document(member) if one and member.size else None
    if one and isinstance(told, list) and told:
        message = "; ".join(str(text) for text in told[:3])
        intake.lacks(one.plural, one.kind, one.group, "", message, _status(message))
    elif one and isinstance(told, dict):
        for namespace, message in sorted((str(namespace), str(message)) for namespace, message in told.items()):
            intake.lacks(one.plural, one.kind, one.group, namespace, message, _status(message))


def _status(message: str) -> str:
    return "forbidden" if "forbidden" in message else "error"


def _namespaces(member: Member, intake: Intake, notes: _Notes) -> None:
    """Take the namespaces: all of them as a list, those that were asked for as an array, or a single one."""
    if not member.size:
        intake.notes.setdefault("empty", []).append(LISTS["namespaces"])
        return
    value = intake.document(member)
    if value is None:
        intake.damaged.setdefault(("Namespace", ""), f"{member.name} cannot be read")
        return
    whole = isinstance(value, dict) and "items" in value
    taken = [found for body in objects_of(value, "Namespace", "v1") if (found := intake.object(body, member.name))]
    if whole:
        notes.namespaces = {found.name for found in taken}
        intake.collected("namespaces", "Namespace")
    for found in () if whole else taken:
        intake.collected("namespaces", "Namespace", namespace=found.name)


def _custom(member: Member, file: str, intake: Intake, notes: _Notes) -> None:
    if file == f"{CUSTOM}-errors.json":
        told = intake.document(member) if member.size else None
        if isinstance(told, dict):
            notes.custom_errors = {str(name): str(message) for name, message in told.items()}
    elif file.endswith((".json", ".yaml")) and member.size:
        intake.objects(member)


def _version(member: Member, intake: Intake) -> None:
    value = intake.document(member)
    if isinstance(value, dict) and isinstance(value.get("info"), dict):
        intake.version = value["info"]


def _analysis(member: Member, intake: Intake) -> None:
    """Say how the tool's own analysis ended: whoever sent the bundle has seen it, and it judges by other rules than these."""
    value = intake.document(member)
    insights = [one.get("insight") for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    told = [one for one in insights if isinstance(one, dict)]
    failed, warned = ([_title(one) for one in told if one.get("severity") == severity] for severity in ("error", "warn"))
    if failed or warned:
        names = ", ".join([*failed, *warned][:_MOST_NAMED]) + (" and others" if len(failed + warned) > _MOST_NAMED else "")
        counts = f"{len(failed)} of {len(told)} as failed and {len(warned)} as warnings"
        intake.said.append(f"The tool's own analysis counts {counts}: {names}. None of them is a finding of this report.")


def _title(insight: Mapping[str, Any]) -> str:
    return printable(str(insight.get("primary") or insight.get("name") or "without a name"), 80)


def _secret(member: Member, intake: Intake) -> None:
    """Note that a value of a Secret stands here, where it does; nothing of it is kept."""
    value = intake.document(member)
    if not isinstance(value, dict):
        return
    data = value.get("data")
    count = exposed({"stringData": {**(data if isinstance(data, dict) else {}), " ": value.get("value") or "***"}})
    if count:
        intake.exposed.append(Exposed(str(value.get("namespace") or ""), str(value.get("name") or ""), count, member.name))


def _configmap(member: Member, intake: Intake) -> None:
    """Take a ConfigMap of which all data was asked for."""
    value = intake.document(member)
    if isinstance(value, dict) and isinstance(value.get("data"), dict) and not value.get("key"):
        metadata = {"name": value.get("name"), "namespace": value.get("namespace")}
        intake.object({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": value["data"]}, member.name)


def _output(member: Member, intake: Intake, notes: _Notes, namespace: str, place: str) -> None:
    """Keep in mind what nvidia-smi printed, until it is known on which node its pod runs."""
    if member.size > _LONGEST_OUTPUT or len(notes.outputs) >= _MOST_OUTPUTS:
        return
    text = read_text(intake, member)
    if smi_name(text):
        notes.outputs.append((namespace, place, text, member.name))


# --- All files ----------------------------------------------------------------------------------------------------------------


def _finish(names: Sequence[str], intake: Intake) -> None:
    notes: _Notes = intake.notes["troubleshoot"]
    told = {step.id for step in intake.steps}
    for one in intake.notes.get("empty", []):
        if f"list:{one.group or 'core'}/{one.plural}" not in told:
            intake.lacks(one.plural, one.kind, one.group, message="the file is empty")
    intake.discovery = discovery_of(notes.groups, notes.resources, _RESOURCES + "groups-resources-errors.json" not in names)
    custom_resources(intake, names, notes.crds, notes.custom_errors, notes.namespaces)
    for namespace, place, text, member in notes.outputs:
        node = notes.node_of.get((namespace, place), "") if namespace else place
        if (node in notes.nodes and not namespace) or (node and _OF_NVIDIA.search(f"{namespace}/{place}")):
            smi_text(intake, node, text, member)
    pods = Counter(pod for _, pod in notes.node_of)
    intake.spool.place_logs({pod: namespace for namespace, pod in notes.node_of if pods[pod] == 1})
    intake.time(notes.clock.read(_made(intake.top)))
    intake.problems.drop(_LINK)  # collectors link to the logs that stand elsewhere in the bundle


def _made(top: str) -> datetime | None:
    """Return the time in the name of the top folder, by the watch of the machine that the tool ran on."""
    found = _TIME.search(top)
    with suppress(ValueError):
        return datetime.fromisoformat(f"{found[1]}T{found[2]}:{found[3]}:{found[4]}").replace(tzinfo=UTC) if found else None
    return None


FORMAT = Format("troubleshoot support bundle", "a troubleshoot support bundle", _match, _take, _finish, begin=_begin)
