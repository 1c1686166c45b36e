"""The paths into objects of a kind, from its schema: what the pages of ``runai-rules facts`` and editors offer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from runai_analyze.objects.paths import child
from runai_analyze.ruleset.schemas import Schema, resolved, schema_of, types_of

_TYPES = {"string": "text", "integer": "number", "number": "number", "boolean": "bool", "array": "list", "object": "mapping"}
_NOT_SHOWN = frozenset(("managedFields", "apiVersion", "kind"))
_SENTENCE = 110


class KindPath(NamedTuple):
    """One path with the type of its value in our words, and the first words that Kubernetes says about it."""

    path: str
    type: str
    meaning: str


def kind_paths(kind: str, depth: int = 3) -> Iterator[KindPath]:
    """Yield the paths of a kind (``Node``, ``ClusterPolicy.nvidia.com``), down to so many names; elements of lists as ``[*]``.

    Nothing where nobody publishes the fields of the kind.
    """
    schema = schema_of(kind)
    if schema is not None:
        yield from _below(schema, "", depth)


def _below(schema: Schema, prefix: str, depth: int) -> Iterator[KindPath]:
    for name, stated in sorted(schema.get("properties", {}).items()):
        if name in _NOT_SHOWN and (not prefix or name == "managedFields"):
            continue
        field = resolved(stated)
        path = child(prefix, name)
        element = resolved(field.get("items", {})) if "items" in field else field
        path = f"{path}[*]" if "properties" in element and "items" in field else path
        if "properties" in element and depth > 1:
            yield from _below(element, path, depth - 1)
        else:
            said = stated.get("description") if isinstance(stated, Mapping) else ""
            yield KindPath(path, _type(field), _first_words(said or field.get("description") or ""))


def _type(schema: Schema) -> str:
    types = sorted({_TYPES[name] for name in types_of(schema) if name in _TYPES})
    return " or ".join(types) or ("mapping" if "properties" in schema or "additionalProperties" in schema else "any")


def _first_words(text: str) -> str:
    """Return the first sentence, cut where it is long."""
    line = " ".join(text.split())
    end = line.find(". ")
    line = line[:end] if end > 0 else line.removesuffix(".")
    return line if len(line) <= _SENTENCE else f"{line[: _SENTENCE - 1].rsplit(' ', 1)[0]} …"
