"""The inventory tables: sorted as people read, cut to a length that a page can hold, counted. By pandas, imported when used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from runai_analyze.model import Table
from runai_analyze.report.text import naturally

if TYPE_CHECKING:
    import pandas as pd

ROWS = 2000
CELL = 400


def arrange(table: Table, rows: int = ROWS) -> Table:
    """Return the table sorted by its columns from left to right and cut to ``rows``; ``total`` keeps the full count."""
    if not table.rows:
        return table
    frame = _frame(table)
    ordered = frame.sort_values(list(frame.columns), key=_natural, kind="stable")
    kept = ordered.head(rows)
    cells = tuple(tuple(_cell(value) for value in row) for row in kept.itertuples(index=False, name=None))
    return Table(table.name, table.title, table.columns, cells, max(table.total, len(table.rows)), table.note)


def tally(table: Table, column: str, top: int = 8) -> tuple[tuple[str, int], ...]:
    """Return the values of one column with how many rows have each, most frequent first, at most ``top`` of them."""
    if column not in table.columns or not table.rows:
        return ()
    series = _frame(table).iloc[:, table.columns.index(column)]
    counts = series.value_counts().to_dict()
    ranked = sorted(
        ((str(value), int(number)) for value, number in counts.items()), key=lambda pair: (-pair[1], naturally(pair[0]))
    )
    return tuple(ranked[:top])


def _frame(table: Table) -> pd.DataFrame:
    # Columns by number: two columns may bear one title, and a bundle may have chosen it.
    import pandas as pd

    return pd.DataFrame([_fitted(row, len(table.columns)) for row in table.rows], dtype=object)


def _fitted(row: Sequence[str], width: int) -> list[str]:
    return [str(value) for value in row[:width]] + [""] * (width - len(row))


def _natural(series: pd.Series) -> pd.Series:
    by: Callable[[str], object] = naturally
    return series.map(by)


def _cell(value: object) -> str:
    text = str(value)
    return text if len(text) <= CELL else f"{text[:CELL]}… ({len(text):,} characters)"
