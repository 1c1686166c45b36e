"""Regular expressions of rules: compiled, and refused when a text could make them run for ever.

Python's ``re`` backtracks, so a pattern is bounded three ways: by its length, by its shape (no repeat inside a repeat, no choice
inside a repeat, few open repeats, no back reference) and by the length of the text that it is laid on.
"""

from __future__ import annotations

import re
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

LONGEST_TEXT = 4096  # characters of a value that a pattern sees; a longer value makes the test unknown
_LONGEST_PATTERN = 300
_MOST_OPEN_REPEATS = 3
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)
_WIDE = 20  # a repeat up to more than this counts as open


def compile_pattern(text: str, ignore_case: bool = False) -> re.Pattern[str]:
    """Return the compiled pattern; raises ValueError that says what is wrong with it."""
    if len(text) > _LONGEST_PATTERN:
        raise ValueError(f"a pattern has at most {_LONGEST_PATTERN} characters")
    try:
        tree = parser.parse(text)
        compiled = re.compile(text, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    if _count(tree, inside=False) > _MOST_OPEN_REPEATS:
        raise ValueError(f"this pattern can explode: it has more than {_MOST_OPEN_REPEATS} open repeats (*, + or {{n,}})")
    return compiled


def _count(tree: Any, inside: bool) -> int:
    """Return the number of open repeats; raises ValueError for a shape that can explode."""
    total = 0
    for code, value in tree:
        if code in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            raise ValueError("this pattern can explode: it refers back to a group")
        if code in _REPEATS:
            least, most, body = value
            open_repeat = most - least > _WIDE or most == codes.MAXREPEAT
            if inside and (most > 1 or least < most):  # (a?){40} tries as many ways as (a|){40}
                raise ValueError("this pattern can explode: it has a repeat inside a repeat")
            total += open_repeat + _count(body, inside or most > 1)
        elif code is codes.BRANCH:
            if inside:
                raise ValueError("this pattern can explode: it has a choice inside a repeat")
            total += sum(_count(branch, inside) for branch in value[1])
        elif code is codes.SUBPATTERN:
            total += _count(value[3], inside)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            total += _count(value[1], inside)
        elif code is codes.ATOMIC_GROUP:
            total += _count(value, inside)
        elif code is codes.POSSESSIVE_REPEAT:
            total += 1 + _count(value[2], inside)
    return total
