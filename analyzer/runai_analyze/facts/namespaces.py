"""Facts about namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .reading import name_of

# Namespaces of Kubernetes and of the platform under it: nobody's applications.
_SYSTEM_STARTS = ("kube-", "openshift-", "calico-", "tigera-", "cattle-", "gke-", "gmp-", "aks-", "vmware-system-", "fleet-")
_SYSTEM_NAMES = ("openshift", "local-path-storage", "metallb-system")


def is_system(body: Mapping[str, Any]) -> bool:
    """Tell whether a namespace belongs to Kubernetes or to its platform."""
    name = name_of(body)
    return name.startswith(_SYSTEM_STARTS) or name in _SYSTEM_NAMES
