"""The parts of a rule, whatever their depth: its conditions without their groups, the cells it asks, the fields it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from runai_analyze.objects.paths import Path
from runai_analyze.ruleset.rule import Condition, Conditions, Group, Literal_, ParamValue, Rule, TableCell, Test


def conditions_of(rule: Rule) -> Iterator[Condition]:
    """Yield the conditions of a rule in the order written: of where, of expect, of its cases."""
    for conditions in (rule.select.where, rule.expect, *(case.when for case in rule.cases)):
        yield from flat(conditions)


def flat(conditions: Conditions) -> Iterator[Condition]:
    """Yield conditions with those of groups in the place of the group."""
    for item in conditions:
        if isinstance(item, Group):
            yield from flat(item.members)
        else:
            yield item


def other_field(test: Test) -> str:
    """Return the path that ``equals_field`` compares with; empty for every other test."""
    value = test.argument.value if isinstance(test.argument, Literal_ | ParamValue) else ""
    return value if test.name == "equals_field" and isinstance(value, str) else ""


def cells_of(rule: Rule) -> Iterator[TableCell]:
    """Yield the cells of tables that a rule asks."""
    yield from (part for part in parts_of(rule) if isinstance(part, TableCell))


def parts_of(part: object) -> Iterator[object]:
    """Yield every part of a rule, whatever its depth: conditions, tests, arguments, templates, paths."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, tuple | list):
            waiting += part
        elif is_dataclass(part) and not isinstance(part, Path):
            waiting += [getattr(part, field.name) for field in fields(part) if field.name not in ("examples", "commands")]
