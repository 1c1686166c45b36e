"""The lists in a troubleshoot support bundle, and what its files tell of those that are not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model import Step
from ..intake.format import Member
from ..intake.intake import Intake
from ..kinds import CLUSTER_SCOPED, kind_of
from ..source import group_of

CUSTOM = "custom-resources"


@dataclass(frozen=True)
class List:
    """A list that the tool writes: of which kind, and the version of items that do not say theirs (before v0.28.1)."""

    plural: str
    api_version: str

    @property
    def group(self) -> str:
        """The API group."""
        return group_of(self.api_version)

    @property
    def kind(self) -> str:
        """The kind."""
        return kind_of(self.plural, self.group)

    @property
    def of_cluster(self) -> bool:
        """Whether the kind has no namespaces."""
        return self.kind in CLUSTER_SCOPED


# By the name of the file (lists of the cluster) or of the folder (lists of a namespace).
LISTS: Mapping[str, List] = {
    **{name: List(name, "v1") for name in ("namespaces", "nodes", "pods", "services", "events", "endpoints", "configmaps")},
    **{name: List(name, "apps/v1") for name in ("deployments", "statefulsets", "daemonsets", "replicasets")},
    **{name: List(name, "batch/v1") for name in ("jobs", "cronjobs")},
    **{name: List(name, "rbac.authorization.k8s.io/v1") for name in ("roles", "rolebindings", "clusterroles")},
    # v0.56.0 to v0.123.15 wrote the ReplicaSets into a folder of this name.
    "statefulsets-errors.json": List("replicasets", "apps/v1"),
    "clusterrolebindings": List("clusterrolebindings", "rbac.authorization.k8s.io/v1"),
    "clusterRoleBindings": List("clusterrolebindings", "rbac.authorization.k8s.io/v1"),  # of 2022
    "pvs": List("persistentvolumes", "v1"),
    "pvcs": List("persistentvolumeclaims", "v1"),
    "limitranges": List("limitranges", "v1"),
    "serviceaccounts": List("serviceaccounts", "v1"),
    "resource-quota": List("resourcequotas", "v1"),
    "resource-quotas": List("resourcequotas", "v1"),  # of 2022
    "storage-classes": List("storageclasses", "storage.k8s.io/v1"),
    "volumeattachments": List("volumeattachments", "storage.k8s.io/v1"),
    "ingress-classes": List("ingressclasses", "networking.k8s.io/v1"),
    "ingress": List("ingresses", "networking.k8s.io/v1"),
    "network-policy": List("networkpolicies", "networking.k8s.io/v1"),
    "priorityclasses": List("priorityclasses", "scheduling.k8s.io/v1"),
    "custom-resource-definitions": List("customresourcedefinitions", "apiextensions.k8s.io/v1"),
    "certificatesigningrequests": List("certificatesigningrequests", "certificates.k8s.io/v1"),
    "validating-webhook-configurations": List("validatingwebhookconfigurations", "admissionregistration.k8s.io/v1"),
    "mutating-webhook-configurations": List("mutatingwebhookconfigurations", "admissionregistration.k8s.io/v1"),
    "leases": List("leases", "coordination.k8s.io/v1"),
    "endpointslices": List("endpointslices", "discovery.k8s.io/v1"),
    "pod-disruption-budgets": List("poddisruptionbudgets", "policy/v1"),
}


def discovery_of(groups: Any, resources: Any, whole: bool) -> dict[str, Any] | None:
    """Return what the API serves in the shape of our own bundles, from the arrays of APIGroup and of APIResourceList; None where
    they are not there. ``whole``: the tool noted no error on the way."""
    if not isinstance(resources, list):
        return None
    entries = [_entry(one) for one in resources if isinstance(one, dict) and isinstance(one.get("groupVersion"), str)]
    known = {entry["group"] for entry in entries}
    named = [one.get("name") for one in groups if isinstance(one, dict)] if isinstance(groups, list) else []
    silent = sorted({name for name in named if isinstance(name, str)} - known)
    entries += [{"group": name, "version": "", "stale": True, "resources": []} for name in silent]
    return {"complete": whole and bool(named) and not silent, "groups": entries}


def _entry(one: Mapping[str, Any]) -> dict[str, Any]:
    rows = one.get("resources")
    kept = [row for row in rows if isinstance(row, dict) and "/" not in str(row.get("name"))] if isinstance(rows, list) else []
    return {
        "group": group_of(one["groupVersion"]),
        "version": one["groupVersion"].rpartition("/")[2],
        "stale": False,
        "resources": [
            {"plural": str(row.get("name")), "kind": str(row.get("kind")), "namespaced": row.get("namespaced") is True}
            for row in kept
        ],
    }


def custom_resources(
    intake: Intake, names: Sequence[str], crds: Sequence[str], errors: Mapping[str, str], namespaces: set[str]
) -> None:
    """Say of which custom kinds all objects are here. The tool lists every one of them, keeps what is in the namespaces that it
    looks at, and writes no file where there is nothing; where there are neither files nor errors it may not have looked.
    ``namespaces``: those of the cluster; empty: not known."""
    folder = f"cluster-resources/{CUSTOM}/"
    if "crdList" in errors or not any(name.startswith(folder) for name in names):
        return
    served = _served(intake.discovery)
    for crd in sorted(set(crds)):
        plural, _, group = crd.partition(".")
        kind, namespaced = served.get((plural, group), ("", False))
        failed = next((message for name, message in sorted(errors.items()) if name.split("/")[0] == crd), None)
        if kind and failed is not None:
            intake.lacks(plural, kind, group, message=failed, status="forbidden" if "forbidden" in failed else "error")
        elif kind:
            for namespace in _looked_at(names, namespaces) if namespaced else ("",):
                intake.collected(plural, kind, group, namespace)


def helm_releases(member: Member, namespace: str, intake: Intake, whole: bool) -> None:
    """Take Helm's releases as our own bundles have them, of what the collector of that name wrote: names, states and revisions,
    never values. ``whole``: of all releases of the namespace."""
    value = intake.document(member)
    rows = [row for one in value if isinstance(one, dict) for row in _revisions(one)] if isinstance(value, list) else []
    for release, labels in rows:
        name = f"sh.helm.release.v1.{release}.v{labels['version']}"
        intake.spool.add("helm", "", "", {"namespace": namespace, "name": name, "labels": labels}, member.name)
    if whole and isinstance(value, list):
        intake.steps.append(Step(f"helm@{namespace}", "helm", namespace, "ok", objects=len(rows), namespace=namespace))


def _revisions(release: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    name, history = release.get("releaseName"), release.get("releaseHistory")
    for one in history if isinstance(name, str) and isinstance(history, list) else ():
        if isinstance(one, dict):
            told = {"status": str(one.get("status") or ""), "version": str(one.get("revision") or "")}
            yield str(name), {"name": str(name), "owner": "helm", **told}


def _looked_at(names: Sequence[str], namespaces: set[str]) -> Sequence[str]:
    """Return the namespaces of which the tool kept objects; one that is empty stands for all that the cluster has."""
    looked = {parts[2].removesuffix(".json") for name in names if len(parts := name.split("/")) == 3 and parts[1] == "pods"}
    return ("",) if namespaces and namespaces <= looked else sorted(looked)


def _served(discovery: Mapping[str, Any] | None) -> dict[tuple[str, str], tuple[str, bool]]:
    """Return kind and whether it has namespaces, by plural and group."""
    return {
        (row["plural"], entry["group"]): (row["kind"], row["namespaced"])
        for entry in (discovery or {}).get("groups", [])
        for row in entry["resources"]
    }
