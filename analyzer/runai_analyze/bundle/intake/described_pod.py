"""A Pod out of ``kubectl describe pod``, which prints what people look for and leaves out half of the spec."""

from __future__ import annotations

import re
from typing import Any

from .described import (
    NOT_SHOWN,
    conditions_of,
    labels_of,
    marks,
    metadata_of,
    owners_of,
    pairs_of,
    texts_of,
    time_of,
    value_of,
)
from .lines import Entry, entries

_TOP = (
    "Name",
    "Namespace",
    "Priority",
    "Priority Class Name",
    "Runtime Class Name",
    "Service Account",
    "PriorityClassName",
    "Node",
    "Start Time",
    "Labels",
    "Annotations",
    "Status",
    "Termination Grace Period",
    "Reason",
    "Message",
    "SeccompProfile",
    "IP",
    "IPs",
    "Controlled By",
    "NominatedNodeName",
    "Init Containers",
    "Containers",
    "Ephemeral Containers",
    "Readiness Gates",
    "Conditions",
    "Volumes",
    "QoS Class",
    "Node-Selectors",
    "Tolerations",
    "Topology Spread Constraints",
    "Resource Claims",
    "Security Groups",
    "Events",
)
KEYS = frozenset(_TOP)
NEEDED = frozenset(("Name", "Namespace", "Node", "Status", "Containers", "Tolerations"))
_PLACES = (
    ("Init Containers", "initContainers", "initContainerStatuses"),
    ("Containers", "containers", "containerStatuses"),
    ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
)
_SPEC_FIELDS = (
    "activeDeadlineSeconds affinity automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks hostAliases hostIPC "
    "hostNetwork hostPID hostUsers hostname imagePullSecrets os overhead preemptionPolicy priorityClassName readinessGates "
    "resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates securityContext setHostnameAsFQDN "
    "shareProcessNamespace subdomain terminationGracePeriodSeconds topologySpreadConstraints"
)
SPEC = tuple(_SPEC_FIELDS.split())  # what describe may leave out of the spec, though it is set
_STATUS = ("resourceClaimStatuses", "observedGeneration", "resize", "hostIPs")
_CONTAINER_FIELDS = (
    "securityContext imagePullPolicy terminationMessagePath terminationMessagePolicy lifecycle workingDir resizePolicy "
    "restartPolicy stdin stdinOnce tty targetContainerName"
)
_CONTAINER = tuple(_CONTAINER_FIELDS.split())
_PROBES = {"Liveness": "livenessProbe", "Readiness": "readinessProbe", "Startup": "startupProbe"}
_BLOCK = frozenset(
    (
        "Container ID",
        "Image",
        "Image ID",
        "Port",
        "Ports",
        "Host Port",
        "Host Ports",
        "SeccompProfile",
        "Command",
        "Args",
        "State",
        "Last State",
        "Ready",
        "Restart Count",
        "Restart Policy",
        "Limits",
        "Requests",
        *_PROBES,
        "Environment",
        "Environment Variables from",
        "Mounts",
        "Devices",
    )
)
# Volumes of which the one field that says where the data is can be read.
_VOLUMES = {
    "ConfigMap": ("configMap", "Name", "name"),
    "Secret": ("secret", "SecretName", "secretName"),
    "PersistentVolumeClaim": ("persistentVolumeClaim", "ClaimName", "claimName"),
    "HostPath": ("hostPath", "Path", "path"),
}
_REFERENCE = re.compile(r"<set to the key '([^']{1,253})' (?:in|of) (secret|config map) '([^']{1,253})'>", re.ASCII)
_TOLERATION = re.compile(
    r"(?P<key>[^\s=:]{0,317})(?:=(?P<value>[^\s:]{0,63}))?(?::(?P<effect>[A-Za-z]{1,30}))?(?: op=(?P<op>[A-Za-z]{1,20}))?"
    r"(?: for (?P<seconds>-?\d{1,15})s)?",
    re.ASCII,
)


