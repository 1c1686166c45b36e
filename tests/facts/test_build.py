"""Facts of whole bundles: both passes, rows, coverage of made kinds, problems."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.facts import BundleFacts, build_facts
from runai_analyze.model import Unknown

from tests.bundle.builder import TOP, Builder, node, packed

from .test_nvidia_smi import log

GPU = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.count": "2"}
SOURCE = (
    '{"node": "g1", "answered_by": 0, "attempts": [{"namespace": "gpu-operator", "pod": "p", "status": "ok", "exit_code": 0}]}'
)


def bundle() -> Builder:
    """A small cluster in which everything was collected."""
    builder = Builder()
    builder.list("Namespace", "v1", {"metadata": {"name": "runai"}}, {"metadata": {"name": "default"}})
    builder.list("Node", "v1", node("g1", labels=GPU, capacity={"nvidia.com/gpu": "2"}), node("s1"))
    builder.list(
        "Pod", "v1", {"metadata": {"namespace": "runai", "name": "p"}, "status": {"phase": "Running"}, "facts": {"restarts": 99}}
    )
    builder.list(
        "ConfigMap", "v1", {"metadata": {"namespace": "runai", "name": "runai-public"}, "data": {"cluster-version": "2.25.14"}}
    )
    for kind in ("Deployment", "StatefulSet", "DaemonSet"):
        builder.list(kind, "apps/v1")
    builder.list("StorageClass", "storage.k8s.io/v1").list("IngressClass", "networking.k8s.io/v1").list(
        "Ingress", "networking.k8s.io/v1"
    )
    builder.list("CustomResourceDefinition", "apiextensions.k8s.io/v1").list("Service", "v1")
    builder.rows(
        "configmaps",
        {"namespace": "runai", "name": "runai-public", "keys": {"cluster-version": {}}},
        {"namespace": "runai", "name": "x", "keys": {"b": {}, "a": {}}},
    )
    builder.rows("secrets", {"namespace": "runai", "name": "s", "type": "kubernetes.io/tls", "keys": 2, "age": "25d"})
    builder.rows("certificates", {"namespace": "runai", "name": "bad", "certificates": [{"key": "tls.crt", "pem": "x"}]})
    builder.rows(
        "helm",
        {
            "namespace": "runai",
            "name": "sh.helm.release.v1.runai-cluster.v1",
            "labels": {"name": "runai-cluster", "status": "deployed", "version": "1"},
        },
    )
    builder.add("nodes/g1/source.json", SOURCE).add(
        "nodes/g1/nvidia-smi.xml", log("<product_name>X</product_name>", "<product_name>X</product_name>")
    )
    for namespace in ("runai", "default"):
        builder.step(f"secrets@{namespace}", "ok", kind="Secret", group="", namespace=namespace)
    builder.step("certificate:runai/bad", "ok", namespace="runai").step("nvidia-smi:g1", "ok").step(
        "helm@runai", "ok", namespace="runai"
    )
    return builder


def facts(tmp_path: Path, builder: Builder | None = None, **options: Any) -> BundleFacts:
    path = (builder or bundle()).write(tmp_path / "b.tgz", complete=options.pop("complete", True))
    return build_facts(open_bundle(path), options.pop("kinds", frozenset()), **options)


def bodies(found: BundleFacts, kind: str, group: str | None = None) -> list[Any]:
    return [item.body for item in found.items(frozenset([(kind, group)]))]


def test_the_cluster_of_a_bundle(tmp_path: Path) -> None:
    found = facts(tmp_path).cluster
    assert (found["name"], found["kubernetes"], found["distribution"]) == (
        "acme",
        {"version": "v1.35.4", "minor": "1.35"},
        {"name": "vanilla"},
    )
    assert (found["runai"]["version"], found["runai"]["release"], found["runai"]["source"]) == ("2.25.14", "2.25", "bundle")
    assert (found["nodes"]["total"], found["nodes"]["gpu"], found["gpus"]["capacity"], found["driver"]["versions"]) == (
        2,
        1,
        2,
        ["580.95.05"],
    )
    assert not any(isinstance(value, Unknown) for value in found["features"])


def test_an_option_beats_the_bundle_and_the_bundles_own_version_stays_known(tmp_path: Path) -> None:
    runai = facts(tmp_path, runai_version="2.26").cluster["runai"]
    assert (runai["version"], runai["release"], runai["source"], runai["bundle_version"]) == ("2.26", "2.26", "option", "2.25.14")


def test_planned_features_count(tmp_path: Path) -> None:
    found = facts(tmp_path, planned=("inference", "autoscaling")).cluster
    assert (found["planned"], found["features"]) == (["autoscaling", "inference"], ["autoscaling", "inference"])


def test_objects_stream_with_their_facts_and_their_place(tmp_path: Path) -> None:
    found = facts(tmp_path)
    items = list(found.items(frozenset([("Node", None), ("Pod", "")])))
    assert [(item.kind, item.ref.name, item.ref.member, item.ref.line) for item in items] == [
        ("Node", "g1", "resources/core/v1/nodes/0001.jsonl", 1),
        ("Node", "s1", "resources/core/v1/nodes/0001.jsonl", 2),
        ("Pod", "p", "resources/core/v1/pods/0001.jsonl", 1),
    ]
    assert [item.body["facts"]["gpu"] for item in items[:2]] == [True, False]
    assert items[2].body["facts"]["restarts"] == 0  # what the bundle itself calls facts does not count


def test_secrets_are_rows(tmp_path: Path) -> None:
    (secret,) = bodies(facts(tmp_path), "Secret")
    assert secret == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"namespace": "runai", "name": "s"},
        "type": "kubernetes.io/tls",
        "facts": {"key_count": 2, "age": "25d"},
    }


def test_a_configmap_stands_once_and_without_its_data_that_is_unknown(tmp_path: Path) -> None:
    found = {body["metadata"]["name"]: body for body in bodies(facts(tmp_path), "ConfigMap")}
    assert sorted(found) == ["runai-public", "x"]
    assert found["runai-public"]["data"] == {"cluster-version": "2.25.14"}
    assert isinstance(found["x"]["data"], Unknown)
    assert found["x"]["facts"]["keys"] == ["a", "b"]


def test_made_kinds_stream_too(tmp_path: Path) -> None:
    found = facts(tmp_path)
    assert [body["nvidia_smi"]["count"] for body in bodies(found, "GpuNode")] == [2]
    assert [body["metadata"]["name"] for body in bodies(found, "GpuDevice", "made")] == ["g1/0", "g1/1"]
    assert len(bodies(found, "Cluster")) == 1
    assert bodies(found, "GpuNode", "other.example") == []


def test_everything_was_collected(tmp_path: Path) -> None:
    found = facts(tmp_path)
    for kind in (
        "Node",
        "Pod",
        "Secret",
        "ConfigMap",
        "Cluster",
        "GpuNode",
        "GpuDevice",
        "Certificate",
        "RunaiDependency",
        "CollectionProblem",
    ):
        lacking = found.coverage(kind, None, ())
        expected = {"RunaiDependency": 1, "Certificate": 1}  # one certificate is unreadable, the document holds no dependencies
        assert len(lacking) == expected.get(kind, 0), (kind, lacking)


def test_a_certificate_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    found = facts(tmp_path)
    assert [problem.member for problem in found.problems] == ["certificates/0001.jsonl"]
    (body,) = bodies(found, "CollectionProblem")
    assert body["status"] == "damaged"


def test_refused_steps_are_problems_and_unplanned_kinds_too(tmp_path: Path) -> None:
    builder = (
        bundle()
        .list("Event", "v1", status="forbidden", message="no")
        .step("logs@a", "skipped", "left out")
        .step("nvidia-smi:g2", "timeout")
    )
    kinds = frozenset([("Widget", "acme.example"), ("Pod", None), ("GpuNode", None)])
    found = bodies(facts(tmp_path, builder, kinds=kinds), "CollectionProblem")
    assert [(body["metadata"]["name"], body["status"], body.get("about")) for body in found][:2] == [
        ("list:core/v1/events", "forbidden", "Event"),
        ("nvidia-smi:g2", "timeout", None),
    ]
    assert [body["metadata"]["name"] for body in found if body["status"] == "not_planned"] == []  # it is not served
    undiscovered = facts(tmp_path, builder, kinds=kinds, complete=False)
    names = [body["metadata"]["name"] for body in bodies(undiscovered, "CollectionProblem") if body["status"] == "not_planned"]
    assert names == ["Widget"]


def test_a_gpu_node_without_an_answer_is_lacking_among_devices(tmp_path: Path) -> None:
    builder = bundle()
    builder.members = [(name, data) for name, data in builder.members if not name.startswith("nodes/")]
    builder.steps = [
        {**step, "status": "forbidden", "message": "exec is forbidden"} if step["id"] == "nvidia-smi:g1" else step
        for step in builder.steps
    ]
    found = facts(tmp_path, builder)
    (missing,) = found.coverage("GpuDevice", None, ())
    assert (missing.what, missing.reason) == ("nvidia-smi of node g1", "the account may not read it")
    assert found.coverage("GpuNode", None, ()) == ()


def test_in_a_cut_bundle_what_was_seen_is_known_and_the_rest_unknown(tmp_path: Path) -> None:
    path = bundle().write(tmp_path / "b.tgz", manifest=False)
    found = build_facts(open_bundle(path), frozenset())
    assert (found.cluster["runai"]["version"], found.cluster["kubernetes"]["minor"]) == ("2.25.14", "1.35")
    assert isinstance(found.cluster["nodes"]["total"], Unknown)
    assert isinstance(found.cluster["gpu_operator"]["installed"], Unknown)
    assert found.coverage("RunaiDependency", None, ())


def test_a_bad_line_is_known_before_the_first_rule_runs(tmp_path: Path) -> None:
    members = [
        (f"{TOP}/{name}", b"{broken\n" + data if "/pods/" in name else data)
        for name, data in bundle().all_members(manifest=False)
    ]
    (tmp_path / "b.tgz").write_bytes(packed(members))
    found = build_facts(open_bundle(tmp_path / "b.tgz"), frozenset())
    assert found.problems[0].message.startswith("line 1 cannot be read")


def test_two_builds_are_equal(tmp_path: Path) -> None:
    one, other = facts(tmp_path), facts(tmp_path)
    assert one.cluster == other.cluster
    assert one.inventory() == other.inventory()
    assert list(one.items(frozenset([("Node", None), ("GpuNode", None)]))) == list(
        other.items(frozenset([("Node", None), ("GpuNode", None)]))
    )


@pytest.mark.parametrize("value", [None, 5, "text", [], {}, [None, 5, "x"], [{}], {"a": 1}])
def test_objects_of_any_shape_do_no_harm(tmp_path: Path, value: Any) -> None:
    builder = Builder()
    for kind, api_version in (
        ("Node", "v1"),
        ("Namespace", "v1"),
        ("Pod", "v1"),
        ("ConfigMap", "v1"),
        ("Service", "v1"),
        ("Deployment", "apps/v1"),
        ("DaemonSet", "apps/v1"),
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
        ("StorageClass", "storage.k8s.io/v1"),
        ("IngressClass", "networking.k8s.io/v1"),
        ("Ingress", "networking.k8s.io/v1"),
        ("Gateway", "gateway.networking.k8s.io/v1"),
        ("RunaiConfig", "run.ai/v1"),
        ("ClusterPolicy", "nvidia.com/v1"),
        ("KnativeServing", "operator.knative.dev/v1beta1"),
        ("Prometheus", "monitoring.coreos.com/v1"),
        ("ClusterVersion", "config.openshift.io/v1"),
        ("ReplicaSet", "apps/v1"),
        ("Job", "batch/v1"),
        ("HorizontalPodAutoscaler", "autoscaling/v2"),
        ("PersistentVolumeClaim", "v1"),
        ("PodGroup", "scheduling.run.ai/v2alpha2"),
        ("Event", "v1"),
    ):
        fields = {"spec": value, "status": value, "data": value, "provisioner": value}
        nested = {
            "spec": {
                "template": {"spec": value},
                "versions": value,
                "containers": value,
                "tls": value,
                "listeners": value,
                "taints": value,
            }
        }
        metadata = {"name": "kubernetes", "namespace": "kube-system", "labels": value, "annotations": value}
        inner = {
            "status": {"conditions": value, "capacity": value, "nodeInfo": value, "containerStatuses": value, "history": value}
        }
        builder.list(
            kind,
            api_version,
            {"metadata": metadata, **fields},
            {"metadata": {"name": "other", "namespace": "default", "ownerReferences": value}, **nested, **inner},
        )
    odd = {"message": value, "reason": value, "count": value, "series": value, "lastTimestamp": value, "source": value}
    builder.list("Event", "v1", {"metadata": {"name": "odd", "namespace": "a"}, "involvedObject": value, **odd})
    about = {"kind": value, "namespace": value, "name": value, "apiVersion": value}
    builder.list("Event", "v1", {"metadata": {"name": "about", "namespace": "a"}, "involvedObject": about, **odd})
    names = {"name": "runai-public", "namespace": "runai"}
    builder.list("ConfigMap", "v1", {"metadata": names, "data": {"runai-public": value, "cluster-version": value}})
    for folder in ("secrets", "configmaps", "helm", "certificates"):
        builder.rows(
            folder, {"name": "x", "namespace": "a", "keys": value, "labels": value, "certificates": value, "type": value}
        )
    builder.add("nodes/g1/source.json", '{"answered_by": "x", "attempts": [5, {"exit_code": "9"}]}')
    found = facts(tmp_path, builder)
    items = list(
        found.items(
            frozenset((kind, None) for _, kind in builder.discovery)
            | {("Secret", None), ("GpuNode", None), ("Certificate", None), ("Container", None), ("EventGroup", None)}
        )
    )
    assert len(items) >= 34
    assert found.inventory().tables
