"""A second evaluator, slow and obvious, written from the pages on paths, grammar and answers and from nothing of the engine.

A rule is the plain data of its YAML: ``{"for_each": {"kind": …, "where": […]}, "expect": […]}``. Absent is ``ABSENT``, unknown is
``Unknown`` in an object and None as an answer. It knows only the forms of values that ``random_rules`` makes.
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
    match = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:[-+].*)?", text) if isinstance(text, str) else None
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


# --- Conditions ----------------------------------------------------------------------------------------------------------------


def judge(condition: Mapping[str, Any], body: Any, world: World, expect: bool, turned: bool = False) -> tuple[bool | None, int]:
    """Return the answer of a condition, and how bad a finding can be that rests on it.

    ``expect``: of several values that ``[*]`` leads to all must meet the test, not one as in ``where``; ``turned``: but under
    ``none_of`` one is too many.
    """
    for group in ("all_of", "any_of", "none_of"):
        if group in condition:
            return judge_group(group, condition[group], body, world, expect, turned)
    name = next(key for key in condition if key in TESTS)
    wanted, cap = argument_of(condition[name], world)
    keys, keys_cap = argument_of(condition.get("keys"), world)
    answers = [one_value(condition, name, value, wanted, body, world) for value in looked_at(condition, keys, body)]
    return (both(answers) if expect and not turned else either(answers)), min(cap, keys_cap)


def judge_group(
    group: str, members: Sequence[Mapping[str, Any]], body: Any, world: World, expect: bool, turned: bool
) -> tuple[bool | None, int]:
    """Who alone decides carries the answer with its own weight; where all decide together, the weakest source counts."""
    if group == "none_of":
        answer, cap = judge_group("any_of", members, body, world, expect, not turned)
        return opposite(answer), cap
    judged = [judge(member, body, world, expect, turned) for member in members]
    answers = [answer for answer, _ in judged]
    answer = both(answers) if group == "all_of" else either(answers)
    caps = [cap for each, cap in judged if each is answer] or [WORST]
    return answer, max(caps) if answer is (group == "any_of") else min(caps)


def looked_at(condition: Mapping[str, Any], keys: Any, body: Any) -> list[Any]:
    place = next(name for name in ("field", "label", "annotation") if name in condition)
    path = condition[place] if place == "field" else f'metadata.{place}s["{condition[place]}"]'
    values = values_at(body, path)
    if keys is None or keys is UNKNOWN:
        return values if keys is None else [UNKNOWN]
    listed = keys if isinstance(keys, list) else [keys]
    return [found for value in values for key in listed for found in follow(value, f'["{key}"]')]


def one_value(condition: Mapping[str, Any], name: str, value: Any, wanted: Any, body: Any, world: World) -> bool | None:
    if wanted is UNKNOWN or value is UNKNOWN:
        return None
    if value is ABSENT:
        if "when_absent" in condition:
            return {"pass": True, "fail": False, "unknown": None}[condition["when_absent"]]
        return name == "exists" and as_text(wanted) == "false"
    if name == "equals_field":
        others = values_at(body, wanted)
        if holds_hidden(value) or any(other is UNKNOWN or holds_hidden(other) for other in others):
            return None
        fold = bool(condition.get("ignore_case"))
        return all(other is not ABSENT and reads_same(value, other, fold) for other in others)
    return lay(condition, name, value, wanted, world)


# --- Rules ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """One finding: the names of the objects in it, its severity, and which wording it has (0: the rule's own)."""

    objects: frozenset[str]
    severity: int
    case: int


@dataclass(frozen=True)
class Verdict:
    """The outcome of a rule. ``matched``: of a count, how many objects match for sure."""

    status: str
    found: tuple[Found, ...] = ()
    matched: int = 0


def verdict(rule: Mapping[str, Any], bodies: Sequence[Any], uncollected: bool, world: World) -> Verdict:
    """Return the outcome of one rule by itself. ``uncollected``: not all objects of its kind were collected."""
    mode = next(name for name in ("for_each", "report_each", "count") if name in rule)
    select = rule[mode]
    bodies = [body for body in bodies if is_meant(select, body)]
    selected = [(body, *judge_group("all_of", select.get("where", ()), body, world, False, False)) for body in bodies]
    lacking = uncollected and not (bodies and one_object(select))
    if mode == "count":
        return count(rule, [answer for _, answer, _ in selected], lacking, world)
    unsure = any(answer is None for _, answer, _ in selected)
    wrong = []
    for body, answer, cap in selected:
        if answer is True and mode == "report_each":
            wrong.append((body, cap))
        elif answer is True:
            met, cap = judge_group("all_of", rule["expect"], body, world, True, False)
            wrong += [(body, cap)] if met is False else []
            unsure = unsure or met is None
    if wrong:
        return Verdict("fail", findings(rule, wrong, world))
    if unsure or lacking:
        return Verdict("unknown")
    nothing = not bodies if mode == "report_each" else not any(answer for _, answer, _ in selected)
    if mode == "report_each" and not (nothing and select.get("if_none")):
        return Verdict("pass")
    return none_found(rule, select) if nothing else Verdict("pass")


def is_meant(select: Mapping[str, Any], body: Any) -> bool:
    metadata = body["metadata"]
    return all(any(glob(name, metadata.get(key, "")) for name in select.get(key) or ["*"]) for key in ("namespace", "name"))


def glob(pattern: str, name: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), name) is not None


