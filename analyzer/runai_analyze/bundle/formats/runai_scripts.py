"""What ``cluster.sh`` of Run:ai's professional services writes (runai-professional-services/log-collector, January 2026, and the
variant of July 2025 whose folders lack the control plane's name): one archive for each namespace, of which several may be given
in one archive or folder.

Its files come from ``kubectl … 2>/dev/null``: an empty file was not collected. Pods are texts of ``kubectl describe``, nodes are
tables; it holds no Deployment, event or StorageClass of ``runai``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...objects.times import parse_time
from ..intake.drafts import DESCRIPTION
from ..intake.format import Format, Match, Member
from ..intake.held import Held
from ..intake.intake import Intake
from ..intake.lines import cells, clean
from ..intake.tables import titles_of
from ..intake.texts import decode
from .kubectl_files import take_list

_HOLDER = "an archive of cluster.sh"
_NAMESPACE = r"(?P<namespace>[a-z0-9][a-z0-9-]{0,62})"
_FOLDER = re.compile(r"(?:^|[-/])(runai-backend|runai-reservation|runai|knative-serving|knative-operator)-logs-[\d_-]+/?$")
_MARKER = re.compile(
    rf"(?:^|/)(?:(?:pod-list_{_NAMESPACE}\.txt)|configmaps_[a-z0-9-]+\.yaml|secrets_[a-z0-9-]+\.yaml|helm_charts_list\.txt"
    r"|node-list-detailed\.txt|cm_runai-public\.yaml|engine-config\.yaml|logs/[a-z0-9.-]+_describe\.txt"
    r"|scheduler/[a-z.]+run\.ai_list\.txt)$"
)
_LIST = re.compile(rf"(?P<what>configmaps|secrets|services|deployments|statefulsets|daemonsets|pvcs)_{_NAMESPACE}\.yaml")
_LOG = re.compile(r"(?P<pod>[a-z0-9.-]{1,253})_(?P<container>[a-z0-9-]{1,63})(?P<init>_init)?\.log")
_PODS = re.compile(rf"pod-list_{_NAMESPACE}\.txt")
_NAMES = re.compile(r"scheduler/(?P<what>[a-z.]+run\.ai)_list\.txt")
# What a file of a whole list holds: plural, kind, group.
_LISTS = {
    "configmaps": ("configmaps", "ConfigMap", ""),
    "secrets": ("secrets", "Secret", ""),
    "services": ("services", "Service", ""),
    "deployments": ("deployments", "Deployment", "apps"),
    "statefulsets": ("statefulsets", "StatefulSet", "apps"),
    "daemonsets": ("daemonsets", "DaemonSet", "apps"),
    "pvcs": ("persistentvolumeclaims", "PersistentVolumeClaim", ""),
    "knative-services": ("services", "Service", "serving.knative.dev"),
    "knative-revisions": ("revisions", "Revision", "serving.knative.dev"),
    "knative-routes": ("routes", "Route", "serving.knative.dev"),
    "knative-configurations": ("configurations", "Configuration", "serving.knative.dev"),
    "knative-domainmappings": ("domainmappings", "DomainMapping", "serving.knative.dev"),
}
# Kinds of which a table names all, and a file holds each one: the file's first word, plural, kind, group.
_SCHEDULER = {
    "projects.run.ai": ("project", "projects", "Project", "run.ai"),
    "queues.scheduling.run.ai": ("queue", "queues", "Queue", "scheduling.run.ai"),
    "nodepools.run.ai": ("nodepool", "nodepools", "NodePool", "run.ai"),
    "departments.scheduling.run.ai": ("department", "departments", "Department", "scheduling.run.ai"),
}
_OBJECTS = (
    "cm_runai-public.yaml",
    "runaiconfig.yaml",
    "engine-config.yaml",
    "knativeserving.yaml",
    "knativeserving_all.yaml",
    "mutatingwebhooks_knative.yaml",
    "validatingwebhooks_knative.yaml",
)
_FOLDERS, _WHOLE, _LISTED, _ASKED = "folders", "whole", "listed", "pods"  # what is remembered from one file to the next
_MOST_NAMED = 200


def _match(names: Sequence[str]) -> Match | None:
    """Take what has two of the files that this script alone writes."""
    found = [name for name in names if _MARKER.search(name)]
    first = tuple(name for name in found if _PODS.fullmatch(name.rsplit("/", 1)[-1]))
    return Match("", len(found) + 1, first[:_MOST_NAMED]) if len(found) > 1 else None


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    """Learn which folder is of which namespace: the lists of pods have it in their names."""
    told = ((name.rpartition("/"), _PODS.fullmatch(name.rsplit("/", 1)[-1])) for name in documents)
    intake.notes[_FOLDERS] = {place[0]: found["namespace"] for place, found in told if found}
    intake.notes.update({_WHOLE: set(), _LISTED: {}, _ASKED: set()})


def _take(member: Member, intake: Intake) -> None:
    folder, _, file = member.name.rpartition("/")
    below = folder.rsplit("/", 1)[-1]
    if below == "logs":
        _pod_file(member, intake, _namespace_of(folder.rpartition("/")[0], intake), file)
    elif below == "scheduler":
        _scheduler(member, intake, file)
    elif found := _LIST.fullmatch(file):
        _list(member, intake, found["what"], found["namespace"])
    elif file.removesuffix(".yaml") in _LISTS:
        _list(member, intake, file.removesuffix(".yaml"), "knative-serving")
    elif file in _OBJECTS:
        take_list(member, intake)
    elif found := _PODS.fullmatch(file):
        if intake.text(member, found["namespace"]):
            intake.notes[_ASKED].add(found["namespace"])
    elif file in ("node-list.txt", "node-list-detailed.txt") or file.startswith("events_"):
        intake.text(member, file.removeprefix("events_").removesuffix(".txt"))


def _namespace_of(folder: str, intake: Intake) -> str:
    """Return the namespace that a folder's files are of; empty where neither a list of pods nor its name tells."""
    told = intake.notes[_FOLDERS].get(folder)
    by_name = _FOLDER.search(folder)
    return str(told or (by_name[1] if by_name else ""))


