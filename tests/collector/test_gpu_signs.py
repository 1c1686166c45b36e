"""Which nodes should have GPUs, and who on them may be asked, by what the lists show."""

from typing import Any

import pytest
from runai_collect.gpu_signs import GpuNode, is_gpu_node, note_gpus
from runai_collect.plan import Kind, Options

NODE, POD = Kind("", "nodes", "v1", "Node", False), Kind("", "pods", "v1", "Pod", True)
SLICE = Kind("resource.k8s.io", "resourceslices", "v1", "ResourceSlice", False)
PLAIN = Options()


def note(kind: Kind, *values: dict[str, Any], options: Options = PLAIN) -> dict[str, GpuNode]:
    nodes: dict[str, GpuNode] = {}
    for value in values:
        note_gpus(kind, value, nodes, options, value.get("metadata", {}).get("namespace") == "gpu-operator")
    return nodes


def pod(name: str, *containers: str, phase: str = "Running", state: str = "running", **fields: Any) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "gpu-operator", "name": name, **fields},
        "spec": {"nodeName": "n1", "containers": [{"name": container} for container in containers]},
        "status": {"phase": phase, "containerStatuses": [{"name": container, "state": {state: {}}} for container in containers]},
    }


def training(resource: str, amount: str = "1") -> dict[str, Any]:
    value = pod("training", "main", "sidecar")
    value["spec"]["containers"][0]["resources"] = {"limits": {resource: amount}}
    return value


@pytest.mark.parametrize(
    "node",
    [
        {"metadata": {"labels": {"nvidia.com/gpu.present": "true"}}},
        {"metadata": {"labels": {"feature.node.kubernetes.io/pci-10de.present": "true"}}},
        {"metadata": {"labels": {"cloud.google.com/gke-accelerator": "nvidia-a100"}}},
        {"metadata": {}, "status": {"allocatable": {"nvidia.com/gpu": "8"}}},
        {"metadata": {}, "status": {"capacity": {"nvidia.com/mig-1g.5gb": "7"}}},
    ],
)
def test_gpu_nodes(node: dict[str, Any]) -> None:
    assert is_gpu_node(node)


def test_nodes_without_gpus() -> None:
    labels, capacity = {"nvidia.com/gpu.present": "false"}, {"cpu": "4", "amd.com/gpu": "1"}
    assert note(NODE, {"metadata": {"name": "n", "labels": labels}, "status": {"capacity": capacity}}) == {}


def test_running_containers_are_found_by_their_name_in_any_pod_of_the_operator() -> None:
    found = note(POD, pod("x", "gpu-feature-discovery", "nvidia-driver-ctr", "main"))["n1"]
    assert [(one.rank, one.container, one.program) for one in found.containers] == [
        (0, "nvidia-driver-ctr", ("nvidia-smi",)),
        (4, "gpu-feature-discovery", ("nvidia-smi",)),
    ]


@pytest.mark.parametrize(
    "value",
    [
        pod("x", "nvidia-device-plugin", phase="Pending"),
        pod("x", "nvidia-device-plugin", state="waiting"),
        pod("x", "nvidia-device-plugin", deletionTimestamp="2026-01-01T00:00:00Z"),
        pod("training", "gpus"),
    ],
)
def test_pods_that_do_not_run_and_users_pods_are_not_asked(value: dict[str, Any]) -> None:
    assert note(POD, value) == {}


def test_a_driver_that_does_not_run_shows_that_its_node_should_have_gpus() -> None:
    found = note(POD, pod("x", "nvidia-driver-ctr", state="waiting"))["n1"]
    assert (found.signs, found.containers) == ({"nvidia-driver-ctr"}, [])


def test_gke_has_it_in_a_folder_of_its_own() -> None:
    found = note(POD, pod("nvidia-gpu-device-plugin-x", "nvidia-gpu-device-plugin"))["n1"]
    assert found.containers[0].program == ("/usr/local/nvidia/bin/nvidia-smi",)


def test_the_host_is_entered_only_when_asked_for() -> None:
    value = pod("toolkit", "nvidia-container-toolkit-ctr")
    assert note(POD, value) == {}
    found = note(POD, value, options=Options(host=True))["n1"]
    assert [one.program for one in sorted(found.containers)] == [
        ("chroot", "/host", "/usr/bin/nvidia-smi"),
        ("chroot", "/host", "/usr/sbin/nvidia-smi"),
        ("chroot", "/host", "/bin/nvidia-smi"),
        ("chroot", "/host", "/sbin/nvidia-smi"),
        ("chroot", "/host", "/usr/lib/wsl/lib/nvidia-smi"),
        ("chroot", "/host", "/opt/bin/nvidia-smi"),
        ("chroot", "/driver-root", "nvidia-smi"),
    ]
    assert not any(one.part for one in found.containers)


@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "nvidia.com/mig-1g.5gb"])
def test_users_pods_are_asked_only_when_asked_for_and_only_where_they_hold_gpus(resource: str) -> None:
    value = training(resource)
    assert note(POD, value) == {}
    found = note(POD, value, options=Options(user_pods=True))["n1"]
    assert [(one.pod, one.container, one.part) for one in found.containers] == [("training", "main", True)]


