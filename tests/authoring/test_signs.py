"""What looks wrong with an object, and that healthy ones show nothing."""

from typing import Any

import pytest
from runai_analyze.authoring.proposal import Asked, article
from runai_analyze.authoring.signs import signs_of


def thing(kind: str = "Thing", version: str = "acme.example/v1", **fields: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, **fields}


def pod(*statuses: dict[str, Any], **status: Any) -> dict[str, Any]:
    status = {**({"containerStatuses": list(statuses)} if statuses else {}), **status}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "status": status}


def conditions(**states: str) -> dict[str, Any]:
    return {"conditions": [{"type": name, "status": state} for name, state in states.items()]}


WAITING = "status.containerStatuses[*].state.waiting.reason"
ENDED = "status.containerStatuses[*].lastState.terminated"


@pytest.mark.parametrize(
    ("body", "mode", "asked"),
    [
        (pod({"state": {"waiting": {"reason": "ImagePullBackOff"}}}), "fault", Asked(WAITING, "equals", "ImagePullBackOff")),
        (
            pod({"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"reason": "OOMKilled"}}}),
            "fault",
            Asked(WAITING, "equals", "CrashLoopBackOff"),
        ),
        (
            pod({"lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}),
            "fault",
            Asked(f"{ENDED}.reason", "equals", "OOMKilled"),
        ),
        (
            pod({"lastState": {"terminated": {"reason": "Error", "exitCode": 2}}}),
            "fault",
            Asked(f"{ENDED}.exitCode", "equals", "2"),
        ),
        (
            pod(initContainerStatuses=[{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]),
            "fault",
            Asked("status.initContainerStatuses[*].state.waiting.reason", "equals", "CrashLoopBackOff"),
        ),
        (pod(phase="Failed", reason="Evicted"), "fault", Asked("status.reason", "equals", "Evicted")),
        (pod(phase="Failed"), "fault", Asked("status.phase", "equals", "Failed")),
        (pod({"restartCount": 3}, {"restartCount": 2}), "fault", Asked("facts.restarts", "at_least", "5")),
        (
            pod(phase="Pending", **conditions(PodScheduled="False")),
            "expect",
            Asked("status.conditions[type=PodScheduled].status", "equals", "True"),
        ),
        (
            thing("Node", "v1", status=conditions(Ready="Unknown")),
            "expect",
            Asked("status.conditions[type=Ready].status", "equals", "True"),
        ),
        (
            thing("Node", "v1", status=conditions(DiskPressure="True", Ready="True")),
            "fault",
            Asked("status.conditions[type=DiskPressure].status", "equals", "True"),
        ),
        (thing("Node", "v1", spec={"unschedulable": True}), "fault", Asked("spec.unschedulable", "equals", "true")),
        (
            thing("Node", "v1", spec={"taints": [{"key": "acme/broken"}]}),
            "fault",
            Asked("spec.taints[*].key", "equals", "acme/broken"),
        ),
        (
            thing("Node", "v1", status={"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "7"}}),
            "expect",
            Asked('status.allocatable["nvidia.com/gpu"]', "equals_field", 'status.capacity["nvidia.com/gpu"]'),
        ),
        (
            thing("Deployment", "apps/v1", spec={"replicas": 3}, status={"readyReplicas": 1}),
            "expect",
            Asked("facts.ready", "equals_field", "facts.desired"),
        ),
        (thing("Deployment", "apps/v1", spec={}, status={}), "expect", Asked("facts.ready", "equals_field", "facts.desired")),
        (
            thing("DaemonSet", "apps/v1", status={"desiredNumberScheduled": 2, "numberReady": 1}),
            "expect",
            Asked("facts.ready", "equals_field", "facts.desired"),
        ),
        (
            thing(spec={"replicas": 2}, status={"availableReplicas": 0}),
            "expect",
            Asked("status.availableReplicas", "equals_field", "spec.replicas"),
        ),
        (thing("Job", "batch/v1", status={"failed": 4}), "fault", Asked("status.failed", "more_than", "0")),
        (
            thing("PersistentVolumeClaim", "v1", status={"phase": "Pending"}),
            "expect",
            Asked("status.phase", "equals", "Bound"),
        ),
        (
            thing("PersistentVolume", "v1", status={"phase": "Failed"}),
            "expect",
            Asked("status.phase", "one_of", ("Bound", "Available")),
        ),
        (thing(status={"state": "notReady"}), "fault", Asked("status.state", "equals", "notReady")),
        (thing(status={"errorMessage": "it broke"}), "fault", Asked("status.errorMessage", "exists", "true")),
        (
            {**thing(), "metadata": {"name": "x", "deletionTimestamp": "2026-01-01T00:00:00Z"}},
            "fault",
            Asked("metadata.deletionTimestamp", "exists", "true"),
        ),
        (thing("Service", "v1", spec={"type": "LoadBalancer"}), "expect", Asked("status.loadBalancer.ingress", "exists", "true")),
        (
            {**thing(), "metadata": {"name": "x", "labels": {"a/b": "paused"}}},
            "fault",
            Asked('metadata.labels["a/b"]', "equals", "paused"),
        ),
        (thing("Event", "v1", type="Warning", reason="FailedMount"), "fault", Asked("reason", "equals", "FailedMount")),
        (
            thing("PodDisruptionBudget", "policy/v1", status={"disruptionsAllowed": 0}),
            "expect",
            Asked("status.disruptionsAllowed", "at_least", "1"),
        ),
    ],
)
def test_the_clearest_sign(body: dict[str, Any], mode: str, asked: Asked) -> None:
    first = signs_of(body)[0]
    assert (first.mode, first.asked) == (mode, asked)


@pytest.mark.parametrize(
    "body",
    [
        pod({"state": {"running": {}}, "ready": True, "restartCount": 1}, phase="Running", **conditions(Ready="True")),
        pod({"state": {"waiting": {"reason": "ContainerCreating"}}}, phase="Running"),
        pod({"state": {"terminated": {"reason": "Completed", "exitCode": 0}}}, phase="Succeeded"),
        pod(phase="Succeeded", conditions=[{"type": "Ready", "status": "False", "reason": "PodCompleted"}]),
        thing(
            "Node",
            "v1",
            spec={"taints": [{"key": "node-role.kubernetes.io/control-plane"}]},
            status=conditions(Ready="True", MemoryPressure="False"),
        ),
        thing("Deployment", "apps/v1", spec={"replicas": 0}, status={}),
        thing(
            "ClusterOperator",
            "config.openshift.io/v1",
            status=conditions(Available="True", Degraded="False", Progressing="False"),
        ),
        thing("Job", "batch/v1", status=conditions(Complete="True")),
        thing("PersistentVolume", "v1", status={"phase": "Available"}),
        thing("Service", "v1", spec={"type": "ClusterIP"}),
        thing("Event", "v1", type="Normal", reason="Started"),
        thing(status="a word"),
        thing(status={"conditions": "none"}),
    ],
)
def test_a_healthy_object_shows_nothing(body: dict[str, Any]) -> None:
    assert [sign.words for sign in signs_of(body)] == []


def test_signs_are_ranked_and_each_stands_there_once() -> None:
    status = {
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"reason": "Error", "exitCode": 1}},
    }
    body = pod(status, status, phase="Running", **conditions(Ready="False", ContainersReady="False"))
    assert [sign.words for sign in signs_of(body)] == [
        "a container waits: CrashLoopBackOff",
        "the last exit code was 1",
        "condition Ready is False",
        "condition ContainersReady is False",
    ]


@pytest.mark.parametrize("reason", ["{{ cluster.name }}", "a\x1b[2J", "a\u202eb"])
def test_what_would_mean_something_else_in_a_rule_is_no_sign(reason: str) -> None:
    assert signs_of(pod({"state": {"waiting": {"reason": reason}}})) == ()


def test_a_warning_is_looked_for_among_all_events_that_say_the_same() -> None:
    message = "MountVolume.SetUp failed for volume data"
    signs = signs_of(thing("Event", "v1", type="Warning", reason="FailedMount", message=f"{message}\n"))
    assert [(sign.made, sign.asked) for sign in signs] == [
        ("EventGroup", Asked("reason", "equals", "FailedMount")),
        ("EventGroup", Asked("message", "similar_to", message)),
    ]


def test_two_conditions_of_one_type_are_no_sign() -> None:
    both = {"conditions": [{"type": "Ready", "status": "False"}, {"type": "Ready", "status": "True"}]}
    assert signs_of(thing(status=both)) == ()


@pytest.mark.parametrize(("word", "said"), [("Pod", "A Pod"), ("Ingress", "An Ingress"), ("Event", "An Event")])
def test_article(word: str, said: str) -> None:
    assert article(word) == said