def pod_of(found: dict[str, Entry]) -> dict[str, Any]:
    """Return the Pod that the entries tell of."""
    spec: dict[str, Any] = {}
    status: dict[str, Any] = {}
    for key, specs, statuses in _PLACES:
        blocks = entries(found[key].below) if key in found else []
        if blocks:
            parts = [_container(one) for one in blocks]
            spec[specs] = [part for part, _ in parts]
            status[statuses] = [state for _, state in parts if state]
    metadata = metadata_of(found)
    if owners := owners_of(found.get("Controlled By")):
        metadata["ownerReferences"] = owners
    if _text(found, "Status").startswith("Terminating"):
        metadata["deletionTimestamp"] = NOT_SHOWN
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": marks(SPEC, {**spec, **_spec(found)}),
        "status": marks(_STATUS, {**status, **_status(found)}),
    }


def _spec(found: dict[str, Entry]) -> dict[str, Any]:
    node = _text(found, "Node").partition("/")[0]
    told = {
        "nodeName": node,
        "serviceAccountName": _text(found, "Service Account") or NOT_SHOWN,
        "priorityClassName": _text(found, "Priority Class Name"),
        "runtimeClassName": _text(found, "Runtime Class Name"),
        "priority": int(_text(found, "Priority")) if re.fullmatch(r"-?\d{1,10}", _text(found, "Priority")) else None,
        "nodeSelector": labels_of(found.get("Node-Selectors")),
        "tolerations": _tolerations(found),
        "volumes": [_volume(one) for one in entries(found["Volumes"].below)] if "Volumes" in found else [],
    }
    return {key: value for key, value in told.items() if value or value == 0}


def _status(found: dict[str, Entry]) -> dict[str, Any]:
    phase = _text(found, "Status")
    told: dict[str, Any] = {
        "phase": NOT_SHOWN if phase.startswith("Terminating") else phase,
        "reason": _text(found, "Reason"),
        "message": _text(found, "Message"),
        "podIP": _text(found, "IP"),
        "podIPs": [{"ip": address} for key, address in pairs_of(found.get("IPs")).items() if key == "IP" and address],
        "hostIP": _text(found, "Node").partition("/")[2],
        "startTime": time_of(_text(found, "Start Time")),
        "qosClass": _text(found, "QoS Class"),
        "nominatedNodeName": _text(found, "NominatedNodeName"),
        "conditions": conditions_of(found.get("Conditions")),
    }
    return {key: value for key, value in told.items() if value}


# --- Containers ---------------------------------------------------------------------------------------------------------------


