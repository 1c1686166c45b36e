"""What lists show of GPUs: which nodes should have some, who there may be asked for nvidia-smi, and who else tells of them."""

from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple
from urllib.parse import quote

from . import plan
from .logs import LogPod, log_pod

Object = Dict[str, Any]
_FOR_HOST, _FOR_USERS = 1000, 2000      # ranks behind all that are asked without an option


class Candidate(NamedTuple):
    """A running container that may have nvidia-smi; sorts in the order in which to ask. ``part``: it sees only its own GPUs."""

    rank: int
    namespace: str
    pod: str
    container: str
    program: Tuple[str, ...]
    node: str
    part: bool = False


class Told(NamedTuple):
    """What a source other than nvidia-smi tells of one GPU. Memory in MiB; "" or 0 where it does not tell."""

    model: str
    driver: str
    memory: int


class GpuNode(NamedTuple):
    """What the lists show of one node; grows while they are read. Small rows only."""

    signs: Set[str]                 # what shows that it should have GPUs
    containers: List[Candidate]
    pages: List[Tuple[str, str]]    # of DCGM exporters: namespace, path
    validators: List[LogPod]
    told: Dict[str, List[Told]]     # a row for each GPU, by who tells: "GFD labels", "ResourceSlices"


def note_gpus(kind: plan.Kind, value: Object, nodes: Dict[str, GpuNode], options: plan.Options) -> None:
    """Keep what an object shows of a node's GPUs."""
    if (kind.group, kind.plural) == ("", "nodes") and is_gpu_node(value):
        node = _node(nodes, value["metadata"]["name"], "Node")
        node.told["GFD labels"] = _labelled(value["metadata"].get("labels") or {})
    elif (kind.group, kind.plural) == ("", "pods") and (value.get("spec") or {}).get("nodeName"):
        _note_pod(value, nodes, options)
    elif kind.kind == "ResourceSlice" and value["spec"].get("driver") == plan.GPU_SLICES and value["spec"].get("nodeName"):
        devices = [_device(device.get("basic") or device) for device in value["spec"].get("devices") or []]     # v1beta1: basic
        node = _node(nodes, value["spec"]["nodeName"], kind.kind)
        node.told.setdefault("ResourceSlices", []).extend([told for told in devices if told])


def _node(nodes: Dict[str, GpuNode], name: str, sign: str = "") -> GpuNode:
    node = nodes.setdefault(name, GpuNode(set(), [], [], [], {}))
    node.signs.update([sign] if sign else [])
    return node


def is_gpu_node(node: Object) -> bool:
    """Return whether a Node should have NVIDIA GPUs, by its labels, capacity and allocatable."""
    labels = (node.get("metadata") or {}).get("labels") or {}
    if any(str(labels.get(name, "false")).lower() != "false" for name in plan.GPU_LABELS):
        return True
    status = node.get("status") or {}
    resources = list(status.get("capacity") or {}) + list(status.get("allocatable") or {})
    return any(name.startswith(plan.GPU_RESOURCES) for name in resources)


def _labelled(labels: Dict[str, Any]) -> List[Told]:
    """Return what GPU Feature Discovery wrote: the same for each GPU."""
    product, driver, memory, count = [str(labels.get(name, "")) for name in plan.GPU_TELLING_LABELS]
    return [Told(product, driver, _number(memory))] * min(_number(count), 64)


def _device(device: Object) -> Optional[Told]:
    """Return what a device of a ResourceSlice tells; None of a MIG device, which is a part of one that stands beside it."""
    told = {name: str(value.get("string") or value.get("version") or "") for name, value in device.get("attributes", {}).items()}
    memory = str(device.get("capacity", {}).get("memory", {}).get("value", ""))
    size = _number(memory[:-2]) * {"Gi": 1024, "Mi": 1}.get(memory[-2:], 0)
    return Told(told.get("productName", ""), told.get("driverVersion", ""), size) if told.get("type", "gpu") == "gpu" else None


def _number(text: str) -> int:
    return int(text) if text.isdigit() and len(text) < 10 else 0


def _note_pod(pod: Object, nodes: Dict[str, GpuNode], options: plan.Options) -> None:
    """Keep who of a Pod may be asked for nvidia-smi, the exporter's page and the validator's logs."""
    namespace, name, place = pod["metadata"].get("namespace", ""), pod["metadata"]["name"], pod["spec"]["nodeName"]
    containers = {container.get("name", ""): container for container in pod["spec"].get("containers") or []}
    running = _running(pod)
    found = candidates(pod, containers, running, options)
    if plan.GPU_DRIVER in containers:
        _node(nodes, place, plan.GPU_DRIVER)
    if plan.VALIDATOR in containers:
        _node(nodes, place).validators.append(log_pod(pod))
    if found:
        _node(nodes, place).containers.extend(found)
    if plan.DCGM_CONTAINER in running:
        ports = containers.get(plan.DCGM_CONTAINER, {}).get("ports") or [{"containerPort": plan.DCGM_PORT}]
        path = plan.DCGM_PATH % (quote(namespace), quote(name), ports[0]["containerPort"])
        _node(nodes, place).pages.append((namespace, path))


def _running(pod: Object) -> Set[str]:
    """Return the names of a Pod's running containers; none when it is about to end."""
    status = pod.get("status") or {}
    if status.get("phase") != "Running" or pod["metadata"].get("deletionTimestamp"):
        return set()
    return {entry.get("name", "") for entry in status.get("containerStatuses") or [] if "running" in (entry.get("state") or {})}


def candidates(pod: Object, containers: Object, running: Set[str], options: plan.Options) -> List[Candidate]:
    """Return the running containers of a Pod that may have nvidia-smi, as far as the options allow to ask them."""
    namespace, pod_name = pod["metadata"].get("namespace", ""), pod["metadata"]["name"]
    ways = [(rank, known.name, (known.program,), False)
            for rank, known in enumerate(plan.SMI_CONTAINERS) if known.pod_word in pod_name]  # type: List[_Way]
    if options.host:
        ways += [(_FOR_HOST + rank, container, program, False) for container in plan.SMI_HOST_CONTAINERS
                 for rank, program in enumerate(plan.SMI_HOST_PROGRAMS)]
    if options.user_pods and not running & {way[1] for way in ways}:
        ways = [(_FOR_USERS, name, ("nvidia-smi",), True) for name in sorted(containers) if _holds_gpus(containers[name])]
    return [Candidate(rank, namespace, pod_name, container, program, pod["spec"]["nodeName"], part)
            for rank, container, program, part in ways if container in running]


_Way = Tuple[int, str, Tuple[str, ...], bool]


def _holds_gpus(container: Object) -> bool:
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(str(name).startswith(plan.GPU_RESOURCES) and str(limits[name]) != "0" for name in limits)