@pytest.mark.parametrize("value", [training("cpu"), training("nvidia.com/gpu", "0"), training("amd.com/gpu")])
def test_users_pods_without_gpus_are_never_asked(value: dict[str, Any]) -> None:
    assert note(POD, value, options=Options(user_pods=True, host=True)) == {}


def test_the_exporters_page_is_at_the_port_that_its_container_names() -> None:
    plain, other = pod("dcgm-a", "nvidia-dcgm-exporter"), pod("dcgm-b", "nvidia-dcgm-exporter")
    other["spec"]["containers"][0]["ports"] = [{"containerPort": 9401}]
    assert note(POD, plain, other)["n1"].pages == [
        "/api/v1/namespaces/gpu-operator/pods/dcgm-a:9400/proxy/metrics",
        "/api/v1/namespaces/gpu-operator/pods/dcgm-b:9401/proxy/metrics",
    ]
    assert note(POD, pod("dcgm-a", "nvidia-dcgm-exporter", state="waiting")) == {}


def test_the_validators_checks_that_ran_are_known_also_while_it_does_not_run() -> None:
    value = pod("validator", "nvidia-operator-validator", phase="Pending", state="waiting")
    value["status"]["initContainerStatuses"] = [
        {"name": "driver-validation", "state": {"terminated": {}}},
        {"name": "toolkit-validation", "restartCount": 7, "state": {"waiting": {}}},
        {"name": "cuda-validation", "state": {"waiting": {}}},
    ]
    assert note(POD, value)["n1"].checks == [
        f"/api/v1/namespaces/gpu-operator/pods/validator/log?container={name}&timestamps=true&tailLines=2000"
        for name in ("driver-validation", "toolkit-validation")
    ]


EVERYTHING = ("nvidia-driver-ctr", "nvidia-dcgm-exporter", "nvidia-operator-validator", "nvidia-container-toolkit-ctr")


def spoof() -> dict[str, Any]:
    """A user's pod whose containers are called like NVIDIA's."""
    value = pod("train-1", *EVERYTHING, namespace="alice")
    value["status"]["initContainerStatuses"] = [{"name": "driver-validation", "state": {"terminated": {}}}]
    return value


def test_a_users_pod_is_not_believed_whatever_its_containers_are_called() -> None:
    assert note(POD, spoof()) == {}
    true = pod("driver", "nvidia-driver-ctr")
    assert note(POD, spoof(), true, options=Options(host=True)) == note(POD, true, options=Options(host=True))


def test_a_users_pod_is_asked_only_when_asked_for_and_then_for_its_own_gpus_alone() -> None:
    found = note(POD, spoof(), options=Options(user_pods=True, host=True))["n1"]
    assert {(one.container, one.program, one.part) for one in found.containers} == {
        (name, ("nvidia-smi",), True) for name in EVERYTHING if name != "nvidia-operator-validator"
    }
    assert (found.signs, found.pages, found.checks) == (set(), [], [])
    whole = note(POD, spoof(), pod("driver", "nvidia-driver-ctr"), options=Options(user_pods=True))["n1"]
    assert next(one for one in sorted(whole.containers) if not one.part).pod == min(whole.containers).pod == "driver"


@pytest.mark.parametrize("count", ["", "no", "-1", "\u00b2", "9" * 5000, "100000"])
def test_a_label_that_counts_no_gpus_tells_of_none(count: str) -> None:
    labels = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.count": count}
    assert note(NODE, {"metadata": {"name": "n1", "labels": labels}})["n1"].told == {"GFD labels": []}


def test_what_the_labels_tell() -> None:
    labels = {
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.count": "2",
        "nvidia.com/cuda.driver-version.full": "570.124.06",
    }
    (node,) = note(NODE, {"metadata": {"name": "n1", "labels": labels}}).values()
    assert node.told == {"GFD labels": [("NVIDIA-H100-80GB-HBM3", "570.124.06")] * 2}


@pytest.mark.parametrize("basic", [True, False])
def test_what_resource_slices_tell_in_both_shapes_without_the_mig_parts(basic: bool) -> None:
    attributes = {"type": {"string": "gpu"}, "productName": {"string": "NVIDIA H100"}, "driverVersion": {"version": "570.124.6"}}
    whole = {"attributes": attributes, "capacity": {"memory": {"value": "80Gi"}}}
    part = {"attributes": {"type": {"string": "mig"}, "productName": {"string": "NVIDIA H100"}}}
    devices = [{"name": "x", "basic": one} if basic else {"name": "x", **one} for one in (whole, part)]
    other = {"spec": {"nodeName": "n2", "driver": "compute-domain.nvidia.com", "devices": devices}}
    (found,) = note(SLICE, {"spec": {"nodeName": "n1", "driver": "gpu.nvidia.com", "devices": devices}}, other).items()
    assert found == ("n1", GpuNode({"ResourceSlice"}, [], [], [], {"ResourceSlices": [("NVIDIA H100", "570.124.6")]}))
