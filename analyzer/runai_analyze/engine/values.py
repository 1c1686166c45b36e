"""Values of objects as tests and people read them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from runai_analyze.model import Unknown
from runai_analyze.objects.paths import ABSENT, REDACTED

WIDEST = 200  # characters of a value in evidence and messages
_DEEPEST = 20
_KIBIBYTES = re.compile(r"\d{7,15}Ki", re.ASCII)  # memory and disks as the kubelet reports them
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}(?:\.\d{1,9})?Z", re.ASCII)
_KI_IN_GI = 1024**2


def as_text(value: object) -> str:
    """Return a scalar as JSON writes it, text without quotes; lists and maps as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=_unusual)
    except (RecursionError, TypeError):
        return "a value that is nested too deeply"


def display(value: object) -> str:
    """Return a value for people: one line, printable, cut; "not set" and "unknown" where there is none; large amounts in Gi.

    Times in UTC lose their seconds: ``2026-12-01 16:08 UTC``.
    """
    if value is ABSENT or value is None:
        return "not set"
    if isinstance(value, Unknown):
        return "unknown"
    if isinstance(value, list | tuple) and not any(isinstance(item, list | tuple | Mapping) for item in value):
        return cut(", ".join(display(item) for item in value[:WIDEST])) if value else "an empty list"
    if isinstance(value, str) and _KIBIBYTES.fullmatch(value):
        return _gibibytes(int(value[:-2]))
    if isinstance(value, str) and (time := _TIME.fullmatch(value)):
        return f"{time[1]} {time[2]} UTC"
    return cut(as_text(value)) if value != "" else "empty"


def _gibibytes(kibibytes: int) -> str:
    """Return ``63.6Gi`` for 66696128; rounded down, so that it never reads as more than there is."""
    tenths = kibibytes * 10 // _KI_IN_GI
    return f"{tenths // 10}Gi" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}Gi"


def cut(text: str) -> str:
    """Return text with everything that does not print as a space, cut to ``WIDEST`` characters."""
    line = "".join(letter if letter.isprintable() else " " for letter in text[: WIDEST + 1])
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"


def hides(value: object, depth: int = 0) -> bool:
    """Return whether a value holds, at any depth, something that was hidden or could not be computed."""
    if isinstance(value, str):
        return REDACTED in value
    if isinstance(value, Unknown) or depth > _DEEPEST:
        return True
    if isinstance(value, list | tuple):
        return any(hides(item, depth + 1) for item in value)
    return isinstance(value, Mapping) and any(hides(item, depth + 1) for item in value.values())


def _unusual(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else "unknown" if isinstance(value, Unknown) else str(value)
