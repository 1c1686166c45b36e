"""JSON and YAML of the API as objects: a List, a bare array, one object, a stream of several; as kubectl and others write them.

YAML is read by libyaml with the types of YAML 1.2: times stay text, ``yes`` and ``=`` are text, tags are passed over. A document
with anchors is refused: kubectl writes none, and one of a few kilobytes can stand for gigabytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson
import yaml

from ..documents import MAX_DEPTH, too_deep

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ANCHOR = re.compile(r"(?:^|[\s\[{,:-])[&*][A-Za-z0-9_]")
_SPACE = re.compile(r"[\s,]*")
_YAML_START = re.compile(r"^---(?:\s|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """One document of a text: its value and the 1-based line on which it begins, or why it cannot be read."""

    value: Any
    line: int = 1
    problem: str = ""


class _Loader(_LOADER):  # type: ignore[misc]
    """libyaml's safe loader with the types that the API knows."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


def _make_loader() -> None:
    _Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
    _Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
    _Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]{1,18}$"), list("-+0123456789"))
    number = re.compile(r"^[-+]?(?:[0-9]{1,30}\.[0-9]{0,30}(?:[eE][-+]?[0-9]{1,3})?|[0-9]{1,30}[eE][-+]?[0-9]{1,3})$")
    _Loader.add_implicit_resolver("tag:yaml.org,2002:float", number, list("-+0123456789."))
    _Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node)))
    _Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(loader.construct_scalar(node)))
    _Loader.add_multi_constructor("", _plain)


def _plain(loader: Any, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else loader.construct_scalar(node)


_make_loader()


def parse(text: str) -> Iterator[Parsed]:
    """Yield the documents of a JSON or YAML text; one that cannot be read is a problem, and the rest goes on."""
    start = text.lstrip()
    if start[:1] in "{[" and start:
        yield from _json(text)
    else:
        yield from _yaml(text)


def _json(text: str) -> Iterator[Parsed]:
    """One JSON text, or several one after the other, with or without line ends between them."""
    try:
        yield _checked(orjson.loads(text), 1)
        return
    except ValueError:
        pass
    decoder, position, line, seen = json.JSONDecoder(), _end_of_space(text, 0), 1, 0
    while position < len(text):
        line += text.count("\n", seen, position)
        seen = position
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            if position == _end_of_space(text, 0) and text[position] == "{":  # {…} is YAML too, of those who write it by hand
                yield from _yaml(text)
                return
            yield Parsed(None, line, f"no JSON from here on: {str(error)[:100]}")
            return
        yield _checked(value, line)
        position = _end_of_space(text, position)


def _end_of_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _checked(value: Any, line: int) -> Parsed:
    return Parsed(None, line, f"it nests more than {MAX_DEPTH} levels deep") if too_deep(value) else Parsed(value, line)


def _yaml(text: str) -> Iterator[Parsed]:
    """Each document by itself, so that one that the parser dislikes costs no other."""
    starts = [0, *(match.start() for match in _YAML_START.finditer(text) if match.start())]
    line = 1
    for place, start in enumerate(starts):
        part = text[start : starts[place + 1] if place + 1 < len(starts) else len(text)]
        if part.strip().strip("-"):
            yield _one_yaml(part, line)
        line += part.count("\n")


def _one_yaml(text: str, line: int) -> Parsed:
    if _ANCHOR.search(text) and (problem := _aliases(text)):
        return Parsed(None, line, problem)
    try:
        return _checked(yaml.load(text, Loader=_Loader), line)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = line + mark.line if mark else line
        what = getattr(error, "problem", None) or str(error).split("\n")[0]
        return Parsed(None, where, f"no YAML: {str(what)[:120]}")


def _aliases(text: str) -> str:
    """Return the problem of a document with anchors; a ``&`` inside of a text is none."""
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                return "it has YAML anchors, which are not followed"
    except (yaml.YAMLError, RecursionError):
        return ""  # the loader says it better
    return ""


def objects_of(value: Any, kind: str = "", api_version: str = "") -> Iterator[dict[str, Any]]:
    """Yield the objects of a List, of a bare array, or the one that a document is; what is no mapping is passed over.

    Items that do not say what they are (kubectl's ``PodList``, bare arrays) are of their list's kind, else of ``kind``.
    """
    if isinstance(value, list):
        for item in value:
            yield from objects_of(item, kind, api_version)
    elif isinstance(value, dict) and _is_list(value):
        own, version = str(value.get("kind") or ""), value.get("apiVersion")
        typed = own.endswith("List") and own != "List"
        listed = (own.removesuffix("List"), str(version or api_version)) if typed else (kind, api_version)
        yield from objects_of(value.get("items") or [], *listed)
    elif isinstance(value, dict):
        told = value.get("kind") or not kind
        yield value if told else {**value, "apiVersion": value.get("apiVersion") or api_version, "kind": kind}


def _is_list(value: dict[str, Any]) -> bool:
    """Tell a list of objects (``items: null`` is an empty one) from an object that has a field of that name."""
    metadata = value.get("metadata")
    named = isinstance(metadata, dict) and bool(metadata.get("name"))
    return "items" in value and not named and str(value.get("kind") or "List").endswith("List")
