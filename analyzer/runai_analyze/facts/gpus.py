"""GPUs from the PCI bus to the scheduler, node by node: the made kinds ``GpuNode`` and ``GpuDevice``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runai_collect.layout import NODE_SOURCE, NVIDIA_SMI_TOPO, PART_OF_GPUS

from ..bundle.coverage import RECOLLECT
from ..bundle.node_texts import SMI_NAMES
from ..bundle.source import Record
from ..model import Item, Missing, ObjectRef, Unknown
from .gaps import Gaps
from .index import MIG_PREFIX, Index, Seen, gpu_amount
from .nvidia_smi import Device, SmiOutput, Topology, parse_smi, parse_topology
from .reading import dig, labels_of, mapping, mappings, text, tree, unknown, whole

# PCI vendor 10de is NVIDIA; NFD labels it with or without the device class (0300 display, 0302 3D controller).
_PCI_LABELS = tuple(f"feature.node.kubernetes.io/pci-{name}.present" for name in ("10de", "0300_10de", "0302_10de"))
_PRESENT_LABELS = ("nvidia.com/gpu.present", *_PCI_LABELS)
_NAMED_LABELS = ("cloud.google.com/gke-accelerator", "k8s.amazonaws.com/accelerator", "kubernetes.azure.com/accelerator")
_WORKER_LABEL = "node-role.kubernetes.io/runai-gpu-worker"
_NOT_FOUND = (126, 127)  # the shell's and the runtime's exit codes for a program that is not there


@dataclass(frozen=True)
class NodeSmi:
    """How nvidia-smi on one node was asked and what came back; ``output`` is None when nothing did."""

    answered: bool
    exit_code: int | None
    output: SmiOutput | None
    ref: ObjectRef
    reason: str = ""  # why there is no answer, in the collector's words
    asked: bool = True
    part: bool = False  # a user's pod answered, which sees only its own GPUs
    topology: Topology | None = None  # how the GPUs are joined; None: the bundle does not hold it
    told: str = ""  # what somebody else tells of the GPUs, and who, in the collector's words; where there is no answer

    @property
    def whole(self) -> SmiOutput | None:
        """The output when it speaks of all GPUs of the node."""
        return None if self.part else self.output

    @property
    def failed(self) -> bool:
        """nvidia-smi ran and reported an error."""
        return self.output is not None and (bool(self.exit_code) or (bool(self.output.error) and not self.output.devices))


def read_node(node: str, files: Mapping[str, Record]) -> NodeSmi:
    """Read the files of one node (``source.json`` as text, the outputs of nvidia-smi)."""
    output, member, own = _best_output(files)
    source = mapping(files[NODE_SOURCE].body.get("json")) if NODE_SOURCE in files and not own else {}
    attempts = list(mappings(source.get("attempts")))
    chosen = _chosen_attempt(source, attempts)
    answered = output is not None or whole(source.get("answered_by")) is not None
    code = whole(chosen.get("exit_code"))
    if output is None and answered and text(chosen.get("stderr")):
        output = parse_smi(text(chosen.get("stderr")))
    reason = "; ".join(dict.fromkeys(_attempt_words(attempt) for attempt in attempts))
    if not reason and not text(source.get("reason")) and NODE_SOURCE in files:
        reason = "no pod with nvidia-smi runs on the node"
    part = source.get("sees") == PART_OF_GPUS
    ref, told = ObjectRef("Node", node, "", member), text(source.get("told"))[:300]
    topology = parse_topology(text(files[NVIDIA_SMI_TOPO].body.get("text"))) if NVIDIA_SMI_TOPO in files else None
    asked = NODE_SOURCE in files or output is not None
    return NodeSmi(answered, code, output, ref, "" if answered else reason[:500], asked, part, topology, "" if answered else told)


def _chosen_attempt(source: Mapping[str, Any], attempts: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    index = whole(source.get("answered_by"))
    if index is not None and 0 <= index < len(attempts):
        return attempts[index]
    ran = [one for one in attempts if whole(one.get("exit_code")) not in (None, *_NOT_FOUND)]
    return ran[-1] if ran else {}


def _best_output(files: Mapping[str, Record]) -> tuple[SmiOutput | None, str, bool]:
    """Return the first output that says something, the fullest form first; the member it stands in; and whether the machine told
    it without a pod, so that what pods answered does not matter."""
    for name in SMI_NAMES:
        if name in files:
            output = parse_smi(text(files[name].body.get("text")))
            if output.readable:
                return output, files[name].member, files[name].body.get("own") is True
    return None, "", False


def _attempt_words(attempt: Mapping[str, Any]) -> str:
    where = f"{text(attempt.get('namespace'))}/{text(attempt.get('pod'))}"
    code = whole(attempt.get("exit_code"))
    return f"{where}: {text(attempt.get('status')) or 'no answer'}" + (f" (exit code {code})" if code else "")


def is_gpu_node(body: Mapping[str, Any], smi: NodeSmi | None) -> bool:
    """Tell whether a node should have GPUs: a label, a resource or nvidia-smi itself says so."""
    labels = labels_of(body)
    if any(labels.get(label) == "true" for label in _PRESENT_LABELS) or whole(labels.get("nvidia.com/gpu.count")):
        return True
    if _WORKER_LABEL in labels or any("nvidia" in text(labels.get(label)) for label in _NAMED_LABELS):
        return True
    if any(text(labels.get(label)) for label in _NAMED_LABELS[:2]):
        return True
    if gpu_amount(dig(body, "status", "capacity")):
        return True
    return bool(smi and smi.output and smi.output.devices)


def node_answers(index: Index, gaps: Gaps) -> dict[str, NodeSmi]:
    """Return what nvidia-smi answered, by node, for the nodes that were asked."""
    answers = {node: read_node(node, files) for node, files in sorted(index.node_files.items())}
    return {node: replace(smi, answered=False) if _kept_back(smi, node, gaps) else smi for node, smi in answers.items()}


def _kept_back(smi: NodeSmi, node: str, gaps: Gaps) -> bool:
    """Tell whether the customer took out what nvidia-smi printed and left the note that it ran: that is no empty answer."""
    gap = gaps.of(("NvidiaSmi", "made"), namespaces=(node,)) if smi.answered and smi.output is None else None
    return gap is not None and bool(gap.missing.taken_out)


def gpu_node_names(index: Index, answers: Mapping[str, NodeSmi]) -> frozenset[str]:
    """Return the names of the nodes that should have GPUs."""
    return frozenset(seen.name for seen in index.of("Node", "") if is_gpu_node(seen.body, answers.get(seen.name)))


def gpu_nodes(index: Index, answers: Mapping[str, NodeSmi], gaps: Gaps) -> list[Item]:
    """Return the ``GpuNode`` items, in the order of the bundle."""
    requested: dict[str, int] = {}
    for pod in index.of("Pod", ""):
        node = text(pod.body.get("node"))
        requested[node] = requested.get(node, 0) + (whole(pod.body.get("gpus")) or 0)
    pods_gap = gaps.of(("Pod", ""))
    nodes = [seen for seen in index.of("Node", "") if is_gpu_node(seen.body, answers.get(seen.name))]
    return [_gpu_node(seen, answers.get(seen.name), pods_gap or requested.get(seen.name, 0), gaps) for seen in nodes]


def _gpu_node(node: Seen, smi: NodeSmi | None, requested: int | Unknown, gaps: Gaps) -> Item:
    labels = labels_of(node.body)
    output, seen_whole = (smi.output, smi.whole) if smi else (None, None)
    status = mapping(node.body.get("status"))
    product = text(labels.get("nvidia.com/gpu.product")) or None
    body: dict[str, Any] = {
        "apiVersion": "made/v1",
        "kind": "GpuNode",
        "metadata": {"name": node.name},
        "pci": {"present": _pci(labels)},
        "nvidia_smi": _smi_fields(node.name, smi, gaps),
        "labels": {
            "count": whole(labels.get("nvidia.com/gpu.count")),
            "product": product,
            "replicas": whole(labels.get("nvidia.com/gpu.replicas")),
            "mig_strategy": text(labels.get("nvidia.com/mig.strategy")) or None,
        },
        "capacity": gpu_amount(status.get("capacity")),
        "allocatable": gpu_amount(status.get("allocatable")),
        "requested": requested,
        "expected": expected(labels, seen_whole if not (smi and smi.failed) else None),
        "mig": _mig(labels, seen_whole),
        "topology": {"gpu_links": _gpu_links(node.name, smi)},
        "sharing": sharing(labels),
        "model": _model(output) or (product or "").removesuffix("-SHARED") or None,
    }
    body["gap"] = gap(body)
    origins = {"": node.ref}
    if smi and smi.ref.member:
        origins["nvidia_smi"] = smi.ref
    return Item("GpuNode", "made", tree(body), ObjectRef("GpuNode", node.name, "", node.ref.member, node.ref.line), origins)


def _gpu_links(name: str, smi: NodeSmi | None) -> list[str] | Unknown:
    what, command = f"how the GPUs of node {name} are joined", RECOLLECT
    if smi is None or smi.topology is None or smi.part:
        return unknown(what, "nvidia-smi topo -m was not run for all GPUs of the node", command)
    if smi.topology.problem:
        return unknown(what, smi.topology.problem, command)
    return list(smi.topology.gpu_links)


def _pci(labels: Mapping[str, Any]) -> bool | Unknown:
    if any(labels.get(label) == "true" for label in _PCI_LABELS):
        return True
    if any(str(label).startswith("feature.node.kubernetes.io/") for label in labels):
        return False
    return unknown("the PCI devices of the node", "Node Feature Discovery has not labelled it")


def _smi_fields(name: str, smi: NodeSmi | None, gaps: Gaps) -> dict[str, Any]:
    step = gaps.of(("NvidiaSmi", "made"), namespaces=(name,))
    gap = step.missing if step else Missing("", "nvidia-smi was not asked on this node", RECOLLECT)
    command = gap.command
    if smi is None or not smi.answered:
        reason = smi.reason if smi and smi.reason and not gap.taken_out else gap.reason
        reason += f"; {smi.told}" if smi and smi.told and smi.told not in reason else ""
        nothing = Unknown(replace(gap, what=f"nvidia-smi of node {name}", reason=reason))
        fields = ("ok", "exit_code", "error", "count", "driver_version", "cuda_version")
        return {"answered": False, **dict.fromkeys(fields, nothing)}
    output = smi.output or SmiOutput()
    unclear = None if output.complete else unknown(f"nvidia-smi of node {name}", "its output was cut", command)
    if smi.part:
        unclear = unknown(f"all GPUs of node {name}", "nvidia-smi ran in a user's pod, which sees only its own", command)
        failing = dict.fromkeys(("ok", "exit_code", "error"), unclear) if smi.failed else {"ok": True, "exit_code": smi.exit_code}
        versions = {"driver_version": output.driver_version or unclear, "cuda_version": output.cuda_version or unclear}
        return {"answered": True, "count": unclear, **failing, **versions}
    return {
        "answered": True,
        "ok": not smi.failed if unclear is None or smi.failed else unclear,
        "exit_code": smi.exit_code,
        "error": output.error or (f"exit code {smi.exit_code}" if smi.exit_code else None),
        "count": output.count if output.count is not None else (0 if smi.failed else unclear),
        "driver_version": output.driver_version or unclear,
        "cuda_version": output.cuda_version or unclear,
    }


def sharing(labels: Mapping[str, Any]) -> bool:
    """Tell whether the device plugin offers a GPU several times (time slicing or MPS)."""
    replicas = [
        whole(value) or 1
        for key, value in labels.items()
        if str(key).startswith("nvidia.com/") and str(key).endswith(".replicas")
    ]
    named = text(labels.get("nvidia.com/gpu.sharing-strategy")) in ("time-slicing", "mps")
    return any(count > 1 for count in replicas) or named or text(labels.get("nvidia.com/gpu.product")).endswith("-SHARED")


def expected(labels: Mapping[str, Any], output: SmiOutput | None) -> int | Unknown:
    """Return how many GPUs and MIG devices allocatable should show, each times the replicas of the device plugin's sharing."""
    if labels.get("nvidia.com/gpu.deploy.device-plugin") == "false":
        return unknown("the GPUs that the node should offer", "the device plugin is turned off on this node by a label")
    strategy = text(labels.get("nvidia.com/mig.strategy")) or "none"
    replicas = max(whole(labels.get("nvidia.com/gpu.replicas")) or 1, 1)
    count = output.count if output else None
    if output is None or count is None:
        return _expected_by_labels(labels, strategy, replicas)
    mig = [device for device in output.devices if device.mig_mode == "Enabled"]
    if not mig or strategy == "none":
        return count * replicas
    instances, plain = _mig_devices(mig), count - len(mig)
    if instances is None:
        return _expected_by_labels(labels, strategy, replicas)
    if strategy == "single":
        return (instances + plain) * replicas
    shares = _mig_shares(labels)
    if len(shares) > 1:  # profiles shared differently: nvidia-smi does not say which device has which profile
        return _expected_by_labels(labels, strategy, replicas)
    return instances * (shares.pop() if shares else 1) + plain * replicas


