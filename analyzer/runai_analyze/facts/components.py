"""What else is installed, and in which version: GPU Operator, Knative, training, MPI, LWS, Prometheus.

Versions come from labels and image tags. A workload whose version stands in neither is there with an unknown version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Unknown
from .gaps import Gaps
from .index import Index, Seen, uses_image
from .reading import chart_version, dig, image_path, image_tag, items, labels_of, mappings, text, unknown, version_text

_DEPLOYMENT = ("Deployment", "apps")
_CRD = ("CustomResourceDefinition", "apiextensions.k8s.io")
_PROMETHEUS = ("Prometheus", "monitoring.coreos.com")
_RUNAI_NAMESPACES = ("runai", "runai-backend")
_KNATIVE = ("KnativeServing", "operator.knative.dev")


def gpu_operator(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``gpu_operator``: ``managed_driver`` is what ClusterPolicy says (true by default), absent without one."""
    found = _find(index, "gpu-operator", "/gpu-operator")
    policies = index.of("ClusterPolicy", "nvidia.com")
    driver: bool | Unknown | None = None
    if policies:
        driver = dig(policies[0].body, "spec", "driver", "enabled") is not False
    elif found:
        driver = gaps.of(("ClusterPolicy", "nvidia.com")) or (True if index.of("NVIDIADriver", "nvidia.com") else None)
    return {
        "installed": gaps.unless_seen(bool(found), _DEPLOYMENT, otherwise=False),
        "version": _version("the GPU Operator version", found, gaps, "/gpu-operator"),
        "namespace": found.namespace if found else None,
        "managed_driver": driver,
    }


