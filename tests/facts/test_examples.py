"""Facts of rule examples: what authors may leave out, and what they may set."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from runai_analyze.bundle.source import Kinds
from runai_analyze.engine.examples import run_examples
from runai_analyze.facts import BundleFacts, example_facts
from runai_analyze.ruleset.rule import Example

from tests.ruleset.packs import load_rule

from .helpers import facts_of, is_unknown, item_of, items_of, node


def test_the_cluster_may_be_nested_or_dotted_and_what_follows_follows() -> None:
    nested = facts_of(
        cluster={"kubernetes": {"version": "v1.35.4"}, "runai": {"version": "2.25.14", "url": "https://a.example"}}
    ).cluster
    dotted = facts_of(
        cluster={"kubernetes.version": "v1.35.4", "runai.version": "2.25.14", "runai.url": "https://a.example"}
    ).cluster
    assert nested == dotted
    assert nested["kubernetes"]["minor"] == "1.35"
    assert {key: nested["runai"][key] for key in ("release", "installed", "url_host", "url_scheme", "url_is_ip")} == {
        "release": "2.25",
        "installed": True,
        "url_host": "a.example",
        "url_scheme": "https",
        "url_is_ip": False,
    }


def test_what_follows_may_be_set_too_and_null_is_absent() -> None:
    found = facts_of(
        cluster={"runai": {"version": "2.25.14", "release": "2.24", "installed": False}, "knative.installed": None}
    ).cluster
    assert (found["runai"]["release"], found["runai"]["installed"]) == ("2.24", False)
    assert "installed" not in found["knative"]


def test_fields_that_are_not_set_are_computed() -> None:
    assert facts_of(node("a"), node("b"), cluster={"nodes.gpu": 7}).cluster["nodes"]["total"] == 2
    assert is_unknown(facts_of().cluster["kubernetes"]["version"])
    assert "openshift" not in facts_of(cluster={"distribution": {"name": "vanilla"}}).cluster


def test_a_field_can_be_named_as_not_collected() -> None:
    found = facts_of(cluster={"runai.version": "2.25.14"}, not_collected=["Cluster.runai.release"]).cluster
    assert is_unknown(found["runai"]["release"])
    assert found["runai"]["version"] == "2.25.14"


def test_made_objects_are_used_as_they_are_and_replace_the_computed_ones() -> None:
    given = {"kind": "GpuNode", "metadata": {"name": "g"}, "expected": 8, "allocatable": 7}
    (item,) = items_of(facts_of(node("n", labels={"nvidia.com/gpu.present": "true"}), given), "GpuNode")
    assert (item.group, item.ref.name, item.body["allocatable"]) == ("made", "g", 7)
    assert item_of("Certificate", {"kind": "Certificate", "metadata": {"namespace": "a", "name": "c"}, "dns_names": ["x"]})[
        "dns_names"
    ] == ["x"]


def test_a_made_name_with_another_group_is_that_kind() -> None:
    facts = facts_of({"kind": "Certificate", "apiVersion": "cert-manager.io/v1", "metadata": {"namespace": "a", "name": "c"}})
    assert [item.group for item in items_of(facts, "Certificate", "cert-manager.io")] == ["cert-manager.io"]
    assert items_of(facts, "Certificate", "made") == []
    assert items_of(facts, "Certificate") == []  # a bare made name is the made kind


def test_api_versions_may_be_left_out() -> None:
    assert (
        item_of("Deployment", {"kind": "Deployment", "metadata": {"namespace": "a", "name": "d"}, "spec": {}})["apiVersion"]
        == "apps/v1"
    )
    assert items_of(facts_of({"kind": "RunaiConfig", "metadata": {"name": "runai"}}), "RunaiConfig")[0].group == "run.ai"


def test_facts_set_by_hand_stay() -> None:
    body = {**node("n"), "facts": {"gpu": True, "os_family": "talos"}}
    facts = item_of("Node", body)["facts"]
    assert (facts["gpu"], facts["os_family"], facts["ready"]) == (True, "talos", True)


def test_secrets_become_what_a_bundle_has_of_them() -> None:
    secret = {
        "kind": "Secret",
        "metadata": {"namespace": "a", "name": "s"},
        "type": "kubernetes.io/tls",
        "data": {"tls.crt": "eA==", "tls.key": "eA=="},
    }
    body = item_of("Secret", secret)
    assert (body["type"], body["facts"]["key_count"], "data" in body) == ("kubernetes.io/tls", 2, False)


def test_kinds_that_were_not_collected() -> None:
    facts = facts_of(node("n"), not_collected=["Node", "Service.serving.knative.dev", "Certificate"])
    assert facts.coverage("Node", None, ())[0].what == "Node"
    assert facts.coverage("GpuNode", None, ())
    assert facts.coverage("GpuDevice", "made", ())
    assert facts.coverage("Certificate", None, ("runai",))
    assert facts.coverage("Service", "serving.knative.dev", ())
    assert facts.coverage("Service", None, ())
    assert facts.coverage("Service", "", ()) == ()
    assert facts.coverage("Pod", None, ()) == ()
    assert facts.coverage("Cluster", None, ()) == ()


def test_the_api_of_an_example_serves_what_is_given() -> None:
    version = {"kind": "ClusterOperator", "metadata": {"name": "dns"}}
    assert facts_of(version).cluster["distribution"]["name"] == "openshift"


def test_time_and_given_objects_are_left_as_they_are() -> None:
    given = [node("n")]
    moment = datetime(2026, 10, 31, tzinfo=UTC)
    facts = example_facts(given, {}, [], moment, frozenset())
    list(facts.items(frozenset([("Node", None)])))
    assert facts.bundle_time == moment
    assert "facts" not in given[0]


ON_EVENTS = """\
id: RAI-TST-001
title: Pods wait for GPUs
severity: high
area: nodes
status: stable
revision: 1
changed: 2026-12-01
owner: tests
report_each:
  kind: EventGroup
  where:
    - {field: cause, equals: no-gpu}
    - {field: facts.still_failing, equals: yes}
