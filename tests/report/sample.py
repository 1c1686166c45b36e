"""A Report as a real run makes one: every status, every answer, and text of the kind that breaks pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from runai_analyze.model import (
    BundleInfo,
    Command,
    Evidence,
    Finding,
    GpuNodeRow,
    Missing,
    ObjectRef,
    Outcome,
    PackInfo,
    Problem,
    ReleaseFit,
    Report,
    RuleInfo,
    RuleTable,
    Severity,
    SiteChange,
    Status,
    Step,
    Table,
    Unknown,
)
from runai_analyze.report.build import build_report
from runai_analyze.ruleset.rule import ChecklistEntry as Line
from runai_analyze.ruleset.rule import ChecklistSection as Section

SCRIPT = '<script>alert("x")</script><img src=x onerror=alert(1)>'
LONG = "a-very-long-name-" * 600  # 10,200 characters
RTL = "\u202egpj.exe\u202c مرحبا بالعالم"
CJK = "你好，世界 노드 ノード"
HOSTILE = (
    SCRIPT,
    LONG,
    RTL,
    CJK,
    "{{ 7 * 7 }} {% raw %}",
    "\x1b[31mred\x1b[0m \x00",
    "]]></style></script>",
    "=cmd|' /C calc'!A0",
)


@dataclass(frozen=True)
class Pack:
    """What a report asks of a rule pack."""

    checklist: tuple[Section, ...] = ()
    info: tuple[PackInfo, ...] = (PackInfo("runai", "2026.12.1", "sha256:" + "ab" * 32, 12),)
    used_tables: tuple[RuleTable, ...] = ()
    changes: tuple[SiteChange, ...] = ()


@dataclass(frozen=True)
class Lists:
    """What the facts layer lists."""

    gpus: tuple[GpuNodeRow, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Source:
    """What a report asks of the facts layer."""

    cluster: Mapping[str, Any]
    lists: Lists = Lists()

    def inventory(self) -> Lists:
        return self.lists


def ref(
    kind: str, name: str, namespace: str = "", member: str = "resources/core/v1/nodes/0001.jsonl", line: int = 3
) -> ObjectRef:
    return ObjectRef(kind, name, namespace, member, line)


def rule(id: str, severity: Severity = Severity.HIGH, area: str = "platform", **more: Any) -> RuleInfo:
    return RuleInfo(**{"id": id, "title": f"Title of {id}", "severity": severity, "area": area, "status": "stable", **more})


def finding(of: RuleInfo, message: str, rows: int = 1, **more: Any) -> Finding:
    subject = more.pop("subject", ref("Node", "gpu-06"))
    evidence = tuple(
        Evidence(subject, f"status.conditions[{i}].status", "False", "True", "the kubelet says so") for i in range(rows)
    )
    return Finding(
        **{
            "rule": of.id,
            "severity": of.severity,
            "message": message,
            "subject": subject,
            "evidence": evidence,
            "fingerprint": "e5d013c8a1b2",
            **more,
        }
    )


def outcome(of: RuleInfo, status: Status, message: str = "", **more: Any) -> Outcome:
    return Outcome(of, status, message or f"Message of {of.id}", **more)


def bundle(**more: Any) -> BundleInfo:
    steps = (
        Step("version", "GET /version", "cluster", "ok", objects=1),
        Step("list:core/v1/nodes", "GET /api/v1/nodes", "cluster", "ok", objects=14, kind="Node"),
        Step("list:core/v1/pods", "GET /api/v1/pods", "cluster", "forbidden", "pods is forbidden", 403, kind="Pod"),
        Step(
            "list:apps/v1/deployments@runai", "GET …", "namespace", "forbidden", "refused", 403, kind="Deployment", group="apps"
        ),
        Step("list:kubeflow.org/v2beta1/mpijobs", "GET …", "cluster", "not_found", "not served by this cluster", 404),
        Step("nvidia-smi:gpu-08", "exec nvidia-smi", "node", "timeout", "no answer within 30 s"),
    )
    return BundleInfo(
        **{
            "file_name": "atlas-prod.tgz",
            "size": 4_210_345,
            "sha256": "0123456789abcdef" * 4,
            "format": 1,
            "collector": "runai-collect 0.1.0",
            "captured": datetime(2026, 11, 30, 9, 41, tzinfo=UTC),
            "state": "complete",
            "steps": steps,
            "options": (("namespaces", "all"),),
            "clock_skew_seconds": 1.4,
            **more,
        }
    )


CLUSTER: dict[str, Any] = {
    "name": "atlas-prod",
    "kubernetes": {"version": "v1.35.2+rke2r1", "minor": "1.35"},
    "distribution": {"name": "rke2"},
    "runai": {
        "version": "2.25.14",
        "release": "2.25",
        "bundle_version": "2.25.14",
        "source": "bundle",
        "installed": True,
        "namespace_exists": True,
        "control_plane_url": "https://runai.hq.example.com",
        "control_plane_here": False,
    },
    "gpu_operator": {"installed": True, "version": "25.10.1"},
    "driver": {"versions": ["580.105.08"]},
    "knative": {"installed": False},
    "prometheus": {"installed": True, "version": Unknown(Missing("pods", "pods may not be listed", "kubectl get pods -A"))},
    "features": ["distributed"],
    "nodes": {"total": 14, "ready": 13, "gpu": 8, "control_plane": 3, "worker": 11, "system": 3},
    "gpus": {"capacity": 32, "allocatable": 27},
}

PLATFORM = (
    Line("kubernetes-version", "Kubernetes version"),
    Line("os", "Operating system"),
    Line("clock", "Clocks agree", ask="Do the clocks of all nodes agree (NTP)?"),
)
GPU_SOFTWARE = (Line("gpu-operator", "GPU Operator"), Line("driver", "Driver on every GPU node"))
INFERENCE = (Line("knative", "Knative Serving", True, "inference"), Line("mpi", "MPI operator", True))
CHECKLIST = (Section("Platform", PLATFORM), Section("GPU software", GPU_SOFTWARE), Section("Inference", INFERENCE))


def releases() -> tuple[ReleaseFit, ...]:
    def fit(release: str, kubernetes: str, answer: str, current: bool = False) -> ReleaseFit:
        parts = (("kubernetes", "1.35", kubernetes, answer), ("gpu_operator", "25.10", "25.3 - 26.3", "yes"))
        return ReleaseFit(release, answer, parts, current)  # type: ignore[arg-type]

    return (
        fit("2.26", "", "unknown"),
        fit("2.25", "1.33 - 1.35", "yes", True),
        fit("2.24", "1.33 - 1.35", "yes"),
        fit("2.23", "1.31 - 1.34", "no"),
        fit("2.22", "1.31 - 1.33", "no"),
        fit("2.18", "1.28 - 1.31", "no"),
    )


def gpus() -> tuple[GpuNodeRow, ...]:
    healthy = tuple(
        GpuNodeRow(f"gpu-{i:02d}", 4, 4, 4, 4, 4, 4, 2, "NVIDIA H100 80GB HBM3", "580.105.08") for i in (1, 2, 4, 5, 7)
    )
    return (
        *healthy,
        GpuNodeRow("gpu-03", 4, 4, 4, 4, 4, 3, 3, "NVIDIA H100 80GB HBM3", "580.105.08", gap="allocatable: one GPU is unhealthy"),
        GpuNodeRow("gpu-06", 4, 0, 0, 4, 0, 0, 0, "", "", gap="driver: nvidia-smi cannot reach the driver"),
        GpuNodeRow("gpu-08", 4, None, None, 4, 4, 4, 1, "NVIDIA H100 80GB HBM3", note="nvidia-smi did not answer within 30 s"),
    )


def outcomes(names: Sequence[str] = HOSTILE) -> tuple[Outcome, ...]:
    """Return one outcome of every status and more; ``names`` are those of the pods in the longest finding."""
    certificate = rule(
        "RAI-CRT-001",
        Severity.CRITICAL,
        "certificates",
        title="The cluster URL's certificate is valid",
        impact="The control plane has not heard from this cluster since the certificate ended.",
        fix="Renew the certificate and replace the Secret.",
        commands=(
            Command("kubectl -n runai get secret runai-cluster-domain-tls-secret", "read only", "customer"),
            Command("kubectl -n runai replace -f secret.yaml", "changes the cluster", "customer"),
        ),
        docs=(("TLS certificate", "The secret holds a trusted certificate.\nIts chain is complete.", "Source: 2.25 docs"),),
        checklist="certificate",
        kb=("KB-1203",),
        internal_note="Ask for the chain first.",
    )
    driver = rule(
        "RAI-GPU-002",
        Severity.CRITICAL,
        "gpu",
        title="The driver answers on every GPU node",
        checklist="driver",
        impact="Four GPUs are lost.",
        fix="Install the headers of the running kernel.",
    )
    quota = rule("RAI-QUO-001", Severity.MEDIUM, "quota", title="No quota is exhausted")
    kubernetes = rule(
        "RAI-K8S-001", Severity.CRITICAL, title="Kubernetes version is in the matrix", checklist="kubernetes-version"
    )
    hostile = rule("RAI-WKL-009", Severity.LOW, "workloads", title=SCRIPT)
    note = rule("RAI-INF-001", Severity.INFO, "workloads")
    wants_pods = (
        Missing("the pods of all namespaces", "the API server refused the list", "kubectl auth can-i list pods --all-namespaces"),
    )
    wants_smi = (
        Missing(
            "the GPUs of gpu-08 as its driver sees them",
            "nvidia-smi did not answer within 30 s",
            "kubectl -n gpu-operator exec nvidia-driver-daemonset-7xk2p -- nvidia-smi -q -x",
        ),
    )
    return (
        outcome(
            certificate,
            Status.FAIL,
            findings=(
                finding(
                    certificate,
                    "The certificate of the cluster URL expired two days ago",
                    subject=ref("Secret", "runai-cluster-domain-tls-secret", "runai"),
                    show=(("Valid until", "2026-11-28T08:00:00Z"),),
                ),
            ),
        ),
        outcome(
            driver,
            Status.FAIL,
            findings=(finding(driver, "The NVIDIA driver does not load on gpu-06, so 4 GPUs are lost", 2),),
            missing=wants_smi,
            seen="7 of 8 nodes",
        ),
        outcome(
            quota,
            Status.FAIL,
            "2 quotas are exhausted",
            findings=tuple(
                finding(quota, f"The quota of team-{i} is used up", subject=ref("ResourceQuota", "all", f"team-{i}"))
                for i in (1, 2)
            ),
        ),
        outcome(
            hostile,
            Status.FAIL,
            f"{len(names)} pods have odd names",
            findings=tuple(
                finding(
                    hostile, f"Pod {text} waits", subject=ref("Pod", text, "runai"), show=(("Name", text),), fix=f"Rename {text}"
                )
                for text in names
            ),
        ),
        outcome(note, Status.FAIL, findings=(finding(note, "One node pool is empty"),)),
        outcome(kubernetes, Status.PASS, seen="1.35.2", looked_at=1),
        outcome(
            rule("RAI-OS-001", title="The operating system is supported", checklist="os"),
            Status.UNKNOWN,
            "The nodes' images are not in the bundle",
            missing=wants_pods,
        ),
        outcome(
            rule("RAI-GPU-030", title="Every GPU is seen by nvidia-smi", checklist="driver"),
            Status.UNKNOWN,
            "gpu-08 did not answer",
            missing=wants_smi,
        ),
        outcome(rule("RAI-CMP-011", title="RunaiConfig is available"), Status.BLOCKED, blocked_by="RAI-CRT-001"),
        outcome(rule("RAI-CMP-012", title="The agent is connected"), Status.BLOCKED, blocked_by="RAI-CMP-011"),
        outcome(rule("RAI-BRK-001", title="A rule that broke"), Status.ERROR, "ZeroDivisionError in a test"),
        outcome(
            rule("RAI-GOP-001", title="The GPU Operator is supported", checklist="gpu-operator"), Status.PASS, seen="25.10.1"
        ),
        outcome(rule("RAI-NET-001", title="Proxy settings"), Status.ACCEPTED, "Accepted for this site until 2027-01-31: known"),
        outcome(
            rule("RAI-KNA-001", title="Knative is supported", checklist="knative"),
            Status.NOT_APPLICABLE,
            "inference is not in use",
        ),
        outcome(rule("RAI-OCP-001", title="OpenShift is supported"), Status.NOT_APPLICABLE, "this is not OpenShift"),
    )


def tables() -> tuple[Table, ...]:
    nodes = tuple((f"gpu-{i}", "Ready", "v1.35.2", "Ubuntu 22.04.5 LTS") for i in range(14, 0, -1))
    maps = tuple((f"team-{i % 7}", text, "3") for i, text in enumerate(HOSTILE))
    return (
        Table("nodes", "Nodes", ("Name", "State", "Kubelet", "System"), nodes, len(nodes)),
        Table("configmaps", "ConfigMaps", ("Namespace", "Name", "Keys"), maps, len(maps)),
        Table("certificates", "Certificates", ("Secret", "Until"), (), 0),
    )


def sample(
    given: Sequence[Outcome] | None = None,
    cluster: Mapping[str, Any] = CLUSTER,
    info: BundleInfo | None = None,
    pack: Pack = Pack(CHECKLIST),
    lists: Lists | None = None,
    fits: tuple[ReleaseFit, ...] | None = None,
    option: str = "",
) -> Report:
    """Return a whole report; every part may be replaced."""
    problems = (Problem("resources/core/v1/events/0002.jsonl", "line 17 is not JSON", "one event is missing"),)
    return build_report(
        bundle(problems=problems) if info is None else info,
        Source(cluster, Lists(gpus(), tables()) if lists is None else lists),
        outcomes() if given is None else given,
        releases() if fits is None else fits,
        pack,
        tool="runai-analyze 0.1.0",
        runai_option=option,
    )
