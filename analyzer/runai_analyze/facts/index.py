"""The first pass: everything that facts join on, trimmed to what they need, so that the large kinds can stream in the second."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..bundle.source import Record, group_of
from ..errors import BundleError
from ..model import ObjectRef
from .images import IMAGE_REASONS
from .reading import dig, image_path, items, labels_of, mapping, mappings, name_of, namespace_of, text, whole

WORKLOAD_KINDS = ("Deployment", "StatefulSet", "DaemonSet")
# Resource names that a GPU device plugin of NVIDIA offers.
GPU_RESOURCES = ("nvidia.com/gpu", "nvidia.com/gpu.shared")
MIG_PREFIX = "nvidia.com/mig-"


@dataclass(frozen=True, slots=True)
class Seen:
    """One object of the index: what was kept of it, and where it stands."""

    body: Mapping[str, Any]
    ref: ObjectRef

    @property
    def name(self) -> str:
        """The object's name."""
        return self.ref.name

    @property
    def namespace(self) -> str:
        """The object's namespace; empty for those that have none."""
        return self.ref.namespace


# A bundle that goes beyond is none of a cluster: 150,000 pods make 150 MB of what is kept here.
_MOST_ENTRIES = 1_000_000
_MOST_MEMORY = 1 << 30
_MOST_CERTIFICATES = 50  # of one Secret
_MOST_REFERENCES = 1_000  # of one Secret
_TRIMMED = 1_000  # bytes that an object takes of which only names and a few values are kept


@dataclass
class Index:
    """What the first pass found, by kind in the order of the bundle; ``node_files`` by node and file name."""

    entries: int = 0
    memory: int = 0  # bytes, about

    objects: dict[tuple[str, str], list[Seen]] = field(default_factory=lambda: defaultdict(list))
    configmap_rows: list[Seen] = field(default_factory=list)
    secrets: list[Seen] = field(default_factory=list)
    helm: list[Seen] = field(default_factory=list)
    certificates: list[Seen] = field(default_factory=list)
    node_files: dict[str, dict[str, Record]] = field(default_factory=lambda: defaultdict(dict))

    def of(self, kind: str, group: str) -> list[Seen]:
        """Return the objects of a kind; empty when there were none (which says nothing about whether all were read)."""
        return self.objects.get((kind, group), [])

    def one(self, kind: str, group: str, namespace: str, name: str) -> Seen | None:
        """Return one object by its name."""
        return next((seen for seen in self.of(kind, group) if (seen.namespace, seen.name) == (namespace, name)), None)

    def workloads(self) -> list[Seen]:
        """Return all Deployments, StatefulSets and DaemonSets."""
        return [seen for kind in WORKLOAD_KINDS for seen in self.of(kind, "apps")]


def add(index: Index, record: Record) -> None:
    """Put one record into the index, trimmed; what no fact needs is dropped."""
    if record.area == "node_file":
        _count(index, record.weight)
        index.node_files[text(record.body.get("node"))][text(record.body.get("name"))] = record
        return
    if record.area != "object":
        rows, trim_row = _rows(index)[record.area]
        kept_row = trim_row(record.body)
        _count(index, min(record.weight, _TRIMMED) if record.area in ("secret", "helm") else record.weight)
        rows.append(Seen(kept_row, row_ref(record)))
        return
    kind, group = text(record.body.get("kind")), group_of(record.body.get("apiVersion"))
    trim = INDEXED.get((kind, group))
    kept = trim(record.body) if trim else None
    if kept is not None:
        _count(index, record.weight if kept is record.body or kind == "Node" else min(record.weight, _TRIMMED))
        index.objects[kind, group].append(Seen(kept, object_ref(record)))


def _count(index: Index, memory: int) -> None:
    """Count one entry. Raises BundleError when there are more than any cluster has."""
    index.entries += 1
    index.memory += memory
    if index.entries > _MOST_ENTRIES or index.memory > _MOST_MEMORY:
        raise BundleError(
            "the bundle holds more than any cluster has, and is not read further", "ask the customer to collect again"
        )


