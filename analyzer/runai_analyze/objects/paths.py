"""Paths into an object, as rules write them: ``status.conditions[type=Ready].status``, ``spec.containers[*].image``.

A path is compiled once into closures. A step into a field that is not set, or is null, gives ``ABSENT``; a step into a value of
another shape, or past a value that is hidden or could not be computed, gives ``Unknown``: it never looks like absence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from runai_analyze.model import Missing, Unknown


class Absence(Enum):
    """The type of ``ABSENT``: the object was collected and the field is not set."""

    ABSENT = "absent"


ABSENT: Final = Absence.ABSENT
REDACTED: Final = "«redacted:"  # how the collector's marker starts
HIDDEN: Final = "the value was hidden by the collector"  # the reason of such an Unknown
NOT_SHOWN: Final = "«redacted:not-shown»"  # stands in objects that were read from a text for people, for what it never shows
UNSHOWN: Final = "the bundle holds this object only as a text for people, which does not show the field"


@dataclass(frozen=True)
class Key:
    """A step into a field of a map."""

    name: str


@dataclass(frozen=True)
class Index:
    """A step to one element of a list."""

    number: int


@dataclass(frozen=True)
class Each:
    """A step to every element of a list, or every value of a map."""


@dataclass(frozen=True)
class Pick:
    """A step to the elements of a list whose field ``key`` reads ``value``."""

    key: str
    value: str


Step = Key | Index | Each | Pick
Reader = Callable[[object], object]

_STEP = re.compile(
    r"""(?:(?:^|\.)(?P<key>[A-Za-z_$][\w$-]*)"""
    r"""|\["(?P<quoted>[^"\\]*)"\]"""
    r"""|\[(?P<each>\*)\]"""
    r"""|\[(?P<index>\d{1,6})\]"""
    r"""|\[(?P<pick>[A-Za-z_][\w-]*)=(?:"(?P<text>[^"\\]*)"|(?P<bare>[^\]"\\]+))\])""",
    re.ASCII,
)
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)


@dataclass(frozen=True)
class Path:
    """A compiled path. ``fans_out``: it may lead to several values; ``one`` may then not be used.

    ``values`` gives what it leads to, ``all`` the same with the concrete path of each: slower, for what is shown to people.
    """

    text: str
    steps: tuple[Step, ...]
    fans_out: bool
    one: Reader = field(compare=False, repr=False)
    values: Callable[[object], list[object]] = field(compare=False, repr=False)
    all: Callable[[object], list[tuple[str, object]]] = field(compare=False, repr=False)

    @property
    def root(self) -> str:
        """The first field of the path."""
        first = self.steps[0]
        return first.name if isinstance(first, Key) else ""


def compile_path(text: str) -> Path:
    """Return the compiled path; raises ValueError that says at which character the text stops being a path."""
    steps = tuple(_parse(text))
    fans_out = any(isinstance(step, Each | Pick) for step in steps)
    one = _reader(steps) if not fans_out else _unusable

    def read_all(body: object) -> list[tuple[str, object]]:
        return [(text, one(body))] if not fans_out else list(_walk(body, steps, "", text))

    return Path(text, steps, fans_out, one, _values(steps), read_all)


def child(path: str, key: str) -> str:
    """Return the text of the path one field further down, quoted where the key needs it."""
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f'{path}["{key}"]'


def _parse(text: str) -> Iterator[Step]:
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or text.startswith("."):
            raise ValueError(f'not a path from character {position + 1} on: "{text[position:]}"')
        yield _step(match)
        position = match.end()
    if not text:
        raise ValueError("a path must name a field")


def _step(match: re.Match[str]) -> Step:
    if match["each"]:
        return Each()
    if match["index"]:
        return Index(int(match["index"]))
    if match["pick"]:
        return Pick(match["pick"], match["text"] if match["text"] is not None else match["bare"])
    return Key(match["key"] if match["key"] is not None else match["quoted"])


