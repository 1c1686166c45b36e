"""Facts about namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .reading import name_of
from .runai import project_namespace

# Namespaces of Kubernetes and of the platform under it: nobody's applications.
_SYSTEM_STARTS = ("kube-", "openshift-", "calico-", "tigera-", "cattle-", "gke-", "gmp-", "aks-", "vmware-system-", "fleet-")
_SYSTEM_NAMES = ("openshift", "local-path-storage", "metallb-system")


def namespace_facts(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``facts`` of a Namespace."""
    name = name_of(body)
    return {"runai_project": project_namespace(body), "system": name.startswith(_SYSTEM_STARTS) or name in _SYSTEM_NAMES}
