"""How much two texts say the same: names, numbers, addresses and times in them do not matter, nor does the order of the words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from runai_analyze.engine.values import as_text
from runai_analyze.objects.normal import normalise

LONGEST_LIKENESS: Final = 4096  # characters; comparing costs more than their number, and a message has far fewer
Likeness = Callable[[object], float | None]


def make_likeness(wanted: object) -> Likeness:
    """Return a function from a value to the percent in which it says the same as a text, of several texts the likest.

    rapidfuzz's ``token_set_ratio`` of both sides normalised: 100 also where one text holds all words of the other. None for what
    is no text, and for a text that is too long to compare.
    """
    texts = [normalise(as_text(text)) for text in (wanted if isinstance(wanted, list | tuple) else (wanted,))]

    @lru_cache(maxsize=1024)  # a cluster says the same few things very often
    def of_text(text: str) -> float:
        words = normalise(text)
        return max((fuzz.token_set_ratio(words, other) for other in texts), default=0.0)

    def likeness(value: object) -> float | None:
        if isinstance(value, list | tuple | Mapping):
            return None
        text = as_text(value)
        return None if len(text) > LONGEST_LIKENESS else of_text(text)

    return likeness