def _rows(index: Index) -> dict[str, tuple[list[Seen], Callable[[dict[str, Any]], dict[str, Any]]]]:
    return {
        "configmap": (index.configmap_rows, _configmap_row),
        "secret": (index.secrets, lambda row: {key: short(row.get(key)) for key in ("type", "keys", "age")}),
        "helm": (index.helm, lambda row: {"labels": _short_labels(row)}),
        "certificate": (index.certificates, _certificate_row),
    }


def short(value: Any, most: int = 1_000) -> Any:
    """Return a plain value, long text cut; None for lists and mappings."""
    if isinstance(value, str):
        return value[:most]
    return value if isinstance(value, int | float) else None


def _short_labels(row: dict[str, Any]) -> dict[str, Any]:
    labels = mapping(row.get("labels"))
    return {key: short(labels.get(key)) for key in ("name", "owner", "status", "version", "modifiedAt")}


def _configmap_row(row: dict[str, Any]) -> dict[str, Any]:
    return {"keys": dict.fromkeys(mapping(row.get("keys")))}


def _certificate_row(row: dict[str, Any]) -> dict[str, Any]:
    found = [{"key": short(one.get("key")), "pem": short(one.get("pem"), 1 << 20)} for one in mappings(row.get("certificates"))]
    plain = {key: short(row.get(key)) for key in ("private_key", "key_matches")}
    by = [one for one in items(row.get("referenced_by")) if isinstance(one, str)]
    return {**plain, "certificates": found[:_MOST_CERTIFICATES], "referenced_by": by[:_MOST_REFERENCES]}


def object_ref(record: Record) -> ObjectRef:
    """Return the reference of an object's record."""
    body = record.body
    return ObjectRef(text(body.get("kind")), name_of(body), namespace_of(body), record.member, record.line)


def row_ref(record: Record) -> ObjectRef:
    """Return the reference of a row: rows of certificates and Helm releases stand for the Secrets that hold them."""
    kind = "ConfigMap" if record.area == "configmap" else "Secret"
    return ObjectRef(kind, text(record.body.get("name")), text(record.body.get("namespace")), record.member, record.line)


def gpu_amount(resources: object) -> int:
    """Sum the GPUs and MIG devices in a resource list (capacity, allocatable, limits)."""
    pairs = mapping(resources).items()
    return sum(whole(value) or 0 for key, value in pairs if key in GPU_RESOURCES or str(key).startswith(MIG_PREFIX))


def pod_gpus(body: Mapping[str, Any]) -> int:
    """Return the GPUs that a pod holds on its node; 0 once it has ended. Extended resources have their limit as request."""
    if dig(body, "status", "phase") in ("Succeeded", "Failed"):
        return 0
    running = sum(gpu_amount(dig(container, "resources", "limits")) for container in mappings(dig(body, "spec", "containers")))
    starting = [gpu_amount(dig(container, "resources", "limits")) for container in mappings(dig(body, "spec", "initContainers"))]
    return max([running, *starting])


# --- What is kept of each kind ----------------------------------------------------------------------------------------------


def _whole(body: dict[str, Any]) -> dict[str, Any]:
    return body


def _node(body: dict[str, Any]) -> dict[str, Any]:
    status = {key: value for key, value in mapping(body.get("status")).items() if key != "images"}
    metadata = {key: value for key, value in mapping(body.get("metadata")).items() if key != "managedFields"}
    return {"metadata": metadata, "spec": body.get("spec"), "status": status}