def knative(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``knative``: the version of Serving, which KnativeServing reports; the operator's own version does not tell it."""
    servings = index.of(*_KNATIVE)
    controller = index.one(*_DEPLOYMENT, "knative-serving", "controller")
    reported = next(filter(None, (version_text(dig(seen.body, "status", "version")) for seen in servings)), None)
    version = reported or _version("the Knative Serving version", controller, gaps, "/controller", namespace="knative-serving")
    if version is None and servings:
        version = unknown(
            "the Knative Serving version", "KnativeServing reports none yet", "kubectl get knativeserving -A -o yaml"
        )
    found = bool(servings or controller)
    return {
        "installed": found or gaps.of(_DEPLOYMENT, namespaces=("knative-serving",)) or gaps.of(_KNATIVE) or False,
        "version": version,
    }


def training_operator(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``training_operator`` (Kubeflow Training Operator v1)."""
    return _plain(index, gaps, "the Training Operator version", "training-operator", "/training-operator")


def mpi_operator(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``mpi_operator`` with ``crd_version``, the version in which MPIJobs are stored; absent without the CRD."""
    crd = next((seen for seen in index.of(*_CRD) if seen.name == "mpijobs.kubeflow.org"), None)
    stored = (
        [text(one.get("name")) for one in mappings(dig(crd.body, "spec", "versions")) if one.get("storage") is True]
        if crd
        else []
    )
    crd_version = stored[0] if stored else gaps.of(_CRD)
    return {**_plain(index, gaps, "the MPI Operator version", "mpi-operator", "/mpi-operator"), "crd_version": crd_version}


def lws(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``lws`` (LeaderWorkerSet)."""
    return _plain(index, gaps, "the LeaderWorkerSet version", "lws-controller-manager", "/lws")


def prometheus(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``prometheus``: installed means the operator, or a Prometheus beside the one that Run:ai makes for itself.

    The resource definitions alone are none: they stay behind when the stack is removed, and nobody serves Run:ai's object then.
    """
    operator = _prometheus_operator(index)
    others = [seen for seen in _prometheuses(index) if seen.namespace not in _RUNAI_NAMESPACES]
    version: str | Unknown | None = _prometheus_version(index)
    if version is None and index.of(*_PROMETHEUS):
        nothing = "neither spec.version nor an image tag tells it"
        version = unknown("the Prometheus version", nothing, "kubectl get prometheus -A -o yaml")
    return {
        "installed": gaps.unless_seen(bool(operator or others), _DEPLOYMENT, _PROMETHEUS, otherwise=False),
        "version": version or gaps.of(_PROMETHEUS),
        "operator_installed": gaps.unless_seen(bool(operator), _DEPLOYMENT, otherwise=False),
        # The labels of kube-prometheus-stack carry the chart's version, not the operator's.
        "operator_version": _version("the Prometheus Operator version", operator, gaps, "/prometheus-operator", labels=False),
        "stack_version": _stack_version(operator),
    }


def prometheus_sources(index: Index) -> dict[str, Seen | None]:
    """Return the objects that the fields of ``prometheus`` were read from; None where there is no such object."""
    operator, found = _prometheus_operator(index), _prometheuses(index)
    versioned = next((seen for seen in found if _version_of(index, seen)), None)
    others = (seen for seen in found if seen.namespace not in _RUNAI_NAMESPACES)
    return {
        "prometheus": operator or next(others, None),
        "prometheus.version": versioned or next(iter(found), None),
    }


def _prometheus_operator(index: Index) -> Seen | None:
    return next((seen for seen in index.of(*_DEPLOYMENT) if uses_image(seen, "/prometheus-operator")), None)


def _prometheuses(index: Index) -> list[Seen]:
    """Return all Prometheus objects, those that Run:ai makes for itself last."""
    return sorted(index.of(*_PROMETHEUS), key=lambda seen: (seen.namespace in _RUNAI_NAMESPACES, seen.namespace, seen.name))


def _stack_version(operator: Seen | None) -> str | None:
    chart = text(labels_of(operator.body).get("helm.sh/chart")) if operator else ""
    return chart_version(chart) if chart.startswith("kube-prometheus-stack-") else None


def _prometheus_version(index: Index) -> str | None:
    """Return the version of the customer's Prometheus; of the one that Run:ai makes for itself where there is no other."""
    return next(filter(None, (_version_of(index, seen) for seen in _prometheuses(index))), None)


def _version_of(index: Index, prometheus: Seen) -> str | None:
    """Return the version that a Prometheus object asks for, else the one in the image tag of its StatefulSet."""
    asked = version_text(dig(prometheus.body, "spec", "version")) or version_text(
        image_tag(dig(prometheus.body, "spec", "image"))
    )
    owned = index.one("StatefulSet", "apps", prometheus.namespace, f"prometheus-{prometheus.name}")
    images = items(owned.body.get("images")) if owned else ()
    tags = (image_tag(image) for image in images if image_path(image).endswith("/prometheus"))
    return asked or next(filter(None, map(version_text, tags)), None)


def prometheus_adapter(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``prometheus_adapter``."""
    found = any(uses_image(seen, "/prometheus-adapter") or seen.name == "prometheus-adapter" for seen in index.of(*_DEPLOYMENT))
    return {"installed": gaps.unless_seen(found, _DEPLOYMENT, otherwise=False)}


def hpa_autoscaler(index: Index, gaps: Gaps) -> dict[str, Any]:
    """Return ``hpa_autoscaler``: the HPA extension of Knative Serving."""
    found = index.one(*_DEPLOYMENT, "knative-serving", "autoscaler-hpa") is not None
    return {"installed": gaps.unless_seen(found, _DEPLOYMENT, namespaces=("knative-serving",), otherwise=False)}


def _plain(index: Index, gaps: Gaps, what: str, name: str, image: str) -> dict[str, Any]:
    found = _find(index, name, image)
    return {
        "installed": gaps.unless_seen(bool(found), _DEPLOYMENT, otherwise=False),
        "version": _version(what, found, gaps, image),
    }


def _find(index: Index, name: str, image: str) -> Seen | None:
    """Return the Deployment of that name, else the one that runs that image."""
    named = [seen for seen in index.of(*_DEPLOYMENT) if seen.name == name]
    imaged = [seen for seen in index.of(*_DEPLOYMENT) if uses_image(seen, image)]
    return next(iter(named or imaged), None)


def _version(
    what: str, found: Seen | None, gaps: Gaps, image: str, labels: bool = True, namespace: str = ""
) -> str | Unknown | None:
    if found is None:
        return gaps.of(_DEPLOYMENT, namespaces=(namespace,) if namespace else ())
    version = next(filter(None, _written_versions(found, image, labels)), None)
    command = f"kubectl get deployment {found.name} -n {found.namespace} -o yaml"
    return version or unknown(what, f"{found.ref} has it in no label and no image tag", command)


def _written_versions(found: Seen, image: str, labels: bool) -> Iterator[str | None]:
    """Yield the versions in labels (Kubernetes', Knative's older one, the operator bundle's, the chart's) and image tags."""
    values: Mapping[str, Any] = labels_of(found.body) if labels else {}
    yield version_text(values.get("app.kubernetes.io/version"))
    yield version_text(values.get("serving.knative.dev/release"))
    yield chart_version(values.get("olm.owner"))
    yield chart_version(values.get("helm.sh/chart"))
    images = items(found.body.get("images"))
    yield from (version_text(image_tag(one)) for one in images if image_path(one).endswith(image) or len(images) == 1)
