"""The lines on page one that say which cluster this is; what could not be found out stands there with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..model import BundleInfo, Fact, Unknown
from .text import brief, count, cut, listing, size

_DISTRIBUTIONS = {
    "vanilla": "upstream Kubernetes",
    "openshift": "OpenShift",
    "eks": "Amazon EKS",
    "gke": "Google GKE",
    "aks": "Azure AKS",
    "oke": "Oracle OKE",
    "rke2": "RKE2",
    "rke1": "RKE1",
    "k3s": "K3s",
    "kind": "kind",
    "minikube": "minikube",
    "microk8s": "MicroK8s",
    "talos": "Talos",
    "bcm": "Base Command Manager",
    "tanzu": "Tanzu",
}


def look(cluster: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path of the Cluster object: a value, ``Unknown``, or None where there is none."""
    value: Any = cluster
    for key in path.split("."):
        if isinstance(value, Unknown) or not isinstance(value, Mapping):
            return value if isinstance(value, Unknown) else None
        value = value.get(key)
    return value


def facts_of_page_one(cluster: Mapping[str, Any], bundle: BundleInfo, chosen: bool) -> tuple[Fact, ...]:
    """Return the facts in the order in which they are read: platform, Run:ai, GPU software, size, bundle.

    ``chosen``: a person named the Run:ai release to judge for.
    """
    lines = [
        _distribution(cluster),
        _fact(cluster, "Kubernetes", "kubernetes.version"),
        _optional(cluster, "OpenShift", "openshift.version"),
        _runai(cluster, chosen),
        _control_plane(cluster),
        _component(cluster, "GPU Operator", "gpu_operator"),
        _fact(cluster, "Driver", "driver.versions"),
        _component(cluster, "Prometheus", "prometheus"),
        _component(cluster, "Knative", "knative"),
        _component(cluster, "Training operator", "training_operator"),
        _nodes(cluster),
        _gpus(cluster),
        _bundle(bundle),
    ]
    return tuple(line for line in lines if line is not None)


def _distribution(cluster: Mapping[str, Any]) -> Fact:
    fact = _fact(cluster, "Distribution", "distribution.name")
    return Fact(fact.label, _DISTRIBUTIONS.get(fact.value, fact.value), fact.note)


def _fact(cluster: Mapping[str, Any], label: str, path: str) -> Fact:
    value = look(cluster, path)
    if isinstance(value, Unknown):
        return Fact(label, "", cut(value.missing.reason, 120))
    if value is None or value in ("", [], ()):
        return Fact(label, "", "the bundle shows none")
    if isinstance(value, (list, tuple)):
        return Fact(label, _versions([cut(str(it), 40) for it in value]))
    return Fact(label, cut(str(value), 60))


def _versions(values: list[str]) -> str:
    return ", ".join(values) if len(values) < 4 else f"{', '.join(values[:3])} and {len(values) - 3} more"


def _optional(cluster: Mapping[str, Any], label: str, path: str) -> Fact | None:
    return None if look(cluster, path) is None else _fact(cluster, label, path)


def _component(cluster: Mapping[str, Any], label: str, key: str) -> Fact | None:
    installed = look(cluster, f"{key}.installed")
    if installed is False:
        return Fact(label, "not installed")
    if isinstance(installed, Unknown):
        return Fact(label, "", cut(installed.missing.reason, 120))
    if installed is None and look(cluster, f"{key}.version") is None:
        return None
    fact = _fact(cluster, label, f"{key}.version")
    if fact.value or isinstance(look(cluster, f"{key}.version"), Unknown):
        return fact
    return Fact(label, "installed", "version not shown")


def _runai(cluster: Mapping[str, Any], chosen: bool) -> Fact | None:
    if not chosen:
        return _component(cluster, "Run:ai", "runai")
    note = f"judged for {cut(str(look(cluster, 'runai.release')), 20)}"
    shown = look(cluster, "runai.bundle_version")
    if isinstance(shown, Unknown):
        return Fact("Run:ai", "", f"{cut(shown.missing.reason, 100)}; {note}")
    return Fact("Run:ai", cut(shown, 60) if isinstance(shown, str) else "not installed", note)


