"""``nvidia-smi --query-gpu=… --format=csv``, and its tables of processes and retired pages."""

from __future__ import annotations

import csv
import re
from dataclasses import replace

from .listing import is_example
from .output import MOST_DEVICES, Device, SmiOutput, count_of, device_of, error_line, value_of

_MAX_LINE = 64 * 1024  # all columns there are take 8,000
_MOST_PROBLEMS = 20
_UUID = re.compile(r"GPU-[0-9A-Za-z-]{8,60}")
_UNIT = re.compile(r" \[[^\]]{1,10}\]$")  # memory.total [MiB]
_NAMES_GPU = frozenset(("uuid", "gpu_uuid", "index", "pci.bus_id", "gpu_bus_id", "name", "gpu_name"))
_OF_GPU = _NAMES_GPU | {"driver_version", "memory.total", "utilization.gpu"}
_BY = ("uuid", "gpu_uuid", "index", "pci.bus_id", "gpu_bus_id")  # what tells one GPU from another, the best first
_OF_PART = frozenset(("pid", "retired_pages.address"))  # a line there is a process or a kind of page, no GPU
# Columns (nvidia-smi --help-query-gpu) whose names differ from the paths of the XML.
_NAMES = {
    "name": "product_name",
    "gpu_name": "product_name",
    "gpu_uuid": "uuid",
    "pci.bus_id": "pci.pci_bus_id",
    "gpu_bus_id": "pci.pci_bus_id",
    "mig.mode.current": "mig_mode.current_mig",
    "memory.total": "fb_memory_usage.total",
    "temperature.gpu": "temperature.gpu_temp",
    "ecc.errors.uncorrected.volatile.total": "ecc_errors.volatile.uncorrectable",
    "ecc.errors.uncorrected.aggregate.total": "ecc_errors.aggregate.uncorrectable",
    "retired_pages.double_bit.count": "retired_pages.double_bit_retirement.retired_count",
    "retired_pages.pending": "retired_pages.pending_retirement",
    "remapped_rows.pending": "remapped_rows.remapped_row_pending",
    "remapped_rows.failure": "remapped_rows.remapped_row_failure",
}


def header_of(text: str) -> tuple[int, list[str]] | None:
    """Return the line number (from 0) and the columns of the header that nvidia-smi writes; None where there is none."""
    for number, line in enumerate(text.splitlines()):
        columns = _columns(line)
        if len(line) <= _MAX_LINE and len(columns) > 1 and _OF_GPU & set(columns) and _all_names(columns):
            return number, columns
    return None


def _columns(line: str) -> list[str]:
    return [_UNIT.sub("", cell.strip()) for cell in line[:_MAX_LINE].split(",")]


def _all_names(columns: list[str]) -> bool:
    """Tell names of columns (``clocks.max.sm``) from values, which have blanks, capitals, or begin with digits."""
    return all(re.fullmatch(r"[a-z][A-Za-z0-9_.]{1,80}", column) for column in columns)


def parse_csv(text: str) -> SmiOutput:
    """Read a CSV with its header line. Without one (``noheader``) no column is known, which is a problem and no guess."""
    found = header_of(text)
    if found is None:
        return _headless(text)
    number, columns = found
    if _OF_PART & set(columns):
        return SmiOutput(error=error_line(text), form="processes")
    table = _Table(columns)
    lines = text.splitlines()[number + 1 :]
    for place, row in enumerate(csv.reader((line[:_MAX_LINE] for line in lines), skipinitialspace=True), start=number + 2):
        if len(row) == 1 and len(columns) > 1:
            break  # something else begins: the next command of a session
        if row and not table.add(row, place):
            table.complete = table.complete and place < number + 1 + len(lines)
    return table.output(error_line(text))


class _Table:
    """The lines of a CSV as GPUs, each once however often it was sampled."""

    def __init__(self, columns: list[str]) -> None:
        self.complete = True
        self._columns = columns
        self._devices: dict[str, Device] = {}
        self._problems: list[str] = []
        self._first: dict[str, str] = {}
        if not _NAMES_GPU & set(columns):
            self._problems.append("no column tells which GPU a line is about")

    def add(self, row: list[str], place: int) -> bool:
        """Take a line; False when it has not as many cells as the header."""
        if len(row) != len(self._columns):
            self._problems.append(f"line {place} has {len(row)} cells, the header has {len(self._columns)}")
            return False
        values = dict(zip(self._columns, (cell.strip() for cell in row), strict=True))
        self._first = self._first or values
        name = next((values[column] for column in _BY if column in values and not is_example(values[column])), str(place))
        if len(self._devices) < MOST_DEVICES and _NAMES_GPU & set(values):
            self._devices.setdefault(name, _device(len(self._devices), values))
        return True

    def output(self, error: str) -> SmiOutput:
        """Return what all lines say."""
        return SmiOutput(
            driver_version=value_of(self._first.get("driver_version", "")),
            attached=count_of(self._first.get("count", "")),
            devices=tuple(self._devices.values()),
            error=error,
            complete=self.complete,
            problems=tuple(self._problems[:_MOST_PROBLEMS]),
            form="csv",
        )


def _device(place: int, values: dict[str, str]) -> Device:
    index = count_of(values.get("index", ""))
    named = {_NAMES.get(name, name): value for name, value in values.items()}
    device = device_of(place if index is None else index, named)
    return replace(device, mig_devices=None) if device.mig_mode == "Enabled" else device


def _headless(text: str) -> SmiOutput:
    lines = [line for line in text.splitlines() if line.strip() and len(line) <= _MAX_LINE]
    uuids = list(dict.fromkeys(found.group() for line in lines if "," in line and (found := _UUID.search(line))))
    if not uuids and not (len({line.count(",") for line in lines}) == 1 and all("NVIDIA" in line for line in lines)):
        return SmiOutput()
    devices = tuple(Device(place, uuid=uuid) for place, uuid in enumerate(uuids[:MOST_DEVICES]))
    problem = "the CSV has no header line (noheader), so that nothing but UUIDs can be told"
    return SmiOutput(devices=devices, error=error_line(text), problems=(problem,), form="csv")
