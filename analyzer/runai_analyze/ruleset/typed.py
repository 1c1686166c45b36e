"""Objects in examples, typed as kubectl types them, so that an example behaves like the object pasted into it.

Seen with kubectl 1.36.4 (``kubectl label --local -o json``): YAML 1.1 words for true and false (y, yes, on …), octal ``010`` and
``0o10``, ``1_000``, whole floats come out as integers; dates and ``1:30`` stay text.
"""

from __future__ import annotations

import math
import re
from typing import Any

from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar

_TRUE = frozenset(form for word in ("y", "yes", "true", "on") for form in (word, word.capitalize(), word.upper()))
_FALSE = frozenset(form for word in ("n", "no", "false", "off") for form in (word, word.capitalize(), word.upper()))
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BASED = re.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F_]+)|[oO]([0-7_]+)|[bB]([01_]+)|([0-7_]+))", re.ASCII)
_INTEGER = re.compile(r"[-+]?\d[\d_]*", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_LONGEST_NUMBER = 300


def kubectl_value(node: Node) -> Any:
    """Return a YAML tree as the JSON value that kubectl would send to the API server."""
    if isinstance(node, Fields):
        return {key: kubectl_value(value) for key, value in node.fields.items()}
    if isinstance(node, Items):
        return [kubectl_value(item) for item in node.items]
    return kubectl_scalar(node)


def kubectl_scalar(node: Scalar) -> str | int | float | bool | None:
    """Return what kubectl takes a scalar for: quoted text stays text, plain text may be null, a truth value or a number."""
    text = node.text
    if not node.plain or len(text) > _LONGEST_NUMBER:
        return text
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    return _number(text)


def _number(text: str) -> str | int | float:
    based = _BASED.fullmatch(text)
    if based:
        sign, *digits = based.groups()
        base, written = next((base, written) for base, written in zip((16, 8, 2, 8), digits, strict=True) if written)
        number = int(written.replace("_", "") or "0", base)
        return -number if sign == "-" else number
    if _INTEGER.fullmatch(text) and len(text) < 20:
        return int(text.replace("_", ""))
    if _FLOAT.fullmatch(text):
        value = float(text.replace("_", ""))
        if math.isinf(value):
            return text  # kubectl refuses it
        return int(value) if value.is_integer() and abs(value) < 2**63 else value
    return text
