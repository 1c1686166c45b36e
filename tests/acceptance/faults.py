"""Which findings of a report are about a planted fault: told by its object and field, naming no rule."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.cluster.scenario_data import Fault

SEVERITIES = ("info", "low", "medium", "high", "critical")

_NAMED = re.compile(r"([A-Z]\w+) (?:([\w.-]+)/)?([\w.-]+)")  # an object as evidence columns print it: Deployment runai/agent

# What the analyzer works out of a field, by the words of its own facts: any of them is about the field.
DERIVED = {
    "status.nodeInfo.osImage": ("os_family", "os_version", "node_os"),
    "status.nodeInfo.containerRuntimeVersion": ("runtime",),
    "status.conditions[type=Ready].status": ("ready", "conditions"),
    "spec.template.spec.containers[0].image": ("version", "image", "images"),
    "status.numberReady": ("ready", "numberUnavailable", "numberAvailable"),
    "status.readyReplicas": ("ready", "available", "unavailableReplicas"),
    'status.allocatable["nvidia.com/gpu"]': ("allocatable", "gap", "gpu"),
    "exit_code": ("nvidia_smi", "ok", "answered", "driver_version"),
    "gpu[5].fan_speed, gpu[5].gpu_power_readings": ("errors",),
    "gpu": ("count", "allocatable", "gap", "expected"),
    "spec.controller": ("controller", "found"),
    "spec.__internal.global.clusterURL": ("url", "url_scheme", "url_host", "url_is_ip", "clusterURL"),
    "spec.global.clusterURL": ("url", "url_scheme", "url_host", "url_is_ip", "clusterURL"),
    'data["tls.crt"], notAfter': ("not_after",),
    'data["tls.crt"], subjectAltName': ("dns_names", "expected_hosts", "uncovered_hosts"),
    'data["tls.key"]': ("key_matches",),
    'data["tls.crt"]': ("chain_complete", "chain_length"),
    "gitVersion": ("version", "minor", "name", "gitVersion"),
    "status.desired.version": ("version",),
    "spec.version": ("version",),
    "status.version": ("version",),
    "spec.versions[*].name": ("served_versions", "stored_versions", "versions", "crd_version"),
    "status.capacity.cpu": ("cpu",),
    "status.capacity.memory": ("memory",),
    'metadata.labels["node-role.kubernetes.io/runai-system"]': ("runai_system", "runai-system", "system"),
    'metadata.annotations["storageclass.kubernetes.io/is-default-class"]': ("default", "default_classes", "is-default-class"),
    "provisioner": ("shared", "shared_classes", "provisioner"),
    "status.containerStatuses[0].state.waiting.reason": ("waiting_reasons", "reason"),
    "spec.template.spec.containers[0].env": ("proxy", "env", "no_proxy", "missing", "covers_cluster"),
    "status.conditions[type=Reconciled].status": ("conditions",),
    'data["runai-public"], dependencies.required.prometheus.available': ("available",),
}


@dataclass(frozen=True)
class Found:
    """One finding of a report with what it names."""

    rule: str
    severity: str
    message: str
    fingerprint: str
    subjects: frozenset[
        tuple[str, str, str]
    ]  # kind, namespace, name: the finding's own, those of its evidence and those it shows
    paths: tuple[str, ...]
    words: str

    @property
    def above_low(self) -> bool:
        return SEVERITIES.index(self.severity) > SEVERITIES.index("low")

    def __str__(self) -> str:
        subjects = ", ".join(" ".join(part for part in subject if part) for subject in sorted(self.subjects))
        return f"{self.severity}: {self.message} [{self.rule}; {subjects}; {', '.join(self.paths)}]"


def subjects_of(fault: Fault) -> frozenset[tuple[str, str, str]]:
    """The fault's object by the names that a report may give it: made kinds have names of their own."""
    kind, namespace, name = (fault.object.get(key, "") for key in ("kind", "namespace", "name"))
    kinds = {"NvidiaSmi": ("Node", "GpuNode"), "Secret": ("Secret", "Certificate")}
    return frozenset((one, namespace, name) for one in kinds.get(kind, (kind,)))


def is_about(found: Found, fault: Fault) -> bool:
    """Whether a finding names the fault's object."""
    if subjects_of(fault) & found.subjects:
        return True
    if is_gone(fault):  # what is missing is nobody's subject: its name must be in the words, or all of its kind be the subject
        of_its_kind = any(kind == fault.object["kind"] and name == "(all)" for kind, _, name in found.subjects)
        return of_its_kind or _words(fault.object["name"]) <= _words(found.words)
    if fault.object["kind"] == "Version":
        return any(kind in ("Cluster", "Version") for kind, _, _ in found.subjects)
    if fault.object["kind"] == "NvidiaSmi":
        return any(kind == "GpuDevice" and name.startswith(f"{fault.object['name']}/") for kind, _, name in found.subjects)
    return False


def is_gone(fault: Fault) -> bool:
    """Whether the fault is that its object is not there."""
    return any(change.get("delete") == fault.object and "create" not in str(fault.change) for change in fault.change)


def explains(found: Found, fault: Fault) -> bool:
    """Whether a finding is about the fault's object and field, and at least as bad as it should be."""
    bad_enough = SEVERITIES.index(found.severity) >= SEVERITIES.index(fault.expected_severity)
    if not bad_enough or not is_about(found, fault):
        return False
    if is_gone(fault):
        return True
    words = {*DERIVED.get(fault.field, ()), re.findall(r"[\w-]+", fault.field)[-1]}
    return any(words & set(re.findall(r"[\w-]+", path)) for path in found.paths)


def _words(text: str) -> set[str]:
    """The telling words of a name: `kube-prometheus-stack-operator` and "Prometheus Operator" are the same thing."""
    return {word for word in re.split(r"[^a-z0-9]+", text.lower()) if word not in ("", "kube", "stack", "runai")}


def findings(report: dict[str, Any]) -> list[Found]:
    """All findings of a JSON report, in its order."""
    return list(_findings(report))


def _findings(report: dict[str, Any]) -> Iterator[Found]:
    for outcome in report["outcomes"]:
        for finding in outcome["findings"]:
            evidence = finding["evidence"]
            subjects = [finding["subject"], *(row["subject"] for row in evidence)]
            shown = [_NAMED.fullmatch(column["value"]) for column in finding["show"]]
            said = [finding["message"], *(f"{row['found']} {row['wanted']} {row['because']}" for row in evidence)]
            yield Found(
                rule=outcome["rule"],
                severity=finding["severity"],
                message=finding["message"],
                fingerprint=finding["fingerprint"],
                subjects=frozenset(
                    [
                        *((subject["kind"], subject["namespace"], subject["name"]) for subject in subjects),
                        *((match[1], match[2] or "", match[3]) for match in shown if match),
                    ]
                ),
                paths=tuple(dict.fromkeys(row["path"] for row in evidence)),
                words=" ".join(said),
            )
