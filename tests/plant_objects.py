"""The things that carry plants: objects, patches of objects that a scenario has too, log lines, answers of nvidia-smi."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.plant_values import Value

Object = dict[str, Any]

SPACE = "planted"  # objects
RUNAI = "runai"  # pods whose logs are collected whatever their health
GPU_OPERATOR = "gpu-operator"
NODE = "planted-node"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True)
class Apply:
    """An object that is nobody else's."""

    body: Object


@dataclass(frozen=True)
class Patch:
    """A merge patch; where the object is missing, `base` and the patch together make it."""

    base: Object
    patch: Object


@dataclass(frozen=True)
class Log:
    """Lines of the log of one container of the pod `runai/planted-logs`."""

    container: str
    text: str
    previous: bool = False


@dataclass(frozen=True)
class NvidiaSmi:
    """What `nvidia-smi` answers in the driver pod of the node."""

    argv: tuple[str, ...]
    stdout: str


Thing = Apply | Patch | Log | NvidiaSmi
Make = Callable[[str], Sequence[Thing]]
Row = tuple[str, str, Value, Make]  # the plant's id, where it stands, the value, what puts it there

LOG_POD = "planted-logs"
LOG_CONTAINERS = ("text", "json", "pem", "long", "headless")
DRIVER_POD = "nvidia-driver-daemonset-planted"
DRIVER_CONTAINER = "nvidia-driver-ctr"


def made(
    api: str, kind: str, name: str, namespace: str = SPACE, annotations: Mapping[str, str] | None = None, **rest: Any
) -> Object:
    """An object; an empty namespace: the kind has none."""
    metadata: Object = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if annotations:
        metadata["annotations"] = dict(annotations)
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def pod(
    name: str,
    container: Object | None = None,
    namespace: str = SPACE,
    status: Object | None = None,
    annotations: Mapping[str, str] | None = None,
    **rest: Any,
) -> Object:
    """A pod with one container; what is in `rest` goes into its spec."""
    main = {"name": "main", "image": "registry.example.com/app:1.0", **(container or {})}
    spec = {"nodeName": NODE, "containers": [main], **rest}
    return made("v1", "Pod", name, namespace, annotations, spec=spec, status=status or {"phase": "Running"})


def env_pod(name: str, **env: str) -> Object:
    return pod(name, {"env": [{"name": key, "value": value} for key, value in env.items()]})


def secret(name: str, data: Mapping[str, str], kind: str = "Opaque", namespace: str = SPACE, **rest: Any) -> Object:
    return made("v1", "Secret", name, namespace, type=kind, stringData=dict(data), **rest)


def config(name: str, data: Mapping[str, str], namespace: str = SPACE, **rest: Any) -> Object:
    return made("v1", "ConfigMap", name, namespace, data=dict(data), **rest)


def custom(name: str, spec: Object | None = None, status: Object | None = None) -> Object:
    """A custom resource of a group that is collected, with a schema that allows everything."""
    return made("run.ai/v1", "PlantedWorkload", name, spec=spec or {}, status=status or {"phase": "Ready"})


def event(name: str, message: str) -> Object:
    about = {"apiVersion": "v1", "kind": "Pod", "namespace": SPACE, "name": "someone"}
    times: Object = {"firstTimestamp": "2026-12-01T10:00:00Z", "lastTimestamp": "2026-12-01T10:05:00Z", "count": 3}
    return made("v1", "Event", name, involvedObject=about, reason="Failed", type="Warning", message=message, **times)


def ingress(name: str, secret_name: str, **rest: Any) -> Object:
    backend = {"service": {"name": "web", "port": {"number": 80}}}
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    host = f"{name}.example.com"
    spec = {"tls": [{"hosts": [host], "secretName": secret_name}], "rules": [{"host": host, "http": {"paths": [path]}}]}
    return made("networking.k8s.io/v1", "Ingress", name, spec=spec, **rest)


def labelled(body: Object, labels: dict[str, str]) -> Object:
    body["metadata"]["labels"] = labels
    return body


