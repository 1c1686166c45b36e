"""A ``Pack`` as plain JSON and back: what is read can only ever make the frozen classes of a pack, from values of JSON.

Every tuple, list and class stands as a JSON list whose first element says what it is; texts, numbers and maps stand as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from runai_analyze.objects.paths import Path, compile_path
from runai_analyze.ruleset import rule
from runai_analyze.ruleset.rule import Pack

_TUPLE, _LIST, _SET, _TIME, _PATH, _FIRST = range(6)
# What a pack is made of: the classes that the module of rules defines or names. The number of a class is its place here.
_NAMED = [made for _, made in sorted(vars(rule).items()) if isinstance(made, type)]
_ENUMS: list[type[Any]] = [made for made in _NAMED if issubclass(made, Enum)]
_CLASSES: list[type[Any]] = [made for made in _NAMED if is_dataclass(made) and made is not Path]
_MAKERS = (*_ENUMS, *_CLASSES)
_NUMBERS = {made: _FIRST + number for number, made in enumerate(_MAKERS)}
_FIELDS = {made: tuple(field.name for field in fields(made)) for made in _CLASSES}


def to_json(pack: Pack) -> bytes:
    """Return a pack as JSON; raises TypeError for a value that no pack holds."""
    return json.dumps(_plain(pack), separators=(",", ":")).encode()


def from_json(data: bytes) -> Pack:
    """Return the pack that ``to_json`` wrote; raises an error of Python for anything else."""
    found = _Maker().value(json.loads(data))
    if not isinstance(found, Pack):
        raise TypeError("this is no pack")
    return found


def _plain(value: object) -> object:
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, tuple | list):
        return [_TUPLE if isinstance(value, tuple) else _LIST, *map(_plain, value)]
    if isinstance(value, Mapping):
        if not all(type(key) is str for key in value):
            raise TypeError("the keys of a map are texts")
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, frozenset):
        return [_SET, *sorted(map(_plain, value), key=repr)]
    if isinstance(value, datetime):
        return [_TIME, value.isoformat()]
    if isinstance(value, Path):
        return [_PATH, value.text]
    if isinstance(value, Enum):
        return [_NUMBERS[type(value)], value.name]
    return [_NUMBERS[type(value)], *(_plain(getattr(value, name)) for name in _FIELDS[type(value)])]


class _Maker:
    """Makes the values of one file; each path is compiled once."""

    def __init__(self) -> None:
        self._paths: dict[str, Path] = {}

    def value(self, plain: Any) -> Any:
        kind = type(plain)
        if kind is dict:
            return {key: self.value(part) for key, part in plain.items()}
        if kind is not list:
            return plain
        number = plain[0]
        if number < _FIRST:
            return self._basic(number, plain)
        made = _MAKERS[number - _FIRST]
        if number < _FIRST + len(_ENUMS):
            return made[plain[1]]
        if len(plain) != len(_FIELDS[made]) + 1:
            raise ValueError(f"a {made.__name__} of another version")
        return made(*[self.value(part) for part in plain[1:]])

    def _basic(self, number: int, plain: list[Any]) -> Any:
        if number == _PATH:
            text = plain[1]
            if text not in self._paths:
                self._paths[text] = compile_path(text)
            return self._paths[text]
        if number == _TIME:
            return datetime.fromisoformat(plain[1])
        parts = [self.value(part) for part in plain[1:]]
        return {_TUPLE: tuple, _LIST: list, _SET: frozenset}[number](parts)
