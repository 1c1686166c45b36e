"""What may be wrong with an object, as a condition for a rule: the form that all finders of signs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from runai_analyze.ruleset.vocabulary import CLUSTER_SCOPED, GROUP_OF

Value = str | tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A condition as the rule will have it: path, test, argument."""

    path: str
    test: str
    value: Value


@dataclass(frozen=True)
class Sign:
    """Something about an object that looks like the fault.

    ``mode``: ``expect`` (the condition is what a healthy object meets) or ``fault`` (it is what a broken one meets).
    ``healthy``: what makes the object a healthy one, as (path, value or REMOVED). ``keep``: paths that the example needs beside
    that of the condition.
    """

    score: int
    mode: Literal["expect", "fault"]
    asked: Asked
    words: str  # what looks wrong: "condition Ready is False"
    title: str
    message: str
    healthy: tuple[tuple[str, Any], ...]
    keep: tuple[str, ...] = ()
    show: tuple[tuple[str, str], ...] = ()
    when_absent: str = ""
    fix: str = ""
    because: str = ""
    made: str = ""  # the made kind that the rule looks at in place of the object's own


def article(word: str) -> str:
    """Return a word with its article, as a title begins: ``An Ingress``."""
    return f"{'An' if word[:1].upper() in 'AEIO' else 'A'} {word}"


def name_words(kind: str, namespaced: bool) -> str:
    """Return how a message names an object of a kind."""
    name = "{{ metadata.namespace }}/{{ metadata.name }}" if namespaced else "{{ metadata.name }}"
    return f"{kind} {name}"


def is_namespaced(body: Mapping[str, Any]) -> bool:
    """Return whether an object lies in a namespace."""
    kind, metadata = body.get("kind"), body.get("metadata")
    named = isinstance(metadata, Mapping) and bool(metadata.get("namespace"))
    return named or (kind in GROUP_OF and kind not in CLUSTER_SCOPED)


def subject(body: Mapping[str, Any]) -> str:
    """Return how a message names this object."""
    return name_words(str(body.get("kind")), is_namespaced(body))


def group_of(body: Mapping[str, Any]) -> str:
    """Return the API group of an object; one without apiVersion is of the core group."""
    return str(body.get("apiVersion") or "v1").rpartition("/")[0]


def at(body: Any, *names: str) -> Any:
    """Return what stands at the names; None where there is nothing."""
    for name in names:
        body = body.get(name) if isinstance(body, Mapping) else None
    return body


def texts(value: Any) -> str:
    """Return a value that is text; else nothing."""
    return value if isinstance(value, str) else ""


def maps(value: Any) -> list[dict[str, Any]]:
    """Return the maps of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
