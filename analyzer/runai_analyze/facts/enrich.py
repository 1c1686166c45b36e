"""The facts on Kubernetes objects: one small function for each, called only for those that a loaded rule names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .capacity import allocatable, capacity, huge_pages, reserved, reserved_share
from .embedded import parsed_of
from .gaps import Gaps
from .index import Index
from .ingress import controller_facts
from .ingress import is_default as default_ingress
from .namespaces import is_system
from .nodes import NODE_FACTS, Roles
from .proxy import cluster_ranges
from .reading import dig, items, mappings, text, tree, unknown
from .runai import project_namespace
from .storage import is_default as default_storage
from .storage import shared
from .workloads import POD_FACTS, pull_failing, workload_facts

Body = Mapping[str, Any]
Makers = Mapping[str, Callable[[Body], Any]]  # by the first word after "facts."
Needs = frozenset[tuple[str, str]]  # kind, first word after "facts." (empty: the kind itself)
ALL = "*"  # in place of a fact's name, in needs: a rule looks at all facts of the kind
# Stands where nobody asked for a fact, so that a rule that names it all the same can never take it for one that is not there.
NOT_COMPUTED = unknown("the fact", "it was not computed, as no rule that was loaded names it")


class Enrichment:
    """Adds ``facts`` to objects. ``needs``: what loaded rules name (``ruleset.needs``); None: everything."""

    def __init__(self, makers: Mapping[tuple[str, str], Makers], needs: Needs | None) -> None:
        self._makers: dict[tuple[str, str], tuple[Makers, dict[str, Any]]] = {}
        for (kind, group), every in makers.items():
            named = set(every) if needs is None or (kind, ALL) in needs else {name for name in every if (kind, name) in needs}
            chosen = {name: make for name, make in every.items() if name in named}
            self._makers[kind, group] = chosen, dict.fromkeys((name for name in every if name not in chosen), NOT_COMPUTED)

    def enrich(self, kind: str, group: str, body: dict[str, Any]) -> None:
        """Put the facts into an object, in place of what it may call facts itself."""
        found = self._makers.get((kind, group))
        if found is None:
            body.pop("facts", None)
            return
        makers, rest = found
        body["facts"] = {**tree({name: make(body) for name, make in makers.items()}), **rest} if makers else rest


def makers_of(index: Index, gaps: Gaps, roles: Roles) -> dict[tuple[str, str], Makers]:
    """Return every fact on every kind, bound to what it joins on."""
    workload = workload_facts(cluster_ranges(index, gaps), pull_failing(index))
    return {
        ("Node", ""): {**{name: _bound(make, roles) for name, make in NODE_FACTS.items()}, **_CAPACITY},
        ("Namespace", ""): {"runai_project": project_namespace, "system": is_system},
        ("Pod", ""): POD_FACTS,
        ("Deployment", "apps"): workload,
        ("StatefulSet", "apps"): workload,
        ("DaemonSet", "apps"): workload,
        ("StorageClass", "storage.k8s.io"): {
            "default": default_storage,
            "shared": lambda body: shared(text(body.get("provisioner"))),
        },
        ("IngressClass", "networking.k8s.io"): {
            "default": default_ingress,
            "controller": lambda body: controller_facts(body, index, gaps),
        },
        ("ConfigMap", ""): {"parsed": parsed_of},
        ("CustomResourceDefinition", "apiextensions.k8s.io"): {"stored_versions": _stored, "served_versions": _served},
    }


_CAPACITY: Makers = {
    "capacity": capacity,
    "allocatable": allocatable,
    "huge_pages": huge_pages,
    "reserved": reserved,
    "reserved_share": reserved_share,
}


def _bound(make: Callable[[Body, Roles], Any], roles: Roles) -> Callable[[Body], Any]:
    return lambda body: make(body, roles)


def _stored(body: Body) -> list[str]:
    return [text(one) for one in items(dig(body, "status", "storedVersions"))]


def _served(body: Body) -> list[str]:
    return [text(one.get("name")) for one in mappings(dig(body, "spec", "versions")) if one.get("served") is True]
