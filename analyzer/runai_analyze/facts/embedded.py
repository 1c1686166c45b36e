"""``facts.parsed`` of a ConfigMap: what its keys hold as YAML or JSON, so that a rule can look into ``data["config.yaml"]``.

Nothing is read before a rule's path leads there. What cannot be read is unknown with the reason, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ..bundle.documents import MAX_DEPTH, read_json
from ..model import Missing, Unknown
from ..objects.paths import HIDDEN, REDACTED
from .reading import mapping, name_of, namespace_of, unknown

_LONGEST_JSON = 1 << 20  # a ConfigMap holds no more
_LONGEST_YAML = 256 << 10
_MOST_VALUES = 50_000


class Parsed(Mapping[str, Any]):
    """The keys of a ConfigMap, each read as YAML or JSON when it is asked for, and then kept."""

    def __init__(self, name: str, data: Mapping[str, Any], others: Mapping[str, Unknown]) -> None:
        self._name, self._data, self._others = name, data, others
        self._read: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._read:
            self._read[key] = self._others[key] if key in self._others else self._parse(key)
        return self._read[key]

    def __iter__(self) -> Iterator[str]:
        yield from sorted({*self._data, *self._others})

    def __len__(self) -> int:
        return len({*self._data, *self._others})

    def _parse(self, key: str) -> Any:
        content = self._data[key]
        found = read_embedded(content) if isinstance(content, str) else "it is no text"
        if not isinstance(found, str):
            return found
        if isinstance(content, str) and REDACTED in content:
            return Unknown(Missing("", HIDDEN))
        return unknown(f"what {key} of ConfigMap {self._name} says", f"it cannot be read as YAML or JSON: {found}")


def parsed_of(body: Mapping[str, Any]) -> Parsed:
    """Return ``facts.parsed`` of a ConfigMap whose data was collected."""
    name = f"{namespace_of(body)}/{name_of(body)}"
    binary = {key: unknown(f"what {key} of ConfigMap {name} says", "it is binary") for key in mapping(body.get("binaryData"))}
    return Parsed(name, mapping(body.get("data")), binary)


def parsed_of_names(name: str, keys: Mapping[str, Any], why: Unknown) -> Parsed:
    """Return ``facts.parsed`` of a ConfigMap of which only the names of its keys are known: each of them is unknown."""
    return Parsed(name, {}, dict.fromkeys(keys, why))


def read_embedded(content: str) -> dict[str, Any] | list[Any] | str:
    """Return what a text holds as JSON or YAML, typed as Kubernetes would, keys as text; why not, in words, where it holds none.

    YAML's aliases and its own tags are refused, as are texts that are too long, too deep or of too many values.
    """
    if content.lstrip()[:1] in ("{", "["):
        if len(content) > _LONGEST_JSON:
            return f"it is longer than {_LONGEST_JSON >> 10} KiB"
        try:
            return _container(read_json(content))
        except ValueError:
            pass  # YAML in braces, perhaps
    if len(content) > _LONGEST_YAML:
        return f"it is longer than {_LONGEST_YAML >> 10} KiB"
    try:
        return _refused(content) or _container(yaml.load(content, Loader=_Loader))  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        return _in_words(error)
    except ValueError:  # of more digits than Python takes
        return "it holds a number that is too long"


def _refused(content: str) -> str:
    """Return why a YAML text is not read; empty for one that is. Only its events are looked at, so that nothing grows here."""
    depth = documents = 0
    for values, event in enumerate(yaml.parse(content, Loader=_Loader)):
        if isinstance(event, yaml.AliasEvent):
            return "it uses YAML's aliases"
        if getattr(event, "tag", None):
            return "it uses YAML's tags"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        if depth > MAX_DEPTH:
            return f"it nests more than {MAX_DEPTH} levels deep"
        if values > _MOST_VALUES:
            return f"it holds more than {_MOST_VALUES} values"
        if documents > 1:
            return "it holds several documents"
    return ""


def _container(value: Any) -> dict[str, Any] | list[Any] | str:
    return value if isinstance(value, dict | list) else "it is plain text"


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)


def _in_words(error: yaml.YAMLError) -> str:
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return where + (str(problem) if problem else str(error).partition("\n")[0])[:100]


class _Loader(yaml.CSafeLoader):
    """The safe loader with the types that Kubernetes' own reader knows: no dates, no 1:30 that is 90, and 1e3 is a number.
    Keys are text, as in JSON."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        return {_key(self.construct_object(key, deep=True)): self.construct_object(value, deep=True) for key, value in node.value}


_INT, _FLOAT, _DATE = (f"tag:yaml.org,2002:{name}" for name in ("int", "float", "timestamp"))
_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag not in (_INT, _FLOAT, _DATE)]
    for letter, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    _INT, re.compile(r"[-+]?(?:0|[1-9][0-9_]*|0o?[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)$", re.ASCII), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    _FLOAT,
    re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?$", re.ASCII),
    list("-+.0123456789"),
)