def _names(body: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": name_of(body), "namespace": namespace_of(body), "labels": dict(labels_of(body))}}


def _crd(body: dict[str, Any]) -> dict[str, Any]:
    versions = [
        {"name": text(version.get("name")), "served": version.get("served"), "storage": version.get("storage")}
        for version in mappings(dig(body, "spec", "versions"))
    ]
    spec = {"group": dig(body, "spec", "group"), "names": {"kind": dig(body, "spec", "names", "kind")}, "versions": versions}
    return {**_names(body), "spec": spec, "status": {"storedVersions": dig(body, "status", "storedVersions")}}


def _workload(body: dict[str, Any]) -> dict[str, Any]:
    status = mapping(body.get("status"))
    counts = ("readyReplicas", "replicas", "numberReady", "desiredNumberScheduled")
    return {
        **_names(body),
        "kind": body.get("kind"),
        "release": _release(body),
        "spec": {"replicas": dig(body, "spec", "replicas")},
        "status": {key: status[key] for key in counts if key in status},
        "images": images(body, "spec", "template", "spec"),
    }


def _release(body: dict[str, Any]) -> tuple[str, str]:
    """Return namespace and name of the Helm release that an object belongs to, as Helm itself notes it; empty for none."""
    notes = mapping(dig(body, "metadata", "annotations"))
    return text(notes.get("meta.helm.sh/release-namespace"))[:300], text(notes.get("meta.helm.sh/release-name"))[:300]


def _pod(body: dict[str, Any]) -> dict[str, Any] | None:
    gpus = pod_gpus(body)
    arguments = api_server_arguments(body)
    pulls = waits_for_image(body)
    if not gpus and not arguments and not pulls:
        return None
    kept = {"node": dig(body, "spec", "nodeName"), "gpus": gpus, "arguments": arguments, "waits_for_image": pulls}
    return {**_names(body), **kept, "owner": owner(body)}


def _replicaset(body: dict[str, Any]) -> dict[str, Any]:
    return {"owner": owner(body)}


def owner(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return kind and name of the object that manages this one; empty when nobody does."""
    references = mappings(dig(body, "metadata", "ownerReferences"))
    found = next((one for one in references if one.get("controller") is True), {})
    return text(found.get("kind")), text(found.get("name"))


def waits_for_image(body: Mapping[str, Any]) -> bool:
    """Tell whether a container of a pod waits because its image cannot be pulled."""
    return any(dig(status, "state", "waiting", "reason") in IMAGE_REASONS for status in container_statuses(body))


def container_statuses(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the statuses of a pod's containers, those that initialise it first."""
    status = dig(body, "status")
    yield from mappings(dig(status, "initContainerStatuses"))
    yield from mappings(dig(status, "containerStatuses"))


def api_server_arguments(body: Mapping[str, Any]) -> list[str]:
    """Return the command line of the static kube-apiserver and controller-manager pods, which name the cluster's ranges."""
    if namespace_of(body) != "kube-system" or not name_of(body).startswith(("kube-apiserver", "kube-controller-manager")):
        return []
    containers = mappings(dig(body, "spec", "containers"))
    words: Iterable[Any] = (word for one in containers for word in (*items(one.get("command")), *items(one.get("args"))))
    return [word for word in words if isinstance(word, str)]


def images(body: Mapping[str, Any], *path: str) -> list[str]:
    """Return the images of the containers in a pod spec, init containers last, each once."""
    spec = mapping(dig(body, *path))
    containers = (*mappings(spec.get("containers")), *mappings(spec.get("initContainers")))
    return list(dict.fromkeys(text(container.get("image")) for container in containers if text(container.get("image"))))


def uses_image(seen: Seen, *ends: str) -> bool:
    """Tell whether a workload of the index runs an image whose path ends so, whatever registry mirrors it."""
    return any(image_path(image).endswith(ends) for image in items(seen.body.get("images")))


INDEXED: Mapping[tuple[str, str], Callable[[dict[str, Any]], dict[str, Any] | None]] = {
    ("Node", ""): _node,
    ("Namespace", ""): _names,
    ("Pod", ""): _pod,
    ("Service", ""): lambda body: _whole(body) if namespace_of(body) == "default" and name_of(body) == "kubernetes" else None,
    ("ConfigMap", ""): _whole,
    ("CustomResourceDefinition", "apiextensions.k8s.io"): _crd,
    ("Deployment", "apps"): _workload,
    ("StatefulSet", "apps"): _workload,
    ("DaemonSet", "apps"): _workload,
    ("ReplicaSet", "apps"): _replicaset,
    ("StorageClass", "storage.k8s.io"): _whole,
    ("IngressClass", "networking.k8s.io"): _whole,
    ("Ingress", "networking.k8s.io"): _whole,
    ("Gateway", "gateway.networking.k8s.io"): _whole,
    ("RunaiConfig", "run.ai"): _whole,
    ("ClusterPolicy", "nvidia.com"): _whole,
    ("NVIDIADriver", "nvidia.com"): _names,
    ("KnativeServing", "operator.knative.dev"): _whole,
    ("Prometheus", "monitoring.coreos.com"): _whole,
    ("ClusterVersion", "config.openshift.io"): _whole,
}
