"""``nvidia-smi topo -m``: which link joins which GPUs and network cards; and ``nvidia-smi nvlink -s``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,10}m")  # the header is underlined, also into a file (driver 595)
_NAME = re.compile(r"(?:GPU|NIC)\d{1,4}|mlx\d{1,3}_\d{1,3}")
_LINK = re.compile(r"NV\d{1,3}|SYS|NODE|PHB|PXB|PIX")
_MOST_NAMES = 1024
_MAX_LINE = 64 * 1024
_SPEED = re.compile(r"\s+Link (\d{1,3}): ([\d.]{1,10}) GB/s")
_GPU_LINE = re.compile(r"GPU (\d{1,4}): ")


@dataclass(frozen=True)
class Topology:
    """The links between devices: ``links["GPU0", "GPU1"]`` is NV18, SYS, NODE, PHB, PXB or PIX.

    ``problem``: why there are none, or which are lacking.
    """

    gpus: tuple[str, ...] = ()
    nics: tuple[str, ...] = ()
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    numa: Mapping[str, str] = field(default_factory=dict)  # by GPU: "0"
    problem: str = ""

    @property
    def gpu_links(self) -> tuple[str, ...]:
        """The different links between two GPUs."""
        return tuple(sorted({link for (one, other), link in self.links.items() if one in self.gpus and other in self.gpus}))


def parse_topology(text: str) -> Topology:
    """Read the matrix of ``nvidia-smi topo -m``."""
    lines = [_ESCAPES.sub("", line) for line in text.splitlines() if len(line) <= _MAX_LINE]
    header = next((place for place, line in enumerate(lines) if _names(line) and not _row_name(line)), None)
    if header is None:
        error = next((line.strip() for line in lines if line.startswith(("ERROR", "Failed"))), "")
        return Topology(problem=error[:300] or "it holds no matrix of nvidia-smi topo -m")
    names = _names(lines[header])
    links: dict[tuple[str, str], str] = {}
    numa: dict[str, str] = {}
    for line in lines[header + 1 :]:
        row = _row_name(line)
        if not row:
            break
        cells = line.split()[1:]
        for name, cell in zip(names, cells, strict=False):
            if _LINK.fullmatch(cell):
                links[row, name] = cell
        if row.startswith("GPU") and len(cells) > len(names) + 1:
            numa[row] = cells[len(names) + 1]
    rows = {row for row, _ in links} | set(numa)
    gpus = tuple(name for name in names if name.startswith("GPU"))
    lost = [name for name in gpus if name not in rows]
    problem = f"the matrix has no line for {', '.join(lost)}"[:300] if lost else ""
    return Topology(gpus, tuple(name for name in names if name not in gpus), links, numa, problem)


def _names(line: str) -> list[str]:
    """Return the devices that a header names, without its words on CPUs."""
    words = line.split("CPU Affinity")[0].split()
    return words[:_MOST_NAMES] if words and all(_NAME.fullmatch(word) for word in words) else []


def _row_name(line: str) -> str:
    words = line.split(maxsplit=2)
    named = len(words) > 1 and _NAME.fullmatch(words[0]) and (words[1] == "X" or _LINK.fullmatch(words[1]))
    return words[0] if named else ""


def parse_nvlink(text: str) -> dict[int, list[float] | str]:
    """Read ``nvidia-smi nvlink -s``: by GPU the speed of each link in GB/s, or nvidia-smi's word on why there are none."""
    found: dict[int, list[float] | str] = {}
    gpu = None
    for line in text.splitlines():
        if len(line) > _MAX_LINE:
            continue
        if match := _GPU_LINE.match(line):
            gpu = int(match.group(1))
            found.setdefault(gpu, [])
        elif gpu is not None and (speed := _SPEED.match(line)):
            speeds = found[gpu]
            if isinstance(speeds, list) and len(speeds) < _MOST_NAMES:
                speeds.append(float(speed.group(2)))
        elif gpu is not None and line.strip() and found[gpu] == []:
            found[gpu] = line.strip()[:300]
    return found
