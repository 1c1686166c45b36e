"""JSON and YAML of the API as objects: a List, a bare array, one object, several; as kubectl and others write them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson

from ..documents import MAX_DEPTH, too_deep
from .yaml_text import Built, build, build_items

_SPACE = re.compile(r"[\s,]*")
_YAML_START = re.compile(r"^---(?:\s|$)", re.MULTILINE)
# Of a YAML document: what stands at the left edge is a key of its outermost mapping.
_LIST_KIND = re.compile(r"""^kind: ["']?([A-Za-z]{0,100}List)["']?\s*$""", re.MULTILINE)
_VERSION = re.compile(r"""^apiVersion: ["']?([\w./-]{1,200})["']?\s*$""", re.MULTILINE)
_SINGLE_KIND = re.compile(r"""^kind: ["']?([A-Za-z]{1,100})["']?\s*$""", re.MULTILINE)
_LIST_ITEMS = re.compile(r"^items:\s*$", re.MULTILINE)
# Of a JSON list that cannot be read to its end: where its items begin, and what stands before them.
_JSON_ITEMS = re.compile(r'\s*(?:\{[^\[\]]{0,4000}?"items"\s*:\s*\[|\[)')
_JSON_TOLD = re.compile(r'"(kind|apiVersion)"\s*:\s*"([^"\\]{1,200})"')
# Of a list that is written line by line: what stands before the brace of each item.
_JSON_ITEM = re.compile(r'^(?:[ \t]*"items": \[|\[)\r?\n([ \t]+)\{\r?$', re.MULTILINE)
# The largest file is 256 MiB; of lists that a cluster has, each brace or bracket comes with 60 characters and more.
_MOST_OPENING = 5_000_000
_LARGE = 32 << 20  # a JSON list that is longer is read item by item, so that not all of it is in memory at once
_TAIL = 2_000  # characters at the end of a list, where kubectl says what kind it is


@dataclass(frozen=True, slots=True)
class Parsed:
    """One document of a text, or one object of it: its value and the 1-based line on which it begins, or why it cannot be
    read, and of which kind it would have been, as far as that is told."""

    value: Any
    line: int = 1
    problem: str = ""
    kind: str = ""
    api_version: str = ""


def parse(text: str) -> Iterator[Parsed]:
    """Yield the documents of a JSON or YAML text; one that cannot be read is a problem, and the rest goes on."""
    if _is_json(text):
        yield from _json(text)
    else:
        yield from (_parsed(build(part), line) for part, line in _documents(text))


def objects(text: str, kind: str = "", api_version: str = "") -> Iterator[Parsed]:
    """Yield the objects of a JSON or YAML text, those of a list each with its own line and, in YAML, one by one: so a long list
    takes no more memory than its text. ``kind`` and ``api_version`` as in ``objects_of``."""
    if _is_json(text):
        large = _JSON_ITEMS.match(text) if len(text) > _LARGE and _is_bounded(text) else None
        if large:
            yield from _large(text, large, kind, api_version)
        else:
            yield from _apart(_json(text), text, kind, api_version)
        return
    for part, line in _documents(text):
        listed = _list_of(part)
        if listed:
            for found in build_items(part):
                yield from _apart([_parsed(found, line)], "", *listed_as(*listed, kind, api_version))
        else:
            own = _SINGLE_KIND.search(part), _VERSION.search(part)
            told = (own[0].group(1), own[1].group(1)) if own[0] and own[1] else (kind, api_version)
            yield from _apart([_parsed(build(part), line)], "", kind, api_version, told)


def _apart(
    documents: Iterable[Parsed], text: str, kind: str, api_version: str, told: tuple[str, str] | None = None
) -> Iterator[Parsed]:
    """Yield the objects of documents; problems with the kind that ``told`` names, or else with the given one."""
    for document in documents:
        if document.problem:
            yield replace(document, kind=(told or (kind, api_version))[0], api_version=(told or (kind, api_version))[1])
            continue
        found = list(objects_of(document.value, kind, api_version))
        lines = _lines_of_items(text, len(found)) if len(found) > 1 and document.line == 1 else []
        for number, body in enumerate(found):
            yield Parsed(body, lines[number] if lines else document.line)


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


# --- JSON ---------------------------------------------------------------------------------------------------------------------


def _json(text: str) -> Iterator[Parsed]:
    """One JSON text, or several one after the other, with or without line ends between them."""
    if not _is_bounded(text):
        yield Parsed(None, 1, "it holds more values than the lists of a cluster")
        return
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
            if position == _end_of_space(text, 0) and text[position] == "{" and not (found := build(text)).problem:
                yield _parsed(found, 1)  # {…} is YAML too, of those who write it by hand
                return
            yield from _whole_items(text, position, line)
            yield Parsed(None, line, f"no JSON from here on: {str(error)[:100]}")
            return
        yield _checked(value, line)
        position = _end_of_space(text, position)


def _is_bounded(text: str) -> bool:
    return text.count("{") + text.count("[") <= _MOST_OPENING


def _large(text: str, start: re.Match[str], kind: str, api_version: str) -> Iterator[Parsed]:
    """Yield the objects of a long list, each with its line."""
    told, last = dict(_JSON_TOLD.findall(start.group())), dict(_JSON_TOLD.findall(text[-_TAIL:])).get("kind", "")
    own = told.get("kind") or (last if last.endswith("List") else "List")
    as_list = {"kind": own if text.lstrip()[0] == "{" else "List", "apiVersion": told.get("apiVersion")}
    decoder, at, line, seen = json.JSONDecoder(), _end_of_space(text, start.end()), 1, 0
    while text[at : at + 1] not in ("]", ""):
        line, seen = line + text.count("\n", seen, at), at
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield Parsed(None, line, f"no JSON from here on: {str(error)[:100]}", kind, api_version)
            return
        yield from _apart([_checked({**as_list, "items": [item]}, line)], "", kind, api_version)
        at = _end_of_space(text, at)
    if at >= len(text):
        yield Parsed(None, line, "no JSON from here on: the list has no end", kind, api_version)


def _whole_items(text: str, position: int, line: int) -> Iterator[Parsed]:
    """Yield, as a list, the whole items of one that cannot be read to its end: it was cut, or is damaged further down."""
    start = _JSON_ITEMS.match(text, position)
    if not start:
        return
    decoder, items, at = json.JSONDecoder(), [], _end_of_space(text, start.end())
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        if at < len(text):  # one that ends where the text does may go on behind the cut
            items.append(value)
        at = _end_of_space(text, at)
    told = dict(_JSON_TOLD.findall(start.group()))
    yield _checked({**told, "items": items} if start.group().lstrip()[0] == "{" else items, line)


def _end_of_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _checked(value: Any, line: int) -> Parsed:
    return Parsed(None, line, f"it nests more than {MAX_DEPTH} levels deep") if too_deep(value) else Parsed(value, line)


def _lines_of_items(text: str, count: int) -> list[int]:
    """Return the lines on which the items of a JSON list begin; empty where that cannot be told for all ``count``: it is not
    written line by line, or is not the only list."""
    first = _JSON_ITEM.search(text)
    if not first:
        return []
    lines, seen = [1], 0
    for brace in re.finditer(rf"^{first.group(1)}\{{\r?$", text, re.MULTILINE):
        lines.append(lines[-1] + text.count("\n", seen, brace.start()))
        seen = brace.start()
    return lines[1:] if len(lines) - 1 == count else []


# --- YAML ---------------------------------------------------------------------------------------------------------------------


def _documents(text: str) -> Iterator[tuple[str, int]]:
    """Yield each document by itself, with its line, so that one that the parser dislikes costs no other."""
    starts = [0, *(match.start() for match in _YAML_START.finditer(text) if match.start())]
    line = 1
    for place, start in enumerate(starts):
        part = text[start : starts[place + 1] if place + 1 < len(starts) else len(text)]
        if part.strip().strip("-"):
            yield part, line
        line += part.count("\n")


def _list_of(text: str) -> tuple[str, str] | None:
    """Return kind and apiVersion of a document that is a list in block style; None for any other."""
    found = _LIST_KIND.search(text) if _LIST_ITEMS.search(text) else None
    version = _VERSION.search(text)
    return (found.group(1), version.group(1) if version else "") if found else None


def _parsed(found: Built, line: int) -> Parsed:
    return Parsed(found.value, line + found.line - 1, found.problem)


# --- Lists --------------------------------------------------------------------------------------------------------------------


def objects_of(value: Any, kind: str = "", api_version: str = "") -> Iterator[dict[str, Any]]:
    """Yield the objects of a List, of a bare array, or the one that a document is; what is no mapping is passed over.

    Items that do not say what they are (kubectl's ``PodList``, bare arrays) are of their list's kind, else of ``kind``.
    """
    if isinstance(value, list):
        for item in value:
            yield from objects_of(item, kind, api_version)
    elif isinstance(value, dict) and _is_list(value):
        own = str(value.get("kind") or ""), str(value.get("apiVersion") or "")
        yield from objects_of(value.get("items") or [], *listed_as(*own, kind, api_version))
    elif isinstance(value, dict):
        told = value.get("kind") or not kind
        yield value if told else {**value, "apiVersion": value.get("apiVersion") or api_version, "kind": kind}


def listed_as(own: str, version: str, kind: str, api_version: str) -> tuple[str, str]:
    """Return kind and apiVersion of a list's items that do not say it: by the list's own kind, else as they were given."""
    typed = own.endswith("List") and own != "List"
    return (own.removesuffix("List"), version or api_version) if typed else (kind, api_version)


def _is_list(value: dict[str, Any]) -> bool:
    """Tell a list of objects (``items: null`` is an empty one) from an object that has a field of that name."""
    metadata = value.get("metadata")
    named = isinstance(metadata, dict) and bool(metadata.get("name"))
    return "items" in value and not named and str(value.get("kind") or "List").endswith("List")
