"""Short ways to facts of a few objects, through the code that rule examples use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runai_analyze.facts import BundleFacts, example_facts
from runai_analyze.facts.examples import ExampleSource
from runai_analyze.facts.gaps import Gaps
from runai_analyze.facts.index import Index, add
from runai_analyze.facts.kinds import api_version_of
from runai_analyze.model import Item, Unknown


def facts_of(
    *given: Mapping[str, Any], cluster: Mapping[str, Any] | None = None, not_collected: Sequence[str] = ()
) -> BundleFacts:
    """Return the facts of these objects."""
    return example_facts(given, cluster or {}, not_collected, None, frozenset())


def index_of(*given: Mapping[str, Any], not_collected: Sequence[str] = ()) -> tuple[Index, Gaps]:
    """Return the index of these objects, and the gaps of a bundle in which some kinds were not collected."""
    source = ExampleSource([{"apiVersion": api_version_of(body["kind"]), **body} for body in given], tuple(not_collected), None)
    index = Index()
    for record in source.records(None):
        add(index, record)
    return index, Gaps(source)


def items_of(facts: BundleFacts, kind: str, group: str | None = None) -> list[Item]:
    """Return the items of one kind."""
    return list(facts.items(frozenset([(kind, group)])))


def item_of(kind: str, *given: Mapping[str, Any], **options: Any) -> Mapping[str, Any]:
    """Return the body of the only item of a kind."""
    (item,) = items_of(facts_of(*given, **options), kind)
    return item.body


def is_unknown(value: object) -> bool:
    """Tell whether a value is Unknown."""
    return isinstance(value, Unknown)


def node(name: str = "n1", **fields: Any) -> dict[str, Any]:
    """Return a Ready Node: labels, capacity, allocatable (as capacity if not given), image, runtime; the rest is its spec."""
    capacity = fields.pop("capacity", {})
    info = {
        "osImage": fields.pop("image", "Ubuntu 24.04.3 LTS"),
        "containerRuntimeVersion": fields.pop("runtime", "containerd://2.1.4"),
    }
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": fields.pop("labels", {}), "annotations": fields.pop("annotations", {})},
        "status": {
            "capacity": capacity,
            "allocatable": fields.pop("allocatable", capacity),
            "conditions": [{"type": "Ready", "status": fields.pop("ready", "True")}],
            "nodeInfo": info,
        },
        "spec": fields,
    }


def workload(
    kind: str, namespace: str, name: str, *images: str, labels: Mapping[str, str] | None = None, **spec: Any
) -> dict[str, Any]:
    """Return a Deployment (or the like) with one container for each image."""
    containers = [{"name": f"c{number}", "image": image} for number, image in enumerate(images)]
    return {
        "kind": kind,
        "metadata": {"namespace": namespace, "name": name, "labels": dict(labels or {})},
        "spec": {"replicas": spec.get("replicas", 1), "template": {"spec": {"containers": containers}}},
        "status": spec.get("status", {}),
    }


def deployment(namespace: str, name: str, *images: str, **fields: Any) -> dict[str, Any]:
    """Return a Deployment."""
    return workload("Deployment", namespace, name, *images, **fields)


def configmap(namespace: str, name: str, **data: str) -> dict[str, Any]:
    """Return a ConfigMap with its data; underscores in keys stand for hyphens."""
    values = {key.replace("_", "-"): value for key, value in data.items()}
    return {"kind": "ConfigMap", "metadata": {"namespace": namespace, "name": name}, "data": values}
