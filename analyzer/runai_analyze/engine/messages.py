"""Messages: the values of an object put into the words of a rule. No code of a message is ever run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runai_analyze.engine.environment import Environment, cluster_value
from runai_analyze.engine.values import cut, display
from runai_analyze.model import Unknown
from runai_analyze.objects.paths import ABSENT
from runai_analyze.objects.times import age_in_words, parse_time
from runai_analyze.ruleset.rule import Template, Text, Variable

_LONGEST = 2000
Parts = tuple[object, ...]


@dataclass(frozen=True)
class _Count:
    """Stands where the number goes, which is known only when all objects were seen."""

    forms: tuple[str, str]

    def of(self, count: int) -> str:
        return _of_number(self.forms, count, f"{count:,}")


def _of_number(forms: tuple[str, str], number: object, text: str) -> str:
    return forms[str(number) != "1"].replace("#", text)


@dataclass(frozen=True)
class Words:
    """What a message may name. ``body`` is the object that it speaks of, or nothing."""

    environment: Environment
    params: dict[str, Text]
    body: Any = None
    found: str = ""
    wanted: str = ""
    failed_keys: Sequence[str] = ()


def prepare(template: Template, words: Words) -> Parts:
    """Return the message with everything put in but the count, which ``finish`` adds."""
    return tuple(part if isinstance(part, str) else _value(part, words) for part in template.parts)


def finish(parts: Parts, count: int) -> str:
    """Return the text of a prepared message."""
    text = " ".join("".join(part.of(count) if isinstance(part, _Count) else str(part) for part in parts).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _value(variable: Variable, words: Words) -> object:
    match variable.source:
        case "count":
            return _Count(variable.forms or ("#", "#"))
        case "found":
            return words.found
        case "wanted":
            return words.wanted
        case "failed_keys":
            return _filtered(list(words.failed_keys), variable, words)
        case "params":
            return _filtered(words.params.get(variable.name, ""), variable, words)
        case "cluster":
            assert variable.path is not None
            resolved = cluster_value(variable.path, words.environment)
            return "unknown" if resolved.missing else _filtered(resolved.value, variable, words)
        case "path":
            return _filtered(_read(variable, words.body), variable, words)


def _read(variable: Variable, body: Any) -> object:
    path = variable.path
    assert path is not None
    if body is None:
        return ABSENT
    if not path.fans_out:
        return path.one(body)
    return [value for value in path.values(body) if value is not ABSENT] or ABSENT


def _filtered(value: object, variable: Variable, words: Words) -> str:
    if variable.forms:
        return _of_number(variable.forms, value, display(value))
    if value is ABSENT or isinstance(value, Unknown):
        return "0" if variable.filter == "count" and value is ABSENT else display(value)
    if variable.filter == "count":
        return f"{len(value):,}" if isinstance(value, list | tuple | dict) else "1"
    if variable.filter == "ago":
        return _ago(value, words)
    if variable.filter == "join" and isinstance(value, list | tuple):
        return cut(", ".join(dict.fromkeys(display(item) for item in value)))
    return display(value)


def _ago(value: object, words: Words) -> str:
    now = words.environment.bundle_time
    try:
        return display(value) if now is None else age_in_words(now - parse_time(value))
    except ValueError:
        return display(value)
