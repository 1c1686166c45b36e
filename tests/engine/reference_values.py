"""What a second evaluator sees of values: paths, arguments and tests, slow and obvious; ``reference`` puts them together.

Absent is ``ABSENT``, unknown is ``Unknown`` in an object and None as an answer. It knows only the forms of values that
``random_rules`` makes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from rapidfuzz import fuzz
from runai_analyze.model import Unknown
from runai_analyze.objects.normal import normalise

ABSENT = "(absent)"
UNKNOWN = "(unknown)"
WORST = 5
CAPS = {"documented": WORST, "third_party": 2, "derived": 2, "uncertain": 1}
SEVERITIES = {"info": 1, "low": 2, "medium": 3, "high": 4, "critical": 5}
TESTS = [
    "equals",
    "not_equals",
    "one_of",
    "not_one_of",
    "exists",
    "contains",
    "starts_with",
    "ends_with",
    "matches",
    "at_least",
    "at_most",
    "more_than",
    "less_than",
    "version",
    "after",
    "before",
    "covers_host",
    "equals_field",
    "min_length",
    "similar_to",
]


@dataclass(frozen=True)
class World:
    """What is the same for all objects. ``cluster``: dotted names, an unknown one is not there; ``tables``: {name: {row: {column:
    (value, confidence)}}}."""

    cluster: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    bundle_time: datetime | None = None


# --- Three answers -------------------------------------------------------------------------------------------------------------


def both(answers: Sequence[bool | None]) -> bool | None:
    """AND: false beats unknown beats true."""
    return False if False in answers else None if None in answers else True


def either(answers: Sequence[bool | None]) -> bool | None:
    """OR: true beats unknown beats false."""
    return True if True in answers else None if None in answers else False


def opposite(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


# --- Paths ---------------------------------------------------------------------------------------------------------------------


def values_at(body: Any, path: str) -> list[Any]:
    """Return all that a path leads to, each a value, ``ABSENT`` or ``UNKNOWN``."""
    values = [body]
    for step in re.findall(r'\["[^"]*"\]|\[[^\]]*\]|[\w-]+', path):
        values = [found for value in values for found in follow(value, step)]
    return values


def follow(value: Any, step: str) -> list[Any]:
    if value is ABSENT or value is UNKNOWN:
        return [value]
    if hidden(value):
        return [UNKNOWN]
    if step == "[*]":
        elements = list(value.values()) if isinstance(value, dict) else value
        return [seen(one) for one in elements] or [ABSENT] if isinstance(elements, list) else [UNKNOWN]
    if "=" in step and not step.startswith('["'):
        return pick(value, *step[1:-1].split("="))
    if step.startswith("[") and not step.startswith('["'):
        number = int(step[1:-1])
        return [seen(value[number]) if number < len(value) else ABSENT] if isinstance(value, list) else [UNKNOWN]
    return [seen(value.get(step.strip('[]"')))] if isinstance(value, dict) else [UNKNOWN]


def pick(value: Any, key: str, text: str) -> list[Any]:
    if not isinstance(value, list):
        return [UNKNOWN]
    names = [follow(seen(element), key)[0] for element in value]
    chosen = [
        element
        for element, name in zip(value, names, strict=True)
        if isinstance(name, str | int | float) and as_text(name) == text
    ]
    # One that cannot be told apart may be the one that was meant.
    return chosen or [UNKNOWN for name in names if name is UNKNOWN or hidden(name)] or [ABSENT]


def seen(value: Any) -> Any:
    return ABSENT if value is None else UNKNOWN if isinstance(value, Unknown) else value


def hidden(value: Any) -> bool:
    return isinstance(value, str) and "«redacted:" in value


def holds_hidden(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return hidden(value) or isinstance(value, Unknown) or any(holds_hidden(one) for one in inner)


# --- Arguments -----------------------------------------------------------------------------------------------------------------


def argument_of(written: Any, world: World) -> tuple[Any, int]:
    """Return the argument, ``UNKNOWN`` where there is none, and how bad a finding can be that rests on it."""
    if isinstance(written, dict):
        row, _ = argument_of(written["row"], world)
        rows = world.tables[written["table"]]
        minor = ".".join(str(row).split(".")[:2])
        cell = rows.get(row, rows.get(minor, {})).get(written["column"])
        return (UNKNOWN, WORST) if row is UNKNOWN or cell is None or cell[0] is None else (cell[0], CAPS[cell[1]])
    inside = re.fullmatch(r"\{\{ (cluster|params)\.(\S+) \}\}", written) if isinstance(written, str) else None
    if inside is None:
        return written, WORST
    return (world.params if inside[1] == "params" else world.cluster).get(inside[2], UNKNOWN), WORST


# --- Tests ---------------------------------------------------------------------------------------------------------------------


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, float) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def reads_same(value: Any, wanted: Any, ignore_case: bool) -> bool:
    """Text by text; a number is compared as a number; a list with a list, element by element."""
    if isinstance(wanted, list):
        return (
            isinstance(value, list)
            and len(value) == len(wanted)
            and all(reads_same(*it, ignore_case) for it in zip(value, wanted, strict=True))
        )
    left, right = as_text(value), as_text(wanted)
    if ignore_case:
        left, right = left.casefold(), right.casefold()
    if isinstance(value, int | float) and not isinstance(value, bool) and re.fullmatch(r"-?\d+(\.\d+)?", right):
        return float(value) == float(right)
    return left == right


def quantity(value: Any) -> Fraction | None:
    match = re.fullmatch(r"(-?\d+(?:\.\d+)?)(m|k|Ki|Mi|Gi)?", value if isinstance(value, str) else as_text(value))
    if match is None or isinstance(value, bool | list | dict):
        return None
    scale = {"m": Fraction(1, 1000), "k": 1000, "Ki": 1024, "Mi": 1024**2, "Gi": 1024**3}
    return Fraction(match[1]) * (scale[match[2]] if match[2] else 1)


def numbers(text: Any) -> list[int] | None:
    """Return the numbers of a version; a day is none."""
    if not isinstance(text, str) or moment(text) is not None:
        return None
    match = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:[-+].*)?", text)
    return [int(part) for part in match[1].split(".")] if match else None


def in_range(value: Any, wanted: str) -> bool | None:
    """Each bound counts at the precision it is written with; a version that is coarser than that is unknown where it matters."""
    found = numbers(value)
    if found is None:
        return None
    bounds = re.findall(r"(>=|<)([\d.]+)", wanted) or list(zip((">=", "<="), wanted.split(" - "), strict=True))
    return both([beside(found, sign, numbers(bound) or []) for sign, bound in bounds])


def beside(found: list[int], sign: str, bound: list[int]) -> bool | None:
    lacking = len(bound) - len(found)
    if lacking > 0:
        least, most = beside([*found, *[0] * lacking], sign, bound), beside([*found, *[10**9] * lacking], sign, bound)
        return least if least == most else None
    cut = found[: len(bound)]
    return {">=": cut >= bound, "<": cut < bound, "<=": cut <= bound}[sign]


def moment(text: Any) -> datetime | None:
    try:
        when = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) if when is not None and when.tzinfo is None else when


def bound_moment(text: str, world: World) -> datetime | None:
    if not text.startswith("bundle_time"):
        return moment(text)
    days = re.search(r"([+-]) (\d+)d", text)
    span = timedelta(days=int(days[1] + days[2])) if days else timedelta(0)
    return None if world.bundle_time is None else world.bundle_time + span


def covers(name: str, host: str) -> bool:
    name, host = name.lower(), host.lower()
    return name == host or (name.startswith("*.") and name.count(".") >= 2 and host.split(".", 1)[1:] == [name[2:]])


def lay(condition: Mapping[str, Any], name: str, value: Any, wanted: Any, world: World) -> bool | None:
    """Return what a test says about a value that is there."""
    fold = bool(condition.get("ignore_case"))
    several = wanted if isinstance(wanted, list) else [wanted]
    scalar = None if isinstance(value, list | dict) else as_text(value)
    if name in ("exists", "min_length", "contains"):  # what is hidden elsewhere in a list or map makes no difference to these
        if hidden(value):
            return None
        if name == "exists":
            return as_text(wanted) == "true"
        if name == "min_length":
            return len(value) >= int(wanted) if isinstance(value, str | list | dict) else None
        return both([contains(value, one, fold) for one in several])
    if holds_hidden(value):
        return None
    if name in ("equals", "not_equals"):
        return reads_same(value, wanted, fold) == (name == "equals")
    if name in ("one_of", "not_one_of"):
        return any(reads_same(value, one, fold) for one in several) == (name == "one_of")
    if name == "covers_host":
        names = [as_text(one) for one in (value if isinstance(value, list) else [value])]
        return all(any(covers(one, host) for one in names) for host in several)
    if name == "version":
        return in_range(value, wanted)
    if name in ("after", "before"):
        when, then = moment(value), bound_moment(wanted, world)
        return None if when is None or then is None else when > then if name == "after" else when < then
    if name in ("at_least", "at_most", "more_than", "less_than"):
        return compare(name, quantity(value), quantity(wanted), condition.get("tolerance", "0%"))
    if scalar is None:
        return None
    if name == "similar_to":
        score = max(fuzz.token_set_ratio(normalise(scalar), normalise(as_text(one))) for one in several)
        return score >= condition.get("score", 85)
    text = as_text(wanted)
    if name == "matches":
        return re.search(text, scalar, re.IGNORECASE if fold else 0) is not None
    scalar, text = (scalar.casefold(), text.casefold()) if fold else (scalar, text)
    return scalar.startswith(text) if name == "starts_with" else scalar.endswith(text)


def contains(value: Any, part: Any, fold: bool) -> bool | None:
    if isinstance(value, list):
        return either([None if holds_hidden(one) else reads_same(one, part, fold) for one in value])
    if isinstance(value, dict):
        return any(reads_same(key, part, fold) for key in value)
    text, needle = as_text(value), as_text(part)
    return needle.casefold() in text.casefold() if fold else needle in text


def compare(name: str, found: Fraction | None, wanted: Fraction | None, tolerance: str) -> bool | None:
    if found is None or wanted is None:
        return None
    share = abs(wanted) * Fraction(tolerance.rstrip("%")) / 100
    return {
        "at_least": found >= wanted - share,
        "at_most": found <= wanted + share,
        "more_than": found > wanted,
        "less_than": found < wanted,
    }[name]
