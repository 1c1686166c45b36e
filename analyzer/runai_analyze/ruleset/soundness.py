"""Rules that are written rightly and mean nothing: conditions that nothing or everything meets, cases that are never reached."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from runai_analyze.facts.kinds import FIELDS
from runai_analyze.objects.paths import Key, Path
from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.ruleset.blocks import items_of
from runai_analyze.ruleset.contradictions import essence, exclude
from runai_analyze.ruleset.mistakes import listing, suggested
from runai_analyze.ruleset.nodes import Fields, Node, Source
from runai_analyze.ruleset.rule import Condition, Conditions, Group, Literal_, ParamValue, Rule
from runai_analyze.ruleset.schemas import value_types
from runai_analyze.ruleset.vocabulary import CLUSTER_SCOPED, kind_name

MOST_CONDITIONS = 100  # in one list
MOST_CASES = 100
MOST_IN_ALL = 500  # in a rule: each may have to be held against each other one
Placed = tuple[Condition | Group, Fields]


def check_soundness(source: Source, rule: Rule, nodes: Mapping[str, Node]) -> None:
    """Record what a rule, whose words are all right, cannot mean."""
    block = nodes[rule.select.mode]
    where = list(_placed(rule.select.where, block.fields.get("where") if isinstance(block, Fields) else None))
    expect = list(_placed(rule.expect, nodes.get("expect")))
    cases = [
        list(_placed(case.when, node.fields.get("when")))
        for case, node in zip(rule.cases, items_of(nodes.get("cases")), strict=False)
        if isinstance(node, Fields)
    ]
    kind = kind_name(rule.select.kind, rule.select.group)
    in_all = sum(_size(item) for conditions in (where, expect, *cases) for item, _ in conditions)
    if in_all > MOST_IN_ALL:
        said = f"a rule has at most {MOST_IN_ALL} conditions, this has {in_all}: one_of takes many values"
        source.mistake(block, "too-many", said)
        return
    for conditions in (where, expect, *cases):
        _check_list(source, kind, conditions)
    if len(cases) > MOST_CASES:
        source.mistake(cases[MOST_CASES][0][1], "too-many", f"a rule has at most {MOST_CASES} cases, this has {len(cases)}")
    elif all(len(conditions) <= MOST_CONDITIONS for conditions in (where, expect, *cases)):
        _check_expect(source, where, expect)
        _check_cases(source, where, expect, cases)
    if kind in CLUSTER_SCOPED and rule.select.namespaces and isinstance(block, Fields):
        source.mistake(block.keys["namespace"], "useless", f"namespace means nothing for a {kind}, which is in none")


def _size(item: Condition | Group) -> int:
    return sum(map(_size, item.members)) if isinstance(item, Group) else 1


def _placed(conditions: Conditions, node: Node | None) -> Iterator[Placed]:
    """Yield conditions with their places; all were read, as the rule has no mistake."""
    for condition, place in zip(conditions, items_of(node), strict=False):
        if isinstance(place, Fields):
            yield condition, place


def _check_list(source: Source, kind: str, conditions: Sequence[Placed], together: bool = True) -> None:
    """Record what is wrong with a list; ``together``: one object must meet all of them."""
    if _too_many(source, conditions):
        return
    asked = [essence(item) for item, _ in conditions]
    for number, (item, place) in enumerate(conditions):
        for (earlier, first), before in zip(conditions[:number], asked, strict=False):
            if asked[number] == before:
                source.mistake(place, "duplicate-condition", f"line {first.line} asks the same already")
            elif together and exclude(item, earlier):
                source.mistake(place, "contradiction", f"no object can meet this and the condition of line {first.line}")
        if isinstance(item, Group):
            _check_list(source, kind, list(_placed(item.members, place.fields[item.mode])), item.mode == "all_of")
        else:
            _check_condition(source, kind, item, place)


def _too_many(source: Source, conditions: Sequence[Placed]) -> bool:
    """Record a list that is longer than anybody reads: each of its conditions is held against each other one."""
    if len(conditions) > MOST_CONDITIONS:
        said = f"a list holds at most {MOST_CONDITIONS} conditions, this has {len(conditions)}: one_of takes many values"
        source.mistake(conditions[MOST_CONDITIONS][1], "too-many", said)
    return len(conditions) > MOST_CONDITIONS


# --- One condition ----------------------------------------------------------------------------------------------------------


def _check_condition(source: Source, kind: str, condition: Condition, place: Fields) -> None:
    name = condition.test.name
    node = place.fields[name]
    problem = _always(condition)
    if problem:
        source.mistake(node, "always-true", problem)
    if name == "exists" and condition.when_absent:
        source.mistake(place.fields["when_absent"], "useless", "when_absent means nothing for exists, which asks just that")
    values = _written(condition)
    for value in values:
        for code, message in (*_unit_problems(condition, value), *_value_problems(kind, condition, value)):
            source.mistake(node, code, message)


def _written(condition: Condition) -> tuple[str, ...]:
    """Return the values that stand in the rule itself, in the condition or as a param."""
    argument = condition.test.argument
    if not isinstance(argument, Literal_ | ParamValue) or condition.keys:
        return ()
    return argument.value if isinstance(argument.value, tuple) else (argument.value,)


def _always(condition: Condition) -> str:
    test = condition.test
    value = getattr(test.argument, "value", None) if isinstance(test.argument, Literal_) else None
    if test.name == "equals_field" and value == condition.path.text:
        return "a field always equals itself"
    if test.name in ("contains", "starts_with", "ends_with") and value == "":
        return f"every text {test.name.replace('_', ' ')} nothing: write exists: true when the field must be set"
    if test.name == "matches" and value in ("", ".*", "^", "$", "^.*$"):
        return "every text matches this: write exists: true when the field must be set"
    if test.name == "min_length" and value == "0":
        return "everything has at least 0 characters or elements; the smallest that says something is 1"
    return ""


_AMOUNTS = frozenset(("at_least", "at_most", "more_than", "less_than"))
_SAME = frozenset(("equals", "not_equals", "one_of", "not_one_of"))
_BYTES = re.compile(r"memory|storage|ephemeral-storage|hugepages-.*")
_FEWEST_BYTES = 1_000_000


def _unit_problems(condition: Condition, value: str) -> Iterator[tuple[str, str]]:
    last = condition.path.steps[-1]
    name = last.name if isinstance(last, Key) else ""
    amount = _amount(value) if condition.test.name in _AMOUNTS else None
    if amount is None:
        return
    if _BYTES.fullmatch(name) and amount < _FEWEST_BYTES and value.replace(".", "").isdigit() and amount:
        yield "quantity-unit", f"{name} is counted in bytes, and this is {value} of them: write {value}Gi or {value}Mi"
    if name == "cpu" and value[-1:] in "iKMGTPE" and value.rstrip("iKMGTPE") != value:
        number = value.rstrip("iKMGTPE")
        yield "quantity-unit", f"cpu is counted in cores, and {value} is more than there are: write {number}"


def _amount(value: str) -> Fraction | None:
    try:
        return parse_quantity(value)
    except ValueError:
        return None


_MADE_TYPES = {(field.kind, field.path): field.type for field in FIELDS}
_JSON_TYPES = {"bool": frozenset(("boolean",)), "number": frozenset(("number",))}
_NUMBERS = frozenset(("integer", "number"))
# Words of the Kubernetes API, as its reference lists them: (kind or any, path, the only words).
_CLOSED = (
    ("", re.compile(r"status\.conditions\[[^\]]+\]\.status"), ("True", "False", "Unknown")),
    ("Pod", re.compile(r"status\.phase"), ("Pending", "Running", "Succeeded", "Failed", "Unknown")),
    ("PersistentVolumeClaim", re.compile(r"status\.phase"), ("Pending", "Bound", "Lost")),
    ("PersistentVolume", re.compile(r"status\.phase"), ("Pending", "Available", "Bound", "Released", "Failed")),
    ("Namespace", re.compile(r"status\.phase"), ("Active", "Terminating")),
    ("Node", re.compile(r"spec\.taints\[[^\]]+\]\.effect"), ("NoSchedule", "PreferNoSchedule", "NoExecute")),
    ("Event", re.compile(r"type"), ("Normal", "Warning")),
    ("Service", re.compile(r"spec\.type"), ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
    ("StorageClass", re.compile(r"reclaimPolicy"), ("Delete", "Retain", "Recycle")),
    ("StorageClass", re.compile(r"volumeBindingMode"), ("Immediate", "WaitForFirstConsumer")),
)


def _value_problems(kind: str, condition: Condition, value: str) -> Iterator[tuple[str, str]]:
    test, path = condition.test, condition.path
    types = _types(kind, path)
    if test.name in _AMOUNTS and types == {"boolean"}:
        yield "never-met", f'"{path.text}" is true or false, which is no amount: use equals'
    if test.name not in _SAME:
        return
    written = value.lower() if test.ignore_case else value
    if types == {"boolean"} and written not in ("true", "false"):
        yield "never-met", f'"{path.text}" is true or false, never "{value}"'
    if types and types <= _NUMBERS and _amount(value) is None:
        yield "never-met", f'"{path.text}" is a number, never "{value}"'
    for closed_kind, pattern, words in _CLOSED:
        known = {word.lower() for word in words} if test.ignore_case else set(words)
        if closed_kind in ("", kind) and pattern.fullmatch(path.text) and written not in known:
            one_of = f"{listing(words[:-1])} or {words[-1]}"
            meant = suggested(next((word for word in words if word.lower() == value.lower()), ""))
            yield "never-met", f'"{path.text}" is {one_of}, never "{value}"{meant}'


def _types(kind: str, path: Path) -> frozenset[str]:
    made = _MADE_TYPES.get((kind, path.text))
    return _JSON_TYPES.get(made, frozenset()) if made else value_types(kind, path)


# --- Lists held against each other ------------------------------------------------------------------------------------------


def _check_expect(source: Source, where: Sequence[Placed], expect: Sequence[Placed]) -> None:
    asked = {essence(item): place for item, place in where if not _fans_out(item)}
    for item, place in expect:
        if essence(item) in asked:
            line = asked[essence(item)].line
            source.mistake(place, "always-true", f"line {line}, under where, asks the same already: this can never fail")
        for chosen, first in where:
            if exclude(item, chosen):
                said = (
                    f"line {first.line}, under where, lets nothing through that can meet this: report_each says so more plainly"
                )
                source.mistake(place, "never-passes", said)


def _fans_out(item: Condition | Group) -> bool:
    return any(map(_fans_out, item.members)) if isinstance(item, Group) else item.path.fans_out


def _check_cases(source: Source, where: Sequence[Placed], expect: Sequence[Placed], cases: Sequence[Sequence[Placed]]) -> None:
    given = {essence(item) for item, _ in where if not _fans_out(item)}
    seen: list[tuple[frozenset[object], int]] = []
    for case in cases:
        if not case:
            continue
        place = case[0][1]
        asks = frozenset(essence(item) for item, _ in case) - given
        said = _unreachable(asks, seen, where, expect, case)
        if said:
            source.mistake(place, "unreachable-case", said)
        elif not asks:
            source.mistake(place, "always-true", "where asks the same already: every finding meets this case")
        seen.append((asks, place.line))


def _unreachable(
    asks: frozenset[object],
    seen: Sequence[tuple[frozenset[object], int]],
    where: Sequence[Placed],
    expect: Sequence[Placed],
    case: Sequence[Placed],
) -> str:
    for earlier, line in seen:
        if earlier <= asks:
            return f"this case is never reached: whatever meets it meets the case of line {line} first"
    for item, _ in case:
        for chosen, first in where:
            if exclude(item, chosen):
                return f"this case is never reached: line {first.line}, under where, lets no such object through"
    wanted = {essence(item): place.line for item, place in expect if not _fans_out(item)}
    if len(expect) == 1 and wanted.keys() & asks:
        return f"this case is never reached: what meets line {next(iter(wanted.values()))} of expect is no finding"
    return ""
