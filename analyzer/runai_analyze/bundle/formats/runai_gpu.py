"""What ``gpu.sh`` of Run:ai's professional services writes (runai-professional-services/log-collector, January 2026): the
namespace of the GPU Operator, and texts about nodes. Errors of kubectl stand in its files in place of what was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..intake.clock import Clock
from ..intake.drafts import DESCRIPTION
from ..intake.format import Format, Match, Member, fullest_folder
from ..intake.held import Held
from ..intake.intake import Intake
from ..intake.lines import clean
from ..intake.texts import decode
from .kubectl_files import take_list

_HOLDER = "an archive of gpu.sh"
_NAMESPACE = "gpu-operator"  # the script asks in no other
_MARKERS = (
    "gpu-operator-resources.yaml",
    "gpu-operator-describe.txt",
    "gpu-operator-events.txt",
    "gpu-nodes-describe.txt",
    "gpu-operator-configmaps.yaml",
    "gpu-operator-daemonsets.yaml",
    "gpu_operator_helm_values.yaml",
    "cluster-failed-events.txt",
    "gpu-related-events.txt",
    "collection-summary.txt",
    "nodefeatures.yaml",
)
# What kubectl means by "all", which leaves out ConfigMaps, Secrets and custom objects.
_ALL = (
    ("pods", "Pod", ""),
    ("services", "Service", ""),
    ("daemonsets", "DaemonSet", "apps"),
    ("deployments", "Deployment", "apps"),
    ("replicasets", "ReplicaSet", "apps"),
    ("statefulsets", "StatefulSet", "apps"),
    ("jobs", "Job", "batch"),
    ("cronjobs", "CronJob", "batch"),
)
_LISTS = {
    "gpu-operator-resources.yaml": _ALL,
    "gpu-operator-configmaps.yaml": (("configmaps", "ConfigMap", ""),),
    "gpu-operator-daemonsets.yaml": (("daemonsets", "DaemonSet", "apps"),),
}
_POLICIES = ("clusterpolicies", "ClusterPolicy", "nvidia.com")
_TEXTS = ("nodes.txt", "gpu-nodes.txt", "gpu-nodes-describe.txt", "gpu-operator-events.txt", "cluster-failed-events.txt")
_NOT_LOGS = ("No previous logs available",)
_SERVER = re.compile(r"^Server Version: (?:version\.Info\{.{0,200}?GitVersion:\")?(v\d[\w.+-]{0,60})", re.MULTILINE)
_NODES = "nodes.txt"
_WHOLE = "whole"


def _match(names: Sequence[str]) -> Match | None:
    """Take a folder with three of the files that this script alone writes."""
    top, count = fullest_folder(names, _MARKERS)
    return Match(top, count + 1) if count > 2 else None


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    intake.notes[_WHOLE] = set()


def _take(member: Member, intake: Intake) -> None:
    name = member.name
    if name in _LISTS or name in ("clusterpolicies.yaml", "nodefeatures.yaml"):
        if take_list(member, intake):
            intake.notes[_WHOLE].add(name)
    elif name in _TEXTS or name.endswith("-describe.txt"):
        if name != "gpu-operator-describe.txt" and intake.text(member, _NAMESPACE) and member.whole:
            intake.notes[_WHOLE].add(name)
    elif name == "cluster-version.txt":
        _version(member, intake)
    elif name.endswith(".log") and "/" not in name:
        _log(member, intake, name.removesuffix(".log"))


def _version(member: Member, intake: Intake) -> None:
    text, _ = decode(member.read())
    if found := _SERVER.search(clean(text)):
        major, _, rest = found[1].removeprefix("v").partition(".")
        intake.version.update({"gitVersion": found[1], "major": major, "minor": rest.partition(".")[0]})


def _log(member: Member, intake: Intake, pod: str) -> None:
    """Take the logs of all containers of a pod, which the script writes into one file without saying which line is whose."""
    data = member.read()
    if data.strip().decode("utf-8", "replace") not in _NOT_LOGS and not data.startswith(b"Error from server"):
        previous = pod.endswith("-previous")
        intake.log(Held(member.name, data, member.whole), _NAMESPACE, pod.removesuffix("-previous"), "", previous)


def _clock(intake: Intake) -> None:
    """Take the time of the newest heartbeat of a node: the script writes its own without the zone."""
    clock = Clock()
    for draft in intake.drafts.all():
        clock.look(draft.body)
    intake.time(clock.read(None))


def _finish(names: Sequence[str], intake: Intake) -> None:
    _clock(intake)
    whole = intake.notes[_WHOLE]
    kinds = {kind: None for name, kinds in _LISTS.items() if name in whole for kind in kinds}
    for plural, kind, group in kinds:
        intake.collected(plural, kind, group, _NAMESPACE)
    if "clusterpolicies.yaml" in whole:
        intake.collected(*_POLICIES)
    every, described = intake.drafts.names("Node"), intake.drafts.names("Node", rank=DESCRIPTION)
    if _NODES in whole and every and every == described:
        intake.collected("nodes", "Node")
    elif every:
        why = f"it describes {len(described)} of {len(every)} nodes" if _NODES in whole else "it holds nodes with GPUs alone"
        intake.lacks("nodes", "Node", message=why, status="truncated")
    if {"gpu-operator-events.txt"} & whole:
        intake.lacks("events", "Event", "", _NAMESPACE, "it holds no more than a table of them", "truncated")


FORMAT = Format("gpu.sh", _HOLDER, _match, _take, _finish, imitation=True, begin=_begin)
