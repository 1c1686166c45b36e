"""The made kind ``Image``: one for each image reference that a container or a workload names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..model import Item, ObjectRef, Unknown
from ..objects.images import Image, parse_image
from .reading import dig, mapping, mappings, text, tree, unknown

LATEST = "latest"
_MOST_IMAGES = 100_000
_MOST_NAMED = 100  # namespaces and workloads of one image
_LONGEST = 1024
# Why a container waits when its image is what it waits for (the kubelet's reasons).
IMAGE_REASONS = ("ErrImageNeverPull", "ErrImagePull", "ImagePullBackOff", "InvalidImageName")
# What an image's path ends with, whatever registry mirrors it, or holds: the names that the projects themselves release under.
_ENDS = (
    ("/gpu-operator", "gpu-operator"),
    ("/gpu-operator-validator", "gpu-operator"),
    ("/nvidia/driver", "gpu-operator"),
    ("/k8s-device-plugin", "gpu-operator"),
    ("/dcgm-exporter", "gpu-operator"),
    ("/cloud-native/dcgm", "gpu-operator"),
    ("/container-toolkit", "gpu-operator"),
    ("/k8s-mig-manager", "gpu-operator"),
    ("/k8s-driver-manager", "gpu-operator"),
    ("/gpu-feature-discovery", "gpu-operator"),
    ("/network-operator", "network-operator"),
    ("/doca-driver", "network-operator"),
    ("/node-feature-discovery", "nfd"),
    ("/training-operator", "training-operator"),
    ("/mpi-operator", "mpi-operator"),
    ("/lws", "lws"),
    ("/prometheus", "prometheus"),
    ("/prometheus-operator", "prometheus"),
    ("/ingress-nginx/controller", "ingress-nginx"),
    ("/cert-manager-controller", "cert-manager"),
)
_HOLDS = (
    ("/run-ai-prod/", "runai"),
    ("runai.jfrog.io/", "runai"),
    ("nvcr.io/nvidia/runai/", "runai"),
    ("/knative.dev/", "knative"),
    ("/kai-scheduler/", "kai-scheduler"),
)


@dataclass
class Use:
    """Who names one image."""

    containers: int = 0
    pull_failing: bool = False
    pull_message: str = ""
    namespaces: set[str] = field(default_factory=set)
    first: ObjectRef | None = None


@dataclass
class Uses:
    """The images that pods name, by reference; ``dropped``: there were more than are kept."""

    by_reference: dict[str, Use] = field(default_factory=dict)
    dropped: bool = False

    def add(self, body: Mapping[str, Any], namespace: str, make_ref: Callable[[], ObjectRef]) -> None:
        """Count the images of one Pod. Its reference is made only where it is kept."""
        spec, waiting = mapping(body.get("spec")), _waiting(body)
        for key in ("containers", "initContainers", "ephemeralContainers"):
            for container in mappings(spec.get(key)):
                use = self._use(text(container.get("image"))[:_LONGEST])
                if use is None:
                    continue
                use.containers += 1
                if len(use.namespaces) < _MOST_NAMED:
                    use.namespaces.add(namespace)
                message = waiting.get(text(container.get("name")))
                if use.first is None or (message is not None and not use.pull_failing):
                    use.first = make_ref()
                if message is not None:
                    use.pull_failing, use.pull_message = True, use.pull_message or message[:_LONGEST]

    def _use(self, reference: str) -> Use | None:
        if not reference:
            return None
        if reference not in self.by_reference:
            if len(self.by_reference) >= _MOST_IMAGES:
                self.dropped = True
                return None
            self.by_reference[reference] = Use()
        return self.by_reference[reference]


def _waiting(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the containers of a pod that wait for their image, with what the kubelet says."""
    status = mapping(body.get("status"))
    found = {}
    for key in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for one in mappings(status.get(key)):
            waiting = dig(one, "state", "waiting")
            if isinstance(waiting, dict) and waiting.get("reason") in IMAGE_REASONS:
                found[text(one.get("name"))] = text(waiting.get("message"))
    return found


def image_items(uses: Uses, workloads: Iterable[tuple[ObjectRef, Iterable[object]]], gap: Unknown | None) -> list[Item]:
    """Return the ``Image`` items, sorted by reference.

    ``workloads``: each with its images. ``gap``: why not all pods were read; what only pods can tell is then unknown unless seen.
    """
    named: dict[str, list[ObjectRef]] = {}
    for ref, images in workloads:
        for image in images:
            if text(image):
                named.setdefault(text(image)[:_LONGEST], []).append(ref)
    references = sorted({*uses.by_reference, *named})[:_MOST_IMAGES]
    return [_item(one, uses.by_reference.get(one) or Use(), named.get(one, []), gap) for one in references]


def _item(reference: str, use: Use, workloads: list[ObjectRef], gap: Unknown | None) -> Item:
    names = sorted({str(ref) for ref in workloads})
    namespaces = sorted({*use.namespaces, *(ref.namespace for ref in workloads)})
    body = {
        "apiVersion": "made/v1",
        "kind": "Image",
        "metadata": {"name": reference},
        "reference": reference,
        **_parts(reference),
        "containers": gap or use.containers,
        "namespaces": namespaces[:_MOST_NAMED],
        "workloads": names[:_MOST_NAMED],
        "pull_failing": use.pull_failing or gap or False,
        "pull_message": use.pull_message or None,
        "known_component": component(reference),
    }
    source = use.first or min(workloads, key=str, default=None)
    ref = ObjectRef("Image", reference, "", source.member if source else "", source.line if source else 0)
    return Item("Image", "made", tree(body), ref, {"": source} if source else {})


def _parts(reference: str) -> dict[str, Any]:
    try:
        image = parse_image(reference)
    except ValueError as error:
        why = unknown(f"the parts of {reference[:100]}", f"it is no image reference: {error}")
        return {**dict.fromkeys(("registry", "repository", "tag", "by_tag"), why), "problem": str(error)}
    return {
        "registry": image.registry,
        "port": image.port,
        "repository": image.repository,
        "tag": image.tag or (None if image.digest else LATEST),
        "digest": image.digest or None,
        "by_tag": not image.digest,
    }


def component(reference: str) -> str | None:
    """Return which of the components that this program knows an image belongs to; None for others."""
    path = _path(reference)
    ends = (name for end, name in _ENDS if path.endswith(end))
    return next((name for part, name in _HOLDS if part in path), None) or next(ends, None)


def _path(reference: str) -> str:
    try:
        image: Image = parse_image(reference)
    except ValueError:
        return ""
    return f"/{image.name}"