def one_object(select: Mapping[str, Any]) -> bool:
    """Name and namespace are written out: once that object was seen, nothing is lacking."""
    listed = [select.get("name") or ["*"], select.get("namespace") or ["*"]]
    return all(len(names) == 1 and "*" not in names[0] and "?" not in names[0] for names in listed)


def none_found(rule: Mapping[str, Any], select: Mapping[str, Any]) -> Verdict:
    if select.get("if_none") != "fail":
        return Verdict("not_applicable")
    return Verdict("fail", (Found(frozenset(), SEVERITIES[rule["severity"]], 0),))


def count(rule: Mapping[str, Any], answers: Sequence[bool | None], lacking: bool, world: World) -> Verdict:
    """Whatever the unknown objects are, and however many were not collected: is the number as wanted?"""
    sure, unsure = answers.count(True), answers.count(None)
    if not sure and not unsure and not lacking and rule["count"].get("if_none"):
        return none_found(rule, rule["count"])
    expected = rule["expect_count"]
    name = next(key for key in expected if key in TESTS)
    wanted, cap = argument_of(expected[name], world)
    possible = range(sure, sure + (1000 if lacking else unsure) + 1)
    met = {None if wanted is UNKNOWN else lay(expected, name, number, wanted, world) for number in possible}
    if len(met) > 1 or None in met:
        return Verdict("unknown", matched=sure)
    if met == {True}:
        return Verdict("pass", matched=sure)
    return Verdict("fail", (Found(frozenset(), min(SEVERITIES[rule["severity"]], cap), 0),), sure)


def findings(rule: Mapping[str, Any], wrong: Sequence[tuple[Any, int]], world: World) -> tuple[Found, ...]:
    """Each object is a finding; with group_by those with the same values and the same wording are one, as bad as the worst."""
    groups: dict[Any, list[tuple[str, int, int]]] = {}
    for body, cap in wrong:
        case, severity = wording(rule, body, world)
        name = body["metadata"]["name"]
        values = [json.dumps(values_at(body, path), sort_keys=True, default=str) for path in rule.get("group_by", ())] or [name]
        groups.setdefault((case, *values), []).append((name, min(severity, cap), case))
    return tuple(
        Found(frozenset(name for name, _, _ in group), max(severity for _, severity, _ in group), group[0][2])
        for group in groups.values()
    )


def wording(rule: Mapping[str, Any], body: Any, world: World) -> tuple[int, int]:
    """Return the number of the first case that is met, and its severity."""
    for number, case in enumerate(rule.get("cases", ()), start=1):
        if judge_group("all_of", case["when"], body, world, False, False)[0] is True:
            return number, SEVERITIES[case.get("severity", rule["severity"])]
    return 0, SEVERITIES[rule["severity"]]


def in_order(rules: Mapping[str, Any], alone: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """Return the outcomes in the light of ``only_if_passed``: fail blocks, unknown makes unknown, all else lets run."""
    settled: dict[str, Verdict] = {}

    def settle(name: str) -> Verdict:
        if name not in settled:
            before = {settle(other).status for other in rules[name].get("only_if_passed", ()) if other in rules}
            blocked = bool(before & {"fail", "blocked"})
            settled[name] = Verdict("blocked") if blocked else Verdict("unknown") if "unknown" in before else alone[name]
        return settled[name]

    return {name: settle(name) for name in rules}
