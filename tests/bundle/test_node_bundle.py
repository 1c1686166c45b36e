"""What ``runai-collect node`` wrote: a bundle of one machine, told apart from that of a cluster."""

import platform
from pathlib import Path
from typing import Any

from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.explain import explain, lines_of
from runai_analyze.bundle.several import open_bundles
from runai_analyze.facts import build_facts
from runai_collect import node

from .builder import TOP, Builder, packed

EVERYTHING = frozenset([("Host", "made"), ("GpuDevice", "made")])


def machine(**files: str) -> Builder:
    """Return the bundle of the machine g1; keys with ``_`` for a dot."""
    builder = Builder()
    builder.about = {**builder.about, "scope": "node", "node": "g1"}
    for name, content in files.items():
        builder.add(f"node/{name.replace('_', '.')}", content)
    return builder


def node_files(path: Path) -> list[tuple[str, str]]:
    records = open_bundle(path).records(None)
    return [(record.body["node"], record.body["name"]) for record in records if record.area == "node_file"]


def host(path: Path) -> Any:
    (item,) = build_facts(open_bundle(path), EVERYTHING).made("Host")
    return item.body


def test_what_the_collector_wrote_of_a_machine(tmp_path: Path) -> None:
    root, path = tmp_path / "root", tmp_path / "n.tgz"
    (root / "proc/driver/nvidia").mkdir(parents=True)
    (root / "proc/driver/nvidia/version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 24\n")
    (root / "etc").mkdir()
    (root / "etc/os-release").write_text('NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 22.04.4 LTS"\n')
    assert node.main(["-q", "-o", str(path), "--no-kernel"], str(root)) == 0
    bundle = open_bundle(path)
    assert (bundle.info.holder, bundle.info.collector) == ("the bundle of one machine", "runai-collect node")
    assert bundle.info.captured is not None
    found = host(path)
    assert found["metadata"]["name"] == platform.node()
    assert (found["os"], found["driver"]["module"]) == ("Ubuntu 22.04.4 LTS", "535.161.08")


def test_what_it_does_not_hold_is_missing_with_the_command(tmp_path: Path) -> None:
    bundle = open_bundle(machine(modules_txt="nvidia 1 0\n").write(tmp_path / "n.tgz"))
    (missing,) = bundle.coverage("Pod", "", ())
    assert (missing.reason, missing.command) == ("the bundle of one machine does not hold it", "kubectl get pods -A -o yaml")


def test_a_log_without_lines_of_interest_is_empty_and_not_lacking(tmp_path: Path) -> None:
    builder = machine(modules_txt="nvidia 1 0\n").step("node:kernel.log", "empty", "lines read: 812, none of them of this kind")
    assert host(builder.write(tmp_path / "n.tgz"))["xids"] == {"codes": [], "grave": [], "lines": []}


def test_a_name_that_no_machine_has_is_not_taken(tmp_path: Path) -> None:
    builder = machine(modules_txt="nvidia 1 0\n")
    builder.about["node"] = "\x1b]0;x\x07"
    assert node_files(builder.write(tmp_path / "n.tgz")) == [("unnamed", "modules.txt")]


def test_without_its_first_member(tmp_path: Path) -> None:
    members = [(f"{TOP}/node/modules.txt", b"nvidia 1 0\n"), (f"{TOP}/manifest.json", b'{"members": [], "steps": []}')]
    (tmp_path / "n.tgz").write_bytes(packed(members))
    assert node_files(tmp_path / "n.tgz") == [("unnamed", "modules.txt")]


def test_the_answer_of_nvidia_smi_is_that_of_the_machine(tmp_path: Path) -> None:
    smi = "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)\n"
    bundle = open_bundle(machine(**{"nvidia-smi-list_txt": smi}).write(tmp_path / "n.tgz"))
    assert not bundle.coverage("NvidiaSmi", "made", ("g1",))
    (device,) = build_facts(bundle, EVERYTHING).made("GpuDevice")
    assert (device.ref.name, device.body["product"]) == ("g1/0", "NVIDIA A100-SXM4-40GB")


def test_of_a_nodes_files_those_for_people_are_passed_over(tmp_path: Path) -> None:
    builder = Builder()
    for name in ("source.json", "nvidia-smi.xml", "dcgm-metrics.txt", "validator.log"):
        builder.add(f"nodes/n1/{name}", "{}")
    assert node_files(builder.write(tmp_path / "b.tgz")) == [("n1", "source.json"), ("n1", "nvidia-smi.xml")]


def test_beside_the_bundle_of_its_cluster_it_tells_of_the_node(tmp_path: Path) -> None:
    metadata = {"name": "g1.example.com", "labels": {"kubernetes.io/hostname": "g1", "nvidia.com/gpu.present": "true"}}
    cluster = Builder().list("Node", "v1", {"metadata": metadata, "status": {"capacity": {"nvidia.com/gpu": "2"}}})
    smi = "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)\n"
    alone = machine(**{"nvidia-smi-list_txt": smi, "kernel_log": "NVRM: Xid (PCI:0000:3b:00): 79, x\n"})
    both = open_bundles([cluster.write(tmp_path / "c.tgz"), alone.write(tmp_path / "n.tgz")])
    facts = build_facts(both, EVERYTHING | {("GpuNode", "made")})
    (host,) = facts.made("Host")
    assert (host.ref.name, host.ref.member) == ("g1.example.com", "n.tgz/node/kernel.log")
    (gpu_node,) = facts.made("GpuNode")
    assert gpu_node.body["nvidia_smi"]["count"] == 1
    assert not both.coverage("Node", "", ())


def test_it_is_explained(tmp_path: Path) -> None:
    bundle = open_bundles([machine(modules_txt="nvidia 1 0\n").write(tmp_path / "n.tgz")])
    lines = list(lines_of(explain(bundle, EVERYTHING)))
    assert "the bundle of one machine" in lines[0]
    assert "  kernel and settings of: g1" in lines