def _mig_devices(devices: Sequence[Device]) -> int | None:
    """Return the MIG devices of some GPUs; None where the output does not show them."""
    counts = [device.mig_devices for device in devices]
    return None if None in counts else sum(count or 0 for count in counts)


def _mig_shares(labels: Mapping[str, Any]) -> set[int]:
    """Return the different replica counts of the MIG resources (``nvidia.com/mig-1g.10gb.replicas``)."""
    keys = [key for key in labels if str(key).startswith(MIG_PREFIX) and str(key).endswith(".replicas")]
    return {whole(labels[key]) or 1 for key in keys}


def _expected_by_labels(labels: Mapping[str, Any], strategy: str, replicas: int) -> int | Unknown:
    what = "the GPUs that the node should offer"
    if strategy == "mixed":
        prefixes = [
            str(key).removesuffix(".count") for key in labels if str(key).startswith(MIG_PREFIX) and str(key).endswith(".count")
        ]
        if not prefixes:
            return _plain_count(labels, replicas)
        if not text(labels.get("nvidia.com/mig.config")).startswith("all-"):
            return unknown(what, "nvidia-smi gave no answer, and the labels do not say which GPUs are cut into MIG devices")
        return sum((whole(labels.get(f"{one}.count")) or 0) * (whole(labels.get(f"{one}.replicas")) or 1) for one in prefixes)
    return _plain_count(labels, replicas)


