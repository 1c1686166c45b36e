"""Where the GPUs go: seven stages a node, the first gap of a row marked, and the sums under the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..model import GpuNodeRow
from .text import count, listing

STAGES = (
    ("pci", "PCI", "PCI"),
    ("driver", "Driver", "Driver"),
    ("nvidia_smi", "nvidia-smi", "smi"),
    ("labels", "Labels", "Label"),
    ("capacity", "Capacity", "Cap."),
    ("allocatable", "Allocatable", "Alloc."),
    ("requested", "Requested", "Req."),
)


@dataclass(frozen=True)
class Cell:
    """One number of the table: ``kind`` is empty, ``gap`` (the first stage that lost some), ``after`` or ``unseen``."""

    value: str
    kind: str


@dataclass(frozen=True)
class GpuLine:
    """One node."""

    row: GpuNodeRow
    cells: tuple[Cell, ...]
    remark: str


@dataclass(frozen=True)
class GpuView:
    """The whole table with the sentence over it; ``share`` is each sum in percent of the largest, for the columns above."""

    say: str
    lines: tuple[GpuLine, ...]
    more: int
    sums: tuple[Cell, ...]
    shares: tuple[float | None, ...]


def gpu_view(rows: Sequence[GpuNodeRow], limit: int) -> GpuView | None:
    """Return the view of the GPU rows, or None when there are none."""
    if not rows:
        return None
    lines = tuple(GpuLine(row, _cells(row), _remark(row)) for row in rows[:limit])
    sums = tuple(_sum(rows, stage) for stage, _, _ in STAGES)
    numbers = [_total(rows, stage) for stage, _, _ in STAGES]
    top = max((number for number in numbers if number is not None), default=0)
    shares = tuple(None if number is None else round(100 * number / top, 2) if top else 0.0 for number in numbers)
    return GpuView(_say(rows), lines, max(0, len(rows) - limit), sums, shares)


def first_gap(row: GpuNodeRow) -> str:
    """Return the stage that lost GPUs first, or an empty text. The facts layer names it in words that begin with the stage."""
    if not row.gap:
        return ""
    known = row.gap.lower().replace("-", "_").replace(" ", "_")
    for stage, title, _ in STAGES:
        if known.startswith((stage, title.lower().replace("-", "_"))):
            return stage
    numbers = [(stage, getattr(row, stage)) for stage, _, _ in STAGES[:-1]]
    seen = [(stage, number) for stage, number in numbers if number is not None]
    return next((stage for (_, before), (stage, number) in pairwise(seen) if number < before), "")


def _cells(row: GpuNodeRow) -> tuple[Cell, ...]:
    gap = first_gap(row)
    cells, after = [], False
    for stage, _, _ in STAGES:
        number = getattr(row, stage)
        if number is None:
            cells.append(Cell("?", "unseen"))
        else:
            cells.append(Cell(f"{number:,}", "gap" if stage == gap else "after" if after else ""))
        after = after or stage == gap
    return tuple(cells)


def _remark(row: GpuNodeRow) -> str:
    return ". ".join(part.rstrip(".") for part in (row.gap, row.note) if part)


def _total(rows: Sequence[GpuNodeRow], stage: str) -> int | None:
    numbers = [getattr(row, stage) for row in rows]
    return None if any(number is None for number in numbers) else sum(numbers)


def _sum(rows: Sequence[GpuNodeRow], stage: str) -> Cell:
    numbers = [getattr(row, stage) for row in rows]
    seen = sum(number for number in numbers if number is not None)
    if all(number is None for number in numbers):
        return Cell("?", "unseen")
    return Cell(f"{seen:,} + ?", "unseen") if None in numbers else Cell(f"{seen:,}", "")


def _say(rows: Sequence[GpuNodeRow]) -> str:
    gaps = sum(bool(row.gap) for row in rows)
    capacity = sum(row.capacity or 0 for row in rows)
    allocatable = sum(row.allocatable or 0 for row in rows)
    unseen = sum(any(getattr(row, stage) is None for stage, _, _ in STAGES) for row in rows)
    losing = f"{count(gaps, 'node')} {'loses' if gaps == 1 else 'lose'} GPUs on the way"
    parts = [losing if gaps else "no node loses GPUs on the way"]
    if unseen:
        parts.append(f"{count(unseen, 'node')} {'was' if unseen == 1 else 'were'} not seen at every step")
    return f"{count(len(rows), 'GPU node')}, {count(allocatable, 'GPU')} of {capacity:,} allocatable: {listing(parts)}."
