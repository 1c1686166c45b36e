"""Facts about workloads and pods: how many should run and do, images, restarts, why a pod is not ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..objects.paths import NOT_SHOWN
from .index import WORKLOAD_KINDS, Index, container_statuses, images
from .proxy import Ranges, proxy_facts
from .reading import dig, mappings, name_of, namespace_of, text, whole

Workload = tuple[str, str, str]  # kind, namespace, name


def workload_facts(ranges: Ranges, pulling: frozenset[Workload]) -> Mapping[str, Callable[[Mapping[str, Any]], Any]]:
    """Return what makes each of the ``facts`` of a Deployment, StatefulSet or DaemonSet; a count that the status lacks is 0."""
    return {
        "desired": desired,
        "ready": ready,
        "images": lambda body: images(body, "spec", "template", "spec"),
        "pull_failing": lambda body: (text(body.get("kind")), namespace_of(body), name_of(body)) in pulling,
        "proxy": lambda body: proxy_facts(dig(body, "spec", "template", "spec"), ranges) or None,
    }


def pull_failing(index: Index) -> frozenset[Workload]:
    """Return the workloads of which a pod waits for its image; a Deployment's pods are those of its ReplicaSets."""
    deployments = {("ReplicaSet", seen.namespace, seen.name): seen.body["owner"] for seen in index.of("ReplicaSet", "apps")}
    found = set()
    for pod in index.of("Pod", ""):
        if pod.body["waits_for_image"]:
            kind, name = pod.body["owner"]
            kind, name = deployments.get((kind, pod.namespace, name), (kind, name))
            found.add((kind, pod.namespace, name))
    return frozenset(workload for workload in found if workload[0] in WORKLOAD_KINDS)


def desired(body: Mapping[str, Any]) -> int:
    """Return how many pods should run: the DaemonSet controller's count, else ``spec.replicas``, which is 1 when absent."""
    if body.get("kind") == "DaemonSet":
        return whole(dig(body, "status", "desiredNumberScheduled")) or 0
    replicas = whole(dig(body, "spec", "replicas"))
    return 1 if replicas is None else replicas


def ready(body: Mapping[str, Any]) -> int:
    """Return how many pods are ready; the API leaves a count of 0 out."""
    key = "numberReady" if body.get("kind") == "DaemonSet" else "readyReplicas"
    return whole(dig(body, "status", key)) or 0


def waiting_reasons(body: Mapping[str, Any]) -> list[str]:
    """Return why containers of a pod wait, each reason once."""
    waiting = (text(dig(status, "state", "waiting", "reason")) for status in container_statuses(body))
    return list(dict.fromkeys(reason for reason in waiting if reason))


def restarts(body: Mapping[str, Any]) -> int:
    """Return how often the containers of a pod were started again, all together."""
    return sum(whole(status.get("restartCount")) or 0 for status in container_statuses(body))


def unready_reason(body: Mapping[str, Any]) -> str | None:
    """Return why a pod that should run is not ready, in the API's words; None for pods that are ready or have ended."""
    phase = text(dig(body, "status", "phase"))
    conditions = {text(one.get("type")): one for one in mappings(dig(body, "status", "conditions"))}
    if phase == "Succeeded" or text(dig(conditions, "Ready", "status")) == "True":
        return None
    for status in container_statuses(body):
        state = dig(status, "state", "waiting") or (dig(status, "state", "terminated") if not status.get("ready") else None)
        reason = text(dig(state, "reason"))
        if reason and reason != "Completed":
            return reason
    for kind in ("PodScheduled", "Ready"):
        if text(dig(conditions, kind, "status")) == "False":
            told = (text(dig(conditions, kind, field)) for field in ("reason", "message"))
            return next((words for words in told if words and words != NOT_SHOWN), f"{kind} is False")
    return text(dig(body, "status", "reason")) or phase or None


POD_FACTS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "waiting_reasons": waiting_reasons,
    "restarts": restarts,
    "images": lambda body: images(body, "spec"),
    "unready_reason": unready_reason,
}