def _reader(steps: tuple[Step, ...]) -> Reader:
    """Return a function that follows keys and indexes."""
    names = tuple(step.name if isinstance(step, Key) else step.number for step in steps if isinstance(step, Key | Index))
    keys = [name for name in names if isinstance(name, str)]

    def read(value: object) -> object:
        for name in names:
            value = step_into(value, name)
            if value is ABSENT or isinstance(value, Unknown):
                return value
        return ABSENT if value is None else value

    if len(keys) == len(names) and len(keys) in _QUICK:
        return _QUICK[len(keys)](keys, read)
    return read


# Maps in maps, one to three deep, without a loop: what nearly every condition asks of every object. All else goes the long way.


def _one_key(keys: list[str], read: Reader) -> Reader:
    (key,) = keys

    def one(body: object) -> object:
        if body.__class__ is dict:
            value: object = body.get(key)
            return ABSENT if value is None else value
        return read(body)

    return one


def _two_keys(keys: list[str], read: Reader) -> Reader:
    first, last = keys

    def two(body: object) -> object:
        if body.__class__ is dict:
            value = body.get(first)
            if value.__class__ is dict:
                value = value.get(last)
                return ABSENT if value is None else value
        return read(body)

    return two


def _three_keys(keys: list[str], read: Reader) -> Reader:
    first, second, last = keys

    def three(body: object) -> object:
        if body.__class__ is dict:
            value = body.get(first)
            if value.__class__ is dict:
                value = value.get(second)
                if value.__class__ is dict:
                    value = value.get(last)
                    return ABSENT if value is None else value
        return read(body)

    return three


_QUICK = {1: _one_key, 2: _two_keys, 3: _three_keys}


def _values(steps: tuple[Step, ...]) -> Callable[[object], list[object]]:
    """Return a function from a body to the values that the steps lead to: what conditions ask of every object."""
    place = next((number for number, step in enumerate(steps) if isinstance(step, Each | Pick)), None)
    if place is None:
        read = _reader(steps)
        return lambda body: [read(body)]
    before, fan, after = _reader(steps[:place]), steps[place], steps[place + 1 :]
    assert isinstance(fan, Each | Pick)
    elements_of, rest_values = _element_reader(fan), _values(after)
    rest = None if any(isinstance(step, Each | Pick) for step in after) else _reader(after)

    def values(body: object) -> list[object]:
        value = before(body)
        if value is ABSENT or isinstance(value, Unknown):
            return [value]
        elements = elements_of(value)
        if rest is None:
            return [found for element in elements for found in rest_values(element)] or [ABSENT]
        return [rest(element) for element in elements] or [ABSENT]

    if isinstance(fan, Each) and len(after) == 1 and isinstance(after[0], Key):
        return _field_of_each(before, after[0].name, values)
    return values


def _field_of_each(before: Reader, key: str, values: Callable[[object], list[object]]) -> Callable[[object], list[object]]:
    """Return the same as ``values`` for one field of each map of a list, ``containers[*].image``, without a call for each."""

    def quick(body: object) -> list[object]:
        elements = before(body)
        if isinstance(elements, list):
            try:
                return [ABSENT if (found := element.get(key)) is None else found for element in elements] or [ABSENT]
            except AttributeError:  # an element is no map
                pass
        return values(body)

    return quick


def _element_reader(fan: Each | Pick) -> Callable[[object], list[object]]:
    """Return a function from a value to the elements that ``[*]`` or ``[key=value]`` leads to."""

    def slowly(value: object) -> list[object]:
        return [found for _, found in _elements(value, fan, "")]

    if isinstance(fan, Each):
        return lambda value: value if isinstance(value, list) else slowly(value)

    def picked(value: object) -> list[object]:
        """Return the elements whose key reads the text; the usual list, of maps with texts, without a look at anything else."""
        if not isinstance(value, list):
            return slowly(value)
        chosen: list[object] = []
        for element in value:
            text = element.get(fan.key) if element.__class__ is dict else 0
            if text == fan.value:
                chosen.append(element)
            elif text is not None and text.__class__ is not str:
                return slowly(value)
        return chosen or slowly(value)

    return picked


