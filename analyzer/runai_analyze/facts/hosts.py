"""What machines told of themselves: the made kind ``Host``, from bug reports of NVIDIA, sos and ``runai-collect node``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from runai_collect.layout import NVIDIA_SMI_TEXT

from ..bundle import node_texts as names
from ..bundle.source import Record
from ..model import Item, ObjectRef, Unknown
from .gpus import NodeSmi
from .index import Index
from .reading import labels_of, text, tree, unknown

ASK = "runai-collect node"  # on the machine itself
_XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]{1,20})\): (\d{1,4})\b")
# NVIDIA's catalogue of Xid errors (docs.nvidia.com/deploy/xid-errors): those after which a GPU needs a reset, its machine a
# restart, or the card a replacement. Not 63 and 94, which the GPU has dealt with, nor those that a faulty program causes (13, 31,
# 43, 45).
GRAVE_XIDS = frozenset((48, 62, 64, 74, 79, 95, 119, 120, 140, 143))
_MOST_LINES = 20
_LONGEST_LINE = 300
_KILLED = re.compile(r"Out of memory: Kill", re.IGNORECASE)
_MODULE = re.compile(r"^([A-Za-z0-9_]+)[ \t]+\d+[ \t]", re.MULTILINE)
_MODULE_VERSION = re.compile(r"Kernel Module(?: for \w+)?\s+(\d+(?:\.\d+){1,3})")
_LIBRARY = re.compile(r"NVML library version: (\d+(?:\.\d+){1,3})")
_CLOCK = re.compile(r"^\s*(?:NTPSynchronized=|System clock synchronized: |NTP synchronized: )(yes|no)\s*$", re.MULTILINE)
_DISK = re.compile(r"^\S+\s+\d+\s+\d+\s+-?\d+\s+(\d{1,3})%\s+(/\S*)", re.MULTILINE)
_DEFAULT_RUNTIME = re.compile(r"^\s*[\"']?default[_-]runtime(?:_name)?[\"']?\s*[=:]\s*[\"']([\w.-]{1,60})[\"']", re.MULTILINE)


def join_nodes(index: Index) -> None:
    """Put files of machines under the names of the nodes that they are: a machine may call itself by its full name, its short one
    or, in the label ``kubernetes.io/hostname``, another one than the cluster does. What fits no node, or several, stays."""
    by_name: dict[str, set[str]] = {}
    nodes = {seen.name for seen in index.of("Node", "")}
    for seen in index.of("Node", ""):
        for one in (seen.name, text(labels_of(seen.body).get("kubernetes.io/hostname"))):
            for alias in (one.lower(), one.lower().partition(".")[0]):
                by_name.setdefault(alias, set()).add(seen.name)
    for machine in sorted(set(index.node_files) - nodes):
        fits = by_name.get(machine.lower()) or by_name.get(machine.lower().partition(".")[0], set())
        if len(fits) == 1:
            (node,) = fits
            index.node_files[node] = {**index.node_files[node], **index.node_files.pop(machine)}


def hosts(index: Index, answers: Mapping[str, NodeSmi]) -> list[Item]:
    """Return the ``Host`` items, by name: one for each machine whose own files the bundle holds."""
    return [
        _host(name, files, answers.get(name))
        for name, files in sorted(index.node_files.items())
        if any(names.is_host_text(one) for one in files)
    ]


def _host(name: str, files: Mapping[str, Record], smi: NodeSmi | None) -> Item:
    machine = _Machine(name, files)
    body = {
        "apiVersion": "made/v1",
        "kind": "Host",
        "metadata": {"name": name},
        "os": machine.find(names.RELEASE, re.compile(r"^PRETTY_NAME=[\"']?([^\"'\n]{1,200})", re.MULTILINE)),
        "kernel": machine.find(names.KERNEL, re.compile(r"^Linux (?:version )?(?:\S+ (?=\d+\.))?(\d\S{0,100})")),
        "driver": _driver(machine, smi),
        "modules": _modules(machine),
        "xids": _xids(machine),
        "memory_kills": machine.of(names.KERNEL_LOG, lambda log: len(_KILLED.findall(log))),
        "secure_boot": machine.of(names.SECURE_BOOT, lambda state: "SecureBoot enabled" in state),
        "clock": {"synchronized": machine.of(names.CLOCK, _synchronized)},
        "disks": {"used": machine.of(names.DISKS, _fullest)},
        "proxies": machine.of(names.PROXY, lambda rows: [row[:_LONGEST_LINE] for row in rows.splitlines()[:_MOST_LINES]]),
        "runtime": _runtime(machine),
    }
    origins = {path: ObjectRef("Host", name, "", files[file].member) for path, file in _ORIGINS.items() if file in files}
    first = min(record.member for file, record in files.items() if names.is_host_text(file))
    return Item("Host", "made", tree(body), ObjectRef("Host", name, "", first), origins)


_ORIGINS = {
    "xids": names.KERNEL_LOG,
    "modules": names.MODULES,
    "clock": names.CLOCK,
    "disks": names.DISKS,
    "driver": names.DRIVER,
}


class _Machine:
    """The texts of one machine; what of them is not there is unknown."""

    def __init__(self, name: str, files: Mapping[str, Record]) -> None:
        self.name, self.files = name, files

    def of(self, name: str, read: Any) -> Any:
        """Return what a text says; unknown where it is not there."""
        if name not in self.files:
            return self.lacking(name)
        return read(text(self.files[name].body.get("text")))

    def find(self, name: str, pattern: re.Pattern[str]) -> str | Unknown:
        """Return what the group of a pattern finds in a text; unknown where it is not there, or says nothing of the kind."""
        found = self.of(name, pattern.search)
        if isinstance(found, Unknown):
            return found
        return str(found[1]).strip() if found else unknown(f"{name} of {self.name}", "it does not say so", ASK)

    def lacking(self, name: str) -> Unknown:
        """Return the gap of a text that is not there."""
        return unknown(f"{name} of {self.name}", "the files of this machine do not hold it", ASK)


def _driver(machine: _Machine, smi: NodeSmi | None) -> dict[str, Any]:
    module: str | Unknown | None = machine.find(names.DRIVER, _MODULE_VERSION)
    if isinstance(module, Unknown):
        module = machine.find(names.MODULE_VERSION, re.compile(r"^\s*(\d+(?:\.\d+){1,3})\s*$"))
    if isinstance(module, Unknown) and names.MODULES in machine.files and not _module_names(machine).intersection({"nvidia"}):
        module = None
    told = text(machine.files[NVIDIA_SMI_TEXT].body.get("text")) if NVIDIA_SMI_TEXT in machine.files else ""
    found = _LIBRARY.search(told)
    library = found[1] if found else smi.output.driver_version if smi and smi.output and smi.output.driver_version else None
    mismatch: bool | Unknown = "Driver/library version mismatch" in told
    if not mismatch and (library is None or not isinstance(module, str)):
        mismatch = unknown(f"whether module and library of {machine.name} fit", "one of their versions is not there", ASK)
    elif not mismatch:
        mismatch = library != module
    return {"module": module, "library": library or machine.lacking(NVIDIA_SMI_TEXT), "mismatch": mismatch}


def _module_names(machine: _Machine) -> set[str]:
    return set(_MODULE.findall(text(machine.files[names.MODULES].body.get("text"))))


def _modules(machine: _Machine) -> dict[str, Any]:
    if names.MODULES not in machine.files or not (loaded := _module_names(machine)):
        return dict.fromkeys(("nvidia", "nouveau"), machine.lacking(names.MODULES))
    return {"nvidia": "nvidia" in loaded, "nouveau": "nouveau" in loaded}


def _xids(machine: _Machine) -> dict[str, Any]:
    """Return the Xid errors of the kernel's log: numbers, those that are grave, and the newest line of each."""
    if names.KERNEL_LOG not in machine.files:
        return dict.fromkeys(("codes", "grave", "lines"), machine.lacking(names.KERNEL_LOG))
    newest: dict[tuple[int, str], str] = {}
    for line in text(machine.files[names.KERNEL_LOG].body.get("text")).splitlines():
        if found := _XID.search(line):
            newest[int(found[2]), found[1]] = line.strip()[:_LONGEST_LINE]
    grave = sorted(one for one in newest if one[0] in GRAVE_XIDS)
    return {
        "codes": [str(code) for code in sorted({code for code, _ in newest})],
        "grave": [f"{code} on {bus}" for code, bus in grave],
        "lines": [newest[one] for one in [*grave, *sorted(set(newest) - set(grave))]][:_MOST_LINES],
    }


def _synchronized(told: str) -> bool | Unknown:
    found = _CLOCK.search(told)
    return found[1] == "yes" if found else unknown("whether the clock is synchronized", "timedatectl does not say so", ASK)


def _fullest(table: str) -> int | Unknown:
    used = [int(percent) for percent, mount in _DISK.findall(table)]
    return max(used) if used else unknown("how full the disks are", "df lists none", ASK)


def _runtime(machine: _Machine) -> dict[str, Any]:
    files = [text(record.body.get("text")) for name, record in sorted(machine.files.items()) if name.startswith(names.RUNTIMES)]
    if not files:
        return dict.fromkeys(("nvidia", "default"), machine.lacking("the settings of the container runtime"))
    default = next((found[1] for one in files if (found := _DEFAULT_RUNTIME.search(one))), None)
    return {"nvidia": any("nvidia-container-runtime" in one for one in files), "default": default}
