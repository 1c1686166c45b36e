"""NVIDIA's must-gather of the GPU Operator (``hack/must-gather.sh`` of NVIDIA/gpu-operator, release 26.7 and before).

It holds one namespace, the cluster's ClusterPolicy, and text about the nodes with GPUs. It has no node as YAML: nodes are read
from what ``kubectl describe`` printed of them, and are only those with the label ``nvidia.com/gpu.present``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..intake.describe import describe
from ..intake.format import Format, Match, Member, fullest_folder
from ..intake.intake import Intake
from ..intake.machines import bug_report, prefixed_logs, read_text, smi_text, time_of, whole_log

_HOLDER = "a must-gather of the GPU Operator"
_MARKERS = (
    "gpu_operand_pods.yaml",
    "gpu_operand_ds.yaml",
    "gpu_operator_pod.yaml",
    "gpu_nodes.labels",
    "gpu_nodes.descr",
    "cluster_policy.yaml",
    "cluster_policy.missing",
    "must-gather.stderr.log",
)
_OBJECTS = (
    "cluster_policy.yaml",
    "nvidiadrivers.yaml",
    "openshift_version.yaml",
    "gpu_operator_pod.yaml",
    "gpu_operand_pods.yaml",
    "gpu_operand_ds.yaml",
    "hyperconverged.yaml",
    "kubevirt.yaml",
)
_LOG = re.compile(r"gpu_operand_pod_([a-z0-9.-]+?)(\.previous)?\.log")
_OPERATOR_LOG = re.compile(r"gpu_operator_pod(\.previous)?\.log")
_REPORT = re.compile(r"nvidia-bug-report_(.+?)\.log")
_USAGE = re.compile(r"gpu_device_usage_(.+)\.log")
_FIRST = ("gpu_operand_pods.yaml", "gpu_operator_pod.yaml", "gpu_operand_ds.yaml")
_IN_NAMESPACE = re.compile(rb"^ +namespace: ([a-z0-9-]{1,63})\s*$", re.MULTILINE)
_IN_NAME = re.compile(rb"^  name: ([a-z0-9.-]{1,253})\s*$", re.MULTILINE)
_NVIDIA = "nvidia.com"
_NAMESPACE = "namespace"  # the note that tells in which the operator runs
_OPERATOR = "operator"  # the one that tells the name of its pod
_OWN_CONTAINER = "gpu-operator"


def _match(names: Sequence[str]) -> Match | None:
    """Take a folder with two of the files that only this script writes."""
    top, count = fullest_folder(names, _MARKERS)
    return Match(top, count + 2, _FIRST) if count > 1 else None


def _begin(documents: Mapping[str, bytes], intake: Intake) -> None:
    """Find out the operator's namespace, which the names of the logs do not tell."""
    found = next((found for name in _FIRST if (found := _IN_NAMESPACE.search(documents.get(name, b"")))), None)
    if found:
        intake.notes[_NAMESPACE] = found[1].decode()
    if operator := _IN_NAME.search(documents.get("gpu_operator_pod.yaml", b"")):
        intake.notes[_OPERATOR] = operator[1].decode()


def _take(member: Member, intake: Intake) -> None:
    name = member.name
    if name in _OBJECTS:
        intake.objects(member)
    elif name == "gpu_nodes.descr":
        _nodes(member, intake)
    elif found := _REPORT.fullmatch(name):
        bug_report(intake, member, found[1])
    elif found := _USAGE.fullmatch(name):
        smi_text(intake, found[1], read_text(intake, member), name)
    elif (found := _OPERATOR_LOG.fullmatch(name)) and intake.notes.keys() >= {_NAMESPACE, _OPERATOR}:
        place = intake.notes[_NAMESPACE], intake.notes[_OPERATOR], _OWN_CONTAINER
        whole_log(intake, *place, bool(found[1]), read_text(intake, member), name)
    elif found := _LOG.fullmatch(name):
        prefixed_logs(intake, intake.notes.get(_NAMESPACE, ""), found[1], bool(found[2]), read_text(intake, member), name)


def _nodes(member: Member, intake: Intake) -> None:
    for found in describe(read_text(intake, member)):
        if found.problem:
            intake.unreadable(member.name, f"line {found.line}: {found.problem}", found.kind)
        elif found.body:
            intake.object(found.body, member.name, found.line)
            for condition in found.body.get("status", {}).get("conditions", []) if found.kind == "Node" else []:
                intake.time(time_of(condition.get("lastHeartbeatTime")))


def _finish(names: Sequence[str], intake: Intake) -> None:
    namespace = intake.notes.get(_NAMESPACE, "")
    if {"cluster_policy.yaml", "cluster_policy.missing"} & {*names}:
        intake.collected("clusterpolicies", "ClusterPolicy", _NVIDIA)
    if "nvidiadrivers.yaml" in names:
        intake.collected("nvidiadrivers", "NVIDIADriver", _NVIDIA)
    if "openshift_version.yaml" in names:
        intake.collected("clusterversions", "ClusterVersion", "config.openshift.io")
    if namespace and "gpu_operand_pods.yaml" in names:
        intake.collected("pods", "Pod", "", namespace)
    if namespace and "gpu_operand_ds.yaml" in names:
        intake.collected("daemonsets", "DaemonSet", "apps", namespace)
    if "gpu_nodes.descr" in names:
        intake.lacks("nodes", "Node", "", message="only nodes with nvidia.com/gpu.present=true are in it", status="truncated")


FORMAT = Format("gpu-operator must-gather", _HOLDER, _match, _take, _finish, begin=_begin)
