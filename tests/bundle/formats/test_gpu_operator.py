"""NVIDIA's must-gather of the GPU Operator. The bundles are imitations, made after the script that writes them."""

import gzip
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from runai_analyze.bundle import Source, open_bundle
from runai_analyze.facts import build_facts

TOP = "nvidia-gpu-operator_20240521_1021"
NODE = """Name:               gpu-7
Roles:              worker
Labels:             kubernetes.io/hostname=gpu-7
                    nvidia.com/gpu.count=2
                    nvidia.com/gpu.present=true
                    feature.node.kubernetes.io/pci-10de.present=true
Annotations:        node.alpha.kubernetes.io/ttl: 0
CreationTimestamp:  Tue, 15 Apr 2024 07:13:48 +0000
Taints:             <none>
Unschedulable:      false
Conditions:
  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason         Message
  ----    ------  -----------------                 ------------------                ------         -------
  Ready   True    Tue, 21 May 2024 10:20:06 +0000   Mon, 15 Apr 2024 07:14:02 +0000   KubeletReady   kubelet is ready
Addresses:
  InternalIP:  172.18.0.3
  Hostname:    gpu-7
Capacity:
  cpu:             32
  memory:          95773032Ki
  nvidia.com/gpu:  2
  pods:            110
Allocatable:
  cpu:             32
  memory:          95773032Ki
  nvidia.com/gpu:  1
  pods:            110
System Info:
  Kernel Version:             5.15.0-105-generic
  OS Image:                   Ubuntu 22.04.4 LTS
  Operating System:           linux
  Architecture:               amd64
  Container Runtime Version:  containerd://1.7.18
  Kubelet Version:            v1.29.2
Non-terminated Pods:          (0 in total)
Events:              <none>
"""
LOG = """[pod/nvidia-device-plugin-x1/toolkit-validation] 2024-05-21T10:00:01.000000001Z waiting for nvidia container stack
[pod/nvidia-device-plugin-x1/nvidia-device-plugin] 2024-05-21T10:02:45.5Z XidCriticalError: Xid=79 on Device=GPU-1, the device \
will go unhealthy.
"""
USAGE = """# nvidia-smi output from gpu-7
| NVIDIA-SMI 535.161.08    Driver Version: 535.161.08    CUDA Version: 12.2 |

# lsof /run/nvidia/driver/dev/nvidia* output from gpu-7
"""
REPORT = "_" * 44 + "\n\n/usr/bin/dmesg\n\n[7] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"


