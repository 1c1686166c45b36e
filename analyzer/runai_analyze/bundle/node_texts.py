"""What files about one machine are called here, whoever wrote them, and which text is which.

The names are those that ``runai-collect node`` gives them below ``node/``; ``facts.hosts`` and ``facts.gpus`` read them.
"""

from __future__ import annotations

import re

from runai_collect.layout import NVIDIA_SMI_TEXT, NVIDIA_SMI_TOPO, NVIDIA_SMI_XML

NVIDIA_SMI_QUERY = "nvidia-smi-q.txt"
NVIDIA_SMI_LIST = "nvidia-smi-list.txt"
NVIDIA_SMI_NVLINK = "nvidia-smi-nvlink.txt"
NVIDIA_SMI_CSV = "nvidia-smi.csv"
# What nvidia-smi prints about all GPUs, the fullest first.
SMI_NAMES = (NVIDIA_SMI_XML, NVIDIA_SMI_QUERY, NVIDIA_SMI_TEXT, NVIDIA_SMI_CSV, NVIDIA_SMI_LIST)

KERNEL_LOG = "kernel.log"
MODULES = "modules.txt"
SECURE_BOOT = "secure-boot.txt"
CLOCK = "timedatectl.txt"
DISKS = "disks.txt"
PROXY = "proxy.txt"
DRIVER = "proc/driver/nvidia/version"
MODULE_VERSION = "sys/module/nvidia/version"
RELEASE = "etc/os-release"
KERNEL = "proc/version"
RUNTIMES = ("etc/containerd/", "etc/crio/", "etc/docker/daemon.json", "var/lib/rancher/")
_HOST_NAMES = (KERNEL_LOG, MODULES, SECURE_BOOT, CLOCK, DISKS, PROXY, DRIVER, MODULE_VERSION, RELEASE, KERNEL)

# The lines of a kernel's log that are kept: those that ``runai-collect node`` keeps.
_KERNEL_LINE = re.compile(
    r"NVRM|\bXid\b|nvidia|nouveau|[Ss]ecure ?[Bb]oot|[Oo]ut of memory|oom-kill|oom_reaper|PCIe Bus Error|\bAER\b|pcieport .*error"
)
_HEAD = 20_000  # characters that tell what a text is
_COLUMN = r"[a-z][A-Za-z0-9_.]+(?: \[\S+\])?"
_SMI = (
    (NVIDIA_SMI_XML, re.compile(r"<!DOCTYPE nvidia_smi_log|<nvidia_smi_log>")),
    (NVIDIA_SMI_QUERY, re.compile(r"^=+ ?NVSMI LOG ?=+", re.MULTILINE)),
    (NVIDIA_SMI_TOPO, re.compile(r"^\s*(?:\x1b\[4m)?GPU0\b.*CPU Affinity", re.MULTILINE)),
    (NVIDIA_SMI_TEXT, re.compile(r"^\| ?NVIDIA-SMI \d|^NVIDIA-SMI has failed|^Failed to initialize NVML", re.MULTILINE)),
    (
        NVIDIA_SMI_NVLINK,
        re.compile(r"^\s+Link \d{1,3}: |[Nn][Vv][Ll]ink (?:information|queries)|support N[Vv][Ll]ink", re.MULTILINE),
    ),
    (NVIDIA_SMI_LIST, re.compile(r"^(?:\[\S{1,400}\] )?GPU \d+: .*\(UUID: GPU-", re.MULTILINE)),
    (NVIDIA_SMI_CSV, re.compile(rf"^(?=.*\b(?:index|uuid|name|memory\.total)\b){_COLUMN}(?:, {_COLUMN})+\s*$", re.MULTILINE)),
    (NVIDIA_SMI_CSV, re.compile(r"^\d{1,3}, [^,\n]{1,100}, GPU-[0-9a-f]{8}-", re.MULTILINE)),
)


def is_host_text(name: str) -> bool:
    """Tell whether a file about a node tells of the machine itself, its kernel and its settings."""
    return name in _HOST_NAMES or name.startswith(RUNTIMES)


def smi_name(text: str) -> str:
    """Return the name for an output of nvidia-smi by what it looks like; empty for what is none."""
    head = text[:_HEAD]
    return next((name for name, sign in _SMI if sign.search(head)), "")


def kernel_lines(text: str) -> str:
    """Return the lines of a kernel's log that tell of GPUs, PCIe, Secure Boot and memory that ran out."""
    return "".join(line + "\n" for line in text.splitlines() if _KERNEL_LINE.search(line))
