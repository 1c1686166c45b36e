"""Ranges of versions and spans of time with one bound changed: neighbours of what an author wrote, for the mutants of a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..objects.times import parse_moment
from ..objects.versions import parse_range

_BETWEEN = re.compile(r"(\S+)\s+-\s+(\S+)")
_BOUND = re.compile(r"(>=|<=|>|<|=)?\s*([^\s,<>=]+)")
_TURNED = {">=": ">", ">": ">=", "<=": "<", "<": "<="}
Other = tuple[str, str, str]  # what was changed, the value at which it shows, the text with the change


def other_ranges(text: str) -> Iterator[Other]:
    """Yield ranges that differ from this one in one bound or part."""
    parts = [_bounds(part.strip()) for part in text.split("||")]
    for number, bounds in enumerate(parts):
        if len(parts) > 1:
            said = _text(bounds)
            yield from _checked(f"{said} left out", f"a version in {said}", [*parts[:number], *parts[number + 1 :]])
        for place, (sign, version) in enumerate(bounds):
            one = f"{sign}{version}"
            if len(bounds) > 1:
                fewer = [*bounds[:place], *bounds[place + 1 :]]
                hint = f"a version that only {one} keeps out"
                yield from _checked(f"{one} left out", hint, [*parts[:number], fewer, *parts[number + 1 :]])
            if sign in _TURNED:
                turned = [*bounds[:place], (_TURNED[sign], version), *bounds[place + 1 :]]
                hint = f"exactly version {version}"
                change = f"{_TURNED[sign]}{version} in place of {one}"
                yield from _checked(change, hint, [*parts[:number], turned, *parts[number + 1 :]])


def _bounds(text: str) -> list[tuple[str, str]]:
    between = _BETWEEN.fullmatch(text)
    if between:
        return [(">=", between[1]), ("<=", between[2])]
    return [(match[1] or "=", match[2]) for match in _BOUND.finditer(text)]


def _text(bounds: list[tuple[str, str]]) -> str:
    return " ".join(f"{sign}{version}" for sign, version in bounds)


def _checked(change: str, hint: str, parts: list[list[tuple[str, str]]]) -> Iterator[Other]:
    """Yield the change unless no version can be in the range."""
    text = " || ".join(_text(bounds) for bounds in parts)
    try:
        parse_range(text)
    except ValueError:
        return
    yield change, hint, text


def other_spans(text: str) -> Iterator[Other]:
    """Yield the moment at half and at twice its distance from the capture time; nothing for a moment without a distance."""
    try:
        moment = parse_moment(text)
    except ValueError:
        return
    seconds = int(abs(moment.offset.total_seconds()))
    if moment.fixed is not None or seconds < 2:
        return
    sign = "+" if moment.offset.total_seconds() > 0 else "-"
    yield "half the span", f"between half of it and {text}", f"bundle_time {sign} {seconds // 2}s"
    yield "twice the span", f"between {text} and twice that", f"bundle_time {sign} {seconds * 2}s"