def _plain_count(labels: Mapping[str, Any], replicas: int) -> int | Unknown:
    count = whole(labels.get("nvidia.com/gpu.count"))
    if count is None:
        return unknown(
            "the GPUs that the node should offer", "neither nvidia-smi nor the label nvidia.com/gpu.count tells how many it has"
        )
    return count * replicas


def _mig(labels: Mapping[str, Any], output: SmiOutput | None) -> dict[str, Any]:
    if output and output.devices:
        enabled = [device for device in output.devices if device.mig_mode == "Enabled"]
        return {"enabled": bool(enabled), "instances": _mig_devices(enabled)}
    counts = [whole(labels[key]) or 0 for key in labels if str(key).startswith(MIG_PREFIX) and str(key).endswith(".count")]
    product = text(labels.get("nvidia.com/gpu.product"))
    if counts:
        return {"enabled": sum(counts) > 0, "instances": sum(counts)}
    if "-MIG-" in product:
        return {"enabled": True, "instances": whole(labels.get("nvidia.com/gpu.count"))}
    return {"enabled": False, "instances": 0}


def _model(output: SmiOutput | None) -> str:
    names = dict.fromkeys(device.product for device in output.devices if device.product) if output else {}
    return ", ".join(names)


def gap(body: Mapping[str, Any]) -> str | None:
    """Return in words at which stage the node loses GPUs first; None when it does not, as far as was seen."""
    smi, labels = mapping(body["nvidia_smi"]), mapping(body["labels"])
    should, seen, count = body["expected"], smi.get("count"), labels.get("count")
    capacity, allocatable = body["capacity"], body["allocatable"]
    if smi.get("ok") is False:
        return f"nvidia-smi fails: {smi.get('error') or 'no message'}"
    if isinstance(seen, int) and isinstance(count, int) and not _divided(body) and seen != count:
        return f"nvidia-smi sees {seen} GPUs, the label nvidia.com/gpu.count says {count}"
    if isinstance(should, int) and capacity != should:
        return f"{should} expected, capacity shows {capacity}"
    if allocatable < capacity:
        return f"capacity shows {capacity}, allocatable {allocatable}"
    if capacity == 0:
        return "the node offers no GPU"
    return None