def _pod_file(member: Member, intake: Intake, namespace: str, file: str) -> None:
    if file.endswith("_describe.txt"):
        if member.size:
            intake.text(member, namespace)
        return
    found = _LOG.fullmatch(file)
    if found is None:
        return
    if not namespace:
        intake.problems.add(member.name, "nothing tells of which namespace this log is", "it was not looked at")
        return
    data = member.read()
    _clock(data, intake)
    intake.log(Held(member.name, data, member.whole), namespace, found["pod"], found["container"])


def _clock(data: bytes, intake: Intake) -> None:
    """Take the time of a log's last line, which kubectl put there: the cluster was asked after it."""
    last = data[-4096:].rstrip().rpartition(b"\n")[2].partition(b" ")[0].decode("ascii", "replace")
    try:
        intake.time(parse_time(last))
    except ValueError:
        return


def _list(member: Member, intake: Intake, what: str, namespace: str) -> None:
    if take_list(member, intake):
        intake.notes[_WHOLE].add((*_LISTS[what], namespace))


def _scheduler(member: Member, intake: Intake, file: str) -> None:
    found = _NAMES.fullmatch(f"scheduler/{file}")
    if found is None:
        take_list(member, intake)
    elif found["what"] in _SCHEDULER:
        text, _ = decode(member.read())
        if (names := _names_in(text)) is not None and member.whole:
            intake.notes[_LISTED][found["what"]] = names


def _names_in(text: str) -> set[str] | None:
    """Return the names in the first column of a table; None where it is no table."""
    lines = clean(text).split("\n")
    titles = titles_of(lines[0])
    rows = [cells(line, titles) for line in lines[1:] if line.strip()]
    return {row.get("NAME", "") for row in rows if row} if titles and all(rows) else None


def _finish(names: Sequence[str], intake: Intake) -> None:
    for plural, kind, group, namespace in sorted(intake.notes[_WHOLE]):
        intake.collected(plural, kind, group, namespace)
    for what, (_, plural, kind, group) in _SCHEDULER.items():
        if what in intake.notes[_LISTED]:
            _whole_by_names(intake, plural, kind, group, intake.notes[_LISTED][what])
    for namespace in sorted(intake.notes[_ASKED]):
        whole = intake.drafts.names("Pod", namespace) <= intake.drafts.names("Pod", namespace, DESCRIPTION)
        if whole:
            intake.collected("pods", "Pod", "", namespace)
        else:
            intake.lacks("pods", "Pod", "", namespace, "of some pods it holds no more than a row of a table", "truncated")
    if intake.drafts.names("Node"):
        intake.lacks("nodes", "Node", message="it holds no more than tables of the nodes", status="truncated")


def _whole_by_names(intake: Intake, plural: str, kind: str, group: str, names: set[str]) -> None:
    """Say that a kind is whole where every name that the table has came as an object too."""
    here = {one.name for one in intake.known() if (one.kind, one.group) == (kind, group)}
    if names <= here:
        intake.collected(plural, kind, group)
    else:
        intake.lacks(plural, kind, group, message=f"{len(names - here)} of {len(names)} were not written", status="truncated")


FORMAT = Format("cluster.sh", _HOLDER, _match, _take, _finish, imitation=True, begin=_begin)
