"""``nvidia-smi -L``: a line a GPU, its MIG devices under it; and ``nvidia-smi --version``."""

from __future__ import annotations

import re
from dataclasses import replace

from .output import MOST_DEVICES, Device, Form, SmiOutput, error_line, value_of

# kubectl logs --prefix writes [pod/name/container] before each line.
_GPU = re.compile(r"(?:\[\S{1,400}\] )?GPU (\d{1,4}): (\S.{0,99}?) \(UUID: (GPU-[0-9A-Za-z-]{8,60})\)\s*$")
_ALMOST = re.compile(r"(?:\[\S{1,400}\] )?GPU \d{1,4}\b")
_MIG = re.compile(r"\s+MIG (\S{1,40})\s+Device\s+\d{1,3}: \(UUID: MIG-[0-9A-Za-z/-]{8,100}\)\s*$")
_VERSION = re.compile(r"(NVIDIA-SMI|NVML|DRIVER|CUDA) version\s{0,20}: (\S{1,40})\s*$", re.IGNORECASE)
_MAX_LINE = 700
_MOST_PROBLEMS = 20


def parse_list(text: str) -> SmiOutput:
    """Read ``nvidia-smi -L``. A GPU that is listed twice, by two containers that share it, is one.

    A line that begins like a GPU's and does not read as one is a problem, and so are two GPUs of one number, which come from two
    containers: how many the node has is then not known.
    """
    devices: dict[str, Device] = {}
    problems: list[str] = []
    last = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > _MAX_LINE:
            continue
        if gpu := _GPU.match(line):
            index, product, uuid = int(gpu.group(1)), gpu.group(2), gpu.group(3)
            last = f"{uuid} {index}" if is_example(uuid) else uuid
            if len(devices) < MOST_DEVICES:
                devices.setdefault(last, Device(index, product, uuid))
        elif _MIG.match(line) and last in devices:
            device = devices[last]
            devices[last] = replace(device, mig_mode="Enabled", mig_devices=(device.mig_devices or 0) + 1)
        elif _ALMOST.match(line) and len(problems) < _MOST_PROBLEMS:
            problems.append(f"line {number} is no line of nvidia-smi -L: {line.strip()[:100]}")
    if len({device.index for device in devices.values()}) < len(devices):
        problems.append("a number stands for several GPUs: these are the lists of several containers")
    form: Form = "list" if devices or problems else ""
    return SmiOutput(devices=tuple(devices.values()), error=error_line(text), problems=tuple(problems), form=form)


def is_example(uuid: str) -> bool:
    """Tell whether a UUID was made unreadable before it was passed on (all x, all zeros): it tells no two GPUs apart."""
    return len(set(uuid.removeprefix("GPU-").replace("-", ""))) < 2


def parse_version(text: str) -> SmiOutput:
    """Read ``nvidia-smi --version``: the driver and CUDA; it says nothing of GPUs."""
    found = {match.group(1).upper(): match.group(2) for line in text.splitlines() if (match := _VERSION.match(line[:_MAX_LINE]))}
    form: Form = "version" if {"NVIDIA-SMI", "DRIVER"} <= set(found) else ""
    return SmiOutput(value_of(found.get("DRIVER", "")), value_of(found.get("CUDA", "")), error=error_line(text), form=form)
