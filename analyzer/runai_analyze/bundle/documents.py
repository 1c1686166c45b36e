"""Reading JSON and YAML that somebody else wrote: bounded, and a text that cannot be read is None."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson
import yaml

# The deepest object of Kubernetes (the schema of a CRD) nests about 60 deep.
MAX_DEPTH = 100
# etcd takes objects up to 1.5 MB, in a form that is shorter than JSON.
MAX_LINE = 8 << 20
MAX_OPENING = 200_000
MAX_SEPARATORS = 1_000_000
_MAX_TEXT = 2_000_000
_MAX_YAML = 64_000  # PyYAML reads 10 kB (of many short values) to 100 kB a second


def weigh(line: bytes) -> int:
    """Return about how many bytes of memory a JSON text takes once read. Raises ValueError for one that no object of Kubernetes
    can be: longer than ``MAX_LINE``, or of more values than fit into an object."""
    if len(line) > MAX_LINE:
        raise ValueError(f"it is longer than {MAX_LINE >> 20} MiB")
    opening, separators = line.count(b"{") + line.count(b"["), line.count(b",")
    if opening > MAX_OPENING or separators > MAX_SEPARATORS:
        raise ValueError("it holds more values than an object can")
    return len(line) + 70 * opening + 60 * separators


def read_json(data: bytes | str) -> Any:
    """Return the value of a JSON text. Raises ValueError, in a few words, when it is none or nests deeper than ``MAX_DEPTH``."""
    value = orjson.loads(data)  # orjson.JSONDecodeError is a ValueError
    opening = data.count("{") + data.count("[") if isinstance(data, str) else data.count(b"{") + data.count(b"[")
    if opening > MAX_DEPTH and too_deep(value):
        raise ValueError(f"it nests more than {MAX_DEPTH} levels deep")
    return value


def too_deep(value: Any) -> bool:
    """Tell whether lists and mappings nest deeper than ``MAX_DEPTH``; without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            child for one in level if isinstance(one, dict | list) for child in (one.values() if isinstance(one, dict) else one)
        ]
        level = [one for one in level if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def read_document(text: str) -> Any:
    """Return what a JSON or YAML text holds; None when it is neither, too long, or uses YAML's aliases or tags."""
    if len(text) > _MAX_TEXT:
        return None
    try:
        return read_json(text)
    except ValueError:
        return _read_yaml(text) if len(text) <= _MAX_YAML else None


class _Loader(yaml.SafeLoader):
    """The safe loader without aliases: an alias in a document of a few kilobytes can stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are refused")
        return super().compose_node(parent, index)


@lru_cache(maxsize=4)  # the same few documents are asked for again and again
def _read_yaml(text: str) -> Mapping[str, Any] | None:
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader, made stricter
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
