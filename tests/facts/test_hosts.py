"""The made kind Host, and files of machines under the names of their nodes."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle.source import Record
from runai_analyze.facts.hosts import hosts, join_nodes
from runai_analyze.facts.index import Index, Seen
from runai_analyze.model import ObjectRef, Unknown


def index(machine: str = "g1", *nodes: tuple[str, str], **files: str) -> Index:
    """Return an index with files of a machine (keys with ``__`` for a slash and ``_`` for a dot), and nodes by name and label."""
    found = Index()
    for name, content in files.items():
        name = name.replace("__", "/").replace("_", ".")
        found.node_files[machine][name] = Record("node_file", {"node": machine, "name": name, "text": content}, name)
    for name, label in nodes:
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": label}}
        found.objects["Node", ""].append(Seen({"metadata": metadata}, ObjectRef("Node", name)))
    return found


def host(**files: str) -> Any:
    (item,) = hosts(index(**files), {})
    return item.body


def test_a_line_of_every_error_the_newest() -> None:
    log = "[1] NVRM: Xid (PCI:0000:3b:00): 31, a\n[2] NVRM: Xid (PCI:0000:3b:00): 31, b\n[3] NVRM: Xid (0000:5e:00): 48, c\n"
    assert host(kernel_log=log)["xids"] == {
        "codes": ["31", "48"],
        "grave": ["48 on 0000:5e:00"],
        "lines": ["[3] NVRM: Xid (0000:5e:00): 48, c", "[2] NVRM: Xid (PCI:0000:3b:00): 31, b"],
    }


def test_an_error_that_the_gpu_dealt_with_is_not_grave() -> None:
    assert host(kernel_log="NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row marked for remapping\n")["xids"]["grave"] == []


def test_what_is_not_there_is_unknown_with_the_command() -> None:
    body = host(modules_txt="nouveau 2334720 0\n")
    assert body["modules"] == {"nvidia": False, "nouveau": True}
    assert "module" not in body["driver"]
    for value in (body["xids"]["grave"], body["clock"]["synchronized"], body["disks"]["used"], body["driver"]["mismatch"]):
        assert isinstance(value, Unknown)
        assert value.missing.command == "runai-collect node"


def test_a_library_that_does_not_fit_the_module() -> None:
    told = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.183\n"
    version = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.161.08  Release Build\n"
    files = {"nvidia-smi_txt": told, "proc__driver__nvidia__version": version}
    assert host(**files)["driver"] == {"module": "535.161.08", "library": "535.183", "mismatch": True}


@pytest.mark.parametrize(
    ("told", "synchronized"),
    [("NTPSynchronized=yes\n", True), ("System clock synchronized: no\n", False), ("     NTP synchronized: yes\n", True)],
)
def test_the_clock(told: str, synchronized: bool) -> None:
    assert host(timedatectl_txt=told)["clock"]["synchronized"] is synchronized


def test_disks_runtime_and_memory() -> None:
    disks = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 100 40 60 40% /\n/dev/sdb1 100 93 7 93% /var\n"
    config = 'default_runtime_name = "nvidia"\nBinaryName = "/usr/bin/nvidia-container-runtime"\n'
    body = host(disks_txt=disks, etc__containerd__config_toml=config, kernel_log="Out of memory: Killed process 7 (python)\n")
    assert body["disks"]["used"] == 93
    assert body["runtime"] == {"nvidia": True, "default": "nvidia"}
    assert body["memory_kills"] == 1


@pytest.mark.parametrize(
    ("machine", "nodes", "names"),
    [
        ("g1.example.com", [("g1", "g1")], ["g1"]),
        ("g1", [("ip-10-0-0-1.ec2.internal", "g1")], ["ip-10-0-0-1.ec2.internal"]),
        ("G1", [("g1", "g1")], ["g1"]),
        ("g1", [("g1.a.example", "x"), ("g1.b.example", "y")], ["g1"]),
        ("g9", [("g1", "g1")], ["g9"]),
    ],
)
def test_a_machine_is_the_node_that_its_name_fits(machine: str, nodes: list[tuple[str, str]], names: list[str]) -> None:
    found = index(machine, *nodes, modules_txt="nvidia 1 0\n")
    join_nodes(found)
    assert sorted(found.node_files) == names


@pytest.mark.corpus
def test_a_real_kernel_log(corpus: Path) -> None:
    text = (corpus / "node-logs" / "gpud-xid-dmesg-with-xid-119.log").read_text()
    assert text.count("): 119,") > 0
    assert host(kernel_log=text)["xids"]["grave"] == ["119 on 0000:9b:00"]


@pytest.mark.corpus
def test_a_real_log_of_errors(corpus: Path) -> None:
    text = (corpus / "nvidia-smi-errors" / "cluster-health-xid-lines.txt").read_text()
    assert host(kernel_log=text)["xids"]["codes"] == ["64", "94"]
