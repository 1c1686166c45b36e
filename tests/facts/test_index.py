"""The first pass: what is kept of each object, and how GPUs are summed."""

from typing import Any

import pytest
from runai_analyze.bundle.source import Record
from runai_analyze.errors import BundleError
from runai_analyze.facts.index import Index, add, gpu_amount, pod_gpus, uses_image

from .helpers import deployment, index_of, node


@pytest.mark.parametrize(
    ("resources", "amount"),
    [
        ({"nvidia.com/gpu": "8", "cpu": "64"}, 8),
        ({"nvidia.com/gpu": "2", "nvidia.com/mig-1g.5gb": "7", "nvidia.com/mig-3g.20gb": 1}, 10),
        ({"nvidia.com/gpu.shared": "4"}, 4),
        ({"amd.com/gpu": "8", "nvidia.com/gpu": "many"}, 0),
        (None, 0),
    ],
)
def test_gpus_of_a_resource_list(resources: Any, amount: int) -> None:
    assert gpu_amount(resources) == amount


def container(gpus: str) -> dict[str, Any]:
    return {"resources": {"limits": {"nvidia.com/gpu": gpus}}}


@pytest.mark.parametrize(
    ("spec", "phase", "gpus"),
    [
        ({"containers": [container("2"), container("1"), {}]}, "Running", 3),
        ({"containers": [container("1")], "initContainers": [container("4")]}, "Pending", 4),
        ({"containers": [container("2")]}, "Succeeded", 0),
        ({"containers": [container("2")]}, "Failed", 0),
    ],
)
def test_gpus_that_a_pod_holds(spec: dict[str, Any], phase: str, gpus: int) -> None:
    assert pod_gpus({"spec": spec, "status": {"phase": phase}}) == gpus


def test_pods_without_gpus_and_images_of_nodes_are_not_kept() -> None:
    body = {**node(), "status": {"images": [{"names": ["x"]}], "capacity": {"cpu": "8"}}}
    index, _ = index_of({"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}}, body)
    assert index.of("Pod", "") == []
    assert index.of("Node", "")[0].body["status"] == {"capacity": {"cpu": "8"}}


def test_a_workload_is_known_by_the_end_of_its_image_whatever_registry_mirrors_it() -> None:
    index, _ = index_of(deployment("a", "d", "mirror.acme.example:5000/nvidia/gpu-operator:v1@sha256:00"))
    (seen,) = index.workloads()
    assert uses_image(seen, "/gpu-operator")
    assert not uses_image(seen, "/operator")


def test_of_rows_only_what_facts_need_is_kept_and_long_values_are_cut() -> None:
    index = Index()
    more = {"more": [{}] * 9, "namespace": "a", "name": "n"}
    add(index, Record("secret", {**more, "type": "t" * 5000, "keys": {"a": 1}, "age": "8d"}, "m", 1))
    add(index, Record("helm", {**more, "labels": {"name": "r", "x": "y", "status": ["deployed"]}}, "m", 1))
    add(index, Record("configmap", {**more, "keys": {"k": {"size": 1}}}, "m", 1))
    entries = [{"key": "tls.crt", "pem": "p", "more": [1]}] * 90
    add(index, Record("certificate", {**more, "certificates": entries, "private_key": "yes", "referenced_by": ["x", 5]}, "m", 1))
    assert index.secrets[0].body == {"type": "t" * 1000, "keys": None, "age": "8d"}
    assert index.helm[0].body == {"labels": {"name": "r", "owner": None, "status": None, "version": None, "modifiedAt": None}}
    assert index.configmap_rows[0].body == {"keys": {"k": None}}
    assert index.certificates[0].body == {
        "private_key": "yes",
        "key_matches": None,
        "certificates": [{"key": "tls.crt", "pem": "p"}] * 50,
        "referenced_by": ["x"],
    }


@pytest.mark.parametrize("limit", ["_MOST_ENTRIES", "_MOST_MEMORY"])
def test_a_bundle_of_more_than_a_cluster_has_is_not_read_further(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"runai_analyze.facts.index.{limit}", {"_MOST_ENTRIES": 3, "_MOST_MEMORY": 350}[limit])
    index = Index()
    records = [Record("object", {**node(f"n{number}"), "apiVersion": "v1"}, "m", number, 100) for number in range(4)]
    for record in records[:3]:
        add(index, record)
    with pytest.raises(BundleError, match="more than any cluster has"):
        add(index, records[3])
