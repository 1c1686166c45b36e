"""Regular expressions of rules: run by RE2, whose time grows with the text and not with what the author wrote.

RE2 (google-re2 1.1) knows no looking ahead or back and no back references; what is refused says how to write it otherwise. A
repeat of nothing but a repeat is refused too: here it is harmless, but it says no more than one of them, and the same words in
another program would run for ever.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import re2

LONGEST_TEXT = 65_536  # characters of a value that a pattern sees; a longer value makes the test unknown
_LONGEST_PATTERN = 300
_MOST_MEMORY = 1024 * 1024  # bytes for one pattern: RE2 refuses one whose program is larger, a{500}{500}
_SLASHES = re.compile(r"/[^/]+/[gims]{1,3}")
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


class PatternError(ValueError):
    """What is wrong with a pattern, ``shift`` characters into it."""

    code = "bad-regex"

    def __init__(self, message: str, shift: int = 0) -> None:
        super().__init__(message)
        self.shift = shift


class ExplosiveError(PatternError):
    """The pattern is larger than it looks."""

    code = "explosive-regex"


class Pattern:
    """A compiled pattern."""

    def __init__(self, compiled: Any) -> None:
        self._search: Callable[[bytes], object | None] = compiled.search

    def search(self, text: str) -> object | None:
        """Return something when the pattern is found somewhere in the text, else None.

        Bytes take google-re2 two thirds of the time of text, in which it counts characters. Half a character, which JSON can
        hold and UTF-8 cannot, is replaced.
        """
        return self._search(text.encode("utf-8", "replace"))


def compile_pattern(text: str, ignore_case: bool = False) -> Pattern:
    """Return the compiled pattern; raises ``PatternError`` that says what is wrong with it and where."""
    if len(text) > _LONGEST_PATTERN:
        raise PatternError(f"a pattern has at most {_LONGEST_PATTERN} characters, this has {len(text)}")
    if _SLASHES.fullmatch(text):
        raise PatternError("slashes around a pattern are part of it: leave them out, and write ignore_case: true for i")
    _check_repeats(text)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    options.case_sensitive = not ignore_case
    try:
        return Pattern(re2.compile(text, options))
    except UnicodeEncodeError:
        raise PatternError("not a regular expression: it holds half a character") from None
    except re2.error as error:
        said = error.args[0] if error.args else b""
        raise _explained(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said), text) from None


# --- What RE2 said, in words ------------------------------------------------------------------------------------------------

_WORDS = (
    ("missing )", "( is never closed; the character itself is written \\("),
    ("unexpected )", ") closes nothing; the character itself is written \\)"),
    ("missing ]", "[ is never closed; the character itself is written \\["),
    ("no argument for repetition operator", "{0} has nothing before it to repeat; the character itself is written \\{0}"),
    ("bad repetition operator", "{0} are two repeats at one place; write one of them"),
    ("trailing \\", "a backslash at the end means nothing; the character itself is written \\\\"),
    ("invalid character class", "{0} is no set of characters; of a range the lower one comes first, [a-z]"),
    ("invalid escape sequence", "{0} has no meaning here"),
)
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
_INSTEAD = {
    "\\Z": "write $ for the end of the text",
    "\\G": "write ^ for the beginning of the text",
    "\\h": "write [ \\t] for a blank",
    "\\R": "write \\r?\\n for the end of a line",
}


def _explained(said: str, text: str) -> PatternError:
    problem, _, part = said.partition(": ")
    shift = max(0, text.find(part)) if part else 0
    if "repetition size" in problem or "too large" in problem:
        return ExplosiveError(f"this pattern explodes: {part or 'it'} repeats more than 1000 times in all", shift)
    if "perl operator" in problem or "named capture" in problem:
        return _no_group(part, text, shift)
    if "invalid escape" in problem and part[1:].isdigit():
        return PatternError(f"{part} refers back to a group, which is not possible: use equals_field, or two conditions", shift)
    if "invalid escape" in problem and part in _INSTEAD:
        return PatternError(f"{part} is not known: {_INSTEAD[part]}", shift)
    if problem.startswith("missing )"):
        shift = _last_open(text)
    words = next((words for start, words in _WORDS if problem.startswith(start)), f"RE2 says {said}")
    return PatternError(f"not a regular expression: {words.format(part)}", shift)


def _no_group(part: str, text: str, shift: int) -> PatternError:
    if text.startswith(_LOOKS, shift):
        return PatternError("a pattern cannot look ahead or back: write what must not be there as a second condition", shift)
    if "(?P=" in text or text.startswith("(?(", shift):
        return PatternError("a pattern cannot refer back to a group: use equals_field, or two conditions", shift)
    return PatternError(f"not a regular expression: {part} begins no group that there is; plain ( ) or (?: ) will do", shift)


def _last_open(text: str) -> int:
    """Return where the first bracket stands that is not closed."""
    waiting: list[int] = []
    inside, skip = False, False
    for place, letter in enumerate(text):
        if skip or letter == "\\":
            skip = not skip
        elif inside or letter == "[":
            inside = letter != "]"
        elif letter == "(":
            waiting.append(place)
        elif letter == ")" and waiting:
            waiting.pop()
    return waiting[0] if waiting else 0


# --- Repeats of a repeat ----------------------------------------------------------------------------------------------------


def _check_repeats(text: str) -> None:
    """Raise ``ExplosiveError`` for ``(a+)+``; what Python cannot parse is left to RE2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parser.parse(text)
    except (re.error, OverflowError, RecursionError):
        return
    if _repeats_a_repeat(tree):
        raise ExplosiveError("this pattern can explode: it has a repeat inside a repeat, (a+)+; one of them says the same")


def _repeats_a_repeat(tree: Any) -> bool:
    return any(_is_open(code, value) and _only_repeat(value[2]) for code, value in tree) or any(
        _repeats_a_repeat(part) for code, value in tree for part in _bodies(code, value)
    )


def _is_open(code: Any, value: Any) -> bool:
    return code in _REPEATS and value[1] == codes.MAXREPEAT


def _only_repeat(tree: Any) -> bool:
    """Return whether a body is an open repeat and nothing else that must be there."""
    needed = [(code, value) for code, value in tree if not (code in _REPEATS and value[0] == 0) or _is_open(code, value)]
    if len(needed) != 1:
        return False
    code, value = needed[0]
    if code is codes.SUBPATTERN:
        return _only_repeat(value[3])
    return _is_open(code, value)


def _bodies(code: Any, value: Any) -> list[Any]:
    if code in _REPEATS:
        return [value[2]]
    if code is codes.BRANCH:
        return list(value[1])
    return [value[3]] if code is codes.SUBPATTERN else []
