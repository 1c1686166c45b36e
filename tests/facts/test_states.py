"""How objects are at capture time, in bits."""

from typing import Any

import pytest
from runai_analyze.facts.kinds import api_version_of
from runai_analyze.facts.states import State, pod_state, state_of

from .helpers import node, workload
from .pods import ended, pod, thing, waiting

FAILING, WELL, UNTOLD = State.FAILING, State.WELL, State.UNTOLD
NOT_STARTED = FAILING | State.STARTING


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (pod("p"), WELL),
        (pod("p", state={}, node=""), NOT_STARTED | State.UNSCHEDULED),
        (pod("p", state=waiting("ContainerCreating")), NOT_STARTED),
        (pod("p", state=waiting("ImagePullBackOff")), NOT_STARTED | State.PULLING),
        (pod("p", state=waiting("ErrImagePull"), restarts=3), FAILING | State.PULLING),
        (pod("p", state=waiting("CrashLoopBackOff"), restarts=3), FAILING),
        (pod("p", state=ended(1, "Error"), phase="Failed"), FAILING | State.ENDED),
        (pod("p", state=ended(0, "Completed"), phase="Succeeded"), WELL),
        (pod("p", state=ended(0, "Completed"), phase="Succeeded", node=""), WELL),  # nothing of it matters any more
        (pod("p", state={}, phase="Failed"), NOT_STARTED | State.ENDED),  # evicted before it ever ran
    ],
)
def test_pods(body: dict[str, Any], state: State) -> None:
    assert pod_state(body) == state


def conditions(**states: str) -> dict[str, Any]:
    return {"conditions": [{"type": name, "status": status} for name, status in states.items()]}


UNSCHEDULABLE = [{"type": "UnschedulableOnNodePool", "status": "True", "nodePool": "default"}]


def replicas(kind: str, wanted: int, ready: int) -> dict[str, Any]:
    return workload(kind, "a", "w", "x:1", replicas=wanted, status={"readyReplicas": ready})


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (node(), WELL),
        (node(ready="False"), FAILING),
        (node(ready="Unknown"), FAILING),
        (thing("Node", "n", status=conditions(Ready="True", DiskPressure="True")), FAILING),
        (thing("Node", "n", status=conditions(Ready="True", DiskPressure="False")), WELL),
        *(
            (thing("Node", "n", status=conditions(Ready="True", **{name: "True"})), FAILING)
            for name in ("MemoryPressure", "PIDPressure", "NetworkUnavailable")
        ),
        (replicas("ReplicationController", 2, 1), FAILING),
        (replicas("Deployment", 2, 2), WELL),
        (replicas("Deployment", 2, 1), FAILING),
        (replicas("ReplicaSet", 0, 0), WELL),  # an older one, scaled down
        (replicas("StatefulSet", 1, 0), FAILING),
        (workload("DaemonSet", "a", "w", status={"desiredNumberScheduled": 3, "numberReady": 2}), FAILING),
        (thing("Job", "j", status=conditions(Complete="True")), WELL),
        (thing("Job", "j", status=conditions(Failed="True")), FAILING),
        (thing("Job", "j", status={**conditions(Failed="True"), "active": 1}), FAILING),
        (thing("Job", "j", status={**conditions(Failed="False"), "active": 1}), WELL),
        (thing("Job", "j", status={"active": 1}), WELL),
        (thing("Job", "j", status={"succeeded": 1}), WELL),
        (thing("Job", "j", status={}), FAILING),  # it should have a pod, and could make none
        (thing("Job", "j", spec={"suspend": True}), WELL),
        (thing("PersistentVolumeClaim", "c", status={"phase": "Bound"}), WELL),
        (thing("PersistentVolumeClaim", "c", status={"phase": "Pending"}), FAILING),
        (thing("PersistentVolume", "v", status={"phase": "Released"}), WELL),
        (thing("PersistentVolume", "v", status={"phase": "Failed"}), FAILING),
        (thing("Namespace", "n", status={"phase": "Terminating"}), FAILING),
        (thing("Namespace", "n", status={"phase": "Active"}), WELL),
        (
            thing(
                "HorizontalPodAutoscaler",
                "h",
                status={"conditions": [{"type": "ScalingActive", "status": "False", "reason": "FailedGetResourceMetric"}]},
            ),
            FAILING,
        ),
        (
            thing(
                "HorizontalPodAutoscaler",
                "h",
                status={"conditions": [{"type": "ScalingActive", "status": "False", "reason": "ScalingDisabled"}]},
            ),
            WELL,
        ),
        (thing("PodGroup", "g", status={"schedulingConditions": UNSCHEDULABLE}), FAILING),
        (
            thing("PodGroup", "g", status={"schedulingConditions": UNSCHEDULABLE, "resourcesStatus": {"allocated": {"cpu": 1}}}),
            WELL,
        ),
        (thing("PodGroup", "g", status={}), WELL),
        (thing("PodGroup", "g", status={"schedulingConditions": [{**UNSCHEDULABLE[0], "status": "False"}]}), WELL),
        (thing("PodGroup", "g", status={"schedulingConditions": [{"type": "Other", "status": "True"}]}), WELL),
        (thing("Service", "s", spec={"type": "LoadBalancer"}, status={"loadBalancer": {}}), FAILING),
        (thing("Service", "s", spec={"type": "LoadBalancer"}, status={"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}), WELL),
        (thing("Service", "s", spec={"type": "ClusterIP"}), WELL),
        (thing("Project", "p", status={"phase": "x"}), UNTOLD),
        (thing("HorizontalPodAutoscaler", "h", status=conditions(AbleToScale="False")), FAILING),
        (thing("HorizontalPodAutoscaler", "h", status=conditions(AbleToScale="True", ScalingLimited="False")), WELL),
        (thing("Backup", "b", status=conditions(Succeeded="False")), FAILING),
        (thing("Gadget", "g", status=conditions(Available="False")), FAILING),
        (thing("KnativeServing", "k", status=conditions(Ready="False")), FAILING),
        (thing("KnativeServing", "k", status=conditions(Ready="True")), WELL),
        (thing("KnativeServing", "k", status=conditions(Ready="Unknown")), UNTOLD),
    ],
)
def test_other_kinds(body: dict[str, Any], state: State) -> None:
    group = api_version_of(body["kind"]).rpartition("/")[0]
    assert state_of(body["kind"], group, body) == state


@pytest.mark.parametrize(
    "status", [None, 5, [], {"conditions": "x", "containerStatuses": 7}, {"containerStatuses": [{"state": 1}]}]
)
def test_what_is_no_status_is_none(status: Any) -> None:
    body = {"kind": "Pod", "metadata": {"name": "p"}, "spec": 5, "status": status}
    assert pod_state(body) & State.UNSCHEDULED
    assert state_of("Job", "batch", body) == FAILING
