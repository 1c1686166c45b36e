"""Where the GPUs go: seven stages a node, the first gap of a row marked, and the sums under the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..model import GpuNodeRow
from .text import count, cut, listing

Stage = tuple[str, str, str]  # field of the row, title, short title

STAGES: tuple[Stage, ...] = (
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
    hardware: str  # empty where it is what most nodes have


@dataclass(frozen=True)
class GpuView:
    """The whole table with the sentence over it; ``share`` is each sum in percent of the largest, for the columns above."""

    say: str
    lines: tuple[GpuLine, ...]
    more: int
    stages: tuple[Stage, ...]
    usual: str  # model, driver and MIG of most nodes
    left_out: tuple[str, ...]  # titles of stages that no node was seen at
    sums: tuple[Cell, ...]
    shares: tuple[float | None, ...]


def gpu_view(rows: Sequence[GpuNodeRow], limit: int) -> GpuView | None:
    """Return the view of the GPU rows, or None when there are none. A stage that was seen at no node has no column."""
    if not rows:
        return None
    stages = tuple(stage for stage in STAGES if any(getattr(row, stage[0]) is not None for row in rows))
    usual = Counter(_hardware(row) for row in rows).most_common(1)[0][0]
    numbers = [_total(rows, stage) for stage, _, _ in stages]
    top = max((number for number in numbers if number is not None), default=0)
    return GpuView(
        say=_say(rows, stages),
        lines=tuple(
            GpuLine(row, _cells(row, stages), _remark(row), "" if _hardware(row) == usual else _hardware(row))
            for row in rows[:limit]
        ),
        usual=usual,
        more=max(0, len(rows) - limit),
        stages=stages,
        left_out=tuple(stage[1] for stage in STAGES if stage not in stages),
        sums=tuple(_sum(rows, stage) for stage, _, _ in stages),
        shares=tuple(None if number is None else round(100 * number / top, 2) if top else 0.0 for number in numbers),
    )


def first_gap(row: GpuNodeRow) -> str:
    """Return the stage that lost GPUs first, read from the words of the gap, else from the numbers; empty without a gap.

    A stage at the start of the words is the one (``nvidia-smi fails: …``); else the last one that they name
    (``8 expected, capacity shows 7``).
    """
    if not row.gap:
        return ""
    words = row.gap.lower()
    places = {stage: words.rfind(title.lower()) for stage, title, _ in STAGES}
    if words.startswith(("nvidia-smi", "driver", "pci", "label")):
        return next(stage for stage, title, _ in STAGES if words.startswith(title.lower().rstrip("s")))
    named = max(places, key=lambda stage: places[stage])
    return named if places[named] >= 0 else _first_drop(row)


def _first_drop(row: GpuNodeRow) -> str:
    seen = [(stage, getattr(row, stage)) for stage, _, _ in STAGES[:-1] if getattr(row, stage) is not None]
    drop = next((stage for (_, before), (stage, number) in pairwise(seen) if number < before), "")
    return drop or next((stage for stage, number in seen if number == 0), "")


def _cells(row: GpuNodeRow, stages: Sequence[Stage]) -> tuple[Cell, ...]:
    gap = first_gap(row)
    cells, after = [], False
    for stage, _, _ in stages:
        number = getattr(row, stage)
        if number is None:
            cells.append(Cell("?", "unseen"))
        else:
            cells.append(Cell(f"{number:,}", "gap" if stage == gap else "after" if after else ""))
        after = after or stage == gap
    return tuple(cells)


def _hardware(row: GpuNodeRow) -> str:
    parts = (row.model, f"driver {row.driver_version}" if row.driver_version else "", row.mig)
    return ", ".join(cut(part, 60) for part in parts if part)


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


def _say(rows: Sequence[GpuNodeRow], stages: Sequence[Stage]) -> str:
    gaps = sum(bool(row.gap) for row in rows)
    capacity = sum(row.capacity or 0 for row in rows)
    allocatable = sum(row.allocatable or 0 for row in rows)
    unseen = sum(any(getattr(row, stage) is None for stage, _, _ in stages) for row in rows)
    losing = f"{count(gaps, 'node')} {'loses' if gaps == 1 else 'lose'} GPUs on the way"
    parts = [losing if gaps else "no node loses GPUs on the way"]
    if unseen:
        parts.append(f"{count(unseen, 'node')} {'was' if unseen == 1 else 'were'} not seen at every step")
    return f"{count(len(rows), 'GPU node')}, {count(allocatable, 'GPU')} of {capacity:,} allocatable: {listing(parts)}."