def _container(block: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the spec and the status say of a container; the second is empty where the pod has not got so far."""
    found = {one.key: one for one in entries(block.below, known=_BLOCK)}
    resources = {name: pairs_of(found[key]) for key, name in (("Limits", "limits"), ("Requests", "requests")) if key in found}
    told: dict[str, Any] = {
        "name": block.key,
        "image": _text(found, "Image"),
        "command": texts_of(found.get("Command")),
        "args": texts_of(found.get("Args")),
        "ports": [_port(one) for one in (_text(found, "Port") or _text(found, "Ports")).split(", ") if "/" in one],
        "resources": resources,
        "env": [_variable(one) for one in entries(found["Environment"].below)] if "Environment" in found else [],
        "envFrom": NOT_SHOWN if "Environment Variables from" in found else None,
        "volumeMounts": [one for line in texts_of(found.get("Mounts")) if (one := _mount(line))],
        "volumeDevices": NOT_SHOWN if "Devices" in found else None,
        "restartPolicy": _text(found, "Restart Policy"),
        **{field: NOT_SHOWN for key, field in _PROBES.items() if key in found},
    }
    spec = marks(_CONTAINER, {key: value for key, value in told.items() if value})
    return spec, _state_of(block.key, found) if "State" in found else {}


def _state_of(name: str, found: dict[str, Entry]) -> dict[str, Any]:
    count, ready = _text(found, "Restart Count"), _text(found, "Ready")
    return {
        "name": name,
        "image": _text(found, "Image"),
        "imageID": _text(found, "Image ID"),
        "containerID": _text(found, "Container ID"),
        "ready": ready == "True" if ready in ("True", "False") else NOT_SHOWN,
        "restartCount": int(count) if re.fullmatch(r"\d{1,10}", count) else NOT_SHOWN,
        "started": NOT_SHOWN,
        "state": _state(found["State"]),
        **({"lastState": _state(found["Last State"])} if "Last State" in found else {}),
    }


def _state(entry: Entry) -> dict[str, Any]:
    kind, found = entry.value.lower(), pairs_of(entry)
    if kind not in ("waiting", "running", "terminated"):
        return {}
    code, signal = found.get("Exit Code", ""), found.get("Signal", "")
    told: dict[str, Any] = {
        "reason": value_of(found.get("Reason", "")),
        "message": value_of(found.get("Message", "")),
        "exitCode": int(code) if re.fullmatch(r"-?\d{1,10}", code) else None,
        "signal": int(signal) if re.fullmatch(r"\d{1,10}", signal) else None,
        "startedAt": time_of(found.get("Started", "")),
        "finishedAt": time_of(found.get("Finished", "")),
    }
    return {kind: {key: value for key, value in told.items() if value or value == 0}}


def _port(text: str) -> dict[str, Any]:
    number, _, rest = text.partition("/")
    protocol = rest.partition(" ")[0]
    return {"containerPort": int(number) if re.fullmatch(r"\d{1,5}", number) else NOT_SHOWN, "protocol": protocol}


def _variable(entry: Entry) -> dict[str, Any]:
    if found := _REFERENCE.match(entry.value):
        kind = "secretKeyRef" if found.group(2) == "secret" else "configMapKeyRef"
        return {"name": entry.key, "valueFrom": {kind: {"name": found.group(3), "key": found.group(1)}}}
    if entry.value.startswith("(") and ":" in entry.value:
        return {"name": entry.key, "valueFrom": {"fieldRef": {"fieldPath": entry.value.strip("() ").partition(":")[2]}}}
    return {"name": entry.key, "value": "\n".join([entry.value, *(line.strip() for line in entry.below)]).rstrip("\n")}


def _mount(line: str) -> dict[str, Any] | None:
    path, sign, rest = line.partition(" from ")
    name, _, flags = rest.partition(" ")
    if not sign:
        return None
    read_only = {"readOnly": True} if flags.startswith("(ro") else {}
    return {"mountPath": path, "name": name, **read_only}


# --- Volumes and tolerations --------------------------------------------------------------------------------------------------


def _volume(entry: Entry) -> dict[str, Any]:
    found = pairs_of(entry)
    kind = found.get("Type", "").partition(" ")[0]
    if kind == "EmptyDir":
        told = {"medium": value_of(found.get("Medium", "")), "sizeLimit": value_of(found.get("SizeLimit", ""))}
        return {"name": entry.key, "emptyDir": {key: value for key, value in told.items() if value}}
    if kind in _VOLUMES:
        field, shown, name = _VOLUMES[kind]
        return {"name": entry.key, field: {name: found.get(shown) or NOT_SHOWN}}
    return {"name": entry.key, (kind[:1].lower() + kind[1:]) or "source": NOT_SHOWN}


def _tolerations(found: dict[str, Entry]) -> list[dict[str, Any]] | str:
    """Return the tolerations; unknown where nothing follows them, so that the text may have been cut there."""
    read = [one for line in texts_of(found.get("Tolerations")) if (one := _toleration(line))]
    return read if "Events" in found else NOT_SHOWN


def _toleration(line: str) -> dict[str, Any] | None:
    found = _TOLERATION.fullmatch(line)
    if not found:
        return None
    told: dict[str, Any] = {key: found[key] for key in ("key", "value", "effect") if found[key]}
    told["operator"] = found["op"] or ("Equal" if found["value"] is not None else "Exists")
    if found["seconds"]:
        told["tolerationSeconds"] = int(found["seconds"])
    return told


def _text(found: dict[str, Entry], key: str) -> str:
    return value_of(found[key].value) if key in found else ""
