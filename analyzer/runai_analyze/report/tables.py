"""The inventory tables: sorted as people read, cut to a length that a page can hold, counted. By pandas, imported when used."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..model import Table
from .text import cut, naturally

if TYPE_CHECKING:
    import pandas as pd

ROWS = 100_000  # more than any page shows; the JSON holds all that it can
CELL = 400
_DIGEST = re.compile(r"(sha256:[0-9a-f]{12})[0-9a-f]{20,}")  # an image is known by the first digits of its digest

# What a table is sorted by where that is not its columns from left to right, and which columns are worth counting.
_ORDER = {"workloads": ("namespace", "kind", "name"), "certificates": ("valid until", "secret")}
_COUNTED = {
    "nodes": ("operating system", "kubelet", "runtime"),
    "workloads": ("namespace",),
    "configmaps": ("namespace",),
    "secrets": ("type",),
    "helm": ("status",),
}


def arrange(table: Table, rows: int = ROWS) -> Table:
    """Return the table sorted and cut to ``rows``; ``total`` keeps the full count, and counts of its values join the note."""
    if not table.rows:
        return table
    frame = _frame(table)
    ordered = frame.sort_values(_sort_columns(table), key=_natural, kind="stable")
    kept = ordered.head(rows)
    cells = tuple(tuple(_cell(value) for value in row) for row in kept.itertuples(index=False, name=None))
    note = "; ".join(part for part in (table.note, _counts(table)) if part)
    return Table(table.name, table.title, table.columns, cells, max(table.total, len(table.rows)), note)


def tally(table: Table, column: str, top: int = 6) -> tuple[tuple[str, int], ...]:
    """Return the values of one column with how many rows have each, most frequent first, at most ``top`` of them."""
    if column not in table.columns or not table.rows:
        return ()
    series = _frame(table).iloc[:, table.columns.index(column)]
    counts = series[series != ""].value_counts().to_dict()
    ranked = [(str(value), int(number)) for value, number in counts.items()]
    return tuple(sorted(ranked, key=lambda pair: (-pair[1], naturally(pair[0])))[:top])


def _sort_columns(table: Table) -> list[str]:
    """Return the frame's columns in the order of sorting."""
    first = [table.columns.index(column) for column in _ORDER.get(table.name, ()) if column in table.columns]
    order = first + [place for place in range(len(table.columns)) if place not in first]
    return [str(place) for place in order]


def _counts(table: Table) -> str:
    counted = (tally(table, column) for column in _COUNTED.get(table.name, ()))
    return "; ".join(", ".join(f"{number:,} × {cut(value, 40)}" for value, number in values) for values in counted if values)


def _frame(table: Table) -> pd.DataFrame:
    # Columns by number: two columns may bear one title, and a bundle may have chosen it.
    import pandas as pd

    names = [str(place) for place in range(len(table.columns))]
    return pd.DataFrame([_fitted(row, len(names)) for row in table.rows], columns=names, dtype=object)


def _fitted(row: Sequence[str], width: int) -> list[str]:
    return [str(value) for value in row[:width]] + [""] * (width - len(row))


def _natural(series: pd.Series) -> pd.Series:
    by: Callable[[str], object] = naturally
    return series.map(by)


def _memory(text: str) -> str:
    """Return an amount of memory that a kubelet reports, ``66696128Ki``, in GiB; any other text as it is."""
    match = re.fullmatch(r"([0-9]{1,15})Ki", text)
    return f"{int(match[1]) / 1024**2:,.1f} GiB" if match else text


def _cell(value: object) -> str:
    text = _DIGEST.sub(r"\1…", _memory(str(value)))
    return text if len(text) <= CELL else f"{text[:CELL]}… ({len(text):,} characters)"
