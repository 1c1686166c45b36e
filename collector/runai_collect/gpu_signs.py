"""What lists show of GPUs: which nodes should have some, who there may be asked for nvidia-smi, and who else tells of them."""

import re
from typing import Any, Dict, List, NamedTuple, Set, Tuple

from . import plan
from .logs import log_pod

Object = Dict[str, Any]
Gpu = Tuple[str, str]                   # model and driver, "" where they are not told


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


def note_gpus(kind: plan.Kind, value: Object, nodes: Dict[str, GpuNode], options: plan.Options, own: bool) -> None:
    """Keep what an object shows of a node's GPUs. A Pod that is not NVIDIA's ``own`` is a user's, whatever its containers are
    called: it shows nothing, and knows of no GPUs but those that it holds."""
    spec = value.get("spec") or {}
    if (kind.group, kind.plural) == ("", "nodes") and is_gpu_node(value):
        node = _node(nodes, value["metadata"]["name"], "Node")
        node.told["GFD labels"] = _labelled(value["metadata"].get("labels") or {})
    elif (own or options.host or options.user_pods) and (kind.group, kind.plural) == ("", "pods") and spec.get("nodeName"):
        _note_pod(value, nodes, options, own)
    elif kind.kind == "ResourceSlice" and spec.get("driver") == plan.GPU_SLICES and spec.get("nodeName"):
        node = _node(nodes, spec["nodeName"], kind.kind)
        node.told.setdefault("ResourceSlices", []).extend(_devices(spec.get("devices") or []))


def _node(nodes: Dict[str, GpuNode], name: str, *signs: str) -> GpuNode:
    node = nodes.setdefault(name, GpuNode(set(), [], [], [], {}))
    node.signs.update(signs)
    return node


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


def _note_pod(pod: Object, nodes: Dict[str, GpuNode], options: plan.Options, own: bool) -> None:
    """Keep who of a Pod may be asked for nvidia-smi, the exporter's page and the validator's logs."""
    namespace, name, place = pod["metadata"].get("namespace", ""), pod["metadata"]["name"], pod["spec"]["nodeName"]
    containers = {container.get("name", ""): container for container in pod["spec"].get("containers") or []}
    running = _running(pod)
    found = _candidates(pod, containers, running, options, own)
    if found:
        _node(nodes, place).containers.extend(found)
    if not own:
        return
    if plan.GPU_DRIVER in containers:
        _node(nodes, place, plan.GPU_DRIVER)
    if plan.VALIDATOR in containers:
        checks = [container for container, _ in log_pod(pod).containers if container in plan.VALIDATIONS]
        _node(nodes, place).checks.extend([options.log_path(namespace, name, check) for check in checks])
    if plan.DCGM_CONTAINER in running:
        ports = containers.get(plan.DCGM_CONTAINER, {}).get("ports") or [{"containerPort": plan.DCGM_PORT}]
        _node(nodes, place).pages.append(plan.DCGM_PATH % (plan.quoted(namespace), plan.quoted(name), ports[0]["containerPort"]))


def _running(pod: Object) -> Set[str]:
    """Return the names of a Pod's running containers; none when it is about to end."""
    status = pod.get("status") or {}
    ends = status.get("phase") != "Running" or pod["metadata"].get("deletionTimestamp")
    return {entry.get("name", "") for entry in status.get("containerStatuses") or []
            if "running" in (entry.get("state") or {}) and not ends}


def _candidates(pod: Object, containers: Object, running: Set[str], options: plan.Options, own: bool) -> List[Candidate]:
    """Return the running containers of a Pod that may have nvidia-smi, as far as the options allow to ask them."""
    namespace, name = pod["metadata"].get("namespace", ""), pod["metadata"]["name"]
    ways = [(rank, known.name, (known.program,)) for rank, known in enumerate(plan.SMI_CONTAINERS)
            if known.pod_word in name]  # type: List[Tuple[int, str, Tuple[str, ...]]]
    users = False
    if options.host or options.user_pods:
        from .gpu_wishes import wished_ways
        ways, users = wished_ways(ways, containers, running, options, own)
    return [Candidate(rank, namespace, name, container, program, users)
            for rank, container, program in ways if container in running and (own or users)]
