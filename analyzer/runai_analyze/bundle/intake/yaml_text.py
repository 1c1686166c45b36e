"""YAML of the API, built from libyaml's events: five times as fast as its loader, and bounded object by object.

The types are those of YAML 1.2: times stay text, ``yes`` and ``=`` are text, tags are passed over. A document with anchors is
refused: kubectl writes none, and one of a few kilobytes can stand for gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml
from yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ..documents import MAX_DEPTH, MAX_OPENING, MAX_SEPARATORS

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START = frozenset("-+0123456789.")
_WHOLE = re.compile(r"[-+]?[0-9]{1,20}")
_FLOAT = re.compile(r"[-+]?(?:[0-9]{1,30}\.[0-9]{0,30}(?:[eE][-+]?[0-9]{1,3})?|[0-9]{1,30}[eE][-+]?[0-9]{1,3})")
_TYPED = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))
_STARTS = (MappingStartEvent, SequenceStartEvent)
_ENDS = (MappingEndEvent, SequenceEndEvent)
_LARGEST = 2**64  # beyond it there is no whole number in JSON


class Built(NamedTuple):
    """A value and the 1-based line of the text on which it begins, or why it cannot be read."""

    value: Any
    line: int = 1
    problem: str = ""


class _OddError(Exception):
    """What YAML allows and no object of the API has."""

    def __init__(self, problem: str, line: int, depth: int) -> None:
        super().__init__(problem)
        self.problem, self.line, self.depth = problem, line, depth  # depth: of the containers that are open


def build(text: str) -> Built:
    """Return the value of a text of one document; None when it holds none."""
    found = list(_read(text, items=False))
    return found[-1] if found else Built(None)  # a problem behind the value counts


def build_items(text: str) -> Iterator[Built]:
    """Yield what stands in the list ``items`` of a document, one by one; behind one that cannot be read the rest goes on, as far
    as it is YAML."""
    return _read(text, items=True)


def _read(text: str, items: bool) -> Iterator[Built]:
    loader = _LOADER(text)
    events: Iterator[Any] = iter(loader.get_event, None)
    try:
        next(events)  # the start of the stream
        if not isinstance(next(events), DocumentStartEvent):
            return
        event = next(events)
        if items and isinstance(event, MappingStartEvent):
            yield from _items(events)
        else:
            yield Built(_value(events, event), event.start_mark.line + 1)
        next(events)  # the end of the document
        if not isinstance(next(events), StreamEndEvent):
            raise ValueError("something follows that is no part of it")
    except _OddError as error:
        yield Built(None, error.line, error.problem)
    except (yaml.YAMLError, ValueError) as error:
        mark, what = getattr(error, "problem_mark", None), getattr(error, "problem", None) or str(error).split("\n")[0]
        yield Built(None, mark.line + 1 if mark else 1, f"no YAML: {str(what)[:120]}")
    finally:
        loader.dispose()


def _items(events: Iterator[Any]) -> Iterator[Built]:
    """Yield the items behind the start of a document's mapping; the values of its other keys are passed over."""
    for key in events:
        if isinstance(key, MappingEndEvent):
            return
        event = next(events)
        if not isinstance(key, ScalarEvent):
            raise _OddError("a key in it is no text", key.start_mark.line + 1, 0)
        if key.value != "items" or not isinstance(event, SequenceStartEvent):
            _value(events, event)
            continue
        for item in events:
            if isinstance(item, SequenceEndEvent):
                break
            line = item.start_mark.line + 1
            try:
                yield Built(_value(events, item), line)
            except _OddError as error:
                yield Built(None, error.line, error.problem)
                _pass_over(events, error.depth)


def _pass_over(events: Iterator[Any], depth: int) -> None:
    """Read on until as many containers as are open have ended."""
    while depth > 0:
        event = next(events)
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)


def _value(events: Iterator[Any], event: Any) -> Any:
    """Return the value that begins with an event. Raises _OddError for one that no object of the API can hold."""
    if event.__class__ is ScalarEvent and event.anchor is None:
        return _scalar(event)
    root: Any = {} if event.__class__ is MappingStartEvent else []
    stack: list[Any] = []
    container, key, opening, scalars = root, None, 1, 0
    _refuse(event, 0)
    for event in events:
        what = event.__class__
        if what is ScalarEvent:
            scalars += 1
            if event.anchor is not None or scalars > MAX_SEPARATORS:
                _refuse(event, len(stack) + 1)
            if container.__class__ is list:
                container.append(_scalar(event))
            elif key is None:
                key = event.value
            else:
                container[key] = _scalar(event)
                key = None
        elif what is MappingEndEvent or what is SequenceEndEvent:
            if not stack:
                return root
            container = stack.pop()
        else:
            opening += 1
            if event.anchor is not None or len(stack) >= MAX_DEPTH - 1 or opening > MAX_OPENING:
                _refuse(event, len(stack) + 1)
            child: Any = {} if what is MappingStartEvent else []
            if container.__class__ is list:
                container.append(child)
            elif key is None:
                raise _OddError("a key in it is no text", event.start_mark.line + 1, len(stack) + 2)
            else:
                container[key] = child
                key = None
            stack.append(container)
            container = child
    return root


def _refuse(event: Any, depth: int) -> None:
    """Raise _OddError for what an event is; at the outermost only an anchor is."""
    line, deeper = event.start_mark.line + 1, depth + isinstance(event, _STARTS)
    if event.anchor is not None:
        raise _OddError("it has YAML anchors, which are not followed", line, deeper)
    if depth >= MAX_DEPTH:
        raise _OddError(f"it nests more than {MAX_DEPTH} levels deep", line, deeper)
    if depth:
        raise _OddError("it holds more values than an object can", line, deeper)


def _scalar(event: Any) -> Any:
    """Return the value of a scalar: text, unless it is plain and reads as something else."""
    text = event.value
    if event.style or (event.tag is not None and event.tag not in _TYPED):
        return text if event.tag not in _TYPED else _plain(text)
    return _plain(text)


def _plain(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    if _WHOLE.fullmatch(text) and -_LARGEST < 2 * (number := int(text)) < 2 * _LARGEST:
        return number
    return float(text) if _FLOAT.fullmatch(text) else text
