"""What NVIDIA's own must-gather gathers from the test cluster, read here: every object, log and node that kubectl sees there."""

import json
import subprocess
import tarfile
from collections.abc import Iterator
from typing import Any

import pytest
from runai_analyze.bundle import Source, open_bundle
from runai_analyze.facts import build_facts

from tests.cluster.gpu_must_gather import find_must_gather
from tests.cluster.scenario import load
from tests.cluster.server import Cluster

pytestmark = [pytest.mark.cluster, pytest.mark.tools]

NAMESPACE = "gpu-operator"


@pytest.fixture(scope="module")
def healthy(cluster: Cluster) -> Iterator[Cluster]:
    cluster.reset()
    load(cluster, "healthy")
    yield cluster
    cluster.reset()


@pytest.fixture(scope="module")
def theirs(healthy: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Source:
    top = tmp_path_factory.mktemp("must-gather") / "nvidia-gpu-operator_20261130_1200"
    environment = {**healthy.environment(), "ARTIFACT_DIR": str(top)}
    subprocess.run(["bash", str(find_must_gather())], env=environment, check=True, capture_output=True, timeout=300)
    path = top.with_suffix(".tgz")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(top, top.name)
    return open_bundle(path)


def listed(cluster: Cluster, *words: str) -> list[Any]:
    found: list[Any] = json.loads(cluster.kubectl("get", *words, "-o", "json").stdout)["items"]
    return found


def read(bundle: Source, kind: str, group: str = "") -> dict[str, Any]:
    return {record.body["metadata"]["name"]: record.body for record in bundle.records(frozenset([(kind, group)]))}


@pytest.mark.parametrize(
    ("kind", "group", "words"),
    [
        ("Pod", "", ("pods", "-n", NAMESPACE)),
        ("DaemonSet", "apps", ("daemonsets", "-n", NAMESPACE)),
        ("ClusterPolicy", "nvidia.com", ("clusterpolicies.nvidia.com",)),
        ("Node", "", ("nodes", "-l", "nvidia.com/gpu.present=true")),
    ],
)
def test_every_object_is_read(healthy: Cluster, theirs: Source, kind: str, group: str, words: tuple[str, ...]) -> None:
    expected = {item["metadata"]["name"] for item in listed(healthy, *words)}
    assert expected
    assert read(theirs, kind, group).keys() == expected


def test_nodes_have_the_amounts_labels_and_conditions_that_they_have(healthy: Cluster, theirs: Source) -> None:
    nodes = read(theirs, "Node")
    for item in listed(healthy, "nodes", "-l", "nvidia.com/gpu.present=true"):
        body, name = nodes[item["metadata"]["name"]], "nvidia.com/gpu"
        assert body["status"]["capacity"][name] == item["status"]["capacity"][name]
        assert body["status"]["allocatable"][name] == item["status"]["allocatable"][name]
        assert body["metadata"]["labels"] == item["metadata"]["labels"]
        assert {one["type"]: one["status"] for one in body["status"]["conditions"]} == {
            one["type"]: one["status"] for one in item["status"]["conditions"]
        }


def test_its_namespace_is_whole_and_the_cluster_is_not(theirs: Source) -> None:
    assert not theirs.coverage("Pod", "", (NAMESPACE,))
    assert theirs.coverage("Pod", "", ())
    assert theirs.coverage("Node", "", ())


def test_its_logs_are_those_that_kubectl_prints(healthy: Cluster, theirs: Source) -> None:
    logs = list(theirs.logs())
    assert "gpu-operator" in {log.container for log in logs}
    for log in logs:
        told = healthy.kubectl("logs", "-n", log.namespace, log.pod, "-c", log.container).stdout
        assert log.data == told


def test_the_same_gpus_are_counted_as_in_the_cluster(healthy: Cluster, theirs: Source) -> None:
    items = build_facts(theirs, frozenset([("GpuNode", "made")])).made("GpuNode")
    expected = {
        item["metadata"]["name"]: sum(
            int(amount)
            for name, amount in item["status"]["allocatable"].items()
            if name.startswith("nvidia.com/")  # MIG too
        )
        for item in listed(healthy, "nodes", "-l", "nvidia.com/gpu.present=true")
    }
    assert {item.ref.name: item.body["allocatable"] for item in items} == expected
