"""How many of the findings to mend first have room on page one of the PDF, which is one page whatever it says."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

# In points, as paper.css sets the left column of page one; characters a line are those of its fonts at its sizes.
_PAGE = 748
_FIXED = 190  # the line on top, the numbers, the headings
_LEAST = 2  # these have room beside the longest texts


def fitting(items: Sequence[tuple[str, str, bool]], verdict: str, lead: str, notes: int) -> int:
    """Return how many items (title, text, whether a line stands under it) fit, at least two of them."""
    left = _PAGE - _FIXED - 34 * notes - 24 * _lines(verdict, 28) - 15.5 * _lines(lead, 52)
    for number, (title, text, more) in enumerate(items):
        left -= 16 + 14.2 * _lines(title, 46) + 13.8 * _lines(text, 58) + 15 * more
        if left < 0:
            return min(max(number, _LEAST), len(items))
    return len(items)


def _lines(text: str, width: int) -> int:
    return ceil(len(text) / width)
