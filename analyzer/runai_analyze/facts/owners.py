"""Who stands at the top of an object's owners: pod → ReplicaSet → Deployment, pod → Job → CronJob, pod → RunaiJob → workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.source import group_of
from ..model import Unknown
from .reading import dig, labels_of, mappings, namespace_of, text, unknown

Key = tuple[str, str, str, str]  # kind, group, namespace, name of one object

# What installs a whole component owns its workloads too, and says nothing about which of them an event is about.
_INSTALLERS = frozenset(
    (
        "ClusterPolicy",
        "ClusterServiceVersion",
        "HelmRelease",
        "KnativeEventing",
        "KnativeServing",
        "NVIDIADriver",
        "NicClusterPolicy",
        "NodeFeatureDiscovery",
        "RunaiConfig",
    )
)
# The workloads of Run:ai, which nothing else owns (CRDs of the group run.ai, runai-crds.yaml of run-ai/public).
_RUNAI = "run.ai"
RUNAI_WORKLOADS = frozenset(
    (
        "DeploymentWorkload",
        "DistributedInferenceWorkload",
        "DistributedWorkload",
        "ExternalWorkload",
        "InferenceWorkload",
        "InteractiveWorkload",
        "TrainingWorkload",
    )
)
_MOST_LINKS = 10  # the longest real chain has five: pod, ReplicaSet, Deployment, Revision, Configuration, Service of Knative
_LONGEST = 253  # characters of a name


@dataclass(frozen=True, slots=True)
class Top:
    """The last owner that is known; ``gap`` says why it is not known whether it is the top, or which the top is."""

    key: Key
    gap: Unknown | None = None


def owner_of(body: Mapping[str, Any]) -> Key | None:
    """Return what owns an object: its controller, else its only owner; a pod's Run:ai workload, where Run:ai labelled it.

    The labels ``workloadKind`` and ``workloadName`` stand on the pods of Run:ai's workloads, whose RunaiJob need not be there.
    """
    labels = labels_of(body)
    workload, name = text(labels.get("workloadKind")), text(labels.get("workloadName"))
    if body.get("kind") == "Pod" and workload in RUNAI_WORKLOADS and name:
        return workload, _RUNAI, namespace_of(body), name[:_LONGEST]
    references = [one for one in mappings(dig(body, "metadata", "ownerReferences")) if text(one.get("name"))]
    found = next((one for one in references if one.get("controller") is True), references[0] if len(references) == 1 else None)
    if found is None:
        return None
    kind, group = text(found.get("kind"))[:_LONGEST], group_of(found.get("apiVersion"))[:_LONGEST]
    return kind, group, "" if (kind, group) == ("Node", "") else namespace_of(body), text(found["name"])[:_LONGEST]


def top_of(start: Key, owner: Callable[[Key], Key | Unknown | None]) -> Top:
    """Return the top of a chain of owners. ``owner`` gives the next link: None at the top, Unknown where the link is missing."""
    seen, at = {start}, start
    while len(seen) <= _MOST_LINKS:
        above = None if _ends(at) else owner(at)
        if isinstance(above, Unknown):
            return Top(at, above)
        if above is None or above[0] in _INSTALLERS:
            return Top(at)
        if above in seen:
            return Top(start, unknown(f"the owner of {in_words(start)}", "its owners own each other"))
        seen.add(above)
        at = above
    return Top(start, unknown(f"the owner of {in_words(start)}", f"it has more than {_MOST_LINKS} owners, one above the other"))


def _ends(key: Key) -> bool:
    kind, group = key[:2]
    return (group == _RUNAI and kind in RUNAI_WORKLOADS) or (kind, group) == ("Node", "")


def not_there(key: Key) -> Unknown:
    """Return the value for the owner of something that is gone: its kind was collected, and it is not among what there was."""
    return unknown(f"the owner of {in_words(key)}", f"{in_words(key)} is not in the cluster any more")


def in_words(key: Key) -> str:
    """Return an object's name for people: ``Pod a/b``."""
    kind, _, namespace, name = key
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
