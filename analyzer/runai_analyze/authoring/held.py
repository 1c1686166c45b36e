"""A new rule held against the object that it was made from: does it find it, and if not, what is in the way?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ..facts import example_facts
from ..ruleset.needs import kinds_of
from ..ruleset.rule import Pack, Rule
from .pasted import Pasted
from .trial import Trial, TrialRow, Wish, try_rule

_NEGATIVE = ("not_equals", "not_one_of")
_NOT_SET = "not set"


def why_not_found(rule: Rule, pack: Pack, given: Pasted, now: datetime) -> list[str]:
    """Return a line for each condition by which the rule does not find the object; none where it does, or cannot be told.

    ``now``: the time that the object is judged at. What needs other objects beside this one is unknown, which is no objection.
    Values that may be secret are not told.
    """
    trial, shown = (_tried(rule, pack, body, now) for body in (given.whole, given.body))
    if trial.applies is False or trial.outcome.status.value in ("fail", "unknown"):
        return []
    if not trial.rows or not shown.rows:
        return [f"    it looks at no object like it: kind {rule.select.kind}"]
    return list(_lines(trial, trial.rows[0], shown.rows[0]))


def _tried(rule: Rule, pack: Pack, body: dict[str, Any], now: datetime) -> Trial:
    return try_rule(rule, pack, example_facts((body,), {}, (), now, kinds_of((rule,))), Wish(rows=1))


def _lines(trial: Trial, row: TrialRow, shown: TrialRow) -> Iterator[str]:
    if row.state == "not looked at":
        yield "    it looks only at other namespaces or names"
        return
    for number in row.stopped or range(1, len(row.cells) + 1):
        cell, column = row.cells[number - 1], trial.columns[number - 1]
        path, _, test = column.words.partition(" ")
        same = cell.found == shown.cells[number - 1].found
        found = f"{path} is {(cell.found or _NOT_SET) if same else 'set to something'}"
        hint = "; write when_absent: pass, if that is the fault too" if _hides(test, cell.found) else ""
        if row.state == "passes":
            yield f"    {found}, which is right by {test}"
        else:
            yield f"    {found}, and the rule looks for {test}{hint}"


def _hides(test: str, found: str) -> bool:
    return found in ("", _NOT_SET) and test.startswith(_NEGATIVE)
