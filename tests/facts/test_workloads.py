"""Facts about workloads and pods."""

from typing import Any

import pytest
from runai_analyze.facts.workloads import pull_failing

from .helpers import deployment, index_of, item_of, workload


@pytest.mark.parametrize(
    ("body", "desired", "ready"),
    [
        (deployment("a", "d", replicas=3, status={"readyReplicas": 2}), 3, 2),
        (deployment("a", "d", replicas=None), 1, 0),
        (deployment("a", "d", replicas=0), 0, 0),
        (workload("DaemonSet", "a", "d", status={"desiredNumberScheduled": 4, "numberReady": 3}), 4, 3),
        (workload("DaemonSet", "a", "d"), 0, 0),
        (workload("StatefulSet", "a", "d", replicas=2, status={"readyReplicas": 2}), 2, 2),
    ],
)
def test_desired_and_ready(body: dict[str, Any], desired: int, ready: int) -> None:
    facts = item_of(body["kind"], body)["facts"]
    assert (facts["desired"], facts["ready"]) == (desired, ready)


def test_images_of_all_containers_each_once() -> None:
    body = deployment("a", "d", "x:1", "y:2", "x:1")
    body["spec"]["template"]["spec"]["initContainers"] = [{"image": "init:1"}, {}]
    assert item_of("Deployment", body)["facts"]["images"] == ["x:1", "y:2", "init:1"]


def pod(**status: Any) -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"namespace": "a", "name": "p"},
        "spec": {"containers": [{"image": "x:1"}]},
        "status": status,
    }


WAITING = {"state": {"waiting": {"reason": "ImagePullBackOff"}}, "restartCount": 0, "ready": False}
CRASHED = {"state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}, "restartCount": 7, "ready": False}
DONE = {"state": {"terminated": {"reason": "Completed"}}, "restartCount": 1, "ready": True}
NOT_READY = [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}]


@pytest.mark.parametrize(
    ("status", "waiting", "restarts", "reason"),
    [
        (
            {
                "phase": "Running",
                "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [{"restartCount": 2, "ready": True}],
            },
            [],
            2,
            None,
        ),
        (
            {"phase": "Pending", "conditions": NOT_READY, "containerStatuses": [WAITING, WAITING]},
            ["ImagePullBackOff"],
            0,
            "ImagePullBackOff",
        ),
        ({"phase": "Running", "conditions": NOT_READY, "containerStatuses": [DONE, CRASHED]}, [], 8, "OOMKilled"),
        (
            {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]},
            [],
            0,
            "Unschedulable",
        ),
        ({"phase": "Running", "conditions": NOT_READY}, [], 0, "ContainersNotReady"),
        ({"phase": "Failed", "reason": "Evicted"}, [], 0, "Evicted"),
        ({"phase": "Succeeded"}, [], 0, None),
        ({"phase": "Running", "conditions": "odd", "containerStatuses": 5}, [], 0, "Running"),
    ],
)
def test_pods(status: dict[str, Any], waiting: list[str], restarts: int, reason: str | None) -> None:
    facts = item_of("Pod", pod(**status))["facts"]
    assert (facts["waiting_reasons"], facts["restarts"], facts.get("unready_reason"), facts["images"]) == (
        waiting,
        restarts,
        reason,
        ["x:1"],
    )


def owned(kind: str, by: str, owner: str, **status: Any) -> dict[str, Any]:
    references = [{"kind": "Node", "name": "n1"}, {"kind": by, "name": owner, "controller": True}]
    metadata = {"namespace": "a", "name": f"{owner}-1", "ownerReferences": references}
    return {"kind": kind, "metadata": metadata, "status": status}


@pytest.mark.parametrize(
    ("body", "owners"),
    [
        (
            deployment("a", "d"),
            [owned("ReplicaSet", "Deployment", "d"), owned("Pod", "ReplicaSet", "d-1", containerStatuses=[WAITING])],
        ),
        (workload("StatefulSet", "a", "s"), [owned("Pod", "StatefulSet", "s", initContainerStatuses=[WAITING])]),
        (workload("DaemonSet", "a", "s"), [owned("Pod", "DaemonSet", "s", containerStatuses=[DONE, WAITING])]),
    ],
)
def test_a_workload_whose_pod_waits_for_an_image(body: dict[str, Any], owners: list[dict[str, Any]]) -> None:
    assert item_of(body["kind"], body, *owners)["facts"]["pull_failing"] is True
    elsewhere = [{**one, "metadata": {**one["metadata"], "namespace": "b"}} for one in owners]
    assert item_of(body["kind"], body, *elsewhere)["facts"]["pull_failing"] is False


@pytest.mark.parametrize("reason", ["ContainerCreating", "CrashLoopBackOff", "CreateContainerConfigError"])
def test_other_reasons_to_wait_are_no_fault_of_an_image(reason: str) -> None:
    pod = owned("Pod", "DaemonSet", "s", containerStatuses=[{"state": {"waiting": {"reason": reason}}}])
    assert item_of("DaemonSet", workload("DaemonSet", "a", "s"), pod)["facts"]["pull_failing"] is False


def test_a_pod_that_nobody_manages_makes_no_workload_fail() -> None:
    assert pull_failing(index_of(pod(containerStatuses=[WAITING]))[0]) == frozenset()