def pod(name: str) -> dict[str, object]:
    spec = {"nodeName": "gpu-7", "containers": [{"name": "nvidia-device-plugin", "image": "nvcr.io/x:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "gpu-operator", "name": name}, "spec": spec}


def listed(*objects: dict[str, object]) -> str:
    return yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [*objects]})


def gathered(**changes: str | bytes) -> dict[str, str | bytes]:
    """Return the files by name; ``changes`` by the name with ``_dot_`` for a dot."""
    policy = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"}}
    files: dict[str, str | bytes] = {
        "must-gather.log": "Get the operator namespaces\n",
        "cluster_policy.yaml": yaml.safe_dump(policy),
        "gpu_nodes.labels": "gpu-7\n- nvidia.com/gpu.count=2\n\ngpu-7\n- nvidia.com/gpu.count=2\n\n",
        "gpu_nodes.descr": NODE,
        "gpu_operator_pod.log": "2024-05-21T10:01:00Z Starting Controller\n",
        "gpu_operator_pod.previous.log": "",
        "gpu_operator_pod.yaml": yaml.safe_dump(pod("gpu-operator-1")),
        "gpu_operand_pod_nvidia-device-plugin-x1.log": LOG,
        "gpu_operand_pods.yaml": listed(pod("gpu-operator-1"), pod("nvidia-device-plugin-x1")),
        "gpu_operand_ds.yaml": listed(),
        "nvidia-bug-report_gpu-7.log.gz": gzip.compress(REPORT.encode(), mtime=0),
        "gpu_device_usage_gpu-7.log": USAGE,
    }
    return files | {name.replace("_dot_", "."): content for name, content in changes.items()}


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    (folder / TOP).mkdir()
    for name, content in files.items():
        (folder / TOP / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    path = folder / f"{TOP}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder / TOP, TOP)
    return path


@pytest.fixture
def bundle(tmp_path: Path) -> Source:
    return open_bundle(write(tmp_path, gathered()))


def names(bundle: Source, kind: str, group: str = "") -> list[str]:
    return sorted(record.body["metadata"]["name"] for record in bundle.records(frozenset([(kind, group)])))


def test_what_it_is_and_when_it_was_made(bundle: Source) -> None:
    assert bundle.info.holder == "a must-gather of the GPU Operator"
    assert bundle.info.captured == datetime(2024, 5, 21, 10, 20, 6, tzinfo=UTC)


def test_objects_once_each(bundle: Source) -> None:
    assert names(bundle, "Pod") == ["gpu-operator-1", "nvidia-device-plugin-x1"]
    assert names(bundle, "ClusterPolicy", "nvidia.com") == ["cluster-policy"]
    assert names(bundle, "Node") == ["gpu-7"]


def test_which_lists_are_whole(bundle: Source) -> None:
    assert not bundle.coverage("Pod", "", ("gpu-operator",))
    assert not bundle.coverage("DaemonSet", "apps", ("gpu-operator",))
    assert not bundle.coverage("ClusterPolicy", "nvidia.com", ())
    assert bundle.coverage("Pod", "", ())[0].command == "kubectl get pods -A -o yaml"
    (nodes,) = bundle.coverage("Node", "", ())
    assert "only nodes with nvidia.com/gpu.present=true" in nodes.reason
    (events,) = bundle.coverage("Event", "", ("gpu-operator",))
    assert events.reason == "a must-gather of the GPU Operator does not hold it"


def test_logs_container_by_container(bundle: Source) -> None:
    logs = {(log.namespace, log.pod, log.container): log.data for log in bundle.logs()}
    assert sorted(logs) == [
        ("gpu-operator", "gpu-operator-1", "gpu-operator"),
        ("gpu-operator", "nvidia-device-plugin-x1", "nvidia-device-plugin"),
        ("gpu-operator", "nvidia-device-plugin-x1", "toolkit-validation"),
    ]
    assert logs["gpu-operator", "nvidia-device-plugin-x1", "toolkit-validation"].endswith(b"waiting for nvidia container stack\n")


def test_what_it_tells_of_a_node(bundle: Source) -> None:
    facts = build_facts(bundle, frozenset([("GpuNode", "made"), ("Host", "made")]))
    (node,) = facts.made("GpuNode")
    assert (node.body["capacity"], node.body["allocatable"]) == (2, 1)
    assert node.body["nvidia_smi"]["driver_version"] == "535.161.08"
    (host,) = facts.made("Host")
    assert (host.ref.name, host.body["xids"]["grave"]) == ("gpu-7", ["79 on 0000:3b:00"])


def test_an_operator_without_a_policy(tmp_path: Path) -> None:
    files = gathered(**{"cluster_policy.missing": ""})
    del files["cluster_policy.yaml"]
    found = open_bundle(write(tmp_path, files))
    assert names(found, "ClusterPolicy", "nvidia.com") == []
    assert not found.coverage("ClusterPolicy", "nvidia.com", ())


def test_a_description_of_a_node_that_was_cut(tmp_path: Path) -> None:
    found = open_bundle(write(tmp_path, gathered(**{"gpu_nodes.descr": NODE[:400]})))
    assert names(found, "Node") == []
    assert any("the description lacks" in problem.message for problem in found.info.problems)


def test_a_script_that_stopped_without_nodes(tmp_path: Path) -> None:
    files = {name: gathered()[name] for name in ("must-gather.log", "cluster_policy.yaml")}
    found = open_bundle(write(tmp_path, files | {"must-gather.stderr.log": "+ K=kubectl\n"}))
    assert not found.coverage("ClusterPolicy", "nvidia.com", ())
    assert found.coverage("Pod", "", ("gpu-operator",))
