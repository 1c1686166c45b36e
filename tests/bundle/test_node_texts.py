"""Which output of nvidia-smi a text is, and which lines of a kernel's log are kept."""

from pathlib import Path

import pytest
from runai_analyze.bundle.node_texts import is_host_text, kernel_lines, smi_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n', "nvidia-smi.xml"),
        ("\n==============NVSMI LOG==============\n", "nvidia-smi-q.txt"),
        ("| NVIDIA-SMI 535.161.08  Driver Version: 535.161.08 |\n", "nvidia-smi.txt"),
        ("Failed to initialize NVML: Driver/library version mismatch\n", "nvidia-smi.txt"),
        ("GPU 0: Tesla T4 (UUID: GPU-1)\n", "nvidia-smi-list.txt"),
        ("GPU 0: Tesla T4 (UUID: GPU-1)\n\t Link 0: 25 GB/s\n", "nvidia-smi-nvlink.txt"),
        ("index, name, uuid, memory.total [MiB]\n0, Tesla T4, GPU-1, 15360 MiB\n", "nvidia-smi.csv"),
        ("kind: Pod\nname: nvidia-smi\n", ""),
        ("name,value\n", ""),
        ("", ""),
    ],
)
def test_which_output_a_text_is(text: str, name: str) -> None:
    assert smi_name(text) == name


def test_lines_that_are_kept_of_a_kernels_log() -> None:
    log = "a\n[1] nouveau: probe\nb\n[2] Out of memory: Killed process 1\n[3] eth0: up\n"
    assert kernel_lines(log) == "[1] nouveau: probe\n[2] Out of memory: Killed process 1\n"


def test_what_tells_of_the_machine_itself() -> None:
    told = [name for name in ("kernel.log", "etc/crio/crio.conf", "nvidia-smi.xml", "source.json") if is_host_text(name)]
    assert told == ["kernel.log", "etc/crio/crio.conf"]


FOLDERS = {"q": "nvidia-smi-q.txt", "xml": "nvidia-smi.xml", "nvlink": "nvidia-smi-nvlink.txt"}


@pytest.mark.corpus
@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_real_outputs(corpus: Path, folder: str) -> None:
    files = sorted((corpus / f"nvidia-smi-{folder}").iterdir())
    assert files
    assert {path.name: smi_name(path.read_text(errors="replace")) for path in files} == {
        path.name: FOLDERS[folder] for path in files
    }


@pytest.mark.corpus
def test_no_other_real_file_is_taken_for_one(corpus: Path) -> None:
    others = [
        path
        for folder in ("k8s-pods", "k8s-nodes", "k8s-events", "node-logs", "gpu-metrics")
        for path in (corpus / folder).iterdir()
    ]
    assert [path.name for path in others if smi_name(path.read_text(errors="replace"))] == []