def _divided(body: Mapping[str, Any]) -> bool:
    """With MIG the label counts MIG devices, or GPUs without MIG: not the GPUs that nvidia-smi sees."""
    return bool(mapping(body["mig"]).get("enabled"))


def gpu_devices(answers: Mapping[str, NodeSmi], index: Index) -> list[Item]:
    """Return the ``GpuDevice`` items: one for each GPU that nvidia-smi listed."""
    nodes = {seen.name: seen.ref for seen in index.of("Node", "")}
    return [
        _gpu_device(node, device, smi, nodes.get(node, smi.ref))
        for node, smi in answers.items()
        if smi.output
        for device in smi.output.devices
    ]


def _gpu_device(node: str, device: Device, smi: NodeSmi, ref: ObjectRef) -> Item:
    name = f"{node}/{device.index}"
    body = {
        "apiVersion": "made/v1",
        "kind": "GpuDevice",
        "metadata": {"name": name},
        "node": node,
        "index": device.index,
        "uuid": device.uuid or None,
        "product": device.product or None,
        "errors": list(device.errors),
        "ecc": {"uncorrected": device.ecc_uncorrected, "aggregate_uncorrected": device.ecc_aggregate},
        "temperature": device.temperature,
        "mig_mode": device.mig_mode or None,
        "bus_id": device.bus_id or None,
        "memory": None if device.memory is None else f"{device.memory}Mi",
        "retired_pages": {"double_bit": device.retired_pages, "pending": device.retirement_pending},
        "remapped_rows": {"pending": device.remapping_pending, "failed": device.remapping_failed},
        "recovery_action": device.recovery_action or None,
    }
    return Item(
        "GpuDevice",
        "made",
        tree(body),
        ObjectRef("GpuDevice", name, "", smi.ref.member),
        {"": smi.ref if smi.ref.member else ref},
    )


def driver_versions(index: Index, answers: Mapping[str, NodeSmi], names: frozenset[str]) -> list[str] | Unknown:
    """Return the driver versions on the GPU nodes, by nvidia-smi or else by label, sorted; Unknown when no node tells."""
    found = {smi.output.driver_version for smi in answers.values() if smi.output and smi.output.driver_version}
    for seen in index.of("Node", ""):
        smi = answers.get(seen.name)
        if seen.name in names and not (smi and smi.output and smi.output.driver_version):
            found.add(_label_driver(labels_of(seen.body)))
    found.discard("")
    if not found and names:
        return unknown("the NVIDIA driver version", "neither nvidia-smi nor a node label tells it")
    return sorted(found, key=lambda version: (_order(version), version))


def _order(version: str) -> list[int]:
    return [int(part) if part.isascii() and part.isdigit() and len(part) < 10 else 0 for part in version.split(".")]


def _label_driver(labels: Mapping[str, Any]) -> str:
    full = text(labels.get("nvidia.com/cuda.driver-version.full"))
    parts = [text(labels.get(f"nvidia.com/cuda.driver.{part}")) for part in ("major", "minor", "rev")]
    return full or ".".join(part for part in parts if part)