message: "{{ owner.kind }} {{ metadata.namespace }}/{{ owner.name }}: {{ count | # time | # times }}, the last {{ last | ago }}"
fix: {text: Buy some.}
examples:
  - name: two pods of one Deployment still wait
    bundle_time: 2026-01-02T00:00:00Z
    given:
      - {kind: Deployment, metadata: {namespace: a, name: web}}
      - {kind: ReplicaSet, metadata: {namespace: a, name: web-1, ownerReferences: [{kind: Deployment, apiVersion: apps/v1, name: web, controller: true}]}}
      - {kind: Pod, metadata: {namespace: a, name: web-1-b4d7x, ownerReferences: [{kind: ReplicaSet, apiVersion: apps/v1, name: web-1, controller: true}]}, status: {phase: Pending}}
      - {kind: Pod, metadata: {namespace: a, name: web-1-c5f8z, ownerReferences: [{kind: ReplicaSet, apiVersion: apps/v1, name: web-1, controller: true}]}, status: {phase: Pending}}
      - {kind: Event, metadata: {namespace: a, name: e1}, involvedObject: {kind: Pod, namespace: a, name: web-1-b4d7x}, reason: FailedScheduling, message: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", count: 3, lastTimestamp: 2026-01-01T22:00:00Z}
      - {kind: Event, metadata: {namespace: a, name: e2}, involvedObject: {kind: Pod, namespace: a, name: web-1-c5f8z}, reason: FailedScheduling, message: "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.", count: 2, lastTimestamp: 2026-01-01T21:00:00Z}
    result: fail
    message_contains: "Deployment a/web: 5 times, the last 2 hours ago"
  - name: they run now
    given:
      - {kind: Pod, metadata: {namespace: a, name: p}, spec: {nodeName: n1}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
      - {kind: Event, metadata: {namespace: a, name: e1}, involvedObject: {kind: Pod, namespace: a, name: p}, reason: FailedScheduling, message: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}
    result: pass
  - name: the pod is gone
    given:
      - {kind: Event, metadata: {namespace: a, name: e1}, involvedObject: {kind: Pod, namespace: a, name: p}, reason: FailedScheduling, message: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}
    result: pass
  - name: pods were not collected
    given:
      - {kind: Event, metadata: {namespace: a, name: e1}, involvedObject: {kind: Pod, namespace: a, name: p}, reason: FailedScheduling, message: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}
    not_collected: [Pod]
    result: unknown
  - name: events were not collected
    given: []
    not_collected: [Event]
    result: unknown
"""  # noqa: E501 - objects stand on one line, as authors write them

ON_CONTAINERS = """\
id: RAI-TST-001
title: Containers run out of memory
severity: high
area: nodes
status: stable
revision: 1
changed: 2026-12-01
owner: tests
report_each:
  kind: Container
  where:
    - {field: last_exit.reason, equals: OOMKilled}
    - {field: resources.limits.memory, less_than: 4Gi}
message: "{{ container }} of {{ owner.kind }} {{ owner.name }} has {{ resources.limits.memory }}"
fix: {text: Give it more.}
examples:
  - name: killed
    given:
      - kind: Pod
        metadata: {namespace: a, name: p}
        spec: {containers: [{name: main, resources: {limits: {memory: 2Gi}}}]}
        status: {containerStatuses: [{name: main, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]}
    result: fail
    message_contains: main of Pod p has 2Gi
  - name: well
    given: [{kind: Pod, metadata: {namespace: a, name: p}, spec: {containers: [{name: main}]}}]
    result: pass
  - name: not seen
    given: []
    not_collected: [Pod]
    result: unknown
"""


@pytest.mark.parametrize("text", [ON_EVENTS, ON_CONTAINERS], ids=["EventGroup", "Container"])
def test_authors_give_events_and_pods_and_what_is_made_of_them_is_made(tmp_path: Path, text: str) -> None:
    pack = load_rule(tmp_path, text)

    def make(example: Example, kinds: Kinds) -> BundleFacts:
        return example_facts(example.given, example.cluster, example.not_collected, example.bundle_time, kinds)

    results = list(run_examples(pack, make))
    assert [(example.name, difference and difference.lines) for _, example, difference in results if difference] == []
    assert len(results) == len(pack.rules[0].examples) >= 3