def step_into(value: object, name: str | int) -> object:
    """Return the field or element of a value; ``ABSENT`` where it is not set, ``Unknown`` where the value has no such parts."""
    if isinstance(name, str) and isinstance(value, Mapping):
        found = value.get(name)
        return ABSENT if found is None else found
    if isinstance(name, int) and isinstance(value, list | tuple):
        found = value[name] if name < len(value) else None
        return ABSENT if found is None else found
    return _stuck(value, f'field "{name}"' if isinstance(name, str) else f"element {name}")


def _stuck(value: object, wanted: str) -> object:
    if value is None or value is ABSENT:
        return ABSENT
    if isinstance(value, Unknown):
        return value
    if isinstance(value, str) and REDACTED in value:
        return Unknown(Missing("", UNSHOWN if value == NOT_SHOWN else HIDDEN))
    return Unknown(Missing("", f"the value has another shape than expected: it has no {wanted}"))


def _walk(value: object, steps: tuple[Step, ...], path: str, whole: str) -> Iterator[tuple[str, object]]:
    """Yield (concrete path, value) of everything the steps lead to; where they lead nowhere, ``ABSENT`` once."""
    for number, step in enumerate(steps):
        if isinstance(step, Key | Index):
            name = step.name if isinstance(step, Key) else step.number
            path = child(path, name) if isinstance(name, str) else f"{path}[{name}]"
            value = step_into(value, name)
            if value is ABSENT or isinstance(value, Unknown):
                yield (path if number == len(steps) - 1 else whole), value
                return
            continue
        found = list(_elements(value, step, path))
        if not found:
            yield whole, ABSENT
        for place, element in found:
            yield from _walk(element, steps[number + 1 :], place, place + _rest(steps[number + 1 :]))
        return
    yield path, ABSENT if value is None else value


def _elements(value: object, step: Each | Pick, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(step, Each) and isinstance(value, Mapping):
        yield from ((f'{path}["{key}"]', element) for key, element in value.items())
    elif not isinstance(value, list | tuple):
        stuck = _stuck(value, "elements")
        if stuck is not ABSENT:
            yield f"{path}[*]", stuck
    elif isinstance(step, Each):
        yield from ((f"{path}[{index}]", element) for index, element in enumerate(value))
    else:
        yield from _picked(value, step, path)


def _picked(elements: list[object] | tuple[object, ...], step: Pick, path: str) -> Iterator[tuple[str, object]]:
    keys = [element.get(step.key) if isinstance(element, dict) else step_into(element, step.key) for element in elements]
    chosen = [index for index, key in enumerate(keys) if key == step.value or _reads(key, step.value)]
    place = f"{path}[{step.key}={step.value}]"
    for index in chosen:
        yield (place if len(chosen) == 1 else f"{path}[{index}]"), elements[index]
    # An element that cannot be told apart may be the one that was meant: its value is unknown, it is not left out.
    if not chosen:
        hidden = Unknown(Missing("", HIDDEN))
        yield from ((place, key) for key in keys if isinstance(key, Unknown))
        yield from ((place, hidden) for key in keys if isinstance(key, str) and REDACTED in key)


def _reads(value: object, text: str) -> bool:
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    return isinstance(value, str | int | float) and str(value) == text


def _rest(steps: tuple[Step, ...]) -> str:
    text = ""
    for step in steps:
        if isinstance(step, Key):
            text = child(text, step.name) if text else f".{step.name}" if _PLAIN_KEY.fullmatch(step.name) else f'["{step.name}"]'
        elif isinstance(step, Pick):
            text += f"[{step.key}={step.value}]"
        else:
            text += "[*]" if isinstance(step, Each) else f"[{step.number}]"
    return text


def _unusable(body: object) -> object:
    raise AssertionError("a path that fans out leads to several values")
