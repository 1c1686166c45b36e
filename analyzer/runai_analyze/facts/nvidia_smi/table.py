"""Plain ``nvidia-smi``: the table, of Linux, Windows and WSL, with MIG devices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from .output import BAD_CELLS, MOST_DEVICES, Device, SmiOutput, error_line, number_of, value_of

_MAX_LINE = 300  # the table is 91 wide
_HEADER = re.compile(r"NVIDIA-SMI[ ]+\S+.{0,80}?Driver Version:[ ]+(\S+)(?:[ ]+CUDA Version:[ ]+(\S+))?")
_BUS_ID = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]"
_GPU_ROW = re.compile(r"\|[ ]{1,6}(\d{1,4})[ ]{1,6}(\S.{0,80}?)[ ]+(?:\S{1,8})[ ]{0,6}\|[ ]{1,6}(" + _BUS_ID + ")")
_MIG_ROW = re.compile(r"\|[ ]+(\d{1,4})[ ]+\d+[ ]+\d+[ ]+\d+[ ]+\|")
_CELLS = (("name", "bus", "ecc"), ("fan_temperature_power", "memory", "utilization"), ("", "", "mig"))


def parse_table(text: str) -> SmiOutput:
    """Read plain ``nvidia-smi``: versions, the GPUs in order, cells that read ``ERR!``, MIG mode and devices."""
    lines = [line for line in text.splitlines() if len(line) <= _MAX_LINE]
    header = next(filter(None, map(_HEADER.search, lines)), None)
    rows, mig = _table_rows(lines), _mig_devices(lines)
    return SmiOutput(
        form="table" if header or rows else "",
        driver_version=header.group(1) if header else "",
        cuda_version=value_of(header.group(2) or "") if header else "",
        devices=tuple(_table_device(row, mig) for row in rows[:MOST_DEVICES]),
        error=error_line(text),
        complete=not header or "Processes:" in text or text.rstrip().endswith("+"),
    )


def _table_rows(lines: list[str]) -> list[list[str]]:
    """Return the (up to three) lines of each GPU's row."""
    rows = []
    for number, line in enumerate(lines):
        if _GPU_ROW.match(line.strip()):
            following = []
            for other in lines[number + 1 : number + 3]:
                if not other.strip().startswith("|"):
                    break
                following.append(other.strip())
            rows.append([line.strip(), *following])
    return rows


def _table_device(row: list[str], mig_devices: Mapping[int, int]) -> Device:
    match = _GPU_ROW.match(row[0])
    assert match is not None
    index = int(match.group(1))
    cells = {
        name: cell.strip()
        for names, line in zip(_CELLS, row, strict=False)
        for name, cell in zip(names, line.strip("|").split("|"), strict=False)
        if name
    }
    temperature = re.search(r"(\d{1,3})C\b", cells.get("fan_temperature_power", ""))
    memory = re.search(r"/\s{0,9}(\d{1,9})MiB", cells.get("memory", ""))
    mig = cells.get("mig", "")
    return Device(
        index=index,
        product=match.group(2).strip(),
        errors=tuple(sorted(name for name, cell in cells.items() if any(bad in cell for bad in BAD_CELLS))),
        ecc_uncorrected=number_of(cells.get("ecc", "")),
        temperature=int(temperature.group(1)) if temperature else None,
        mig_mode=mig if mig in ("Enabled", "Disabled") else "",
        mig_devices=mig_devices.get(index, 0),
        bus_id=match.group(3),
        memory=int(memory.group(1)) if memory else None,
    )


def _mig_devices(lines: list[str]) -> Counter[int]:
    """Return how many MIG devices each GPU has, by its index; they stand in a section of their own, before the processes."""
    found: Counter[int] = Counter()
    inside = False
    for line in lines:
        if inside and "Processes:" in line:
            break
        inside = inside or "MIG devices:" in line
        if inside and (match := _MIG_ROW.match(line.strip())):
            found[int(match.group(1))] += 1
    return found
