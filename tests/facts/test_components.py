"""What is installed, and in which version."""

from typing import Any

import pytest

from .helpers import deployment, facts_of, is_unknown, workload


def cluster(*given: dict[str, Any], **options: Any) -> Any:
    return facts_of(*given, **options).cluster


def crd(name: str, *versions: tuple[str, bool]) -> dict[str, Any]:
    rows = [{"name": version, "served": True, "storage": storage} for version, storage in versions]
    return {"kind": "CustomResourceDefinition", "metadata": {"name": name}, "spec": {"versions": rows}}


@pytest.mark.parametrize(
    "body",
    [
        deployment(
            "gpu-operator",
            "gpu-operator",
            "x:1.1",
            labels={"app.kubernetes.io/version": "v25.10.1", "helm.sh/chart": "gpu-operator-v0.9"},
        ),
        deployment("gpu-operator", "gpu-operator", "x:1.1", labels={"helm.sh/chart": "gpu-operator-v25.10.1"}),
        deployment("gpu-operator", "gpu-operator", "x@sha256:0", labels={"olm.owner": "gpu-operator-certified.v25.10.1"}),
        deployment("gpu-operator", "renamed", "sidecar:9.9", "nvcr.io/nvidia/gpu-operator:v25.10.1"),
    ],
)
def test_the_gpu_operators_version(body: dict[str, Any]) -> None:
    found = cluster(body)["gpu_operator"]
    assert (found["installed"], found["version"], found["namespace"]) == (True, "25.10.1", "gpu-operator")


def test_a_version_that_stands_nowhere_is_unknown() -> None:
    found = cluster(deployment("gpu-operator", "gpu-operator", "mirror/gpu-operator@sha256:0"))["gpu_operator"]
    assert found["installed"] is True
    assert is_unknown(found["version"])


def test_what_is_not_there_is_absent_and_what_was_not_seen_is_unknown() -> None:
    for name in ("gpu_operator", "training_operator", "mpi_operator", "lws"):
        found = cluster()[name]
        assert found["installed"] is False
        assert "version" not in found
        lacking = cluster(not_collected=["Deployment"])[name]
        assert is_unknown(lacking["installed"])
        assert is_unknown(lacking["version"])


@pytest.mark.parametrize(("driver", "managed"), [({"enabled": False}, False), ({"enabled": True}, True), ({}, True)])
def test_who_installs_the_driver(driver: dict[str, bool], managed: bool) -> None:
    policy = {"kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"}, "spec": {"driver": driver}}
    assert cluster(policy)["gpu_operator"]["managed_driver"] is managed


def test_knative_is_known_by_what_serving_reports() -> None:
    serving = {
        "kind": "KnativeServing",
        "metadata": {"namespace": "knative-serving", "name": "s"},
        "spec": {"version": "1.18"},
        "status": {"version": "1.18.2"},
    }
    assert cluster(serving)["knative"] == {"installed": True, "version": "1.18.2"}
    controller = deployment("knative-serving", "controller", "gcr.io/x@sha256:0", labels={"app.kubernetes.io/version": "1.19.4"})
    assert cluster(controller)["knative"] == {"installed": True, "version": "1.19.4"}
    assert is_unknown(cluster({**serving, "status": {}})["knative"]["version"])
    assert cluster()["knative"] == {"installed": False}


def test_an_operator_whose_tag_names_a_commit_has_an_unknown_version() -> None:
    assert is_unknown(
        cluster(deployment("kubeflow", "training-operator", "kubeflow/training-operator:v1-5a5f92d"))["training_operator"][
            "version"
        ]
    )
    assert (
        cluster(deployment("kubeflow", "training-operator", "x/training-operator:v1.9.2"))["training_operator"]["version"]
        == "1.9.2"
    )


def test_the_version_in_which_mpijobs_are_stored() -> None:
    found = cluster(
        crd("mpijobs.kubeflow.org", ("v1", False), ("v2beta1", True)),
        deployment("mpi-operator", "mpi-operator", "mpioperator/mpi-operator:0.6.0"),
    )
    assert found["mpi_operator"] == {"installed": True, "version": "0.6.0", "crd_version": "v2beta1"}
    assert "crd_version" not in cluster()["mpi_operator"]
    assert is_unknown(cluster(not_collected=["CustomResourceDefinition"])["mpi_operator"]["crd_version"])


def prometheus(namespace: str, name: str, **spec: Any) -> dict[str, Any]:
    return {"kind": "Prometheus", "metadata": {"namespace": namespace, "name": name}, "spec": spec}


def test_the_customers_prometheus_comes_before_the_one_that_runai_makes() -> None:
    found = cluster(
        prometheus("runai", "runai", version="v2.1.0"),
        prometheus("monitoring", "k8s", version="v3.5.0"),
        crd("prometheuses.monitoring.coreos.com"),
    )
    assert (found["prometheus"]["installed"], found["prometheus"]["version"]) == (True, "3.5.0")
    assert cluster(prometheus("runai", "runai", image="quay.io/prometheus/prometheus:v3.4.1"))["prometheus"]["version"] == "3.4.1"
    stateful = workload("StatefulSet", "monitoring", "prometheus-k8s", "reloader:9.9", "quay.io/prometheus/prometheus:v3.2.0")
    assert cluster(prometheus("monitoring", "k8s"), stateful)["prometheus"]["version"] == "3.2.0"
    assert is_unknown(cluster(prometheus("monitoring", "k8s"))["prometheus"]["version"])


def test_the_labels_of_kube_prometheus_stack_name_the_chart_and_not_the_operator() -> None:
    labels = {"app.kubernetes.io/version": "76.0.0", "helm.sh/chart": "kube-prometheus-stack-76.0.0"}
    found = cluster(
        deployment("monitoring", "x-operator", "quay.io/prometheus-operator/prometheus-operator:v0.84.0", labels=labels)
    )["prometheus"]
    assert (found["operator_installed"], found["operator_version"], found["stack_version"]) == (True, "0.84.0", "76.0.0")
    assert (found["installed"], "version" in found) == (True, False)


def test_what_runai_makes_for_itself_is_no_installed_prometheus() -> None:
    left = cluster(prometheus("runai", "runai", version="v3.5.0"), crd("prometheuses.monitoring.coreos.com", ("v1", True)))
    assert left["prometheus"] == {"installed": False, "operator_installed": False, "version": "3.5.0"}
    assert is_unknown(cluster(not_collected=["Prometheus"])["prometheus"]["installed"])


def test_adapter_and_hpa_extension() -> None:
    found = cluster(
        deployment("monitoring", "adapter", "registry.k8s.io/prometheus-adapter/prometheus-adapter:v0.12.0"),
        deployment("knative-serving", "autoscaler-hpa", "x@sha256:0"),
    )
    assert (found["prometheus_adapter"]["installed"], found["hpa_autoscaler"]["installed"]) == (True, True)
    others = cluster(
        deployment("monitoring", "grafana", "grafana/grafana:12"), deployment("knative-serving", "autoscaler", "x:1")
    )
    assert (others["prometheus_adapter"]["installed"], others["hpa_autoscaler"]["installed"]) == (False, False)
