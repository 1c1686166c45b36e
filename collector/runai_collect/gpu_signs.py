"""What lists show of GPUs: which nodes should have some, who there may be asked for nvidia-smi, and who else tells of them."""

import re
from typing import Any, Dict, List, NamedTuple, Set, Tuple

from . import plan
from .logs import log_pod

Object = Dict[str, Any]
Gpu = Tuple[str, str]                   # model and driver, "" where they are not told
_FOR_HOST, _FOR_USERS = 1000, 2000      # ranks behind all that are asked without an option


class Candidate(NamedTuple):
    """A running container that may have nvidia-smi; sorts in the order in which to ask. ``part``: it sees only its own GPUs."""

    rank: int
    namespace: str
    pod: str
    container: str
    program: Tuple[str, ...]
    part: bool = False


class GpuNode(NamedTuple):
    """What the lists show of one node; grows while they are read. Small rows only."""

    signs: Set[str]                 # what shows that it should have GPUs
    containers: List[Candidate]
    pages: List[str]                # of DCGM exporters: their paths
    checks: List[str]               # of the validator that ran: the paths of their logs
    told: Dict[str, List[Gpu]]      # a row for each GPU, by who tells: "GFD labels", "ResourceSlices"


Noted = Dict[Tuple[str, str], GpuNode]  # by the namespace of the pods that show it ("" for what is the cluster's) and the node


def note_gpus(kind: plan.Kind, value: Object, nodes: Noted, options: plan.Options) -> None:
    """Keep what an object shows of a node's GPUs."""
    spec = value.get("spec") or {}
    if (kind.group, kind.plural) == ("", "nodes") and is_gpu_node(value):
        node = _node(nodes, "", value["metadata"]["name"], "Node")
        node.told["GFD labels"] = _labelled(value["metadata"].get("labels") or {})
    elif (kind.group, kind.plural) == ("", "pods") and spec.get("nodeName"):
        _note_pod(value, nodes, options)
    elif kind.kind == "ResourceSlice" and spec.get("driver") == plan.GPU_SLICES and spec.get("nodeName"):
        node = _node(nodes, "", spec["nodeName"], kind.kind)
        node.told.setdefault("ResourceSlices", []).extend(_devices(spec.get("devices") or []))


def _node(nodes: Noted, namespace: str, name: str, *signs: str) -> GpuNode:
    node = nodes.setdefault((namespace, name), GpuNode(set(), [], [], [], {}))
    node.signs.update(signs)
    return node


def known_nodes(noted: Noted, operators: Set[str], options: plan.Options) -> Dict[str, GpuNode]:
    """Return by node what can be relied on. Pods are NVIDIA's in the namespaces of the plan and of the ``operators``. All others
    are users', whatever their containers are called: they show nothing, and have no more than their own GPUs to tell of."""
    nodes: Noted = {}
    for (namespace, name), found in sorted(noted.items(), key=str):
        if namespace and namespace not in plan.SMI_NAMESPACES and namespace not in operators:
            users = [one._replace(rank=_FOR_USERS, part=True) for one in found.containers if one.part or one.rank < _FOR_HOST]
            found = GpuNode(set(), users if options.user_pods else [], [], [], {})
        if any(found):
            node = _node(nodes, "", name, *found.signs)
            node.containers.extend(found.containers)
            node.pages.extend(found.pages)
            node.checks.extend(found.checks)
            node.told.update(found.told)
    return {name: node for (_, name), node in nodes.items()}


def is_gpu_node(node: Object) -> bool:
    """Return whether a Node should have NVIDIA GPUs, by its labels, capacity and allocatable."""
    labels, status = (node.get("metadata") or {}).get("labels") or {}, node.get("status") or {}
    resources = list(status.get("capacity") or {}) + list(status.get("allocatable") or {})
    return (any(str(labels.get(name, "false")).lower() != "false" for name in plan.GPU_LABELS) or
            any(name.startswith(plan.GPU_RESOURCES) for name in resources))


def _labelled(labels: Dict[str, Any]) -> List[Gpu]:
    """Return what GPU Feature Discovery wrote: the same for each GPU."""
    product, driver, count = [str(labels.get(name, "")) for name in plan.GPU_TELLING_LABELS]
    return [(product, driver)] * int(count if re.match(r"[0-9]{1,2}\Z", count) else 0)


def _devices(devices: List[Object]) -> List[Gpu]:
    """Return what the devices of a ResourceSlice tell; a MIG device is a part of one that stands beside it."""
    rows = [(device.get("basic") or device).get("attributes") or {} for device in devices]      # v1beta1 has "basic"
    return [(str(row.get("productName", {}).get("string", "")), str(row.get("driverVersion", {}).get("version", "")))
            for row in rows if row.get("type", {}).get("string", "gpu") == "gpu"]


def _note_pod(pod: Object, nodes: Noted, options: plan.Options) -> None:
    """Keep who of a Pod may be asked for nvidia-smi, the exporter's page and the validator's logs."""
    namespace, name, place = pod["metadata"].get("namespace", ""), pod["metadata"]["name"], pod["spec"]["nodeName"]
    containers = {container.get("name", ""): container for container in pod["spec"].get("containers") or []}
    running = _running(pod)
    found = _candidates(pod, containers, running, options)
    if found:
        _node(nodes, namespace, place).containers.extend(found)
    if plan.GPU_DRIVER in containers:
        _node(nodes, namespace, place, plan.GPU_DRIVER)
    if plan.VALIDATOR in containers:
        checks = [container for container, _ in log_pod(pod).containers if container in plan.VALIDATIONS]
        _node(nodes, namespace, place).checks.extend([options.log_path(namespace, name, check) for check in checks])
    if plan.DCGM_CONTAINER in running:
        ports = containers.get(plan.DCGM_CONTAINER, {}).get("ports") or [{"containerPort": plan.DCGM_PORT}]
        path = plan.DCGM_PATH % (plan.quoted(namespace), plan.quoted(name), ports[0]["containerPort"])
        _node(nodes, namespace, place).pages.append(path)


def _running(pod: Object) -> Set[str]:
    """Return the names of a Pod's running containers; none when it is about to end."""
    status = pod.get("status") or {}
    ends = status.get("phase") != "Running" or pod["metadata"].get("deletionTimestamp")
    return {entry.get("name", "") for entry in status.get("containerStatuses") or []
            if "running" in (entry.get("state") or {}) and not ends}


def _candidates(pod: Object, containers: Object, running: Set[str], options: plan.Options) -> List[Candidate]:
    """Return the running containers of a Pod that may have nvidia-smi, as far as the options allow to ask them."""
    namespace, name = pod["metadata"].get("namespace", ""), pod["metadata"]["name"]
    ways = [(rank, known.name, (known.program,)) for rank, known in enumerate(plan.SMI_CONTAINERS)
            if known.pod_word in name]  # type: List[Tuple[int, str, Tuple[str, ...]]]
    if options.host:
        ways += [(_FOR_HOST + rank, container, program) for container in plan.SMI_HOST_CONTAINERS
                 for rank, program in enumerate(plan.SMI_HOST_PROGRAMS)]
    users = options.user_pods and running.isdisjoint([container for _, container, _ in ways])
    if users:
        ways = [(_FOR_USERS, one, ("nvidia-smi",)) for one in sorted(containers) if _holds_gpus(containers[one])]
    return [Candidate(rank, namespace, name, container, program, users)
            for rank, container, program in ways if container in running]


def _holds_gpus(container: Object) -> bool:
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(str(name).startswith(plan.GPU_RESOURCES) and str(limits[name]) != "0" for name in limits)
