"""The one made object ``Cluster``: what rules compare about the cluster as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..bundle.source import Source
from ..model import Item, ObjectRef, Unknown
from . import components, ingress, storage
from .distribution import distribution, openshift_version
from .gaps import Gaps
from .gpus import NodeSmi, driver_versions
from .index import Index, Seen, gpu_amount
from .nodes import Roles, is_control_plane, is_ready, is_worker, os_family_of
from .reading import dig, items, minor_of, name_of, text, tree, unknown, version_text
from .runai import named_version, runai_body, split_url, url_fields, url_sources

_NODE = ("Node", "")
_STORAGE = ("StorageClass", "storage.k8s.io")
_INGRESS = ("IngressClass", "networking.k8s.io")


def cluster_body(
    source: Source,
    index: Index,
    gaps: Gaps,
    roles: Roles,
    answers: Mapping[str, NodeSmi],
    runai_version: str | None,
    planned: Sequence[str],
) -> dict[str, Any]:
    """Return the body of ``Cluster``; what could not be found out is Unknown, what is not there is absent."""
    name = distribution(source, index, gaps)
    body: dict[str, Any] = {
        "apiVersion": "made/v1",
        "kind": "Cluster",
        "metadata": {"name": source.cluster_name or "cluster"},
        "name": source.cluster_name or unknown("the cluster's name", "the bundle does not say"),
        "kubernetes": _kubernetes(source),
        "distribution": {"name": name},
        "openshift": {"version": _openshift(name, index, gaps)},
        "runai": runai_body(index, gaps, runai_version),
        "gpu_operator": components.gpu_operator(index, gaps),
        "driver": {"versions": gaps.of(_NODE) or driver_versions(index, answers, roles.gpu)},
        "knative": components.knative(index, gaps),
        "training_operator": components.training_operator(index, gaps),
        "mpi_operator": components.mpi_operator(index, gaps),
        "lws": components.lws(index, gaps),
        "prometheus": components.prometheus(index, gaps),
        "prometheus_adapter": components.prometheus_adapter(index, gaps),
        "hpa_autoscaler": components.hpa_autoscaler(index, gaps),
        "planned": sorted(planned),
        "nodes": _nodes(index, gaps, roles),
        "gpus": _gpus(index, gaps),
        "ingress": _classes(index.of(*_INGRESS), ingress.is_default, gaps.of(_INGRESS)),
        "storage": _storage(index, gaps),
        "single_node": gaps.of(_NODE) or len(index.of(*_NODE)) == 1,
    }
    return finish(tree(body))


def finish(body: dict[str, Any]) -> dict[str, Any]:
    """Add what follows from the other fields: Kubernetes minor, URL parts, Run:ai release, features."""
    kubernetes, runai = body.setdefault("kubernetes", {}), body.setdefault("runai", {})
    if isinstance(kubernetes.get("version"), str) and "minor" not in kubernetes:
        kubernetes["minor"] = minor_of(version_text(kubernetes["version"]) or kubernetes["version"])
    if isinstance(runai.get("control_plane_url"), str):
        runai["control_plane_host"] = split_url(runai["control_plane_url"])[0]
    body["features"] = features(body)
    return body


def override(body: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body with the ``cluster`` of a rule's example laid over it; keys may be dotted, null makes a path absent.

    What follows from a given field (minor, release, URL parts, installed) follows unless it is given too.
    """
    named = {".".join(path) for path, _ in _leaves(given)}
    for path, value in _leaves(given):
        _put(body, path, value)
    kubernetes, runai = body.setdefault("kubernetes", {}), body.setdefault("runai", {})
    if "kubernetes.version" in named and "kubernetes.minor" not in named:
        kubernetes.pop("minor", None)
    if "distribution.name" in named and "openshift.version" not in named and dig(body, "distribution", "name") != "openshift":
        body.pop("openshift", None)
    derived: dict[str, Any] = {}
    if isinstance(runai.get("version"), str) and "runai.version" in named:
        derived |= {"installed": True, "bundle_version": runai["version"], **named_version(None, runai["version"])}
    if "runai.url" in named:
        derived |= url_fields(runai.get("url"))
    runai.update({key: value for key, value in derived.items() if f"runai.{key}" not in named})
    done = finish(tree(body))
    return {**done, "features": given["features"]} if "features" in given else done


