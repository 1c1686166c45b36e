"""The made kind ``Container``: one for each container of a pod, with its image, state, resources and who made the pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Item, ObjectRef, Unknown
from ..objects.images import parse_image
from ..objects.times import parse_time
from .index import gpu_amount
from .owners import Top
from .reading import dig, labels_of, mapping, mappings, name_of, namespace_of, text, tree, unknown, whole

# (field of the pod's spec, field of its status, what such a container is)
_PLACES = (
    ("initContainers", "initContainerStatuses", "init"),
    ("containers", "containerStatuses", "main"),
    ("ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"),
)
_PROBES = (("liveness", "livenessProbe"), ("readiness", "readinessProbe"), ("startup", "startupProbe"))
_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_SCHEDULERS = ("runai-scheduler",)  # the name in spec.schedulerName of what Run:ai schedules (Run:ai 2.x)
# Labels that Run:ai's controllers put on the pods of its workloads, seen on a pod of 2.17.
_RUNAI_LABELS = ("run.ai/top-owner-uid", "workloadKind")
# Annotations by which a pod asks for a part of a GPU (KAI Scheduler, docs/gpu-sharing; Run:ai's scheduler takes the same).
_FRACTION, _MEMORY, _FOR = "gpu-fraction", "gpu-memory", "gpu-fraction-container-name"
_LONGEST = 2_000  # characters of a message


def containers(body: Mapping[str, Any], pod: ObjectRef, top: Top, owner: ObjectRef | None = None) -> Iterator[Item]:
    """Yield the ``Container`` items of one pod, those that initialise it first. ``top`` is what stands above the pod, ``owner``
    where the bundle holds it; None: the pod itself."""
    origins = {"": pod, "owner": owner or pod}
    of_pod = _of_pod(body, top)
    shared = _fraction_of(body)
    for spec_field, status_field, kind in _PLACES:
        statuses = {text(one.get("name")): one for one in mappings(dig(body, "status", status_field))}
        for spec in mappings(dig(body, "spec", spec_field)):
            name = text(spec.get("name"))
            fields = {
                **of_pod,
                "container": name,
                "type": "sidecar" if kind == "init" and spec.get("restartPolicy") == "Always" else kind,
                **_of_spec(spec),
                **_of_status(statuses.get(name, {})),
                **(shared[1] if kind == "main" and name == shared[0] else {}),
            }
            ref = ObjectRef("Container", f"{pod.name}/{name}", pod.namespace, pod.member, pod.line)
            yield Item("Container", "made", tree(fields), ref, origins)


def _of_pod(body: Mapping[str, Any], top: Top) -> dict[str, Any]:
    labels = labels_of(body)
    by_runai = dig(body, "spec", "schedulerName") in _SCHEDULERS or any(label in labels for label in _RUNAI_LABELS)
    return {
        "apiVersion": "made/v1",
        "kind": "Container",
        "metadata": {"namespace": namespace_of(body), "name": name_of(body)},
        "node": text(dig(body, "spec", "nodeName")) or None,
        "phase": text(dig(body, "status", "phase")) or None,
        "owner": {"kind": top.gap or top.key[0], "name": top.gap or top.key[3]},
        "workload": text(labels.get("workloadName")) or None,
        "run_by_runai": by_runai,
    }


def _fraction_of(body: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return which container shares a GPU, the first where the pod names none, and what part it gets."""
    annotations = mapping(dig(body, "metadata", "annotations"))
    if _FRACTION not in annotations and _MEMORY not in annotations:
        return "", {}
    first = next((text(one.get("name")) for one in mappings(dig(body, "spec", "containers"))), "")
    part = {"gpu_fraction": _number(annotations.get(_FRACTION)), "gpu_memory": text(annotations.get(_MEMORY)) or None}
    return text(annotations.get(_FOR)) or first, part


def _number(value: Any) -> float | Unknown | None:
    if value is None:
        return None
    try:
        return float(str(value)[:20])
    except ValueError:
        return unknown("the part of a GPU", f"the annotation {_FRACTION} is no number")


# --- What the spec says -----------------------------------------------------------------------------------------------------


def _of_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    resources = mapping(spec.get("resources"))
    return {
        "image": image_fields(text(spec.get("image")), spec.get("imagePullPolicy")),
        "resources": {name: _plain(resources[name]) for name in ("requests", "limits") if isinstance(resources.get(name), dict)},
        "gpus": gpu_amount(resources.get("limits")) or gpu_amount(resources.get("requests")),
        "probes": {name: probe_in_words(spec[key]) for name, key in _PROBES if key in spec},
        "env": [text(one.get("name")) for one in mappings(spec.get("env"))],
        "env_from": [source for one in mappings(spec.get("envFrom")) if (source := _source(one))],
    }


def _plain(amounts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: amounts[name] for name in _RESOURCES if name in amounts}


def image_fields(reference: str, pull_policy: Any = None) -> dict[str, Any]:
    """Return the fields under ``image``: the reference as written and its parts, unknown where it is no reference."""
    fields: dict[str, Any] = {"reference": reference or None, "pull_policy": text(pull_policy) or None}
    if not reference:
        return fields
    try:
        image = parse_image(reference)
    except ValueError as error:
        unclear = unknown(f"the parts of the image {reference[:100]}", str(error))
        return {**fields, **dict.fromkeys(("registry", "repository", "tag", "digest"), unclear)}
    parts = {"registry": image.registry, "repository": image.repository, "tag": image.tag or None, "digest": image.digest or None}
    return {**fields, **parts}


def probe_in_words(probe: Any) -> str | None:
    """Return how a probe asks: ``http :8080/healthz``, ``https :8443/``, ``tcp :80``, ``grpc :9090``, ``exec``; None for none."""
    for name, word in (("httpGet", "http"), ("tcpSocket", "tcp"), ("grpc", "grpc")):
        way = dig(probe, name)
        if isinstance(way, dict):
            scheme = "https" if way.get("scheme") == "HTTPS" else word
            return f"{scheme} {text(way.get('host'))}:{way.get('port')}{text(way.get('path'))}"
    return "exec" if isinstance(dig(probe, "exec"), dict) else None


def _source(entry: Mapping[str, Any]) -> str:
    for name, word in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        if named := text(dig(entry, name, "name")):
            return f"{word} {named}"
    return ""


# --- What the status says ---------------------------------------------------------------------------------------------------


def _of_status(status: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the kubelet says of a container: it has exactly one state, and remembers how its last run ended."""
    states = mapping(status.get("state"))
    waiting, ended = states.get("waiting"), states.get("terminated")
    before = dig(status, "lastState", "terminated")
    fields = {
        "ready": status.get("ready") is True,
        "state": next((name for name in ("running", "waiting", "terminated") if isinstance(states.get(name), dict)), None),
        "restarts": whole(status.get("restartCount")) or 0,
    }
    if isinstance(waiting, dict):
        fields |= {"waiting_reason": _words(waiting.get("reason")), "waiting_message": _words(waiting.get("message"))}
    if isinstance(ended, dict):
        fields |= {"exit_code": whole(ended.get("exitCode")), "exit_reason": _words(ended.get("reason"))}
    return {**fields, "last_exit": _last_exit(before)} if isinstance(before, dict) else fields


def _last_exit(before: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "code": whole(before.get("exitCode")),
        "reason": _words(before.get("reason")),
        "message": _words(before.get("message")),
        "finished": _time(before.get("finishedAt")),
    }


def _words(value: Any) -> str | None:
    return text(value)[:_LONGEST] or None


def _time(value: Any) -> str | None:
    try:
        parse_time(value)
    except ValueError:
        return None
    return text(value)
