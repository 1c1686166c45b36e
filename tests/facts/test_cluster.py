"""The one object Cluster: counts, features, and how unknown propagates."""

from typing import Any

import pytest

from .helpers import configmap, deployment, facts_of, is_unknown, node

GPU = {"nvidia.com/gpu.present": "true"}
CONTROL = {"node-role.kubernetes.io/control-plane": ""}
TAINT = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]


def cluster(*given: dict[str, Any], **options: Any) -> Any:
    return facts_of(*given, **options).cluster


def kind(name: str, field: str, value: str, **annotations: str) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": name, "metadata": {"name": value, "annotations": annotations}}
    return {**body, "provisioner": field} if name == "StorageClass" else {**body, "spec": {"controller": field}}


def test_nodes_and_gpus_are_counted() -> None:
    found = cluster(
        node("c", labels=CONTROL, taints=TAINT),
        node("s"),
        node("g1", labels=GPU, capacity={"nvidia.com/gpu": "8"}, allocatable={"nvidia.com/gpu": "7"}),
        node("g2", labels=GPU, capacity={"nvidia.com/mig-1g.5gb": "14"}, ready="False"),
    )
    assert found["nodes"] == {
        "total": 4,
        "ready": 3,
        "gpu": 2,
        "gpu_os": ["ubuntu"],
        "control_plane": 1,
        "worker": 3,
        "system": 1,
    }
    assert found["gpus"] == {"capacity": 22, "allocatable": 21}
    assert found["single_node"] is False
    assert cluster(node())["single_node"] is True


def test_classes_are_sorted_and_defaults_named() -> None:
    found = cluster(
        kind("StorageClass", "nfs.csi.k8s.io", "b", **{"storageclass.kubernetes.io/is-default-class": "true"}),
        kind("StorageClass", "ebs.csi.aws.com", "a"),
        kind("IngressClass", "k8s.io/ingress-nginx", "nginx"),
    )
    assert found["storage"] == {"classes": ["a", "b"], "default_classes": ["b"], "shared_classes": ["b"]}
    assert found["ingress"] == {"classes": ["nginx"], "default_classes": []}


def test_shared_classes_are_unknown_when_only_an_unknown_provisioner_could_share() -> None:
    assert is_unknown(cluster(kind("StorageClass", "csi.trident.netapp.io", "a"))["storage"]["shared_classes"])
    assert cluster(kind("StorageClass", "ebs.csi.aws.com", "a"))["storage"]["shared_classes"] == []


@pytest.mark.parametrize(
    ("lacking", "paths"),
    [
        ("Node", ["nodes.total", "nodes.system", "gpus.capacity", "single_node", "driver.versions"]),
        ("StorageClass", ["storage.classes", "storage.default_classes", "storage.shared_classes"]),
        ("IngressClass", ["ingress.classes", "ingress.default_classes"]),
        ("CustomResourceDefinition", ["mpi_operator.crd_version"]),
        ("Prometheus", ["prometheus.version", "prometheus.installed"]),
        (
            "Deployment",
            [
                "gpu_operator.installed",
                "knative.installed",
                "lws.installed",
                "prometheus.operator_installed",
                "hpa_autoscaler.installed",
            ],
        ),
    ],
)
def test_what_is_computed_from_a_kind_that_was_not_collected_is_unknown(lacking: str, paths: list[str]) -> None:
    found = cluster(not_collected=[lacking])
    for path in paths:
        value: Any = found
        for key in path.split("."):
            value = value[key]
        assert is_unknown(value), path
        assert value.missing.what == lacking


def test_what_was_seen_stays_known_although_others_were_not() -> None:
    found = cluster(
        deployment("gpu-operator", "gpu-operator", "nvcr.io/nvidia/gpu-operator:v25.10.1"), not_collected=["Deployment"]
    )
    assert (found["gpu_operator"]["installed"], found["gpu_operator"]["version"]) == (True, "25.10.1")


def test_features_are_what_is_installed_or_planned() -> None:
    knative = deployment("knative-serving", "controller", "x:1.19.0")
    training = deployment("kubeflow", "training-operator", "x/training-operator:1.9.2")
    given = {"distribution": {"name": "vanilla"}, "planned": ["autoscaling"]}
    assert cluster(knative, training, cluster=given)["features"] == ["autoscaling", "distributed", "inference"]
    assert cluster(cluster={"distribution": {"name": "openshift"}})["features"] == ["openshift"]


def test_a_feature_that_could_not_be_decided_stands_as_unknown() -> None:
    features = cluster(not_collected=["Deployment"], cluster={"distribution": {"name": "vanilla"}, "planned": ["inference"]})[
        "features"
    ]
    assert features[0] == "inference"
    assert all(is_unknown(feature) for feature in features[1:])
    undecided = {feature.about for feature in features[1:]}
    assert undecided == {"autoscaling", "control-plane", "distributed", "mpi", "multinode-inference"}


def test_evidence_of_the_cluster_names_real_objects() -> None:
    item = facts_of(deployment("gpu-operator", "gpu-operator", "x/gpu-operator:v25.10.1")).cluster_item
    assert str(item.origins["gpu_operator"]) == "Deployment gpu-operator/gpu-operator"
    assert item.origins["kubernetes"].member == "cluster/version.json"
    assert "runai" not in item.origins


def test_evidence_about_urls_names_the_runaiconfig_that_holds_them() -> None:
    config = {"kind": "RunaiConfig", "metadata": {"namespace": "runai", "name": "runai"}}
    config["spec"] = {"global": {"clusterURL": "https://gpu.acme.example"}}
    origins = facts_of(config, configmap("runai", "runai-public")).cluster_item.origins
    fields = ("url", "url_host", "url_scheme", "url_is_ip")
    assert {str(origins[f"runai.{field}"]) for field in fields} == {"RunaiConfig runai/runai"}
    assert str(origins["runai"]) == "ConfigMap runai/runai-public"
    assert "runai.control_plane_url" not in origins


def test_evidence_about_prometheus_names_the_operator_and_the_object_with_the_version() -> None:
    own = {"kind": "Prometheus", "metadata": {"namespace": "runai", "name": "runai"}, "spec": {"version": "v3.5.0"}}
    silent = {"kind": "Prometheus", "metadata": {"namespace": "monitoring", "name": "k8s"}, "spec": {}}
    stack = deployment("monitoring", "operator", "quay.io/prometheus-operator/prometheus-operator:v0.85.0")
    origins = facts_of(own, silent, stack).cluster_item.origins
    assert str(origins["prometheus"]) == "Deployment monitoring/operator"
    assert str(origins["prometheus.version"]) == "Prometheus runai/runai"
    assert str(facts_of(silent).cluster_item.origins["prometheus"]) == "Prometheus monitoring/k8s"
    assert "prometheus" not in facts_of(own).cluster_item.origins


def test_the_operating_systems_of_gpu_nodes_each_once() -> None:
    gpu = {"nvidia.com/gpu": "8"}
    ubuntu = node("g1", capacity=gpu), node("g2", capacity=gpu)
    others = node("g3", capacity=gpu, image="Container-Optimized OS from Google"), node("w", image="Talos (v1.9.0)")
    assert cluster(*ubuntu, *others)["nodes"]["gpu_os"] == ["cos", "ubuntu"]
    assert is_unknown(cluster(not_collected=["Node"])["nodes"]["gpu_os"])