def _control_plane(cluster: Mapping[str, Any]) -> Fact | None:
    here = look(cluster, "runai.control_plane_here")
    url = look(cluster, "runai.control_plane_url")
    if here is True:
        return Fact("Control plane", "on this cluster")
    if isinstance(url, str) and url:
        return Fact("Control plane", cut(url.removeprefix("https://"), 60), "elsewhere")
    return None


def _nodes(cluster: Mapping[str, Any]) -> Fact:
    total = look(cluster, "nodes.total")
    if not isinstance(total, int):
        return _fact(cluster, "Nodes", "nodes.total")
    shares = [(look(cluster, f"nodes.{key}"), word) for key, word in (("gpu", "with GPUs"), ("control_plane", "control plane"))]
    ready = look(cluster, "nodes.ready")
    parts = [f"{number:,} {word}" for number, word in shares if isinstance(number, int)]
    if isinstance(ready, int) and ready != total:
        parts.insert(0, f"{ready:,} ready")
    return Fact("Nodes", f"{total:,}", ", ".join(parts))


def _gpus(cluster: Mapping[str, Any]) -> Fact:
    capacity, allocatable = look(cluster, "gpus.capacity"), look(cluster, "gpus.allocatable")
    if not isinstance(capacity, int):
        return _fact(cluster, "GPUs", "gpus.capacity")
    note = f"{allocatable:,} allocatable" if isinstance(allocatable, int) else "allocatable not known"
    return Fact("GPUs", f"{capacity:,}", note)


def _bundle(bundle: BundleInfo) -> Fact:
    if bundle.parts:
        return Fact("Bundles", f"{len(bundle.parts):,}", brief(listing([kind_of(part) for part in bundle.parts]), 160))
    if bundle.holder:
        return Fact("Bundle", brief(kind_of(bundle), 60), _lists(bundle))
    if not bundle.steps:
        return Fact("Bundle", size(bundle.size), "its list of steps is missing" if bundle.state == "cut" else "")
    bad, out = unseen_steps(bundle), sum(step.status != "skipped" and bool(step.taken_out) for step in bundle.steps)
    notes = [*([f"{bad:,} failed"] if bad else []), *([f"{out:,} kept back by the customer"] if out else [])]
    return Fact("Bundle", f"{len(bundle.steps) - bad - out:,} of {count(len(bundle.steps), 'step')}", ", ".join(notes))


def kind_of(bundle: BundleInfo) -> str:
    """Return what sort of bundle it is: ``must-gather``; our own are ``runai-collect``'s."""
    return cut(bundle.holder.removeprefix("an ").removeprefix("a "), 80) if bundle.holder else cut(bundle.collector, 80)


def _lists(bundle: BundleInfo) -> str:
    """Return what another tool's bundle says of the lists in it: such a bundle has no steps of its own."""
    if not bundle.steps:
        return "it does not say which lists in it are whole"
    bad = unseen_steps(bundle)
    return count(len(bundle.steps) - bad, "list") + (f", {bad:,} failed" if bad else "")


def unseen_steps(bundle: BundleInfo) -> int:
    """Return how many collection steps brought nothing, and nobody wanted it so, where there may have been something."""
    return sum(step.status not in ("ok", "empty", "not_found", "skipped") and not step.taken_out for step in bundle.steps)


def component_words(names: Iterable[str]) -> dict[str, str]:
    """Return component names of the support matrix as people write them."""
    return {name: _COMPONENTS.get(name.replace("_", " ").lower(), name.replace("_", " ")) for name in names}


_COMPONENTS = {
    "kubernetes": "Kubernetes",
    "openshift": "OpenShift",
    "gpu operator": "GPU Operator",
    "knative": "Knative",
    "driver": "Driver",
    "training operator": "Training operator",
    "lws": "LeaderWorkerSet",
    "mpi operator": "MPI operator",
    "prometheus": "Prometheus",
    "distribution": "Distribution",
}