def deployment(name: str, container: Object) -> Object:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "i:1", **container}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    status = {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 1, "observedGeneration": 1}
    return made("apps/v1", "Deployment", name, spec=spec, status=status)


def cron_job(name: str, container: Object) -> Object:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i:1", **container}]}
    return made("batch/v1", "CronJob", name, spec={"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}})


def volume(name: str, attributes: dict[str, str]) -> Object:
    csi = {"driver": "file.csi.azure.com", "volumeHandle": name, "volumeAttributes": attributes}
    return made(
        "v1", "PersistentVolume", name, "", spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "csi": csi}
    )


def service(name: str, annotations: Mapping[str, str]) -> Object:
    return made("v1", "Service", name, annotations=annotations, spec={"selector": {"app": name}, "ports": [{"port": 80}]})


def ended_pod(message: str) -> Object:
    state = {
        "terminated": {
            "exitCode": 1,
            "reason": "Error",
            "message": message,
            "startedAt": "2026-12-01T09:00:00Z",
            "finishedAt": "2026-12-01T09:01:00Z",
        }
    }
    image = {"image": "i:1", "imageID": "i@sha256:" + "0" * 64}
    return {
        "phase": "Failed",
        "containerStatuses": [{"name": "main", "ready": False, "restartCount": 1, "state": state, "lastState": state, **image}],
    }


def node_patch(annotations: Mapping[str, str]) -> Patch:
    return Patch(made("v1", "Node", NODE, namespace=""), {"metadata": {"annotations": dict(annotations)}})


def crd(schema_of_spec: Object) -> Object:
    """The definition of `PlantedWorkload`; the plants put a default and a description into its schema."""
    open_ended = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    properties = {"spec": {**open_ended, **schema_of_spec}, "status": open_ended}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    names = {
        "plural": "plantedworkloads",
        "singular": "plantedworkload",
        "kind": "PlantedWorkload",
        "listKind": "PlantedWorkloadList",
    }
    spec = {"group": "run.ai", "scope": "Namespaced", "names": names, "versions": [version]}
    return made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "plantedworkloads.run.ai", namespace="", spec=spec)


def carriers(node_status: Mapping[str, Any]) -> tuple[Object, ...]:
    """What must be there before the plants: namespaces, a GPU node, the pods whose logs and nvidia-smi are read."""
    namespaces = [made("v1", "Namespace", name, namespace="") for name in (SPACE, RUNAI, GPU_OPERATOR, "knative-serving")]
    status = {"capacity": {"nvidia.com/gpu": "1"}, "allocatable": {"nvidia.com/gpu": "1"}, **node_status}
    node = made("v1", "Node", NODE, namespace="", status=status)
    node["metadata"]["labels"] = {"nvidia.com/gpu.present": "true", "kubernetes.io/os": "linux"}
    logs = pod(LOG_POD, namespace=RUNAI)
    logs["spec"]["containers"] = [{"name": name, "image": "registry.example.com/app:1.0"} for name in LOG_CONTAINERS]
    logs["status"] = {"phase": "Running", "containerStatuses": [_running(name) for name in LOG_CONTAINERS]}
    driver = pod(DRIVER_POD, namespace=GPU_OPERATOR)
    driver["metadata"]["labels"] = {"app": "nvidia-driver-daemonset"}
    driver["spec"]["containers"][0]["name"] = DRIVER_CONTAINER
    driver["status"] = {"phase": "Running", "containerStatuses": [_running(DRIVER_CONTAINER)]}
    return (*namespaces, node, logs, driver)


def _running(container: str) -> Object:
    image = {"image": "registry.example.com/app:1.0", "imageID": "registry.example.com/app@sha256:" + "0" * 64}
    state = {"running": {"startedAt": "2026-12-01T10:00:00Z"}}
    return {"name": container, "ready": True, "started": True, "restartCount": 1, "state": state, "lastState": _ended(), **image}


def _ended() -> Object:
    times = {"startedAt": "2026-12-01T09:00:00Z", "finishedAt": "2026-12-01T09:59:00Z"}
    return {"terminated": {"exitCode": 1, "reason": "Error", "containerID": "containerd://" + "1" * 64, **times}}
