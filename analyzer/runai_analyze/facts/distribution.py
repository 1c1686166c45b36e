"""Which Kubernetes distribution this is: each leaves its mark on the version, the nodes or the API groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.source import Source
from ..model import Unknown
from .gaps import Gaps
from .index import Index
from .reading import dig, labels_of, mapping, text

# A part of gitVersion (/version): v1.31.4-gke.1372000, v1.31.2-eks-7f9249a, v1.31.3+rke2r1, v1.31.3+k3s1, v1.28.8+vmware.1
_VERSION_MARKS = (("-gke.", "gke"), ("-eks-", "eks"), ("+rke2r", "rke2"), ("+k3s", "k3s"), ("+vmware.", "tanzu"))
# The start of a node label's or annotation's key.
_KEY_MARKS = (
    ("node.openshift.io/", "openshift"),
    ("eks.amazonaws.com/", "eks"),
    ("cloud.google.com/gke-", "gke"),
    ("kubernetes.azure.com/agentpool", "aks"),
    ("kubernetes.azure.com/cluster", "aks"),
    ("oke.oraclecloud.com/", "oke"),
    ("oci.oraclecloud.com/", "oke"),
    ("rke2.io/", "rke2"),
    ("k3s.io/", "k3s"),
    ("minikube.k8s.io/", "minikube"),
    ("microk8s.io/", "microk8s"),
    ("run.tanzu.vmware.com/", "tanzu"),
    ("brightcomputing.com/", "bcm"),
    ("rke.cattle.io/internal-ip", "rke1"),
)
# The start of spec.providerID, and of status.nodeInfo.osImage.
_PROVIDER_MARKS = (("kind://", "kind"), ("ocid1.", "oke"), ("oci://", "oke"), ("k3s://", "k3s"))
_IMAGE_MARKS = (("Red Hat Enterprise Linux CoreOS", "openshift"), ("Talos", "talos"))


def distribution(source: Source, index: Index, gaps: Gaps) -> str | Unknown:
    """Return the distribution's name; ``vanilla`` only when version and nodes were seen and bear no mark."""
    if index.of("ClusterVersion", "config.openshift.io") or source.served("config.openshift.io"):
        return "openshift"
    git_version = text(dig(source.version, "gitVersion"))
    by_version = vendor_of(git_version)
    by_node = next(filter(None, (_node_mark(seen.body) for seen in index.of("Node", ""))), None)
    if by_version or by_node:
        return by_version or by_node or ""
    if not isinstance(source.version, Mapping):
        return Unknown(source.version)
    return gaps.of(("Node", "")) or "vanilla"


def vendor_of(git_version: str) -> str | None:
    """Return the distribution whose mark a version of Kubernetes bears; None for those that bear none."""
    return next((name for mark, name in _VERSION_MARKS if mark in git_version), None)


def _node_mark(body: Mapping[str, Any]) -> str | None:
    image, provider = text(dig(body, "status", "nodeInfo", "osImage")), text(dig(body, "spec", "providerID"))
    keys = [str(key) for key in (*labels_of(body), *mapping(dig(body, "metadata", "annotations")))]
    found = (
        *(name for start, name in _IMAGE_MARKS if image.startswith(start)),
        *(name for start, name in _PROVIDER_MARKS if provider.startswith(start)),
        *(name for start, name in _KEY_MARKS if any(key.startswith(start) for key in keys)),
    )
    return found[0] if found else None


def openshift_version(index: Index) -> str | None:
    """Return the last completed version of the ClusterVersion object; the desired one while the first is being installed."""
    for seen in index.of("ClusterVersion", "config.openshift.io"):
        history = dig(seen.body, "status", "history")
        entries = [entry for entry in history if isinstance(entry, Mapping)] if isinstance(history, list) else []
        done = next((text(entry.get("version")) for entry in entries if entry.get("state") == "Completed"), "")
        return done or text(dig(seen.body, "status", "desired", "version")) or None
    return None
