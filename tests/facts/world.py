"""Clusters in which every field of every kind has a value: the table of kinds is held against them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runai_analyze.bundle import open_bundle
from runai_analyze.facts import BundleFacts, build_facts

from tests.bundle.builder import Builder

from .helpers import configmap, deployment, facts_of, node, workload
from .pods import RUNNING, ended, event, owner, pod, thing, waiting
from .test_build import bundle
from .test_certificates import LEAF
from .test_helm import of_release, revision
from .test_nvidia_smi import log

PROXY = [{"name": name, "value": "http://proxy:3128"} for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")]
AMOUNTS = {"cpu": "8", "memory": "32Gi", "ephemeral-storage": "100Gi"}
GPU = """<product_name>X</product_name><uuid>GPU-1</uuid><pci><pci_bus_id>00000000:06:00.0</pci_bus_id></pci>
<fb_memory_usage><total>81559 MiB</total></fb_memory_usage><temperature><gpu_temp>40 C</gpu_temp></temperature>
<mig_mode><current_mig>Disabled</current_mig></mig_mode><gpu_recovery_action>Reset</gpu_recovery_action>
<ecc_errors><volatile><dram_uncorrectable>0</dram_uncorrectable></volatile>
<aggregate><dram_uncorrectable>1</dram_uncorrectable></aggregate></ecc_errors>
<remapped_rows><remapped_row_pending>No</remapped_row_pending><remapped_row_failure>No</remapped_row_failure></remapped_rows>
<retired_pages><double_bit_retirement><retired_count>0</retired_count></double_bit_retirement>
<pending_retirement>No</pending_retirement></retired_pages>"""
TOPOLOGY = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\t0-3\t0\nGPU1\tNV18\t X \t0-3\t0\n"


def worlds(folder: Path) -> list[BundleFacts]:
    """Return the facts of a bundle, and of objects that stand for what a small bundle does not hold."""
    bundles = [build_facts(open_bundle(path), frozenset()) for path in (_bundle(folder), _machine(folder))]
    return [*bundles, facts_of(*_objects()), facts_of(*_openshift())]


def _machine(folder: Path) -> Path:
    builder = Builder()
    builder.about = {**builder.about, "scope": "node", "node": "g9"}
    version = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27\n"
    runtime = '{\n  "default-runtime": "nvidia"\n}\n'
    builder.add("node/etc/os-release", 'PRETTY_NAME="Ubuntu 22.04.4 LTS"\n').add("node/proc/driver/nvidia/version", version)
    builder.add("node/proc/version", "Linux version 5.15.0-105-generic (x@y)\n").add("node/modules.txt", "nvidia 1 0\n")
    builder.add("node/kernel.log", "NVRM: Xid (PCI:0000:3b:00): 79, x\n").add("node/secure-boot.txt", "SecureBoot disabled\n")
    builder.add("node/timedatectl.txt", "NTPSynchronized=yes\n").add("node/disks.txt", "/dev/sda1 100 40 60 40% /\n")
    builder.add("node/proxy.txt", "the shell: HTTP_PROXY=http://p:1\n").add("node/etc/docker/daemon.json", runtime)
    builder.add("node/nvidia-smi.txt", "| NVIDIA-SMI 580.65.06    Driver Version: 580.65.06    CUDA Version: 13.0 |\n")
    return builder.write(folder / "machine.tgz")


def _bundle(folder: Path) -> Path:
    builder = bundle()
    labels = {
        "nvidia.com/gpu.count": "2",
        "nvidia.com/gpu.product": "X",
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/mig.strategy": "none",
    }
    seen = {"feature.node.kubernetes.io/pci-10de.present": "true"}
    builder.list("Node", "v1", node("g2", labels={**labels, **seen}, capacity={"nvidia.com/gpu": "2"}), node("g3", labels=labels))
    top = "<cuda_version>13.0</cuda_version>"
    builder.add("nodes/g2/nvidia-smi.xml", log(GPU, GPU, top=top)).add("nodes/g2/nvidia-smi-topo.txt", TOPOLOGY)
    answer = {"node": "g3", "answered_by": 0, "attempts": [{"namespace": "a", "pod": "p", "status": "ok", "exit_code": 9}]}
    builder.add("nodes/g3/source.json", json.dumps(answer))
    builder.add("nodes/g3/nvidia-smi.txt", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    row: dict[str, Any] = {
        "namespace": "runai",
        "name": "tls",
        "private_key": "yes",
        "key_matches": "yes",
        "referenced_by": ["Ingress runai/x"],
    }
    row["certificates"] = [{"key": "tls.crt", "pem": LEAF.pem}]
    builder.add("certificates/0002.jsonl", json.dumps(row) + "\n")
    builder.list("Lease", "coordination.k8s.io/v1", status="forbidden")
    return builder.write(folder / "world.tgz")


def _objects() -> list[Mapping[str, Any]]:
    return [
        *_installed(),
        *_workloads(),
        *_pods(),
        *_cluster_objects(),
        revision(1, "deployed", modifiedAt="1785542400"),
        _chart(),
    ]


def _chart() -> dict[str, Any]:
    return of_release("gpu-operator", "gpu-operator-v25.10.1")


def _installed() -> list[dict[str, Any]]:
    dependencies = {"required": {"prometheus": {"available": False, "reason": "no Prometheus"}}}
    crd = {
        "metadata": {"name": "mpijobs.kubeflow.org"},
        "spec": {"versions": [{"name": "v2beta1", "served": True, "storage": True}]},
    }
    return [
        {"kind": "RunaiConfig", "metadata": {"name": "runai"}, "spec": {"global": {"clusterURL": "https://a.example"}}},
        {"kind": "RunaiConfig", "metadata": {"name": "x"}, "spec": {"controlPlane": {"url": "https://cp.example"}}},
        configmap("runai", "runai-public", runai_public=json.dumps({"dependencies": dependencies}), cluster_version="2.25.14"),
        {"kind": "ClusterPolicy", "metadata": {"name": "p"}},
        deployment("knative-serving", "controller", "x:1", labels={"app.kubernetes.io/version": "1.19.4"}),
        deployment("kubeflow", "training-operator", "x/training-operator:v1.9.2"),
        deployment("mpi-operator", "mpi-operator", "mpioperator/mpi-operator:0.6.0"),
        deployment("lws-system", "lws-controller-manager", "registry.k8s.io/lws/lws:v0.7.0"),
        deployment("m", "o", "q/prometheus-operator:v0.85.0", labels={"helm.sh/chart": "kube-prometheus-stack-76.0.0"}),
        {"kind": "Prometheus", "metadata": {"namespace": "m", "name": "k8s"}, "spec": {"version": "v3.5.0"}},
        {"kind": "CustomResourceDefinition", **crd, "status": {"storedVersions": ["v2beta1"]}},
    ]


def _workloads() -> list[dict[str, Any]]:
    found = [workload(kind, "a", "w", "nvcr.io/x/y:1") for kind in ("Deployment", "StatefulSet", "DaemonSet")]
    for body in found:
        body["spec"]["template"]["spec"]["containers"][0]["env"] = PROXY
    controller = deployment("ingress-nginx", "c", "registry.k8s.io/ingress-nginx/controller:v1.12.0", status={"readyReplicas": 1})
    service = {"kind": "Service", "metadata": {"namespace": "default", "name": "kubernetes"}, "spec": {"clusterIP": "10.96.0.1"}}
    return [*found, controller, service]


def _pods() -> list[dict[str, Any]]:
    rich = pod("rich", owner("DaemonSet", "w"), state=waiting("CrashLoopBackOff", "back-off 5m0s"), restarts=7)
    metadata, spec, status = rich["metadata"], rich["spec"], rich["status"]
    metadata["labels"] = {"workloadName": "train"}
    metadata["annotations"] = {"gpu-fraction": "0.5", "gpu-memory": "2000"}
    probe = {"tcpSocket": {"port": 80}}
    spec["containers"][0] |= {
        "image": f"nvcr.io/nvidia/gpu-operator:1.2@sha256:{'0' * 64}",
        "imagePullPolicy": "Always",
        "resources": {"requests": AMOUNTS, "limits": AMOUNTS},
        **{f"{name}Probe": probe for name in ("liveness", "readiness", "startup")},
    }
    died = ended(1, "Error")
    died["terminated"]["message"] = "panic"
    status["containerStatuses"][0]["lastState"] = died
    broken = pod("broken", state=waiting("InvalidImageName", "couldn't parse"))
    broken["spec"]["containers"][0]["image"] = "x/UPPER:1"
    pulling = pod("pulling", state=waiting("ImagePullBackOff", "not found"))
    pulling["spec"]["containers"][0]["image"] = "reg.example:5000/team/app:1"
    message = 'Failed to pull image "reg.example:5000/team/app:1": not found'
    seen = event(pulling, "Failed", message, lastTimestamp="2026-01-01T00:00:00Z", source={"component": "kubelet"})
    return [rich, broken, pulling, pod("done", state=ended(0, "Completed"), phase="Succeeded"), pod("fine", state=RUNNING), seen]


def _cluster_objects() -> list[dict[str, Any]]:
    return [
        node("big", capacity={**AMOUNTS, "hugepages-2Mi": "2Mi"}, podCIDR="10.244.3.0/24"),
        {"kind": "IngressClass", "metadata": {"name": "nginx"}, "spec": {"controller": "k8s.io/ingress-nginx"}},
        {"kind": "StorageClass", "metadata": {"name": "nfs"}, "provisioner": "nfs.csi.k8s.io"},
        thing("ReplicaSet", "w-1", owner("Deployment", "w")),
    ]


def _openshift() -> list[dict[str, Any]]:
    history = [{"state": "Completed", "version": "4.18.5"}]
    return [{"kind": "ClusterVersion", "metadata": {"name": "version"}, "status": {"history": history}}]
