"""``nvidia-bug-report.log.gz`` and outputs of nvidia-smi. The reports are imitations, made after the script that writes them."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.intake.machines import node_in
from runai_analyze.facts import BundleFacts, build_facts

LINE = "_" * 44 + "\n\n"
KINDS = frozenset([("Host", "made"), ("GpuDevice", "made")])
HEAD = """Start of NVIDIA bug report log file.  Please include this file, along
with a detailed description of your problem, when reporting a graphics driver bug.

nvidia-bug-report.sh Version: 34275561

Date: Tue May 21 10:21:05 UTC 2024
uname: Linux gpu-7 5.15.0-105-generic #115-Ubuntu SMP Mon Apr 15 09:52:04 UTC 2024 x86_64 x86_64 GNU/Linux
command line flags: --safe-mode

"""
VERSION = """*** /proc/driver/nvidia/./version
*** ls: -r--r--r-- 1 root root 0 2024-05-21 10:21:06.1 +0000 /proc/driver/nvidia/./version
NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 24 05:43:26 UTC 2024
GCC version:  gcc version 12.3.0
"""
QUERY = """/usr/bin/nvidia-smi --query

==============NVSMI LOG==============

Timestamp                                 : Tue May 21 10:21:12 2024
Driver Version                            : 535.161.08
CUDA Version                              : 12.2

Attached GPUs                             : 1
GPU 00000000:3B:00.0
    Product Name                          : NVIDIA A100-PCIE-40GB
    GPU UUID                              : GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77
    Processes                             : None
"""
KERNEL = """/usr/bin/journalctl -b -0 -k

May 21 09:58:01 gpu-7 kernel: eth0: link up
May 21 09:58:02 gpu-7 kernel: NVRM: Xid (PCI:0000:5e:00): 31, pid=7, name=python3, Ch 00000008
May 21 10:02:44 gpu-7 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
"""
MODULES = "/sbin/lsmod\n\nModule                  Size  Used by\nnvidia_uvm 1523712 0\nnvidia 56733696 18 nvidia_uvm\n"
GONE = "*** /var/log/Xorg.0.log does not exist\n"


def report(*blocks: str) -> bytes:
    """Return a report as the script appends it: every block is a gzip member of its own."""
    return b"".join(gzip.compress((LINE + block).encode(), mtime=0) for block in blocks)


def facts_of(path: Path) -> BundleFacts:
    return build_facts(open_bundle(path), KINDS)


def host(facts: BundleFacts) -> Any:
    (item,) = facts.made("Host")
    return item.body


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "nvidia-bug-report.log.gz"
    path.write_bytes(report(HEAD, VERSION, QUERY, GONE, KERNEL, MODULES))
    return path


def test_what_a_report_tells_of_the_machine(whole: Path) -> None:
    facts = facts_of(whole)
    assert facts.bundle_time == datetime(2024, 5, 21, 10, 21, 5, tzinfo=UTC)
    body = host(facts)
    assert body["metadata"]["name"] == "gpu-7"
    assert body["kernel"] == "5.15.0-105-generic"
    assert body["driver"] == {"module": "535.161.08", "library": "535.161.08", "mismatch": False}
    assert body["modules"] == {"nvidia": True, "nouveau": False}
    assert body["xids"]["codes"] == ["31", "79"]
    assert body["xids"]["grave"] == ["79 on 0000:3b:00"]
    assert body["xids"]["lines"][0].endswith("GPU has fallen off the bus.")


def test_the_gpus_that_it_lists(whole: Path) -> None:
    (device,) = facts_of(whole).made("GpuDevice")
    assert (device.ref.name, device.body["product"]) == ("gpu-7/0", "NVIDIA A100-PCIE-40GB")


def test_of_the_cluster_it_holds_nothing(whole: Path) -> None:
    (missing,) = open_bundle(whole).coverage("Node", "", ())
    assert missing.reason == "a set of files about single machines does not hold it"
    assert missing.command.startswith("kubectl get node")


def test_a_report_without_a_kernels_log_does_not_say_that_there_were_no_errors(tmp_path: Path) -> None:
    path = tmp_path / "nvidia-bug-report.log.gz"
    path.write_bytes(report(HEAD, QUERY, "*** /var/log/messages is not readable\n"))
    unknown = host(facts_of(path))["xids"]["grave"]
    assert unknown.missing.command == "runai-collect node"


def test_a_report_cut_in_its_last_block(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut" / whole.name
    path.parent.mkdir()
    path.write_bytes(whole.read_bytes()[:-30])
    facts = facts_of(path)
    assert host(facts)["xids"]["codes"] == ["31", "79"]
    assert facts.coverage("Host", None, ())[0].reason.startswith("the bundle was cut")


def test_a_report_that_was_cut_before_it_was_packed(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / whole.name).write_bytes(whole.read_bytes()[:-30])
    (missing,) = facts_of(folder).coverage("Host", None, ())
    assert (missing.reason, missing.command) == ("nvidia-bug-report.log is not whole", "runai-collect node")


def test_what_is_no_report_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "nvidia-bug-report.log.gz"
    path.write_bytes(gzip.compress(b"Error: permission denied\n"))
    facts = facts_of(path)
    assert not list(facts.made("Host"))
    assert facts.problems[0].message == "no part of a bug report of NVIDIA was found in it"


def test_files_of_several_machines_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    (folder / "g1").mkdir(parents=True)
    (folder / "g1" / "nvidia-smi-L.txt").write_text("GPU 0: Tesla T4 (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)\n")
    (folder / "nvidia-smi-g2.txt").write_text("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    (folder / "g1" / "dmesg.txt").write_text(
        "[1.0] NVRM: Xid (PCI:0000:0f:00): 94, x\n[2.0] NVRM: Xid (PCI:0000:0f:00): 64, x\n"
    )
    facts = facts_of(folder)
    assert [item.ref.name for item in facts.made("GpuDevice")] == ["g1/0"]
    assert host(facts)["xids"]["grave"] == ["64 on 0000:0f:00"]
    assert not open_bundle(folder).coverage("NvidiaSmi", "made", ("g1", "g2"))


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("g1/nvidia-smi.txt", "g1"),
        ("nvidia-smi-q-x.xml", "unnamed"),
        ("logs/nvidia-smi_gpu-node-3.log", "gpu-node-3"),
        ("dgx-07_nvidia-smi.xml", "dgx-07"),
        ("nvidia-smi -q.txt", "unnamed"),
    ],
)
def test_which_machine_a_file_is_of(name: str, node: str) -> None:
    assert node_in(name) == node
