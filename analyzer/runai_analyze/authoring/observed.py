"""Paths as they are written in rules, read off real objects: lists as ``[*]``, conditions by their type, odd keys quoted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runai_analyze.model import Unknown
from runai_analyze.objects.paths import child

_MOST_PATHS = 120
_DEEPEST = 8
_MOST_KEYS = 40  # of one map: labels and annotations of a large cluster have hundreds
_NOT_SHOWN = frozenset(
    (
        "apiVersion",
        "kind",
        "facts",
        "metadata.managedFields",
        "metadata.uid",
        "metadata.resourceVersion",
        "metadata.selfLink",
        "metadata.generation",
    )
)


def observed_paths(bodies: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield (path, type) of the fields of objects, in the order of the path; those of most objects where there are too many."""
    counts: dict[tuple[str, str], int] = {}
    for body in bodies:
        for found in dict.fromkeys(leaves(body)):
            counts[found] = counts.get(found, 0) + 1
    common = sorted(counts, key=lambda found: (-counts[found], found))[:_MOST_PATHS]
    seen: set[str] = set()
    for path, type_ in sorted(common):
        if path not in seen:  # null in one object, text in another
            seen.add(path)
            yield path, type_


def leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield (path, type) of every value in an object that has no parts of its own; noise of the API server is left out."""
    if path in _NOT_SHOWN:
        return
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key in sorted(map(str, value))[:_MOST_KEYS]:
            yield from leaves(value[key], child(path, key), depth + 1)
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value) and depth < _DEEPEST:
        for item in value:
            yield from leaves(item, f"{path}{element_step(item, value)}", depth + 1)
    elif path and value is not None:
        yield path, type_of(value)


def element_step(item: Any, elements: list[Any]) -> str:
    """Return the step to an element: ``[type=Ready]`` for conditions, which differ by their type, else ``[*]``."""
    types = [other.get("type") for other in elements if isinstance(other, Mapping)]
    named = isinstance(item, Mapping) and "status" in item and isinstance(item.get("type"), str)
    alone = named and len(set(map(str, types))) == len(elements) and _plain(item["type"])
    return f"[type={item['type']}]" if alone else "[*]"


def _plain(text: str) -> bool:
    return bool(text) and not set(text) & set('"]\\')


def type_of(value: object) -> str:
    """Return the type of a value in the words of the table of kinds."""
    if isinstance(value, Unknown):
        return "unknown"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list | tuple):
        return "list"
    return "mapping" if isinstance(value, Mapping) else "text"
