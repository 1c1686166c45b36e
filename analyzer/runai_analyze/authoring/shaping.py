"""Objects for examples: cut to the branches that a rule looks at, with values put in or taken out. Nothing given is changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any, Final

from runai_analyze.objects.paths import Each, Index, Key, Path, Pick, Step, compile_path

REMOVED: Final = object()  # in place of a value: take the field out
_NAMES_OF_ELEMENTS = ("type", "name")
_ORDER = ("apiVersion", "kind", "metadata", "spec", "status")  # as kubectl prints them; what else there is comes last
ALWAYS = ("apiVersion", "kind", "metadata.name", "metadata.namespace")


def project(body: dict[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """Return the object with nothing but what the paths lead to; elements of lists keep their type or name."""
    kept: dict[str, Any] = {}
    for text in (*ALWAYS, *paths):
        kept = _merged(kept, _only(body, compile_path(text).steps))
    return {key: kept[key] for key in sorted(kept, key=_place)}


def _place(key: str) -> int:
    return _ORDER.index(key) if key in _ORDER else len(_ORDER)


def _only(value: Any, steps: Sequence[Step]) -> Any:
    """Return the part of a value that the steps lead to, in the same shape; None where there is nothing."""
    if not steps:
        return deepcopy(value)
    step, rest = steps[0], steps[1:]
    if isinstance(step, Key):
        inner = _only(value.get(step.name), rest) if isinstance(value, dict) and step.name in value else None
        return None if inner is None else {step.name: inner}
    if not isinstance(value, list):
        return {key: _only(item, rest) for key, item in value.items()} if isinstance(value, dict) and value else None
    return [_element(item, rest) if _taken(item, step, number) else {} for number, item in enumerate(value)] or None


def _element(item: Any, rest: Sequence[Step]) -> Any:
    if not isinstance(item, dict) or not rest:
        return deepcopy(item)
    named = {name: item[name] for name in _NAMES_OF_ELEMENTS if name in item}
    return {**named, **(_only(item, rest) or {})}


def _taken(item: Any, step: Step, number: int) -> bool:
    if isinstance(step, Pick):
        return isinstance(item, dict) and str(item.get(step.key)) == step.value
    return not isinstance(step, Index) or step.number == number


def _merged(one: Any, other: Any) -> Any:
    if other is None:
        return one
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{key: _merged(one.get(key), value) for key, value in other.items()}}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_merged(*pair) for pair in zip(one, other, strict=True)]
    return other


def tidy(value: Any) -> Any:
    """Return a value without the empty elements that ``project`` left in lists."""
    if isinstance(value, dict):
        return {key: tidy(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [tidy(item) for item in value if item != {}] if any(item != {} for item in value) else value[:1]
    return value


def changed(body: dict[str, Any], path: str | Path, value: Any) -> dict[str, Any]:
    """Return a copy in which the path leads to a value, made where it is not there yet; with ``REMOVED`` it leads nowhere."""
    copy = deepcopy(body)
    steps = (compile_path(path) if isinstance(path, str) else path).steps
    return _put(copy, steps, value)  # type: ignore[no-any-return]


def _put(here: Any, steps: Sequence[Step], value: Any) -> Any:
    if not steps:
        return deepcopy(value)
    step, rest = steps[0], steps[1:]
    if isinstance(step, Key):
        here = here if isinstance(here, dict) else {}
        if value is REMOVED and (not rest or step.name not in here):
            here.pop(step.name, None)
        else:
            here[step.name] = _put(here.get(step.name), rest, value)
        return here
    if isinstance(here, dict) and isinstance(step, Each):
        return {key: _put(item, rest, value) for key, item in here.items()}
    return _put_in_list(here if isinstance(here, list) else [], step, rest, value)


def _put_in_list(here: list[Any], step: Step, rest: Sequence[Step], value: Any) -> list[Any]:
    places = [number for number, item in enumerate(here) if _taken(item, step, number)]
    if value is REMOVED and not rest:
        return [item for number, item in enumerate(here) if number not in places]
    if not places and value is not REMOVED:
        here = [*here, {step.key: step.value} if isinstance(step, Pick) else None]
        places = [len(here) - 1]
    return [_put(item, rest, value) if number in places else item for number, item in enumerate(here)]
