"""Owner chains: who owns an object, and who stands at the top."""

from typing import Any

import pytest
from runai_analyze.facts.owners import Key, Top, in_words, owner_of, top_of
from runai_analyze.facts.reading import unknown
from runai_analyze.model import Unknown

from .helpers import is_unknown


def owned(kind: str, *owners: dict[str, Any], namespace: str = "a", **labels: str) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"namespace": namespace, "name": "x", "labels": labels, "ownerReferences": list(owners)}}


def reference(kind: str, name: str, version: str = "apps/v1", **more: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "name": name, **more}


def key(kind: str, name: str, group: str = "apps", namespace: str = "a") -> Key:
    return (kind, group, namespace, name)


@pytest.mark.parametrize(
    ("body", "owner"),
    [
        (owned("Pod", reference("ReplicaSet", "web-1", controller=True)), ("ReplicaSet", "apps", "a", "web-1")),
        (
            owned("Pod", reference("Other", "o"), reference("Job", "j", "batch/v1", controller=True)),
            ("Job", "batch", "a", "j"),
        ),
        (owned("PodGroup", reference("Job", "j", "batch/v1")), ("Job", "batch", "a", "j")),  # KAI names the one owner so
        (owned("Pod", reference("A", "a"), reference("B", "b")), None),  # two that own, and none that manages
        (owned("Pod"), None),
        (owned("Pod", reference("Node", "n1", "v1", controller=True)), ("Node", "", "", "n1")),  # a static pod
        (
            owned(
                "Pod",
                reference("RunaiJob", "frac-1", "run.ai/v1", controller=True),
                workloadKind="TrainingWorkload",
                workloadName="t",
            ),
            ("TrainingWorkload", "run.ai", "a", "t"),
        ),
        (owned("Pod", reference("Job", "j", "batch/v1"), workloadKind="Job", workloadName="t"), ("Job", "batch", "a", "j")),
        (owned("ConfigMap", workloadKind="TrainingWorkload", workloadName="t"), None),  # the labels mean that on pods
        ({"kind": "Pod", "metadata": {"ownerReferences": ["x", {"kind": 5, "name": 7}, None]}}, None),
    ],
)
def test_the_owner_of_an_object(body: dict[str, Any], owner: Key | None) -> None:
    assert owner_of(body) == owner


def top(start: Key, links: dict[Key, Key | Unknown | None]) -> Top:
    return top_of(start, links.__getitem__)


POD, SET, DEPLOYMENT = key("Pod", "p", ""), key("ReplicaSet", "r"), key("Deployment", "d")
JOB, CRON = key("Job", "j", "batch"), key("CronJob", "c", "batch")


@pytest.mark.parametrize(
    ("start", "links", "found"),
    [
        (POD, {POD: SET, SET: DEPLOYMENT, DEPLOYMENT: None}, DEPLOYMENT),
        (POD, {POD: JOB, JOB: CRON, CRON: None}, CRON),
        (POD, {POD: key("StatefulSet", "s"), key("StatefulSet", "s"): None}, key("StatefulSet", "s")),
        (POD, {POD: None}, POD),
        (POD, {POD: ("Node", "", "", "n1")}, ("Node", "", "", "n1")),  # nodes are not looked up: nothing owns one
        (POD, {POD: key("TrainingWorkload", "t", "run.ai")}, key("TrainingWorkload", "t", "run.ai")),
        (
            POD,
            {POD: key("RunaiJob", "t", "run.ai"), key("RunaiJob", "t", "run.ai"): key("TrainingWorkload", "t", "run.ai")},
            key("TrainingWorkload", "t", "run.ai"),
        ),
        # What installs a component is no answer to whose pod this is.
        (
            POD,
            {POD: key("DaemonSet", "driver"), key("DaemonSet", "driver"): ("ClusterPolicy", "nvidia.com", "", "cp")},
            key("DaemonSet", "driver"),
        ),
        (DEPLOYMENT, {DEPLOYMENT: ("RunaiConfig", "run.ai", "a", "runai")}, DEPLOYMENT),
        # Knative: the Service of serving.knative.dev, over a Configuration and a Revision.
        (
            DEPLOYMENT,
            {
                DEPLOYMENT: key("Revision", "v", "serving.knative.dev"),
                key("Revision", "v", "serving.knative.dev"): key("Configuration", "v", "serving.knative.dev"),
                key("Configuration", "v", "serving.knative.dev"): key("Service", "v", "serving.knative.dev"),
                key("Service", "v", "serving.knative.dev"): None,
            },
            key("Service", "v", "serving.knative.dev"),
        ),
    ],
)
def test_the_top_of_a_chain(start: Key, links: dict[Key, Key | Unknown | None], found: Key) -> None:
    assert top(start, links) == Top(found)


@pytest.mark.parametrize(
    "kind",
    [
        "ClusterPolicy",
        "ClusterServiceVersion",
        "HelmRelease",
        "KnativeEventing",
        "KnativeServing",
        "NVIDIADriver",
        "NicClusterPolicy",
        "NodeFeatureDiscovery",
        "RunaiConfig",
    ],
)
def test_what_installs_a_component_is_not_the_top_of_its_workloads(kind: str) -> None:
    assert top(DEPLOYMENT, {DEPLOYMENT: key(kind, "x", "y.example")}) == Top(DEPLOYMENT)


@pytest.mark.parametrize(
    "kind",
    [
        "DeploymentWorkload",
        "DistributedInferenceWorkload",
        "DistributedWorkload",
        "ExternalWorkload",
        "InferenceWorkload",
        "InteractiveWorkload",
        "TrainingWorkload",
    ],
)
def test_a_workload_of_runai_is_a_top_by_label_and_need_not_be_there(kind: str) -> None:
    found = owner_of(owned("Pod", workloadKind=kind, workloadName="t"))
    assert found == (kind, "run.ai", "a", "t")
    assert top(POD, {POD: found}) == Top((kind, "run.ai", "a", "t"))


def test_names_for_people() -> None:
    assert (in_words(DEPLOYMENT), in_words(("Node", "", "", "n1"))) == ("Deployment a/d", "Node n1")


def test_a_missing_link_makes_the_top_unknown_and_tells_the_last_owner_that_is_known() -> None:
    gap = unknown("ReplicaSet", "forbidden", "kubectl get replicasets -A -o yaml")
    assert top(POD, {POD: SET, SET: gap}) == Top(SET, gap)


def test_owners_that_own_each_other_end() -> None:
    found = top(POD, {POD: SET, SET: DEPLOYMENT, DEPLOYMENT: SET})
    assert (found.key, is_unknown(found.gap)) == (POD, True)
    assert found.gap
    assert found.gap.missing.reason == "its owners own each other"
    assert is_unknown(top(POD, {POD: POD}).gap)


def test_a_chain_without_end_ends() -> None:
    found = top_of(POD, lambda at: (*at[:3], at[3] + "x"))
    assert found.key == POD
    assert found.gap
    assert "more than 10 owners" in found.gap.missing.reason