def _leaves(given: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the paths and values of nested mappings whose keys may be dotted paths themselves."""
    for key, value in given.items():
        path = tuple(str(key).split("."))
        if isinstance(value, Mapping):
            yield from ((path + rest, leaf) for rest, leaf in _leaves(value))
        else:
            yield path, value


def _put(body: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for key in path[:-1]:
        if not isinstance(body.get(key), dict):
            body[key] = {}
        body = body[key]
    body[path[-1]] = value


def cluster_item(body: Mapping[str, Any], source: Source, index: Index) -> Item:
    """Return the ``Cluster`` item; evidence names the objects that versions were read from where there is one."""
    name = text(body.get("name")) or "cluster"
    origins = {
        "": ObjectRef("Cluster", name, "", "bundle.json"),
        "kubernetes": ObjectRef("Cluster", name, "", "cluster/version.json"),
    }
    singles = {
        "runai": index.one("ConfigMap", "", "runai", "runai-public"),
        "gpu_operator": next((seen for seen in index.of("Deployment", "apps") if seen.name == "gpu-operator"), None),
        "knative": next(iter(index.of("KnativeServing", "operator.knative.dev")), None)
        or index.one("Deployment", "apps", "knative-serving", "controller"),
        "training_operator": next((seen for seen in index.of("Deployment", "apps") if seen.name == "training-operator"), None),
        "mpi_operator": next((seen for seen in index.of("Deployment", "apps") if seen.name == "mpi-operator"), None),
        "mpi_operator.crd_version": index.one("CustomResourceDefinition", "apiextensions.k8s.io", "", "mpijobs.kubeflow.org"),
        "openshift": next(iter(index.of("ClusterVersion", "config.openshift.io")), None),
    }
    singles |= url_sources(index) | components.prometheus_sources(index)
    found = {path: seen.ref for path, seen in singles.items() if seen}
    return Item("Cluster", "made", body, ObjectRef("Cluster", name, "", source.info.file_name), {**origins, **found})


def features(body: Mapping[str, Any]) -> list[Any]:
    """Return what is installed or planned, sorted; an Unknown element stands for each feature that could not be decided."""
    planned = {str(name) for name in items(body.get("planned"))}
    installed = {
        "inference": [dig(body, "knative", "installed")],
        "distributed": [dig(body, "training_operator", "installed"), dig(body, "mpi_operator", "installed")],
        "mpi": [dig(body, "mpi_operator", "installed")],
        "multinode-inference": [dig(body, "lws", "installed")],
        "autoscaling": [dig(body, "hpa_autoscaler", "installed")],
        "control-plane": [dig(body, "runai", "control_plane_here")],
        "openshift": [_is(dig(body, "distribution", "name"), "openshift")],
    }
    known = planned | {name for name, states in installed.items() if True in states}
    undecided = (
        next((Unknown(state.missing, name) for state in states if isinstance(state, Unknown)), None)
        for name, states in installed.items()
        if name not in known
    )
    return [*sorted(known), *(state for state in undecided if state)]


def _is(value: Any, wanted: str) -> Any:
    return value if isinstance(value, Unknown) else value == wanted


def _kubernetes(source: Source) -> dict[str, Any]:
    if not isinstance(source.version, Mapping):
        return {"version": Unknown(source.version), "minor": Unknown(source.version)}
    git_version = text(source.version.get("gitVersion"))
    number = version_text(git_version)
    nothing = unknown("the Kubernetes version", "the answer of /version does not hold it", "kubectl version -o json")
    return {"version": git_version or nothing, "minor": minor_of(number) if number else nothing}


def _openshift(name: str | Unknown, index: Index, gaps: Gaps) -> str | Unknown | None:
    if isinstance(name, Unknown):
        return name
    if name != "openshift":
        return None
    nothing = unknown(
        "the OpenShift version", "there is no ClusterVersion object in the bundle", "kubectl get clusterversion version -o yaml"
    )
    return openshift_version(index) or gaps.of(("ClusterVersion", "config.openshift.io")) or nothing


def _nodes(index: Index, gaps: Gaps, roles: Roles) -> dict[str, Any]:
    gap = gaps.of(_NODE)
    if gap:
        return dict.fromkeys(("total", "ready", "gpu", "gpu_os", "control_plane", "worker", "system"), gap)
    bodies = [seen.body for seen in index.of(*_NODE)]
    systems = {os_family_of(body) for body in bodies if name_of(body) in roles.gpu}
    return {
        "total": len(bodies),
        "ready": sum(map(is_ready, bodies)),
        "gpu": len(roles.gpu),
        "gpu_os": sorted(filter(None, systems)),
        "control_plane": sum(map(is_control_plane, bodies)),
        "worker": sum(map(is_worker, bodies)),
        "system": sum(name_of(body) in roles.system for body in bodies),
    }


def _gpus(index: Index, gaps: Gaps) -> dict[str, Any]:
    gap = gaps.of(_NODE)
    if gap:
        return {"capacity": gap, "allocatable": gap}
    bodies = [seen.body for seen in index.of(*_NODE)]
    return {key: sum(gpu_amount(dig(body, "status", key)) for body in bodies) for key in ("capacity", "allocatable")}


def _classes(found: Iterable[Seen], default: Any, gap: Unknown | None) -> dict[str, Any]:
    classes = sorted((seen.name, default(seen.body)) for seen in found)
    if gap:
        return {"classes": gap, "default_classes": gap}
    return {"classes": [name for name, _ in classes], "default_classes": [name for name, chosen in classes if chosen]}


def _storage(index: Index, gaps: Gaps) -> dict[str, Any]:
    gap = gaps.of(_STORAGE)
    found = {seen.name: storage.shared(text(seen.body.get("provisioner"))) for seen in index.of(*_STORAGE)}
    shared: Any = gap or sorted(name for name, answer in found.items() if answer == "yes")
    if shared == []:  # nothing known to be shared: what is in no list may be
        shared = next((answer for _, answer in sorted(found.items()) if isinstance(answer, Unknown)), shared)
    return {**_classes(index.of(*_STORAGE), storage.is_default, gap), "shared_classes": shared}
