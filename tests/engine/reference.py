"""A second evaluator, slow and obvious, written from the pages on grammar and answers and from nothing of the engine.

A rule is the plain data of its YAML: ``{"for_each": {"kind": …, "where": […]}, "expect": […]}``.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.engine.reference_values import (
    ABSENT,
    SEVERITIES,
    TESTS,
    UNKNOWN,
    WORST,
    World,
    argument_of,
    as_text,
    both,
    either,
    follow,
    holds_hidden,
    lay,
    opposite,
    reads_same,
    values_at,
)

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
