"""A mistake in a rule file as its author sees it: where, what, the line with a caret, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from runai_analyze.ruleset.codes import Level, level_of

_CLOSE_ENOUGH = 70
_WIDEST_LINE = 160
# What could drive a terminal, or hide or reorder the words around it.
_UNSEEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake; ``line`` and ``column`` count from 1, ``source`` is that line. A ``code`` never changes its meaning."""

    file: str
    line: int
    column: int
    code: str
    message: str
    source: str = ""

    @property
    def level(self) -> Level:
        """An error makes the rules unusable, a warning is worth a look, a note says what could not be checked."""
        return level_of(self.code)

    @property
    def place(self) -> str:
        """``file:line:col``, with nothing in it that could drive a terminal."""
        return f"{_harmless(self.file)}:{self.line}:{self.column}"

    @property
    def words(self) -> str:
        """The message, in which nothing can drive a terminal; it may have several lines."""
        return "\n".join(map(_harmless, self.message.split("\n")))

    @property
    def excerpt(self) -> str:
        """The line and under it a caret; empty when the line is. A character that does not print stands as a question mark."""
        if not self.source.strip():
            return ""
        start = max(0, self.column - _WIDEST_LINE // 2)
        shown = _UNSEEN.sub("?", self.source[start : start + _WIDEST_LINE].replace("\t", " "))
        return f"{shown}\n{' ' * (self.column - 1 - start)}^"

    def __str__(self) -> str:
        level = "" if self.level == "error" else f"{self.level}: "
        lines = [f"{self.place}: {level}{self.code} {self.words}"]
        return "\n    ".join(lines + self.excerpt.split("\n")) if self.excerpt else lines[0]


def did_you_mean(word: str, known: Iterable[str], close_enough: int = _CLOSE_ENOUGH) -> str:
    """Return ``; did you mean "title"?`` for a word that is close to a known one, else the empty text.

    ``close_enough``: percent of the letters; less than usual where few words can be meant.
    """
    return suggested(closest(word, known, close_enough))


def suggested(word: str) -> str:
    """Return ``; did you mean "title"?`` with a word that is known to be meant; the empty text for an empty one."""
    return f'; did you mean "{word}"?' if word else ""


def closest(word: str, known: Iterable[str], close_enough: int = _CLOSE_ENOUGH) -> str:
    """Return the known word that is closest to one; empty when none is close."""
    candidates = sorted(known)
    exact = process.extractOne(word, candidates, scorer=fuzz.ratio, score_cutoff=close_enough)
    best = exact or process.extractOne(word, candidates, scorer=fuzz.ratio, score_cutoff=close_enough, processor=str.lower)
    return "" if best is None else str(best[0])


def listing(names: Iterable[str]) -> str:
    """Return names as a sentence lists them, in the order given."""
    return ", ".join(names)


def _harmless(text: str) -> str:
    return _UNSEEN.sub(lambda match: f"‹U+{ord(match.group()):04X}›", text)
