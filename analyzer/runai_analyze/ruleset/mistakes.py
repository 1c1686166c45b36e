"""A mistake in a rule file as its author sees it: where, what, the line with a caret, and what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz, process

_CLOSE_ENOUGH = 70
_WIDEST_LINE = 160


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake; ``line`` and ``column`` count from 1, ``source`` is that line. A ``code`` never changes its meaning."""

    file: str
    line: int
    column: int
    code: str
    message: str
    source: str = ""

    def __str__(self) -> str:
        head = f"{self.file}:{self.line}:{self.column}: {self.code} {self.message}"
        if not self.source.strip():
            return head
        start = max(0, self.column - _WIDEST_LINE // 2)
        excerpt = self.source[start : start + _WIDEST_LINE].replace("\t", " ")
        return f"{head}\n    {excerpt}\n    {' ' * (self.column - 1 - start)}^"


def did_you_mean(word: str, known: Iterable[str], close_enough: int = _CLOSE_ENOUGH) -> str:
    """Return ``; did you mean "title"?`` for a word that is close to a known one, else the empty text.

    ``close_enough``: percent of the letters; less than usual where few words can be meant.
    """
    best = closest(word, known, close_enough)
    return f'; did you mean "{best}"?' if best else ""


def closest(word: str, known: Iterable[str], close_enough: int = _CLOSE_ENOUGH) -> str:
    """Return the known word that is closest to one; empty when none is close."""
    candidates = sorted(known)
    exact = process.extractOne(word, candidates, scorer=fuzz.ratio, score_cutoff=close_enough)
    best = exact or process.extractOne(word, candidates, scorer=fuzz.ratio, score_cutoff=close_enough, processor=str.lower)
    return "" if best is None else str(best[0])


def listing(names: Iterable[str]) -> str:
    """Return names as a sentence lists them, in the order given."""
    return ", ".join(names)
