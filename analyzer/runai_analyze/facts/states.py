"""How an object is at capture time, in a few bits: so much is remembered of everything that events may be about.

An event about a pod that could not be scheduled is over once the pod is on a node, whatever became of it later: a pod has a bit
for each thing that its events are about. Other kinds are well or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntFlag
from typing import Any

from .index import container_statuses, waits_for_image
from .nodes import condition, is_ready
from .reading import dig, items, mappings, text, whole
from .workloads import desired, ready, unready_reason


class State(IntFlag):
    """What is not well; 0: all is. ``UNTOLD``: no object of this kind says how it is."""

    WELL = 0
    FAILING = 1
    UNSCHEDULED = 2  # the pod is on no node
    PULLING = 4  # a container waits for its image
    STARTING = 8  # no container of the pod has ever run
    UNTOLD = 16
    ENDED = 32  # the pod has failed, and nothing starts it again


_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


def state_of(kind: str, group: str, body: Mapping[str, Any]) -> State:
    """Return how an object is; for kinds without a way of their own by the conditions Ready, Available or Succeeded."""
    own = _WAYS.get((kind, group))
    if own is None:
        return _by_conditions(body)
    return State.FAILING if own(body) else State.WELL


def pod_state(body: Mapping[str, Any]) -> State:
    """Return how a pod is. One that has ended well is well; of one that has failed only its owner tells whether it matters."""
    state = State.FAILING if unready_reason(body) else State.WELL
    if dig(body, "status", "phase") == "Succeeded":
        return state
    if not text(dig(body, "spec", "nodeName")):
        state |= State.UNSCHEDULED
    if dig(body, "status", "phase") == "Failed":
        state |= State.ENDED
    if waits_for_image(body):
        state |= State.PULLING
    return state if _has_run(body) else state | State.STARTING


def _has_run(body: Mapping[str, Any]) -> bool:
    return any(
        isinstance(dig(status, "state", name), dict) for status in container_statuses(body) for name in ("running", "terminated")
    ) or any(status.get("restartCount") for status in container_statuses(body))


def _node(body: Mapping[str, Any]) -> bool:
    return not is_ready(body) or any(condition(body, name) == "True" for name in _PRESSURES)


def _job(body: Mapping[str, Any]) -> bool:
    """A Job that is complete, suspended or has a pod is well; one without may not make any."""
    if condition(body, "Failed") == "True":
        return True
    done = condition(body, "Complete") == "True" or dig(body, "spec", "suspend") is True
    return not done and not whole(dig(body, "status", "active")) and not whole(dig(body, "status", "succeeded"))


def _autoscaler(body: Mapping[str, Any]) -> bool:
    """``ScalingActive`` is False too where somebody scaled to nothing, which is no fault (reason ScalingDisabled)."""
    wrong = [one for one in mappings(dig(body, "status", "conditions")) if one.get("status") == "False"]
    return any(
        text(one.get("type")) == "AbleToScale" or (one.get("type") == "ScalingActive" and one.get("reason") != "ScalingDisabled")
        for one in wrong
    )


def _pod_group(body: Mapping[str, Any]) -> bool:
    """The scheduler's condition may outlive the wait (older KAI Schedulers left it): what has got resources waits no more."""
    conditions = mappings(dig(body, "status", "schedulingConditions"))
    waits = any(one.get("type") == "UnschedulableOnNodePool" and one.get("status") == "True" for one in conditions)
    return waits and not dig(body, "status", "resourcesStatus", "allocated")


def _service(body: Mapping[str, Any]) -> bool:
    """A Service of the type LoadBalancer waits until it has an address."""
    wants = dig(body, "spec", "type") == "LoadBalancer"
    return wants and not items(dig(body, "status", "loadBalancer", "ingress"))


def _by_conditions(body: Mapping[str, Any]) -> State:
    found = next(filter(None, (condition(body, name) for name in ("Ready", "Available", "Succeeded"))), "")
    return {"True": State.WELL, "False": State.FAILING}.get(found, State.UNTOLD)


_WAYS: Mapping[tuple[str, str], Callable[[Mapping[str, Any]], bool]] = {
    ("Node", ""): _node,
    ("Deployment", "apps"): lambda body: ready(body) < desired(body),
    ("ReplicaSet", "apps"): lambda body: ready(body) < desired(body),
    ("StatefulSet", "apps"): lambda body: ready(body) < desired(body),
    ("ReplicationController", ""): lambda body: ready(body) < desired(body),
    ("DaemonSet", "apps"): lambda body: ready(body) < desired(body),
    ("Job", "batch"): _job,
    ("PersistentVolumeClaim", ""): lambda body: dig(body, "status", "phase") != "Bound",
    ("PersistentVolume", ""): lambda body: dig(body, "status", "phase") == "Failed",
    ("Namespace", ""): lambda body: dig(body, "status", "phase") == "Terminating",
    ("HorizontalPodAutoscaler", "autoscaling"): _autoscaler,
    ("PodGroup", "scheduling.run.ai"): _pod_group,
    ("Service", ""): _service,
}
