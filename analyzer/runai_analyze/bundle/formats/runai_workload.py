"""What ``workload.sh`` of Run:ai's professional services writes (runai-professional-services/log-collector 2.4.1): one workload,
its pods with logs and nvidia-smi, and lists of its project's namespace. The files are flat, and their names begin with the
workload's name and type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..intake.format import Format, Match, Member
from ..intake.intake import Intake
from .kubectl_files import take_list

_HOLDER = "an archive of workload.sh"
_START = r"(?P<start>[a-z0-9.-]{1,253}_(?:dinfw|dw|ew|infw|iw|tw|[a-z]{2,12}workloads))_"
_FILE = re.compile(
    rf"(?:.*/)?{_START}(?P<what>workload\.yaml|runaijob\.yaml|podgroup\.yaml|ksvc\.yaml|all_pods_list\.txt"
    r"|all_(?P<list>configmaps|pvcs|services|ingresses|routes)\.yaml|pod_[a-z0-9.-]{1,253}(?:\.yaml|_describe\.txt"
    r"|_(?:logs|nvidia_smi)_[a-z0-9-]{1,63}\.(?:log|txt)))"
)
_LOG = re.compile(r"pod_(?P<pod>[a-z0-9.-]{1,253})_logs_(?P<container>[a-z0-9-]{1,63})\.log")
_LISTS = {
    "configmaps": ("configmaps", "ConfigMap", ""),
    "pvcs": ("persistentvolumeclaims", "PersistentVolumeClaim", ""),
    "services": ("services", "Service", ""),
    "ingresses": ("ingresses", "Ingress", "networking.k8s.io"),
    "routes": ("routes", "Route", "route.openshift.io"),
}
_IN_NAMESPACE = re.compile(rb"^ {2,4}namespace: ([a-z0-9-]{1,63})\s*$", re.MULTILINE)
_PLACE, _WHOLE = "namespace", "whole"


def _match(names: Sequence[str]) -> Match | None:
    """Take what has three files that are named after one workload."""
    found = [(name, part) for name in names if (part := _FILE.fullmatch(name))]
    starts = {part["start"] for _, part in found}
    first = tuple(name for name, part in found if part["what"].endswith(".yaml"))
    return Match("", len(found) + 1, first[:20]) if len(found) > 2 and len(starts) == 1 else None


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    """Find out the project's namespace: all objects are of it."""
    told = sorted({found[1].decode() for data in documents.values() if (found := _IN_NAMESPACE.search(data))})
    intake.notes[_PLACE] = told[0] if len(told) == 1 else ""
    intake.notes[_WHOLE] = set()


def _take(member: Member, intake: Intake) -> None:
    found = _FILE.fullmatch(member.name)
    if found is None:
        return
    what, place = found["what"], intake.notes[_PLACE]
    if what.endswith(".yaml"):
        if take_list(member, intake) and found["list"]:
            intake.notes[_WHOLE].add(found["list"])
    elif what.endswith("_describe.txt") or what == "all_pods_list.txt":
        if member.size:
            intake.text(member, place)
    elif log := _LOG.fullmatch(what):
        if place:
            intake.log(member, place, log["pod"], log["container"])
        else:
            intake.problems.add(member.name, "nothing tells of which namespace this log is", "it was not looked at")


def _finish(names: Sequence[str], intake: Intake) -> None:
    place = intake.notes[_PLACE]
    for what in sorted(intake.notes[_WHOLE]):
        if place:
            intake.collected(*_LISTS[what], place)
    if place and intake.drafts.names("Pod", place):
        known = {one.name for one in intake.known() if (one.kind, one.namespace) == ("Pod", place)}
        why = f"of some of the {len(known)} pods it holds no more than a row of a table"
        intake.lacks("pods", "Pod", "", place, why, "truncated")


FORMAT = Format("workload.sh", _HOLDER, _match, _take, _finish, imitation=True, begin=_begin)
