"""Values that another tool's writer damaged, as they were meant."""

from __future__ import annotations

from typing import Any

from runai_collect import layout

HIDDEN = "***HIDDEN***"  # stands where troubleshoot hid something, also in the place of a number
_MARKER = layout.marker("hidden-by-writer")
_LARGEST = 2**63


def mend(value: Any, nulls: bool) -> Any:
    """Return a value of JSON or YAML with our marker where another tool hid something, and whole numbers as such (``1e+06``).

    ``nulls``: the writer has the text ``null`` for what is empty or not set (rancher's support bundle kit, which writes Go's nil
    and "" so).
    """
    if isinstance(value, dict):
        return {key: mend(child, nulls) for key, child in value.items() if not (nulls and child == "null")}
    if isinstance(value, list):
        return [mend(child, nulls) for child in value]
    if isinstance(value, str):
        if nulls and value == "null":
            return ""
        return value.replace(HIDDEN, _MARKER) if HIDDEN in value else value
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST:
        return int(value)
    return value


def shown(text: str) -> str:
    """Return a text with our marker where another tool hid something: in YAML a value cannot begin with an asterisk."""
    return text.replace(HIDDEN, _MARKER) if HIDDEN in text else text


def needs_mending(text: str, nulls: bool) -> bool:
    """Tell whether anything in a text may have to be mended: in most there is nothing, and looking is cheap."""
    return nulls or HIDDEN in text or "e+" in text
