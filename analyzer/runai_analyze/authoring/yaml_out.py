"""YAML as people write it in rules: block style, quotes only where a word would be taken for something else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runai_analyze.plain import visible
from runai_analyze.ruleset.nodes import Scalar
from runai_analyze.ruleset.typed import kubectl_scalar

_WORDS = r"[A-Za-z0-9 /_.,;()%+='~$^|-]"
_PLAIN = re.compile(rf"[A-Za-z0-9/_]{_WORDS}*(?:[:@][A-Za-z0-9/_.]{_WORDS}*)*", re.ASCII)
_ODD_END = re.compile(r"[:\s]$|\s#|^---|^\.\.\.|\s$")
_DATE = re.compile(r"[-+.\d:TZ_ ]+")


def block(value: Any, indent: int = 0) -> Iterator[str]:
    """Yield the lines of a map or list, indented; an empty one or a scalar is one line."""
    pad = " " * indent
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _entry(f"{pad}{scalar(str(key))}:", inner, indent + 2)
    elif isinstance(value, list | tuple) and value:
        for item in value:
            first, *rest = block(item, indent + 2)
            yield f"{pad}- {first.lstrip(' ')}"
            yield from rest
    else:
        yield f"{pad}{flat(value)}"


def _entry(start: str, value: Any, indent: int) -> Iterator[str]:
    if isinstance(value, Mapping | list | tuple) and value:
        yield start
        yield from block(value, indent)
    else:
        yield f"{start} {flat(value)}"


def flat(value: Any) -> str:
    """Return a value on one line: ``[a, b]``, ``{kind: Node}``, or a scalar."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_inside(str(key))}: {flat_inside(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flat_inside(item) for item in value) + "]"
    return scalar(value)


def flat_inside(value: Any) -> str:
    """Return a value inside of ``[…]`` or ``{…}``, where a comma would end it."""
    return flat(value) if isinstance(value, Mapping | Sequence) and not isinstance(value, str) else _inside(value)


def _inside(value: Any) -> str:
    text = scalar(value)
    plain = isinstance(value, str) and text == value
    return _quoted(value) if plain and set(text) & set(",[]{}") else text


def scalar(value: Any) -> str:
    """Return a scalar that is read back as the same value; text is quoted where it would become another type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return json.dumps(value)
    text = str(value)
    return text if _is_plain(text) else _quoted(text)


def _is_plain(text: str) -> bool:
    if not _PLAIN.fullmatch(text) or _ODD_END.search(text) or _DATE.fullmatch(text):
        return False
    return kubectl_scalar(Scalar(text, True, 1, 1)) == text


def _quoted(text: str) -> str:
    """Return text in quotes: single ones where that spares backslashes; what does not print is written out, never hidden."""
    shown = "\n".join(map(visible, text.split("\n")))
    if ('"' in shown or "\\" in shown) and "'" not in shown and shown.isprintable():
        return f"'{shown}'"
    return json.dumps(shown, ensure_ascii=False)
