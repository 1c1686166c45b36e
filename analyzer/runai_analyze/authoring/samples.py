"""Objects made from conditions alone: one that meets them, and one that does not, for the examples of a new rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from runai_analyze.engine.operators import bare_operator
from runai_analyze.facts.kinds import fields_of
from runai_analyze.objects.paths import Key, compile_path
from runai_analyze.objects.times import parse_moment
from runai_analyze.ruleset.kind_paths import kind_paths
from runai_analyze.ruleset.rule import Literal_, Test

from .proposal import Asked
from .shaping import REMOVED, changed

BUNDLE_TIME = datetime(2026, 12, 1, 12, tzinfo=UTC)
_TIMED = ("after", "before")
_ANY: tuple[Any, ...] = (
    *("other", "", 0, 1, 2, 10**6, "0", "1", "0Ki", "1Ei", True, False, "0.0.1", "9999.0.0"),
    *([], ["other"], [{}], [{}, {}], {}, {"other": "x"}),
)
_TOKEN = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)


class NoSampleError(ValueError):
    """No value could be found that meets a condition, or that does not."""


Object = dict[str, Any]


def pair(kind: str, base: Object, asked: Sequence[Asked], good: str = "", bad: str = "") -> tuple[Object, Object]:
    """Return (an object that meets all conditions, the same one where the first is not met).

    ``good`` and ``bad``: values for the first condition where the author named them. Raises ``NoSampleError``.
    """
    meets = base
    for number, condition in enumerate(asked):
        meets = _with(kind, meets, condition, True, good if number == 0 else "")
    return meets, _with(kind, meets, asked[0], False, bad)


def missing_one(kind: str, meets: Object, asked: Asked) -> Object:
    """Return an object that meets all conditions changed so that this one is not met. Raises ``NoSampleError``."""
    return _with(kind, meets, asked, False, "")


def needs_time(asked: Sequence[Asked]) -> bool:
    """Return whether the conditions compare times with that of the bundle."""
    return any(condition.test in _TIMED for condition in asked)


def _with(kind: str, body: dict[str, Any], asked: Asked, wanted: bool, named: str) -> dict[str, Any]:
    if named:
        return changed(body, asked.path, _typed(named, _type_of(kind, asked.path)))
    if asked.test == "exists":
        there = (str(asked.value).lower() in ("true", "yes")) == wanted
        value = next(_of_type(kind, asked.path, ["x", 1, True, ["x"], [{}], {"x": "x"}, {}])) if there else REMOVED
        return changed(body, asked.path, value)
    if asked.test == "equals_field":
        body = changed(body, str(asked.value), 2)
        return changed(body, asked.path, 2 if wanted else 1)
    for value in _of_type(kind, asked.path, list(_candidates(asked))):
        if _answer(asked, value) is wanted:
            return changed(body, asked.path, value)
    word, option = ("meets", "good") if wanted else ("does not meet", "bad")
    raise NoSampleError(f"no value was found that {word} {asked.path} {asked.test}; name one with --{option}")


def _answer(asked: Asked, value: Any) -> bool | None:
    try:
        return bare_operator(Test(asked.test, Literal_(asked.value)), asked.value, BUNDLE_TIME)(value)
    except ValueError as error:
        raise NoSampleError(str(error)) from None


def _candidates(asked: Asked) -> Iterator[Any]:
    values = asked.value if isinstance(asked.value, tuple) else (asked.value,)
    if asked.test in _TIMED:
        try:
            moment = parse_moment(values[0]).at(BUNDLE_TIME) or BUNDLE_TIME
        except ValueError as error:
            raise NoSampleError(str(error)) from None
        for days in (1, -1):
            yield (moment + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        return
    for value in values:
        yield value
        yield from _variants(value)
    yield list(values)
    yield dict.fromkeys(values, "x")
    yield from _ANY


def _variants(value: str) -> Iterator[Any]:
    """Yield what a value could look like: its parts, as a number, one more and one less, its opposite."""
    yield f"{value}x"
    yield f"x{value}"
    yield re.sub(r"[\\^$]", "", value)
    yield re.sub(r"[\\^$().*+?\[\]{}|]", "", value)
    yield from _TOKEN.findall(value)
    opposite = {"true": "false", "True": "False", "false": "true", "False": "True"}.get(value)
    if opposite:
        yield opposite
    if value in ("true", "false"):
        yield value == "true"
        yield value != "true"
    number = re.fullmatch(r"(\d{1,12})(\D{0,2})", value, re.ASCII)
    if number:
        for near in (0, 1, -1):
            amount = max(0, int(number[1]) + near)
            yield f"{amount}{number[2]}" if number[2] else amount


# --- Types ------------------------------------------------------------------------------------------------------------------


def _of_type(kind: str, path: str, values: Sequence[Any]) -> Iterator[Any]:
    """Yield the values that can stand at a path of the kind, each as the type that is wanted there."""
    wanted = _type_of(kind, path)
    fitting = [value for value in values if _fits(value, wanted)]
    if not fitting:
        raise NoSampleError(f"no value of the type {wanted} fits {path}")
    yield from fitting


def _fits(value: Any, wanted: str) -> bool:
    if not wanted:
        return not isinstance(value, dict) and not (isinstance(value, list) and {} in value)
    if isinstance(value, bool):
        return "bool" in wanted
    if isinstance(value, int | float):
        return "number" in wanted
    if isinstance(value, list):
        return "list" in wanted and all((item == {}) == ("maps" in wanted) for item in value)
    if isinstance(value, dict):
        return "mapping" in wanted or ("block" in wanted and not value)
    return "text" in wanted


def _type_of(kind: str, path: str) -> str:
    """Return the types that stand at a path, in the words of the table of kinds; empty when nobody knows."""
    names = [step.name for step in compile_path(path).steps if isinstance(step, Key)]
    for field in fields_of(kind):
        if field.path == ".".join(names):
            return {"time": "text"}.get(field.type, field.type)
    known = {found.path: found.type for found in kind_paths(kind, 12)}
    fanned = "".join(f".{step.name}" if isinstance(step, Key) else "[*]" for step in compile_path(path).steps).removeprefix(".")
    if fanned in known:
        return {"any": ""}.get(known[fanned], known[fanned])
    inside = [path.removeprefix(fanned)[:1] for path in known if path.startswith((f"{fanned}[*]", f"{fanned}."))]
    if inside:
        return "list of maps" if inside[0] == "[" else "block"
    parents = [fanned.rpartition(".")[0], fanned.rpartition("[*]")[0]]
    return "text" if any(known.get(parent) == "mapping" for parent in parents) else ""


def _typed(text: str, wanted: str) -> Any:
    if "bool" in wanted and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if "number" in wanted and "text" not in wanted and re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    return text.split(",") if wanted == "list" else text
