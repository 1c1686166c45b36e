"""Reading values out of objects that anybody may have written: a wrong type is the same as nothing there.

Mappings are dicts: every object comes out of JSON, and a test against the abstract type costs five times as much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runai_collect.layout import MARKER_START

from ..model import Missing, Unknown
from ..objects.quantities import parse_quantity
from ..objects.versions import parse_version

_CHART = re.compile(r"(?:-|\.v)v?(\d+\.\d+(?:\.\d+)*)", re.ASCII)


def dig(value: Any, *keys: str) -> Any:
    """Follow the keys through nested mappings; None where the way ends."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value when it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> Sequence[Any]:
    """Return the value when it is a list, else an empty one."""
    return value if isinstance(value, list | tuple) else ()


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the elements of a list that are mappings."""
    return (element for element in items(value) if isinstance(element, dict))


def text(value: Any) -> str:
    """Return the value when it is text, else empty text."""
    return value if isinstance(value, str) else ""


def whole(value: Any) -> int | None:
    """Return a whole number that stands as a number or as a quantity (``8``, ``"8"``); None for everything else."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    try:
        quantity = parse_quantity(value)
    except ValueError:
        return None
    return int(quantity) if quantity.denominator == 1 else None


def labels_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the labels of an object."""
    return mapping(dig(body, "metadata", "labels"))


def name_of(body: Mapping[str, Any]) -> str:
    """Return the name of an object."""
    return text(dig(body, "metadata", "name"))


def namespace_of(body: Mapping[str, Any]) -> str:
    """Return the namespace of an object; empty for those that have none."""
    return text(dig(body, "metadata", "namespace"))


def hidden(value: Any) -> bool:
    """Tell whether redaction hid the value, or a part of it."""
    return isinstance(value, str) and MARKER_START in value


def unknown(what: str, reason: str, command: str = "") -> Unknown:
    """Return the value that stands for a fact that could not be computed."""
    return Unknown(Missing(what, reason, command))


def version_text(value: Any) -> str | None:
    """Return the dotted number at the start of a version (``25.10.1`` for ``v25.10.1-ubi9``); None where there is none.

    One number alone is no version: tags such as ``v1-5a5f92d`` name a commit.
    """
    try:
        version = parse_version(value)
    except ValueError:
        return None
    return str(version) if len(version.numbers) > 1 else None


def chart_version(value: Any) -> str | None:
    """Return the version in a chart label or a name with one at its end (``gpu-operator-v25.10.1`` → ``25.10.1``)."""
    match = _CHART.search(text(value))
    return match.group(1) if match else None


def minor_of(version: str) -> str:
    """Return major.minor of a dotted version."""
    return ".".join(version.split(".")[:2])


def image_tag(image: Any) -> str:
    """Return the tag of an image reference; empty when it has none (``repo@sha256:…``)."""
    name = text(image).split("@", 1)[0]
    last = name.rsplit("/", 1)[-1]
    return last.split(":", 1)[1] if ":" in last else ""


def image_path(image: Any) -> str:
    """Return an image reference without tag and digest: ``nvcr.io/nvidia/gpu-operator``."""
    name = text(image).split("@", 1)[0]
    head, slash, last = name.rpartition("/")
    return head + slash + last.split(":", 1)[0]


def tree(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping without its None leaves: what is None was looked for and is not there, so the path is absent."""
    return {key: tree(value) if isinstance(value, dict) else value for key, value in values.items() if value is not None}
