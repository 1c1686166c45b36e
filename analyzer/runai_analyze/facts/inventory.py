"""The rows of the report's inventory: what is in the cluster, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..bundle.source import Source
from ..model import GpuNodeRow, Item, Table, Unknown
from .index import Index, Seen, gpu_amount
from .ingress import is_default as default_ingress
from .nodes import Roles, node_facts
from .reading import dig, image_path, image_tag, items, labels_of, mapping, mappings, text
from .runai import project_namespace
from .storage import is_default as default_storage
from .storage import shared
from .workloads import desired, ready


@dataclass(frozen=True)
class Inventory:
    """All tables, uncut, in the order of the report; ``gpus`` are the rows of the GPU picture."""

    tables: tuple[Table, ...]
    gpus: tuple[GpuNodeRow, ...]


def build_inventory(
    index: Index, source: Source, roles: Roles, certificates: Sequence[Item], gpu_nodes: Sequence[Item]
) -> Inventory:
    """Return the inventory of a bundle. A table whose kind was not fully collected says so in its note."""
    tables = (
        _table(source, "nodes", "Nodes", _NODE_COLUMNS, [_node_row(seen, roles) for seen in index.of("Node", "")], ("Node", "")),
        _table(
            source,
            "namespaces",
            "Namespaces",
            ("name", "Run:ai project", "Pod Security enforce"),
            _namespaces(index),
            ("Namespace", ""),
        ),
        _table(
            source,
            "workloads",
            "Workloads of Run:ai and its prerequisites",
            _WORKLOAD_COLUMNS,
            _workloads(index),
            ("Deployment", "apps"),
        ),
        _table(source, "images", "Images", ("image", "tag", "workloads"), _images(index), ("Deployment", "apps")),
        _table(
            source,
            "crds",
            "Custom resources",
            ("name", "served", "stored"),
            _crds(index),
            ("CustomResourceDefinition", "apiextensions.k8s.io"),
        ),
        _table(
            source,
            "storage_classes",
            "Storage classes",
            ("name", "provisioner", "default", "shared"),
            _storage(index),
            ("StorageClass", "storage.k8s.io"),
        ),
        _table(
            source,
            "ingress_classes",
            "Ingress classes",
            ("name", "controller", "default"),
            _ingress(index),
            ("IngressClass", "networking.k8s.io"),
        ),
        _table(
            source,
            "certificates",
            "Certificates",
            _CERTIFICATE_COLUMNS,
            map(_certificate_row, certificates),
            ("Certificate", "made"),
        ),
        _table(source, "configmaps", "ConfigMaps", ("namespace", "name", "keys", "data"), _configmaps(index), ("ConfigMap", "")),
        _table(
            source,
            "secrets",
            "Secrets (names only)",
            ("namespace", "name", "type", "keys", "age"),
            _secrets(index),
            ("Secret", ""),
        ),
        _table(
            source, "helm", "Helm releases", ("namespace", "release", "status", "revision"), _helm(index), ("HelmRelease", "made")
        ),
    )
    return Inventory(tables, tuple(_gpu_row(item) for item in gpu_nodes))


def _table(
    source: Source, name: str, title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], kind: tuple[str, str]
) -> Table:
    found = tuple(rows)
    missing = source.coverage(*kind, ())
    return Table(name, title, columns, found, len(found), f"not all were collected: {missing[0].reason}" if missing else "")


_NODE_COLUMNS = ("name", "roles", "ready", "operating system", "kubelet", "runtime", "CPU", "memory", "GPUs")
_WORKLOAD_COLUMNS = ("kind", "namespace", "name", "ready", "images")
_CERTIFICATE_COLUMNS = ("secret", "subject", "names", "valid until", "issuer")
# Namespaces of Run:ai and of what it needs; others hold the customer's own workloads.
_WORKLOAD_NAMESPACES = (
    "runai", "runai-backend", "runai-reservation", "gpu-operator", "nvidia-gpu-operator", "nvidia-network-operator", "monitoring",
    "knative-serving", "knative-operator", "knativeoperator", "kourier-system", "kubeflow", "mpi-operator", "lws-system",
    "ingress-nginx", "nginx-ingress", "haproxy-controller", "metallb-system", "kgateway-system", "node-feature-discovery",
)  # fmt: skip


def _node_row(seen: Seen, roles: Roles) -> tuple[str, ...]:
    body, facts = seen.body, node_facts(seen.body, roles)
    names = [
        name
        for key, name in (("control_plane", "control plane"), ("runai_system", "system"), ("gpu", "GPU"))
        if facts.get(key) is True
    ]
    info, capacity = mapping(dig(body, "status", "nodeInfo")), mapping(dig(body, "status", "capacity"))
    return (
        seen.name,
        ", ".join(names) or "worker",
        _yes(facts["ready"]),
        text(info.get("osImage")),
        text(info.get("kubeletVersion")),
        text(info.get("containerRuntimeVersion")),
        show(capacity.get("cpu")),
        show(capacity.get("memory")),
        show(gpu_amount(capacity) or None),
    )


def _namespaces(index: Index) -> list[tuple[str, ...]]:
    found = sorted(index.of("Namespace", ""), key=lambda seen: seen.name)
    enforce = "pod-security.kubernetes.io/enforce"
    return [
        (seen.name, _yes(project_namespace(seen.body)), show(labels_of(seen.body).get(enforce))) for seen in found
    ]


def _workloads(index: Index) -> list[tuple[str, ...]]:
    found = [seen for seen in index.workloads() if seen.namespace in _WORKLOAD_NAMESPACES]
    found.sort(key=lambda seen: (_WORKLOAD_NAMESPACES.index(seen.namespace), seen.ref.kind, seen.name))
    return [
        (
            seen.ref.kind,
            seen.namespace,
            seen.name,
            f"{ready(seen.body)}/{desired(seen.body)}",
            ", ".join(map(show, items(seen.body.get("images")))),
        )
        for seen in found
    ]


def _images(index: Index) -> list[tuple[str, ...]]:
    counts: dict[tuple[str, str], int] = {}
    for seen in index.workloads():
        for image in items(seen.body.get("images")):
            key = (image_path(image), image_tag(image))
            counts[key] = counts.get(key, 0) + 1
    return [(path, tag, str(count)) for (path, tag), count in sorted(counts.items())]


def _crds(index: Index) -> list[tuple[str, ...]]:
    found = sorted(index.of("CustomResourceDefinition", "apiextensions.k8s.io"), key=lambda seen: seen.name)
    return [
        (
            seen.name,
            ", ".join(text(one.get("name")) for one in mappings(dig(seen.body, "spec", "versions")) if one.get("served") is True),
            ", ".join(map(show, items(dig(seen.body, "status", "storedVersions")))),
        )
        for seen in found
    ]


def _storage(index: Index) -> list[tuple[str, ...]]:
    found = sorted(index.of("StorageClass", "storage.k8s.io"), key=lambda seen: seen.name)
    return [
        (
            seen.name,
            text(seen.body.get("provisioner")),
            _yes(default_storage(seen.body)),
            show(shared(text(seen.body.get("provisioner")))),
        )
        for seen in found
    ]


def _ingress(index: Index) -> list[tuple[str, ...]]:
    found = sorted(index.of("IngressClass", "networking.k8s.io"), key=lambda seen: seen.name)
    return [(seen.name, text(dig(seen.body, "spec", "controller")), _yes(default_ingress(seen.body))) for seen in found]


def _certificate_row(item: Item) -> tuple[str, ...]:
    body = item.body
    names = ", ".join(map(show, items(body.get("dns_names"))))
    return (
        f"{item.ref.namespace}/{item.ref.name}",
        show(body.get("subject")),
        names,
        show(body.get("not_after")),
        show(body.get("issuer")),
    )


def _configmaps(index: Index) -> list[tuple[str, ...]]:
    whole = {(seen.namespace, seen.name): seen for seen in index.of("ConfigMap", "")}
    rows = {
        (seen.namespace, seen.name): (", ".join(sorted(mapping(seen.body.get("keys")))), "no") for seen in index.configmap_rows
    }
    rows |= {key: (", ".join(sorted(mapping(seen.body.get("data")))), "yes") for key, seen in whole.items()}
    return [(namespace, name, keys, data) for (namespace, name), (keys, data) in sorted(rows.items())]


def _secrets(index: Index) -> list[tuple[str, ...]]:
    found = sorted(index.secrets, key=lambda seen: (seen.namespace, seen.name))
    return [(seen.namespace, seen.name, *(show(seen.body.get(key)) for key in ("type", "keys", "age"))) for seen in found]


def _helm(index: Index) -> list[tuple[str, ...]]:
    rows = []
    for seen in index.helm:
        labels: Mapping[str, Any] = mapping(seen.body.get("labels"))
        rows.append(
            (seen.namespace, show(labels.get("name")) or seen.name, show(labels.get("status")), show(labels.get("version")))
        )
    return sorted(rows)


def _gpu_row(item: Item) -> GpuNodeRow:
    body, smi = item.body, mapping(item.body.get("nvidia_smi"))
    mig = mapping(body.get("mig"))
    answer = smi.get("ok")
    return GpuNodeRow(
        node=item.ref.name,
        pci=None,
        driver=None,
        nvidia_smi=_count(smi.get("count")),
        labels=_count(dig(body, "labels", "count")),
        capacity=_count(body.get("capacity")),
        allocatable=_count(body.get("allocatable")),
        requested=_count(body.get("requested")),
        model=show(body.get("model")),
        driver_version=show(smi.get("driver_version")),
        mig=f"{show(mig.get('instances'))} MIG devices" if mig.get("enabled") is True else "",
        gap=show(body.get("gap")),
        note=answer.missing.reason if isinstance(answer, Unknown) else "",
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def show(value: Any) -> str:
    """Return a value as text: empty for nothing, ``unknown`` for what could not be found out."""
    if value is None:
        return ""
    return "unknown" if isinstance(value, Unknown) else str(value)


def _yes(value: Any) -> str:
    return "yes" if value is True else ""
