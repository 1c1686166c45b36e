"""Fields of custom kinds: those that their makers document are taken, and what nobody defines is refused."""

import json
import re
from pathlib import Path

import pytest
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset import fields
from runai_analyze.ruleset.fields import custom_kind_meant
from runai_analyze.ruleset.schemas import has_schema, path_problem, value_types

from tests.make_field_dictionary import SOURCES, kinds_of, merged, written

DATA = Path(fields.__file__).parent / "custom_kinds.json"


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("ClusterPolicy.nvidia.com", "spec.driver.enabled"),
        ("ClusterPolicy.nvidia.com", "status.state"),
        ("NVIDIADriver.nvidia.com", "spec.driverType"),
        ("Prometheus.monitoring.coreos.com", "spec.storage.volumeClaimTemplate.spec.resources.requests.storage"),
        ("Prometheus.monitoring.coreos.com", "spec.retention"),
        ("ServiceMonitor.monitoring.coreos.com", "spec.endpoints[*].interval"),
        ("KnativeServing.operator.knative.dev", "status.version"),
        ("KnativeServing.operator.knative.dev", "spec.config.features"),
        ("Revision.serving.knative.dev", "status.conditions[type=Ready].reason"),
        ("Service.serving.knative.dev", "status.url"),
        ("MPIJob.kubeflow.org", "spec.mpiReplicaSpecs.Worker.replicas"),
        ("PyTorchJob.kubeflow.org", "spec.pytorchReplicaSpecs.Master.template.spec.containers[*].image"),
        ("LeaderWorkerSet.leaderworkerset.x-k8s.io", "spec.leaderWorkerTemplate.size"),
        ("Gateway.gateway.networking.k8s.io", "spec.listeners[*].tls.certificateRefs[*].name"),
        ("HTTPRoute.gateway.networking.k8s.io", "spec.hostnames[*]"),
        ("Queue.scheduling.run.ai", "spec.resources.gpu.quota"),
        ("PodGroup.scheduling.run.ai", "spec.minMember"),
        ("SchedulingShard.kai.scheduler", "spec.partitionLabelValue"),
        ("NicClusterPolicy.mellanox.com", "spec.ofedDriver.version"),
        ("NodeFeature.nfd.k8s-sigs.io", "spec.labels"),
        ("Certificate.cert-manager.io", "status.notAfter"),
        ("ClusterVersion.config.openshift.io", "status.history[*].version"),
        ("ClusterOperator.config.openshift.io", "status.conditions[type=Degraded].status"),
        ("Route.route.openshift.io", "spec.tls.termination"),
        ("SecurityContextConstraints.security.openshift.io", "allowPrivilegedContainer"),
        ("Queue.scheduling.run.ai", 'metadata.labels["x/y"]'),
        ("RunaiConfig.run.ai", "spec.anything.goes"),
    ],
)
def test_there_is_such_a_field(kind: str, path: str) -> None:
    assert path_problem(kind, compile_path(path)) == ""


@pytest.mark.parametrize(
    ("kind", "path", "problem"),
    [
        ("ClusterPolicy.nvidia.com", "spec.driver.enable", 'has no field "spec.driver.enable"; did you mean "enabled"?'),
        ("Prometheus.monitoring.coreos.com", "spec.retenton", 'has no field "spec.retenton"; did you mean "retention"?'),
        ("Queue.scheduling.run.ai", "metadata.lables.x", 'has no field "metadata.lables"; did you mean "labels"?'),
        ("Queue.scheduling.run.ai", "spec.phase", 'has no field "spec.phase"'),
    ],
)
def test_there_is_no_such_field(kind: str, path: str, problem: str) -> None:
    assert path_problem(kind, compile_path(path)) == f"{kind} {problem}"


def test_types_of_values() -> None:
    enabled, quota = compile_path("spec.driver.enabled"), compile_path("spec.resources.gpu.quota")
    assert value_types("ClusterPolicy.nvidia.com", enabled) == {"boolean"}
    assert value_types("Queue.scheduling.run.ai", quota) == {"number"}
    assert value_types("Node", compile_path("spec.unschedulable")) == {"boolean"}
    assert value_types("Pod", compile_path("status.containerStatuses[*].restartCount")) == {"integer"}
    assert value_types("RunaiConfig.run.ai", compile_path("spec.x")) == frozenset()


def test_what_is_not_published_is_not_known() -> None:
    assert not has_schema("RunaiConfig.run.ai")
    assert has_schema("ClusterPolicy.nvidia.com")
    assert has_schema("Pod")


def test_a_kind_in_the_wrong_group_is_told_the_right_one() -> None:
    assert custom_kind_meant("Prometheus.coreos.com") == "Prometheus.monitoring.coreos.com"
    assert custom_kind_meant("ClusterPolicys.nvidia.com") == "ClusterPolicy.nvidia.com"
    assert custom_kind_meant("Thing.example.com") == ""


def test_the_data_holds_names_and_types_alone() -> None:
    data = json.loads(DATA.read_text())
    assert DATA.stat().st_size < 200_000
    assert len(data["kinds"]) >= 90
    assert len(data["sources"]) == len(SOURCES)
    for shape in data["shapes"]:
        assert shape.keys() <= {"properties", "additionalProperties", "items", "type"}
        assert all(re.fullmatch(r"[\w$.-]+", name) for name in shape.get("properties", {}))


CRD = """
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Thing}
  versions:
    - name: v1
      schema: {openAPIV3Schema: {type: object, properties: {spec: {description: words, properties: {a: {type: string}}}}}}
    - name: v2
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {b: {type: array, items: {x-kubernetes-int-or-string: true}}, c: {type: object}}
              x-kubernetes-preserve-unknown-fields: true
"""


def test_versions_of_a_kind_are_taken_together() -> None:
    (name, first), (_, second) = kinds_of(CRD)
    assert name == "Thing.example.com"
    spec = merged(first, second)["properties"]["spec"]
    assert spec["properties"] == {"a": {"type": "string"}, "b": {"items": {"type": ["integer", "string"]}}, "c": {}}
    assert spec["additionalProperties"] == {}


def test_a_shape_is_written_once() -> None:
    text = written({"A.x": {"properties": {"p": {"type": "string"}, "q": {"type": "string"}}}, "B.x": {"type": "string"}})
    data = json.loads(text)
    assert data["shapes"] == [{"type": "string"}, {"properties": {"p": 0, "q": 0}}]
    assert data["kinds"] == {"A.x": 1, "B.x": 0}


@pytest.mark.parametrize("one", [{"type": "string"}, {"properties": {}}, {}])
def test_what_is_of_different_form_may_be_anything(one: dict[str, object]) -> None:
    assert merged(one, {"items": {"type": "string"}}) == {}
