"""Hide secrets in text: logs, configuration files, scripts, command lines. Pure; lines stay lines.

Three kinds of rules, each behind the cheap test of ``hints``: shapes that are secrets wherever they stand (``shapes``), names
that announce one (``password=``, ``"apiKey": "…"``: ``named``), and what needs more than one line (``blocks``)."""

import re
from contextlib import suppress
from threading import RLock
from typing import Callable, Dict, FrozenSet, List, Optional, Pattern, Tuple

from .blocks import Found, hide_keys, hide_yaml
from .hints import ENCODED, HARMLESS, NAMES, UNSEEN, hints_of, is_clean, narrow_text, plain_text, remember
from .named import announces, hide_named
from .shapes import SHAPES, hide_encoded, hide_shape

OpenJson = Callable[[str], Tuple[str, List[str]]]

_JSON_START: Pattern[str] = re.compile(r"[{\[]")
# As the kubelet writes it before each line.
_STAMP: Pattern[str] = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,10}(?:Z|[+-]\d\d:\d\d) ")

# Of a text that is longer than _WHOLE characters a piece is looked through at a time, with what stands around it: lines take many
# times the memory of their text, so only one thread at a time takes a large text apart.
_PIECE, _WHOLE, _AROUND = 1 << 18, 1 << 20, 1 << 13
_ONE_AT_A_TIME = RLock()


def redact_text(text: str, depth: int = 0, open_json: Optional[OpenJson] = None) -> Tuple[str, Found]:
    """Return a text of several lines with its secrets hidden, and (line from 1, rule) of each. Lines stay as many as they are.
    ``open_json`` is given for logs: it looks through a line's JSON document by structure. ``depth`` counts how often base64 was
    opened so far."""
    if len(text) <= _PIECE:
        return _redact_piece(text, depth, open_json)
    cleaned, found, start, number = [], [], 0, 0  # type: List[str], Found, int, int
    size = _PIECE if len(text) > _WHOLE else len(text)
    while start < len(text):
        end = text.find("\n", start + size) + 1 or len(text)
        first, last = text.rfind("\n", 0, max(0, start - _AROUND)) + 1, text.find("\n", end + _AROUND) + 1 or len(text)
        before, after = text.count("\n", first, start), text.count("\n", first, end) + (end == len(text))
        with _ONE_AT_A_TIME:
            piece, hidden = _redact_piece(text[first:last], depth, open_json)
            cleaned.append("\n".join(piece.split("\n")[before:after]))
        found += [(number - before + at, rule) for at, rule in hidden if before < at <= after]
        start, number = end, number + after - before
    return "\n".join(cleaned), found


def _redact_piece(text: str, depth: int, open_json: Optional[OpenJson]) -> Tuple[str, Found]:
    whole = text.split("\n")
    stamps = [match.group() if match else "" for match in map(_STAMP.match, whole)]
    lines = [line[len(stamps[number]):] for number, line in enumerate(whole)]
    found = _redact_lines(lines, depth, open_json)
    return "\n".join([stamps[number] + line for number, line in enumerate(lines)]), sorted(set(found))


def redact_line(line: str) -> Tuple[str, List[str]]:
    """Return one line (or one value without line ends) with its secrets hidden, and the rules that hid them."""
    if line in HARMLESS or is_clean(line):
        return line, []
    lines = [line]
    found = _redact_lines(lines, 0, None)
    if lines[0] == line:
        remember(line, HARMLESS)
    return lines[0], [rule for _, rule in found]


def _redact_lines(lines: List[str], depth: int, open_json: Optional[OpenJson]) -> Found:
    found = []  # type: Found
    hints, shown = _read_hints(lines)
    named = [number for number in hints if NAMES in hints[number] and announces(lines[number])]
    if len(lines) > 1:
        if any("PRIVATE KEY" in lines[number] or "PuTTY" in lines[number] for number in hints):
            hide_keys(lines, found)
        hide_yaml(lines, named, found, open_json is not None)
    for number, needed in hints.items():
        rules: List[str] = []
        lines[number] = hide_shapes(lines[number], rules, needed)
        if ENCODED in needed and depth < 2:
            lines[number] = hide_encoded(lines[number], rules, lambda inner: bool(redact_text(inner, depth + 1)[1]))
        found.extend([(number + 1, rule) for rule in rules])
    for number in named:
        if open_json is not None:
            lines[number], rules = _open_line(lines[number], open_json)
            found.extend([(number + 1, rule) for rule in rules])
        parts = lines[number].split("\\n") if depth < 2 else []
        if len(parts) > 1:          # a text of several lines in quotes
            found.extend([(number + 1, rule) for _, rule in _redact_lines(parts, depth + 1, None)])
            lines[number] = "\\n".join(parts)
        hide_named(lines, number, found)
    for number in set(shown).difference(number - 1 for number, _ in found):
        lines[number] = shown[number]
    return found


def _read_hints(lines: List[str]) -> Tuple[Dict[int, FrozenSet[int]], Dict[int, str]]:
    """Return which rules each line (from 0) needs, if any, and how the lines looked that are changed to what the rules read."""
    hints, shown = {}, {}  # type: Dict[int, FrozenSet[int]], Dict[int, str]
    for number, line in enumerate(lines):
        needed = hints_of(line) if line else frozenset()
        if UNSEEN in needed:
            shown[number] = plain_text(line)
            lines[number] = narrow_text(shown[number])
            needed = hints_of(lines[number]) - {UNSEEN}
        if needed:
            hints[number] = needed
    return hints, shown


def hide_shapes(line: str, rules: List[str], hints: Optional[FrozenSet[int]] = None) -> str:
    """Return a line without secrets that are known by their shape; ``rules`` grows by what was hidden."""
    for at in sorted(hints_of(line) if hints is None else hints):
        if at >= 0:
            line = hide_shape(line, SHAPES[at], rules)
    return line


def _open_line(line: str, open_json: OpenJson) -> Tuple[str, List[str]]:
    """Return a line whose JSON document, if it ends with one, was looked through by structure."""
    start = _JSON_START.search(line)
    if start and line.rstrip()[-1:] in ("}", "]"):
        with suppress(ValueError, RecursionError):
            body, rules = open_json(line[start.start():])
            return line[:start.start()] + body, rules
    return line, []
