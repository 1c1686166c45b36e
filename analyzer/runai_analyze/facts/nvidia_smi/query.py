"""``nvidia-smi -q``: the same values as the XML, as indented text; also a part of it (``-d RETIRED_PAGES``)."""

from __future__ import annotations

import re

from .output import MIG_COUNT, MOST_DEVICES, SmiOutput, count_of, device_of, error_line, value_of

START = re.compile(r"^=+NVSMI LOG=+", re.MULTILINE)
_MAX_LINE = 300
_MAX_DEPTH = 12
_INDENT = 4  # blanks a level
_GPU = re.compile(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])$")
# Paths whose names differ from the XML's by more than case and blanks.
_NAMES = {
    "gpu_uuid": "uuid",
    "pci.bus_id": "pci.pci_bus_id",
    "mig_mode.current": "mig_mode.current_mig",
    "temperature.gpu_current_temp": "temperature.gpu_temp",
    "retired_pages.double_bit_ecc": "retired_pages.double_bit_retirement.retired_count",
    "retired_pages.pending_page_blacklist": "retired_pages.pending_blacklist",
    "remapped_rows.pending": "remapped_rows.remapped_row_pending",
    "remapped_rows.remapping_failure_occurred": "remapped_rows.remapped_row_failure",
}


class _Section:
    """The values of one GPU, by the dotted path that the XML gives them, and which parts it has."""

    def __init__(self, bus_id: str) -> None:
        self.values = {"pci.pci_bus_id": bus_id}
        self.parts: set[str] = set()
        self._path: list[str] = []

    def add(self, line: str) -> None:
        name, colon, value = line.partition(" : ")
        name, value = (name, value) if colon else (line.rstrip().removesuffix(":"), "")
        depth = (len(line) - len(line.lstrip(" "))) // _INDENT
        del self._path[max(0, depth - 1) :]
        self._path.append(re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_"))
        if depth == 1:
            self.parts.add(self._path[0])
            if self._path == ["mig_device"]:
                self.values[MIG_COUNT] = str(int(self.values.get(MIG_COUNT, "0")) + 1)
        if value.strip() and len(self._path) < _MAX_DEPTH and self._path[0] not in ("mig_device", "processes"):
            path = ".".join(self._path)
            self.values.setdefault(_NAMES.get(path, path), value.strip())


def parse_query(text: str) -> SmiOutput:
    """Read ``nvidia-smi -q``; of cut output, the GPUs whose sections end."""
    log: dict[str, str] = {}
    sections: list[_Section] = []
    for line in text[_start(text) :].splitlines():
        if len(line) > _MAX_LINE or not line.strip():
            continue
        if (gpu := _GPU.match(line)) and len(sections) < MOST_DEVICES:
            sections.append(_Section(gpu.group(1)))
        elif line.startswith(" "):
            if sections:
                sections[-1].add(line)
        else:
            name, _, value = line.partition(" : ")
            log.setdefault(name.strip(), value.strip())
    attached = count_of(log.get("Attached GPUs", ""))
    complete = _complete(sections, attached, text)
    whole = sections if complete else sections[:-1]
    return SmiOutput(
        form="query",
        driver_version=value_of(log.get("Driver Version", "")),
        cuda_version=value_of(log.get("CUDA Version", "")),
        attached=attached,
        devices=tuple(device_of(index, section.values) for index, section in enumerate(whole)),
        error=error_line(text[:2_000] if sections else text),
        complete=complete,
    )


def _start(text: str) -> int:
    found = START.search(text)
    return found.start() if found else 0


def _complete(sections: list[_Section], attached: int | None, text: str) -> bool:
    """Tell whether the last section ends: it has the parts of the others, and those that come last in a full log."""
    if attached is not None and len(sections) != attached:
        return False
    if not sections:
        return True
    last = sections[-1].parts
    alike = sections[0].parts - {"mig_device", "processes"} <= last
    full = "product_name" not in last or "processes" in last
    return alike and full and text.endswith("\n")
