"""The support matrix as a table: a row a release, a column a component, in each cell what is wanted and whether it is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import ReleaseFit
from .page_one import component_words
from .text import cut, version_range


@dataclass(frozen=True)
class GridCell:
    """What a release wants of one component: ``answer`` is yes, no, unknown, or empty where the component does not count."""

    wanted: str
    answer: str


@dataclass(frozen=True)
class Grid:
    """The table; ``columns`` are (label, version found here), ``rows`` (release, its cells), ``more`` rows were left out."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[ReleaseFit, tuple[GridCell, ...]], ...]
    more: int


def grid(releases: Sequence[ReleaseFit], limit: int) -> Grid:
    """Return the newest ``limit`` releases, and the one at hand even if it is older."""
    shown = [fit for place, fit in enumerate(releases) if place < limit or fit.current]
    names = list(dict.fromkeys(name for fit in shown for name, _, _, _ in fit.parts))
    words = component_words(names)
    found = {name: version for fit in shown for name, version, _, _ in fit.parts if version}
    columns = tuple((words[name], cut(found.get(name, ""), 40)) for name in names)
    rows = tuple((fit, tuple(_cell(fit, name) for name in names)) for fit in shown)
    return Grid(columns, rows, len(releases) - len(shown))


def _cell(fit: ReleaseFit, name: str) -> GridCell:
    parts = [(wanted, answer) for component, _, wanted, answer in fit.parts if component == name]
    answers = [answer for _, answer in parts]
    worst = next((answer for answer in ("no", "unknown", "yes") if answer in answers), "")
    return GridCell(cut(version_range("; ".join(wanted for wanted, _ in parts if wanted)), 80), worst)
